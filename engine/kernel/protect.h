/*
 * protect: which rows are safe from compression (kernel.md 4.1.1, 4.6.1).
 */
#ifndef ENGINE_KERNEL_PROTECT_H
#define ENGINE_KERNEL_PROTECT_H

#include "engine/kernel/surface.h"

/* A set of names or refs, emptied in O(1): member when mark.v[i] == round. */
struct mark_set {
	VEC(uint32_t) mark;
	uint32_t round;
};
void mark_set_clear(struct mark_set *m);
static inline bool mark_set_has(const struct mark_set *m, uint32_t i)
{
	return i < m->mark.n && m->mark.v[i] == m->round;
}
static inline void mark_set_add(struct mark_set *m, uint32_t i)
{
	vec_fill(&m->mark, (size_t)i + 1);
	m->mark.v[i] = m->round;
}
void mark_set_free(struct mark_set *m);

/* Why a ref is in the recent zone (kernel.md 4.6.1), for explanations. */
enum zone_rule { ZONE_MESSAGES = 1, ZONE_TOKENS = 2, ZONE_LAST_USER = 4 };

/* The recent zone: fills `zone` (cleared first) with refs, measuring the texts as they stand in the surface. Cost: the
 * tail it needs. */
void protect_zone(const struct surface *f, struct state *s, const struct counter *counter, struct mark_set *zone);
/* Where its rows are: from `tail` on by rules 1 and 2, and `user` by rule 3; UINT32_MAX = none. */
struct zone_rows {
	uint32_t tail, user;
};
/* The same for the texts without tags, as the nodes before render-refs see them. */
struct zone_rows protect_bare_zone(const struct surface *f, struct state *s, const struct counter *counter,
				   struct mark_set *zone);
/* Which rules put row i's ref into the zone: enum zone_rule bits, 0 when none. Recomputes; for explanations only. */
unsigned protect_zone_rules(const struct surface *f, struct state *s, const struct counter *counter, size_t row);
/* The same with the numbers behind it: what counts as recent and is newer than the row. */
struct zone_place {
	unsigned rules;      /* enum zone_rule bits; 0 = the rest means nothing */
	double newer;        /* rows; below preserveRecentMessages for rule 1 */
	double newer_tokens; /* their tokens; below preserveRecentTokens for rule 2 */
};
struct zone_place protect_zone_place(const struct surface *f, struct state *s, const struct counter *counter,
				     size_t row);

/* Call ids of protected tool-calls; with results, of protected results too (kernel.md 4.1.1: S of 4.6 and of 5.6). */
void protect_call_ids(const struct surface *f, struct state *s, bool with_results, struct mark_set *calls);
/* Paired protection of a row under such a set. */
bool protect_paired(const struct surface_row *r, struct state *s, const struct mark_set *calls);

#endif
