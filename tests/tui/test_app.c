/*
 * tui/app: the state machine behind the screen, without a terminal.
 *
 * The session of most tests is tests/screens/steps.acps.jsonl: 5 turns; user
 * rows before turns 1 and 3; one compress call, applied, after turn 3.
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

#include "replay/events.h"
#include "tests/temp_file.h"
#include "tui/app_parts.h"
#include "tui/screen_script.h"

#define STEPS "tests/screens/steps.acps.jsonl"

static struct cli_request request_for(const char *file)
{
	return (struct cli_request){.file = file, .limit = (double)NAN};
}

static void open_with(struct screen_script *s, const struct cli_request *request)
{
	struct error e = {0};

	if (screen_open(s, request, 24, 80, false, &e) != STATUS_OK)
		fail_msg("%s", e.message);
}

static const struct cli_request steps_request = {.file = STEPS, .limit = (double)NAN};

static void open_steps(struct screen_script *s) { open_with(s, &steps_request); }

static void press(struct screen_script *s, const char *keys)
{
	struct error e = {0};

	if (screen_keys(s, str_of(keys), &e) != STATUS_OK)
		fail_msg("%s: %s", keys, e.message);
}

static void assert_at(const struct app *a, const char *want)
{
	struct buf got = {0};

	assert_true(a->now->has_frame);
	position_print(a->now->frame.at, &got);
	if (!str_eq(buf_view(&got), str_of(want)))
		fail_msg("at %s, wanted %s (%s)", got.p, want, a->message.p ? a->message.p : "");
	buf_free(&got);
}

static void assert_said(const struct app *a, const char *want)
{
	if (!a->message.n || !strstr(a->message.p, want))
		fail_msg("said '%s', wanted '%s'", a->message.n ? a->message.p : "", want);
}

/* ---- travel ---- */

/* Each row: keys pressed at the position before, and where they lead. */
static void travel(const char *const rows[][2], size_t n)
{
	struct screen_script s;

	open_steps(&s);
	for (size_t i = 0; i < n; i++) {
		press(&s, rows[i][0]);
		assert_at(&s.app, rows[i][1]);
	}
	screen_close(&s);
}
#define TRAVEL(...)                                                                                                    \
	do {                                                                                                           \
		static const char *const rows_[][2] = {__VA_ARGS__};                                                   \
		travel(rows_, sizeof rows_ / sizeof rows_[0]);                                                         \
	} while (0)

static void turns(void **state)
{
	(void)state;
	TRAVEL({"", "1"}, {".", "2"}, {"2.", "4"}, {",", "3"}, {"2,", "1"}, {",", "1"}, {"$", "5"}, {".", "5"},
	       {"0", "1"}, {"3g", "3"}, {"99g", "5"}, {"2g", "2"}, {"99.", "5"}, {"99,", "1"});
}

/* Nine nodes a turn; beyond the last node comes the first one of the next turn. */
static void nodes(void **state)
{
	(void)state;
	TRAVEL({"<", "1.emergency-truncate"}, {">", "1"}, {">", "2.assign-refs"}, {">", "2.sync-blocks"},
	       {">", "2.prune"}, {">", "2.filter"}, {">", "2.hide-compress-calls"}, {">", "2.recommend"},
	       {">", "2.nudge-inject"}, {">", "2.emergency-truncate"}, {">", "2"}, {"<", "2.emergency-truncate"},
	       {"9>", "3.emergency-truncate"}, {"18<", "1.emergency-truncate"}, {"99<", "1.assign-refs"},
	       {"<", "1.assign-refs"}, {"999>", "5"}, {">", "5"});
}

/* From inside a turn the turn keys go to whole turns. */
static void turns_from_inside(void **state)
{
	(void)state;
	TRAVEL({"3g<<", "3.nudge-inject"}, {".", "4"}, {"<<", "4.nudge-inject"}, {",", "3"});
}

static void stops(void **state)
{
	(void)state;
	TRAVEL({")", "3"}, {")", "3"}, {"(", "1"}, {"(", "1"}, {"}", "4"}, {"}", "4"}, {"{", "4"}, {"5g{", "4"},
	       {"2g}", "4"});
}

static void ends_are_said(void **state)
{
	struct screen_script s;

	(void)state;
	open_steps(&s);
	press(&s, ",");
	assert_said(&s.app, "at the first turn");
	press(&s, "$.");
	assert_said(&s.app, "at the last turn");
	press(&s, "17g");
	assert_said(&s.app, "there is no turn 17, the last one is 5");
	press(&s, ")");
	assert_said(&s.app, "no user turn after this turn");
	press(&s, "0{");
	assert_said(&s.app, "no compression before this turn");
	press(&s, "9}");
	assert_said(&s.app, "no further compression after this turn");
	/* the next key takes the message away */
	press(&s, ".");
	assert_int_equal(s.app.message.n, 0);
	screen_close(&s);
}

static void where_to_start(void **state)
{
	static const struct {
		const char *turn;
		bool end;
		const char *at, *said;
	} rows[] = {
		{NULL, false, "1", NULL},
		{"4", false, "4", NULL},
		{"2.prune", false, "2.prune", NULL},
		{NULL, true, "5", NULL},
		{"$", false, "5", NULL},
		{"3+2", false, "3+2", NULL},
		{"0", false, "0", NULL},
		{"17", false, "5", "there is no turn 17"},
		{"nonsense", false, "5", "position"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct screen_script s;
		struct cli_request request = request_for(STEPS);

		request.turn = rows[i].turn;
		request.end = rows[i].end;
		open_with(&s, &request);
		assert_at(&s.app, rows[i].at);
		if (rows[i].said)
			assert_said(&s.app, rows[i].said);
		screen_close(&s);
	}
}

/* Between two turns there are places, too; from there back leads to the turn before, on to the next. */
static void between_turns(void **state)
{
	(void)state;
	TRAVEL({":3+2<Enter>", "3+2"}, {",", "3"}, {":3+2<Enter>", "3+2"}, {".", "4"}, {":3+2<Enter>", "3+2"},
	       {"<", "3"}, {":3+2<Enter>", "3+2"}, {">", "4.assign-refs"});
}

/* ---- prompt, help, panes ---- */

static void the_prompt(void **state)
{
	struct screen_script s;

	(void)state;
	open_steps(&s);
	press(&s, ":4<Enter>");
	assert_at(&s.app, "4");
	press(&s, ":4.prune<Enter>");
	assert_at(&s.app, "4.prune");
	press(&s, ":4.3<Enter>:$<Enter>");
	assert_at(&s.app, "5");
	press(&s, ":9<Enter>");
	assert_said(&s.app, "there is no turn 9");
	press(&s, ":2.prine<Enter>");
	assert_said(&s.app, "nearest: prune");
	assert_at(&s.app, "5");
	press(&s, ":nudge<Enter>");
	assert_int_equal(s.app.focus, PANE_NUDGE);
	press(&s, ":rows<Enter>");
	assert_int_equal(s.app.focus, PANE_ROWS);
	press(&s, ":rwos<Enter>");
	assert_said(&s.app, "nearest: rows");
	press(&s, ":prefix<Enter>");
	assert_int_equal(s.app.focus, PANE_PREFIX);
	press(&s, ":rows<Enter>");
	/* every action has a name */
	press(&s, ":first-turn<Enter>");
	assert_at(&s.app, "1");
	press(&s, ":<Enter>:<Esc>:<BS>");
	assert_false(s.app.prompt.active);
	assert_at(&s.app, "1");
	assert_false(s.quit);
	press(&s, ":q<Enter>");
	assert_true(s.quit);
	screen_close(&s);
}

static void typing(void **state)
{
	struct screen_script s;
	static const struct {
		const char *keys, *text;
		size_t cursor;
	} rows[] = {
		{":abc", "abc", 3},
		{"<BS>", "ab", 2},
		{"<Left>x", "axb", 2},
		{"<Home><Del>", "xb", 0},
		{"^E<Space>word", "xb word", 7},
		{"^W", "xb ", 3},
		{"^U", "", 0},
		{"\u4F60\u597D", "\u4F60\u597D", 6},
		{"<Left><BS>", "\u597D", 0},
		{"<Right><Right>!", "\u597D!", 4},
		/* no keys of the screen work while something is typed */
		{".?q", "\u597D!.?q", 7},
		{"<Esc>:<Up>", "", 0},
		/* what was entered comes back; what was cancelled does not */
		{"2<Enter>:3<Enter>:<Up>", "3", 1},
		{"<Up>", "2", 1},
		{"<Up>", "2", 1},
		{"<Down>", "3", 1},
		{"<Down>", "", 0},
	};

	(void)state;
	open_steps(&s);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		press(&s, rows[i].keys);
		assert_true(s.app.prompt.active);
		if (!str_eq(buf_view(&s.app.prompt.text), str_of(rows[i].text)))
			fail_msg("%s: '%s'", rows[i].keys, s.app.prompt.text.p);
		assert_int_equal(s.app.prompt.cursor, rows[i].cursor);
	}
	screen_close(&s);
}

/* Whatever can be seen is explained in the help of any pane: the signs of the strip, ^C. */
static void help_explains(void **state)
{
	static const char *const words[] = {"The strip under the panes",
					    "what a full bar stands for",
					    "^C",
					    "The top line",
					    "how far this replay is",
					    "refs, r",
					    "outcomes, o",
					    "counts, c",
					    "prompts, p"};
	struct screen_script s;

	(void)state;
	open_steps(&s);
	press(&s, "?");
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_find(buf_view(&s.app.help.text), str_of(words[i]), 0) == SIZE_MAX)
			fail_msg("the help does not say: %s", words[i]);
	assert_true(str_find(buf_view(&s.app.help.text), STR("not built yet"), 0) == SIZE_MAX);
	/* every sign that a strip of this session has */
	const char *sign;
	for (size_t i = 0; strip_legend(i, false, &sign) != NULL; i++)
		assert_true(!sign || str_find(buf_view(&s.app.help.text), str_of(sign), 0) != SIZE_MAX);
	screen_close(&s);
}

static void quitting(void **state)
{
	struct screen_script s;

	(void)state;
	open_steps(&s);
	press(&s, "?q");
	assert_false(s.quit);
	assert_false(s.app.helping);
	press(&s, "<Enter>");
	assert_true(s.app.panes[PANE_ROWS].open);
	press(&s, "?q");
	assert_true(s.app.panes[PANE_ROWS].open);
	press(&s, "q");
	assert_false(s.app.panes[PANE_ROWS].open);
	/* Escape gets out of things, never out of the program */
	press(&s, "<Esc>");
	assert_false(s.quit);
	press(&s, "q");
	assert_true(s.quit);
	screen_close(&s);

	open_steps(&s);
	press(&s, "?Q");
	assert_true(s.quit);
	screen_close(&s);
}

static void focus(void **state)
{
	struct screen_script s;

	(void)state;
	open_steps(&s);
	assert_int_equal(s.app.focus, PANE_ROWS);
	/* every pane in the order of the function keys, and round */
	static const enum pane_id order[] = {PANE_RANGES, PANE_BLOCKS,  PANE_DENSITY, PANE_PREFIX,  PANE_NUDGE,
					     PANE_EVENTS, PANE_REQUEST, PANE_STATUS,  PANE_CHANGES, PANE_ROWS};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		press(&s, "<Tab>");
		assert_int_equal(s.app.focus, order[i]);
	}
	press(&s, "<S-Tab>");
	assert_int_equal(s.app.focus, PANE_CHANGES);
	press(&s, "<F9>");
	assert_int_equal(s.app.focus, PANE_STATUS);
	press(&s, "d");
	assert_int_equal(s.app.focus, PANE_CHANGES);
	press(&s, "<F1>");
	assert_int_equal(s.app.focus, PANE_ROWS);
	press(&s, "<F6>");
	assert_int_equal(s.app.focus, PANE_NUDGE);
	press(&s, "<F4>");
	assert_int_equal(s.app.focus, PANE_DENSITY);
	press(&s, "<F5>");
	assert_int_equal(s.app.focus, PANE_PREFIX);
	screen_close(&s);
}

static void counts(void **state)
{
	struct screen_script s;

	(void)state;
	open_steps(&s);
	press(&s, "3");
	assert_int_equal(s.app.count, 3);
	/* a count that is cancelled is gone, and nothing else happens */
	press(&s, "<Esc>.");
	assert_at(&s.app, "2");
	/* 0 after a digit is a digit */
	press(&s, "10.");
	assert_at(&s.app, "5");
	press(&s, "0");
	assert_at(&s.app, "1");
	/* absurd counts are counts */
	press(&s, "99999999999999999999.");
	assert_at(&s.app, "5");
	press(&s, "99999999999999999999<");
	assert_at(&s.app, "1.assign-refs");
	press(&s, "$99999999999999999999k");
	assert_int_equal(s.app.panes[PANE_ROWS].at, 0);
	screen_close(&s);
}

/* At 80x24: title of Rows in row 1, caption, rows from row 3 on; title of Nudge below the last of them; the strip in
 * rows 20..22. */
static void the_mouse(void **state)
{
	struct screen_script s;
	const struct pane *rows = &s.app.panes[PANE_ROWS];
	struct view_context c;

	(void)state;
	open_steps(&s);
	press(&s, "3g<Click 4,30>");
	assert_int_equal(rows->at, 1);
	/* five rows at turn 3 */
	press(&s, "<Click 8,5>");
	assert_int_equal(s.app.focus, PANE_NUDGE);
	assert_int_equal(rows->at, 1);
	press(&s, "<Click 7,0>");
	assert_int_equal(s.app.focus, PANE_ROWS);
	assert_int_equal(rows->at, 4);
	/* below the last row, where there is room: focus only */
	press(&s, "+<Click 12,0>");
	assert_int_equal(s.app.focus, PANE_ROWS);
	assert_int_equal(rows->at, 4);
	press(&s, "_");
	/* the wheel scrolls what is under it, whatever has the focus */
	press(&s, "<WheelDown 17,3>");
	assert_int_equal(s.app.focus, PANE_ROWS);
	assert_int_equal(s.app.panes[PANE_NUDGE].top, 3);
	press(&s, "<WheelUp 17,3><WheelUp 17,3>");
	assert_int_equal(s.app.panes[PANE_NUDGE].top, 0);
	/* every column of the strip that stands for a turn leads there; its labels lead nowhere */
	c = app_context(&s.app, PANE_ROWS);
	c.width = 80;
	for (int col = 0, seen = 0; col < 80; col++) {
		uint32_t turn = strip_turn_at(&c, col), before = s.app.now->frame.at.turn;
		struct key click = {KEYS_CLICK, 21, col};

		screen_key(&s, click);
		assert_int_equal(s.app.now->frame.at.turn, turn > 0 ? turn : before);
		seen += turn == 4;
		assert_true(col < 79 || seen > 0);
	}
	/* nothing there */
	press(&s, "<Click 23,0><Click 0,0><Click 99,99><WheelUp 99,99>");
	assert_false(s.quit);
	screen_close(&s);
}

static void unknown_keys_are_said(void **state)
{
	struct screen_script s;

	(void)state;
	open_steps(&s);
	press(&s, "z");
	assert_said(&s.app, "no such key: z");
	press(&s, "<F11>");
	assert_said(&s.app, "no such key: <F11>");
	assert_at(&s.app, "1");
	screen_close(&s);
}

/* A row keeps the selection while the position changes, by what it is. */
static void selection_over_turns(void **state)
{
	struct screen_script s;
	const struct pane *p = &s.app.panes[PANE_ROWS];
	uint64_t third;

	(void)state;
	open_steps(&s);
	press(&s, "3gkk"); /* rows m00001..m00005: the third from the start */
	assert_int_equal(p->at, 2);
	third = p->key;
	press(&s, ",");
	assert_int_equal(p->key, third);
	assert_int_equal(p->at, 2);
	/* prune takes it away at turn 4; before that it is there, at another line of the list with the rows of turn 4
	 */
	press(&s, ":4.prune<Enter>");
	assert_int_not_equal(p->key, third);
	press(&s, "3g");
	assert_int_equal(p->key, third);
	screen_close(&s);
}

/* ---- jobs ---- */

/* Every key works while the file loads and while the first pass runs; what is there already is shown. */
static void keys_while_loading(void **state)
{
	struct app a;
	struct grid g = {0};
	struct cli_request request = request_for(STEPS);
	struct error e = {0};
	const char *const keys = "?q:3\r";
	size_t steps = 0;

	(void)state;
	assert_int_equal(app_open(&a, &request, false, &e), STATUS_OK);
	app_resize(&a, 24, 80);
	assert_true(app_busy(&a));
	app_draw(&a, &g);
	for (const char *k = keys; *k; k++)
		assert_false(app_key(&a, (struct key){.code = (uint32_t)*k}) & APP_QUIT);
	assert_said(&a, "nothing is loaded yet");
	app_key(&a, (struct key){.code = '.'});
	assert_said(&a, "nothing is loaded yet");
	while (app_busy(&a)) {
		app_job_step(&a, 1);
		app_draw_bars(&a, &g);
		if (a.now->has_frame && a.now->phase == APP_PASSING) {
			uint32_t n = (uint32_t)a.now->run.timeline.turns.n;

			app_key(&a, (struct key){.code = '$'});
			assert_int_equal(a.now->frame.at.turn, n);
			app_draw(&a, &g);
			app_key(&a, (struct key){.code = '0'});
			assert_at(&a, "1");
		}
		steps++;
	}
	assert_true(steps > 5);
	assert_int_equal(a.now->phase, APP_READY);
	assert_int_equal(a.now->run.timeline.turns.n, 5);
	app_free(&a);
	grid_free(&g);
}

static void quitting_while_loading(void **state)
{
	struct cli_request request = request_for(STEPS);
	struct error e = {0};
	size_t stop = 0;
	bool more = true;

	(void)state;
	/* after 0, 1, 2, .. pieces of work */
	for (; more; stop++) {
		struct app a;

		assert_int_equal(app_open(&a, &request, false, &e), STATUS_OK);
		app_resize(&a, 24, 80);
		for (size_t i = 0; i < stop; i++)
			app_job_step(&a, 1);
		more = app_busy(&a);
		assert_true(app_key(&a, (struct key){.code = 'q'}) & APP_QUIT);
		app_free(&a);
	}
	assert_true(stop > 5);
}

/* In pieces or in one go, with keys between or without: the same screen. */
static void pieces_do_not_matter(void **state)
{
	struct screen_script s;
	struct app a;
	struct grid g = {0};
	struct buf whole = {0}, pieces = {0};
	struct cli_request request = request_for("sample-sessions/tiers.acps.jsonl");
	struct error e = {0};
	size_t i = 0;

	(void)state;
	open_with(&s, &request);
	press(&s, "$");
	screen_dump(&s, &whole);
	screen_close(&s);

	assert_int_equal(app_open(&a, &request, false, &e), STATUS_OK);
	app_resize(&a, 24, 80);
	while (app_busy(&a)) {
		app_job_step(&a, 7);
		if (i++ % 5 == 0)
			app_key(&a, (struct key){.code = (uint32_t)(i % 3 ? '$' : '<')});
	}
	app_key(&a, (struct key){.code = '$'});
	app_draw(&a, &g);
	grid_dump(&g, &pieces);
	assert_string_equal(pieces.p, whole.p);
	app_free(&a);
	grid_free(&g);
	buf_free(&whole);
	buf_free(&pieces);
}

static void files_that_cannot_be_opened(void **state)
{
	struct screen_script s;
	struct error e = {0};
	struct cli_request request = request_for("tests/screens/no-such-file");
	char path[] = "/tmp/test-app-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(screen_open(&s, &request, 24, 80, false, &e), STATUS_NO_INPUT);
	assert_true(fd >= 0);
	request.file = path;
	/* a member of the wrong type is found when the run starts, after loading */
	static const char text[] =
		"{\"type\":\"session\",\"version\":1,\"id\":\"x\",\"host\":\"other\",\"model\":\"m\","
		"\"config\":{\"preserveRecentMessages\":\"five\"}}\n";
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	e = (struct error){0};
	assert_int_equal(screen_open(&s, &request, 24, 80, false, &e), STATUS_DATA);
	assert_non_null(strstr(e.message, "preserveRecentMessages"));
	close(fd);
	unlink(path);
}

static void a_session_without_turns(void **state)
{
	struct screen_script s;
	char path[] = "/tmp/test-app-XXXXXX";
	int fd = mkstemp(path);
	struct cli_request request = request_for(path);
	static const char text[] =
		"{\"type\":\"session\",\"version\":1,\"id\":\"x\",\"host\":\"other\",\"model\":\"m\"}\n"
		"{\"type\":\"message\",\"id\":\"r1\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"hello\"}\n";

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	close(fd);
	open_with(&s, &request);
	assert_said(&s.app, "no turn");
	assert_at(&s.app, "0");
	press(&s, ".");
	press(&s, ",><()[]{}$03g");
	assert_at(&s.app, "0");
	press(&s, "jkG<Enter>q<Tab>jk^D^U<Enter>?q");
	screen_close(&s);
	unlink(path);
}

/* ---- what the host stored ---- */

/* The sample whose refs drift, in a file of its own; beside it what `sidecar` says (NULL = nothing). */
static void copy_sample(struct temp_file *f, struct temp_file *beside, const char *sidecar)
{
	struct buf text = {0};
	char chunk[4096];
	size_t n;
	FILE *file = fopen("sample-sessions/refs-drift.jsonl", "rb");

	assert_non_null(file);
	while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
		buf_bytes(&text, chunk, n);
	fclose(file);
	temp_file_write(f, buf_view(&text));
	buf_free(&text);
	if (!sidecar)
		return;
	assert_true(snprintf(beside->path, sizeof beside->path, "%s.acp.json", f->path) < (int)sizeof beside->path);
	file = fopen(beside->path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(sidecar, 1, strlen(sidecar), file), strlen(sidecar));
	assert_int_equal(fclose(file), 0);
}

static size_t count_events(struct screen_script *s, enum event_kind kind)
{
	app_freshen(&s->app);
	return events_of(&s->app.now->frame)->of_kind[kind];
}

/* --state is compared with as a sidecar is, and counts instead of the one beside the file. */
static void a_state_that_was_named(void **state)
{
	struct temp_file f, beside;
	struct screen_script s;
	/* the first id has another ref, and it is the only one that both know */
	static const char other[] = "{\"blocks\":[],\"messageRefs\":{\"byRaw\":{\"5a000002\":\"m00009\"},"
				    "\"byRef\":{\"m00009\":\"5a000002\"}},\"nextBlockId\":1,\"nextRunId\":1}";

	(void)state;
	copy_sample(&f, &beside, other);
	struct cli_request request = request_for(f.path);
	open_with(&s, &request);
	assert_said(&s.app, "1 of 1 refs are not those of the sidecar");
	assert_int_equal(s.app.now->checks.fidelity.refs, 1);
	assert_int_equal(s.app.now->checks.fidelity.refs_agree, 0);
	assert_int_equal(count_events(&s, EVENT_DRIFT), 1);
	screen_close(&s);

	request.state = "sample-sessions/refs-drift.jsonl.acp.json";
	open_with(&s, &request);
	assert_said(&s.app, "4 of 9 refs");
	assert_int_equal(s.app.now->checks.fidelity.refs, 9);
	assert_int_equal(s.app.now->checks.fidelity.refs_agree, 5);
	/* the comparison went to the end; the position is where it was, and the rows are those of it */
	assert_at(&s.app, "1");
	app_freshen(&s.app);
	assert_int_equal(s.app.now->frame.surface_rows, 1);
	screen_close(&s);
	temp_file_remove(&beside);
	temp_file_remove(&f);
}

/* One that lies there and cannot be read is told; one that was named ends it. */
static void a_state_that_cannot_be_read(void **state)
{
	struct temp_file f, beside;
	struct screen_script s;
	struct error e = {0};

	(void)state;
	copy_sample(&f, &beside, "{\"blocks\":");
	struct cli_request request = request_for(f.path);
	open_with(&s, &request);
	assert_said(&s.app, ".acp.json");
	assert_int_equal(count_events(&s, EVENT_SIDECAR), 1);
	assert_int_equal(count_events(&s, EVENT_DRIFT), 0);
	assert_int_equal(s.app.now->checks.fidelity.refs, 0);
	/* it can be opened */
	press(&s, "<F7>G<Enter>jjj");
	screen_close(&s);

	request.state = beside.path;
	assert_int_equal(screen_open(&s, &request, 24, 80, false, &e), STATUS_DATA);
	assert_non_null(strstr(e.file, ".acp.json"));
	request.state = "tests/screens/no-such-file";
	assert_int_equal(screen_open(&s, &request, 24, 80, false, &e), STATUS_NO_INPUT);
	temp_file_remove(&beside);
	temp_file_remove(&f);
}

/* Keys between the comparisons: whatever they show is right, though each takes the run to its end. */
static void keys_while_comparing(void **state)
{
	struct cli_request request = request_for("sample-sessions/refs-drift.jsonl");
	struct error e = {0};
	struct app a;
	struct grid g = {0};
	size_t compared = 0;

	(void)state;
	assert_int_equal(app_open(&a, &request, false, &e), STATUS_OK);
	app_resize(&a, 24, 80);
	while (app_busy(&a)) {
		app_job_step(&a, 1 << 20);
		if (a.now->phase != APP_CHECKING)
			continue;
		compared++;
		app_draw_bars(&a, &g);
		app_key(&a, (struct key){.code = '$'});
		assert_at(&a, "5");
		/* rows of turn 5: those of the file but the answer to it */
		assert_int_equal(a.now->frame.surface_rows, 9);
		app_key(&a, (struct key){.code = '.'});
		assert_said(&a, "at the last turn");
		app_key(&a, (struct key){.code = '0'});
		assert_int_equal(a.now->frame.surface_rows, 1);
		app_draw(&a, &g);
	}
	assert_true(compared > 1);
	assert_int_equal(a.now->phase, APP_READY);
	assert_int_equal(a.now->checks.drift.refs_different, 4);
	app_free(&a);
	grid_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns),
		cmocka_unit_test(nodes),
		cmocka_unit_test(turns_from_inside),
		cmocka_unit_test(stops),
		cmocka_unit_test(ends_are_said),
		cmocka_unit_test(where_to_start),
		cmocka_unit_test(between_turns),
		cmocka_unit_test(the_prompt),
		cmocka_unit_test(typing),
		cmocka_unit_test(help_explains),
		cmocka_unit_test(quitting),
		cmocka_unit_test(focus),
		cmocka_unit_test(counts),
		cmocka_unit_test(the_mouse),
		cmocka_unit_test(unknown_keys_are_said),
		cmocka_unit_test(selection_over_turns),
		cmocka_unit_test(keys_while_loading),
		cmocka_unit_test(quitting_while_loading),
		cmocka_unit_test(pieces_do_not_matter),
		cmocka_unit_test(files_that_cannot_be_opened),
		cmocka_unit_test(a_session_without_turns),
		cmocka_unit_test(a_state_that_was_named),
		cmocka_unit_test(a_state_that_cannot_be_read),
		cmocka_unit_test(keys_while_comparing),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
