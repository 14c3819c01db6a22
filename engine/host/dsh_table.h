/*
 * dsh_table: the ranges the plugin offers in its nudge (dsh.md 5, dsh-rulings
 * 5, 6, 14, 24).
 *
 * Worked out on a scratch copy of the surface on which rows that the orphan
 * strip would hide count as empty. Costs the length of the surface. A table
 * owns its lists and can be built again and again; dsh_table_free.
 */
#ifndef ENGINE_HOST_DSH_TABLE_H
#define ENGINE_HOST_DSH_TABLE_H

#include "engine/host/dsh_resolve.h"

enum { DSH_NUDGE_RANGES = 6 }; /* a nudge shows the first of them (5.1.5) */

struct dsh_range {
	int64_t start, end;    /* seqs, resolved */
	uint32_t first, last;  /* their positions */
	uint32_t count, tools; /* rows of the raw segment, and those that are results or carry calls */
	double tokens;         /* of the raw segment; display */
	int tool_pct;
	int64_t over; /* the range grew over this barrier or protected row, -1 = it did not (dsh-rulings 5) */
};

/* Why a node is in no segment; bits. */
enum {
	DSH_STOP_PRESERVE = 1,
	DSH_STOP_TAIL = 2,
	DSH_STOP_PIN = 4,
	DSH_STOP_CHECKPOINT = 8,
	DSH_STOP_BARRIER = 16, /* an instruction row */
	DSH_STOP_SYSTEM = 32
};

struct dsh_table {
	struct dsh_nodes nodes;
	VEC(uint8_t) stops; /* by position */
	VEC(struct dsh_range) ranges;
	VEC(struct dsh_range) sorting; /* scratch */
};

/* preserve: the last so many nodes are protected (config.preserveRecentMessages). */
void dsh_table_build(struct dsh_table *t, const struct dsh_fold *f, size_t preserve);
void dsh_table_free(struct dsh_table *t);

/* Of the rows on a surface: how many there are of each class (a trace's `classes`), the seqs of the barriers in node
 * order. Under B0 there are only real rows and checkpoints. */
struct dsh_census {
	uint32_t classes[DSH_CLASSES];
	VEC(int64_t) barriers;
};
void dsh_census_take(struct dsh_census *c, const struct dsh_fold *f);
void dsh_census_free(struct dsh_census *c);

#endif
