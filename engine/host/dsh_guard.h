/*
 * dsh_guard: a range that would fold the current copy of an instruction file is
 * refused before the kernel hears of it (dsh.md 7, dsh-rulings 11 to 13).
 *
 * It says what is hit, why, and what stays compressible; the same for the
 * model's call and for the human's command. A guard owns its lists and can be
 * used again and again; dsh_guard_free.
 */
#ifndef ENGINE_HOST_DSH_GUARD_H
#define ENGINE_HOST_DSH_GUARD_H

#include "engine/host/dsh_resolve.h"

struct dsh_seqs {
	VEC(int64_t) seqs;
};

/* guardedSurfaceSeqs (7.2), ascending; nothing when the rules have no barrier. */
void dsh_guarded_list(const struct dsh_fold *f, struct dsh_seqs *out);
/* guardedRowsInSpan (7.3): which of the guarded are in the list, each once, ascending. Takes them as they come. */
void dsh_guarded_in(const struct dsh_seqs *guarded, const int64_t *span, size_t span_n, struct dsh_seqs *hits);

/* A part of the span that holds no current copy (7.4). */
struct dsh_slice {
	int64_t first, last;
	uint8_t state; /* enum dsh_slice_state */
};
enum dsh_slice_state {
	DSH_SLICE_OFFERED,
	DSH_SLICE_BACKWARDS, /* first > last: left out with a word (dsh-rulings 13) */
	DSH_SLICE_REFUSED    /* the resolver would refuse it: never printed */
};
/*
 * The parts of a span before the first and behind the last hit, by position;
 * returns how many (0 to 2). Only OFFERED and BACKWARDS are told apart here.
 */
size_t dsh_guard_slices(const int64_t *span, size_t span_n, const int64_t *hits, size_t hits_n,
			struct dsh_slice out[2]);

struct dsh_guard {
	struct dsh_resolution at; /* `at.verdict` is the resolver's */
	enum dsh_verdict verdict; /* with the guard's: DSH_GUARDED when there are hits */
	struct dsh_seqs span;     /* resolved: the rows in surface order */
	struct dsh_seqs hits;     /* ascending */
	struct dsh_slice slices[2];
	size_t slices_n;
	VEC(struct dsh_slice) gaps; /* between hits; this program's own extension */
	bool unseen_wrapper;        /* a hit in the legacy spelling: the host's gate does not see that row */
	bool last_baseline;         /* risk (7.6): the span holds every visible kind-exact baseline row */
	bool edge_checkpoint;       /* a resolved edge is a block's checkpoint: the human command refuses that (7.4) */
	size_t checkpoints;         /* in the span, other than its edges: folded silently */
	struct dsh_seqs guarded;    /* all of the surface */
};
/* Resolves a request and probes it; `n` is the surface as it is, not stripped. */
void dsh_guard_probe(struct dsh_guard *g, const struct dsh_nodes *n, int64_t start, int64_t end);
void dsh_guard_free(struct dsh_guard *g);

/* What the model, or the human, is told of a rejected range (7.4, points 1 to 6). One paragraph. */
void dsh_guard_note(struct buf *b, const struct dsh_guard *g);

#endif
