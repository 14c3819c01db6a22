/*
 * boundary: where the refs of a requested range lie in a surface (kernel.md 6).
 *
 * Who resolves owns a `struct positions`, an index of one surface that is built
 * once and answers for every range asked of it. It also remembers where blocks
 * become visible; blocks may be appended and switched off while it is in use,
 * but after a rollback, or when a block was switched on, it must be built again.
 */
#ifndef ENGINE_KERNEL_BOUNDARY_H
#define ENGINE_KERNEL_BOUNDARY_H

#include "engine/kernel/protect.h"
#include "engine/kernel/surface.h"

/* A block that is to be seen at a row; `next` is an index + 1. */
struct sight {
	uint32_t block, next;
};

/* Positions of ids in one surface: last occurrence for places, first for texts (kernel.md, conventions). */
struct positions {
	VEC(uint32_t) last;     /* by name: row + 1 */
	VEC(uint32_t) first;    /* by name: row + 1 */
	VEC(uint32_t) seen;     /* names set, for clearing */
	VEC(uint32_t) smallest; /* by block, of active ones: row + 1 of the smallest index among its effective ids */
	VEC(uint32_t) at_row;   /* by row: newest sight there, index + 1; empty until blocks are asked for */
	VEC(struct sight) sights;
	VEC(uint32_t) owner;    /* by block: 0 = not asked, else its owner anchor (6.4) as row + 1, plus 1 */
	uint32_t owner_version; /* state.version that `owner` was worked out for */
	struct mark_set wanted; /* scratch: ids whose owner is looked for */
};
void positions_build(struct positions *p, const struct surface *f);
static inline uint32_t position_last(const struct positions *p, uint32_t name)
{
	return name < p->last.n ? p->last.v[name] : 0;
}
static inline uint32_t position_first(const struct positions *p, uint32_t name)
{
	return name < p->first.n ? p->first.v[name] : 0;
}
void positions_free(struct positions *p);

enum resolve_status { RESOLVE_OK, RESOLVE_INVALID, RESOLVE_UNKNOWN, RESOLVE_CONSUMED };
enum consumed_kind { CONSUMED_NONE, CONSUMED_MESSAGE_HIDDEN, CONSUMED_BLOCK_INACTIVE, CONSUMED_BLOCK_INVISIBLE };

/* A ref that was snapped to an ancestor (warnings snapped-message, snapped-block). */
struct snap {
	bool end;   /* which endpoint */
	bool block; /* snapped-block */
	struct str ref;
};

struct resolution {
	enum resolve_status status;
	bool at_end; /* which endpoint failed */
	enum consumed_kind consumed;
	struct str ref;      /* normalised ref that failed */
	uint32_t start, end; /* rows, start <= end */
	bool block_kind;
	uint32_t *nested; /* active blocks visible in the interval, in list order; in the arena */
	size_t nested_n;
	struct snap snaps[2];
	int snaps_n;
};

/*
 * kernel.md 6.1. Results live in `a`. The ids of 6.1.4 are the rows start..end
 * that are not rendered summaries (boundary_in_ids).
 */
void boundary_resolve(struct arena *a, struct str start_ref, struct str end_ref, const struct surface *f,
		      struct positions *p, struct state *s, struct resolution *out);
/* The same without step 6: `nested` stays empty. For callers that only need to know where the range lies. */
void boundary_locate(struct arena *a, struct str start_ref, struct str end_ref, const struct surface *f,
		     struct positions *p, struct state *s, struct resolution *out);
/* Active blocks visible in rows [from, to] (kernel.md 6.3), in list order, into `a`; returns how many. */
size_t boundary_blocks_in(struct arena *a, const struct surface *f, struct positions *p, struct state *s, uint32_t from,
			  uint32_t to, uint32_t **blocks);
/* True when the row counts among the ids of a resolved interval: not a rendered summary (full shape test, 1.6). */
bool boundary_in_ids(const struct surface_row *r, const struct state *s);
/* kernel.md 6.3: visible anchor of a block in the surface as row + 1, 0 = none. Costs the block's list. */
uint32_t boundary_block_anchor(const struct block *k, const struct positions *p);
/* kernel.md 6.3: visible in rows [a, b]. Costs the block's list. */
bool boundary_block_visible(const struct block *k, const struct positions *p, uint32_t a, uint32_t b);

#endif
