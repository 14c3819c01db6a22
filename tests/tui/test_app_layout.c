/* Which panes are shown on narrow and wide screens, moved, hidden, and kept from one opening to the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "replay/xdg.h"
#include "tests/screened.h"

#define PLAIN "sample-sessions/plain.acps.jsonl"

static int rows_shown(const struct screened *s, enum pane_id pane) { return app_place(&s->script.app, pane).body.rows; }

static void test_wide(void **state)
{
	struct screened s;

	(void)state;
	screened_open_remembering(&s, PLAIN, 45, 180);
	assert_true(rows_shown(&s, PANE_ROWS) > 30);
	assert_true(rows_shown(&s, PANE_NUDGE) > 10 && rows_shown(&s, PANE_EVENTS) > 10);
	/* the one that was shown last stays as the third */
	screened_press(&s, "<F5>");
	assert_true(rows_shown(&s, PANE_PREFIX) > 10 && rows_shown(&s, PANE_NUDGE) > 10);
	assert_int_equal(rows_shown(&s, PANE_EVENTS), 0);
	/* one that is there only gets the focus */
	screened_press(&s, "<F6>");
	assert_true(rows_shown(&s, PANE_PREFIX) > 10 && s.script.app.focus == PANE_NUDGE);
	/* on a narrow screen the focused one is the one beside Rows */
	screen_resize(&s.script, 24, 80);
	assert_true(rows_shown(&s, PANE_NUDGE) > 0);
	assert_int_equal(rows_shown(&s, PANE_PREFIX), 0);
	screened_close(&s);
}

static void test_sizes(void **state)
{
	struct screened s;
	int before;

	(void)state;
	screened_open_remembering(&s, PLAIN, 24, 80);
	/* more rows than there is room for */
	screened_press(&s, "14g");
	before = rows_shown(&s, PANE_NUDGE);
	screened_press(&s, "L");
	assert_true(rows_shown(&s, PANE_NUDGE) < before);
	screened_press(&s, "HHH");
	assert_true(rows_shown(&s, PANE_NUDGE) > before);
	screened_press(&s, "99L");
	assert_true(rows_shown(&s, PANE_NUDGE) > 0);
	screened_press(&s, "o");
	assert_int_equal(rows_shown(&s, PANE_NUDGE), 0);
	/* a hidden pane is shown while it has the focus */
	screened_press(&s, "<F3>");
	assert_true(rows_shown(&s, PANE_BLOCKS) > 0);
	screened_press(&s, "<F1>");
	assert_int_equal(rows_shown(&s, PANE_BLOCKS), 0);
	screened_press(&s, "o");
	assert_true(rows_shown(&s, PANE_BLOCKS) > 0);
	screened_close(&s);
}

static void test_kept(void **state)
{
	struct screened s;
	struct buf path = {0};

	(void)state;
	screened_open_remembering(&s, PLAIN, 24, 80);
	screened_press(&s, "<F4><F1>LL");
	screen_resize(&s.script, 45, 180);
	screened_press(&s, "<F2>o");
	app_memory_save(&s.script.app);
	screened_close(&s);
	screened_open_remembering(&s, PLAIN, 45, 180);
	assert_true(s.script.app.shown.hidden && s.script.app.shown.side == PANE_RANGES);
	screen_resize(&s.script, 24, 80);
	assert_true(!s.script.app.shown.hidden && s.script.app.shown.side == PANE_DENSITY &&
		    s.script.app.shown.shift == 10);
	screened_close(&s);
	/* what is damaged is told of, and the panes are the usual ones */
	static const char *const damaged[] = {
		"", "{", "{\"narrow\":{\"side\":\"rows\"}}", "[1]",
		"{\"narrow\":{\"side\":\"ranges\",\"third\":\"ranges\",\"zoom\":0,\"shift\":0}}"};
	assert_true(xdg_path(XDG_STATE, "layout.json", &path));
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
		assert_int_equal(xdg_write(path.p, str_of(damaged[i]), NULL), STATUS_OK);
		screened_open_remembering(&s, PLAIN, 24, 80);
		assert_non_null(strstr(s.script.app.message.p, "layout cannot be used"));
		assert_int_equal(s.script.app.shown.side, PANE_NUDGE);
		screened_close(&s);
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

	return !!cmocka_run_group_tests(tests, screened_set_up_home, screened_tear_down_home);
}
