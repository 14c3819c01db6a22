#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "engine/kernel/refs.h"
#include "tests/case_file.h"

/* One answer as JSON text: what the case lists under "want". */
typedef void answer_fn(struct arena *a, const cJSON *in, struct buf *b);

static void answer_format(struct arena *a, const cJSON *in, struct buf *b)
{
	char out[REF_TEXT_MAX];
	(void)a;
	if (ref_format(out, in->valuedouble))
		json_put_str(b, str_of(out));
	else
		buf_text(b, "null");
}

static void answer_read(struct arena *a, const cJSON *in, struct buf *b)
{
	uint32_t index = ref_read(json_str(in));
	(void)a;
	if (index != REF_NONE)
		json_put_num(b, index);
	else
		buf_text(b, "null");
}

static void answer_boundary(struct arena *a, const cJSON *in, struct buf *b)
{
	struct boundary_ref ref = boundary_read(a, json_str(in));
	if (ref.kind == BOUNDARY_NONE)
		buf_text(b, "null");
	else
		buf_printf(b, "\"%s:%u:%s\"", ref.kind == BOUNDARY_MESSAGE ? "message" : "block", (unsigned)ref.number,
			   ref.spelling.p);
}

static void answer_number(struct arena *a, const cJSON *in, struct buf *b)
{
	(void)a;
	json_put_num(b, ref_number(json_str(in)));
}

static void answer_block_id(struct arena *a, const cJSON *in, struct buf *b)
{
	struct str id = block_id_argument(a, json_str(in));
	if (id.p)
		json_put_str(b, id);
	else
		buf_text(b, "null");
}

static const struct {
	const char *op;
	answer_fn *answer;
} ops[] = {
	{"format", answer_format}, {"read", answer_read},         {"boundary", answer_boundary},
	{"number", answer_number}, {"block-id", answer_block_id},
};

static answer_fn *op_of(const cJSON *one)
{
	struct str name = json_str(json_get(one, "op"));
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (str_eq(name, str_of(ops[i].op)))
			return ops[i].answer;
	case_fail(one, "unknown op");
}

static void check_case(const cJSON *one, void *ctx)
{
	answer_fn *answer = op_of(one);
	struct arena a = {0};
	struct buf got = {0}, want = {0};
	const cJSON *in;
	(void)ctx;
	buf_char(&got, '[');
	cJSON_ArrayForEach (in, json_get(one, "in")) {
		buf_text(&got, got.n > 1 ? "," : "");
		answer(&a, in, &got);
	}
	buf_char(&got, ']');
	json_put(&want, json_get(one, "want"));
	case_expect_text(one, "answers", buf_view(&got), buf_view(&want));
	buf_free(&got);
	buf_free(&want);
	arena_free(&a);
}

static void spelling_follows_the_cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/refs.jsonl", check_case, NULL);
}

/* R01 and R03 against each other, for every index. */
static void every_index_reads_back(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= REF_MAX; i++) {
		char out[REF_TEXT_MAX];
		assert_true(ref_format(out, i));
		assert_int_equal(strlen(out), 6);
		assert_int_equal(ref_read(str_of(out)), i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spelling_follows_the_cases),
		cmocka_unit_test(every_index_reads_back),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
