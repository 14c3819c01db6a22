/*
 * acp_log_words: what the adapter's log says beside the replay, as text for
 * people. Texts of the log are made safe; all of it is appended to the caller's
 * buf.
 */
#ifndef REPLAY_VIEW_ACP_LOG_WORDS_H
#define REPLAY_VIEW_ACP_LOG_WORDS_H

#include "replay/acp_log.h"

/* Where it is from, what it says something of, what could not be read, and how it agrees: lines of `acpdbg info`. */
void acp_log_words_lines(const struct acp_log *log, struct buf *b);
/* One line without its end: how much it tells, how far it agrees, the first difference. */
void acp_log_words_summary(const struct acp_log *log, struct buf *b);
/* One difference as a sentence without its end: "token count: the log has 12,345, the replay 12,300". */
void acp_log_words_difference(const struct acp_log_difference *d, struct buf *b);

#endif
