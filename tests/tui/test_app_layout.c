/* Which panes are shown on narrow and wide screens, moved, hidden, and kept from one opening to the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <unistd.h>

#include "replay/xdg.h"
#include "tui/app_parts.h"
#include "tui/screen_script.h"

static char home[] = "/tmp/acpdbg-test-XXXXXX";
static struct cli_request request;

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(home) || setenv("XDG_STATE_HOME", home, 1);
}

static int tear_down(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", home);
	return system(command);
}

/* As the program opens it: what was kept is read. */
static void open_plain(struct screen_script *s, int rows, int cols)
{
	struct error e = {0};

	request = (struct cli_request){.file = "sample-sessions/plain.acps.jsonl", .limit = (double)NAN};
	*s = (struct screen_script){0};
	assert_int_equal(app_open(&s->app, &request, false, &e), STATUS_OK);
	s->app.remembers = true;
	app_layout_open(&s->app);
	app_resize(&s->app, rows, cols);
	while (app_busy(&s->app))
		app_job_step(&s->app, 1 << 20);
}

static void press(struct screen_script *s, const char *keys)
{
	struct error e = {0};

	assert_int_equal(screen_keys(s, str_of(keys), &e), STATUS_OK);
}

static int rows_shown(const struct screen_script *s, enum pane_id pane) { return app_place(&s->app, pane).body.rows; }

static void test_wide(void **state)
{
	struct screen_script s;

	(void)state;
	open_plain(&s, 45, 180);
	assert_true(rows_shown(&s, PANE_ROWS) > 30);
	assert_true(rows_shown(&s, PANE_NUDGE) > 10 && rows_shown(&s, PANE_EVENTS) > 10);
	/* the one that was shown last stays as the third */
	press(&s, "<F5>");
	assert_true(rows_shown(&s, PANE_PREFIX) > 10 && rows_shown(&s, PANE_NUDGE) > 10);
	assert_int_equal(rows_shown(&s, PANE_EVENTS), 0);
	/* one that is there only gets the focus */
	press(&s, "<F6>");
	assert_true(rows_shown(&s, PANE_PREFIX) > 10 && s.app.focus == PANE_NUDGE);
	/* on a narrow screen the focused one is the one beside Rows */
	screen_resize(&s, 24, 80);
	assert_true(rows_shown(&s, PANE_NUDGE) > 0);
	assert_int_equal(rows_shown(&s, PANE_PREFIX), 0);
	screen_close(&s);
}

static void test_sizes(void **state)
{
	struct screen_script s;
	int before;

	(void)state;
	open_plain(&s, 24, 80);
	/* more rows than there is room for */
	press(&s, "14g");
	before = rows_shown(&s, PANE_NUDGE);
	press(&s, "L");
	assert_true(rows_shown(&s, PANE_NUDGE) < before);
	press(&s, "HHH");
	assert_true(rows_shown(&s, PANE_NUDGE) > before);
	press(&s, "99L");
	assert_true(rows_shown(&s, PANE_NUDGE) > 0);
	press(&s, "o");
	assert_int_equal(rows_shown(&s, PANE_NUDGE), 0);
	/* a hidden pane is shown while it has the focus */
	press(&s, "<F3>");
	assert_true(rows_shown(&s, PANE_BLOCKS) > 0);
	press(&s, "<F1>");
	assert_int_equal(rows_shown(&s, PANE_BLOCKS), 0);
	press(&s, "o");
	assert_true(rows_shown(&s, PANE_BLOCKS) > 0);
	screen_close(&s);
}

static void test_kept(void **state)
{
	struct screen_script s;
	struct buf path = {0};

	(void)state;
	open_plain(&s, 24, 80);
	press(&s, "<F4><F1>LL");
	screen_resize(&s, 45, 180);
	press(&s, "<F2>o");
	app_memory_save(&s.app);
	screen_close(&s);
	open_plain(&s, 45, 180);
	assert_true(s.app.shown.hidden && s.app.shown.side == PANE_RANGES);
	screen_resize(&s, 24, 80);
	assert_true(!s.app.shown.hidden && s.app.shown.side == PANE_DENSITY && s.app.shown.shift == 10);
	screen_close(&s);
	/* what is damaged is told of, and the panes are the usual ones */
	static const char *const damaged[] = {
		"", "{", "{\"narrow\":{\"side\":\"rows\"}}", "[1]",
		"{\"narrow\":{\"side\":\"ranges\",\"third\":\"ranges\",\"zoom\":0,\"shift\":0}}"};
	assert_true(xdg_path(XDG_STATE, "layout.json", &path));
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
		assert_int_equal(xdg_write(path.p, str_of(damaged[i]), NULL), STATUS_OK);
		open_plain(&s, 24, 80);
		assert_non_null(strstr(s.app.message.p, "layout cannot be used"));
		assert_int_equal(s.app.shown.side, PANE_NUDGE);
		screen_close(&s);
	}
	buf_free(&path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_kept),
	};

	return !!cmocka_run_group_tests(tests, set_up, tear_down);
}
