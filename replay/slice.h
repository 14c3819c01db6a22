/*
 * slice: some turns of a session as a recording of their own (interface.md, key s).
 *
 * Under the kernel alone (driver=conformance) what happened before the slice is
 * its kernel state and its rows: calls and turns before it are left out. A
 * host's adapter remembers more than a recording can hold (densities, nudges
 * sent, ledgers), so there the turns before stay, and only those behind are
 * cut. Either way every turn of the slice has the rows, text for text, that it
 * has in the whole, under the policy the slice was made with.
 */
#ifndef REPLAY_SLICE_H
#define REPLAY_SLICE_H

#include "replay/run.h"

struct slice {
	uint32_t first, last;       /* turns, 1-based */
	struct recording_edit edit; /* for recording_write_edited; `state` lies in the buf below */
	struct buf state;
	bool keeps_before; /* the turns before the first one are in it, too */
};

/* "3..9", "3..", "..9", "7": against the turns the run has executed. STATUS_USAGE. */
enum status slice_parse(const struct run *r, struct str text, struct slice *s, struct error *e);
/* Fills the rest. Moves the run: frames of it must be opened again. */
void slice_make(struct run *r, struct slice *s);
void slice_free(struct slice *s);

#endif
