/*
 * generate_dsh: made-up logs of the DSH host: turns, injected rows, compress
 * calls that name live rows, stale ones or none, their transactions (not always
 * whole), hidden pairs, compactions by human and host. The same seed gives the
 * same log.
 */
#ifndef TESTS_GENERATE_DSH_H
#define TESTS_GENERATE_DSH_H

#include "engine/base/buf.h"

/* Appends a log of about `steps` rows and calls to out. */
void generate_dsh(uint64_t seed, size_t steps, struct buf *out);

#endif
