/*
 * info: what a session file is, as text: format, host, counts, damage,
 * assumptions. Owns nothing.
 */
#ifndef REPLAY_REPORT_INFO_H
#define REPLAY_REPORT_INFO_H

#include "engine/base/buf.h"
#include "replay/recording.h"

struct run;

/* Appends the text of `acpdbg info`. run may be NULL: then the window is only told when the file names it. */
void info_print(struct recording *r, struct run *run, struct buf *b);

#endif
