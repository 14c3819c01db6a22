/* json: what is read, refused and written again (kernel.md 2.5), as a corpus and against node's JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/base/json.h"

#define ACCEPT(text, canon)                                                                                            \
	{                                                                                                              \
		text, sizeof(text) - 1, JSON_OK, 0, canon                                                              \
	}
#define REFUSE(text, at)                                                                                               \
	{                                                                                                              \
		text, sizeof(text) - 1, JSON_SYNTAX, at, NULL                                                          \
	}
#define TORN(text)                                                                                                     \
	{                                                                                                              \
		text, sizeof(text) - 1, JSON_TORN, sizeof(text) - 1, NULL                                              \
	}

#define NINES_70 "9999999999999999999999999999999999999999999999999999999999999999999999"
#define ZEROS_70 "0000000000000000000000000000000000000000000000000000000000000000000000"

static const struct {
	const char *text;
	size_t n;
	enum json_status status;
	size_t at;         /* where it went wrong */
	const char *canon; /* what is written again */
} corpus[] = {
	/* values and white space */
	ACCEPT("null", "null"),
	ACCEPT(" \t\r\ntrue \t\r\n", "true"),
	ACCEPT("false", "false"),
	ACCEPT("{}", "{}"),
	ACCEPT("[ ]", "[]"),
	ACCEPT("{ \"a\" : [ 1 , { } , [ ] ] }", "{\"a\":[1,{},[]]}"),
	ACCEPT("\"\"", "\"\""),
	REFUSE("\xEF\xBB\xBF{}", 0),
	REFUSE("{}\xEF\xBB\xBF", 2),
	REFUSE("\xC2\xA0null", 0),
	REFUSE("\vnull", 0),
	REFUSE("null null", 5),
	REFUSE("{}\0", 2),
	REFUSE("\0", 0),
	REFUSE("{}}", 2),
	REFUSE("[1]]", 3),
	REFUSE("// c\n1", 0),
	REFUSE("[1/**/]", 2),
	REFUSE("True", 0),
	REFUSE("nulL", 3),
	REFUSE("truex", 4),
	REFUSE("undefined", 0),
	REFUSE("NaN", 0),
	/* brackets, commas, colons */
	REFUSE("[1,]", 3),
	REFUSE("[,1]", 1),
	REFUSE("[1 2]", 3),
	REFUSE("{\"a\":1,}", 7),
	REFUSE("{,}", 1),
	REFUSE("{\"a\" 1}", 5),
	REFUSE("{\"a\",1}", 4),
	REFUSE("{a:1}", 1),
	REFUSE("{'a':1}", 1),
	REFUSE("{1:2}", 1),
	REFUSE("[1}", 2),
	REFUSE("{\"a\":1]", 6),
	REFUSE("[:]", 1),
	/* torn texts */
	TORN(""),
	TORN("  "),
	TORN("tru"),
	TORN("-"),
	TORN("1."),
	TORN("1e"),
	TORN("1e-"),
	TORN("\"abc"),
	TORN("\"abc\\"),
	TORN("\"abc\\u00"),
	TORN("\"\xE4\xBD"),
	TORN("["),
	TORN("[1"),
	TORN("[1,"),
	TORN("{"),
	TORN("{\"a\""),
	TORN("{\"a\":"),
	TORN("{\"a\":1,"),
	TORN("{\"a\":[{\"b\":\"c\"}"),
	/* numbers */
	ACCEPT("0", "0"),
	ACCEPT("-0", "0"),
	ACCEPT("[-0,-0.0,-0e5,0e0,0.0]", "[0,0,0,0,0]"),
	ACCEPT("1.0", "1"),
	ACCEPT("1E3", "1000"),
	ACCEPT("1e+3", "1000"),
	ACCEPT("100e-2", "1"),
	ACCEPT("0.000001", "0.000001"),
	ACCEPT("1e-7", "1e-7"),
	ACCEPT("1e21", "1e+21"),
	ACCEPT("12345678901234567890", "12345678901234567000"),
	ACCEPT("9007199254740991", "9007199254740991"),
	ACCEPT("9007199254740993", "9007199254740992"),
	ACCEPT("9223372036854775807", "9223372036854776000"),
	ACCEPT("-9223372036854775808", "-9223372036854776000"),
	ACCEPT("1758362400000123", "1758362400000123"),
	ACCEPT("1e400", "null"),
	ACCEPT("[-1e400,1e-400]", "[null,0]"),
	ACCEPT("5e-324", "5e-324"),
	ACCEPT("0.1", "0.1"),
	ACCEPT("0.1000000000000000055511151231257827021181583404541015625", "0.1"),
	ACCEPT("0." ZEROS_70 "25", "2.5e-71"),
	ACCEPT("-0." ZEROS_70 ZEROS_70 "0", "0"),
	ACCEPT(NINES_70, "1e+70"),
	ACCEPT("[-" NINES_70 "e-70,1]", "[-1,1]"),
	ACCEPT("{\"n\":" NINES_70 NINES_70 NINES_70 NINES_70 NINES_70 "}", "{\"n\":null}"),
	ACCEPT("1e0000000000000000000000000000000000000000000000000000000000000000000000001", "10"),
	REFUSE("012", 1),
	REFUSE("-012", 2),
	REFUSE("00", 1),
	REFUSE("+1", 0),
	REFUSE(".5", 0),
	REFUSE("-.5", 1),
	REFUSE("1.e5", 2),
	REFUSE("1e5.5", 3),
	REFUSE("0x10", 1),
	REFUSE("1_000", 1),
	REFUSE("--1", 1),
	REFUSE("-Infinity", 1),
	/* escapes */
	ACCEPT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\""),
	ACCEPT("\"\\u0041\\u00e9\\u4F60\"", "\"A\u00E9\u4F60\""),
	ACCEPT("\"\\u0022\\u005c\\u002f\\u000a\"", "\"\\\"\\\\/\\n\""),
	ACCEPT("\"\\u001f\\u0001\\u007f\\u2028\"", "\"\\u001f\\u0001\x7F\u2028\""),
	ACCEPT("\"\x7F\u2028\u2029\"", "\"\x7F\u2028\u2029\""),
	ACCEPT("\"a\\u0000b\"", "\"a\\u0000b\""),
	ACCEPT("\"\\u0000\"", "\"\\u0000\""),
	ACCEPT("\"\\ud83d\\ude00\"", "\"\U0001F600\""),
	ACCEPT("\"\\uD83D\\uDE00\"", "\"\U0001F600\""),
	ACCEPT("\"\\ud83d\"", "\"\\ud83d\""),
	ACCEPT("\"\\uDE00 \\uD83D\"", "\"\\ude00 \\ud83d\""),
	ACCEPT("\"\\ude00\\ud83d\"", "\"\\ude00\\ud83d\""),
	ACCEPT("\"\\ud83d\\ud83d\\ude00\\ude00\"", "\"\\ud83d\U0001F600\\ude00\""),
	ACCEPT("\"\\ud83d\\n\\ude00\"", "\"\\ud83d\\n\\ude00\""),
	ACCEPT("\"\\udbff\\udfff\"", "\"\U0010FFFF\""),
	REFUSE("\"\\x41\"", 2),
	REFUSE("\"\\'\"", 2),
	REFUSE("\"\\u12g4\"", 5),
	REFUSE("\"\\uX000\"", 3),
	REFUSE("\"\\u12\"", 5),
	REFUSE("\"\\U0041\"", 2),
	REFUSE("\"\\\0\"", 2),
	REFUSE("\"a\tb\"", 2),
	REFUSE("\"a\nb\"", 2),
	REFUSE("\"0123456789abcdef\x1F\"", 17),
	REFUSE("\"a\0b\"", 2),
	REFUSE("'a'", 0),
	/* bytes that are not UTF-8: one U+FFFD per maximal subpart; surrogates as bytes are not UTF-8 */
	ACCEPT("\"a\xFF"
	       "b\"",
	       "\"a\uFFFD"
	       "b\""),
	ACCEPT("\"\xC0\x80\"", "\"\uFFFD\uFFFD\""),
	ACCEPT("\"\xED\xA0\x80\"", "\"\uFFFD\uFFFD\uFFFD\""),
	ACCEPT("\"\xE4\xBD\"", "\"\uFFFD\""),
	ACCEPT("\"\xE4\xBD\xE4\xBD\xA0\"", "\"\uFFFD\u4F60\""),
	ACCEPT("\"\xF0\x9F\x98\"", "\"\uFFFD\""),
	ACCEPT("\"\xF0\x9F(\"", "\"\uFFFD(\""),
	ACCEPT("\"\xF0\x80\x80\x80\"", "\"\uFFFD\uFFFD\uFFFD\uFFFD\""),
	ACCEPT("\"\xF4\x90\x80\x80\"", "\"\uFFFD\uFFFD\uFFFD\uFFFD\""),
	ACCEPT("\"\xF8\x88\x80\x80\x80\"", "\"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\""),
	ACCEPT("\"\xE2\x82\\n\"", "\"\uFFFD\\n\""),
	ACCEPT("{\"\xFF\":1}", "{\"\uFFFD\":1}"),
	ACCEPT("\"\uFEFFx\"", "\"\uFEFFx\""),
	/* names: order, repeats, odd ones */
	ACCEPT("{\"b\":1,\"a\":2}", "{\"b\":1,\"a\":2}"),
	ACCEPT("{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}"),
	ACCEPT("{\"a\":1,\"\\u0061\":{\"x\":1,\"x\":2}}", "{\"a\":{\"x\":2}}"),
	ACCEPT("{\"A\":1,\"a\":2}", "{\"A\":1,\"a\":2}"),
	ACCEPT("{\"x\":0,\"10\":1,\"2\":2,\"y\":3,\"0\":4}", "{\"0\":4,\"2\":2,\"10\":1,\"x\":0,\"y\":3}"),
	ACCEPT("{\"2\":1,\"1\":2,\"2\":3}", "{\"1\":2,\"2\":3}"),
	ACCEPT("{\"01\":1,\"-1\":2,\"1.5\":3,\"1e1\":4,\"\":5,\" 1\":6,\"3\":7}",
	       "{\"3\":7,\"01\":1,\"-1\":2,\"1.5\":3,\"1e1\":4,\"\":5,\" 1\":6}"),
	ACCEPT("{\"4294967295\":1,\"4294967294\":2,\"99999999999\":3}",
	       "{\"4294967294\":2,\"4294967295\":1,\"99999999999\":3}"),
	ACCEPT("{\"__proto__\":{\"a\":1},\"constructor\":2}", "{\"__proto__\":{\"a\":1},\"constructor\":2}"),
	ACCEPT("{\"__proto__\":1,\"__proto__\":2}", "{\"__proto__\":2}"),
	ACCEPT("{\"a\\u0000b\":1,\"a\":2}", "{\"a\\u0000b\":1,\"a\":2}"),
	ACCEPT("[{\"b\":{\"1\":{\"k\":[{\"9\":0,\"8\":0}]},\"0\":0}}]",
	       "[{\"b\":{\"0\":0,\"1\":{\"k\":[{\"8\":0,\"9\":0}]}}}]"),
};

enum { CORPUS = sizeof corpus / sizeof *corpus };

/* The text in a block of exactly its size, so that reading past its end is found. */
static char *exact_copy(const char *text, size_t n)
{
	char *p = malloc(n ? n : 1);

	assert_non_null(p);
	memcpy(p, text, n);
	return p;
}

static void corpus_is_read_and_written(void **state)
{
	struct arena a = {0};
	struct buf b = {0};
	size_t i;

	(void)state;
	for (i = 0; i < CORPUS; i++) {
		char *text = exact_copy(corpus[i].text, corpus[i].n);
		enum json_status st;
		size_t at;
		cJSON *tree = json_tree(&a, (struct str){text, corpus[i].n}, &st, &at);

		if (st != corpus[i].status || (st != JSON_OK && at != corpus[i].at))
			fail_msg("row %zu: %s: status %d at %zu", i, corpus[i].text, (int)st, at);
		assert_int_equal(tree != NULL, st == JSON_OK);
		if (tree) {
			buf_cut(&b, 0);
			json_put(&b, tree);
			assert_string_equal(b.p, corpus[i].canon);
			buf_cut(&b, 0);
			json_put_span(&b, &a, (struct str){text, corpus[i].n});
			assert_string_equal(b.p, corpus[i].canon);
			/* what was written is canonical */
			buf_cut(&b, 0);
			json_put_span(&b, &a, str_of(corpus[i].canon));
			assert_string_equal(b.p, corpus[i].canon);
		}
		free(text);
		arena_free(&a);
	}
	buf_free(&b);
}

static void corpus_is_scanned(void **state)
{
	struct json_scan sc = {0};
	size_t i, cut;

	(void)state;
	for (i = 0; i < CORPUS; i++) {
		char *text = exact_copy(corpus[i].text, corpus[i].n);

		assert_int_equal(json_scan(text, corpus[i].n, &sc), corpus[i].status);
		assert_int_equal(sc.problem == NULL, corpus[i].status == JSON_OK);
		assert_int_equal(sc.at, corpus[i].status == JSON_OK ? corpus[i].n : corpus[i].at);
		free(text);
		if (corpus[i].status != JSON_OK)
			continue;
		/* a text cut short is torn (or, for a number or before white space, a whole value) */
		for (cut = 0; cut < corpus[i].n; cut++) {
			enum json_status st;

			text = exact_copy(corpus[i].text, cut);
			st = json_scan(text, cut, &sc);
			assert_true(st == JSON_TORN || st == JSON_OK);
			free(text);
		}
	}
	json_scan_free(&sc);
}

/* The same corpus through node's decoder and JSON; without node this test says so. */
static void corpus_agrees_with_node(void **state)
{
	static const char script[] =
		"node -e 'for(const h of process.argv.slice(1)){let s;try{s=JSON.stringify(JSON.parse("
		"new TextDecoder(\"utf-8\",{ignoreBOM:true}).decode(Buffer.from(h.slice(1),\"hex\"))))}"
		"catch(e){s=\"refused\"}process.stdout.write(s+\"\\n\")}'";
	struct buf command = {0};
	char *line = NULL;
	size_t cap = 0, i, k;
	FILE *node;

	(void)state;
	if (system("command -v node >/dev/null 2>&1") != 0) {
		print_message("skipped: no node to compare with\n");
		return;
	}
	buf_text(&command, script);
	for (i = 0; i < CORPUS; i++) {
		buf_text(&command, " x");
		for (k = 0; k < corpus[i].n; k++)
			buf_printf(&command, "%02x", (unsigned char)corpus[i].text[k]);
	}
	node = popen(command.p, "r");
	assert_non_null(node);
	for (i = 0; i < CORPUS; i++) {
		ssize_t n = getline(&line, &cap, node);

		assert_true(n > 0);
		line[n - 1] = '\0';
		assert_string_equal(corpus[i].canon ? corpus[i].canon : "refused", line);
	}
	assert_int_equal(pclose(node), 0);
	free(line);
	buf_free(&command);
}

/* A text of `depth` brackets, alternating [ and {"a":, closed again when `closed`. */
static struct buf nested(size_t depth, bool closed)
{
	struct buf b = {0};
	size_t i;

	for (i = 0; i < depth; i++)
		buf_text(&b, i % 2 ? "{\"a\":" : "[");
	if (closed)
		buf_text(&b, depth % 2 ? "" : "1");
	for (i = depth; closed && i-- > 0;)
		buf_text(&b, i % 2 ? "}" : "]");
	return b;
}

static void nesting_has_a_limit(void **state)
{
	static const size_t depths[] = {1, 2, 999, 1000, 1001, 1002, 100000};
	struct json_scan sc = {0};
	struct arena a = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof depths / sizeof *depths; i++) {
		struct buf text = nested(depths[i], true), out = {0};
		bool fits = depths[i] <= 1000;
		enum json_status st;
		size_t at;
		cJSON *tree = json_tree(&a, buf_view(&text), &st, &at);

		assert_int_equal(json_scan(text.p, text.n, &sc), fits ? JSON_OK : JSON_TOO_DEEP);
		assert_int_equal(st, fits ? JSON_OK : JSON_TOO_DEEP);
		/* 500 pairs of [ and {"a": come before the bracket beyond the limit */
		assert_int_equal(at, fits ? text.n : 500 * 6);
		assert_int_equal(sc.at, at);
		if (fits) {
			json_put(&out, tree);
			assert_true(str_eq(buf_view(&out), buf_view(&text)));
		}
		buf_free(&out);
		buf_free(&text);
	}
	{
		struct buf text = nested(100000, false);

		assert_int_equal(json_scan(text.p, text.n, &sc), JSON_TOO_DEEP);
		assert_int_equal(json_scan(text.p, 2000, &sc), JSON_TORN);
		buf_free(&text);
	}
	arena_free(&a);
	json_scan_free(&sc);
}

/* A string of every length around the word size, with every special byte at every place. */
static void specials_are_found_at_every_place(void **state)
{
	static const struct {
		const char *bytes;
		enum json_status status;
		const char *decoded;
	} special[] = {
		{"x", JSON_OK, "x"},
		{"\\n", JSON_OK, "\n"},
		{"\\u4f60", JSON_OK, "\u4F60"},
		{"\x1F", JSON_SYNTAX, NULL},
		{"\\x", JSON_SYNTAX, NULL},
		{"\u00E9", JSON_OK, "\u00E9"},
		{"\u4F60\u597D", JSON_OK, "\u4F60\u597D"},
		{"\xFF", JSON_OK, "\uFFFD"},
		{"\xED\xB0\x80\xE4\xBD\xA0", JSON_OK, "\uFFFD\uFFFD\uFFFD\u4F60"},
		{"\xE0\x80\x80\xE4\xBD\xA0", JSON_OK, "\uFFFD\uFFFD\uFFFD\u4F60"},
		{"\u0939\u0940\uFF21\uE000", JSON_OK, "\u0939\u0940\uFF21\uE000"},
		{"\U0001F600", JSON_OK, "\U0001F600"},
	};
	struct json_scan sc = {0};
	struct arena a = {0};
	size_t before, after, i;

	(void)state;
	for (i = 0; i < sizeof special / sizeof *special; i++)
		for (before = 0; before < 20; before++)
			for (after = 0; after < 20; after++) {
				struct buf text = {0}, want = {0};
				struct measure m;
				struct str got;

				buf_printf(&text, "\"%.*s%s%.*s\"", (int)before, "abcdefghijklmnopqrstuvwxyz",
					   special[i].bytes, (int)after, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
				assert_int_equal(json_scan(text.p, text.n, &sc), special[i].status);
				if (special[i].status != JSON_OK) {
					assert_in_range(sc.at, 1 + before, 2 + before);
					buf_free(&text);
					continue;
				}
				buf_printf(&want, "%.*s%s%.*s", (int)before, "abcdefghijklmnopqrstuvwxyz",
					   special[i].decoded, (int)after, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
				assert_int_equal(sc.value.plain, strcmp(special[i].bytes, special[i].decoded) == 0);
				got = json_decode(&a, text.p, sc.value);
				assert_true(str_eq(got, buf_view(&want)));
				m = json_measure(text.p, sc.value);
				assert_int_equal(m.units, text_measure(got).units);
				assert_int_equal(m.cjk, text_measure(got).cjk);
				buf_free(&text);
				buf_free(&want);
			}
	arena_free(&a);
	json_scan_free(&sc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corpus_is_read_and_written),        cmocka_unit_test(corpus_is_scanned),
		cmocka_unit_test(corpus_agrees_with_node),           cmocka_unit_test(nesting_has_a_limit),
		cmocka_unit_test(specials_are_found_at_every_place),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
