/*
 * words: figures and names as people read them, for views.
 *
 * Everything is appended to the caller's buf and is plain ASCII as long as the
 * names it is given are; session text among it is still raw and has to pass
 * view/text (line_put, detail_put).
 */
#ifndef REPLAY_VIEW_WORDS_H
#define REPLAY_VIEW_WORDS_H

#include "engine/kernel/compress.h"
#include "replay/frame.h"
#include "replay/view/line.h"

/* "81,234"; "22,500.5"; "-3" */
void words_count(struct buf *b, double x);
/* "999", "81.2K", "150K", "1,234.5K": the nudge label of kernel.md 2.4 without ".0", for any number. */
void words_short(struct buf *b, double x);
/* The first where it fits into so many columns, else the second. */
void words_count_in(struct buf *b, double x, int columns);
/* "54.2 %" and "54 %" for 0.542; "? %" when it is no number. */
void words_percent(struct buf *b, double share);
void words_percent_round(struct buf *b, double share);
/* "m00042", "BLOCKED", or "no ref". */
void words_ref(struct buf *b, const struct state *s, uint32_t ref);
/* "1 row", "12 rows" */
void words_plural(struct buf *b, double n, const char *one, const char *many);
/* "nudge.growthFloor = 50000 (default)" for the member with this path. */
void words_config(struct buf *b, const struct run *r, const char *path);

/* Why a range was refused, to stand behind the name of the kind: ": already compressed". Nothing when the name says it,
 * or when numbers belong to it. */
const char *words_refusal(enum compress_kind k);

/* The frame stands behind a record that could not be followed (recording.md): its numbers are counterfactual. */
bool words_counterfactual(const struct frame *f);
/* .. and why: a sentence. */
const char *words_why_counterfactual(const struct frame *f);

/* Text at the end of a line; when it does not fit its end is an ellipsis, so that no number is cut unseen. */
void words_put(struct line *out, enum style style, struct str s);

/* Scale of what the turn's counter counts: "raw estimate" or "calibrated". */
const char *words_counter_scale(const struct frame *f);
/*
 * Scale of the frame's token count: "host count" when the recording gives it, else ours: "raw estimate", or "usage +
 * est" where the adapter's rule took the provider's number and the host's estimates since (pi.md 8.2).
 */
const char *words_host_scale(const struct frame *f);
/* The same of any turn's token count. */
/* Scale of what the turn before record i counted of rows: "raw estimate", or "calibrated" where a density is in force.
 */
const char *words_scale_at(const struct run *r, size_t i);
/* Scale of what blocks took in: each was counted with the density of its day, where one is measured. */
const char *words_block_scale(const struct run *r);
const char *words_count_scale(enum count_scale scale);
/* The same as one sign: '~' raw estimate, '+' usage and estimates since, ' ' the host's own. */
char words_count_mark(enum count_scale scale);

#endif
