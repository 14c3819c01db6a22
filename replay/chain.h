/*
 * chain: the hash chain over a replay (trace.md, `hash`), one link a turn.
 *
 * Two replays that agree on the last hash agree on every turn before it. The
 * blocks that changed are read from the state's journal since the previous
 * link, never by going through all of them. Blocks that came with a stored
 * state count as created at the first turn that sees them: nothing was known
 * of them before.
 */
#ifndef REPLAY_CHAIN_H
#define REPLAY_CHAIN_H

#include "engine/kernel/parse_args.h"
#include "replay/canon.h"

/* A block as the last link left it. */
struct chain_block {
	uint32_t id; /* name */
	bool active, old;
};

/* Zero-initialise; chain_free. */
struct chain {
	uint64_t hash; /* of the last link; meaningless before the first */
	bool started;
	bool fresh;                    /* another state took over: its blocks are not in the journal */
	size_t mark;                   /* journal entries looked at */
	VEC(struct chain_block) known; /* by block */
	VEC(uint32_t) touched;
	struct canon_ranges ranges; /* of the last link */
	struct buf compressions;    /* since the last link */
	struct buf text;            /* what the last link hashed */
};

/* A state from elsewhere (stored state, state record) is in force from here. */
void chain_new_state(struct chain *c, const struct state *s);
/* One executed compress record; `result` NULL when there were no ranges or nothing was tried. */
void chain_compress(struct chain *c, struct str call, const struct parse_result *parse,
		    const struct apply_result *result, bool applied);
/* The link of a turn that was just run: its hash. */
uint64_t chain_turn(struct chain *c, struct state *s, const struct turn *t, uint64_t digest);
/* The hash so far as 16 hex digits, or "" before the first link. */
void chain_hex(const struct chain *c, char out[17]);
void chain_free(struct chain *c);

#endif
