/*
 * where: what became of a ref or a block id at a position (interface.md, `:ref`).
 *
 * One answer, in words and as what can be shown: never issued, visible, covered
 * by a block (and what that block went into), in the host's list and yet not
 * sent, or no longer in that list.
 */
#ifndef REPLAY_WHERE_H
#define REPLAY_WHERE_H

#include "replay/frame.h"

enum where_kind {
	WHERE_NOTHING,  /* the text is no ref and no block id */
	WHERE_NEVER,    /* not issued, or not made, so far */
	WHERE_VISIBLE,  /* a row of the surface */
	WHERE_COVERED,  /* by an active block */
	WHERE_LEFT_OUT, /* in the host's list, uncovered, and not on the surface */
	WHERE_DANGLING, /* its message is not in the host's list */
	WHERE_BLOCK     /* a block, whatever became of it */
};

struct where {
	enum where_kind kind;
	uint32_t row;   /* of frame.rows, of VISIBLE */
	uint32_t block; /* index, of COVERED and BLOCK */
};

/* Appends one line, without line feed; message ids in it are raw session text. */
struct where where_is(struct frame *f, struct str text, struct buf *out);

#endif
