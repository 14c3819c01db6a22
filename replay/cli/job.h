/*
 * job: long work of the command line, with a progress bar on a terminal and
 * Ctrl-C between two steps.
 */
#ifndef REPLAY_CLI_JOB_H
#define REPLAY_CLI_JOB_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialised = a job that has not begun. */
struct job {
	const char *what; /* "loading" */
	const char *unit; /* what is counted, "turns"; NULL = bytes */
	double begun;     /* seconds of a monotonic clock */
	double drawn;
	int columns; /* of the bar's terminal; 0 = no bar */
	bool visible;
	void (*previous)(int); /* SIGINT handler to put back */
};

/* Begins: Ctrl-C only sets a flag until job_end. `quiet`: no bar whatever the terminal. */
void job_begin(struct job *j, const char *what, const char *unit, bool quiet);
/* Draws at most some times a second. `done` of `all` units. False: interrupted. */
bool job_step(struct job *j, double done, double all);
/* Takes the bar away, so that something else can be printed. */
void job_clear(struct job *j);
void job_end(struct job *j);

#endif
