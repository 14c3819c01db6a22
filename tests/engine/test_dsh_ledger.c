/* dsh_price, dsh_meter, dsh_ledger: dsh.md 8, 9, rows T and L of part 11. Cases: tests/cases/dsh.jsonl. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/host/dsh_ledger.h"
#include "engine/host/dsh_meter.h"
#include "engine/host/dsh_price.h"
#include "tests/case_file.h"
#include "tests/dsh_script.h"

static int64_t seq_of(const cJSON *node) { return (int64_t)node->valuedouble; }

static void expect_json(const cJSON *one, const char *what, struct buf *got, const cJSON *want)
{
	struct buf text = {0};
	json_put(&text, want);
	case_expect_text(one, what, buf_view(got), buf_view(&text));
	buf_free(&text);
	buf_free(got);
}

/* A list of lists in JSON is written piece by piece. */
static void open_item(struct buf *b) { buf_text(b, b->n > 1 ? ",[" : "["); }

/* ---- prices ---- */

static void check_prices(struct dsh_case *c)
{
	const cJSON *want;
	cJSON_ArrayForEach (want, json_get(c->one, "prices")) {
		const struct dsh_row *r = dsh_log_row(&c->log, dsh_log_find(&c->log, seq_of(want->child)));
		if (r->price != want->child->next->valuedouble)
			case_fail(c->one, "row %d costs %g", (int)r->seq, r->price);
	}
	cJSON_ArrayForEach (want, json_get(c->one, "content_prices")) {
		double price = dsh_content_price(want->child);
		if (price != want->child->next->valuedouble)
			case_fail(c->one, "content costs %g, want %g", price, want->child->next->valuedouble);
	}
}

/* ---- meter ---- */

static void check_totals(struct dsh_case *c, double total, int64_t seq)
{
	const cJSON *want;
	cJSON_ArrayForEach (want, json_get(c->one, "totals"))
		if (seq_of(want->child) == seq && total != want->child->next->valuedouble)
			case_fail(c->one, "total %g after %d", total, (int)seq);
}

static void check_claims(struct dsh_case *c, const struct dsh_meter *m)
{
	const cJSON *claims = json_get(c->one, "claims"), *negative = json_get(c->one, "negative");
	struct buf got = {0}, seqs = {0};
	buf_char(&got, '[');
	for (size_t i = 0; i < m->claims.n; i++) {
		const struct dsh_claim *k = &m->claims.v[i];
		open_item(&got);
		buf_printf(&got, "\"%s\",%" PRId64 ",%" PRId64 ",%g,%g]",
			   dsh_claim_fate_name((enum dsh_claim_fate)k->fate), k->by, k->at, k->tokens, k->mirror);
	}
	buf_char(&got, ']');
	dsh_put_seqs(&seqs, m->negative.v, m->negative.n);
	if (claims)
		expect_json(c->one, "claims", &got, claims);
	if (negative)
		expect_json(c->one, "negative", &seqs, negative);
	buf_free(&got);
	buf_free(&seqs);
}

/* ---- ledger ---- */

static void put_block(struct dsh_case *c, const struct dsh_ledger *l, size_t i, int64_t at, struct buf *b)
{
	const struct dsh_block *k = &l->blocks.v[i];
	uint32_t cp = dsh_ledger_checkpoint(l, k, at);
	open_item(b);
	json_put_str(b, names_get(&c->log.names, k->id));
	buf_printf(b, ",%d,", k->tier);
	if (cp == DSH_NONE)
		buf_text(b, "null,\"");
	else
		buf_printf(b, "%" PRId64 ",\"", dsh_log_seq(&c->log, cp));
	dsh_block_ref(l, k, b);
	buf_printf(b, "\",%s,%g,\"%s\"]", dsh_block_active(l, k, at) ? "true" : "false", k->tokens,
		   dsh_maker_name((enum dsh_maker)k->maker));
}

static void expect_ledger(struct dsh_case *c, const struct dsh_ledger *l, int64_t at, const cJSON *want)
{
	struct buf got = {0};
	buf_char(&got, '[');
	for (size_t i = 0; i < dsh_ledger_count(l, at); i++)
		put_block(c, l, i, at, &got);
	buf_char(&got, ']');
	expect_json(c->one, "ledger", &got, want);
}

static void check_findings(struct dsh_case *c, const struct dsh_ledger *l)
{
	const cJSON *want = json_get(c->one, "findings");
	struct buf got = {0};
	buf_char(&got, '[');
	for (size_t i = 0; i < l->findings.n; i++) {
		const struct dsh_finding *f = &l->findings.v[i];
		open_item(&got);
		buf_printf(&got, "\"%s\",%" PRId64 ",%" PRId64 "]", dsh_finding_name((enum dsh_finding_kind)f->kind),
			   f->seq, f->other);
	}
	buf_char(&got, ']');
	if (want)
		expect_json(c->one, "findings", &got, want);
	buf_free(&got);
}

static void expect_ref(struct dsh_case *c, const struct dsh_ledger *l, const struct dsh_block *b, const cJSON *want)
{
	struct buf got = {0};
	if (b)
		dsh_block_ref(l, b, &got);
	case_expect_text(c->one, "ref of a row", buf_view(&got), cJSON_IsNull(want) ? STR("") : json_str(want));
	buf_free(&got);
}

static void check_lookups(struct dsh_case *c, const struct dsh_ledger *l)
{
	const int64_t at = INT64_MAX - 1;
	const cJSON *want;
	cJSON_ArrayForEach (want, json_get(c->one, "row_refs"))
		expect_ref(c, l, dsh_ledger_by_row(l, &c->fold, dsh_log_find(&c->log, seq_of(want->child)), at),
			   want->child->next);
	cJSON_ArrayForEach (want, json_get(c->one, "ref_checkpoints")) {
		const struct dsh_block *b = dsh_ledger_by_ref(l, json_str(want->child), at);
		uint32_t row = b && dsh_block_active(l, b, at) ? dsh_ledger_checkpoint(l, b, at) : DSH_NONE;
		int64_t seq = row == DSH_NONE ? -1 : dsh_log_seq(&c->log, row);
		if (seq != (cJSON_IsNull(want->child->next) ? -1 : seq_of(want->child->next)))
			case_fail(c->one, "checkpoint of %s is %d", want->child->valuestring, (int)seq);
	}
	cJSON_ArrayForEach (want, json_get(c->one, "arguments")) {
		const struct dsh_block *b = dsh_ledger_by_argument(l, json_str(want->child), at);
		case_expect_text(c->one, "block", b ? names_get(&c->log.names, b->id) : STR("none"),
				 cJSON_IsNull(want->child->next) ? STR("none") : json_str(want->child->next));
	}
	cJSON_ArrayForEach (want, json_get(c->one, "originals")) {
		struct dsh_originals rows = {0};
		struct buf got = {0};
		const struct dsh_block *b = dsh_ledger_by_argument(l, json_str(want->child), at);
		dsh_ledger_originals(l, &c->fold, b, at, &rows);
		dsh_put_seqs(&got, rows.seqs.v, rows.seqs.n);
		expect_json(c->one, "originals", &got, want->child->next);
		vec_free(&rows.seqs);
	}
}

static void check_ledger(struct dsh_case *c, struct dsh_ledger *l)
{
	const cJSON *want = json_get(c->one, "ledger"), *earlier;
	dsh_ledger_finish(l);
	if (want)
		expect_ledger(c, l, INT64_MAX - 1, want);
	cJSON_ArrayForEach (earlier, json_get(c->one, "earlier"))
		expect_ledger(c, l, seq_of(earlier->child), earlier->child->next);
	check_findings(c, l);
	check_lookups(c, l);
}

static void check_pairs(struct dsh_case *c)
{
	const cJSON *want;
	cJSON_ArrayForEach (want, json_get(c->one, "pair")) {
		uint32_t row = dsh_log_find(&c->log, seq_of(want->child)), call = DSH_NONE;
		bool hides = dsh_pair_hides(&c->fold, row, &call);
		if (hides != (bool)cJSON_IsNumber(want->child->next) ||
		    (hides && dsh_log_seq(&c->log, call) != seq_of(want->child->next)))
			case_fail(c->one, "pair of %d: %d", (int)seq_of(want->child), hides);
	}
}

static void run_case(const cJSON *one, void *ctx)
{
	struct dsh_case c;
	struct dsh_meter m = {0};
	struct dsh_ledger l;
	struct dsh_rules rules = dsh_case_rules(one, json_str(json_get(one, "profile")));
	(void)ctx;
	dsh_case_open(&c, one, &rules);
	check_prices(&c);
	check_pairs(&c);
	/* again from the start, all told together */
	dsh_case_go(&c, -1);
	m.log = &c.log;
	dsh_ledger_init(&l, &c.log);
	for (size_t i = 0; i < c.log.rows.n; i++) {
		dsh_meter_tell(&m, &c.fold.surface, (uint32_t)i);
		dsh_ledger_tell(&l, &c.fold, (uint32_t)i);
		dsh_fold_tell(&c.fold, (uint32_t)i);
		check_totals(&c, m.total, dsh_log_seq(&c.log, (uint32_t)i));
	}
	for (size_t i = 0; i < c.log.rows.n; i++) /* and looked up afterwards */
		check_totals(&c, dsh_meter_at(&m, dsh_log_seq(&c.log, (uint32_t)i)), dsh_log_seq(&c.log, (uint32_t)i));
	check_claims(&c, &m);
	check_ledger(&c, &l);
	dsh_meter_free(&m);
	dsh_ledger_free(&l);
	dsh_case_close(&c);
}

static void cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/dsh.jsonl", run_case, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
