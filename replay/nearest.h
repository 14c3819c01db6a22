/*
 * nearest: the name a user probably meant, for messages about unknown ones.
 */
#ifndef REPLAY_NEAREST_H
#define REPLAY_NEAREST_H

#include <stddef.h>

#include "engine/base/text.h"

/* Candidates are offered one at a time; zero-initialise. */
struct nearest {
	const char *name; /* best so far, NULL = none is near */
	size_t distance;
};

/* Offers a candidate for `wanted`: taken when it is nearer than those before and near at all. */
void nearest_offer(struct nearest *best, struct str wanted, const char *name);

#endif
