/* dsh_resolve, dsh_guard, dsh_args: dsh.md 6, 7, rows V and G of part 11. Cases: tests/cases/dsh.jsonl. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/host/dsh_args.h"
#include "engine/host/dsh_guard.h"
#include "engine/host/dsh_ledger.h"
#include "engine/host/dsh_meter.h"
#include "engine/kernel/parse_args.h"
#include "tests/case_file.h"
#include "tests/dsh_script.h"

static int64_t seq_of(const cJSON *node) { return (int64_t)node->valuedouble; }

/* ---- resolve ---- */

static void put_outcome(struct buf *b, const struct dsh_resolution *r, size_t blocks)
{
	if (r->verdict == DSH_ACCEPTED)
		buf_printf(b, "%" PRId64 "..%" PRId64 "%s", r->start, r->end, r->recovered ? " recovered" : "");
	else
		buf_text(b, dsh_verdict_name(r->verdict));
	if (r->verdict == DSH_NOT_ON_SURFACE)
		buf_text(b, r->at_end ? " end" : " start");
	if (r->verdict == DSH_CORRUPT)
		buf_printf(b, " %" PRId64, r->corrupt);
	if (r->verdict == DSH_ALREADY_COMPRESSED)
		buf_printf(b, " %zu", blocks);
}

static void check_resolve(struct dsh_case *c, const struct dsh_nodes *n, const struct dsh_ledger *l)
{
	const cJSON *want;
	cJSON_ArrayForEach (want, json_get(c->one, "resolve")) {
		int64_t a = seq_of(want->child), b = seq_of(want->child->next);
		struct dsh_resolution r;
		struct dsh_rows blocks = {0};
		struct buf got = {0};
		char what[64];
		dsh_resolve(n, a, b, &r);
		dsh_ledger_touching(l, a, b, c->fold.surface.last, &blocks);
		put_outcome(&got, &r, blocks.rows.n);
		snprintf(what, sizeof what, "%d..%d", (int)a, (int)b);
		case_expect_text(c->one, what, buf_view(&got), json_str(want->child->next->next));
		if (r.verdict == DSH_ACCEPTED && r.adjusted != (!r.recovered && (r.start != a || r.end != b)))
			case_fail(c->one, "%s: adjusted is %d", what, r.adjusted);
		buf_free(&got);
		vec_free(&blocks.rows);
	}
}

static void expect_list(const cJSON *one, const char *what, const struct dsh_seqs *got, const cJSON *want)
{
	struct buf a = {0}, b = {0};
	dsh_put_seqs(&a, got->seqs.v, got->seqs.n);
	json_put(&b, want);
	case_expect_text(one, what, buf_view(&a), buf_view(&b));
	buf_free(&a);
	buf_free(&b);
}

/* The rows of a resolved range, as the guard sees them and as shadowedSeqsOf gives them. */
static void check_spans(struct dsh_case *c, const struct dsh_nodes *n, struct dsh_guard *g)
{
	const cJSON *want;
	cJSON_ArrayForEach (want, json_get(c->one, "spans")) {
		struct dsh_rows span = {0};
		dsh_guard_probe(g, n, seq_of(want->child), seq_of(want->child->next));
		expect_list(c->one, "span", &g->span, want->child->next->next);
		dsh_surface_span(&c->fold.surface, g->at.start, g->at.end, &span);
		case_expect_count(c->one, "rows of the span", span.rows.n, g->span.seqs.n);
		for (size_t i = 0; i < span.rows.n; i++)
			if (dsh_log_seq(&c->log, span.rows.v[i]) != g->span.seqs.v[i])
				case_fail(c->one, "row %zu of the span differs", i);
		vec_free(&span.rows);
	}
	cJSON_ArrayForEach (want, json_get(c->one, "checkpoints")) {
		dsh_guard_probe(g, n, seq_of(want->child), seq_of(want->child->next));
		case_expect_count(c->one, "checkpoints inside", g->checkpoints,
				  (size_t)want->child->next->next->valuedouble);
	}
	cJSON_ArrayForEach (want, json_get(c->one, "edge_checkpoint")) {
		dsh_guard_probe(g, n, seq_of(want->child), seq_of(want->child->next));
		if (g->edge_checkpoint != (bool)cJSON_IsTrue(want->child->next->next))
			case_fail(c->one, "edge is a checkpoint: %d", g->edge_checkpoint);
	}
	cJSON_ArrayForEach (want, json_get(c->one, "span_price")) {
		struct dsh_rows span = {0};
		double price = dsh_span_price(&c->fold.surface, seq_of(want->child), seq_of(want->child->next), &span);
		case_expect_count(c->one, "price", (size_t)price, (size_t)want->child->next->next->valuedouble);
		vec_free(&span.rows);
	}
}

/* ---- guard ---- */

static void put_slice(struct buf *b, const struct dsh_slice *s)
{
	static const char *const states[] = {"", " backwards", " refused"};
	buf_printf(b, "%s\"%" PRId64 "..%" PRId64 "%s\"", b->n > 1 ? "," : "", s->first, s->last, states[s->state]);
}

static void expect_slices(const cJSON *one, const struct dsh_slice *s, size_t n, const cJSON *want)
{
	struct buf got = {0}, text = {0};
	buf_char(&got, '[');
	for (size_t i = 0; i < n; i++)
		put_slice(&got, &s[i]);
	buf_char(&got, ']');
	json_put(&text, want);
	case_expect_text(one, "slices", buf_view(&got), buf_view(&text));
	buf_free(&got);
	buf_free(&text);
}

static void check_guard(struct dsh_case *c, const struct dsh_nodes *n, struct dsh_guard *g)
{
	const cJSON *want;
	cJSON_ArrayForEach (want, json_get(c->one, "guard")) {
		const cJSON *verdict = want->child->next->next, *slices = verdict->next->next;
		struct buf got = {0};
		dsh_guard_probe(g, n, seq_of(want->child), seq_of(want->child->next));
		buf_printf(&got, "%s %" PRId64 "..%" PRId64, dsh_verdict_name(g->verdict), g->at.start, g->at.end);
		case_expect_text(c->one, "verdict", buf_view(&got), json_str(verdict));
		expect_list(c->one, "hits", &g->hits, verdict->next);
		expect_slices(c->one, g->slices, g->slices_n, slices);
		if (slices->next)
			expect_slices(c->one, g->gaps.v, g->gaps.n, slices->next);
		buf_free(&got);
	}
	cJSON_ArrayForEach (want, json_get(c->one, "last_baseline")) {
		dsh_guard_probe(g, n, seq_of(want->child), seq_of(want->child->next));
		if (g->last_baseline != (bool)cJSON_IsTrue(want->child->next->next))
			case_fail(c->one, "last baseline is %d", g->last_baseline);
	}
}

static void check_notes(struct dsh_case *c, const struct dsh_nodes *n, struct dsh_guard *g)
{
	const cJSON *want, *piece;
	cJSON_ArrayForEach (want, json_get(c->one, "says")) {
		struct buf note = {0};
		dsh_guard_probe(g, n, seq_of(want->child), seq_of(want->child->next));
		dsh_guard_note(&note, g);
		cJSON_ArrayForEach (piece, want->child->next->next)
			if (str_find(buf_view(&note), json_str(piece), 0) == SIZE_MAX)
				case_fail(c->one, "\"%s\" is not in: %s", piece->valuestring, note.p);
		buf_free(&note);
	}
}

/* ---- pure helpers ---- */

static void read_list(const cJSON *list, struct dsh_seqs *out)
{
	const cJSON *one;
	out->seqs.n = 0;
	cJSON_ArrayForEach (one, list)
		vec_push(&out->seqs, seq_of(one));
}

static void check_helpers(const cJSON *one)
{
	const cJSON *want;
	struct dsh_seqs a = {0}, b = {0}, hits = {0};
	cJSON_ArrayForEach (want, json_get(one, "helpers")) {
		read_list(want->child, &a);
		read_list(want->child->next, &b);
		dsh_guarded_in(&a, b.seqs.v, b.seqs.n, &hits);
		expect_list(one, "hits", &hits, want->child->next->next);
	}
	cJSON_ArrayForEach (want, json_get(one, "cut")) {
		struct dsh_slice slices[2];
		read_list(want->child, &a);
		read_list(want->child->next, &b);
		size_t n = dsh_guard_slices(b.seqs.v, b.seqs.n, a.seqs.v, a.seqs.n, slices);
		expect_slices(one, slices, n, want->child->next->next);
	}
	vec_free(&a.seqs);
	vec_free(&b.seqs);
	vec_free(&hits.seqs);
}

static void check_edges(const cJSON *one)
{
	static const char *const kinds[] = {"invalid", "seq", "ref"};
	const cJSON *want;
	cJSON_ArrayForEach (want, json_get(one, "edges")) {
		struct dsh_edge e = dsh_edge_value(want->child);
		const cJSON *number = want->child->next->next;
		case_expect_text(one, "edge", str_of(kinds[e.kind]), json_str(want->child->next));
		if (number && (e.kind == DSH_EDGE_SEQ ? e.seq : (int64_t)e.ref) != seq_of(number))
			case_fail(one, "edge is %d", (int)e.seq);
	}
}

static void check_args(const cJSON *one)
{
	const cJSON *want;
	cJSON_ArrayForEach (want, json_get(one, "args")) {
		struct arena a = {0};
		struct parse_result r;
		struct buf got = {0};
		parse_args_value(&a, dsh_args_value(&a, want->child), (struct str){0}, &r);
		for (size_t i = 0; i < r.n; i++) {
			buf_text(&got, i ? ", " : "");
			buf_str(&got, r.ranges[i].start);
			buf_text(&got, "..");
			buf_str(&got, r.ranges[i].end);
			buf_char(&got, ' ');
			buf_str(&got, r.ranges[i].summary);
		}
		case_expect_text(one, "ranges", buf_view(&got), json_str(want->child->next));
		buf_free(&got);
		arena_free(&a);
	}
}

static void run_case(const cJSON *one, void *ctx)
{
	struct dsh_case c;
	struct dsh_nodes n = {0};
	struct dsh_guard g = {0};
	struct dsh_ledger l;
	struct dsh_rules rules = dsh_case_rules(one, json_str(json_get(one, "profile")));
	(void)ctx;
	dsh_case_open(&c, one, &rules);
	dsh_ledger_init(&l, &c.log);
	for (size_t i = 0; i < c.fold.surface.told.n; i++)
		dsh_ledger_tell(&l, &c.fold, (uint32_t)i);
	dsh_nodes_build(&n, &c.fold, false);
	check_resolve(&c, &n, &l);
	check_spans(&c, &n, &g);
	check_guard(&c, &n, &g);
	check_notes(&c, &n, &g);
	check_helpers(one);
	check_edges(one);
	check_args(one);
	dsh_guard_free(&g);
	dsh_nodes_free(&n);
	dsh_ledger_free(&l);
	dsh_case_close(&c);
}

static void cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/dsh.jsonl", run_case, NULL);
}

/* By tests/oracle/dsh.mjs; another file of its making may be named on the command line. */
static const char *generated_path = "tests/cases/dsh_generated.jsonl";

static void generated(void **state)
{
	(void)state;
	case_file_each(generated_path, run_case, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),
		cmocka_unit_test(generated),
	};
	if (argc > 1)
		generated_path = argv[1];
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
