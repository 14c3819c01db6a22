/*
 * orphans: what a command started and left behind.
 *
 * A process that left the group of the command (setsid, a daemon) is not reached
 * by a signal to the group, and falls to the system's first process when its
 * parent ends. Between orphans_adopt and orphans_kill it falls to this process
 * instead, and can be found. Only Linux offers that (a child subreaper, with
 * /proc to list the children); elsewhere, or where /proc is not there, nothing
 * is adopted and nothing killed.
 * Children from before orphans_adopt are left alone; one that falls to us
 * meanwhile cannot be told from the command's.
 * The struct owns its vec.
 */
#ifndef REPLAY_ORPHANS_H
#define REPLAY_ORPHANS_H

#include <stdbool.h>
#include <sys/types.h>

#include "engine/base/vec.h"

#define ORPHANS_SECONDS 2 /* how long is waited for what was killed, and for what goes on forking */

struct orphans {
	bool adopting;
	int before;        /* did orphans fall to us before? */
	VEC(pid_t) spared; /* children from before */
};

/* Before the command starts. SIGCHLD must not be ignored until orphans_kill has returned. */
void orphans_adopt(struct orphans *o);
/* After the command itself was waited for: kills and reaps all children but those from before; frees o. */
void orphans_kill(struct orphans *o);

#endif
