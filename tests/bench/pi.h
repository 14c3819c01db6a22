/*
 * bench/pi: what a Pi session whose view only grows costs to replay, with the
 * request of every turn and without.
 */
#ifndef TESTS_BENCH_PI_H
#define TESTS_BENCH_PI_H

#include <stdbool.h>

/* Writes sessions to the directory, measures them, prints a table and what was wanted of it; false when that fails. */
bool bench_pi(const char *directory);

#endif
