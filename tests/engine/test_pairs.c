#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/json.h"
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

/* ---- both adjustments against their definition, step by step as kernel.md 5.9 words it ---- */

static bool is_partner(const struct surface *f, struct interval in, uint32_t compress, int64_t row)
{
	for (int64_t i = in.start; i <= in.end; i++) {
		const struct surface_row *r = &f->rows.v[i];
		if (r->call != 0 && r->tool != compress && r->call == f->rows.v[row].call)
			return true;
	}
	return false;
}

static struct interval tools_by_definition(const struct surface *f, uint32_t compress, struct interval in)
{
	struct interval out = in;
	for (int64_t i = in.end + 1; i < (int64_t)f->rows.n && i <= in.end + 20; i++)
		if (is_partner(f, in, compress, i))
			out.end = i;
		else if (out.end != in.end)
			break;
	for (int64_t i = in.start - 1; i >= 0 && i >= in.start - 20; i--)
		if (is_partner(f, in, compress, i))
			out.start = i;
		else if (out.start != in.start)
			break;
	return out;
}

static bool answers(const struct surface_row *r)
{
	return r->role == ROLE_ASSISTANT && (r->content == CONTENT_TEXT || r->content == CONTENT_CALL);
}

static struct interval reasoning_by_definition(const struct surface *f, struct interval in)
{
	struct interval out = in;
	const struct surface_row *v = f->rows.v;
	int64_t n = (int64_t)f->rows.n;
	for (int64_t i = in.start; i <= in.end; i++) {
		int64_t j = i, r = i;
		while (v[i].content == CONTENT_REASONING && j + 1 < n && v[j + 1].content == CONTENT_REASONING)
			j++;
		if (v[i].content == CONTENT_REASONING && j + 1 < n && answers(&v[j + 1]) && j + 1 > out.end)
			out.end = j + 1;
		while (answers(&v[i]) && r > 0 && v[r - 1].content == CONTENT_REASONING)
			r--;
		if (r < out.start)
			out.start = r;
	}
	return out;
}

static uint32_t roll(uint32_t *seed, uint32_t sides)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 16) % sides;
}

static void random_rows(struct surface *f, uint32_t *seed, uint32_t compress)
{
	uint32_t calls = 1 + roll(seed, 60), spread = 1 + roll(seed, 5000);
	f->rows.n = 0;
	for (uint32_t n = 1 + roll(seed, 90); n > 0; n--) {
		struct surface_row r = {.role = (uint8_t)roll(seed, ROLE_COUNT),
					.content = (uint8_t)roll(seed, CONTENT_COUNT)};
		if (roll(seed, 3) > 0)
			r.call = compress + 1 + roll(seed, calls) * spread;
		if (roll(seed, 4) == 0)
			r.tool = compress;
		vec_push(&f->rows, r);
	}
}

static void expect_interval(struct interval got, struct interval want)
{
	assert_int_equal(got.start, want.start);
	assert_int_equal(got.end, want.end);
}

static void adjustments_agree_with_their_definition(void **state)
{
	struct arena a = {0};
	struct fixture f;
	uint32_t seed = 20;
	(void)state;
	fixture_build(&f, json_tree(&a, STR("{\"name\":\"random rows\"}"), NULL, NULL));
	uint32_t compress = names_add(&f.names, STR("compress"));
	for (int round = 0; round < 5000; round++) {
		random_rows(&f.surface, &seed, compress);
		uint32_t n = (uint32_t)f.surface.rows.n, x = roll(&seed, n), y = roll(&seed, n);
		struct interval in = {x < y ? x : y, x < y ? y : x};
		expect_interval(pairs_tools(&f.surface, &f.state, in), tools_by_definition(&f.surface, compress, in));
		expect_interval(pairs_reasoning(&f.surface, in), reasoning_by_definition(&f.surface, in));
	}
	fixture_free(&f);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_widen_as_the_cases_say),
		cmocka_unit_test(adjustments_agree_with_their_definition),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
