/* What is wrong with the plugin's transactions and with the host's total, in words. */
#include <inttypes.h>

#include "replay/view/dsh.h"
#include "replay/view/words.h"

static void say_ledger(const struct dsh_finding *f, struct buf *b)
{
	static const char *const words[DSH_FINDINGS] = {
		[DSH_OPEN_TRANSACTION] = "begins while another compaction is open",
		[DSH_END_WITHOUT_START] = "ends a compaction that did not begin",
		[DSH_NO_END] = "a compaction that never ends",
		[DSH_NO_CHECKPOINT] = "a summary without a checkpoint",
		[DSH_SECOND_SUMMARY] = "a second summary of the same compaction",
		[DSH_SUMMARY_OUTSIDE] = "a summary outside its compaction",
		[DSH_SLICE_DIFFERS] = "shadowedSeqs are not the slice that was there",
		[DSH_TURN_DIFFERS] = "names another turn than the open one",
		[DSH_TURN_END_INSIDE] = "the turn ends inside a compaction",
		[DSH_VOID] = "open when the log was seeded anew: void",
		[DSH_DUPLICATE_KERNEL_ID] = "a kernel id that another block has",
		[DSH_PARENT_FOR_NOTHING] = "a parent of a block that never landed",
	};
	buf_printf(b, "%s: %s", dsh_finding_name((enum dsh_finding_kind)f->kind), words[f->kind]);
	if (f->other >= 0)
		buf_printf(b, " (seq %" PRId64 ")", f->other);
}

static void say_claim(const struct dsh_claim *c, struct buf *b)
{
	buf_printf(b, "%s: the claim of seq %" PRId64 " (", dsh_claim_fate_name((enum dsh_claim_fate)c->fate), c->by);
	if (c->has_range) {
		dsh_span_words(c->start, c->end, b);
		buf_text(b, ", ");
	}
	words_count(b, c->tokens);
	buf_text(b, " price) ");
	if (c->fate == DSH_CLAIM_ARMED)
		buf_text(b, "is never used");
	else
		buf_text(b, c->fate == DSH_CLAIM_MISMATCH ? "meets another row and is dropped"
							  : "is replaced by another before any row came");
}

static void say_price(const struct dsh_claim *c, struct buf *b)
{
	buf_printf(b, "price: seq %" PRId64 " claims ", c->by);
	words_count(b, c->tokens);
	buf_text(b, " for ");
	dsh_span_words(c->start, c->end, b);
	buf_text(b, ", the rows shadowed are worth ");
	words_count(b, c->mirror);
	buf_text(b, " (price)");
}

static void say_negative(const struct dsh_meter *m, struct buf *b)
{
	buf_printf(b, "negative total: after seq %" PRId64, m->negative.v[0]);
	if (m->negative.n > 1) {
		buf_printf(b, " to %" PRId64 ", ", m->negative.v[m->negative.n - 1]);
		words_plural(b, (double)m->negative.n, "row", "rows");
	}
	buf_text(b, ", down to ");
	words_count(b, m->minimum);
	buf_text(b, " (price): the host cannot open such a session");
}

void dsh_finding_words(const struct run *r, const struct dsh_found *found, struct buf *b)
{
	const struct dsh_meter *m = &r->dsh.meter;
	switch (found->by) {
	case DSH_FOUND_LEDGER:
		say_ledger(&r->dsh.ledger.findings.v[found->index], b);
		break;
	case DSH_FOUND_CLAIM:
		say_claim(&m->claims.v[found->index], b);
		break;
	case DSH_FOUND_PRICE:
		say_price(&m->claims.v[found->index], b);
		break;
	default:
		say_negative(m, b);
		break;
	}
	if (dsh_finding_is_counterfactual(r, found))
		buf_text(b, " (counterfactual)");
}
