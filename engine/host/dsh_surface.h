/*
 * dsh_surface: which rows the model sees, and in which order (dsh.md 2).
 *
 * The surface is told the rows of a log in ascending order and can be taken
 * back row by row. Every row that is appended gets a slot behind all others; a
 * replacement takes over the slot of the first row it shadows. So slots never
 * move: what stands where is a comparison of slot numbers, although seqs are
 * locally out of order, and a step in either direction costs the rows that it
 * shadows or uncovers. Positions are always meant, never numeric intervals.
 * It borrows the log and owns its lists; dsh_surface_free.
 */
#ifndef ENGINE_HOST_DSH_SURFACE_H
#define ENGINE_HOST_DSH_SURFACE_H

#include "engine/host/dsh_row.h"

/* What a row is at the moment. */
enum dsh_presence {
	DSH_UNTOLD,   /* not in the log: yet to come, or left out by what was decided differently */
	DSH_NODE,     /* on the surface */
	DSH_SHADOWED, /* was, until a replacement took it in */
	DSH_NEVER     /* in the log, never on the surface: no row, or its op could not be folded */
};

struct dsh_place {
	uint8_t presence;
	uint32_t slot; /* of a node, and of what was one */
	uint32_t by;   /* shadowed: the row that took it in */
};

/* Slot 0 is the end of the ring. A dead slot keeps its links for the way back. */
struct dsh_slot {
	uint32_t row, next, prev;
};

/* A told row, as it is to be taken back. */
struct dsh_told {
	uint32_t row;
	uint32_t before; /* replace: who stood in the slot */
	uint32_t next;   /* and which slot followed it */
	uint32_t last;   /* slot of the last row taken in */
};

/* Why a replacement cannot be folded. */
enum dsh_fold_status { DSH_FOLDED, DSH_START_MISSING, DSH_END_MISSING, DSH_START_AFTER_END, DSH_NO_FOLD };

struct dsh_surface {
	const struct dsh_log *log;
	VEC(struct dsh_place) places; /* by row of the log */
	VEC(struct dsh_slot) slots;
	VEC(struct dsh_told) told; /* journal */
	size_t nodes;
	uint64_t generation; /* replacements folded */
	int64_t last;        /* seq of the last row told, -1 = none */
};

void dsh_surface_init(struct dsh_surface *s, const struct dsh_log *log);
void dsh_surface_free(struct dsh_surface *s);
/* Tells the next row; rows that are skipped are not in the log for this surface. What cannot be folded leaves the
 * nodes as they are (dsh-rulings 7). DSH_NO_FOLD: no row, no or an unreadable op. */
enum dsh_fold_status dsh_surface_tell(struct dsh_surface *s, uint32_t row);
/* The same with other edges than recorded (dsh-rulings 4: at the newly resolved ones). */
enum dsh_fold_status dsh_surface_tell_at(struct dsh_surface *s, uint32_t row, int64_t start, int64_t end);
/* Takes the last told row back; returns it, or DSH_NONE. */
uint32_t dsh_surface_untell(struct dsh_surface *s);

static inline enum dsh_presence dsh_surface_presence(const struct dsh_surface *s, uint32_t row)
{
	return row < s->places.n ? (enum dsh_presence)s->places.v[row].presence : DSH_UNTOLD;
}
static inline bool dsh_surface_is_node(const struct dsh_surface *s, uint32_t row)
{
	return dsh_surface_presence(s, row) == DSH_NODE;
}
/* The node with this seq, or DSH_NONE. */
uint32_t dsh_surface_find(const struct dsh_surface *s, int64_t seq);
/* Is a seq in the log as told so far? Events without a row are, too; a row that was skipped is not. */
bool dsh_surface_knows(const struct dsh_surface *s, int64_t seq);
/* Neighbours of a node; DSH_NONE at the ends. dsh_surface_first: of the whole. */
uint32_t dsh_surface_first(const struct dsh_surface *s);
uint32_t dsh_surface_next(const struct dsh_surface *s, uint32_t row);
uint32_t dsh_surface_prev(const struct dsh_surface *s, uint32_t row);
/* Does node a stand before node b? */
static inline bool dsh_surface_before(const struct dsh_surface *s, uint32_t a, uint32_t b)
{
	return s->places.v[a].slot < s->places.v[b].slot;
}
struct dsh_rows {
	VEC(uint32_t) rows;
};
/* All nodes in order. */
void dsh_surface_list(const struct dsh_surface *s, struct dsh_rows *out);
/*
 * shadowedSeqsOf (dsh.md 7.1): the nodes from one to the other in order, the
 * one definition for guard, price, shadowedSeqs and counts. Anything but
 * DSH_FOLDED leaves the list empty.
 */
enum dsh_fold_status dsh_surface_span(const struct dsh_surface *s, int64_t start, int64_t end, struct dsh_rows *out);

/*
 * What a host would refuse about the row's op and cited seqs (dsh.md 1.1, 2.1);
 * asked before the row is told.
 */
enum dsh_op_problem {
	DSH_OP_MISSING, /* a surface type without surfaceOp */
	DSH_OP_UNREADABLE,
	DSH_OP_ON_EVENT, /* surfaceOp or sourceEventSeqs on what is no surface type */
	DSH_OP_EXTRA_KEY,
	DSH_OP_START_MISSING,
	DSH_OP_END_MISSING,
	DSH_OP_START_AFTER_END, /* by position */
	DSH_OP_CITES_MISSING,   /* a replace without sourceEventSeqs */
	DSH_OP_CITES_BROKEN,
	DSH_OP_CITES_EMPTY,
	DSH_OP_CITES_DOUBLE,
	DSH_OP_CITES_LATER,     /* must reference earlier events */
	DSH_OP_NOT_CITED,       /* a shadowed row is not cited; `seq` of the report is the first */
	DSH_OP_TOOL_REPLACE,    /* a tool/result may replace exactly one tool/result */
	DSH_OP_CITES_FORBIDDEN, /* format 3 and later: sourceEventSeqs on an appended assistant row */
	DSH_OP_SYSTEM_ROW,      /* format 3 and later: the first row, a system row, is replaced by another one only */
	DSH_OP_PROBLEMS
};
const char *dsh_op_problem_name(enum dsh_op_problem p);
struct dsh_op_report {
	uint32_t problems; /* bit 1 << enum dsh_op_problem */
	int64_t seq;       /* DSH_OP_NOT_CITED; -1 = none */
};
void dsh_surface_check(const struct dsh_surface *s, uint32_t row, struct dsh_op_report *out);

#endif
