/*
 * dsh_findings: what ledger and meter of a DSH run have found, in one list
 * (dsh.md 2.2, 8.3, dsh-rulings 17, 24). The findings stay where they are; an
 * entry says which one it is and at which event it shows.
 */
#ifndef REPLAY_DSH_FINDINGS_H
#define REPLAY_DSH_FINDINGS_H

#include "replay/run.h"

enum dsh_found_by {
	DSH_FOUND_LEDGER,  /* index into ledger.findings */
	DSH_FOUND_CLAIM,   /* a claim that was not used: index into meter.claims */
	DSH_FOUND_PRICE,   /* a claim that is not what the shadowed rows are worth: the same */
	DSH_FOUND_NEGATIVE /* the total was below zero: all of it is one finding, at the first of its rows */
};
struct dsh_found {
	int64_t at; /* seq */
	uint8_t by; /* enum dsh_found_by */
	uint32_t index;
};
struct dsh_found_list {
	VEC(struct dsh_found) list;
};

/* Everything found up to the event with this seq, ascending; what the list held is dropped. */
void dsh_findings(const struct run *r, int64_t at, struct dsh_found_list *out);
/* Did it come after the point from which on the run is no longer what was recorded? */
bool dsh_finding_is_counterfactual(const struct run *r, const struct dsh_found *found);
/* Is it about this block? */
bool dsh_finding_is_of(const struct run *r, const struct dsh_found *found, const struct dsh_block *k);

#endif
