/* Events: screens by hand, and the list against what the first pass told an observer and what stands in the records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "replay/checks.h"
#include "replay/events.h"
#include "replay/view/view.h"
#include "tests/generate.h"
#include "tests/replayed.h"
#include "tests/view_screens.h"

static void screens(void **state)
{
	(void)state;
	view_screens_file("tests/cases/events.jsonl");
}

/* ---- what the first pass saw ---- */

struct told {
	uint32_t record, after_turn;
	bool applied;
	VEC(struct range_verdict) verdicts;
	VEC(uint32_t) blocks; /* names, 0 = none */
};

struct watched {
	VEC(struct told) calls;
	VEC(uint16_t) turns; /* bit 0: a nudge, 1: a result was cut, 2: it did not run */
};

static void watch_compress(void *ctx, struct run *run, const struct compress_event *e)
{
	struct watched *w = ctx;
	struct told t = {.record = e->record, .after_turn = e->after_turn, .applied = e->applied};
	for (size_t i = 0; e->result && i < e->result->verdicts.n; i++) {
		struct range_verdict v = e->result->verdicts.v[i];
		bool there = v.block >= 0 && e->applied;
		vec_push(&t.verdicts, v);
		vec_push(&t.blocks, there ? run->state.blocks.v[v.block].id : 0);
	}
	vec_push(&w->calls, t);
}

static void watch_turn(void *ctx, struct run *run, uint32_t n, const struct moment *m)
{
	struct watched *w = ctx;
	bool ran = !(m->events & MOMENT_CAPACITY);
	unsigned bits = ran ? (unsigned)run->turn.nudge.inject | (run->turn.truncated > 0 ? 2u : 0) : 4u;
	assert_int_equal(n, w->turns.n + 1);
	vec_push(&w->turns, (uint16_t)bits);
}

static void watched_free(struct watched *w)
{
	for (size_t i = 0; i < w->calls.n; i++) {
		vec_free(&w->calls.v[i].verdicts);
		vec_free(&w->calls.v[i].blocks);
	}
	vec_free(&w->calls);
	vec_free(&w->turns);
}

/* ---- the list ---- */

static void check_verdicts(const struct run *r, const struct event *e, const struct told *t)
{
	const struct compress_outcome *o = &r->compressions.v[e->index];
	assert_int_equal(o->record, t->record);
	assert_int_equal(o->applied, t->applied);
	assert_int_equal(e->turn, t->after_turn);
	if (t->verdicts.n == 0)
		return;
	assert_true(o->tried);
	assert_int_equal(o->ranges, t->verdicts.n);
	for (size_t i = 0; i < t->verdicts.n; i++) {
		const struct range_outcome *v = &r->verdicts.v[o->verdicts + i];
		const struct range_verdict *want = &t->verdicts.v[i];
		assert_int_equal(v->status, want->status);
		assert_int_equal(v->kind, want->kind);
		assert_true(v->units == want->chars);
		assert_int_equal(v->direct, want->direct);
		assert_int_equal(v->consumed, want->consumed);
		assert_int_equal(v->excluded, want->excluded);
		if (t->applied)
			assert_int_equal(v->block, t->blocks.v[i]);
	}
}

/* The event's position is the one right behind its record. */
static void check_place(const struct run *r, const struct event *e)
{
	struct position p = event_position(e);
	if (e->kind == EVENT_DAMAGE)
		return;
	if (p.records > 0) {
		assert_true(p.records <= position_records_after(r, p.turn));
		assert_int_equal(position_record(r, p), (size_t)e->record + 1);
	} else {
		assert_int_equal(r->timeline.turns.v[p.turn - 1].record, e->record);
	}
}

static void check_damage(const struct run *r, const struct event *e)
{
	const struct recording *rec = r->recording;
	uint64_t line = rec->damages.v[e->index].line;
	/* before the first record of a later line */
	assert_true(e->record == rec->records.n || rec->records.v[e->record].line > line);
	for (size_t i = 0; i < e->record; i++)
		assert_true(rec->records.v[i].line <= line);
}

/* How many events of each kind there must be. */
static void count_wanted(const struct run *r, const struct watched *w, size_t want[EVENT_KINDS])
{
	static const uint8_t kinds[RECORD_TYPE_COUNT] = {
		[RECORD_COMPRESS] = EVENT_COMPRESS, [RECORD_DECOMPRESS] = EVENT_DECOMPRESS,
		[RECORD_COMPACT] = EVENT_COMPACT,   [RECORD_KEEP] = EVENT_KEEP,
		[RECORD_RESTART] = EVENT_RESTART,   [RECORD_MODEL] = EVENT_MODEL,
		[RECORD_REWIND] = EVENT_REWIND,     [RECORD_STATE] = EVENT_STATE,
		[RECORD_PRUNE] = EVENT_PRUNE,       [RECORD_NOTE] = EVENT_NOTE};
	const struct recording *rec = r->recording;
	for (size_t i = 0; i < rec->records.n; i++) {
		uint8_t type = rec->records.v[i].type;
		bool listed =
			type != RECORD_MESSAGE && type != RECORD_TURN && type != RECORD_EVENT && type != RECORD_UNKNOWN;
		if (listed)
			want[kinds[type]]++;
	}
	for (size_t i = 0; i < w->turns.n; i++) {
		want[EVENT_NUDGE] += w->turns.v[i] & 1;
		want[EVENT_TRUNCATED] += w->turns.v[i] >> 1 & 1;
		want[EVENT_CAPACITY] += w->turns.v[i] >> 2 & 1;
	}
	double largest = 0;
	for (size_t i = 0; i < rec->turns.n && i < w->turns.n; i++) {
		const struct usage *u = &rec->turns.v[i].usage;
		want[EVENT_FAILED] += rec->turns.v[i].failed;
		if (u->present && u->input + u->cache_read + u->cache_write > largest)
			largest = u->input + u->cache_read + u->cache_write;
	}
	want[EVENT_REFUTED] = r->limit_assumed && largest > r->config.limit;
	want[EVENT_DAMAGE] = rec->damages.n;
	for (size_t i = 0; i < r->compressions.n; i++) {
		const struct compress_outcome *o = &r->compressions.v[i];
		const struct compress_record *c = &rec->compressions.v[rec->records.v[o->record].index];
		bool differs =
			c->has_outcome &&
			(c->outcome_applied != o->applied ||
			 (o->applied && c->outcome_blocks == c->outcome_blocks && c->outcome_blocks != o->blocks));
		want[EVENT_DIVERGED] += differs;
	}
}

static size_t plain_before(const struct events *e, struct position at)
{
	size_t n = 0;
	for (size_t i = 0; i < e->n; i++)
		n += e->v[i].turn < at.turn || (e->v[i].turn == at.turn && e->v[i].after <= at.records);
	return n;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static void check_keys(const struct events *e)
{
	VEC(uint64_t) keys = {0};
	for (size_t i = 0; i < e->n; i++)
		vec_push(&keys, e->v[i].key);
	if (keys.n > 1)
		qsort(keys.v, keys.n, sizeof *keys.v, by_value);
	for (size_t i = 0; i < keys.n; i++)
		assert_true(keys.v[i] != 0 && (i == 0 || keys.v[i] != keys.v[i - 1]));
	vec_free(&keys);
}

static void check_list(struct frame *f, const struct watched *w, size_t total[EVENT_KINDS])
{
	const struct run *r = f->run;
	const struct events *e = events_of(f);
	size_t want[EVENT_KINDS] = {0}, call = 0;
	count_wanted(r, w, want);
	for (size_t i = 0; i < e->n; i++) {
		const struct event *x = &e->v[i];
		check_place(r, x);
		assert_true(i == 0 || x[-1].turn < x->turn || (x[-1].turn == x->turn && x[-1].after <= x->after));
		if (x->kind == EVENT_COMPRESS)
			check_verdicts(r, x, &w->calls.v[call++]);
		if (x->kind == EVENT_NUDGE)
			assert_true(w->turns.v[x->turn - 1] & 1);
		if (x->kind == EVENT_TRUNCATED)
			assert_true(w->turns.v[x->turn - 1] & 2);
		if (x->kind == EVENT_DAMAGE)
			check_damage(r, x);
		total[x->kind]++;
	}
	for (int k = 0; k < EVENT_KINDS; k++)
		assert_int_equal(e->of_kind[k], want[k]);
	check_keys(e);
}

/* As a reader can leave them that finds some of them only at the end. */
static void turn_damages_round(struct recording *r)
{
	for (size_t i = 0; i < r->damages.n / 2; i++) {
		struct damage swap = r->damages.v[i];
		r->damages.v[i] = r->damages.v[r->damages.n - 1 - i];
		r->damages.v[r->damages.n - 1 - i] = swap;
	}
}

static void check_session(enum generate_shape shape, uint64_t seed, bool damaged, size_t total[EVENT_KINDS])
{
	struct buf b = {0};
	struct replayed s;
	struct frame f = {0};
	struct watched w = {0};
	generate_recording(&(struct generate_options){.shape = shape, .seed = seed, .turns = 150, .damaged = damaged},
			   &b);
	replayed_open(&s, buf_view(&b));
	if (seed % 4 == 0)
		turn_damages_round(&s.recording);
	replayed_start(&s, "K60");
	s.run.observer = (struct run_observer){.compress = watch_compress, .turn = watch_turn, .ctx = &w};
	replayed_finish(&s);
	uint32_t turns = (uint32_t)s.run.timeline.turns.n;
	for (uint32_t turn = 0; turn <= turns; turn += 1 + turns / 7) {
		struct position p = {.turn = turn, .node = NODE_RENDER};
		p.records = turn % 2 == 0 ? position_records_after(&s.run, turn) / 2 : 0;
		assert_int_equal(frame_open(&f, &s.run, p, NULL), STATUS_OK);
		check_list(&f, &w, total);
		assert_int_equal(events_before(events_of(&f), p), plain_before(events_of(&f), p));
		assert_ptr_equal(events_of(&f), events_of(&f));
	}
	frame_close(&f);
	replayed_close(&s);
	watched_free(&w);
	buf_free(&b);
}

static void lists_of_generated_sessions(void **state)
{
	(void)state;
	size_t total[EVENT_KINDS] = {0};
	static const enum event_kind must[] = {EVENT_COMPRESS, EVENT_NUDGE,   EVENT_DECOMPRESS, EVENT_COMPACT,
					       EVENT_KEEP,     EVENT_RESTART, EVENT_MODEL,      EVENT_REWIND,
					       EVENT_STATE,    EVENT_PRUNE,   EVENT_NOTE,       EVENT_DAMAGE};
	for (int shape = 0; shape < GENERATE_SHAPES; shape++)
		for (uint64_t seed = 1; seed <= 6; seed++)
			check_session((enum generate_shape)shape, seed, seed % 2 == 0, total);
	for (size_t i = 0; i < sizeof must / sizeof must[0]; i++)
		assert_true(total[must[i]] > 0);
}

/* Large tool results in a full window. */
static void truncation(void **state)
{
	(void)state;
	struct buf b = {0};
	struct replayed s;
	struct frame f = {0};
	struct watched w = {0};
	size_t total[EVENT_KINDS] = {0};
	buf_text(&b,
		 "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"contextLimit\":5000,"
		 "\"config\":{\"preserveRecentMessages\":0,\"preserveRecentTokens\":0}}\n"
		 "{\"type\":\"message\",\"id\":\"c\",\"role\":\"assistant\",\"contentType\":\"tool-call\",\"text\":"
		 "\"{}\",\"toolName\":\"bash\",\"toolCallId\":\"k\"}\n"
		 "{\"type\":\"message\",\"id\":\"r\",\"role\":\"tool\",\"contentType\":\"tool-result\",\"toolName\":"
		 "\"bash\",\"toolCallId\":\"k\",\"text\":\"");
	for (int i = 0; i < 20000; i++)
		buf_char(&b, 'x');
	buf_text(&b, "\"}\n{\"type\":\"turn\",\"tokenCount\":100}\n{\"type\":\"turn\",\"tokenCount\":5000}\n");
	replayed_open(&s, buf_view(&b));
	replayed_start(&s, "K60");
	s.run.observer = (struct run_observer){.compress = watch_compress, .turn = watch_turn, .ctx = &w};
	replayed_finish(&s);
	assert_int_equal(frame_open(&f, &s.run, (struct position){.turn = 2, .node = NODE_RENDER}, NULL), STATUS_OK);
	check_list(&f, &w, total);
	assert_int_equal(total[EVENT_TRUNCATED], 1);
	const struct events *e = events_of(&f);
	assert_int_equal(e->v[e->n - 1].kind, EVENT_TRUNCATED);
	assert_int_equal(e->v[e->n - 1].turn, 2);
	frame_close(&f);
	replayed_close(&s);
	watched_free(&w);
	buf_free(&b);
}

/* A pane follows the position: the line it names is the last event up to there. */
static void here_is_the_last_event(void **state)
{
	(void)state;
	struct buf b = {0};
	struct replayed s;
	struct frame f = {0};
	generate_recording(&(struct generate_options){.shape = GENERATE_TIERS, .seed = 2, .turns = 60}, &b);
	replayed_open(&s, buf_view(&b));
	replayed_start(&s, "K60");
	replayed_finish(&s);
	struct view_context c = {.run = &s.run, .frame = &f, .width = 80};
	for (uint32_t turn = 0; turn <= 60; turn++) {
		struct position p = {.turn = turn, .node = NODE_RENDER};
		assert_int_equal(frame_open(&f, &s.run, p, NULL), STATUS_OK);
		size_t n = plain_before(events_of(&f), p);
		if (n == 0)
			assert_true(events_view.here(&c) == SIZE_MAX);
		else
			assert_true(events_view.key(&c, events_view.here(&c)) == events_of(&f)->v[n - 1].key);
	}
	frame_close(&f);
	replayed_close(&s);
	buf_free(&b);
}

/* ---- what the end is compared with ---- */

/* A kernel state with one ref. */
static void put_state(struct buf *b, const char *id, const char *ref)
{
	buf_printf(b,
		   "{\"blocks\":[],\"messageRefs\":{\"byRaw\":{\"%s\":\"%s\"},\"byRef\":{\"%s\":\"%s\"}},"
		   "\"nextBlockId\":1,\"nextRunId\":1}",
		   id, ref, ref, id);
}

/* Rows u1, u2 with one turn each, and a row u3 behind the last one; the ref of u2 is m00002. */
static void open_checked(struct replayed *s, struct checks *k, struct temp_file *state, const char *ref)
{
	struct buf b = {0};
	struct error e = {0};
	buf_text(&b, "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"contextLimit\":5000}\n");
	for (int i = 1; i <= 3; i++)
		buf_printf(&b,
			   "{\"type\":\"message\",\"id\":\"u%d\",\"role\":\"user\",\"contentType\":\"text\",\"text\":"
			   "\"x\"}\n%s",
			   i, i < 3 ? "{\"type\":\"turn\"}\n" : "");
	replayed_open(s, buf_view(&b));
	buf_cut(&b, 0);
	put_state(&b, "u2", ref);
	temp_file_write(state, buf_view(&b));
	buf_free(&b);
	assert_int_equal(checks_find(k, &s->recording, state->path, &e), STATUS_OK);
	replayed_start(s, "K60");
	replayed_finish(s);
	while (checks_step(k, &s->run, false))
		;
	assert_true(k->done);
}

static void close_checked(struct replayed *s, struct checks *k, struct frame *f, struct temp_file *state)
{
	frame_close(f);
	replayed_close(s);
	checks_free(k);
	temp_file_remove(state);
}

/* The drift stands last, behind the row that came after the last turn, with what differs. */
static void drift_is_an_event(void **state)
{
	(void)state;
	struct replayed s;
	struct checks k;
	struct temp_file file;
	struct frame f = {0};
	struct buf words = {0};
	open_checked(&s, &k, &file, "m00007");
	assert_int_equal(frame_open(&f, &s.run, (struct position){.turn = 2, .node = NODE_RENDER}, NULL), STATUS_OK);
	/* the list is made anew when the comparison is there */
	assert_int_equal(events_of(&f)->of_kind[EVENT_DRIFT], 0);
	f.checks = &k;
	const struct events *e = events_of(&f);
	assert_int_equal(e->of_kind[EVENT_DRIFT], 1);
	assert_int_equal(e->n, 1);
	struct position at = event_position(&e->v[0]);
	assert_int_equal(at.turn, 2);
	assert_int_equal(at.records, 1);
	assert_int_equal(position_record(&s.run, at), s.recording.records.n);
	assert_int_equal(events_before(e, f.at), 0);
	check_keys(e);
	/* on the line, and opened: u2, its ref here and there */
	struct view_context c = {.run = &s.run, .frame = &f, .width = 200, .selected = e->v[0].key, .unfolded = true};
	view_print(&events_view, &c, &words);
	assert_non_null(strstr(words.p, "ref drift: 1 of 1 differs, first u2 (line 4): m00002 here, m00007 in the"));
	assert_non_null(strstr(words.p, file.path));
	assert_non_null(strstr(words.p, "no compress call"));
	buf_free(&words);
	/* other positions keep it */
	assert_int_equal(frame_open(&f, &s.run, at, NULL), STATUS_OK);
	assert_int_equal(events_before(events_of(&f), f.at), 1);
	close_checked(&s, &k, &f, &file);
}

static void what_agrees_is_no_event(void **state)
{
	(void)state;
	struct replayed s;
	struct checks k;
	struct temp_file file;
	struct frame f = {0};
	open_checked(&s, &k, &file, "m00002");
	assert_int_equal(frame_open(&f, &s.run, (struct position){.turn = 2, .node = NODE_RENDER}, NULL), STATUS_OK);
	f.checks = &k;
	assert_int_equal(events_of(&f)->n, 0);
	assert_int_equal(k.fidelity.refs, 1);
	assert_int_equal(k.fidelity.refs_agree, 1);
	close_checked(&s, &k, &f, &file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),           cmocka_unit_test(lists_of_generated_sessions),
		cmocka_unit_test(truncation),        cmocka_unit_test(here_is_the_last_event),
		cmocka_unit_test(drift_is_an_event), cmocka_unit_test(what_agrees_is_no_event),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
