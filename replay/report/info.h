/*
 * info: what a session file is, as text: format, host, counts, damage,
 * assumptions, fidelity. Owns nothing.
 */
#ifndef REPLAY_REPORT_INFO_H
#define REPLAY_REPORT_INFO_H

#include "replay/fidelity.h"
#include "replay/requests.h"

/*
 * Appends the first part of `acpdbg info`. run may be NULL: then the window is only told when the file names it. Of a
 * run whose first pass is done it is also told what the recorded prompt sizes say about the system prompt.
 */
void info_print(struct recording *r, struct run *run, struct buf *b);

/* What the end of a replay was compared with; members but `run` may be NULL. */
struct info_checks {
	const struct run *run; /* its first pass is done */
	const struct sidecar *sidecar;
	const struct drift *drift; /* from the sidecar */
	const struct drift *recovery;
	size_t recoveries;
	const struct acp_log *log;       /* compared with the run */
	const struct requests *requests; /* likewise */
};

/* Appends fidelity in one line, the sidecar, what differs from it, and what the host's own recovery would make. */
void info_print_checks(const struct info_checks *c, struct buf *b);

#endif
