/*
 * requests_words: how recorded requests compare with ours, as text for people,
 * appended to the caller's buf.
 */
#ifndef REPLAY_VIEW_REQUESTS_WORDS_H
#define REPLAY_VIEW_REQUESTS_WORDS_H

#include "replay/requests.h"

/* One line without its end: how many, how many equal, the first that is not. Safe to show. */
void requests_words_summary(const struct requests *q, struct buf *b);
/* What was found of one dump as a sentence without its end; excerpts in it are raw. */
void requests_words_dump(const struct request_dump *d, struct buf *b);
/* Lines of `acpdbg info`: safe to show. */
void requests_words_lines(const struct requests *q, struct buf *b);

#endif
