/* window_words: a refuted window in words, for info, Events and standard error. */
#ifndef REPLAY_VIEW_WINDOW_WORDS_H
#define REPLAY_VIEW_WINDOW_WORDS_H

#include "engine/base/buf.h"
#include "replay/window.h"

/* "the assumed window of 150,000 tokens is refuted: .."; window_refuted. */
void window_put_refuted(const struct run *r, struct buf *b);
/* The same behind "assumed": "refuted by turn 3: prompt 150,123; .."; window_refuted. */
void window_put_proof(const struct run *r, struct buf *b);

#endif
