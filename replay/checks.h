/*
 * checks: what a finished replay is compared with, and how it fares.
 *
 * The state a host stored beside the session (sidecar.h), where the end of the
 * replay differs from it and from the host's own fork recovery (drift.h), what
 * the adapter's log says (acp_log.h), recorded requests (requests.h), and how far
 * it agrees with what the recorded run said (fidelity.h). Worked out in
 * some steps once the first pass is done; views read it through the frame.
 *
 * A `struct checks` owns all of it, until checks_free. It must stay where it is
 * (the sidecar does), and the recording must outlive it.
 */
#ifndef REPLAY_CHECKS_H
#define REPLAY_CHECKS_H

#include "replay/acp_log.h"
#include "replay/fidelity.h"
#include "replay/requests.h"

enum { CHECKS_RECOVERIES = 2 }; /* forms of kernel.md 8.1 */

struct checks {
	struct sidecar sidecar;
	bool has_drift; /* there is a sidecar, and `drift` is from it */
	struct drift drift;
	struct drift recovery[CHECKS_RECOVERIES]; /* as many as `recoveries`: none without compress calls */
	size_t recoveries;
	bool has_log;
	struct acp_log log;
	bool has_requests;
	struct requests requests;
	struct fidelity fidelity; /* when `done` */
	bool done;
	unsigned step;
};

/* Looks for the sidecar (sidecar_find, its statuses), before the run is made. c is overwritten. */
enum status checks_find(struct checks *c, struct recording *r, const char *given, struct error *e);
/*
 * Reads the adapter's log, after checks_find; path NULL: there is none. STATUS_NO_INPUT, STATUS_IO, STATUS_DATA as
 * acp_log_load.
 */
enum status checks_log(struct checks *c, const struct recording *r, const char *path, struct error *e);
/*
 * Looks which recorded requests there are, after checks_find; path NULL: there are none. Statuses of requests_find.
 */
enum status checks_requests(struct checks *c, const char *path, struct error *e);
/*
 * The next comparison with a run whose first pass is done; false when all of them are. Moves the run's state: an open
 * frame must be opened again. `recover`: compare with the recoveries in any case, else only where the sidecar differs.
 */
bool checks_step(struct checks *c, struct run *run, bool recover);
/* Is there a sidecar, and does the end of the replay differ from it? */
bool checks_drift_found(const struct checks *c);
void checks_free(struct checks *c);

#endif
