/*
 * Breakpoints on the screen. What c and C stop at is compared with the same
 * expressions evaluated over a run of its own; hits are counted beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "tests/screened.h"
#include "tests/temp_file.h"

/* The turns where a condition is true, from a run that has nothing to do with the screen. */
static uint32_t truth(const char *file, struct str condition, bool *holds, uint32_t most)
{
	struct recording rec = {0};
	struct error e = {0};
	struct policy policy;
	struct run_options options = {.limit = (double)NAN};
	struct run run = {0};
	struct arena arena = {0};
	struct expr_fault fault;
	struct expr_scene scene;
	const struct expr *x = expr_parse_condition(condition, &arena, &fault);
	struct cli_request q = {.file = file, .limit = (double)NAN};
	enum status st = STATUS_OK;
	uint32_t n;

	assert_non_null(x);
	assert_int_equal(recording_open(&rec, file, NULL, &e), STATUS_OK);
	while (recording_load_step(&rec, 1 << 20, &st, &e))
		;
	assert_int_equal(st, STATUS_OK);
	assert_int_equal(cli_policy(&q, &rec, &policy, &e), STATUS_OK);
	assert_int_equal(run_init(&run, &rec, &policy, &options, &e), STATUS_OK);
	run.want_requests = expr_needs(x) & EXPR_NEEDS_REQUESTS;
	while (run_step(&run, 1 << 20))
		;
	n = (uint32_t)run.timeline.turns.n;
	assert_true(n < most);
	expr_begin(&scene, &run);
	for (uint32_t t = 1; t <= n; t++) {
		struct expr_value v = expr_at(&scene, x, t);
		holds[t] = expr_true(&v);
	}
	expr_end(&scene);
	run_free(&run);
	recording_free(&rec);
	arena_free(&arena);
	return n;
}

/* Conditions that are true at some turns of most sessions, and their parts. */
static const char *const parts[] = {
	"turn > 3",
	"turn - turn / 2 * 2 = turn",
	"tokens.raw > prev(tokens.raw)",
	"changed(blocks.active)",
	"compress.applied > 0",
	"compress.refused > 0",
	"nudge.inject",
	"changed(nudge.inject)",
	"ranges.count >= 2",
	"usage > 0.2",
	"event.user",
	"view.rows < prev(view.rows)",
	"row(\"m00003\").visible",
	"changed(row(\"m00002\").recent)",
	"compress.error ~ /range|ref/",
	"tokens.folded > 0",
	"divergence",
	"known(tokens.prompt)",
	"rows > 10 and not event.user",
};
enum { PARTS = sizeof parts / sizeof *parts };

static const char *const files[] = {
	"sample-sessions/plain.acps.jsonl",    "sample-sessions/tiers.acps.jsonl",
	"sample-sessions/mixed-zh.acps.jsonl", "sample-sessions/damaged-arguments.acps.jsonl",
	"sample-sessions/pi-timing.jsonl",     "sample-sessions/dsh-tail.jsonl",
};
enum { FILES = sizeof files / sizeof *files, TURNS_MAX = 400 };

static void put_condition(struct buf *b, uint64_t seed)
{
	static const struct {
		const char *before, *between, *behind;
	} joins[] = {{"", NULL, ""}, {"not (", NULL, ")"}, {"(", ") and (", ")"}, {"(", ") or not (", ")"}};
	const char *one = parts[seed % PARTS], *two = parts[(seed / PARTS) % PARTS];
	size_t join = (size_t)(seed / PARTS / PARTS) % 4;

	buf_text(b, joins[join].before);
	buf_text(b, one);
	if (joins[join].between)
		buf_printf(b, "%s%s", joins[join].between, two);
	buf_text(b, joins[join].behind);
}

static void add(struct screened *s, const char *command, struct str text)
{
	screened_press(s, ":");
	screened_type(s, str_of(command));
	screened_type(s, STR(" "));
	screened_type(s, text);
	screened_press(s, "<Enter>");
}

/* From every turn: c to the next that holds, C to the one before, and every stop is a hit. */
static void walk(struct screened *s, const bool *holds, uint32_t n)
{
	uint32_t at, hits = 0;

	screened_press(s, "0");
	for (at = 1; at < n;) {
		uint32_t next = at + 1;

		while (next <= n && !holds[next])
			next++;
		screened_press(s, "c");
		if (next > n)
			break;
		hits++;
		at = next;
		assert_int_equal(screened_turn(s), at);
	}
	assert_int_equal(screened_turn(s), at);
	for (;;) {
		uint32_t before = at - 1;

		while (before >= 1 && !holds[before])
			before--;
		screened_press(s, "C");
		if (before < 1)
			break;
		hits++;
		at = before;
		assert_int_equal(screened_turn(s), at);
	}
	assert_int_equal(screened_turn(s), at);
	assert_int_equal(s->script.app.breaks.set.list.v[0].hits, hits);
}

static void test_stops(void **state)
{
	static bool holds[TURNS_MAX + 1];
	uint64_t seed = 88172645463325252u;
	size_t some = 0;

	(void)state;
	for (int k = 0; k < 200; k++) {
		const char *file = files[(size_t)k % FILES];
		struct screened s;
		struct buf condition = {0};
		uint32_t n;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		put_condition(&condition, seed);
		n = truth(file, buf_view(&condition), holds, TURNS_MAX);
		screened_open(&s, file, 24, 80);
		add(&s, "break", buf_view(&condition));
		assert_int_equal(s.script.app.breaks.set.list.n, 1);
		for (uint32_t t = 1; t <= n; t++)
			some += holds[t];
		walk(&s, holds, n);
		screened_close(&s);
		buf_free(&condition);
	}
	/* they are not all empty */
	assert_true(some > 1000);
}

/* Off is not stopped at, another text is, none is none. The session has a compress call before turn 10 alone. */
static void test_list(void **state)
{
	struct screened s;

	(void)state;
	screened_open(&s, "sample-sessions/plain.acps.jsonl", 24, 80);
	screened_press(&s, "c");
	assert_true(screened_has(&s, "None yet"));
	screened_press(&s, "q");
	add(&s, "break", STR("compress.applied > 0"));
	screened_press(&s, "c");
	assert_int_equal(screened_turn(&s), 10);
	screened_press(&s, "0b<Space>q");
	assert_false(s.script.app.breaks.set.list.v[0].enabled);
	screened_press(&s, "c");
	assert_true(screened_has(&s, "no breakpoint is on"));
	screened_press(&s, "<Space>eX<BS>");
	screened_type(&s, STR(" or turn = 4"));
	screened_press(&s, "<Enter>qc");
	assert_int_equal(screened_turn(&s), 4);
	screened_press(&s, "c");
	assert_int_equal(screened_turn(&s), 10);
	assert_int_equal(s.script.app.breaks.set.list.v[0].hits, 2);
	/* a list says its own keys; those of the panes do nothing in it */
	screened_press(&s, "b");
	assert_true(screened_has(&s, "x delete") && !screened_has(&s, ". , turn"));
	screened_press(&s, "xq");
	assert_true(screened_has(&s, ". , turn"));
	assert_int_equal(s.script.app.breaks.set.list.n, 0);
	assert_true(screened_turn(&s) == 10 && !s.script.quit);
	screened_close(&s);
}

/* A bad expression is not taken, and the caret stands above what is to blame. */
static void test_fault(void **state)
{
	struct screened s;
	struct buf b = {0};

	(void)state;
	screened_open(&s, "sample-sessions/plain.acps.jsonl", 24, 80);
	add(&s, "break", STR("turn > tokens.rav"));
	assert_true(s.script.app.ask.prompt.active);
	assert_true(screened_has(&s, "nearest: tokens.raw"));
	screen_text(&s.script, &b);
	/* row 22: "break where " has 12 columns, "turn > " 7 */
	struct str all = buf_view(&b);
	size_t at = 0;
	for (int row = 0; row < 22; row++)
		at = str_find(all, STR("\n"), at) + 1;
	assert_true(str_eq(str_cut(all, at, at + 21), STR("                   v ")));
	screened_press(&s, "<BS>w<Enter>");
	assert_int_equal(s.script.app.breaks.set.list.n, 1);
	assert_false(s.script.app.ask.prompt.active);
	buf_free(&b);
	screened_close(&s);
}

/* A watch stops where its value changes; a probe never does, and the bottom line has both. */
static void test_watch(void **state)
{
	struct screened s;

	(void)state;
	screened_open(&s, "sample-sessions/plain.acps.jsonl", 24, 80);
	add(&s, "watch", STR("blocks.active"));
	add(&s, "probe", STR("turn * 2"));
	screened_press(&s, "cj");
	assert_int_equal(screened_turn(&s), 10);
	assert_true(screened_has(&s, "blocks.active 1  turn * 2 20"));
	screened_press(&s, "c");
	assert_int_equal(screened_turn(&s), 10);
	screened_close(&s);
}

/* What was set is there again, hits and all; another session has nothing of it. */
static void test_memory(void **state)
{
	struct screened s;
	struct temp_file copy = {0};

	(void)state;
	temp_file_write(&copy,
			STR("{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"model\":\"m\","
			    "\"config\":{}}\n{\"type\":\"turn\"}\n{\"type\":\"turn\"}\n"));
	for (int pass = 0; pass < 3; pass++) {
		const struct breaks *set = &s.script.app.breaks.set;

		screened_open_remembering(&s, copy.path, 24, 80);
		if (pass == 0) {
			assert_int_equal(set->list.n, 0);
			add(&s, "break", STR("turn = 2"));
			add(&s, "probe", STR("\"\xe5\x86\x85\""));
			screened_press(&s, "c");
		} else {
			assert_int_equal(set->list.n, 2);
			assert_int_equal(set->list.v[0].hits, 1);
			assert_true(str_eq(set->list.v[1].text, STR("\"\xe5\x86\x85\"")));
		}
		app_memory_save(&s.script.app);
		screened_close(&s);
	}
	temp_file_remove(&copy);
}

/* A run over turns that need a frame each is a job: keys are heard, and stop it where it is. */
static void test_any_key(void **state)
{
	struct screened s;
	struct app *a = &s.script.app;

	(void)state;
	screened_open(&s, "sample-sessions/dsh-storm.jsonl", 24, 80);
	a->argument = STR("row(\"3\").tokens < 0");
	app_act(a, ACTION_BREAK, 0);
	app_act(a, ACTION_RUN, 0);
	assert_true(app_busy(a) && a->breaks.running);
	app_job_step(a, 1);
	assert_true(a->breaks.running);
	app_key(a, (struct key){.code = KEYS_ESCAPE});
	assert_false(a->breaks.running);
	assert_int_equal(a->now->frame.at.turn, 1);
	screened_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stops), cmocka_unit_test(test_list),   cmocka_unit_test(test_fault),
		cmocka_unit_test(test_watch), cmocka_unit_test(test_memory), cmocka_unit_test(test_any_key),
	};

	return !!cmocka_run_group_tests(tests, screened_set_up_home, screened_tear_down_home);
}
