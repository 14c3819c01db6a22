/*
 * screen: what the screen costs: time to paint it, bytes sent to a terminal, how long a search holds it up.
 */
#ifndef TESTS_BENCH_SCREEN_H
#define TESTS_BENCH_SCREEN_H

#include <stdbool.h>

/* Generated sessions go to the directory. Prints tables and what is wanted; false, with a message, when it cannot. */
bool bench_screen(const char *directory);

#endif
