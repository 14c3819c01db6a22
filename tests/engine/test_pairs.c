#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/kernel/compress.h"
#include "engine/kernel/pairs.h"
#include "tests/fixture.h"

static void check_intervals(const cJSON *one, struct fixture *f, bool tools)
{
	const cJSON *ask, *want = json_get(one, "want")->child;
	cJSON_ArrayForEach (ask, json_get(one, "ask")) {
		struct interval in = {(int64_t)ask->child->valuedouble, (int64_t)ask->child->next->valuedouble};
		struct interval out =
		        tools ? pairs_tools(&f->surface, &f->state, in) : pairs_reasoning(&f->surface, in);
		struct buf got = {0}, expected = {0};
		buf_printf(&got, "[%lld,%lld]", (long long)out.start, (long long)out.end);
		json_put(&expected, want);
		case_expect_text(one, "interval", buf_view(&got), buf_view(&expected));
		buf_free(&got);
		buf_free(&expected);
		want = want->next;
	}
}

/* One range through applyCompression, where both adjustments work together. */
static void check_composed(const cJSON *one, struct fixture *f)
{
	const cJSON *ask = json_get(one, "ask")->child;
	struct range_request range = {
	        .start = json_str(ask->child), .end = json_str(ask->child->next), .summary = STR("sum")};
	struct apply_options options = {.counter = {1}};
	struct compress_scratch scratch = {0};
	struct apply_result result = {0};
	struct buf got = {0};
	compress_apply(&range, 1, &f->surface, &f->state, &options, &scratch, &result);
	case_expect_count(one, "blocks created", result.blocks_created, 1);
	const struct block *k = &f->state.blocks.v[0];
	fixture_put_names(f, k->effective, k->effective_n, &got);
	case_expect_text(one, "effective ids", buf_view(&got), json_str(json_get(one, "want")->child));
	buf_free(&got);
	apply_result_free(&result);
	compress_scratch_free(&scratch);
}

static void check_case(const cJSON *one, void *ctx)
{
	struct str op = json_str(json_get(one, "op"));
	struct fixture f;
	(void)ctx;
	fixture_build(&f, one);
	fixture_surface(&f);
	if (str_eq(op, STR("compress")))
		check_composed(one, &f);
	else
		check_intervals(one, &f, str_eq(op, STR("tools")));
	fixture_free(&f);
}

static void intervals_widen_as_the_cases_say(void **state)
{
	(void)state;
	case_file_each("tests/cases/pairs.jsonl", check_case, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(intervals_widen_as_the_cases_say),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
