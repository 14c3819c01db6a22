#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/base/num.h"
#include "engine/kernel/compress.h"
#include "tests/fixture.h"
#include "tests/temp_file.h"

/* ---- notes as kernel.md 10.13 prints them ---- */

static void put_num(struct buf *b, const char *label, double x)
{
	char text[NUM_TEXT_MAX];
	num_print(text, x);
	buf_printf(b, "%s%s", label, text);
}

static void put_ref(const struct fixture *f, uint32_t ref, struct buf *b)
{
	char text[REF_TEXT_MAX];
	buf_str(b, state_ref_text(&f->state, ref, text));
}

static void put_block(const struct fixture *f, int64_t block, struct buf *b)
{
	if (block < 0)
		buf_text(b, "none");
	else
		buf_str(b, names_get(&f->names, f->state.blocks.v[block].id));
}

static void put_range(const struct compress_note *n, struct buf *b)
{
	buf_str(b, n->start);
	buf_text(b, "..");
	buf_str(b, n->end);
}

static void put_ends(const struct fixture *f, const char *label, const char *between, const struct compress_note *n,
		     struct buf *b)
{
	buf_text(b, label);
	put_block(f, n->first, b);
	buf_text(b, between);
	put_block(f, n->last, b);
}

typedef void put_note_fn(const struct fixture *f, const struct compress_note *n, struct buf *b);

static void put_all_unknown(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	(void)f;
	buf_printf(b, "GATE all-unknown{ranges=%zu}", n->count);
}

static void put_already(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	buf_text(b, "GATE already-compressed{first=");
	put_range(n, b);
	put_num(b, ", chars=", n->length);
	put_num(b, ", min=", n->minimum);
	put_ends(f, ", live=", "..", n, b);
	buf_char(b, '}');
}

static void put_small(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	(void)f;
	put_num(b, "GATE too-small{chars=", n->length);
	buf_printf(b, ", ranges=%zu", n->count);
	put_num(b, ", min=", n->minimum);
	buf_char(b, '}');
}

static void put_prefix(const struct compress_note *n, const char *kind, struct buf *b)
{
	buf_char(b, '[');
	put_range(n, b);
	buf_printf(b, "] %s", kind);
}

static void put_invalid(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	(void)f;
	put_prefix(n, "invalid-ref", b);
}

static void put_unknown(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	(void)f;
	put_prefix(n, "ref-unknown", b);
	buf_printf(b, "{%s,%s}", n->at_end ? "end" : "start", n->ref.p);
}

static void put_consumed(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	static const char *const kinds[] = {[CONSUMED_NONE] = "",
					    [CONSUMED_MESSAGE_HIDDEN] = "message-hidden",
					    [CONSUMED_BLOCK_INACTIVE] = "block-inactive",
					    [CONSUMED_BLOCK_INVISIBLE] = "block-invisible"};
	(void)f;
	put_prefix(n, "ref-consumed/", b);
	buf_printf(b, "%s{%s,%s}", kinds[n->consumed], n->at_end ? "end" : "start", n->ref.p);
}

static void put_empty(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	(void)f;
	put_prefix(n, "summary-empty", b);
}

static void put_short(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	(void)f;
	put_prefix(n, "summary-too-short", b);
	put_num(b, "{len=", n->length);
	put_num(b, ",min=", n->minimum);
	buf_char(b, '}');
}

static void put_long(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	(void)f;
	put_prefix(n, "summary-too-long", b);
	put_num(b, "{len=", n->length);
	put_num(b, ",max=", n->maximum);
	buf_char(b, '}');
}

static void put_refs(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	buf_text(b, ", refs=");
	for (size_t i = 0; i < n->refs_n; i++) {
		buf_text(b, i > 0 ? ", " : "");
		put_ref(f, n->refs[i], b);
	}
	buf_char(b, '}');
}

static void put_protected(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	put_prefix(n, "entirely-protected", b);
	put_num(b, "{recentN=", n->preserve);
	put_refs(f, n, b);
}

static void put_stale(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	put_prefix(n, "no-new-content", b);
	buf_text(b, "{blocks=");
	for (size_t i = 0; i < n->blocks_n; i++) {
		buf_text(b, i > 0 ? "," : "");
		put_block(f, n->blocks[i], b);
	}
	put_ends(f, ", first=", ", last=", n, b);
	buf_char(b, '}');
}

static void put_nothing(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	(void)f;
	put_prefix(n, "nothing-compressible", b);
}

static void put_skipped(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	(void)f;
	buf_text(b, n->kind == COMPRESS_OVERLAP_SKIPPED ? "overlap-skipped{" : "consumed-skipped{");
	put_range(n, b);
	buf_char(b, '}');
}

static void put_snapped(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	(void)f;
	buf_printf(b, "snapped-%s{%s,%s}", n->snapped_block ? "block" : "message", n->at_end ? "end" : "start",
		   n->ref.p);
}

static void put_excluded(const struct fixture *f, const struct compress_note *n, struct buf *b)
{
	buf_printf(b, "protected-excluded{n=%zu", n->count);
	put_refs(f, n, b);
}

static put_note_fn *const put_notes[COMPRESS_KIND_COUNT] = {
	[COMPRESS_NONE_RESOLVED] = put_all_unknown, [COMPRESS_ALL_CONSUMED] = put_already,
	[COMPRESS_BELOW_MIN_RANGE] = put_small,     [COMPRESS_INVALID_REF] = put_invalid,
	[COMPRESS_UNKNOWN_REF] = put_unknown,       [COMPRESS_CONSUMED_REF] = put_consumed,
	[COMPRESS_SUMMARY_EMPTY] = put_empty,       [COMPRESS_SUMMARY_TOO_SHORT] = put_short,
	[COMPRESS_SUMMARY_TOO_LONG] = put_long,     [COMPRESS_PROTECTED_ZONE] = put_protected,
	[COMPRESS_NO_NEW_CONTENT] = put_stale,      [COMPRESS_NOTHING_COMPRESSIBLE] = put_nothing,
	[COMPRESS_OVERLAP_SKIPPED] = put_skipped,   [COMPRESS_CONSUMED_SKIPPED] = put_skipped,
	[COMPRESS_SNAPPED] = put_snapped,           [COMPRESS_PROTECTED_EXCLUDED] = put_excluded,
};

static void put_list(const struct fixture *f, const char *label, const struct compress_note *notes, size_t n,
		     struct buf *b)
{
	buf_printf(b, "; %s=[", label);
	for (size_t i = 0; i < n; i++) {
		buf_text(b, i > 0 ? "; " : "");
		put_notes[notes[i].kind](f, &notes[i], b);
	}
	buf_char(b, ']');
}

/* ---- one step of a case ---- */

struct bench {
	struct compress_scratch scratch; /* one for all cases: what an earlier call left behind would show */
	struct apply_result result;
};

static struct range_request *read_ranges(struct arena *a, const cJSON *list, size_t *n)
{
	size_t count = (size_t)cJSON_GetArraySize(list);
	struct range_request *ranges = arena_zero(a, count, sizeof *ranges);
	const cJSON *one;
	*n = 0;
	cJSON_ArrayForEach (one, list) {
		struct range_request *r = &ranges[(*n)++];
		r->start = json_str(json_get(one, "start"));
		r->end = json_str(json_get(one, "end"));
		r->summary = case_expand(a, json_str(json_get(one, "summary")));
		r->topic = json_str(json_get(one, "topic"));
		r->call = json_str(json_get(one, "call"));
		r->has_topic = r->topic.p != NULL;
		r->has_call = r->call.p != NULL;
		r->has_max = json_num(json_get(one, "max"), &r->max_chars);
	}
	return ranges;
}

static void run_step(const cJSON *step, struct fixture *f, struct arena *a, struct bench *bench)
{
	struct mark_set zone = {0};
	struct apply_options o = {.counter = {1}, .no_gates = cJSON_IsTrue(json_get(step, "no_gates"))};
	const cJSON *ref, *protect = json_get(step, "protect");
	size_t n;
	struct range_request *ranges = read_ranges(a, json_get(step, "ranges"), &n);
	json_num(json_get(step, "density"), &o.counter.density);
	mark_set_clear(&zone);
	cJSON_ArrayForEach (ref, protect)
		mark_set_add(&zone, ref_read(json_str(ref)));
	o.zone = protect ? &zone : NULL;
	compress_apply(ranges, n, fixture_surface(f), &f->state, &o, &bench->scratch, &bench->result);
	mark_set_free(&zone);
}

static void check_outcome(const cJSON *one, const cJSON *step, const struct fixture *f, const struct apply_result *r)
{
	struct buf got = {0};
	buf_printf(&got, "created=%zu", r->blocks_created);
	put_num(&got, " tokens=", r->tokens_compressed);
	put_list(f, "errors", r->errors.v, r->errors.n, &got);
	put_list(f, "warnings", r->warnings.v, r->warnings.n, &got);
	case_expect_text(one, "outcome", buf_view(&got), json_str(json_get(step, "want")));
	buf_free(&got);

	const cJSON *want = json_get(step, "blocks"), *refs = json_get(step, "refs");
	const struct block *last = f->state.blocks.n > 0 ? &f->state.blocks.v[f->state.blocks.n - 1] : NULL;
	if (want) {
		fixture_put_blocks(f, &got);
		case_expect_text(one, "blocks", buf_view(&got), json_str(want));
	}
	if (refs && last) {
		case_expect_text(one, "startRef", last->start_ref, json_str(refs->child));
		case_expect_text(one, "endRef", last->end_ref, json_str(refs->child->next));
	}
	if (json_get(step, "run") && last)
		case_expect_text(one, "runId", last->run_id, json_str(json_get(step, "run")));
	buf_free(&got);
}

/* Every member under "stored" as the written state has it. */
static void check_stored(const cJSON *one, const cJSON *step, const struct fixture *f, struct arena *a)
{
	struct buf written = {0};
	state_write(&f->state, &written);
	const cJSON *tree = json_tree(a, buf_view(&written), NULL, NULL), *want;
	cJSON_ArrayForEach (want, json_get(step, "stored")) {
		struct buf got = {0}, expected = {0};
		json_put(&got, json_get(tree, want->string));
		json_put(&expected, want);
		case_expect_text(one, want->string, buf_view(&got), buf_view(&expected));
		buf_free(&got);
		buf_free(&expected);
	}
	buf_free(&written);
}

/* The size gate turned the whole batch away: its error names no range. */
static bool is_gated(const struct apply_result *r) { return r->errors.n > 0 && r->errors.v[0].range == SIZE_MAX; }

/* Verdicts and notes tell the same story. */
static void check_verdicts(const cJSON *one, const struct apply_result *r)
{
	size_t applied = 0, refused = 0, gate = is_gated(r) ? 1 : 0;
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct range_verdict *v = &r->verdicts.v[i];
		applied += v->status == RANGE_APPLIED;
		refused += v->status == RANGE_REFUSED;
		if ((v->status == RANGE_APPLIED) != (v->block >= 0) ||
		    (v->status == RANGE_APPLIED) != (v->kind == COMPRESS_KIND_COUNT))
			case_fail(one, "verdict %zu does not fit its block", i);
		if (v->status == RANGE_GATED && gate == 0)
			case_fail(one, "verdict %zu is gated without a gate", i);
	}
	case_expect_count(one, "applied ranges", applied, r->blocks_created);
	case_expect_count(one, "refused ranges", refused + gate, r->errors.n);
}

static struct str written(struct fixture *f, struct arena *a)
{
	struct buf b = {0};
	state_write(&f->state, &b);
	struct str out = {arena_copy(a, b.p, b.n), b.n};
	buf_free(&b);
	return out;
}

static void run_steps(const cJSON *one, struct fixture *f, struct arena *a, struct bench *bench)
{
	const cJSON *step;
	cJSON_ArrayForEach (step, json_get(one, "steps")) {
		struct str before = written(f, a);
		run_step(step, f, a, bench);
		check_outcome(one, step, f, &bench->result);
		check_stored(one, step, f, a);
		check_verdicts(one, &bench->result);
		if (is_gated(&bench->result) || json_get(step, "unchanged"))
			case_expect_text(one, "state after a refused batch", written(f, a), before);
	}
}

/* Twice, with everything undone between: the batch must leave nothing that a rollback does not find. */
static void check_case(const cJSON *one, void *ctx)
{
	struct bench *bench = ctx;
	struct fixture f;
	struct arena a = {0};
	fixture_build(&f, one);
	struct str before = written(&f, &a);
	size_t mark = state_mark(&f.state);
	for (int pass = 0; pass < 2; pass++) {
		run_steps(one, &f, &a, bench);
		state_rollback(&f.state, mark);
		case_expect_text(one, "state after a rollback", written(&f, &a), before);
	}
	arena_free(&a);
	fixture_free(&f);
}

static void run_file(const char *path)
{
	struct bench bench = {0};
	case_file_each(path, check_case, &bench);
	apply_result_free(&bench.result);
	compress_scratch_free(&bench.scratch);
}

static void batches_end_as_the_cases_say(void **state)
{
	(void)state;
	run_file("tests/cases/compress.jsonl");
}

/* Expected values by tests/oracle/compress.mjs, which has no index, on odd sessions. */
static void random_batches_end_as_worked_out(void **state)
{
	(void)state;
	run_file("tests/cases/compress_random.jsonl");
}

/* The same on sessions it makes now. */
static void generated_batches_end_as_worked_out(void **state)
{
	struct temp_file f;
	char command[sizeof f.path + 80];
	(void)state;
	if (system("command -v node >/dev/null 2>&1") != 0) {
		print_message("skipped: no node to compare with\n");
		return;
	}
	temp_file_write(&f, STR(""));
	snprintf(command, sizeof command, "node tests/oracle/compress.mjs generate 1 1500 >%s", f.path);
	assert_int_equal(system(command), 0);
	run_file(f.path);
	temp_file_remove(&f);
}

/* trace.md, core members: error kinds, then warning kinds. */
static void kinds_are_named_as_in_a_trace(void **state)
{
	static const char *const names[] = {
		"none-resolved",    "all-consumed",     "below-min-range", "invalid-ref",
		"unknown-ref",      "consumed-ref",     "summary-empty",   "summary-too-short",
		"summary-too-long", "protected-zone",   "no-new-content",  "nothing-compressible",
		"overlap-skipped",  "consumed-skipped", "snapped",         "protected-excluded",
	};
	(void)state;
	assert_int_equal(sizeof names / sizeof *names, COMPRESS_KIND_COUNT);
	for (int i = 0; i < COMPRESS_KIND_COUNT; i++)
		assert_string_equal(compress_kind_name((enum compress_kind)i), names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_end_as_the_cases_say),
		cmocka_unit_test(random_batches_end_as_worked_out),
		cmocka_unit_test(generated_batches_end_as_worked_out),
		cmocka_unit_test(kinds_are_named_as_in_a_trace),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
