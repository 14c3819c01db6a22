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
#include "replay/frame_request.h"

/* Events that are compared: what a kind of its own is made of is none. */
enum { DIFF_EVENT_BITS = 0xffff & ~(MOMENT_APPLIED | MOMENT_REFUSED | MOMENT_NUDGE | MOMENT_FAILED | MOMENT_REFUTED) };

/* One of the things that are compared. */
struct diff_item {
	struct str id, name; /* name.p NULL: the id is the name */
	struct str value;    /* p NULL: made by `value` of its kind for the lines that are kept */
	uint64_t print;      /* equal prints, equal values */
	uint32_t at;         /* its place in what it was taken from */
};

/* One side of one detail. */
struct diff_looked {
	struct diff *d;
	const struct diff_detail *t;
	enum diff_side side;
	struct run *run;
	struct frame *frame;
	struct frame_request *request; /* of REQUEST */
	const struct moment *moment;
	struct arena arena; /* as long as the detail is worked out */
	VEC(struct diff_item) items;
};

/* What is looked at for a kind. Members but `list` may be NULL. */
struct diff_part_of {
	void (*list)(struct diff_looked *l);
	struct str (*name)(struct diff_looked *l, const struct diff_item *i);
	void (*value)(struct diff_looked *l, const struct diff_item *i, struct buf *b);
	/* what has another text on both sides is shown from where they differ; !whole: without what may be left out */
	struct str (*text)(struct diff_looked *l, const struct diff_item *i, bool whole);
	bool framed; /* needs the frame of its turn */
};
extern const struct diff_part_of diff_parts[DIFF_KINDS];

/* A copy of what was written. */
struct str diff_said(struct arena *a, const struct buf *b);

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
