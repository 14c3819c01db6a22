/*
 * prefix (view): what the files of the Prefix view share: prefix.c (totals and
 * list), prefix_detail.c. Internal to it.
 *
 * Totals and their lines are made once for a run and stay with the frame; a
 * turn's line reads its own record. The key of a turn's line is the turn.
 */
#ifndef REPLAY_VIEW_PREFIX_H
#define REPLAY_VIEW_PREFIX_H

#include "replay/prefix.h"
#include "replay/view/detail.h"

/* Key of total i. */
#define PREFIX_KEY_TOTAL (UINT64_C(1) << 40)

struct prefix_head {
	uint64_t key; /* 0 = nothing to open */
	uint8_t style;
	struct str words;
};

struct prefix_page {
	size_t turns;
	struct prefix_totals totals;
	VEC(struct prefix_head) head;
};

/* NULL: there is no position yet. */
const struct prefix_page *prefix_page(const struct view_context *c);
/* What was sent at a turn; NULL = not known (no requests, or not worked out). */
const struct sent *prefix_sent(const struct run *r, uint32_t turn);
/* "1.2345 USD", "0.000322 USD"; without a currency the number alone. */
void prefix_put_money(struct buf *b, const struct run *r, double x);
/* The fold of a turn, or NULL. */
const struct prefix_fold *prefix_fold_of(const struct prefix_totals *t, uint32_t turn);

/* Appends total i (of its key) in full words. */
void prefix_put_total(const struct run *r, const struct prefix_totals *t, size_t i, struct buf *b);

size_t prefix_detail_count(const struct view_context *c, uint64_t key);
void prefix_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out);

#endif
