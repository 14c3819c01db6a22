/*
 * window: does the recording refute the window that was assumed for it?
 *
 * No session file tells a Pi model's window. The assumption stays what the
 * replay goes by (policy.md), but a prompt that the provider took and that is
 * larger than it proves it wrong: then usage, nudges and truncation of the
 * replay are not what happened, and everything that shows the window says so.
 */
#ifndef REPLAY_WINDOW_H
#define REPLAY_WINDOW_H

#include "replay/run.h"

/* A turn of the first pass, before it joins the timeline: keeps what it says about the window in the run. */
void window_judge(struct run *r, struct moment *m);
static inline bool window_refuted(const struct run *r) { return r->refuted_turn > 0; }

#endif
