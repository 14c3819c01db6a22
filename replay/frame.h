/*
 * frame: a read-only handle to one position of a run.
 *
 * frame_open moves the run's state there, works the turn out again in a probe
 * (so nothing of the run changes) and copies the surface, together with the
 * surface before the node and the one of the previous turn, against which the
 * marks "added, removed, rewritten" are taken. Sections (rows, ranges, nudge)
 * are computed at first use and cached in the frame's arena. Cost: two turns.
 * A frame borrows its run; one frame of a run is open at a time.
 */
#ifndef REPLAY_FRAME_H
#define REPLAY_FRAME_H

#include "replay/position.h"

enum row_mark { MARK_NONE, MARK_ADDED, MARK_REWRITTEN, MARK_REMOVED };

/* Flags of a row as the Rows pane shows them (interface.md, Rows). */
enum row_flag {
	ROW_PROTECTED = 1,   /* P protected tool or its pair */
	ROW_RECENT = 2,      /* R recent zone (rule 1 or 2) */
	ROW_LAST_USER = 4,   /* U last real user turn (rule 3) */
	ROW_COVERED = 8,     /* C covered by a block (covered_by) */
	ROW_BLOCKED = 16,    /* B ref is BLOCKED */
	ROW_HIDDEN = 32,     /* H hidden compress call or its result (only where removed rows are shown) */
	ROW_TRUNCATED = 64,  /* T cut by emergency truncation */
	ROW_NEW = 128,       /* + new since the previous turn */
	ROW_CHANGED = 256,   /* ~ text differs from the previous turn */
	ROW_SUMMARY = 512    /* rendered summary of a block */
};

struct frame_row {
	struct surface_row row;
	enum row_mark mark;    /* what this node did to it */
	uint16_t flags;
	uint32_t covered_by;   /* block + 1 that covers it, 0 = none */
	uint32_t range;        /* compressible group + 1 it lies in, 0 = none */
	uint8_t range_edge;    /* 1 first row of the group, 2 last, 3 both */
	double tokens;         /* of its text without tag, turn's counter */
};

struct frame {
	struct run *run;
	struct position at;
	struct arena arena;
	const struct moment *moment; /* of turn at.turn; NULL at turn 0 */
	bool counterfactual_tokens;

	struct turn turn;            /* products up to at.node */
	VEC(struct frame_row) rows;  /* surface as the node left it; rows it removed are among them, marked */
	uint32_t surface_rows;       /* rows without the removed ones */
};

/* Opens (or moves) a frame; zero-initialise before first use. */
enum status frame_open(struct frame *f, struct run *r, struct position p, struct error *e);
void frame_close(struct frame *f);
/* Text of a row without its tag / as it stands with it; lives in `a` or longer. */
struct str frame_row_text(struct frame *f, const struct frame_row *r, struct arena *a);
struct str frame_row_tagged_text(struct frame *f, const struct frame_row *r, struct arena *a);

#endif
