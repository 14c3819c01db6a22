/*
 * diff_watch: what a diff has to know of every turn of a run, gathered while
 * its first pass runs.
 *
 * The hash chain of a run (trace.md) tells where two runs part, and nothing of
 * what comes after. A watch keeps one hash a turn for each part of the turn, so
 * that diff can say of any two turns in which parts they differ without looking
 * at them again. Hashes are made of spellings, never of the numbers names have,
 * and can be compared between recordings. A turn costs what it changed, its
 * ranges and its active blocks.
 * A watch is the run's observer and borrows the run; it owns what it keeps.
 */
#ifndef REPLAY_DIFF_WATCH_H
#define REPLAY_DIFF_WATCH_H

#include "replay/run.h"

/* Parts of a turn that a moment has no number for. */
enum diff_part {
	PART_ROWS,        /* ids of the view, in order */
	PART_REFS,        /* every ref in use and whose it is; ref of the last row */
	PART_BLOCKS,      /* every block: tier, standing, age, coverage, tokens */
	PART_RECOMMENDED, /* kernel.md 4.6.3 */
	PART_PROTECTED,
	PART_NUDGE,   /* decision: injected, tier, targets */
	PART_FIGURES, /* the numbers behind it, and its stamps */
	PART_TOTALS,  /* stats and snapshot */
	PART_REQUEST, /* bytes of every message the host sends, and of the nudge; where requests can be made */
	PART_COUNT
};

/* 0 in every part: the turn could not run. */
struct diff_mark {
	uint64_t part[PART_COUNT];
};

/* A compress call: all that trace.md has of it but its place. Texts are JSON lists of kinds, in the watch's arena. */
struct diff_call_mark {
	uint64_t hash;
	struct str errors, warnings;
};

struct diff_watch {
	struct run *run;
	struct arena arena;
	VEC(struct diff_mark) turns;
	VEC(struct diff_call_mark) calls; /* as run.compressions */

	/* what the last turn left, to go on from */
	VEC(uint64_t) names; /* hash by name, 0 = not made yet */
	VEC(uint64_t) rows;  /* PART_ROWS up to and with each row of the view */
	VEC(uint64_t) refs;  /* by name: its share of refs_sum */
	VEC(uint64_t) blocks;
	uint64_t refs_sum, blocks_sum;
	size_t kept;  /* rows of the view that stand as they did at the last turn */
	size_t mark;  /* journal entries looked at */
	size_t epoch; /* they are of this one */
	bool begun;
};

/* Watches a run whose first pass has not begun, requests included where they can be made. w is overwritten; it must
 * stay where it is. */
void diff_watch_begin(struct diff_watch *w, struct run *r);
void diff_watch_free(struct diff_watch *w);

#endif
