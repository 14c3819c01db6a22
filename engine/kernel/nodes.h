/*
 * nodes: the pipeline steps that build and rewrite the surface: prune (kernel.md
 * 4.3), hide-compress-calls (4.5), emergency-truncate (4.8). Each works on
 * turn->surface in place.
 */
#ifndef ENGINE_KERNEL_NODES_H
#define ENGINE_KERNEL_NODES_H

#include "engine/kernel/turn.h"

enum {
	TRUNCATE_MIN_TOKENS = 1000,
	TRUNCATE_KEEP_UNITS = 2000, /* at either end */
};

/* Whether the surface is that of the state as it was before state.changed, and can be gone on from. */
static inline bool turn_goes_on(const struct turn *t, const struct state *s)
{
	return t->complete && t->of == s && s->shown_to == t && !s->irregular;
}

/* The digest up to row n is still right, no further. */
static inline void turn_digest_cut(struct turn *t, size_t n) { t->chain.n = t->chain.n < n ? t->chain.n : n; }

void prune_run(struct turn *t, struct state *s);
/* Settles which orphans stay, and what that changes: before prune, as it decides which rows can be kept. */
void hide_find_orphans(struct turn *t, struct state *s);
void hide_run(struct turn *t, struct state *s, struct alternatives *alt);
void truncate_run(struct turn *t, struct state *s, struct alternatives *alt);

#endif
