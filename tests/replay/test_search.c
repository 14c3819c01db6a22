/*
 * replay/search: what is found where, when the case counts, what a bad pattern
 * is told, and that patterns and texts made to blow up end within the limits.
 * Places are counted by hand in the texts beside them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <time.h>

#include "engine/base/buf.h"
#include "replay/search.h"

static struct search *make(const char *pattern)
{
	struct search_fault fault;
	struct search *s = search_make(str_of(pattern), &fault);

	if (!s)
		fail_msg("%s: %s", pattern, fault.message);
	return s;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* All pieces; *pieces and *longest (ms of one) may be NULL. */
static enum search_answer look(struct search *s, struct str text, struct search_match *match, size_t *pieces,
			       double *longest)
{
	size_t at = 0, n = 0, cost = 0;
	enum search_answer answer;

	do {
		double begun = now_ms(), took;
		size_t before = at, cost_before = cost;

		answer = search_piece(s, text, &at, match, &cost);
		took = now_ms() - begun;
		assert_true(cost > cost_before);
		assert_true(answer != SEARCH_MORE || at > before);
		assert_true(at <= text.n);
		if (longest && took > *longest)
			*longest = took;
		n++;
	} while (answer == SEARCH_MORE);
	if (pieces)
		*pieces = n;
	return answer;
}

static void what_is_found_where(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool found;
		size_t from, to;
	} rows[] = {
		{"notes", "120 notes", true, 4, 9},
		{"notes", "120 Notes", true, 4, 9},
		{"Notes", "120 notes", false, 0, 0},
		{"Notes", "notes Notes", true, 6, 11},
		/* capitals of escapes are none of the text */
		{"\\Snote", "xNOTE", true, 0, 5},
		{"\\p{Lu}x", "Äx", true, 0, 3},
		{"\\x{4F60}b", "你B", true, 0, 4},
		{"\\pLb", "aB", true, 0, 2},
		{"\\bN", "n", false, 0, 0},
		/* letters of other scripts */
		{"äpfel", "ÄPFEL", true, 0, 6},
		{"Äpfel", "äpfel", false, 0, 0},
		{"压缩", "已压缩", true, 3, 9},
		/* every line of a text has a start and an end */
		{"^b", "a\nb", true, 2, 3},
		{"a$", "a\nb", true, 0, 1},
		{"a.b", "a\nb", false, 0, 0},
		{"a\\nb", "a\nb", true, 0, 3},
		{"x*", "abc", true, 0, 0},
		{"(?<=a)b", "ab", true, 1, 2},
		{"b", "", false, 0, 0},
		{"^$", "", true, 0, 0},
		{"a\\Kb", "ab", true, 1, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct search *s = make(rows[i].pattern);
		struct search_match m = {0};
		enum search_answer want = rows[i].found ? SEARCH_FOUND : SEARCH_NOT_THERE;

		if (look(s, str_of(rows[i].text), &m, NULL, NULL) != want)
			fail_msg("%s in %s", rows[i].pattern, rows[i].text);
		if (rows[i].found && (m.from != rows[i].from || m.to != rows[i].to))
			fail_msg("%s in %s: %zu to %zu", rows[i].pattern, rows[i].text, m.from, m.to);
		assert_true(str_eq(search_pattern(s), str_of(rows[i].pattern)));
		search_free(s);
	}
}

static void bytes_that_are_no_text(void **state)
{
	/* stray bytes, a surrogate, U+0000 in two bytes, a character cut off; `needle` at 16 */
	static const char bad[] = "\xFF\x80"
				  "ab\xED\xA0\x80"
				  "cd\xC0\x80"
				  "efghi"
				  "needle\xE4\xBD";
	struct str text = {bad, sizeof bad - 1};
	struct search_match m;
	struct search *s = make("needle");

	(void)state;
	assert_int_equal(look(s, text, &m, NULL, NULL), SEARCH_FOUND);
	assert_int_equal(m.from, 16);
	assert_int_equal(m.to, 22);
	search_free(s);
	/* what is no character is not any character */
	s = make("b.c");
	assert_int_equal(look(s, text, NULL, NULL, NULL), SEARCH_NOT_THERE);
	search_free(s);
	s = make(".");
	assert_int_equal(look(s, (struct str){NULL, 0}, NULL, NULL, NULL), SEARCH_NOT_THERE);
	search_free(s);
}

static void a_bad_pattern_says_where(void **state)
{
	static const struct {
		const char *pattern, *says;
		size_t at, letters;
	} rows[] = {
		{"foo(", "parenthesis", 4, 4},
		{"a[b", "]", 3, 3},
		/* two characters of three bytes, and one */
		{"你好(", "parenthesis", 7, 3},
		{"", "no pattern", 0, 0},
		{"a\\Cb", "\\C", 3, 3},
	};
	struct search_fault fault;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_null(search_make(str_of(rows[i].pattern), &fault));
		if (!strstr(fault.message, rows[i].says) || !fault.message[0])
			fail_msg("%s: %s", rows[i].pattern, fault.message);
		if (fault.at != rows[i].at || fault.letters != rows[i].letters)
			fail_msg("%s: at %zu, %zu", rows[i].pattern, fault.at, fault.letters);
	}
	/* bytes that are no UTF-8, and too many */
	assert_null(search_make((struct str){"a\xFF", 2}, &fault));
	assert_int_equal(fault.at, 1);
	char *big = malloc(SEARCH_PATTERN_MAX + 1);
	assert_non_null(big);
	memset(big, 'a', SEARCH_PATTERN_MAX + 1);
	assert_null(search_make((struct str){big, SEARCH_PATTERN_MAX + 1}, &fault));
	assert_non_null(strstr(fault.message, "too long"));
	free(big);
}

static struct buf repeated(const char *what, size_t times)
{
	struct buf b = {0};

	for (size_t i = 0; i < times; i++)
		buf_text(&b, what);
	return b;
}

/* Whatever a pattern does to a long text, one piece ends soon. 100 ms is what a key may take; here with a margin for
 * slow machines and sanitizers. */
static void what_blows_up_is_given_up(void **state)
{
	static const struct {
		const char *pattern, *unit;
		size_t times;
		const char *end;
	} rows[] = {
		{"(a+)+$", "a", 50000, "!"},
		{"(a+)+$", "a", 40, "!"},
		/* every start costs less than a step limit, all of them do not */
		{"a.*z\\d", "a", 60000, "z"},
		/* few steps, but each runs over everything */
		{"a(?>a*)z", "a", 1000000, "!z"},
		/* comparing a group anew, step after step */
		{"(a*)b\\1z", "a", 100000, "bz"},
		{"(?R)?a+b(?R)", "ab", 50000, "!"},
		{"(.*)(.*)(.*)(.*)(.*)x\\dq", "abc", 20000, "xq"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct search *s = make(rows[i].pattern);
		struct buf b = repeated(rows[i].unit, rows[i].times);
		double longest = 0;

		buf_text(&b, rows[i].end);
		if (look(s, buf_view(&b), NULL, NULL, &longest) != SEARCH_GAVE_UP)
			fail_msg("%s was not given up", rows[i].pattern);
		if (longest > 500)
			fail_msg("%s: a piece of %.0f ms", rows[i].pattern, longest);
		if (getenv("SEARCH_TIMES"))
			print_message("%-30s %6.1f ms\n", rows[i].pattern, longest);
		buf_free(&b);
		search_free(s);
	}
}

/* What a pattern may say of limits can only lower them. */
static void patterns_do_not_raise_limits(void **state)
{
	struct search *s = make("(*LIMIT_MATCH=4000000000)(*LIMIT_DEPTH=4000000000)(a+)+$");
	struct buf b = repeated("a", 1000);

	(void)state;
	buf_text(&b, "!");
	assert_int_equal(look(s, buf_view(&b), NULL, NULL, NULL), SEARCH_GAVE_UP);
	search_free(s);
	buf_free(&b);
}

/* A long text is looked at in pieces, and nothing is lost between two: not a match over the seam, nor characters of
 * several bytes. 3 bytes a character, so that seams of 64 KiB (not divisible by 3) fall inside one. */
static void pieces_join(void **state)
{
	const size_t times = 100000;
	struct buf b = repeated("\xE4\xBD\xA0", times);
	struct search_match m;
	size_t pieces;
	struct search *s = make("needle");

	(void)state;
	assert_int_equal(look(s, buf_view(&b), &m, &pieces, NULL), SEARCH_NOT_THERE);
	/* 300,000 bytes in pieces of at most 65,536 */
	assert_true(pieces >= 5);
	for (size_t i = SEARCH_PIECE_BYTES - 12; i < SEARCH_PIECE_BYTES + 6; i += 3) {
		size_t at = i / 3 * 3;
		char kept[6];

		memcpy(kept, b.p + at, 6);
		memcpy(b.p + at, "needle", 6);
		assert_int_equal(look(s, buf_view(&b), &m, NULL, NULL), SEARCH_FOUND);
		assert_int_equal(m.from, at);
		assert_int_equal(m.to, at + 6);
		memcpy(b.p + at, kept, 6);
	}
	search_free(s);
	/* one match over many pieces */
	s = make("^你{50000}");
	assert_int_equal(look(s, buf_view(&b), &m, NULL, NULL), SEARCH_FOUND);
	assert_int_equal(m.from, 0);
	assert_int_equal(m.to, 150000);
	search_free(s);
	buf_free(&b);
}

/* Ordinary patterns in a text of 8 MB are not given up. */
static void ordinary_patterns_are_not(void **state)
{
	static const char *const patterns[] = {"no such words",         "\\w+@\\w+\\.org", "[0-9]{5,}",
					       "error.*code \\d+",      "(foo|bar)+baz",   ".*needle",
					       "\\bthe\\b.*\\bzebra\\b"};
	struct buf b = repeated("the quick brown fox ran an error of 12 items: (foo bar) at 3.14\n", 125000);

	(void)state;
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		struct search *s = make(patterns[i]);
		double longest = 0;

		if (look(s, buf_view(&b), NULL, NULL, &longest) != SEARCH_NOT_THERE)
			fail_msg("%s", patterns[i]);
		if (longest > 500)
			fail_msg("%s: a piece of %.0f ms", patterns[i], longest);
		search_free(s);
	}
	buf_free(&b);
}

static void one_match_after_the_other(void **state)
{
	struct search *s = make("o.");
	struct str text = STR("ox 你 on go!");
	static const size_t places[] = {0, 7, 11};
	struct search_match m;
	size_t work = 1000, from = 0, n = 0;

	(void)state;
	for (; search_next(s, text, from, &m, &work); from = m.to)
		assert_int_equal(m.from, places[n++]);
	assert_int_equal(n, 3);
	assert_true(work < 1000);
	/* without work left nothing is found */
	work = 0;
	assert_false(search_next(s, text, 0, &m, &work));
	search_free(s);
	s = make("(a+)+$");
	work = 500;
	assert_false(search_next(s, STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"), 0, &m, &work));
	assert_int_equal(work, 0);
	search_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_found_where),          cmocka_unit_test(bytes_that_are_no_text),
		cmocka_unit_test(a_bad_pattern_says_where),     cmocka_unit_test(what_blows_up_is_given_up),
		cmocka_unit_test(patterns_do_not_raise_limits), cmocka_unit_test(pieces_join),
		cmocka_unit_test(ordinary_patterns_are_not),    cmocka_unit_test(one_match_after_the_other),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
