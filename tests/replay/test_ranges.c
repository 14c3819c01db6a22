/* Ranges: the list against the engine's on another run, and every answer against applyCompression asked again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <math.h>

#include "engine/base/json.h"
#include "replay/explain.h"
#include "tests/generate.h"
#include "tests/replayed.h"
#include "tests/session_check.h"
#include "tests/view_screens.h"

static void screens(void **state)
{
	(void)state;
	view_screens_file("tests/cases/ranges.jsonl");
}

/* ---- every range of a state, asked again on a run of its own ---- */

struct seen {
	size_t states, ranges, accepted;
	size_t kinds[COMPRESS_KIND_COUNT], listed[FRAME_RANGE_KINDS];
};

/* A second run of the same session, and what one apply needs. */
struct other {
	struct replayed s;
	struct turn turn;
	struct compress_scratch scratch;
	struct apply_result result;
};

/* The whole turn of the position, worked out from the state before it. */
static bool other_turn(struct other *o, const struct frame *f)
{
	struct run *r = &o->s.run;
	struct turn_input in = run_turn_input(r, 0, f->turn.in.tokens);
	run_seek(r, position_record(r, f->at));
	state_probe_begin(&r->state);
	return turn_run(&o->turn, &r->state, &r->alternatives, &in) == STATUS_OK;
}

/* As short as the limits allow (kernel.md 5.6.11); every unit is one byte. */
static struct str legal_summary(const struct config *c, struct buf *b)
{
	double units = c->min_summary > 1 ? ceil(c->min_summary) : 1;
	buf_cut(b, 0);
	while ((double)b->n < units)
		buf_char(b, 's');
	return buf_view(b);
}

static bool has_error(const struct apply_result *a, enum compress_kind kind)
{
	for (size_t i = 0; i < a->errors.n; i++)
		if (a->errors.v[i].kind == kind)
			return true;
	return false;
}

static void check_answer(struct frame *f, size_t i, struct other *o, struct seen *seen)
{
	struct state *s = &o->s.run.state;
	const struct frame_range *range = &frame_ranges(f)->v[i];
	const struct range_answer *a = frame_range_answer(f, i);
	char start[REF_TEXT_MAX], end[REF_TEXT_MAX];
	struct buf summary = {0};
	struct range_request request = {.start = state_ref_text(s, range->start, start),
					.end = state_ref_text(s, range->end, end),
					.summary = legal_summary(&o->s.run.config, &summary)};
	size_t mark = state_mark(s);
	compress_apply(&request, 1, &o->turn.surface, s, &(struct apply_options){.counter = o->turn.in.counter},
		       &o->scratch, &o->result);
	const struct apply_result *want = &o->result;
	assert_int_equal(a->accepted, want->errors.n == 0 && want->blocks_created == 1);
	if (a->accepted) {
		const struct block *k = &s->blocks.v[want->verdicts.v[0].block];
		assert_int_equal(a->kind, COMPRESS_KIND_COUNT);
		assert_int_equal(a->direct, k->direct_n);
		assert_int_equal(a->consumed, k->children_n);
		assert_int_equal(a->tier, k->tier);
		assert_true(a->tokens == k->tokens);
		seen->accepted++;
	} else if (want->errors.n > 0) {
		assert_true(has_error(want, a->kind));
		seen->kinds[a->kind]++;
	} else {
		assert_int_equal(want->warnings.n, 1);
		assert_int_equal(a->kind, want->warnings.v[0].kind);
	}
	state_rollback(s, mark);
	seen->ranges++;
	seen->listed[range->kind]++;
	buf_free(&summary);
}

static bool same_range(const struct frame_range *a, const struct range *b)
{
	return a->start == b->start && a->end == b->end && a->first == b->first && a->last == b->last &&
	       a->count == b->count && a->tokens == b->tokens && a->chars == b->chars && a->tool_pct == b->tool_pct;
}

/* Oldest first, recommended ranges in the engine's order, groups where several were merged, protected ones. */
static void check_list(struct frame *f, const struct other *o)
{
	const struct frame_ranges *r = frame_ranges(f);
	const struct recommendation *rec = &o->turn.rec;
	double min = o->s.run.config.min_range;
	size_t recommended = 0, protected_n = 0, groups = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct frame_range *range = &r->v[i];
		assert_true(i == 0 || range->first >= r->v[i - 1].first);
		for (size_t k = 0; k < i; k++)
			assert_true(r->v[k].key != range->key && range->key != 0);
		switch ((enum frame_range_kind)range->kind) {
		case FRAME_RANGE_RECOMMENDED:
		case FRAME_RANGE_SMALL:
			assert_true(same_range(range, &rec->recommended.v[recommended]));
			assert_int_equal(range->kind == FRAME_RANGE_SMALL, min > 0 && range->chars < min);
			assert_true(frame_range_short(f, range) ==
				    (range->kind == FRAME_RANGE_SMALL ? min - range->chars : 0));
			/* only the last one can be smaller (kernel.md 4.6.3) */
			assert_true(range->kind == FRAME_RANGE_RECOMMENDED || recommended + 1 == rec->recommended.n);
			recommended++;
			groups += range->groups;
			break;
		case FRAME_RANGE_GROUP:
			assert_true(same_range(range, &rec->compressible.v[range->group]));
			break;
		case FRAME_RANGE_PROTECTED:
			assert_int_equal(range->start, rec->protected_ranges.v[protected_n].start);
			assert_int_equal(range->end, rec->protected_ranges.v[protected_n].end);
			assert_int_equal(range->count, rec->protected_ranges.v[protected_n].count);
			protected_n++;
			break;
		default:
			assert_true(mark_set_has(&rec->zone, range->start) && mark_set_has(&rec->zone, range->end));
			break;
		}
	}
	assert_int_equal(recommended, rec->recommended.n);
	assert_int_equal(protected_n, rec->protected_ranges.n);
	assert_int_equal(groups, rec->compressible.n);
}

static void check_position(struct frame *f, struct run *r, struct other *o, struct position p, struct seen *seen)
{
	assert_int_equal(frame_open(f, r, p, NULL), STATUS_OK);
	bool ran = other_turn(o, f);
	assert_int_equal(ran, !f->capacity);
	if (!ran || p.node < NODE_RECOMMEND) {
		assert_null(frame_ranges(f));
		return;
	}
	check_list(f, o);
	/* asked in any order: an answer leaves nothing behind */
	size_t n = frame_ranges(f)->n;
	for (size_t i = 0; i < n; i++)
		check_answer(f, (i * 7 + p.turn) % n, o, seen);
	for (size_t i = 0; i < n; i++)
		check_answer(f, i, o, seen);
	seen->states++;
}

/* Every `step`th turn, at its end or at a node, and between turns. */
static void check_session(struct str text, uint32_t step, struct seen *seen)
{
	struct replayed s;
	struct other o = {0};
	struct frame f = {0};
	replayed_open(&s, text);
	replayed_start(&s, "K60");
	replayed_finish(&s);
	replayed_open(&o.s, text);
	replayed_start(&o.s, "K60");
	replayed_finish(&o.s);
	for (uint32_t turn = 1; turn <= s.run.timeline.turns.n; turn += step) {
		struct position p = {.turn = turn, .node = NODE_RENDER};
		if (turn % 3 == 0)
			p.node = (enum turn_node)(NODE_HIDE + turn / 3 % (NODE_COUNT - NODE_HIDE));
		else if (turn % 3 == 1)
			p.records = position_records_after(&s.run, turn) / 2;
		check_position(&f, &s.run, &o, p, seen);
	}
	frame_close(&f);
	turn_free(&o.turn);
	compress_scratch_free(&o.scratch);
	apply_result_free(&o.result);
	replayed_close(&s);
	replayed_close(&o.s);
}

static void answers_are_the_engines(void **state)
{
	(void)state;
	struct seen seen = {0};
	static const enum compress_kind must[] = {COMPRESS_BELOW_MIN_RANGE, COMPRESS_PROTECTED_ZONE,
						  COMPRESS_NOTHING_COMPRESSIBLE};
	for (int shape = 0; shape < GENERATE_SHAPES; shape++)
		for (uint64_t seed = 1; seed <= 6; seed++) {
			struct buf b = {0};
			struct generate_options o = {
				.shape = (enum generate_shape)shape, .seed = seed * 31, .turns = 100};
			generate_recording(&o, &b);
			check_session(buf_view(&b), shape == GENERATE_STORM ? 5 : 3, &seen);
			buf_free(&b);
		}
	print_message("%zu states, %zu answers, %zu accepted\n", seen.states, seen.ranges, seen.accepted);
	assert_true(seen.states >= 1000);
	assert_true(seen.accepted > 1000 && seen.ranges - seen.accepted > 1000);
	for (size_t i = 0; i < sizeof must / sizeof must[0]; i++)
		assert_true(seen.kinds[must[i]] > 0);
	for (int kind = 0; kind < FRAME_RANGE_KINDS; kind++)
		assert_true(seen.listed[kind] > 0);
}

static void read_file(const char *path, struct buf *b)
{
	char part[4096];
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
		buf_bytes(b, part, n);
	fclose(f);
}

static void answers_on_the_vectors(void **state)
{
	(void)state;
	static const char *const families[] = {"bash", "cjk", "mixed", "storm", "tier"};
	for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
		for (int n = 1; n < 100; n++) {
			char name[64], path[512];
			struct seen seen = {0};
			struct buf b = {0};
			snprintf(name, sizeof name, "vectors/%s-%d.jsonl", families[i], n);
			if (!session_shared(path, name))
				continue;
			read_file(path, &b);
			check_session(buf_view(&b), 25, &seen);
			assert_true(seen.states > 0);
			buf_free(&b);
		}
}

/* ---- an answer is what the model would get ---- */

/* The session up to a turn, and behind it a compress call with one range of that turn: is it applied? */
static void check_call(struct str text, struct frame *f, size_t i)
{
	const struct state *s = &f->run->state;
	const struct frame_range *range = &frame_ranges(f)->v[i];
	struct buf b = {0}, summary = {0};
	struct replayed s2;
	buf_str(&b, text);
	buf_text(&b, "{\"type\":\"compress\",\"callId\":\"asked\",\"tokenCount\":");
	json_put_num(&b, f->turn.in.tokens);
	buf_text(&b, ",\"args\":{\"content\":[{\"startId\":");
	char ref[REF_TEXT_MAX];
	json_put_str(&b, state_ref_text(s, range->start, ref));
	buf_text(&b, ",\"endId\":");
	json_put_str(&b, state_ref_text(s, range->end, ref));
	buf_text(&b, ",\"summary\":");
	json_put_str(&b, legal_summary(&f->run->config, &summary));
	buf_text(&b, "}]}}\n");
	replayed_open(&s2, buf_view(&b));
	replayed_start(&s2, "K60");
	replayed_finish(&s2);
	const struct compress_outcome *o = &s2.run.compressions.v[s2.run.compressions.n - 1];
	const struct range_answer *a = frame_range_answer(f, i);
	assert_int_equal(o->applied, a->accepted);
	if (a->accepted)
		assert_true(o->tokens == a->tokens);
	replayed_close(&s2);
	buf_free(&b);
	buf_free(&summary);
}

static void answers_come_true(void **state)
{
	(void)state;
	size_t asked = 0;
	for (uint64_t seed = 1; seed <= 24; seed++) {
		struct generate_options o = {.shape = (enum generate_shape)(seed % GENERATE_SHAPES),
					     .seed = seed * 101,
					     .turns = 20 + (uint32_t)seed};
		struct buf b = {0};
		struct replayed s;
		struct frame f = {0};
		generate_recording(&o, &b);
		replayed_open(&s, buf_view(&b));
		replayed_start(&s, "K60");
		replayed_finish(&s);
		struct position p = {.turn = (uint32_t)s.run.timeline.turns.n, .node = NODE_RENDER};
		assert_int_equal(frame_open(&f, &s.run, p, NULL), STATUS_OK);
		size_t n = frame_ranges(&f)->n;
		for (size_t i = 0; i < n; i += 1 + n / 12, asked++)
			check_call(buf_view(&b), &f, i);
		frame_close(&f);
		replayed_close(&s);
		buf_free(&b);
	}
	assert_true(asked > 150);
}

/* ---- nodes of a turn, keys ---- */

/* A range has the same answer at every node from recommend on, and the same key from turn to turn. */
static void nodes_give_the_same_answers(void **state)
{
	(void)state;
	struct buf b = {0};
	struct replayed s;
	struct frame f = {0}, g = {0};
	struct range_answer answers[400];
	uint64_t keys[400];
	generate_recording(&(struct generate_options){.shape = GENERATE_PLAIN, .seed = 5, .turns = 60}, &b);
	replayed_open(&s, buf_view(&b));
	replayed_start(&s, "K60");
	replayed_finish(&s);
	for (uint32_t turn = 10; turn <= s.run.timeline.turns.n; turn += 10) {
		struct position p = {.turn = turn, .node = NODE_RENDER};
		assert_int_equal(frame_open(&f, &s.run, p, NULL), STATUS_OK);
		size_t n = frame_ranges(&f)->n;
		assert_true(n > 0 && n <= 400);
		for (size_t i = 0; i < n; i++) {
			answers[i] = *frame_range_answer(&f, i);
			keys[i] = frame_ranges(&f)->v[i].key;
			for (size_t k = 0; k < i; k++)
				assert_true(keys[k] != keys[i]);
		}
		for (p.node = NODE_RECOMMEND; p.node < NODE_RENDER; p.node++) {
			assert_int_equal(frame_open(&g, &s.run, p, NULL), STATUS_OK);
			assert_int_equal(frame_ranges(&g)->n, n);
			for (size_t i = 0; i < n; i++) {
				const struct range_answer *a = frame_range_answer(&g, i);
				assert_true(a->accepted == answers[i].accepted && a->kind == answers[i].kind &&
					    a->units == answers[i].units && a->tokens == answers[i].tokens);
				assert_true(frame_ranges(&g)->v[i].key == keys[i]);
			}
		}
		frame_close(&g);
	}
	frame_close(&f);
	replayed_close(&s);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(answers_are_the_engines),
		cmocka_unit_test(answers_on_the_vectors),
		cmocka_unit_test(answers_come_true),
		cmocka_unit_test(nodes_give_the_same_answers),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
