/*
 * compared: two runs and the diff between them, each with its JSON trace. Bad
 * policies fail the running test.
 */
#ifndef TESTS_COMPARED_H
#define TESTS_COMPARED_H

#include "replay/diff.h"
#include "replay/report/trace.h"
#include "tests/replayed.h"

struct compared_side {
	struct run run;
	struct diff_watch watch;
	struct run_observer watching; /* of the watch: the run tells both it and the trace */
	struct trace trace;
};

struct compared {
	struct replayed file[2]; /* the caller's to open and close */
	struct compared_side side[2];
	struct diff d;
};

/* p must stay where it is. POLICY as on the command line. */
void compared_begin(struct compared *p, struct recording *left, const char *left_policy, struct recording *right,
		    const char *right_policy);
void compared_end(struct compared *p);

#endif
