/* The Pi adapter in a replay: token counts, compactions, recorded outcomes (pi.md 1.10, 8.2; recording.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "engine/base/json.h"
#include "replay/frame_request.h"
#include "tests/generate.h"
#include "tests/replayed.h"
#include "tests/session_check.h"

/* Loads the entries of a Pi file, or records; a Pi file's default branch must convert to the same replay. */
static void load(const cJSON *one, struct replayed *s)
{
	const cJSON *lines = json_get(one, json_get(one, "pi") != NULL ? "pi" : "records"), *line;
	const char *branch = json_str(json_get(one, "branch")).p;
	struct buf text = {0};
	struct error e = {0};
	enum status st;
	*s = (struct replayed){0};
	cJSON_ArrayForEach (line, lines) {
		json_put(&text, line);
		buf_char(&text, '\n');
	}
	temp_file_write(&s->file, buf_view(&text));
	st = recording_open_branch(&s->recording, s->file.path, NULL, branch, &e);
	while (st == STATUS_OK && recording_load_step(&s->recording, SIZE_MAX, &st, &e))
		;
	if (st != STATUS_OK)
		case_fail(one, "does not load: %s", e.message);
	if (branch == NULL)
		session_check_convert(s->file.path, json_str(json_get(one, "name")).p);
	temp_file_remove(&s->file);
	buf_free(&text);
}

static void run(const cJSON *one, struct replayed *s)
{
	replayed_start_with(s, NULL, json_str(json_get(one, "policy")));
	replayed_finish(s);
}

static void expect_number(const cJSON *one, const char *what, size_t at, double got, const cJSON *want)
{
	double x;
	if (want != NULL && (!json_num(want, &x) || got != x))
		case_fail(one, "%s of number %zu is %g", what, at + 1, got);
}

static void check_turns(const cJSON *one, const struct run *r)
{
	static const char *const counted[] = {
		[COUNT_HOST] = "host", [COUNT_RAW] = "raw", [COUNT_SENT] = "sent", [COUNT_USAGE] = "usage"};
	const cJSON *list = json_get(one, "turns"), *want;
	size_t i = 0;
	cJSON_ArrayForEach (want, list) {
		if (i == r->timeline.turns.n)
			break;
		const struct moment *m = &r->timeline.turns.v[i];
		const cJSON *more = cJSON_GetArrayItem(want, 3);
		expect_number(one, "rows", i, m->rows, cJSON_GetArrayItem(want, 0));
		expect_number(one, "tokens", i, m->tokens, cJSON_GetArrayItem(want, 1));
		case_expect_text(one, "who counted", str_of(counted[m->counted]),
				 json_str(cJSON_GetArrayItem(want, 2)));
		expect_number(one, "raw estimate", i, m->raw, json_get(more, "raw"));
		expect_number(one, "own count", i, m->own, json_get(more, "own"));
		expect_number(one, "prompt", i, m->prompt, json_get(more, "prompt"));
		expect_number(one, "cache read", i, m->cache_read, json_get(more, "cacheRead"));
		if (m->counted != COUNT_HOST && m->own != m->tokens)
			case_fail(one, "turn %zu: our count is %g and not the one taken", i + 1, m->own);
		i++;
	}
	case_expect_count(one, "turns", r->timeline.turns.n, (size_t)cJSON_GetArraySize(list));
}

static void check_compressions(const cJSON *one, const struct run *r)
{
	const cJSON *list = json_get(one, "compress"), *want;
	size_t i = 0;
	if (list == NULL)
		return;
	cJSON_ArrayForEach (want, list) {
		if (i == r->compressions.n)
			break;
		const struct compress_outcome *o = &r->compressions.v[i];
		case_expect_text(one, "follow", str_of(follow_name((enum follow)o->follow)),
				 json_str(cJSON_GetArrayItem(want, 0)));
		case_expect_count(one, "applied", o->applied, cJSON_IsTrue(cJSON_GetArrayItem(want, 1)) != 0);
		expect_number(one, "blocks", i, o->blocks, cJSON_GetArrayItem(want, 2));
		expect_number(one, "agreement", i, run_outcome_agrees(r, o), cJSON_GetArrayItem(want, 3));
		expect_number(one, "token count", i, o->token_count, json_get(cJSON_GetArrayItem(want, 4), "tokens"));
		i++;
	}
	case_expect_count(one, "compressions", r->compressions.n, (size_t)cJSON_GetArraySize(list));
}

static void check_case(const cJSON *one, void *ctx)
{
	struct replayed s;
	double x;
	(void)ctx;
	load(one, &s);
	run(one, &s);
	check_turns(one, &s.run);
	check_compressions(one, &s.run);
	if (json_num(json_get(one, "counterfactual"), &x)) {
		size_t record = x > 0 ? s.run.compressions.v[(size_t)x - 1].record : SIZE_MAX;
		case_expect_count(one, "first counterfactual record", s.run.counterfactual, record);
	}
	expect_number(one, "blocks of the state", 0, (double)s.run.state.blocks.n, json_get(one, "blocks"));
	replayed_close(&s);
}

static void test_cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/pi_host.jsonl", check_case, NULL);
}

/*
 * Between two turns, after all records that stand there, a turn is given what the next turn was given by us: same
 * rows, same usage, same density.
 */
static size_t check_between(struct replayed *s, const char *profile)
{
	struct frame f = {0};
	struct error e;
	size_t checked = 0;
	replayed_start(s, profile);
	replayed_finish(s);
	const struct timeline *t = &s->run.timeline;
	for (uint32_t n = 0; n < t->turns.n; n++) {
		struct position p = {n, NODE_RENDER, position_records_after(&s->run, n)};
		if (isnan(t->turns.v[n].own) || (n > 0 && p.records == 0))
			continue;
		assert_int_equal(frame_open(&f, &s->run, p, &e), STATUS_OK);
		if (f.turn.in.tokens != t->turns.v[n].own)
			fail_msg("%s, before turn %u: %.17g, the turn was given %.17g", profile, n + 1,
				 f.turn.in.tokens, t->turns.v[n].own);
		checked++;
	}
	frame_close(&f);
	return checked;
}

static void test_between(void **state)
{
	(void)state;
	static const char *const profiles[] = {"P97", "P155", "P173", "P258", "P342", "C143"};
	static const char *const files[] = {"sample-sessions/pi-tree.jsonl", "sample-sessions/refs-drift.jsonl"};
	size_t checked = 0;
	for (size_t p = 0; p < sizeof profiles / sizeof *profiles; p++) {
		for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
			struct replayed s = {0};
			session_load(&s.recording, files[i], files[i]);
			checked += check_between(&s, profiles[p]);
			replayed_close(&s);
		}
		for (uint64_t seed = 1; seed < 30; seed += 2) { /* odd ones are of host pi */
			struct generate_options o = {GENERATE_TYPES, seed, GENERATE_TYPES_TURNS, false};
			struct replayed s = {0};
			struct buf text = {0};
			generate_recording(&o, &text);
			replayed_open(&s, buf_view(&text));
			checked += check_between(&s, profiles[p]);
			replayed_close(&s);
			buf_free(&text);
		}
	}
	assert_true(checked > 2000);
}

/* ---- positions between turns know nothing of what comes after them ---- */

/* The first `records` records of a recording in our own format. */
static struct str cut_lines(struct str text, size_t records)
{
	size_t at = 0;
	for (size_t i = 0; i <= records; i++) /* the session line, and a line a record */
		at = str_find(text, STR("\n"), at) + 1;
	return str_cut(text, 0, at);
}

/* The frame at n+k of the whole recording, and at the end of the one that ends there. */
static void check_cut(struct replayed *whole, struct str text, struct position p, const char *profile, size_t *requests)
{
	struct frame a = {0}, b = {0};
	struct replayed s = {0};
	struct error e;
	replayed_open(&s, cut_lines(text, position_record(&whole->run, p)));
	replayed_start(&s, profile);
	replayed_finish(&s);
	assert_int_equal(frame_open(&a, &whole->run, p, &e), STATUS_OK);
	assert_int_equal(frame_open(&b, &s.run, p, &e), STATUS_OK);
	if (a.turn.in.tokens != b.turn.in.tokens || a.counted != b.counted)
		fail_msg("%s %u+%u: %.17g, where the recording ends there %.17g", profile, p.turn, p.records,
			 a.turn.in.tokens, b.turn.in.tokens);
	assert_int_equal(a.surface_rows, b.surface_rows);
	const struct frame_request *q = frame_request(&a), *want = frame_request(&b);
	if (requests != NULL && q->lack == REQUEST_THERE && want->lack == REQUEST_THERE) {
		assert_int_equal(q->nudge, want->nudge);
		assert_int_equal(q->sent.cause, want->sent.cause);
		assert_true(q->sent.bytes == want->sent.bytes);
		(*requests)++;
	}
	frame_close(&a);
	frame_close(&b);
	replayed_close(&s);
}

/* Right before a turn the model it goes to is known (pi.md 8.4), which the cut recording does not tell. */
static bool is_before_turn(const struct run *r, uint32_t n, uint32_t k)
{
	size_t i = position_record(r, (struct position){n, NODE_RENDER, k});
	return i < r->recording->records.n && r->recording->records.v[i].type == RECORD_TURN;
}

static size_t check_cuts(struct str text, const char *profile, uint32_t step, size_t *requests)
{
	struct replayed s = {0};
	size_t checked = 0;
	replayed_open(&s, text);
	replayed_start(&s, profile);
	replayed_finish(&s);
	for (uint32_t n = 1; n <= s.run.timeline.turns.n; n++)
		for (uint32_t k = 1; k <= position_records_after(&s.run, n); k++)
			if ((n + k) % step == 0 && !is_before_turn(&s.run, n, k)) {
				check_cut(&s, text, (struct position){n, NODE_RENDER, k}, profile, requests);
				checked++;
			}
	replayed_close(&s);
	return checked;
}

static void test_cuts(void **state)
{
	(void)state;
	static const char *const profiles[] = {"P155", "P342"};
	static const char *const files[] = {"sample-sessions/pi-causes.jsonl", "sample-sessions/pi-timing.jsonl",
					    "sample-sessions/pi-tags.jsonl", "sample-sessions/pi-tree.jsonl"};
	size_t checked = 0, requests = 0;
	for (size_t p = 0; p < sizeof profiles / sizeof *profiles; p++) {
		for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
			struct recording rec;
			struct buf text = {0};
			session_load(&rec, files[i], files[i]);
			session_write(&rec, &text, files[i]);
			checked += check_cuts(buf_view(&text), profiles[p], 1, &requests);
			recording_free(&rec);
			buf_free(&text);
		}
		/* odd ones are of host pi; they bring entries late, so that a cut one lacks some */
		for (uint64_t seed = 1; seed < 12; seed += 2) {
			struct generate_options o = {GENERATE_TYPES, seed, GENERATE_TYPES_TURNS, false};
			struct buf text = {0};
			generate_recording(&o, &text);
			checked += check_cuts(buf_view(&text), profiles[p], 5, NULL);
			buf_free(&text);
		}
	}
	assert_true(checked > 300 && requests > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_cuts),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
