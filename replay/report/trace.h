/*
 * trace: a replay as JSON lines (trace.md): header, one object a compress and a
 * turn record, trailer.
 *
 * One table lists the members of a turn in their order; a member whose part of
 * the program is not built is not in it. A trace appends to a buffer of the
 * caller, who writes it out. With `changes`, a member of a turn is printed only
 * where it differs from the turn before.
 */
#ifndef REPLAY_REPORT_TRACE_H
#define REPLAY_REPORT_TRACE_H

#include "replay/frame.h"

enum { TRACE_MEMBERS_MAX = 24 };

/* Zero-initialise, trace_free. */
struct trace {
	bool changes;
	struct buf out;                     /* lines not yet taken by the caller */
	struct buf member;                  /* scratch */
	struct buf last[TRACE_MEMBERS_MAX]; /* members of the turn before, with `changes` */
	struct canon_ranges ranges;         /* for frames */
};

void trace_header(struct trace *t, const struct run *r);
/* The turn just executed by the first pass: call it from run_observer.turn. */
void trace_turn(struct trace *t, struct run *r, uint32_t n, const struct moment *m);
/* From run_observer.compress. */
void trace_compress(struct trace *t, struct run *r, const struct compress_event *e);
void trace_end(struct trace *t, const struct run *r);
/*
 * One position as an object without line feed: `type`, `n`, `position` where it
 * is no whole turn, and the members that are known after its node.
 */
void trace_position(struct trace *t, struct frame *f);
void trace_free(struct trace *t);

#endif
