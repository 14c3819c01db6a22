/* tui/keys: names of keys and key scripts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tui/keys.h"

static void names_read_and_write(void **state)
{
	static const struct {
		const char *name;
		uint32_t code;
		const char *written; /* NULL = the same */
	} rows[] = {
		{"j", 'j', NULL},
		{"0", '0', NULL},
		{"<", '<', NULL},
		{">", '>', NULL},
		{"^", '^', NULL},
		{"<lt>", '<', "<"},
		{"<caret>", '^', "^"},
		{"\u4F60", 0x4f60, NULL},
		{"\U0001F600", 0x1f600, NULL},
		{"^L", 12, NULL},
		{"^l", 12, "^L"},
		{"^Z", 26, NULL},
		{"^A", 1, NULL},
		{"^_", 31, NULL},
		{"^I", KEYS_TAB, "<Tab>"},
		{"^M", KEYS_ENTER, "<Enter>"},
		{"^J", KEYS_ENTER, "<Enter>"},
		{"^[", KEYS_ESCAPE, "<Esc>"},
		{" ", KEYS_SPACE, "<Space>"},
		{"<Space>", KEYS_SPACE, NULL},
		{"<Tab>", KEYS_TAB, NULL},
		{"<tab>", KEYS_TAB, "<Tab>"},
		{"<S-Tab>", KEYS_SHIFT_TAB, NULL},
		{"<Shift-Tab>", KEYS_SHIFT_TAB, "<S-Tab>"},
		{"<Enter>", KEYS_ENTER, NULL},
		{"<Esc>", KEYS_ESCAPE, NULL},
		{"<BS>", KEYS_BACKSPACE, NULL},
		{"<Left>", KEYS_LEFT, NULL},
		{"<S-Right>", KEYS_SHIFT_RIGHT, NULL},
		{"<PgUp>", KEYS_PAGE_UP, NULL},
		{"<PageDown>", KEYS_PAGE_DOWN, "<PgDn>"},
		{"<Home>", KEYS_HOME, NULL},
		{"<Del>", KEYS_DELETE, NULL},
		{"<F1>", KEYS_F1, NULL},
		{"<F8>", KEYS_F1 + 7, NULL},
		{"<F12>", KEYS_F12, NULL},
	};
	struct buf out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct key key = {0};

		if (!key_parse(str_of(rows[i].name), &key) || key.code != rows[i].code)
			fail_msg("%s is read as %#x", rows[i].name, (unsigned)key.code);
		buf_cut(&out, 0);
		key_put_name(&out, key);
		assert_string_equal(out.p, rows[i].written ? rows[i].written : rows[i].name);
	}
	buf_free(&out);
}

static void no_names(void **state)
{
	static const char *const bad[] = {"",
					  "jj",
					  "<Tab",
					  "<Tab>x",
					  "<Nope>",
					  "<F0>",
					  "<F13>",
					  "<F1x>",
					  "<>",
					  "<Tab 1,2>",
					  "<Click>",
					  "<Click 1>",
					  "^^x",
					  "<Click ,>",
					  "<Click 1,2,3>",
					  "<Click -1,2>",
					  "<Click 99999,1>"};
	struct key key = {.code = 7};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (key_parse(str_of(bad[i]), &key))
			fail_msg("%s is a key", bad[i]);
	assert_int_equal(key.code, 7); /* untouched */
}

static void mouse(void **state)
{
	struct key key = {0};
	struct buf out = {0};

	(void)state;
	assert_true(key_parse(STR("<Click 3,10>"), &key));
	assert_int_equal(key.code, KEYS_CLICK);
	assert_int_equal(key.row, 3);
	assert_int_equal(key.col, 10);
	key_put_name(&out, key);
	assert_string_equal(out.p, "<Click 3,10>");
	assert_true(key_parse(STR("<WheelDown 0,0>"), &key));
	assert_int_equal(key.code, KEYS_WHEEL_DOWN);
	buf_free(&out);
}

static void every_code_has_a_name(void **state)
{
	struct buf out = {0};

	(void)state;
	for (uint32_t code = KEYS_SPECIAL; code < KEYS_END_OF_CODES; code++) {
		struct key key = {.code = code, .row = 1, .col = 2}, back = {0};

		buf_cut(&out, 0);
		key_put_name(&out, key);
		assert_true(key_parse(buf_view(&out), &back));
		assert_int_equal(back.code, code);
	}
	for (uint32_t code = 1; code < 0x250; code++) {
		struct key key = {.code = code}, back = {0};

		if (code == '\n' || code == 0) /* is Enter */
			continue;
		buf_cut(&out, 0);
		key_put_name(&out, key);
		assert_true(key_parse(buf_view(&out), &back));
		assert_int_equal(back.code, code);
	}
	buf_free(&out);
}

static void what_can_be_typed(void **state)
{
	char bytes[4];

	(void)state;
	assert_int_equal(key_text(bytes, (struct key){.code = 'a'}), 1);
	assert_int_equal(bytes[0], 'a');
	assert_int_equal(key_text(bytes, (struct key){.code = 0x4f60}), 3);
	assert_memory_equal(bytes, "\u4F60", 3);
	assert_int_equal(key_text(bytes, (struct key){.code = KEYS_SPACE}), 1);
	assert_int_equal(key_text(bytes, (struct key){.code = KEYS_TAB}), 0);
	assert_int_equal(key_text(bytes, (struct key){.code = KEYS_BACKSPACE}), 0);
	assert_int_equal(key_text(bytes, (struct key){.code = KEYS_F1}), 0);
	assert_int_equal(key_text(bytes, (struct key){.code = KEYS_NONE}), 0);
}

static void scripts(void **state)
{
	static const struct {
		const char *script;
		uint32_t keys[12];
	} rows[] = {
		{"", {0}},
		{" \n\t\r ", {0}},
		{"..", {'.', '.'}},
		{". .", {'.', '.'}},
		{"42g<Tab>", {'4', '2', 'g', KEYS_TAB}},
		{"/a<Space>b<Enter>", {'/', 'a', ' ', 'b', KEYS_ENTER}},
		{"> <\n<<F1>>", {'>', '<', '<', KEYS_F1, '>'}},
		{"^L ^ ^d", {12, '^', 4}},
		{"<Tabs>", {'<', 'T', 'a', 'b', 's', '>'}},
		{"# not keys\nj\n # x", {'j', '#', 'x'}},
		{"#j\n# <Tab>", {'#', 'j'}},
		{"\u4F60<PgDn>", {0x4f60, KEYS_PAGE_DOWN}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct key_list list = {0};
		size_t n = 0;

		assert_int_equal(key_script(str_of(rows[i].script), &list, NULL), STATUS_OK);
		while (rows[i].keys[n])
			n++;
		assert_int_equal(list.keys.n, n);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(list.keys.v[k].code, rows[i].keys[k]);
		key_list_free(&list);
	}
}

static void bad_scripts(void **state)
{
	struct key_list list = {0};
	struct error e = {0};

	(void)state;
	assert_int_equal(key_script(STR("j\nk\x01"), &list, &e), STATUS_DATA);
	assert_int_equal(e.line, 2);
	assert_int_equal(e.byte, 3);
	assert_int_equal(key_script(STR("\xFF"), &list, &e), STATUS_DATA);
	assert_int_equal(e.line, 1);
	assert_int_equal(e.byte, 0);
	assert_int_equal(key_script(STR("\xC0\x80"), &list, NULL), STATUS_DATA);
	key_list_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_read_and_write),  cmocka_unit_test(no_names),          cmocka_unit_test(mouse),
		cmocka_unit_test(every_code_has_a_name), cmocka_unit_test(what_can_be_typed), cmocka_unit_test(scripts),
		cmocka_unit_test(bad_scripts),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
