/*
 * explained: what stands behind the figures of the panes, as JSON, for the oracle of tests/oracle/figures.mjs.
 *
 * Taken where the panes take it, from run, frame, explanations and answers,
 * never from a view. What a trace tells is left to the trace.
 */
#ifndef TESTS_EXPLAINED_H
#define TESTS_EXPLAINED_H

#include "replay/frame.h"

/* Appends an object about the whole run, whose first pass is done. */
void explained_run(struct run *r, struct frame *f, struct buf *b);
/* Appends one about the frame's turn. */
void explained_turn(struct frame *f, struct buf *b);

#endif
