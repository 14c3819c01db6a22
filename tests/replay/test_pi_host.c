/* The Pi adapter in a replay: token counts, compactions, recorded outcomes (pi.md 1.10, 8.2; recording.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "engine/base/json.h"
#include "replay/frame.h"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_between),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
