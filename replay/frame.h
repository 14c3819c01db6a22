/*
 * frame: a read-only handle to one position of a run.
 *
 * frame_open moves the run's state there and works the turn out again in a
 * probe, so nothing of the run changes; the probe stays open with the frame, so
 * that run->state is the state the frame shows. It also works out the turn
 * before, against which rows are new or changed, and compares the surface with
 * the one before the node: what the node added, rewrote, removed. Cost: two
 * turns, and the length of the host's list for the nodes before prune.
 * A frame borrows its run; one frame of a run is open at a time, and run_step
 * or run_seek make it stale: open it again.
 */
#ifndef REPLAY_FRAME_H
#define REPLAY_FRAME_H

#include "replay/position.h"

struct checks;

enum row_mark { MARK_NONE, MARK_ADDED, MARK_REWRITTEN, MARK_REMOVED };

/* Flags of a row as the Rows pane shows them (interface.md, Rows). */
enum row_flag {
	ROW_PROTECTED = 1,  /* P protected tool or its pair */
	ROW_RECENT = 2,     /* R recent zone (rule 1 or 2) */
	ROW_LAST_USER = 4,  /* U last real user turn (rule 3) */
	ROW_COVERED = 8,    /* C covered by a block (covered_by) */
	ROW_BLOCKED = 16,   /* B ref is BLOCKED */
	ROW_HIDDEN = 32,    /* H hidden compress call or its result (only where removed rows are shown) */
	ROW_TRUNCATED = 64, /* T cut by emergency truncation */
	ROW_NEW = 128,      /* + not there after the same node of the turn before */
	ROW_CHANGED = 256,  /* ~ there, with another text */
	ROW_SUMMARY = 512   /* rendered summary of a block */
};

/* Places where views keep what they worked out for the position, in the frame's arena. */
enum frame_kept {
	KEPT_ROW_LINES,
	KEPT_ROW_DETAIL,
	KEPT_NUDGE_LINES,
	KEPT_NUDGE_DETAIL,
	KEPT_RANGES,
	KEPT_RANGE_DETAIL,
	KEPT_BLOCKS,
	KEPT_BLOCK_DETAIL,
	KEPT_EVENT_DETAIL,
	KEPT_DENSITY_DETAIL,
	KEPT_PREFIX_DETAIL,
	KEPT_REQUEST,
	KEPT_REQUEST_DETAIL,
	KEPT_DSH_ROWS,
	KEPT_DSH_RANGES,
	KEPT_DSH_BLOCKS,
	KEPT_DSH_REQUEST,
	KEPT_STATUS,
	KEPT_STATUS_DETAIL,
	KEPT_CHANGES,
	KEPT_COUNT
};

/* Places for what is about the whole run: it stays when the frame moves. */
enum frame_stays { STAYS_STRIP, STAYS_EVENTS, STAYS_DENSITY, STAYS_PREFIX, STAYS_COUNT };

/* Who makes it anew empties the arena first. */
struct frame_stay {
	struct arena arena;
	void *made; /* NULL until a view fills it */
};

/* A number by message and, for summaries, by name (block numbers differ between epochs), which a new round empties. */
struct frame_place {
	uint64_t value;
	uint32_t round;
};
struct frame_places {
	VEC(struct frame_place) message, name;
	uint32_t round;
};

struct frame_row {
	struct surface_row row;
	enum row_mark mark; /* what this node did to it; REWRITTEN at assign-refs: it got its ref */
	uint16_t flags;
	uint32_t covered_by; /* active block + 1 that covers it (the newest one), 0 = none */
	uint32_t range;      /* compressible group + 1 it lies in, 0 = none; from recommend on */
	uint8_t range_edge;  /* bit 0: first row of the group, bit 1: last */
	double tokens;       /* of its text without tag, turn's counter */
};

struct frame {
	struct run *run;
	struct position at;
	struct arena arena;
	const struct moment *moment; /* of turn at.turn; NULL at turn 0 */
	bool counterfactual_tokens;  /* no turn happened here: its token count is counted by us */
	uint8_t counted;             /* enum count_scale of the token count */
	bool capacity;               /* the turn could not run (ref-capacity): the rows are the host's list */

	struct turn turn;           /* products up to at.node */
	VEC(struct frame_row) rows; /* surface as the node left it; rows it removed are among them, marked */
	uint32_t surface_rows;      /* rows without the removed ones */

	/* of the surface as recommend saw it, or of the present one before that node */
	struct mark_set zone, calls;
	uint32_t last_user;       /* ref of the last real user row; valid while last_user_rules is not 0 */
	unsigned last_user_rules; /* enum zone_rule */

	void *kept[KEPT_COUNT];        /* NULL until a view fills it */
	struct frame_dsh *dsh;         /* NULL until it is asked for (frame_dsh.h) */
	struct frame_request *request; /* NULL until it is asked for (frame_request.h) */

	struct frame_stay stays[STAYS_COUNT];
	const struct checks *checks;     /* of the end of the run (checks.h); set by who has them, or NULL */
	struct frame_places prints, now; /* scratch of frame_open */
};

/* Opens (or moves) a frame; zero-initialise before first use. STATUS_USAGE: there is no such position. */
enum status frame_open(struct frame *f, struct run *r, struct position p, struct error *e);
void frame_close(struct frame *f);
/* Brings the run back to the frame, after its probe was ended and the run was moved: for sections of the frame. */
void frame_return(struct frame *f);
/*
 * The class of a row of a host that has no classes of its own: what took the place of others is a checkpoint, the rest
 * is real (its status panels and its own summaries join as no rows). For DSH logs see frame_dsh.h.
 */
enum dsh_class frame_row_class(const struct frame_row *r);
/* Text of a row without its tag / as it stands with it; lives in `a` or longer. */
struct str frame_row_text(struct frame *f, const struct frame_row *r, struct arena *a);
struct str frame_row_tagged_text(struct frame *f, const struct frame_row *r, struct arena *a);

#endif
