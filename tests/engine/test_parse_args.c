/* parse_args: kernel.md 7. The cases of 7.10 and more are data: tests/cases/parse_args.jsonl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "engine/kernel/lenient.h"
#include "engine/kernel/parse_args.h"
#include "tests/case_file.h"

#define CASES "tests/cases/parse_args.jsonl"

/* What parse_args_write must give: the members of `expect`; rawPrefix is the whole text where it says nothing. */
static struct str expected(struct arena *a, const cJSON *expect, struct str text)
{
	struct buf b = {0};
	const cJSON *m;
	cJSON_ArrayForEach (m, expect) {
		buf_char(&b, b.n > 0 ? ',' : '{');
		json_put_str(&b, str_of(m->string));
		buf_char(&b, ':');
		if (strcmp(m->string, "rawPrefix") == 0)
			json_put_str(&b, case_expand(a, json_str(m)));
		else
			json_put(&b, m);
		if (strcmp(m->string, "length") == 0 && !json_get(expect, "rawPrefix")) {
			buf_text(&b, ",\"rawPrefix\":");
			json_put_str(&b, text);
		}
	}
	buf_char(&b, '}');
	struct str out = {arena_copy(a, b.p, b.n), b.n};
	buf_free(&b);
	return out;
}

static void run_case(const cJSON *one, void *ctx)
{
	struct arena a = {0};
	struct parse_result r;
	struct buf got = {0};
	struct str text = json_str(json_get(one, "text"));
	struct str call = json_str(json_get(one, "callId"));
	(void)ctx;

	if (text.p) {
		text = case_expand(&a, text);
		parse_args_text(&a, text, call, &r);
	} else {
		parse_args_value(&a, json_get(one, "value"), call, &r);
	}
	parse_args_write(&got, &r);
	case_expect_text(one, "answer", buf_view(&got), expected(&a, json_get(one, "expect"), text));
	buf_free(&got);
	arena_free(&a);
}

static void cases_of_the_specification(void **state)
{
	(void)state;
	case_file_each(CASES, run_case, NULL);
}

/* A text given as a decoded JSON string is text input. */
static void run_as_value(const cJSON *one, void *ctx)
{
	struct arena a = {0};
	struct parse_result as_text, as_value;
	struct buf want = {0}, got = {0};
	const cJSON *text = json_get(one, "text");
	(void)ctx;

	if (!text)
		return;
	parse_args_text(&a, json_str(text), STR("k"), &as_text);
	parse_args_value(&a, text, STR("k"), &as_value);
	parse_args_write(&want, &as_text);
	parse_args_write(&got, &as_value);
	case_expect_text(one, "answer to a string value", buf_view(&got), buf_view(&want));
	buf_free(&want);
	buf_free(&got);
	arena_free(&a);
}

static void string_values_are_text(void **state)
{
	(void)state;
	case_file_each(CASES, run_as_value, NULL);
}

/* Parses a value, ends the life of the value and of the call id, and reads the result after that. */
static void results_outlive_their_input(void **state)
{
	static const char value[] =
		"{\"content\":[{\"startRef\":\"m1\",\"endRef\":\"m2\",\"summary\":\"s\"}],\"topic\":\"T\"}";
	struct arena input = {0}, a = {0};
	struct parse_result r;
	char *call = malloc(2);
	(void)state;

	memcpy(call, "c1", 2);
	parse_args_value(&a, json_tree(&input, str_of(value), NULL, NULL), (struct str){call, 2}, &r);
	arena_free(&input);
	memset(call, '?', 2);
	free(call);

	assert_int_equal(r.n, 1);
	assert_true(str_eq(r.ranges[0].start, STR("m1")));
	assert_true(str_eq(r.ranges[0].end, STR("m2")));
	assert_true(str_eq(r.ranges[0].summary, STR("s")));
	assert_true(str_eq(r.ranges[0].topic, STR("T")));
	assert_true(str_eq(r.ranges[0].call, STR("c1")));
	assert_true(str_eq(r.keys[0], STR("content")));
	assert_true(str_eq(r.keys[1], STR("topic")));
	arena_free(&a);
}

/* kernel.md 7.4 step 6: an entry's own topic and limit stay. */
static void top_level_members_are_inherited(void **state)
{
	static const char text[] = "{\"topic\":\"T\",\"summaryMaxChars\":7,\"content\":["
				   "{\"messageId\":\"m1\",\"summary\":\"a\",\"summaryMaxChars\":9},"
				   "{\"messageId\":\"m2\",\"summary\":\"b\",\"topic\":\"own\"}]}";
	struct arena a = {0};
	struct parse_result r;
	(void)state;

	parse_args_text(&a, str_of(text), (struct str){0}, &r);
	assert_int_equal(r.n, 2);
	assert_true(str_eq(r.ranges[0].topic, STR("T")));
	assert_true(r.ranges[0].max_chars == 9);
	assert_true(str_eq(r.ranges[1].topic, STR("own")));
	assert_true(r.ranges[1].max_chars == 7);
	assert_false(r.ranges[0].has_call);
	arena_free(&a);
}

static struct str repeat(struct arena *a, struct str head, struct str piece, size_t count)
{
	struct buf b = {0};
	buf_str(&b, head);
	for (size_t i = 0; i < count; i++)
		buf_str(&b, piece);
	struct str out = {arena_copy(a, b.p, b.n), b.n};
	buf_free(&b);
	return out;
}

/*
 * Texts made to need quadratic time from a careless parser: a quarter of a
 * million repetitions would take minutes there. The answer follows from the
 * rules: nothing is readable, and brackets or a string stay open or do not.
 */
static void hostile_texts_take_linear_time(void **state)
{
	static const struct {
		const char *head, *piece;
		enum parse_kind kind;
		size_t invalid;
	} rows[] = {
		{"{\"content\":[", "{", PARSE_TRUNCATED, 0},
		{"", "[", PARSE_TRUNCATED, 0},
		{"", "\"content\"", PARSE_MALFORMED_JSON, 0},
		{"", "\"content\" : \t", PARSE_MALFORMED_JSON, 0},
		{"[", ",         ", PARSE_TRUNCATED, 0},
		{"", "{\"content\":[", PARSE_TRUNCATED, 0},
		{"{\"content\":[", "{},", PARSE_TRUNCATED, 250000},
		{"{\"content\":[", "{\"a\n", PARSE_TRUNCATED, 0},
		{"", "```\n", PARSE_MALFORMED_JSON, 0},
		{"\"", "\\", PARSE_TRUNCATED, 0},
		{"", "}", PARSE_MALFORMED_JSON, 0},
	};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct arena a = {0};
		struct parse_result r;
		struct str text = repeat(&a, str_of(rows[i].head), str_of(rows[i].piece), 250000);
		parse_args_text(&a, text, (struct str){0}, &r);
		if (r.kind != rows[i].kind || r.invalid_items != rows[i].invalid || r.n != 0)
			fail_msg("%s%s...: %s, %zu invalid, %zu ranges", rows[i].head, rows[i].piece,
				 parse_kind_name(r.kind), r.invalid_items, r.n);
		assert_int_equal(r.length, text.n);
		assert_int_equal(r.raw_prefix.n, RAW_PREFIX_UNITS);
		arena_free(&a);
	}
}

/* A document whose only entry holds arrays until `depth` brackets are open at once. */
static struct str nested(struct arena *a, size_t depth)
{
	struct buf b = {0};
	buf_text(&b, "{\"content\":[{\"messageId\":\"m1\",\"summary\":\"s\",\"x\":");
	for (size_t i = 3; i < depth; i++)
		buf_char(&b, '[');
	for (size_t i = 3; i < depth; i++)
		buf_char(&b, ']');
	buf_text(&b, "}]}");
	struct str out = {arena_copy(a, b.p, b.n), b.n};
	buf_free(&b);
	return out;
}

/* What is nested deeper than JSON_DEPTH_MAX does not parse; an entry is two levels above its document. */
static void nesting_has_a_limit(void **state)
{
	static const struct {
		size_t depth, n;
		enum parse_kind kind;
	} rows[] = {
		{JSON_DEPTH_MAX, 1, PARSE_OK},
		{JSON_DEPTH_MAX + 1, 1, PARSE_TRUNCATED},
		{JSON_DEPTH_MAX + 2, 1, PARSE_TRUNCATED},
		{JSON_DEPTH_MAX + 3, 0, PARSE_MALFORMED_JSON},
		{1000000, 0, PARSE_MALFORMED_JSON},
	};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct arena a = {0};
		struct parse_result r;
		parse_args_text(&a, nested(&a, rows[i].depth), (struct str){0}, &r);
		assert_int_equal(r.n, rows[i].n);
		assert_string_equal(parse_kind_name(r.kind), parse_kind_name(rows[i].kind));
		arena_free(&a);
	}
}

/* Every prefix of a whole document must be read without touching a byte behind it (the copy is exactly as long). */
static void every_prefix_is_read_in_bounds(void **state)
{
	static const char text[] = "```json\n{\"content\": [{\"startRef\":\"m1\",\"endRef\":\"\\u00e9\xed\xa0\xbd\","
				   "\"summary\":\"\xc0\x80\n\\\\\\\"\"},{\"a\":[1,{}],},],\"n\":-1.5e3}\n```";
	(void)state;

	for (size_t n = 0; n < sizeof text; n++) {
		struct arena a = {0};
		struct parse_result r;
		char *copy = malloc(n > 0 ? n : 1);
		memcpy(copy, text, n);
		parse_args_text(&a, (struct str){copy, n}, (struct str){0}, &r);
		free(copy);
		assert_int_equal(r.n, 0);
		assert_in_range(r.kind, PARSE_OK, PARSE_MALFORMED_JSON);
		assert_true(r.has_text);
		arena_free(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_of_the_specification),     cmocka_unit_test(string_values_are_text),
		cmocka_unit_test(results_outlive_their_input),    cmocka_unit_test(top_level_members_are_inherited),
		cmocka_unit_test(hostile_texts_take_linear_time), cmocka_unit_test(nesting_has_a_limit),
		cmocka_unit_test(every_prefix_is_read_in_bounds),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
