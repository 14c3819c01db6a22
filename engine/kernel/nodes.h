/*
 * nodes: the pipeline steps that build and rewrite the surface: prune (kernel.md
 * 4.3), hide-compress-calls (4.5), emergency-truncate (4.8). Each works on
 * turn->surface in place.
 */
#ifndef ENGINE_KERNEL_NODES_H
#define ENGINE_KERNEL_NODES_H

#include "engine/kernel/turn.h"

enum {
	ORPHANS_KEPT = 2,              /* kernel.md 1.6: orphan compress calls that stay */
	TRUNCATE_MIN_TOKENS = 1000,
	TRUNCATE_KEEP_UNITS = 2000,    /* at either end */
};

void prune_run(struct turn *t, struct state *s);
void hide_run(struct turn *t, struct state *s, struct alternatives *alt);
void truncate_run(struct turn *t, struct state *s, struct alternatives *alt);

#endif
