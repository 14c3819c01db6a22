/*
 * dsh_meter: the host's running total of what stands on the surface (dsh.md
 * 8.3, dsh-rulings 17, 24). All its figures are prices.
 *
 * Told every row of a log before the surface is. A summary or a prune arms a
 * claim; the replacement that follows takes it off the total and adds its own
 * price. A total below zero is what makes a session fail to open. Owns its
 * lists; dsh_meter_free.
 */
#ifndef ENGINE_HOST_DSH_METER_H
#define ENGINE_HOST_DSH_METER_H

#include "engine/host/dsh_surface.h"

/* What became of a claim. */
enum dsh_claim_fate {
	DSH_CLAIM_USED,
	DSH_CLAIM_MISMATCH, /* the next row was no replace with its range: dropped */
	DSH_CLAIM_REPLACED, /* another claim came before any row */
	DSH_CLAIM_ARMED     /* no row came (replace-missing) */
};
const char *dsh_claim_fate_name(enum dsh_claim_fate f);

struct dsh_claim {
	int64_t by;         /* seq of the summary or prune */
	int64_t at;         /* seq of the row, or of the claim, that decided; -1 = ARMED */
	int64_t start, end; /* its range */
	double tokens;
	double mirror; /* price of the rows that the replacement shadows; USED and `folded` only */
	double slack;  /* by so much it may be another: formats whose tool rows are not known to cost what dsh.md 8.2
			  says */
	double total;  /* after it; USED only */
	uint8_t fate;
	bool has_range;
	bool folded; /* USED: the replacement had its span */
};

/* The total after a row. */
struct dsh_metered {
	int64_t seq;
	double total;
};

struct dsh_meter {
	const struct dsh_log *log;
	double total;
	VEC(struct dsh_claim) claims;  /* in log order; the last one may be armed */
	VEC(int64_t) negative;         /* seqs of the rows after which the total was below zero */
	VEC(struct dsh_metered) steps; /* after each row, in log order */
	double minimum;                /* least total so far, at most 0 */
	struct dsh_rows scratch;
};

void dsh_meter_free(struct dsh_meter *m);
/* Before `row` is told to the surface. */
void dsh_meter_tell(struct dsh_meter *m, const struct dsh_surface *s, uint32_t row);
/* The same where the replacement lands at other edges than recorded; its claim is still the recorded one. */
void dsh_meter_tell_at(struct dsh_meter *m, const struct dsh_surface *s, uint32_t row, int64_t start, int64_t end);
static inline bool dsh_meter_armed(const struct dsh_meter *m)
{
	return m->claims.n && m->claims.v[m->claims.n - 1].fate == DSH_CLAIM_ARMED;
}
/* The total when the event with this seq had happened. */
double dsh_meter_at(const struct dsh_meter *m, int64_t at);
/* Is a used claim another price than that of the rows it took off the surface? */
bool dsh_claim_differs(const struct dsh_claim *c);
/* Price of what a span shadows, by the mirror formula; 0 when it is no span. */
double dsh_span_price(const struct dsh_surface *s, int64_t start, int64_t end, struct dsh_rows *scratch);

#endif
