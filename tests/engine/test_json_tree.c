/* json: spans, members, decoded strings, trees and the writers (kernel.md 2.5). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/base/json.h"

static void assert_span(const char *text, struct json_span span, enum json_kind kind, const char *want)
{
	assert_int_equal(span.kind, kind);
	assert_int_equal(span.n, strlen(want));
	assert_memory_equal(text + span.at, want, span.n);
}

static void members_are_spans_in_text_order(void **state)
{
	static const char text[] =
		" {\"type\" : \"message\",\"n\":-1.5e3, \"deep\":{\"type\":[1,{\"id\":2}]},\"l\":[ [ ] , 3 ],"
		"\"t\":true,\"f\":false,\"z\":null,\"e\":{},\"type\":\"last\"} ";
	static const struct {
		const char *key;
		enum json_kind kind;
		const char *value;
	} want[] = {
		{"\"type\"", JSON_STRING, "\"message\""},
		{"\"n\"", JSON_NUMBER, "-1.5e3"},
		{"\"deep\"", JSON_OBJECT, "{\"type\":[1,{\"id\":2}]}"},
		{"\"l\"", JSON_ARRAY, "[ [ ] , 3 ]"},
		{"\"t\"", JSON_TRUE, "true"},
		{"\"f\"", JSON_FALSE, "false"},
		{"\"z\"", JSON_NULL, "null"},
		{"\"e\"", JSON_OBJECT, "{}"},
		{"\"type\"", JSON_STRING, "\"last\""},
	};
	struct json_scan sc = {0};
	size_t i;

	(void)state;
	assert_int_equal(json_scan(text, sizeof text - 1, &sc), JSON_OK);
	assert_int_equal(sc.value.at, 1);
	assert_int_equal(sc.value.n, sizeof text - 3);
	assert_int_equal(sc.value.kind, JSON_OBJECT);
	assert_int_equal(sc.members.n, sizeof want / sizeof *want);
	assert_int_equal(sc.items.n, 0);
	for (i = 0; i < sc.members.n; i++) {
		assert_span(text, sc.members.v[i].key, JSON_STRING, want[i].key);
		assert_span(text, sc.members.v[i].value, want[i].kind, want[i].value);
	}
	assert_span(text, *json_member(text, &sc, "type"), JSON_STRING, "\"last\"");
	assert_span(text, *json_member(text, &sc, "l"), JSON_ARRAY, "[ [ ] , 3 ]");
	assert_null(json_member(text, &sc, "id"));
	assert_null(json_member(text, &sc, "Type"));
	assert_null(json_member(text, &sc, "typ"));
	assert_null(json_member(text, &sc, ""));
	json_scan_free(&sc);
}

static void items_are_spans(void **state)
{
	static const char text[] = "[1,[2,3],{\"a\":[4]},\"x\",[]]";
	struct json_scan sc = {0};

	(void)state;
	assert_int_equal(json_scan(text, sizeof text - 1, &sc), JSON_OK);
	assert_int_equal(sc.items.n, 5);
	assert_int_equal(sc.members.n, 0);
	assert_span(text, sc.items.v[0], JSON_NUMBER, "1");
	assert_span(text, sc.items.v[1], JSON_ARRAY, "[2,3]");
	assert_span(text, sc.items.v[2], JSON_OBJECT, "{\"a\":[4]}");
	assert_span(text, sc.items.v[3], JSON_STRING, "\"x\"");
	assert_span(text, sc.items.v[4], JSON_ARRAY, "[]");
	/* a scan is reused for the next line */
	assert_int_equal(json_scan("\"s\"", 3, &sc), JSON_OK);
	assert_int_equal(sc.items.n, 0);
	assert_int_equal(sc.value.kind, JSON_STRING);
	assert_true(sc.value.plain);
	json_scan_free(&sc);
}

static void member_names_are_compared_decoded(void **state)
{
	static const char text[] =
		"{\"\\u0069d\":1,\"i\\u0064x\":2,\"a\\nb\":3,\"\\ud83d\\ude00\":4,\"\xFF\":5,\"n\\u0000\":6}";
	static const struct {
		const char *name, *value;
	} want[] = {{"id", "1"}, {"idx", "2"}, {"a\nb", "3"}, {"\U0001F600", "4"}, {"\uFFFD", "5"}, {"n\xC0\x80", "6"}};
	struct json_scan sc = {0};
	size_t i;

	(void)state;
	assert_int_equal(json_scan(text, sizeof text - 1, &sc), JSON_OK);
	for (i = 0; i < sizeof want / sizeof *want; i++)
		assert_span(text, *json_member(text, &sc, want[i].name), JSON_NUMBER, want[i].value);
	assert_null(json_member(text, &sc, "i"));
	assert_null(json_member(text, &sc, "n"));
	json_scan_free(&sc);
}

static void strings_are_decoded(void **state)
{
	static const struct {
		struct str text, want;
		uint32_t units, cjk;
		bool plain;
	} rows[] = {
		{STR("\"\""), STR(""), 0, 0, true},
		{STR("\"abc \u4F60\""), STR("abc \u4F60"), 5, 1, true},
		{STR("\"a\\u0000b\""),
		 STR("a\xC0\x80"
		     "b"),
		 3, 0, false},
		{STR("\"\\ud800\""), STR("\xED\xA0\x80"), 1, 0, false},
		{STR("\"\\udfff\\ud800\""), STR("\xED\xBF\xBF\xED\xA0\x80"), 2, 0, false},
		{STR("\"\\ud83d\\ude00\""), STR("\U0001F600"), 2, 0, false},
		{STR("\"\\u4f60\\u597D\\u3042\\uac00\\u3400\""), STR("\u4F60\u597D\u3042\uAC00\u3400"), 5, 4, false},
		{STR("\"\\u4f60\u597D\xFF\u4E16\""), STR("\u4F60\u597D\uFFFD\u4E16"), 4, 3, false},
		{STR("\"\xFF\xFE\xFD\xFC\xFB\xFA\xF9\xF8\xFF\""),
		 STR("\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"), 9, 0, false},
		{STR("\"\\n\\n\\n\\n\\n\\n\\n\\n\xFF\\n\""), STR("\n\n\n\n\n\n\n\n\uFFFD\n"), 10, 0, false},
		{STR("\"\\\\\\\"\\/\\b\\f\\r\\t\""), STR("\\\"/\b\f\r\t"), 7, 0, false},
	};
	struct json_scan sc = {0};
	struct arena a = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct measure m;
		struct str got;

		assert_int_equal(json_scan(rows[i].text.p, rows[i].text.n, &sc), JSON_OK);
		assert_int_equal(sc.value.plain, rows[i].plain);
		got = json_decode(&a, rows[i].text.p, sc.value);
		assert_int_equal(got.n, rows[i].want.n);
		assert_memory_equal(got.p, rows[i].want.p, got.n);
		assert_int_equal(got.p == rows[i].text.p + 1, rows[i].plain);
		m = json_measure(rows[i].text.p, sc.value);
		assert_int_equal(m.units, rows[i].units);
		assert_int_equal(m.cjk, rows[i].cjk);
	}
	assert_int_equal(json_scan("12", 2, &sc), JSON_OK);
	assert_null(json_decode(&a, "12", sc.value).p);
	assert_int_equal(json_measure("12", sc.value).units, 0);
	arena_free(&a);
	json_scan_free(&sc);
}

static void trees_hold_exact_values(void **state)
{
	struct arena a = {0};
	const cJSON *tree = json_tree(
		&a,
		STR("{\"i\":9007199254740993,\"z\":-0,\"inf\":-1e999,\"s\":\"a\\u0000\\ud800\",\"n\":null,\"i\":0.1}"),
		NULL, NULL);
	double x = 5;

	(void)state;
	assert_non_null(tree);
	assert_true(json_num(json_get(tree, "i"), &x));
	assert_true(x == 0.1);
	assert_true(json_num(json_get(tree, "z"), &x));
	assert_true(x == 0 && signbit(x));
	assert_true(json_num(json_get(tree, "inf"), &x));
	assert_true(isinf(x) && x < 0);
	assert_true(str_eq(json_str(json_get(tree, "s")), STR("a\xC0\x80\xED\xA0\x80")));
	assert_true(cJSON_IsNull(json_get(tree, "n")));
	assert_false(json_num(json_get(tree, "n"), &x));
	assert_false(json_num(NULL, &x));
	assert_null(json_str(json_get(tree, "i")).p);
	assert_null(json_str(NULL).p);
	assert_null(json_get(tree, "S"));
	assert_null(json_get(NULL, "s"));
	assert_null(json_get(json_get(tree, "s"), "s"));
	arena_free(&a);
}

/* cJSON's own links: every walk over a reordered object, either way, meets each member once. */
static void reordered_objects_are_well_linked(void **state)
{
	static const char *want[] = {"1", "7", "30", "b", "a", "c"};
	struct arena a = {0};
	const cJSON *tree =
		json_tree(&a, STR("{\"b\":1,\"30\":2,\"a\":3,\"7\":4,\"b\":5,\"c\":6,\"1\":7,\"a\":8}"), NULL, NULL);
	const cJSON *child;
	size_t i = 0;

	(void)state;
	assert_int_equal(cJSON_GetArraySize(tree), 6);
	cJSON_ArrayForEach (child, tree) {
		assert_string_equal(child->string, want[i]);
		assert_true(i == 0 ? child->prev->next == NULL : child->prev->next == child);
		i++;
	}
	assert_string_equal(tree->child->prev->string, "c");
	arena_free(&a);
}

/* 100,000 members of 50,000 names: first places, last values, and not quadratic. */
static void large_objects(void **state)
{
	enum { NAMES = 50000 };
	struct buf text = {0};
	struct arena a = {0};
	const cJSON *tree, *child;
	size_t i;

	(void)state;
	for (i = 0; i < 2 * NAMES; i++)
		buf_printf(&text, "%s\"k%zu\":%zu", i ? "," : "{", i * 7919 % NAMES, i);
	buf_char(&text, '}');
	tree = json_tree(&a, buf_view(&text), NULL, NULL);
	assert_non_null(tree);
	i = 0;
	cJSON_ArrayForEach (child, tree) {
		char name[16];

		/* 7919 and 50000 have no common factor: each name comes once in each half, in the same order */
		snprintf(name, sizeof name, "k%zu", i * 7919 % NAMES);
		assert_string_equal(child->string, name);
		assert_true(child->valuedouble == (double)(i + NAMES));
		i++;
	}
	assert_int_equal(i, NAMES);
	arena_free(&a);
	buf_free(&text);
}

static void trees_go_with_their_arena(void **state)
{
	struct arena a = {0};
	struct arena_mark m = arena_mark(&a);
	int i;

	(void)state;
	/* a tree not given back would be found by the leak checker */
	for (i = 0; i < 100; i++) {
		assert_non_null(json_tree(&a, STR("[[1,2],{\"a\":\"b\"}]"), NULL, NULL));
		arena_release(&a, m);
	}
	assert_non_null(json_tree(&a, STR("{\"a\":1}"), NULL, NULL));
	assert_null(json_tree(&a, (struct str){0}, NULL, NULL));
	arena_free(&a);
}

static void strings_are_written(void **state)
{
	static const struct {
		struct str text;
		const char *want;
	} rows[] = {
		{{NULL, 0}, "\"\""},
		{STR("plain /\x7F\u2028\u4F60\U0001F600"), "\"plain /\x7F\u2028\u4F60\U0001F600\""},
		{STR("\"\\\b\f\n\r\t"), "\"\\\"\\\\\\b\\f\\n\\r\\t\""},
		{STR("\x01\x0B\x1F"), "\"\\u0001\\u000b\\u001f\""},
		{STR("\xC0\x80"), "\"\\u0000\""},
		{STR("\xED\xA0\x80 \xED\xBF\xBF"), "\"\\ud800 \\udfff\""},
		{STR("\xED\x9F\xBF"), "\"\uD7FF\""},
	};
	struct buf b = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		buf_cut(&b, 0);
		json_put_str(&b, rows[i].text);
		assert_string_equal(b.p, rows[i].want);
	}
	buf_cut(&b, 0);
	json_put_num(&b, 1e21);
	json_put_num(&b, NAN);
	json_put_num(&b, -1.5);
	assert_string_equal(b.p, "1e+21null-1.5");
	buf_free(&b);
}

/* Values that look canonical but are not, and the reverse, at the limits of the copying shortcut. */
static void spans_are_written_canonically(void **state)
{
	struct arena a = {0};
	struct buf b = {0}, deep = {0}, wide = {0};
	int i;

	(void)state;
	for (i = 0; i < 40; i++)
		buf_text(&deep, "{\"a\":[");
	for (i = 0; i < 40; i++)
		buf_text(&deep, "]}");
	json_put_span(&b, &a, buf_view(&deep));
	assert_string_equal(b.p, deep.p);
	/* 100 names, of which the last repeats the first */
	for (i = 0; i < 100; i++)
		buf_printf(&wide, "%s\"n%d\":%d", i ? "," : "{", i % 99, i);
	buf_char(&wide, '}');
	buf_cut(&b, 0);
	json_put_span(&b, &a, buf_view(&wide));
	assert_true(str_starts(buf_view(&b), STR("{\"n0\":99,\"n1\":1,")));
	assert_string_equal(b.p + b.n - 9, "\"n98\":98}");
	/* names of sibling objects do not count as repeats, nor those of the object around */
	buf_cut(&b, 0);
	json_put_span(&b, &a, STR("{\"a\":[{\"a\":1},{\"a\":2}],\"b\":{\"a\":\"b\"},\"c\":-12}"));
	assert_string_equal(b.p, "{\"a\":[{\"a\":1},{\"a\":2}],\"b\":{\"a\":\"b\"},\"c\":-12}");
	buf_cut(&b, 0);
	json_put_span(&b, &a, STR("{\"b\":{\"x\":1},\"a\":0,\"b\":2}"));
	assert_string_equal(b.p, "{\"b\":2,\"a\":0}");
	assert_int_equal(a.used, 0);
	buf_free(&b);
	buf_free(&deep);
	buf_free(&wide);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_spans_in_text_order),
		cmocka_unit_test(items_are_spans),
		cmocka_unit_test(member_names_are_compared_decoded),
		cmocka_unit_test(strings_are_decoded),
		cmocka_unit_test(trees_hold_exact_values),
		cmocka_unit_test(reordered_objects_are_well_linked),
		cmocka_unit_test(large_objects),
		cmocka_unit_test(trees_go_with_their_arena),
		cmocka_unit_test(strings_are_written),
		cmocka_unit_test(spans_are_written_canonically),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
