/* Threshold, cadence and the lists of a nudge: kernel.md 10.8. The decisions: test_turn.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/num.h"
#include "engine/kernel/nudge_text.h"
#include "tests/fixture.h"

static void threshold_one(const cJSON *one, void *ctx)
{
	struct arena a = {0};
	struct error e = {0};
	struct buf got = {0};
	const cJSON *limit;
	(void)ctx;
	cJSON_ArrayForEach (limit, json_get(one, "limits")) {
		struct config c = config_default(limit->valuedouble);
		if (config_merge(&c, json_get(one, "config"), &a, NULL, &e) != STATUS_OK)
			case_fail(one, "%s", e.message);
		buf_text(&got, got.n > 0 ? " / " : "");
		json_put_num(&got, nudge_threshold(&c));
	}
	case_expect_text(one, "G", buf_view(&got), json_str(json_get(one, "want")));
	buf_free(&got);
	arena_free(&a);
}

static void test_threshold(void **state)
{
	(void)state;
	case_file_each("tests/cases/threshold.jsonl", threshold_one, NULL);
}

/* kernel.md 4.7.3 */
static void test_cadence(void **state)
{
	(void)state;
	struct scalars never = {.tier_shown = {0, 0, 900, 0}, .tier_set = 0};
	struct scalars zero = {.tier_shown = {0, 0, 0, 0}, .tier_set = 1 << 2};
	struct scalars shown = {.tier_shown = {0, 0, 900, 0}, .tier_set = 1 << 2};
	assert_true(nudge_cadence(&never, 2, 1000, 500));
	assert_true(nudge_cadence(&zero, 2, 1, 500));
	assert_false(nudge_cadence(&shown, 2, 1399, 500));
	assert_true(nudge_cadence(&shown, 2, 1400, 500));
	assert_false(nudge_cadence(&shown, 2, 100, 500));
	assert_true(nudge_cadence(&shown, 3, 100, 500));
}

/* ---- range list ---- */

static double number_of(const cJSON *object, const char *member)
{
	double x = 0;
	json_num(json_get(object, member), &x);
	return x;
}

static void read_ranges(const cJSON *one, struct fixture *f, struct recommendation *rec)
{
	const cJSON *r, *tool;
	cJSON_ArrayForEach (r, json_get(one, "open"))
		vec_push(&rec->recommended, (struct range){.start = (uint32_t)number_of(r, "start"),
							   .end = (uint32_t)number_of(r, "end"),
							   .count = (uint32_t)number_of(r, "count"),
							   .tokens = number_of(r, "tokens"),
							   .tool_pct = (int)number_of(r, "toolPct"),
							   .dangerous = cJSON_IsTrue(json_get(r, "dangerous"))});
	cJSON_ArrayForEach (r, json_get(one, "guarded")) {
		struct protected_range p = {.start = (uint32_t)number_of(r, "start"),
					    .end = (uint32_t)number_of(r, "end"),
					    .count = (uint32_t)number_of(r, "count"),
					    .tokens = number_of(r, "tokens"),
					    .tools_at = (uint32_t)rec->tools.n};
		cJSON_ArrayForEach (tool, json_get(r, "tools"))
			vec_push(&rec->tools, names_add(&f->names, json_str(tool)));
		p.tools_n = (uint32_t)rec->tools.n - p.tools_at;
		vec_push(&rec->protected_ranges, p);
	}
}

static void put_ref(struct buf *b, const struct state *s, uint32_t ref)
{
	char out[REF_TEXT_MAX];
	buf_str(b, state_ref_text(s, ref, out));
}

static void put_label(struct buf *b, const char *before, double tokens)
{
	char text[NUM_TEXT_MAX];
	size_t n = num_label_nudge(text, tokens);
	buf_text(b, before);
	buf_bytes(b, text, n);
}

static void put_row(struct buf *b, const struct state *s, const struct nudge_rows *rows, const struct nudge_row *row)
{
	buf_char(b, '(');
	put_ref(b, s, row->start);
	buf_text(b, "..");
	put_ref(b, s, row->end);
	buf_text(b, " n=");
	json_put_num(b, row->count);
	put_label(b, " size=", row->tokens);
	if (row->kind == NUDGE_ROW_PLAIN) {
		buf_printf(b, " plain tool=%d text=%d", row->tool_pct, 100 - row->tool_pct);
	} else {
		buf_text(b, row->kind == NUDGE_ROW_MIXED ? " mixed" : " protected");
		if (row->kind == NUDGE_ROW_MIXED) {
			put_label(b, " compressible=", row->open);
			put_label(b, " protected=", row->guarded);
		}
		buf_text(b, " tools=[");
		for (uint32_t i = 0; i < row->tools_n; i++) {
			buf_text(b, i > 0 ? ", " : "");
			buf_str(b, names_get(s->names, rows->tools.v[row->tools_at + i]));
		}
		buf_char(b, ']');
	}
	buf_text(b, row->dangerous ? " danger)" : ")");
}

static void run_list(const cJSON *one, void *ctx)
{
	struct nudge_rows *rows = ctx; /* reused: a case must not see the one before it */
	struct fixture f;
	struct recommendation rec = {0};
	struct buf got = {0};
	fixture_build(&f, one);
	read_ranges(one, &f, &rec);
	nudge_text_ranges(&rec, &f.state, rows);
	for (size_t i = 0; i < rows->list.n; i++) {
		buf_text(&got, i > 0 ? " " : "");
		put_row(&got, &f.state, rows, &rows->list.v[i]);
	}
	case_expect_text(one, "rows", buf_view(&got), json_str(json_get(one, "want")));
	buf_free(&got);
	recommend_free(&rec);
	fixture_free(&f);
}

/* D30 to D32 */
static void test_list(void **state)
{
	(void)state;
	struct nudge_rows rows = {0};
	case_file_each("tests/cases/nudge_list.jsonl", run_list, &rows);
	nudge_rows_free(&rows);
}

/* kernel.md 4.7.8: number of a ref = its first run of digits; a stored state can bring any spelling. */
static void test_foreign_refs(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct fixture f;
	struct nudge_rows rows = {0};
	struct recommendation rec = {0};
	const cJSON *one =
		json_tree(&arena,
			  STR("{\"name\":\"foreign refs\",\"state\":{\"messageRefs\":{\"byRaw\":"
			      "{\"a\":\"x12y7\",\"b\":\"none\"},\"byRef\":{\"x12y7\":\"a\",\"none\":\"b\"}}}}"),
			  NULL, NULL);
	fixture_build(&f, one);
	uint32_t twelve = state_ref_find(&f.state, STR("x12y7")), none = state_ref_find(&f.state, STR("none"));
	assert_int_not_equal(twelve, REF_NONE);
	assert_int_not_equal(none, REF_NONE);
	const struct range ranges[] = {{.start = 14, .end = 14, .count = 1, .tokens = 1},
				       {.start = twelve, .end = twelve, .count = 1, .tokens = 1},
				       {.start = 11, .end = 11, .count = 1, .tokens = 1},
				       {.start = none, .end = none, .count = 1, .tokens = 1}};
	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
		vec_push(&rec.recommended, ranges[i]);
	nudge_text_ranges(&rec, &f.state, &rows);
	assert_int_equal(rows.list.n, 3);
	assert_int_equal(rows.list.v[0].start, none);
	assert_int_equal(rows.list.v[1].start, 11);
	assert_int_equal(rows.list.v[1].end, twelve);
	assert_int_equal(rows.list.v[2].start, 14);
	nudge_rows_free(&rows);
	recommend_free(&rec);
	fixture_free(&f);
	arena_free(&arena);
}

/* kernel.md 4.7.8, target row: the summary by the fast counter, which knows no Han. */
static void test_target(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct fixture f;
	const cJSON *one =
		json_tree(&arena,
			  STR("{\"name\":\"target\",\"blocks\":[{\"id\":\"b1\",\"eff\":[\"a\",\"b\"],\"tok\":1250,"
			      "\"summary\":\"\xE4\xB8\xAD\xE6\x96\x87\xE5\xAD\x97\xE7\xAC\xA6x\",\"topic\":\"T\"},"
			      "{\"id\":\"b2\",\"summary\":\"\",\"topic\":\"\"}]}"),
			  NULL, NULL);
	fixture_build(&f, one);
	struct nudge_target first = nudge_text_target(&f.state, 0), second = nudge_text_target(&f.state, 1);
	assert_true(str_eq(first.id, STR("b1")) && str_eq(first.topic, STR("T")));
	assert_int_equal(first.effective, 2);
	assert_true(first.compressed == 1250 && first.summary == 2);
	assert_true(str_eq(second.id, STR("b2")));
	assert_int_equal(second.topic.n, 0);
	assert_int_equal(second.effective, 0);
	assert_true(second.compressed == 1 && second.summary == 0);
	fixture_free(&f);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threshold),    cmocka_unit_test(test_cadence), cmocka_unit_test(test_list),
		cmocka_unit_test(test_foreign_refs), cmocka_unit_test(test_target),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
