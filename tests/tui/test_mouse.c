/* tui/mouse: reports in SGR form (xterm control sequences, "Extended coordinates"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tui/mouse.h"

static void reports(void **state)
{
	static const struct {
		const char *text;
		struct key key;
	} rows[] = {
		{"[<0;1;1M", {KEYS_CLICK, 0, 0}},
		{"[<0;300;24M", {KEYS_CLICK, 23, 299}},
		{"[<64;10;5M", {KEYS_WHEEL_UP, 4, 9}},
		{"[<65;10;5M", {KEYS_WHEEL_DOWN, 4, 9}},
		{"[<0;1;1m", {KEYS_NONE, 0, 0}}, /* released */
		{"[<2;1;1M", {KEYS_NONE, 0, 0}}, /* another button */
		{"[<0;0;1M", {KEYS_NONE, 0, 0}}, /* places begin at 1 */
		{"[<0;-5;5M", {KEYS_NONE, 0, 0}},
		{"[<0;1M", {KEYS_NONE, 0, 0}},
		{"[<0;1;1;1M", {KEYS_NONE, 0, 0}},
		{"[<;;M", {KEYS_NONE, 0, 0}},
		{"[<0;99999999999999999999;1M", {KEYS_NONE, 0, 0}},
		{"[<M", {KEYS_NONE, 0, 0}},
		{"[0;1;1M", {KEYS_NONE, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct key key = mouse_read(str_of(rows[i].text));

		assert_int_equal(key.code, rows[i].key.code);
		assert_int_equal(key.row, rows[i].key.row);
		assert_int_equal(key.col, rows[i].key.col);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(reports)};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
