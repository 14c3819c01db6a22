#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/kernel/state.h"
#include "tests/case_file.h"

/* A member of a case given as JSON text (for what JSON in JSON cannot say), or as the value itself. */
static struct str as_text(struct arena *a, const cJSON *node)
{
	struct buf b = {0};
	if (cJSON_IsString(node))
		return json_str(node);
	json_put(&b, node);
	struct str text = {arena_copy(a, b.p, b.n), b.n};
	buf_free(&b);
	return text;
}

static void check_load(const cJSON *one, const cJSON *stored, struct arena *a)
{
	struct names names;
	struct state s;
	struct error e = {0};
	struct config config = config_default(100000);
	struct buf out = {0};
	struct str error = json_str(json_get(one, "error"));
	names_init(&names);
	state_init(&s, &names, (struct texts){0}, &config);
	enum status st = state_load(&s, stored, &e);
	if (st != (error.p ? STATUS_DATA : STATUS_OK))
		case_fail(one, "status %d: %s", (int)st, e.message);
	if (error.p && !strstr(e.message, error.p))
		case_fail(one, "message: %s", e.message);
	if (json_get(one, "written")) {
		state_write(&s, &out);
		case_expect_text(one, "written", buf_view(&out), as_text(a, json_get(one, "written")));
	}
	buf_free(&out);
	state_free(&s);
	names_free(&names);
}

static void check_case(const cJSON *one, void *ctx)
{
	struct arena a = {0};
	struct buf out = {0};
	const cJSON *stored = json_tree(&a, as_text(&a, json_get(one, "state")), NULL, NULL);
	(void)ctx;
	check_load(one, stored, &a);
	if (json_get(one, "merged")) {
		state_merge(stored, &out);
		case_expect_text(one, "merged", buf_view(&out), as_text(&a, json_get(one, "merged")));
	}
	buf_free(&out);
	arena_free(&a);
}

static void test_cases(void **unused)
{
	(void)unused;
	case_file_each("tests/cases/state_store.jsonl", check_case, NULL);
}

static enum status load_text(const struct buf *text, struct error *e)
{
	struct arena a = {0};
	struct names names;
	struct state s;
	struct config config = config_default(100000);
	names_init(&names);
	state_init(&s, &names, (struct texts){0}, &config);
	const cJSON *tree = json_tree(&a, buf_view(text), NULL, NULL);
	assert_non_null(tree);
	enum status st = state_load(&s, tree, e);
	state_free(&s);
	names_free(&names);
	arena_free(&a);
	return st;
}

/* Quadratic in nothing: what only a hostile hand writes is loaded in time, or refused. */
static void test_hostile(void **unused)
{
	struct buf text = {0};
	struct error e = {0};
	(void)unused;
	buf_text(&text, "{\"messageRefs\":{\"byRaw\":{");
	for (int i = 0; i < 200000; i++)
		buf_printf(&text, "%s\"i%d\":\"odd %d\"", i ? "," : "", i, i);
	buf_text(&text, "}}}");
	assert_int_equal(load_text(&text, &e), STATUS_OK);
	buf_cut(&text, 0);
	buf_text(&text, "{\"blocks\":[");
	for (int i = 0; i < 100000; i++)
		buf_printf(&text, "%s{\"blockId\":\"b1\",\"directBlockIds\":[\"b1\"]}", i ? "," : "");
	buf_text(&text, "]}");
	assert_int_equal(load_text(&text, &e), STATUS_DATA);
	assert_non_null(strstr(e.message, "share an id"));
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_hostile),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
