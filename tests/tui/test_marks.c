/* Marks, jumps, `:ref` and Changes on the screen of the session plain: 14 turns; its block b1 covers m00003..m00008. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "tui/screen_script.h"

static struct cli_request request;

static int open_plain(void **state)
{
	struct screen_script *s = mem_alloc(sizeof *s);
	struct error e = {0};

	request = (struct cli_request){.file = "sample-sessions/plain.acps.jsonl", .limit = (double)NAN};
	*state = s;
	return screen_open(s, &request, 24, 100, false, &e) != STATUS_OK;
}

static int close_plain(void **state)
{
	screen_close(*state);
	free(*state);
	return 0;
}

static void press(struct screen_script *s, const char *keys)
{
	struct error e = {0};

	if (screen_keys(s, str_of(keys), &e) != STATUS_OK)
		fail_msg("%s: %s", keys, e.message);
}

static uint32_t turn_of(const struct screen_script *s) { return s->app.now->frame.at.turn; }

static void assert_shows(struct screen_script *s, const char *text)
{
	struct buf b = {0};

	screen_text(s, &b);
	if (str_find(buf_view(&b), str_of(text), 0) == SIZE_MAX)
		fail_msg("not on the screen: %s\n%s", text, b.p);
	buf_free(&b);
}

static void test_marks(void **state)
{
	struct screen_script *s = *state;

	press(s, "4gma12g<mb");
	press(s, "'a");
	assert_int_equal(turn_of(s), 4);
	/* a node inside a turn is a position, too */
	press(s, "'b");
	assert_int_equal(turn_of(s), 12);
	assert_int_equal(s->app.now->frame.at.node, NODE_RENDER - 1);
	press(s, "'c");
	assert_shows(s, "there is no mark c");
	assert_int_equal(turn_of(s), 12);
	press(s, "m9");
	assert_shows(s, "marks are a to z");
	press(s, "m<Esc>");
	assert_int_equal(s->app.marks.n, 2);
	/* the same letter again is another place */
	press(s, "2gma9g'a");
	assert_int_equal(turn_of(s), 2);
	press(s, "M");
	assert_shows(s, "12.emergency-truncate");
	press(s, "j<Enter>");
	assert_int_equal(turn_of(s), 12);
	press(s, "Mx");
	assert_int_equal(s->app.marks.n, 1);
	press(s, "q");
	assert_false(s->quit);
}

static void test_jumps(void **state)
{
	struct screen_script *s = *state;

	press(s, "^O");
	assert_shows(s, "no earlier jump");
	/* a step is no jump */
	press(s, "..^O");
	assert_int_equal(turn_of(s), 3);
	press(s, "9g14g");
	press(s, "^O");
	assert_int_equal(turn_of(s), 9);
	press(s, "^O");
	assert_int_equal(turn_of(s), 3);
	press(s, "^N^N");
	assert_int_equal(turn_of(s), 14);
	press(s, "^N");
	assert_int_equal(turn_of(s), 14);
	press(s, "2^O");
	assert_int_equal(turn_of(s), 3);
	/* another way from here: what lay ahead is gone */
	press(s, "7g^N");
	assert_int_equal(turn_of(s), 7);
	press(s, "''");
	assert_int_equal(turn_of(s), 3);
}

static void test_refs(void **state)
{
	struct screen_script *s = *state;

	press(s, "12g:ref<Space>m00010<Enter>");
	assert_shows(s, "m00010 is visible: row 5 of 21");
	assert_int_equal(s->app.focus, PANE_ROWS);
	press(s, "rm00003<Enter>");
	assert_shows(s, "m00003 is covered by b1 (tier 1)");
	assert_int_equal(s->app.focus, PANE_BLOCKS);
	press(s, "2gr<Space>B1<Space><Enter>");
	assert_shows(s, "b1 was never made so far");
	press(s, "rm00099<Enter>");
	assert_shows(s, "m00099 was never issued so far");
	press(s, "rhello<Enter>");
	assert_shows(s, "no ref and no block id");
}

/* Turn 10 is the first after the call that made b1 of six rows: 3 rows are new, b1 among them, and 6 went. */
static void test_changes(void **state)
{
	struct screen_script *s = *state;

	press(s, "10gd++");
	assert_int_equal(s->app.focus, PANE_CHANGES);
	assert_shows(s, "rows: 3 new, 0 with another text, 6 gone");
	assert_shows(s, "compress.applied               0 →            1          +1");
	press(s, "<Home><Enter>");
	assert_shows(s, "rows so far");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_marks, open_plain, close_plain),
		cmocka_unit_test_setup_teardown(test_jumps, open_plain, close_plain),
		cmocka_unit_test_setup_teardown(test_refs, open_plain, close_plain),
		cmocka_unit_test_setup_teardown(test_changes, open_plain, close_plain),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
