#include "replay/dsh_findings.h"

#include <stdlib.h>

static int by_place(const void *a, const void *b)
{
	const struct dsh_found *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void add(struct dsh_found_list *out, int64_t seq, int64_t at, enum dsh_found_by by, size_t index)
{
	if (seq <= at)
		vec_push(&out->list, (struct dsh_found){seq, (uint8_t)by, (uint32_t)index});
}

void dsh_findings(const struct run *r, int64_t at, struct dsh_found_list *out)
{
	const struct dsh_ledger *l = &r->dsh.ledger;
	const struct dsh_meter *m = &r->dsh.meter;
	out->list.n = 0;
	for (size_t i = 0; i < l->findings.n; i++)
		add(out, l->findings.v[i].seq, at, DSH_FOUND_LEDGER, i);
	for (size_t i = 0; i < m->claims.n; i++) {
		const struct dsh_claim *c = &m->claims.v[i];
		if (c->fate != DSH_CLAIM_USED)
			add(out, c->fate == DSH_CLAIM_ARMED ? c->by : c->at, at, DSH_FOUND_CLAIM, i);
		else if (dsh_claim_differs(c))
			add(out, c->at, at, DSH_FOUND_PRICE, i);
	}
	if (m->negative.n > 0) /* one finding, at the first of its rows (dsh-rulings 24) */
		add(out, m->negative.v[0], at, DSH_FOUND_NEGATIVE, 0);
	if (out->list.n > 1)
		qsort(out->list.v, out->list.n, sizeof *out->list.v, by_place);
}

bool dsh_finding_is_counterfactual(const struct run *r, const struct dsh_found *found)
{
	for (size_t i = r->counterfactual; i < r->recording->records.n; i++) {
		uint32_t row = dsh_row_at(r->recording, i);
		if (row != DSH_NONE)
			return found->at >= dsh_log_seq(r->dsh.fold.log, row);
	}
	return false;
}

bool dsh_finding_is_of(const struct run *r, const struct dsh_found *found, const struct dsh_block *k)
{
	const struct dsh_ledger *l = &r->dsh.ledger;
	int64_t summary = dsh_log_seq(l->log, k->summary), seq = found->at;
	uint32_t checkpoint = k->id < l->checkpoint_of.n ? l->checkpoint_of.v[k->id] : 0;
	if (found->by == DSH_FOUND_NEGATIVE)
		return false;
	if (found->by != DSH_FOUND_LEDGER)
		return r->dsh.meter.claims.v[found->index].by == summary;
	return seq == summary || (k->start != DSH_NONE && seq == dsh_log_seq(l->log, k->start)) ||
	       (k->end != DSH_NONE && seq == dsh_log_seq(l->log, k->end)) ||
	       (checkpoint > 0 && seq == dsh_log_seq(l->log, checkpoint - 1));
}
