/* assign: the assign-refs node (kernel.md 3, 4.1). */
#ifndef ENGINE_KERNEL_ASSIGN_H
#define ENGINE_KERNEL_ASSIGN_H

#include "engine/kernel/state.h"

/*
 * Gives every row of the list that has none a ref, or BLOCKED. STATUS_LIMIT when
 * the numbers are used up (ref-capacity). Cost: the rows that joined since the
 * last call (state.named): rows before them have theirs.
 */
enum status assign_refs(struct state *s);

#endif
