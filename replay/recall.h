/*
 * recall: the kernel's plain search through the summaries of active blocks, what the tool search_context answers from
 * (kernel.md 8.8).
 *
 * It stands here because it lower-cases as Unicode does, which the engine knows nothing of. Hits live in the arena.
 */
#ifndef REPLAY_RECALL_H
#define REPLAY_RECALL_H

#include "engine/kernel/state.h"

struct recall_hit {
	uint32_t block;
	double score; /* above 0.1, at most 1 */
};

/* The best first, then in the order of the state's list; returns how many. */
size_t recall_search(const struct state *s, struct str query, struct arena *a, struct recall_hit **hits);
/* The text in lower case: Unicode's default mapping, with U+0130 and the final sigma. */
struct str recall_lower(struct arena *a, struct str text);

#endif
