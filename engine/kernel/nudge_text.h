/*
 * nudge_text: what a nudge says, as data (kernel.md 4.7.6, 4.7.8).
 *
 * The sentences of a nudge belong to the host; the figures in them, the rows of
 * its lists and their order are the kernel's and are worked out here. Lists
 * belong to the struct they stand in, texts are appended to the caller's buf.
 */
#ifndef ENGINE_KERNEL_NUDGE_TEXT_H
#define ENGINE_KERNEL_NUDGE_TEXT_H

#include "engine/base/buf.h"
#include "engine/kernel/nudge.h"

enum nudge_voice { NUDGE_GENTLE, NUDGE_EMERGENCY };

/* Which voice the decision's text has. */
enum nudge_voice nudge_text_voice(const struct nudge_decision *d);

/*
 * Kind and data of the reason, as kernel.md 10.8 writes them: "t1-ready{pending=50000, threshold=6000, growth=5000,
 * usage=15}". For idle the parts and the two lists stand behind the name.
 */
void nudge_text_reason(const struct nudge_decision *d, struct buf *b);

/* The category line "8.2K tool | 1.3K text"; with growth > 0 a line feed and its label behind it. */
void nudge_text_categories(const struct nudge_context *c, struct buf *b);

enum nudge_row_kind { NUDGE_ROW_PLAIN, NUDGE_ROW_MIXED, NUDGE_ROW_PROTECTED };

/* A line of the range list: one range, or several that touch. */
struct nudge_row {
	enum nudge_row_kind kind;
	uint32_t start, end; /* refs; the end is the last merged range's, even if that one ends earlier */
	double count, tokens;
	double open, guarded;       /* tokens of the compressible and of the protected ranges in it */
	int tool_pct;               /* of the first range; text_pct = 100 - tool_pct */
	bool dangerous;             /* and part of it can be compressed */
	uint32_t tools_at, tools_n; /* into nudge_rows.tools: ordered unique names */
};

struct nudge_rows {
	VEC(struct nudge_row) list;
	VEC(uint32_t) tools;
	struct mark_set seen; /* scratch */
};

/* The range list over the recommended and the protected ranges. `out` is emptied first; no rows = no ranges. */
void nudge_text_ranges(const struct recommendation *rec, const struct state *s, struct nudge_rows *out);
void nudge_rows_free(struct nudge_rows *r);

/* A line of the target list of tier 2 and 3. */
struct nudge_target {
	struct str id, topic; /* no topic: n = 0 */
	uint32_t effective;   /* message ids */
	double compressed;    /* tokens, raw estimate */
	double summary;       /* tokens by the fast counter of kernel.md 2.3 */
};
struct nudge_target nudge_text_target(const struct state *s, uint32_t block);
/* Tier the heading of the target list names: 1 or 2. */
int nudge_text_heading_tier(const struct nudge_decision *d, const struct state *s);
/* Block ids of the example call: first and last target, b1 and b5 without targets. */
void nudge_text_example(const struct nudge_decision *d, const struct state *s, struct str *start, struct str *end);

#endif
