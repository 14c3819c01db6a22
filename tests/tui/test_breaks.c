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
#include <unistd.h>

#include "tests/temp_file.h"
#include "tui/app_parts.h"
#include "tui/screen_script.h"

static struct cli_request request;

static void open_screen(struct screen_script *s, const char *file)
{
	struct error e = {0};

	request = (struct cli_request){.file = file, .limit = (double)NAN};
	if (screen_open(s, &request, 24, 80, false, &e) != STATUS_OK)
		fail_msg("%s: %s", file, e.message);
}

static void press(struct screen_script *s, const char *keys)
{
	struct error e = {0};

	if (screen_keys(s, str_of(keys), &e) != STATUS_OK)
		fail_msg("%s: %s", keys, e.message);
}

static uint32_t turn_of(const struct screen_script *s) { return s->app.now->frame.at.turn; }

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

/* A key a character: blanks are keys here. */
static void type(struct screen_script *s, struct str text)
{
	for (size_t i = 0; i < text.n;) {
		struct key k = {0};

		i += text_decode(text, i, &k.code);
		screen_key(s, k);
	}
}

static void add(struct screen_script *s, const char *command, struct str text)
{
	press(s, ":");
	type(s, str_of(command));
	type(s, STR(" "));
	type(s, text);
	press(s, "<Enter>");
}

/* From every turn: c to the next that holds, C to the one before, and every stop is a hit. */
static void walk(struct screen_script *s, const bool *holds, uint32_t n)
{
	uint32_t at, hits = 0;

	press(s, "0");
	for (at = 1; at < n;) {
		uint32_t next = at + 1;

		while (next <= n && !holds[next])
			next++;
		press(s, "c");
		if (next > n)
			break;
		hits++;
		at = next;
		assert_int_equal(turn_of(s), at);
	}
	assert_int_equal(turn_of(s), at);
	for (;;) {
		uint32_t before = at - 1;

		while (before >= 1 && !holds[before])
			before--;
		press(s, "C");
		if (before < 1)
			break;
		hits++;
		at = before;
		assert_int_equal(turn_of(s), at);
	}
	assert_int_equal(turn_of(s), at);
	assert_int_equal(s->app.breaks.set.list.v[0].hits, hits);
}

static void test_stops(void **state)
{
	static bool holds[TURNS_MAX + 1];
	uint64_t seed = 88172645463325252u;
	size_t some = 0;

	(void)state;
	for (int k = 0; k < 200; k++) {
		const char *file = files[(size_t)k % FILES];
		struct screen_script s;
		struct buf condition = {0};
		uint32_t n;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		put_condition(&condition, seed);
		n = truth(file, buf_view(&condition), holds, TURNS_MAX);
		open_screen(&s, file);
		add(&s, "break", buf_view(&condition));
		assert_int_equal(s.app.breaks.set.list.n, 1);
		for (uint32_t t = 1; t <= n; t++)
			some += holds[t];
		walk(&s, holds, n);
		screen_close(&s);
		buf_free(&condition);
	}
	/* they are not all empty */
	assert_true(some > 1000);
}

static bool shows(struct screen_script *s, const char *text)
{
	struct buf b = {0};

	screen_text(s, &b);
	bool has = str_find(buf_view(&b), str_of(text), 0) != SIZE_MAX;
	buf_free(&b);
	return has;
}

/* Off is not stopped at, another text is, none is none. The session has a compress call before turn 10 alone. */
static void test_list(void **state)
{
	struct screen_script s;

	(void)state;
	open_screen(&s, "sample-sessions/plain.acps.jsonl");
	press(&s, "c");
	assert_true(shows(&s, "None yet"));
	press(&s, "q");
	add(&s, "break", STR("compress.applied > 0"));
	press(&s, "c");
	assert_int_equal(turn_of(&s), 10);
	press(&s, "0b<Space>q");
	assert_false(s.app.breaks.set.list.v[0].enabled);
	press(&s, "c");
	assert_true(shows(&s, "no breakpoint is on"));
	press(&s, "<Space>eX<BS>");
	type(&s, STR(" or turn = 4"));
	press(&s, "<Enter>qc");
	assert_int_equal(turn_of(&s), 4);
	press(&s, "c");
	assert_int_equal(turn_of(&s), 10);
	assert_int_equal(s.app.breaks.set.list.v[0].hits, 2);
	press(&s, "bxq");
	assert_int_equal(s.app.breaks.set.list.n, 0);
	assert_true(turn_of(&s) == 10 && !s.quit);
	screen_close(&s);
}

/* A bad expression is not taken, and the caret stands above what is to blame. */
static void test_fault(void **state)
{
	struct screen_script s;
	struct buf b = {0};

	(void)state;
	open_screen(&s, "sample-sessions/plain.acps.jsonl");
	add(&s, "break", STR("turn > tokens.rav"));
	assert_true(s.app.ask.prompt.active);
	assert_true(shows(&s, "nearest: tokens.raw"));
	screen_text(&s, &b);
	/* row 22: "break where " has 12 columns, "turn > " 7 */
	struct str all = buf_view(&b);
	size_t at = 0;
	for (int row = 0; row < 22; row++)
		at = str_find(all, STR("\n"), at) + 1;
	assert_true(str_eq(str_cut(all, at, at + 21), STR("                   v ")));
	press(&s, "<BS>w<Enter>");
	assert_int_equal(s.app.breaks.set.list.n, 1);
	assert_false(s.app.ask.prompt.active);
	buf_free(&b);
	screen_close(&s);
}

/* A watch stops where its value changes; a probe never does, and the bottom line has both. */
static void test_watch(void **state)
{
	struct screen_script s;

	(void)state;
	open_screen(&s, "sample-sessions/plain.acps.jsonl");
	add(&s, "watch", STR("blocks.active"));
	add(&s, "probe", STR("turn * 2"));
	press(&s, "cj");
	assert_int_equal(turn_of(&s), 10);
	assert_true(shows(&s, "blocks.active 1  turn * 2 20"));
	press(&s, "c");
	assert_int_equal(turn_of(&s), 10);
	screen_close(&s);
}

/* What was set is there again, hits and all; another session has nothing of it. */
static void test_memory(void **state)
{
	struct screen_script s;
	struct temp_file copy = {0};
	struct error e = {0};
	char home[] = "/tmp/acpdbg-test-XXXXXX", command[100];

	(void)state;
	assert_non_null(mkdtemp(home));
	setenv("XDG_STATE_HOME", home, 1);
	temp_file_write(&copy,
			STR("{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"model\":\"m\","
			    "\"config\":{}}\n{\"type\":\"turn\"}\n{\"type\":\"turn\"}\n"));
	for (int pass = 0; pass < 3; pass++) {
		request = (struct cli_request){.file = copy.path, .limit = (double)NAN};
		s = (struct screen_script){0};
		assert_int_equal(app_open(&s.app, &request, false, &e), STATUS_OK);
		s.app.remembers = true;
		app_resize(&s.app, 24, 80);
		while (app_busy(&s.app))
			app_job_step(&s.app, 1 << 20);
		if (pass == 0) {
			assert_int_equal(s.app.breaks.set.list.n, 0);
			add(&s, "break", STR("turn = 2"));
			add(&s, "probe", STR("\"\xe5\x86\x85\""));
			press(&s, "c");
		} else {
			assert_int_equal(s.app.breaks.set.list.n, 2);
			assert_int_equal(s.app.breaks.set.list.v[0].hits, 1);
			assert_true(str_eq(s.app.breaks.set.list.v[1].text, STR("\"\xe5\x86\x85\"")));
		}
		app_memory_save(&s.app);
		screen_close(&s);
	}
	snprintf(command, sizeof command, "rm -rf '%s'", home);
	assert_int_equal(system(command), 0);
	temp_file_remove(&copy);
}

/* A run over turns that need a frame each is a job: keys are heard, and stop it where it is. */
static void test_any_key(void **state)
{
	struct app a;
	struct error e = {0};

	(void)state;
	request = (struct cli_request){.file = "sample-sessions/dsh-storm.jsonl", .limit = (double)NAN};
	assert_int_equal(app_open(&a, &request, false, &e), STATUS_OK);
	app_resize(&a, 24, 80);
	while (app_busy(&a))
		app_job_step(&a, 1 << 20);
	a.argument = STR("row(\"3\").tokens < 0");
	app_act(&a, ACTION_BREAK, 0);
	app_act(&a, ACTION_RUN, 0);
	assert_true(app_busy(&a) && a.breaks.running);
	app_job_step(&a, 1);
	assert_true(a.breaks.running);
	app_key(&a, (struct key){.code = KEYS_ESCAPE});
	assert_false(a.breaks.running);
	assert_int_equal(a.now->frame.at.turn, 1);
	app_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stops), cmocka_unit_test(test_list),   cmocka_unit_test(test_fault),
		cmocka_unit_test(test_watch), cmocka_unit_test(test_memory), cmocka_unit_test(test_any_key),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
