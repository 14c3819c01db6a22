/* text, fnv: JavaScript's strings held as bytes (kernel.md 2.1-2.3, 2.6, 10.1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/base/fnv.h"
#include "engine/base/json.h"
#include "engine/base/text.h"
#include "tests/case_file.h"

#define HIGH  "\xED\xA0\xBD"     /* U+D83D */
#define LOW   "\xED\xB8\x80"     /* U+DE00 */
#define FACE  "\xF0\x9F\x98\x80" /* U+1F600 = D83D DE00 */
#define EXT_A "\xE3\x90\x80"     /* U+3400 */
#define NUL   "\xC0\x80"

static void assert_str(struct str got, struct str want)
{
	assert_int_equal(got.n, want.n);
	if (want.n)
		assert_memory_equal(got.p, want.p, want.n);
}

static void count_one(const cJSON *one, void *ctx)
{
	struct str text = json_str(json_get(one, "text"));
	struct measure m = text_measure(text);
	(void)ctx;

	assert_non_null(text.p);
	case_expect_count(one, "units", m.units, (size_t)json_get(one, "units")->valuedouble);
	case_expect_count(one, "CJK units", m.cjk, (size_t)json_get(one, "cjk")->valuedouble);
	case_expect_count(one, "tokens", (size_t)text_tokens(m), (size_t)json_get(one, "tokens")->valuedouble);
	case_expect_count(one, "fast tokens", (size_t)text_fast_tokens(m), (size_t)json_get(one, "fast")->valuedouble);
}

static void counted(void **state)
{
	(void)state;
	case_file_each("tests/cases/text.jsonl", count_one, NULL);
	assert_int_equal(text_measure((struct str){0}).units, 0);
}

/* Measuring goes eight bytes at a time: the same text at every offset and length must agree with plain counting. */
static void counted_at_every_offset(void **state)
{
	static const char text[] =
		"abcdefgh\u4F60\u597D" FACE "\u00E9xyz\u3042\u3044\u3046" HIGH "0123456789abcdefghi\uAC00";
	struct str all = {text, sizeof text - 1};
	size_t from, to, at;

	(void)state;
	for (from = 0; from < all.n; from++) {
		if (((unsigned char)text[from] & 0xC0) == 0x80)
			continue;
		for (to = from; to <= all.n; to++) {
			struct str s = str_cut(all, from, to);
			struct measure m = text_measure(s);
			uint32_t units = 0, cjk = 0, code;

			for (at = 0; at<s.n; units += code> 0xFFFF ? 2 : 1) {
				at += text_decode(s, at, &code);
				cjk += (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3040 && code <= 0x30FF) ||
				       (code >= 0xAC00 && code <= 0xD7AF);
			}
			assert_int_equal(m.units, units);
			assert_int_equal(m.cjk, cjk);
		}
	}
}

static void sliced(void **state)
{
	static const struct {
		struct str text;
		size_t from, to;
		struct str want;
	} rows[] = {
		{STR("hello"), 0, 5, STR("hello")},
		{STR("hello"), 1, 3, STR("el")},
		{STR("hello"), 3, 99, STR("lo")},
		{STR("hello"), 5, 9, STR("")},
		{STR("hello"), 9, 12, STR("")},
		{STR("hello"), 3, 2, STR("")},
		{{NULL, 0}, 0, 4, STR("")},
		{STR("a\u4F60"
		     "b"),
		 1, 2, STR("\u4F60")},
		{STR("a" FACE "b"), 1, 3, STR(FACE)},
		{STR("a" FACE "b"), 0, 2, STR("a" HIGH)},
		{STR("a" FACE "b"), 2, 4, STR(LOW "b")},
		{STR("a" FACE "b"), 2, 3, STR(LOW)},
		{STR(FACE FACE), 1, 3, STR(LOW HIGH)},
		{STR(FACE FACE FACE), 1, 5, STR(LOW FACE HIGH)},
		{STR("0123456789abcdef" FACE), 15, 17, STR("f" HIGH)},
		{STR("x" LOW "y"), 1, 2, STR(LOW)},
		{STR("x" NUL "y"), 1, 2, STR(NUL)},
	};
	struct arena a = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_str(text_slice(&a, rows[i].text, rows[i].from, rows[i].to), rows[i].want);
	arena_free(&a);
}

static void joined(void **state)
{
	struct arena a = {0};

	(void)state;
	assert_str(text_join(&a, STR("ab"), STR("cd")), STR("abcd"));
	assert_str(text_join(&a, STR(""), STR("cd")), STR("cd"));
	assert_str(text_join(&a, STR("ab"), (struct str){0}), STR("ab"));
	assert_str(text_join(&a, (struct str){0}, (struct str){0}), STR(""));
	assert_str(text_join(&a, STR("a" HIGH), STR(LOW "b")), STR("a" FACE "b"));
	assert_str(text_join(&a, STR(HIGH), STR(LOW)), STR(FACE));
	assert_str(text_join(&a, STR(LOW), STR(HIGH)), STR(LOW HIGH));
	assert_str(text_join(&a, STR(HIGH), STR("x" LOW)), STR(HIGH "x" LOW));
	assert_str(text_join(&a, STR(HIGH HIGH), STR(LOW LOW)), STR(HIGH FACE LOW));
	/* U+DBFF U+DFFF = U+10FFFF */
	assert_str(text_join(&a, STR("\xED\xAF\xBF"), STR("\xED\xBF\xBF")), STR("\xF4\x8F\xBF\xBF"));
	arena_free(&a);
}

static void decoded_and_encoded(void **state)
{
	static const uint32_t codes[] = {0,      1,      0x7F,   0x80,   0x7FF,   0x800,   0xD7FF,
					 0xD800, 0xDFFF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF};
	static const size_t lengths[] = {2, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4};
	static const char *broken[] = {"\x80",
				       "\xBF",
				       "\xC1\x80",
				       "\xC0\x81",
				       "\xC3",
				       "\xC3(",
				       "\xE0\x80\x80",
				       "\xE4\xBD",
				       "\xE4(\x80",
				       "\xF0\x80\x80\x80",
				       "\xF4\x90\x80\x80",
				       "\xF5\x80\x80\x80",
				       "\xF0\x9F\x98",
				       "\xFF",
				       "\xFE"};
	char bytes[4];
	uint32_t code;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof codes / sizeof *codes; i++) {
		size_t n = text_encode(bytes, codes[i]);

		assert_int_equal(n, lengths[i]);
		assert_int_equal(text_decode((struct str){bytes, n}, 0, &code), n);
		assert_int_equal(code, codes[i]);
	}
	for (i = 0; i < sizeof broken / sizeof *broken; i++) {
		assert_int_equal(text_decode(str_of(broken[i]), 0, &code), 1);
		assert_int_equal(code, 0xFFFD);
	}
	assert_int_equal(text_decode(STR("a"), 1, &code), 0);
	assert_int_equal(text_decode((struct str){0}, 0, &code), 0);
}

/* Every text function on every two-byte start, in a buffer of exactly that size: bounds are for the sanitizer. */
static void any_bytes_stay_in_bounds(void **state)
{
	struct arena a = {0};
	unsigned x;

	(void)state;
	for (x = 0; x < 0x10000; x += 7) {
		struct arena_mark m = arena_mark(&a);
		char *p = mem_alloc(3);
		struct str s = {p, 3};
		uint32_t code;

		p[0] = (char)(x >> 8);
		p[1] = (char)x;
		p[2] = (char)(x >> 4);
		assert_in_range(text_measure(s).units, 1, 3);
		assert_true(text_trim(s).n <= 3);
		assert_true(text_trim_end(s).n <= 3);
		assert_in_range(text_slice(&a, s, 1, 2).n, 0, 3);
		assert_in_range(text_join(&a, s, s).n, 4, 6);
		assert_int_equal(text_lower_ascii(&a, s).n, 3);
		assert_in_range(text_decode(s, 0, &code), 1, 3);
		assert_int_not_equal(fnv_text(FNV_START, s), FNV_START);
		arena_release(&a, m);
		free(p);
	}
	arena_free(&a);
}

static void white_space(void **state)
{
	static const uint32_t spaces[] = {0x09,   0x0A,   0x0B,   0x0C,   0x0D,   0x20,   0xA0,   0x1680, 0x2000,
					  0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009,
					  0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF};
	uint32_t code;
	size_t seen = 0;

	(void)state;
	for (code = 0; code <= 0x10FFFF; code++) {
		if (!text_is_space(code))
			continue;
		assert_true(seen < sizeof spaces / sizeof *spaces);
		assert_int_equal(code, spaces[seen]);
		seen++;
	}
	assert_int_equal(seen, sizeof spaces / sizeof *spaces);
}

static void trimmed(void **state)
{
	(void)state;
	assert_str(text_trim(STR(" \t\n\v\f\r\u00A0\u1680\u2000\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF")), STR(""));
	assert_str(text_trim(STR("\uFEFF a b \u3000")), STR("a b"));
	assert_str(text_trim_end(STR(" a \u2029")), STR(" a"));
	assert_str(text_trim(STR("\xC2\x85"
				 "a\u200B")),
		   STR("\xC2\x85"
		       "a\u200B"));
	assert_str(text_trim(STR("\u180Ea" NUL)), STR("\u180Ea" NUL));
	assert_str(text_trim(STR(" " HIGH " ")), STR(HIGH));
	assert_str(text_trim(STR("")), STR(""));
	assert_int_equal(text_trim((struct str){0}).n, 0);
}

static void searched(void **state)
{
	struct str s = STR("abcabcab");

	(void)state;
	assert_int_equal(str_find(s, STR("abc"), 0), 0);
	assert_int_equal(str_find(s, STR("abc"), 1), 3);
	assert_int_equal(str_find(s, STR("abc"), 4), SIZE_MAX);
	assert_int_equal(str_find(s, STR("b"), 5), 7);
	assert_int_equal(str_find(s, STR(""), 8), 8);
	assert_int_equal(str_find(s, STR(""), 9), SIZE_MAX);
	assert_int_equal(str_find(s, STR("abcabcabc"), 0), SIZE_MAX);
	assert_int_equal(str_find((struct str){0}, STR("a"), 0), SIZE_MAX);
	assert_int_equal(str_find((struct str){0}, STR(""), 0), 0);
	assert_int_equal(str_find_last(s, STR("abc")), 3);
	assert_int_equal(str_find_last(s, STR("ab")), 6);
	assert_int_equal(str_find_last(s, STR("")), 8);
	assert_int_equal(str_find_last(s, STR("x")), SIZE_MAX);
	assert_int_equal(str_find_last((struct str){0}, STR("x")), SIZE_MAX);
	assert_str(str_cut(s, 2, 4), STR("ca"));
	assert_str(str_cut(s, 6, 99), STR("ab"));
	assert_str(str_cut(s, 9, 99), STR(""));
	assert_str(str_cut(s, 4, 2), STR(""));
	assert_true(str_starts(s, STR("abca")));
	assert_false(str_starts(STR("ab"), STR("abc")));
	assert_true(str_eq((struct str){0}, STR("")));
}

static void lower_cased(void **state)
{
	struct arena a = {0};

	(void)state;
	assert_str(text_lower_ascii(&a, STR("M0001@[`Zz{\u00C9")), STR("m0001@[`zz{\u00C9"));
	assert_str(text_lower_ascii(&a, (struct str){0}), STR(""));
	arena_free(&a);
}

/* Published FNV-1a 64 values; a text hashes as its real UTF-8. */
static void hashed(void **state)
{
	char hex[17];

	(void)state;
	assert_true(fnv_bytes(FNV_START, "", 0) == UINT64_C(0xcbf29ce484222325));
	assert_true(fnv_bytes(FNV_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(fnv_bytes(FNV_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
	assert_true(fnv_text(FNV_START, STR("foobar")) == UINT64_C(0x85944171f73967e8));
	assert_true(fnv_text(FNV_START, (struct str){0}) == FNV_START);
	assert_true(fnv_text(FNV_START, STR("\u4F60\uD7FF" FACE)) ==
		    fnv_bytes(FNV_START, "\xE4\xBD\xA0\xED\x9F\xBF\xF0\x9F\x98\x80", 10));
	assert_true(fnv_text(FNV_START, STR("a" NUL "b")) == fnv_bytes(FNV_START, "a\0b", 3));
	assert_true(fnv_text(FNV_START, STR("a" HIGH LOW "b")) == fnv_bytes(FNV_START,
									    "a\xEF\xBF\xBD\xEF\xBF\xBD"
									    "b",
									    8));
	assert_true(fnv_u64(FNV_START, UINT64_C(0x666f6f6261720a00)) == fnv_bytes(FNV_START, "foobar\n\0", 8));
	fnv_hex(hex, UINT64_C(0x00ab54a98ceb1f0a));
	assert_string_equal(hex, "00ab54a98ceb1f0a");
	fnv_hex(hex, 0);
	assert_string_equal(hex, "0000000000000000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted),
		cmocka_unit_test(counted_at_every_offset),
		cmocka_unit_test(sliced),
		cmocka_unit_test(joined),
		cmocka_unit_test(decoded_and_encoded),
		cmocka_unit_test(any_bytes_stay_in_bounds),
		cmocka_unit_test(white_space),
		cmocka_unit_test(trimmed),
		cmocka_unit_test(searched),
		cmocka_unit_test(lower_cased),
		cmocka_unit_test(hashed),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
