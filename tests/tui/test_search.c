/*
 * Search and filter on the screen's state machine: what is not in sight is
 * found, what blows up is counted, and no key waits for either.
 *
 * The session: one turn over ROWS messages "row 0", "row 1", .. (m00001 is
 * "row 0"), but for those that the tests are about.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <time.h>

#include "tests/temp_file.h"
#include "tui/app_parts.h"
#include "tui/screen_script.h"

enum {
	ROWS = 3000,
	DEEP = 1000,         /* "needle" behind DEEP_BYTES of other text */
	DEEP_BYTES = 300000, /* more than a line, a piece or a preview has */
	BAD = 2000,
	BADDER = 2500, /* many times "a", and no end that (a+)+$ could take */
	BAD_BYTES = 50000,
};

static struct temp_file session;

static void put_row(struct buf *b, int i)
{
	buf_printf(b, "{\"type\":\"message\",\"id\":\"r%d\",\"role\":\"%s\",\"contentType\":\"text\",\"text\":\"", i,
		   i % 2 ? "assistant" : "user");
	if (i == DEEP) {
		for (int k = 0; k < DEEP_BYTES / 10; k++)
			buf_text(b, "some text.");
		buf_text(b, "needle");
	} else if (i == BAD || i == BADDER) {
		for (int k = 0; k < BAD_BYTES; k++)
			buf_char(b, 'a');
		buf_char(b, '!');
	} else {
		buf_printf(b, "row %d", i);
	}
	buf_text(b, "\"}\n");
}

static int write_session(void **state)
{
	struct buf b = {0};

	(void)state;
	buf_text(&b, "{\"type\":\"session\",\"version\":1,\"id\":\"many\",\"host\":\"other\",\"model\":\"example\","
		     "\"contextLimit\":10000000,\"config\":{},\"systemTokens\":0}\n");
	for (int i = 0; i < ROWS; i++)
		put_row(&b, i);
	buf_text(&b, "{\"type\":\"turn\",\"tokenCount\":100}\n");
	temp_file_write(&session, buf_view(&b));
	buf_free(&b);
	return 0;
}

static int remove_session(void **state)
{
	(void)state;
	temp_file_remove(&session);
	return 0;
}

static struct cli_request request;

static void open_session(struct screen_script *s)
{
	struct error e = {0};

	request = (struct cli_request){.file = session.path, .limit = (double)NAN};
	if (screen_open(s, &request, 24, 80, false, &e) != STATUS_OK)
		fail_msg("%s", e.message);
	assert_int_equal(s->app.now->frame.surface_rows, ROWS);
}

static void press(struct screen_script *s, const char *keys)
{
	struct error e = {0};

	if (screen_keys(s, str_of(keys), &e) != STATUS_OK)
		fail_msg("%s: %s", keys, e.message);
}

/* Keys without the jobs after them. */
static void only_keys(struct app *a, const char *keys)
{
	struct key_list list = {0};

	assert_int_equal(key_script(str_of(keys), &list, NULL), STATUS_OK);
	for (size_t i = 0; i < list.keys.n; i++)
		app_key(a, list.keys.v[i]);
	key_list_free(&list);
}

static void assert_said(const struct app *a, const char *want)
{
	if (!a->message.n || !strstr(a->message.p, want))
		fail_msg("said '%s', wanted '%s'", a->message.n ? a->message.p : "", want);
}

static void whole_texts_are_searched(void **state)
{
	struct screen_script s;

	(void)state;
	open_session(&s);
	press(&s, "gg/needle<Enter>");
	assert_int_equal(s.app.panes[PANE_ROWS].at, DEEP);
	/* the only one: the next is the same */
	press(&s, "n");
	assert_int_equal(s.app.panes[PANE_ROWS].at, DEEP);
	assert_said(&s.app, "from the start again");
	press(&s, "N");
	assert_int_equal(s.app.panes[PANE_ROWS].at, DEEP);
	assert_said(&s.app, "from the end again");
	screen_close(&s);
}

static void what_blows_up_is_counted(void **state)
{
	struct screen_script s;
	struct buf shown = {0};

	(void)state;
	open_session(&s);
	press(&s, "gg/(a+)+$");
	/* "some text." has no such end, so two rows are given up and no other has it */
	screen_text(&s, &shown);
	assert_non_null(strstr(shown.p, "gave up on 2 rows"));
	press(&s, "<Enter>");
	assert_said(&s.app, "nothing in Rows has (a+)+$; gave up on 2 rows");
	buf_free(&shown);
	/* a filter says so in its title */
	press(&s, "&(a+)+$<Enter>");
	screen_text(&s, &shown);
	assert_non_null(strstr(shown.p, "Rows & (a+)+$ (gave up on 2)"));
	buf_free(&shown);
	screen_close(&s);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* No key and no piece of work takes long; any key ends the search where it is, and does what it always does. */
static void any_key_stops_it(void **state)
{
	struct screen_script s;
	struct app *a = &s.app;
	double longest = 0;
	size_t steps = 0;

	(void)state;
	open_session(&s);
	press(&s, "gg");
	only_keys(a, "/(a+)+$<Enter>");
	assert_true(a->search.running && app_busy(a));
	for (; steps < 3 && app_busy(a); steps++)
		app_job_step(a, 1 << 14);
	assert_true(a->search.running);
	app_draw(a, &s.grid);
	struct buf shown = {0};
	grid_text(&s.grid, &shown);
	assert_non_null(strstr(shown.p, "searching Rows"));
	buf_free(&shown);
	/* a key that does something else */
	only_keys(a, "j");
	assert_false(a->search.running);
	assert_int_equal(a->panes[PANE_ROWS].at, 1);
	assert_said(a, "the search was stopped at");
	/* Escape only stops it; n begins again behind the line */
	only_keys(a, "n");
	assert_true(a->search.running);
	only_keys(a, "<Esc>");
	assert_false(a->search.running);
	assert_true(a->search.marking);
	only_keys(a, "n");
	while (app_busy(a)) {
		double begun = now_ms(), took;

		app_job_step(a, 1 << 14);
		took = now_ms() - begun;
		longest = took > longest ? took : longest;
	}
	assert_said(a, "gave up on 2 rows");
	/* 100 ms is the promise; the margin is for slow machines and sanitizers */
	if (longest > 500)
		fail_msg("a step of %.0f ms", longest);
	/* another letter while it runs: only the new text counts */
	only_keys(a, "gg/(a+)+$");
	assert_true(a->search.running);
	only_keys(a, "<BS><BS><BS><BS><BS><BS>row<Space>7");
	while (app_busy(a))
		app_job_step(a, 1 << 14);
	assert_int_equal(a->panes[PANE_ROWS].at, 7);
	only_keys(a, "<Esc>");
	assert_int_equal(a->panes[PANE_ROWS].at, 0);
	screen_close(&s);
}

/* A filter is worked out between keys, too; the lines found so far are there. */
static void filters_grow(void **state)
{
	struct screen_script s;
	struct app *a = &s.app;
	const struct pane *p = &s.app.panes[PANE_ROWS];
	struct view_context c;

	(void)state;
	open_session(&s);
	/* row 0, 10, 20, .. but for the three that are other texts, and no other number ends in 0 */
	only_keys(a, "&^row<Space>\\d*0$<Enter>");
	assert_true(app_busy(a));
	c = app_context(a, PANE_ROWS);
	assert_true(pane_count(p, &c) < 297);
	app_draw(a, &s.grid);
	while (app_busy(a))
		app_job_step(a, 1 << 14);
	assert_int_equal(pane_count(p, &c), 297);
	only_keys(a, "gg4j");
	assert_int_equal(p->at, 4);
	assert_int_equal(pane_view_line(p, p->at), 40);
	/* a search among them */
	only_keys(a, "/5<Enter>");
	while (app_busy(a))
		app_job_step(a, 1 << 14);
	assert_int_equal(pane_view_line(p, p->at), 50);
	/* the last line of the list is the last one with it */
	only_keys(a, "G");
	assert_int_equal(pane_view_line(p, p->at), 2990);
	/* the selected row stays selected without the filter */
	only_keys(a, "&<Enter>");
	assert_int_equal(p->at, 2990);
	assert_false(app_busy(a));
	screen_close(&s);
}

/* Search and filter work on what is there while the session is still read and run. */
static void while_the_first_pass_runs(void **state)
{
	struct app a;
	struct grid g = {0};
	struct error e = {0};
	size_t tries = 0;
	struct cli_request steps = {.file = "tests/screens/steps.acps.jsonl", .limit = (double)NAN};

	(void)state;
	assert_int_equal(app_open(&a, &steps, false, &e), STATUS_OK);
	app_resize(&a, 24, 80);
	only_keys(&a, "/");
	assert_said(&a, "nothing is loaded yet");
	only_keys(&a, "n");
	while (app_busy(&a)) {
		app_job_step(&a, 1);
		if (!a.now->has_frame)
			continue;
		only_keys(&a, tries % 2 ? "/count<Enter>" : "&count<Enter>");
		app_draw(&a, &g);
		/* at the first turn one row has it */
		assert_int_equal(a.panes[PANE_ROWS].at, 0);
		tries++;
	}
	assert_true(tries > 2);
	assert_int_equal(a.now->phase, APP_READY);
	app_free(&a);
	grid_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_texts_are_searched),  cmocka_unit_test(what_blows_up_is_counted),
		cmocka_unit_test(any_key_stops_it),          cmocka_unit_test(filters_grow),
		cmocka_unit_test(while_the_first_pass_runs),
	};

	return !!cmocka_run_group_tests(tests, write_session, remove_session);
}
