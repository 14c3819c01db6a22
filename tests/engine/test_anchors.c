/* anchors: kernel.md 4.5.2 and 4.5.3. The cases of 10.6 and more are data: tests/cases/anchors.jsonl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "engine/kernel/anchors.h"
#include "tests/case_file.h"

enum { KEYS_MAX = 8 };

static size_t read_keys(const cJSON *one, struct anchor_key keys[KEYS_MAX])
{
	size_t n = 0;
	const cJSON *pair;
	cJSON_ArrayForEach (pair, json_get(one, "live")) {
		if (n == KEYS_MAX || !pair->child || !pair->child->next)
			case_fail(one, "live must hold up to %d pairs", KEYS_MAX);
		keys[n++] = (struct anchor_key){json_str(pair->child), json_str(pair->child->next)};
	}
	return n;
}

static void run_form(const cJSON *one, enum anchor_form form, const char *member)
{
	struct arena a = {0};
	struct anchor_key keys[KEYS_MAX];
	size_t n = read_keys(one, keys);
	struct str text = case_expand(&a, json_str(json_get(one, "text")));
	struct str want = json_str(json_get(one, member)), got = {0};

	bool changed = anchors_rewrite(&a, form, text, keys, n, cJSON_IsTrue(json_get(one, "legacy")), &got);
	if (!want.p && changed)
		case_expect_text(one, member, got, text);
	if (changed != (want.p != NULL))
		case_fail(one, "%s: %s", member, changed ? "said to be changed" : "not changed");
	if (changed)
		case_expect_text(one, member, got, case_expand(&a, want));
	arena_free(&a);
}

static void run_case(const cJSON *one, void *ctx)
{
	(void)ctx;
	if (!json_str(json_get(one, "text")).p)
		case_fail(one, "no text");
	run_form(one, ANCHOR_FULL, "full");
	run_form(one, ANCHOR_SLIM, "slim");
}

static void cases_of_the_specification(void **state)
{
	(void)state;
	case_file_each("tests/cases/anchors.jsonl", run_case, NULL);
}

/* 100,000 entries against as many keys: a comparison of each with each would take minutes. */
static void many_entries_and_keys(void **state)
{
	enum { COUNT = 100000 };
	struct arena a = {0};
	struct anchor_key *keys = arena_zero(&a, COUNT, sizeof *keys);
	struct buf text = {0}, want = {0};
	struct str got;
	(void)state;

	buf_text(&text, "{\"content\":[");
	buf_text(&want, "{\"content\":[");
	for (int i = 0; i < COUNT; i++) {
		char entry[64], name[16];
		snprintf(name, sizeof name, "m%d", i);
		snprintf(entry, sizeof entry, "{\"startId\":\"m%d\",\"endId\":\"e\"}", i);
		buf_text(&text, i > 0 ? "," : "");
		buf_text(&text, entry);
		/* every second entry is live; the others' keys end in something else */
		keys[i].start = (struct str){arena_copy(&a, name, strlen(name)), strlen(name)};
		keys[i].end = i % 2 ? STR("f") : STR("e");
		if (i % 2 == 0) {
			buf_text(&want, i > 0 ? "," : "");
			buf_text(&want, entry);
		}
	}
	buf_text(&text, "]}");
	buf_text(&want, "]}");
	assert_true(anchors_rewrite(&a, ANCHOR_FULL, buf_view(&text), keys, COUNT, false, &got));
	assert_true(str_eq(got, buf_view(&want)));
	assert_true(anchors_rewrite(&a, ANCHOR_SLIM, buf_view(&text), keys, COUNT, false, &got));
	assert_true(str_eq(got, buf_view(&want)));
	buf_free(&text);
	buf_free(&want);
	arena_free(&a);
}

/* Absent text, and absent keys in a live pair, are empty ones. */
static void absent_texts_are_empty(void **state)
{
	struct arena a = {0};
	struct anchor_key none = {{NULL, 0}, {NULL, 0}};
	struct str got;
	(void)state;

	assert_false(anchors_rewrite(&a, ANCHOR_FULL, (struct str){0}, &none, 1, false, &got));
	assert_false(anchors_rewrite(&a, ANCHOR_SLIM, (struct str){0}, NULL, 0, false, &got));
	assert_true(anchors_rewrite(&a, ANCHOR_FULL, STR("{\"content\":[1,{}]}"), &none, 1, false, &got));
	assert_true(str_eq(got, STR("{\"content\":[{}]}")));
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_of_the_specification),
		cmocka_unit_test(many_entries_and_keys),
		cmocka_unit_test(absent_texts_are_empty),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
