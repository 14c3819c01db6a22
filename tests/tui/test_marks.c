/* Marks, jumps, `:ref` and Changes on the screen of the session plain: 14 turns; its block b1 covers m00003..m00008. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/screened.h"

static int open_plain(void **state)
{
	*state = mem_alloc(sizeof(struct screened));
	screened_open(*state, "sample-sessions/plain.acps.jsonl", 24, 100);
	return 0;
}

static int close_plain(void **state)
{
	screened_close(*state);
	free(*state);
	return 0;
}

static void test_marks(void **state)
{
	struct screened *s = *state;

	screened_press(s, "4gma12g<mb");
	screened_press(s, "'a");
	assert_int_equal(screened_turn(s), 4);
	/* a node inside a turn is a position, too */
	screened_press(s, "'b");
	assert_int_equal(screened_turn(s), 12);
	assert_int_equal(s->script.app.now->frame.at.node, NODE_RENDER - 1);
	screened_press(s, "'c");
	screened_expect(s, "there is no mark c");
	assert_int_equal(screened_turn(s), 12);
	screened_press(s, "m9");
	screened_expect(s, "marks are a to z");
	screened_press(s, "m<Esc>");
	assert_int_equal(s->script.app.marks.n, 2);
	/* the same letter again is another place */
	screened_press(s, "2gma9g'a");
	assert_int_equal(screened_turn(s), 2);
	screened_press(s, "M");
	screened_expect(s, "12.emergency-truncate");
	screened_press(s, "j<Enter>");
	assert_int_equal(screened_turn(s), 12);
	screened_press(s, "Mx");
	assert_int_equal(s->script.app.marks.n, 1);
	screened_press(s, "q");
	assert_false(s->script.quit);
}

static void test_jumps(void **state)
{
	struct screened *s = *state;

	screened_press(s, "^O");
	screened_expect(s, "no earlier jump");
	/* a step is no jump */
	screened_press(s, "..^O");
	assert_int_equal(screened_turn(s), 3);
	screened_press(s, "9g14g");
	screened_press(s, "^O");
	assert_int_equal(screened_turn(s), 9);
	screened_press(s, "^O");
	assert_int_equal(screened_turn(s), 3);
	screened_press(s, "^N^N");
	assert_int_equal(screened_turn(s), 14);
	screened_press(s, "^N");
	assert_int_equal(screened_turn(s), 14);
	screened_press(s, "2^O");
	assert_int_equal(screened_turn(s), 3);
	/* another way from here: what lay ahead is gone */
	screened_press(s, "7g^N");
	assert_int_equal(screened_turn(s), 7);
	screened_press(s, "''");
	assert_int_equal(screened_turn(s), 3);
	/* once more is the way back (less and vi do so), also behind a travel along the list */
	screened_press(s, "''");
	assert_int_equal(screened_turn(s), 7);
	screened_press(s, "12g^O''");
	assert_int_equal(screened_turn(s), 12);
}

static void test_refs(void **state)
{
	struct screened *s = *state;

	screened_press(s, "12g:ref<Space>m00010<Enter>");
	screened_expect(s, "m00010 is visible: row 5 of 21");
	assert_int_equal(s->script.app.focus, PANE_ROWS);
	screened_press(s, "rm00003<Enter>");
	screened_expect(s, "m00003 is covered by b1 (tier 1)");
	assert_int_equal(s->script.app.focus, PANE_BLOCKS);
	screened_press(s, "2gr<Space>B1<Space><Enter>");
	screened_expect(s, "b1 was never made so far");
	screened_press(s, "rm00099<Enter>");
	screened_expect(s, "m00099 was never issued so far");
	screened_press(s, "rhello<Enter>");
	screened_expect(s, "no ref and no block id");
}

/* Turn 10 is the first after the call that made b1 of six rows: 3 rows are new, b1 among them, and 6 went. */
static void test_changes(void **state)
{
	struct screened *s = *state;

	screened_press(s, "10gd++");
	assert_int_equal(s->script.app.focus, PANE_CHANGES);
	screened_expect(s, "rows: 3 new, 0 with another text, 6 gone");
	screened_expect(s, "compress.applied               0 →            1          +1");
	screened_press(s, "<Home><Enter>");
	screened_expect(s, "rows so far");
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
