/*
 * generate_pi: Pi session files made up for property tests: tool loops with one
 * and several calls, compress calls that succeed and that fail, thinking, failed
 * answers, compactions of the host, changes of model, texts in two scripts.
 *
 * The same seed gives the same bytes on every machine. What a replay makes of
 * them is for the tests to find out.
 */
#ifndef TESTS_GENERATE_PI_H
#define TESTS_GENERATE_PI_H

#include <stdint.h>

#include "engine/base/buf.h"

/* Appends a session file with about so many requests. */
void generate_pi(uint64_t seed, uint32_t requests, struct buf *b);
/* The same without a compress call or anything else that takes a row away: the view only grows. */
void generate_pi_growing(uint64_t seed, uint32_t requests, struct buf *b);

#endif
