#include "engine/host/dsh_meter.h"

#include <math.h>

#include "engine/host/dsh_price.h"

enum { FLAT_RESULTS_VERSION = 4 };

const char *dsh_claim_fate_name(enum dsh_claim_fate f)
{
	static const char *const names[] = {"used", "mismatch", "replaced", "replace-missing"};
	return names[f];
}

void dsh_meter_free(struct dsh_meter *m)
{
	vec_free(&m->claims);
	vec_free(&m->negative);
	vec_free(&m->steps);
	vec_free(&m->scratch.rows);
}

static double span_price(const struct dsh_log *log, const struct dsh_rows *span)
{
	double sum = 0;
	for (size_t i = 0; i < span->rows.n; i++)
		sum += dsh_log_row(log, span->rows.v[i])->price;
	return sum;
}

/* Tool rows of format 4 have no block around their content: the formula gives one charge less (dsh.md 8.2). */
static double span_slack(const struct dsh_log *log, const struct dsh_rows *span)
{
	double sum = 0;
	for (size_t i = 0; i < span->rows.n && log->version >= FLAT_RESULTS_VERSION; i++)
		if (dsh_log_row(log, span->rows.v[i])->type == DSH_TOOL)
			sum += DSH_BLOCK_PRICE;
	return sum;
}

bool dsh_claim_differs(const struct dsh_claim *c)
{
	return c->fate == DSH_CLAIM_USED && c->folded && fabs(c->mirror - c->tokens) > c->slack;
}

double dsh_span_price(const struct dsh_surface *s, int64_t start, int64_t end, struct dsh_rows *scratch)
{
	return dsh_surface_span(s, start, end, scratch) == DSH_FOLDED ? span_price(s->log, scratch) : 0;
}

static void arm(struct dsh_meter *m, const struct dsh_row *r)
{
	const struct dsh_compaction *c = r->compaction;
	if (dsh_meter_armed(m)) {
		struct dsh_claim *old = &m->claims.v[m->claims.n - 1];
		old->fate = DSH_CLAIM_REPLACED;
		old->at = r->seq;
	}
	vec_push(&m->claims, (struct dsh_claim){.by = r->seq,
						.at = -1,
						.start = c->start,
						.end = c->end,
						.tokens = c->tokens,
						.fate = DSH_CLAIM_ARMED,
						.has_range = c->has_range});
}

/* The armed claim meets the next row; true when it is used. */
static bool meet(struct dsh_claim *c, const struct dsh_row *r)
{
	bool same = r->op == DSH_REPLACE && c->has_range && c->start == r->start && c->end == r->end;
	c->fate = same ? DSH_CLAIM_USED : DSH_CLAIM_MISMATCH;
	c->at = r->seq;
	return same;
}

void dsh_meter_tell_at(struct dsh_meter *m, const struct dsh_surface *s, uint32_t row, int64_t start, int64_t end)
{
	const struct dsh_row *r = dsh_log_row(m->log, row);
	struct dsh_claim *claim = dsh_meter_armed(m) ? &m->claims.v[m->claims.n - 1] : NULL;
	if (r->type == DSH_SUMMARY || r->type == DSH_PRUNE) {
		arm(m, r);
		return;
	}
	if (!dsh_type_is_surface(r->type))
		return;
	if (claim && !meet(claim, r))
		claim = NULL;
	if (r->op == DSH_APPEND) {
		m->total += r->price;
	} else if (r->op == DSH_REPLACE && claim) {
		/* a replace that cannot be folded changes nothing; neither does one without a claim */
		if (dsh_surface_span(s, start, end, &m->scratch) == DSH_FOLDED) {
			claim->folded = true;
			claim->mirror = span_price(m->log, &m->scratch);
			claim->slack = span_slack(m->log, &m->scratch);
			m->total += r->price - claim->tokens;
		}
		claim->total = m->total;
	}
	vec_push(&m->steps, (struct dsh_metered){r->seq, m->total});
	if (m->total < 0)
		vec_push(&m->negative, r->seq);
	if (m->total < m->minimum)
		m->minimum = m->total;
}

void dsh_meter_tell(struct dsh_meter *m, const struct dsh_surface *s, uint32_t row)
{
	const struct dsh_row *r = dsh_log_row(m->log, row);
	dsh_meter_tell_at(m, s, row, r->start, r->end);
}

double dsh_meter_at(const struct dsh_meter *m, int64_t at)
{
	size_t from = 0, to = m->steps.n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (m->steps.v[middle].seq <= at)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? m->steps.v[from - 1].total : 0;
}
