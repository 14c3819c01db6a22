/*
 * settings: what a run goes by, as text: profile, switches, and every value of
 * the configuration that is not the kernel's default, each with its source
 * (policy.md). The second half of `acpdbg info`.
 */
#ifndef REPLAY_REPORT_SETTINGS_H
#define REPLAY_REPORT_SETTINGS_H

#include "replay/run.h"

/* "K60", "K60 with hide=full". */
void settings_put_profile(struct buf *b, const struct policy *p);
/* " (host other has no adapter: the kernel alone is replayed)", where the policy is that of another host than the
 * recording's; else nothing. */
void settings_put_host(struct buf *b, const struct run *r, bool ascii);
/* "128000 (assumed)", "4000 (--limit)"; without a source when the recording tells it. */
void settings_put_limit(struct buf *b, const struct run *r);
/* All of it, one a line; session text safe to show. */
void settings_print(const struct run *r, struct buf *b, bool ascii);

#endif
