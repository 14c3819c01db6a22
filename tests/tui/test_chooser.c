/* tui/chooser: search in a list. What is found follows from the list below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tui/chooser.h"

static const char *const lines[] = {"# heading apple", "an apple",  "a pear",
				    "An APPLE pie",    "压缩 plum", "pear and plum"};
enum { LINES = sizeof lines / sizeof *lines };

static size_t count(void *ctx)
{
	(void)ctx;
	return LINES;
}

static void put_line(void *ctx, size_t i, struct line *out)
{
	(void)ctx;
	line_puts(out, STYLE_PLAIN, lines[i]);
}

static bool choosable(void *ctx, size_t i)
{
	(void)ctx;
	return lines[i][0] != '#';
}

static void start(struct chooser *c)
{
	chooser_init(c, (struct chooser_list){.title = "t", .count = count, .line = put_line, .choosable = choosable});
	assert_int_equal(c->at, 1);
}

/* Characters are typed; answers are that of the last key. */
static enum chooser_answer type(struct chooser *c, const char *text)
{
	struct str s = {text, strlen(text)};
	enum chooser_answer answer = CHOOSER_STAY;
	uint32_t code;

	for (size_t at = 0; at < s.n;) {
		at += text_decode(s, at, &code);
		answer = chooser_key(c, (struct key){.code = code});
	}
	return answer;
}

static enum chooser_answer press(struct chooser *c, uint32_t code)
{
	return chooser_key(c, (struct key){.code = code});
}

static void finds(void **state)
{
	struct chooser c;

	(void)state;
	start(&c);
	assert_int_equal(type(&c, "/pear"), CHOOSER_STAY);
	assert_int_equal(c.at, 2);
	assert_int_equal(press(&c, KEYS_ENTER), CHOOSER_STAY); /* ends the words, opens nothing */
	assert_int_equal(c.at, 2);
	type(&c, "n");
	assert_int_equal(c.at, 5);
	type(&c, "n"); /* around the end */
	assert_int_equal(c.at, 2);
	type(&c, "N");
	assert_int_equal(c.at, 5);
	assert_int_equal(press(&c, KEYS_ENTER), CHOOSER_CHOSEN);
}

/* Case does not count, headings are none of the lines, the line it begins at is one of them. */
static void case_and_headings(void **state)
{
	struct chooser c;

	(void)state;
	start(&c);
	type(&c, "/aPPle");
	assert_int_equal(c.at, 1);
	press(&c, KEYS_ENTER);
	type(&c, "n");
	assert_int_equal(c.at, 3);
	type(&c, "n");
	assert_int_equal(c.at, 1);
}

static void corrected_and_left(void **state)
{
	struct chooser c;

	(void)state;
	start(&c);
	type(&c, "/压x");
	assert_true(c.missed);
	assert_int_equal(c.at, 1);
	press(&c, KEYS_BACKSPACE);
	assert_false(c.missed);
	assert_int_equal(c.at, 4);
	press(&c, KEYS_BACKSPACE); /* the whole character */
	assert_int_equal(c.words_n, 0);
	assert_int_equal(c.at, 1);
	type(&c, "plum");
	assert_int_equal(c.at, 4);
	assert_int_equal(press(&c, KEYS_ESCAPE), CHOOSER_STAY); /* back to where it began */
	assert_int_equal(c.at, 1);
	assert_int_equal(type(&c, "n"), CHOOSER_STAY);
	assert_int_equal(c.at, 1);
	assert_int_equal(type(&c, "/q"), CHOOSER_STAY); /* a letter like any other here */
	press(&c, KEYS_ENTER);
	assert_int_equal(type(&c, "q"), CHOOSER_LEFT);
}

/* More than there is room for is not taken; nothing is read beyond. */
static void many_words(void **state)
{
	struct chooser c;

	(void)state;
	start(&c);
	type(&c, "/");
	for (int i = 0; i < 3 * CHOOSER_WORDS_MAX; i++)
		type(&c, "缩");
	assert_true(c.words_n <= CHOOSER_WORDS_MAX && c.words_n > CHOOSER_WORDS_MAX - 4);
	assert_true(c.missed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds),
		cmocka_unit_test(case_and_headings),
		cmocka_unit_test(corrected_and_left),
		cmocka_unit_test(many_words),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
