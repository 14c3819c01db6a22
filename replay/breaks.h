/*
 * breaks: breakpoints, watches and probes of a session: expressions (expr.h)
 * whose values over the turns are worked out when they are asked for, and kept.
 *
 * A breakpoint holds where its condition is true, a watch where its value is
 * another than at the turn before, a probe nowhere: it is only looked at. The
 * list belongs to the user and outlives a run; values belong to a run, and
 * breaks_begin forgets them. The list owns everything but the run.
 */
#ifndef REPLAY_BREAKS_H
#define REPLAY_BREAKS_H

#include "replay/expr.h"

enum break_kind { BREAK_POINT, BREAK_WATCH, BREAK_PROBE, BREAK_KINDS };
const char *break_kind_name(enum break_kind k); /* "break", "watch", "probe": the names in a stored list, too */

enum {
	BREAKS_MAX = 100,            /* of a list */
	BREAKS_BYTES_MAX = 1000,     /* of an expression */
	BREAKS_HITS_MAX = 1000000000 /* counted no further */
};

struct break_point {
	uint8_t kind; /* enum break_kind */
	bool enabled;
	uint32_t hits;            /* times a run came to a turn where it holds */
	struct str text;          /* as it was typed */
	const struct expr *value; /* what is shown */
	const struct expr *stop;  /* what stops a run; NULL of a probe */
	struct arena arena;       /* of all that */
	/* turn n at [n - 1]; known 0 = not worked out yet, else enum break_state */
	VEC(uint8_t) known;
	VEC(float) numbers; /* of a number or a bool; NAN = there is no value */
};
enum break_state { BREAK_NOT_YET, BREAK_HOLDS_NOT, BREAK_HOLDS };

struct breaks {
	VEC(struct break_point) list;
	struct run *run; /* NULL = none */
	struct expr_scene scene;
};

/* Adds one, enabled; false: `fault` says why the text is none. */
bool breaks_add(struct breaks *b, enum break_kind kind, struct str text, struct expr_fault *fault);
/* Another text in its place; its hits are counted anew. False: it stays as it is. */
bool breaks_edit(struct breaks *b, size_t i, struct str text, struct expr_fault *fault);
/* Only whether the text would do. */
bool breaks_check(enum break_kind kind, struct str text, struct expr_fault *fault);
void breaks_remove(struct breaks *b, size_t i);
void breaks_free(struct breaks *b);

/* From now on turns of this run (NULL = of none); every value is forgotten. The run must outlive it or be replaced. */
void breaks_begin(struct breaks *b, struct run *run);
/*
 * Works one out at a turn (1..turns of the timeline), unless it is known. Adds what that cost to *cost, in the unit of
 * search_piece's budget. True: the run was moved, so that frames of it must be opened again.
 */
bool breaks_evaluate(struct breaks *b, size_t i, uint32_t turn, size_t *cost);
enum break_state breaks_state(const struct breaks *b, size_t i, uint32_t turn);
/* The value at a turn, as people read it; session text is still raw. Moves the run as breaks_evaluate. */
bool breaks_put_value(struct breaks *b, size_t i, uint32_t turn, struct buf *out);

/* The list as a JSON array, and back: what is no breakpoint is left out and counted. */
void breaks_put_json(const struct breaks *b, struct buf *out);
size_t breaks_take_json(struct breaks *b, struct str json);

#endif
