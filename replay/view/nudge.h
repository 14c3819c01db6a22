/*
 * nudge: what nudge.c (the list) and nudge_detail.c (one opened line) share.
 * Internal to the Nudge view.
 */
#ifndef REPLAY_VIEW_NUDGE_H
#define REPLAY_VIEW_NUDGE_H

#include "replay/view/reason.h"
#include "replay/view/rows.h"

/* Kinds of lines, and what `index` of a line counts in each. */
enum nudge_kind {
	NUDGE_BLANK,
	NUDGE_HEAD,
	NUDGE_WORDS,
	NUDGE_USAGE,
	NUDGE_BAR,
	NUDGE_VERDICT,
	NUDGE_GATE,     /* enum nudge_gate */
	NUDGE_TIER,     /* 1..3 */
	NUDGE_STAMP,    /* enum nudge_stamp */
	NUDGE_CATEGORY, /* system, tool, summaries, code, text */
	NUDGE_TARGET,   /* nudge.targets */
	NUDGE_KIND_COUNT
};
enum nudge_stamp { STAMP_BASELINE, STAMP_SHOWN, STAMP_T1, STAMP_T2, STAMP_T3, STAMP_COUNT };
enum { CATEGORY_COUNT = 5 };

/* Keys of what can be opened: kind and index. Targets have the keys of the Rows view. */
#define NUDGE_KEY                 ((uint64_t)3 << 40)
#define NUDGE_KEY_OF(kind, index) (NUDGE_KEY | (uint64_t)(kind) << 8 | (uint64_t)(index))

/* The reason in a sentence, in the arena. */
struct str nudge_reason(const struct nudge_decision *d, struct arena *a);
/* Appends "22,100 >= 22,500" with the unit of the gate. */
void nudge_put_comparison(const struct gate *g, struct buf *b);
/* A stamp before and after the decision and the tokens since; NAN = never. */
void nudge_stamp(const struct frame *f, enum nudge_stamp which, double v[3]);
extern const char *const nudge_category_names[CATEGORY_COUNT];

size_t nudge_detail_count(const struct view_context *c, uint64_t key);
void nudge_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out);

#endif
