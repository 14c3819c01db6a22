/*
 * trace_dsh: the members of a trace that the DSH host adds (trace.md; dsh-rulings
 * 3, 9, 15). Each appends its value to b.
 */
#ifndef REPLAY_REPORT_TRACE_DSH_H
#define REPLAY_REPORT_TRACE_DSH_H

#include "replay/run.h"

/* Of the surface as run->dsh.fold stands. */
void trace_dsh_table(struct run *r, struct buf *b);
void trace_dsh_classes(struct run *r, struct buf *b);
void trace_dsh_barriers(struct run *r, struct buf *b);
void trace_dsh_guarded(struct run *r, struct buf *b);
/* `guard` of a compress call: one object a range. */
void trace_dsh_guard(const struct run *r, size_t compression, struct buf *b);
/* Error kinds that the plugin adds to those of the kernel, each behind a comma where `any` or one before it is there.
 */
void trace_dsh_errors(const struct run *r, size_t compression, bool any, struct buf *b);
/* ,"reinjections":[..],"compactions":N of the trailer. */
void trace_dsh_end(const struct run *r, struct buf *b);

#endif
