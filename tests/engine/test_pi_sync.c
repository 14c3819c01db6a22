/* pi_sync: pi.md 4.3. The rows of part 10 and the numbers of 4.4 are data: tests/cases/pi_sync.jsonl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/host/pi_sync.h"
#include "tests/case_file.h"

static enum pi_sync mode_of(const cJSON *one)
{
	struct str mode = json_str(json_get(one, "mode"));
	return str_eq(mode, STR("off")) ? PI_SYNC_OFF : str_eq(mode, STR("merged")) ? PI_SYNC_MERGED : PI_SYNC_ON;
}

/* A member of the case with its repeats written out, as JSON; "null" where there is none. */
static struct str written(struct arena *a, const cJSON *node)
{
	struct buf b = {0};
	json_put(&b, node);
	struct str json = case_expand(a, buf_view(&b));
	buf_free(&b);
	return json;
}

static struct str after(struct arena *a, const cJSON *block, struct pi_synced s)
{
	struct buf b = {0};
	if (s.outcome != PI_SYNC_CHANGED)
		json_put(&b, json_get(block, "arguments"));
	else if (s.text.p)
		json_put_str(&b, s.text);
	else
		json_put(&b, s.object);
	struct str json = {arena_copy(a, b.p, b.n), b.n};
	buf_free(&b);
	return json;
}

static void expect_size(const cJSON *one, const char *member, double got)
{
	double want;
	if (json_num(json_get(one, member), &want) && got != want)
		case_fail(one, "%s: %g, want %g", member, got, want);
}

static void run_case(const cJSON *one, void *ctx)
{
	struct arena a = {0};
	const cJSON *block = json_tree(&a, written(&a, json_get(one, "block")), NULL, NULL);
	const cJSON *want = json_get(one, "arguments");
	struct str text = json_str(json_get(one, "text"));
	(void)ctx;

	text = text.p ? case_expand(&a, text) : text;
	struct pi_synced s = pi_sync_block(&a, mode_of(one), block, text);
	struct str before = written(&a, json_get(block, "arguments")), got = after(&a, block, s);
	case_expect_text(one, "outcome", str_of(pi_sync_outcome_name(s.outcome)), json_str(json_get(one, "outcome")));
	case_expect_text(one, "arguments", got, want ? written(&a, want) : before);
	expect_size(one, "before", text_measure(before).units);
	expect_size(one, "units", text_measure(got).units);
	expect_size(one, "bytes", (double)got.n);
	expect_size(one, "tokens", text_tokens(text_measure(got)));
	arena_free(&a);
}

static void cases_of_the_specification(void **state)
{
	(void)state;
	case_file_each("tests/cases/pi_sync.jsonl", run_case, NULL);
}

/* Which rows stand for a call, and who asks. */
static void what_enters_the_map(void **state)
{
	struct arena a = {0};
	const cJSON *bash = json_tree(&a, STR("{\"type\":\"toolCall\",\"id\":\"x\",\"name\":\"bash\"}"), NULL, NULL);
	(void)state;
	assert_true(pi_sync_maps(PI_SYNC_ON, CONTENT_CALL));
	assert_false(pi_sync_maps(PI_SYNC_ON, CONTENT_RESULT));
	assert_true(pi_sync_maps(PI_SYNC_MERGED, CONTENT_RESULT));
	assert_false(pi_sync_maps(PI_SYNC_OFF, CONTENT_CALL));
	assert_true(str_eq(pi_sync_asks(PI_SYNC_MERGED, bash), STR("x")));
	assert_null(pi_sync_asks(PI_SYNC_ON, bash).p);
	assert_null(pi_sync_asks(PI_SYNC_OFF, bash).p);
	assert_null(pi_sync_asks(PI_SYNC_ON, NULL).p);
	arena_free(&a);
}

/* Deeper than can be read is unreadable, and costs no stack. */
static void nested_without_end(void **state)
{
	struct arena a = {0};
	struct buf b = {0};
	const cJSON *block = json_tree(
		&a, STR("{\"type\":\"toolCall\",\"id\":\"x\",\"name\":\"compress\",\"arguments\":{}}"), NULL, NULL);
	(void)state;
	buf_text(&b, "{\"content\":");
	for (int i = 0; i < 1000000; i++)
		buf_char(&b, '[');
	assert_int_equal(pi_sync_block(&a, PI_SYNC_ON, block, buf_view(&b)).outcome, PI_SYNC_UNREADABLE);
	buf_free(&b);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_of_the_specification),
		cmocka_unit_test(what_enters_the_map),
		cmocka_unit_test(nested_without_end),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
