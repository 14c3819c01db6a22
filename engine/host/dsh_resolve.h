/*
 * dsh_resolve: where a requested range lies on the surface: edges, balance of
 * calls and results, recovery of stale edges (dsh.md 6, dsh-rulings 8, 9).
 *
 * `struct dsh_nodes` is an index of one surface: built once in the length of
 * the surface, it answers for every range without walking again (recovery of a
 * stale edge excepted). It borrows the fold it was built of, which must not be
 * told anything meanwhile. Owns its lists; dsh_nodes_free.
 */
#ifndef ENGINE_HOST_DSH_RESOLVE_H
#define ENGINE_HOST_DSH_RESOLVE_H

#include "engine/host/dsh_fold.h"
#include "engine/host/dsh_strip.h"

/* What becomes of a range, in the order in which it is decided (dsh-rulings 9). */
enum dsh_verdict {
	DSH_ACCEPTED,
	DSH_INVALID_REF, /* an edge that is neither a ref nor a seq */
	DSH_UNKNOWN_REF, /* an m ref that is not in the map */
	DSH_REVERSED,
	DSH_NOT_ON_SURFACE,     /* an edge the log does not know */
	DSH_ALREADY_COMPRESSED, /* a verdict, no failure */
	DSH_CORRUPT,            /* a result without a call makes every query fail */
	DSH_UNBALANCED,
	DSH_GUARDED,
	DSH_VERDICTS
};
/* As trace.md spells them; "accepted" for the first. */
const char *dsh_verdict_name(enum dsh_verdict v);

/* For each node, the nearest clean edges; DSH_NONE = there is none. */
struct dsh_clean {
	uint32_t before_prev, before_next; /* cleanBefore, at or before, at or after */
	uint32_t after_prev, after_next;   /* cleanAfter */
};

struct dsh_nodes {
	const struct dsh_fold *f;
	struct dsh_rows list;
	bool stripped; /* rows that the strip would hide count as empty rows */
	struct dsh_strip strip;
	VEC(struct dsh_clean) clean;
	int64_t corrupt; /* seq of the first result too many, -1 = none */
};

/* `stripped`: the scratch copy of dsh-rulings 6, which tables are taken on; recorded calls resolve on what is. */
void dsh_nodes_build(struct dsh_nodes *n, const struct dsh_fold *f, bool stripped);
void dsh_nodes_free(struct dsh_nodes *n);
static inline const struct dsh_row *dsh_nodes_row(const struct dsh_nodes *n, uint32_t at)
{
	return dsh_log_row(n->f->log, n->list.rows.v[at]);
}
static inline bool dsh_nodes_hidden(const struct dsh_nodes *n, uint32_t at)
{
	return n->stripped && n->strip.hidden.v[at];
}
/* Position of a node's seq, or DSH_NONE. */
uint32_t dsh_nodes_find(const struct dsh_nodes *n, int64_t seq);

struct dsh_resolution {
	enum dsh_verdict verdict;
	bool at_end;          /* NOT_ON_SURFACE: which edge */
	bool recovered;       /* the edges are those of what is left of a stale range */
	bool adjusted;        /* they differ from the request, and were not recovered */
	bool grown;           /* by growth, not by shrinking */
	int64_t start, end;   /* accepted */
	uint32_t left, right; /* accepted: their positions */
	int64_t corrupt;      /* CORRUPT: the seq to blame */
};
/* dsh.md 6.4; never DSH_GUARDED, never a ref kind. */
void dsh_resolve(const struct dsh_nodes *n, int64_t start, int64_t end, struct dsh_resolution *out);

/* An edge as a model wrote it (6.1). */
enum dsh_edge_kind { DSH_EDGE_INVALID, DSH_EDGE_SEQ, DSH_EDGE_REF };
/* A larger number is taken as this one: behind every seq of a log, and exact in JSON. */
#define DSH_EDGE_MAX (INT64_C(1) << 53)
struct dsh_edge {
	enum dsh_edge_kind kind;
	int64_t seq;  /* 0..DSH_EDGE_MAX */
	uint32_t ref; /* the number of an m ref; 0 is never in a map */
};
struct dsh_edge dsh_edge_parse(struct str text);
/* A number that is a seq (dsh-rulings 8): any integer from 0 on. */
bool dsh_edge_number(const cJSON *node, int64_t *seq);
struct dsh_edge dsh_edge_value(const cJSON *node);

#endif
