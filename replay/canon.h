/*
 * canon: the pieces of JSON that a turn's trace prints and the hash chain covers
 * (trace.md, canon of pi.md 0.3).
 *
 * Written without printf: the first pass hashes every turn. Lists of ranges
 * change little from turn to turn, so their texts are kept and only the end
 * that differs is written again.
 */
#ifndef REPLAY_CANON_H
#define REPLAY_CANON_H

#include "engine/kernel/compress.h"
#include "engine/kernel/turn.h"

/* A JSON number: fast for whole numbers, json_put_num for the others. */
void canon_number(struct buf *b, double x);
/* A name (id, tool) as a JSON string. */
void canon_name(struct buf *b, const struct names *names, uint32_t name);
/* A ref as a JSON string, or null for REF_NONE. */
void canon_ref(struct buf *b, const struct state *s, uint32_t ref);

/* Ref of the last row of the host's list: "m00042", "BLOCKED" or null. */
void canon_last_ref(struct buf *b, struct state *s);
/* Tier 1..3, or null. */
void canon_tier(struct buf *b, int tier);
/* ["b1","b2"], blocks by index. */
void canon_blocks(struct buf *b, const struct state *s, const uint32_t *blocks, size_t n);
/* {"baseline","lastShown","byTier"} */
void canon_nudge_state(struct buf *b, const struct scalars *now);
/* {"tokensCompressed","compressionCount"} */
void canon_stats(struct buf *b, const struct scalars *now);
/* ["kind",..] of errors or warnings. */
void canon_kinds(struct buf *b, const struct compress_note *notes, size_t n);

/* Texts of the last lists written; zero-initialise, canon_ranges_free. Ranges of one state only: canon_ranges_reset
 * between states. */
struct canon_ranges {
	VEC(struct range) ranges;
	VEC(size_t) range_ends;
	struct buf recommended; /* [{startRef,endRef,count,tokens,chars,toolPct},..] without the closing bracket */
	VEC(struct protected_range) protected_ranges;
	VEC(uint32_t) tools;
	VEC(size_t) protected_ends;
	struct buf protected_text; /* [{startRef,endRef,count,tokens,tools},..], likewise */
};

/* Brings both texts up to date. */
void canon_ranges_update(struct canon_ranges *c, const struct state *s, const struct recommendation *rec);
/* Appends them, closed. */
void canon_recommended(struct buf *b, const struct canon_ranges *c);
void canon_protected(struct buf *b, const struct canon_ranges *c);
void canon_ranges_reset(struct canon_ranges *c);
void canon_ranges_free(struct canon_ranges *c);

#endif
