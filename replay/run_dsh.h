/*
 * run_dsh: the DSH host as a driver of a run (dsh.md 5 to 10 with dsh-rulings).
 *
 * The kernel sees every row of the log, the model the surface: a fold of the
 * log that steps with the run, in both directions. What a counterfactual policy
 * decides of rows (left out, landed at other edges) is decided once, in the
 * first pass, and kept by row. Compress calls are resolved and guarded on the
 * surface before the kernel hears of them.
 * `struct run_dsh` is part of the run, which owns it.
 */
#ifndef REPLAY_RUN_DSH_H
#define REPLAY_RUN_DSH_H

#include "engine/host/dsh_guard.h"
#include "engine/host/dsh_ledger.h"
#include "engine/host/dsh_loop.h"
#include "engine/host/dsh_meter.h"
#include "engine/host/dsh_table.h"
#include "engine/kernel/parse_args.h"
#include "replay/recording.h"

/* One range of a compress call, as the plugin answers it. */
struct dsh_asked {
	int64_t request[2];  /* seqs; -1 = none could be read */
	int64_t resolved[2]; /* -1 = it does not resolve */
	int64_t given[2];    /* what the kernel gets of it, rows that it has a ref of; -1 = there is none */
	const int64_t *hits; /* current copies in the span, ascending; in the run's arena */
	const struct dsh_slice *slices;
	uint32_t hits_n, slices_n;
	uint32_t kernel;      /* its number among the ranges that the kernel got, UINT32_MAX = it got none */
	uint32_t landing;     /* in recording.dsh.landed, + 1; 0 = nothing was recorded for it */
	uint32_t checkpoints; /* in the span beside its edges */
	uint8_t verdict;      /* enum dsh_verdict, with the guard's */
	bool recovered, adjusted;
	bool overlaps; /* its transaction would begin where one before it of the same call took the row (dsh-rulings 10)
			*/
	bool last_baseline;  /* the span holds the last visible baseline row (dsh.md 7.6) */
	bool unseen_wrapper; /* a hit that the host's gate does not see (dsh-rulings 12) */
};

/* A compaction of the plugin without a compress call (the human's command) that the guard would refuse: its recorded
 * edges (dsh.md 7.4, dsh-rulings 20). */
struct dsh_outside {
	uint32_t summary; /* row */
	bool refused;     /* follow=engine: it was, and its rows are left out */
	struct dsh_asked asked;
};

/* Of a compress call: its ranges in run_dsh.asked. */
struct dsh_called {
	uint32_t first, n;
};

/* What became of a row under the policy. */
enum dsh_fate { DSH_TOLD, DSH_LEFT_OUT, DSH_MOVED };
struct dsh_moved {
	uint32_t row;
	int64_t start, end;
};

struct run_dsh {
	struct dsh_fold fold;
	uint32_t told;               /* rows of the log that the fold has seen, left-out ones included */
	double tokens;               /* display tokens of the surface */
	bool engine;                 /* follow=engine: the guard decides, rows of refused calls vanish */
	bool gate;                   /* reinject=presence-gate */
	VEC(uint8_t) fates;          /* by row, enum dsh_fate; what is not there is told */
	VEC(struct dsh_moved) moved; /* ascending */
	/* follow=engine: rows of one compaction id, each + 1, 0 = none; and the prune that ends with a row, + 1 */
	VEC(uint32_t) last_of; /* by id */
	VEC(uint32_t) before_of, next_of, prune_of;
	VEC(struct dsh_called) called; /* by compression */
	VEC(struct dsh_asked) asked;
	VEC(uint32_t) block_of; /* by row of a checkpoint: name of the block it stands for in this run */
	VEC(uint8_t) made;      /* by name of a block: this run made it, for a checkpoint of its own */
	VEC(uint32_t) gated;    /* rows that the presence gate left out */
	VEC(struct dsh_outside) outside;
	struct dsh_ledger ledger;
	struct dsh_meter meter;
	struct dsh_loop loop; /* judged when the pass is done */
	struct dsh_nodes nodes;
	struct dsh_guard guard;
	struct dsh_table table; /* scratch of reports */
	struct dsh_census census;
	struct dsh_seqs guarded;
};

struct run;
void run_dsh_begin(struct run *r);
/* When the configuration is known: the window of the first turn, until a later one tells another. */
void run_dsh_window(struct run *r);
void run_dsh_free(struct run *r);
/* Is the run one of the DSH host? */
bool run_is_dsh(const struct run *r);
/* The ranges of a compress call of the log; NULL when the run is not one of the DSH host. */
const struct dsh_asked *run_dsh_asked(const struct run *r, size_t compression, uint32_t *n);
/* The guard's answer to the compaction with this summary, NULL = it has nothing against it, or a call made it. */
const struct dsh_outside *run_dsh_outside(const struct run *r, uint32_t summary);
/* The recorded compaction of a range, when it tells its edges; else NULL. */
const struct dsh_compaction *run_dsh_recorded(const struct run *r, const struct dsh_asked *a);
/*
 * Name of the kernel's block that the checkpoint in `row` stands for, 0 = the kernel has none of it. `block`: its entry
 * in the ledger, NULL = it has none.
 */
uint32_t run_dsh_block(struct run *r, uint32_t row, const struct dsh_block *block);
/* How many of the last rows a range table protects (dsh-rulings 24). */
size_t run_dsh_preserve(const struct run *r);
/* Display tokens of the surface as the fold stands. */
double run_dsh_tokens(const struct run *r);
/* Is message record number `message` of a row that the policy leaves out? */
bool run_dsh_leaves_out(const struct run *r, uint32_t message);
/* The row of the log that record i is, or DSH_NONE. */
uint32_t dsh_row_at(const struct recording *rec, size_t i);

#endif
