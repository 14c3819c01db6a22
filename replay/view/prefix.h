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

/* The totals, in their order. */
enum prefix_total {
	PREFIX_REQUESTS,
	PREFIX_LOST,
	PREFIX_MISSES,
	PREFIX_HIT,
	PREFIX_AGREEMENT,
	PREFIX_MEDIANS,
	PREFIX_TAIL,
	PREFIX_ANCHORS,
	PREFIX_COST,
	PREFIX_TOTALS
};

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

/* prefix_hits.c: totals as prefix_put_total has them; nothing where there is nothing to say. */
void prefix_put_agreement(const struct run *r, const struct prefix_totals *t, bool brief, struct buf *b);
void prefix_put_misses(const struct run *r, const struct prefix_totals *t, bool brief, struct buf *b);
/* What the file itself says the session cost; t->said > 0. */
void prefix_put_said(const struct prefix_totals *t, struct buf *b);
/* Behind the cause of a turn: what a cold cache cost, and contradictions; true when there is one. */
bool prefix_put_line_hit(const struct run *r, uint32_t turn, double system, bool money, struct buf *b);
/* Of an opened turn. */
void prefix_put_hit_detail(const struct run *r, uint32_t turn, double system, struct detail *d);
void prefix_put_time_detail(const struct run *r, uint32_t turn, struct detail *d);
/* The turns behind a total, each with its number. */
void prefix_put_lists(const struct run *r, const struct prefix_totals *t, enum prefix_total total, struct detail *d);

size_t prefix_detail_count(const struct view_context *c, uint64_t key);
void prefix_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out);

#endif
