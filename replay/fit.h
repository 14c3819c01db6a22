/*
 * fit: what no session file tells, worked out from what it does: the tokens of
 * system prompt and tools (policy.md, systemTokens=fit).
 *
 * The provider's prompt size of a turn is the system prompt, the messages sent,
 * and what our estimate of these gets wrong. The constant that explains the
 * prompts best is the median of actual minus counted. Turns that follow a fold
 * are left out, as are those of a run that no longer is what happened. Reads a
 * run, owns nothing.
 */
#ifndef REPLAY_FIT_H
#define REPLAY_FIT_H

#include "replay/run.h"

struct fit {
	double tokens; /* actual (provider usage) - counted (raw estimate): a median; can be negative */
	size_t turns;  /* it is the median of so many; 0 = nothing to go by, tokens is 0 */
};

/* Of the turns executed so far. */
struct fit fit_system_tokens(const struct run *r);
/* Is turn m one the fit goes by, or (with folds) one whose rest can be told at all? */
bool fit_counts(const struct run *r, const struct moment *m, bool folds);

/* The median; v is sorted. n > 0; of an even number the mean of the two in the middle. */
double fit_median(double *v, size_t n);

#endif
