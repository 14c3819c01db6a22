/*
 * reason: the reasons of replay/explain as sentences.
 *
 * A sentence has the numbers and their scale in it and names the part of the
 * specification; the members of the configuration behind it come as lines of
 * their own, with value and source. Names and refs of the session stand in them
 * raw: they pass view/text when they are put into a line or a detail.
 */
#ifndef REPLAY_VIEW_REASON_H
#define REPLAY_VIEW_REASON_H

#include "replay/explain.h"
#include "replay/view/detail.h"

/* Appends the sentence. */
void reason_words(struct frame *f, const struct reason *r, struct buf *b);
/* Appends "member = value (source)" for every member behind it, separated by line feeds. */
void reason_config(const struct frame *f, const struct reason *r, struct buf *b);
/* Both as lines of a detail, after the rule's name and, where it can fail, whether it holds. */
void reason_put(struct frame *f, const struct reason *r, struct detail *d);

/* A gate with its formulas: sentences into `text`, "member = value (source)" lines into `config`. */
void reason_gate(struct frame *f, enum nudge_gate id, struct buf *text, struct buf *config);
/* What an answer refuses, in few words and with its numbers, behind the kind's name. */
void reason_refusal(const struct frame *f, const struct frame_range *range, struct buf *b);

/* "m00003..m00010", or one ref. */
void reason_span(const struct frame *f, uint32_t start, uint32_t end, struct buf *b);
/* "b1, b2 and 5 more" */
void reason_blocks(const struct frame *f, const uint32_t *blocks, uint32_t n, struct buf *b);

/* ---- between the files of this module ---- */

typedef void reason_say(struct frame *f, const struct reason *r, struct buf *b);
extern reason_say *const reason_say_row[RULE_COUNT], *const reason_say_range[RULE_COUNT];
extern reason_say *const reason_say_block[RULE_COUNT], *const reason_say_gate[RULE_COUNT];

#endif
