/*
 * dsh_loop: compressions that the host answers by pasting the same files again
 * (dsh.md 10.2, dsh-rulings 3).
 *
 * Told every row of a log before the fold is; dsh_loop_judge then matches what
 * was pasted with what was folded. It borrows the log, owns its lists;
 * dsh_loop_free. Distances are in seqs: events of the expanded log.
 */
#ifndef ENGINE_HOST_DSH_LOOP_H
#define ENGINE_HOST_DSH_LOOP_H

#include "engine/host/dsh_fold.h"

enum { DSH_WITHIN = 7 }; /* K */

/* A file whose copies a compaction took off the surface. */
struct dsh_loop_scope {
	uint32_t name;
	bool newest; /* the copy that was its newest was among them */
};

/* A compaction whose replacement landed, host-made ones included. */
struct dsh_folding {
	int64_t checkpoint;         /* seq of the replacement */
	int64_t end;                /* seq of compaction/end; of the checkpoint where it is missing */
	uint32_t id;                /* compactionId */
	size_t scopes_at, scopes_n; /* in dsh_loop.scopes, ascending by name, each once */
	bool instructions;          /* it took in agent-instruction rows at all */
	bool baseline;              /* one of them with baseline:true */
	bool last_baseline;         /* all the baseline rows that the host's gate saw */
	size_t pastes;              /* set by judge: strong re-injections within K of the end */
	size_t later;               /* strong ones after that */
};

struct dsh_paste {
	uint32_t row;
	size_t folding; /* of dsh_loop.foldings */
	int64_t dist_end, dist_checkpoint;
	size_t scopes_at, scopes_n; /* overlapping scopes, in dsh_loop.overlaps; none = by its baseline */
	bool pure;                  /* nothing had changed; otherwise the file was really edited */
	bool weak;                  /* a literal match only: outside the ratio */
	bool within;                /* K of the end */
	bool wrapper;               /* the host's gate does not see the row */
};

/* The same scope pasted again after compactions in a row that took its current copy in. */
struct dsh_chain {
	uint32_t scope;
	size_t length;
	size_t first, last; /* foldings */
};

struct dsh_loop {
	const struct dsh_log *log;
	VEC(struct dsh_folding) foldings; /* by `end`, once judged */
	VEC(struct dsh_loop_scope) scopes;
	VEC(uint32_t) rows;       /* appended agent-instruction rows */
	VEC(uint32_t) folding_of; /* by compaction id: folding + 1, while told */
	struct dsh_rows scratch;
	struct dsh_scopes copies; /* all told copies, for digests */
	/* verdicts */
	VEC(struct dsh_paste) pastes; /* in log order */
	VEC(uint32_t) overlaps;
	VEC(struct dsh_chain) chains;
	size_t reinjected;            /* foldings with a strong paste within K of their end */
	size_t reinjected_checkpoint; /* the same, K from the checkpoint */
	size_t reinjected_later;      /* foldings whose strong pastes all came later */
	double wasted, wasted_later;  /* price of pure strong pastes, within K and after it */
};

void dsh_loop_init(struct dsh_loop *l, const struct dsh_log *log);
void dsh_loop_free(struct dsh_loop *l);
/* Before the row is told to the fold; the second for a replacement at other edges than recorded. */
void dsh_loop_tell(struct dsh_loop *l, const struct dsh_fold *f, uint32_t row);
void dsh_loop_tell_at(struct dsh_loop *l, const struct dsh_fold *f, uint32_t row, int64_t start, int64_t end);
/* Matches everything told so far, K events being near. May be called again. */
void dsh_loop_judge(struct dsh_loop *l, int64_t k);

#endif
