/*
 * pairs: widening a range so that it splits no tool pair and no reasoning (kernel.md 5.9).
 */
#ifndef ENGINE_KERNEL_PAIRS_H
#define ENGINE_KERNEL_PAIRS_H

#include "engine/kernel/surface.h"

enum { PAIR_REACH = 20 };

/* Rows, signed: start may be greater than end (then unchanged). */
struct interval {
	int64_t start, end;
};
struct interval pairs_tools(const struct surface *f, struct state *s, struct interval in); /* 5.9.1 */
struct interval pairs_reasoning(const struct surface *f, struct interval in);              /* 5.9.2 */

#endif
