/*
 * diff_parts: what a difference of two turns, or of two calls, is. Internal to
 * diff*.c.
 *
 * For each kind there is a list of things with an id and a value on both sides;
 * the detail is what is on one side only or has another value. Values are made
 * into text for the lines that are kept.
 */
#ifndef REPLAY_DIFF_PARTS_H
#define REPLAY_DIFF_PARTS_H

#include "replay/diff.h"
#include "replay/frame.h"

/* Frames of both sides, opened for one step after the other. Zero-initialise, diff_looking_end. */
struct diff_looking {
	struct frame frame[DIFF_SIDES];
	uint32_t turn[DIFF_SIDES]; /* where they stand; 0 = nowhere */
};

/* Fills the lines of t, whose place is known. */
void diff_look(struct diff *d, struct diff_looking *l, struct diff_detail *t);
void diff_looking_end(struct diff_looking *l);

/* Scale of what a compress call folds: "raw estimate" or "calibrated". */
const char *diff_folded_scale(const struct run *r);
/* Fills the effects. */
void diff_add_effects(struct diff *d);

#endif
