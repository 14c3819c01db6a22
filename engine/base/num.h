/*
 * num: numbers as JavaScript prints and rounds them (kernel.md 2.4, 2.5).
 */
#ifndef ENGINE_BASE_NUM_H
#define ENGINE_BASE_NUM_H

#include <stddef.h>

enum { NUM_TEXT_MAX = 32 }; /* bytes any function here writes, NUL included */

/* Shortest digits that read back to the same double, ECMAScript layout. Not finite -> "null", -0 -> "0". Returns the
 * length. */
size_t num_print(char out[NUM_TEXT_MAX], double x);
/* floor(x + 0.5): ties go up. */
double num_round(double x);
/* One decimal, exact ties up (kernel.md 2.4 fixed1). x >= 0 and below 1e15. Returns the length. */
size_t num_fixed1(char out[NUM_TEXT_MAX], double x);

/* The number labels of kernel.md 2.4. Each returns the length. */
size_t num_label_tag(char out[NUM_TEXT_MAX], double tokens);
size_t num_label_report(char out[NUM_TEXT_MAX], double tokens);
size_t num_label_nudge(char out[NUM_TEXT_MAX], double tokens);
size_t num_label_compact(char out[NUM_TEXT_MAX], double tokens);

#endif
