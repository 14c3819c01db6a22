/*
 * frame_blocks: the blocks of a frame's position as a tree: under a block the
 * ones it was made of (directBlockIds), oldest first on every level.
 *
 * A block stands in it once, however broken a stored state is: under the first
 * block that names it, or, where blocks name each other in a circle, at the
 * top. Everything here belongs to the frame's arena.
 */
#ifndef REPLAY_FRAME_BLOCKS_H
#define REPLAY_FRAME_BLOCKS_H

#include "replay/frame.h"

struct pi_request;

enum block_standing {
	BLOCK_ACTIVE,
	BLOCK_CONSUMED, /* another block is made of it: off for good */
	BLOCK_OFF,      /* switched off, and its messages are there: the next sync-blocks switches it on */
	BLOCK_ABSENT,   /* none of its messages is in the host's list */
	BLOCK_STANDINGS
};
/* "active", "consumed", "off", "absent" */
const char *block_standing_name(enum block_standing s);

enum { BLOCK_MADE_UNKNOWN = UINT32_MAX, BLOCK_TIERS = 4 };

struct frame_block {
	uint32_t block;   /* index into state.blocks */
	uint32_t parent;  /* place in the tree + 1 of the block it is shown under, 0 = none */
	uint32_t depth;   /* blocks above it */
	bool last;        /* no further one under the same parent */
	uint8_t standing; /* enum block_standing */
	uint32_t
		made; /* turn after which its compress record stands; BLOCK_MADE_UNKNOWN: it came with a stored state */
	uint32_t outcome; /* of run.compressions; meaningless when `made` is unknown */
	uint64_t key;     /* frame_block_key */
};

struct frame_blocks {
	struct frame_block *v; /* depth first */
	size_t n;
	uint32_t of_standing[BLOCK_STANDINGS];
	/* of active ones, by tier; [0] = all */
	uint32_t active[BLOCK_TIERS];
	double in[BLOCK_TIERS];  /* compressedTokens, raw estimate when they were made; those without count as 0 */
	double out[BLOCK_TIERS]; /* tokens of the summaries as stored, turn's counter */
};

/* The same at every position of a run, and no other block's, though stored states can hold two of one id. */
uint64_t frame_block_key(struct state *s, uint32_t block);
struct frame_blocks *frame_blocks(struct frame *f);
/* Tokens of a block's summary as stored, turn's counter: what P2 and P3 are sums of. */
double frame_block_out(const struct frame *f, const struct block *k);
/* Turns since a block was made: 0 at the records before the next turn. Only when made is known. */
uint32_t frame_block_age(const struct frame *f, const struct frame_block *b);
/* Net gain: what went in less its summary, by the counter of the day it was made; NAN = made is unknown. */
double frame_block_net(const struct frame *f, const struct frame_block *b);

/*
 * The request of the frame, which carries the calls that made blocks; NULL where there is none. Costs what
 * frame_request costs, once; what was taken of the state before is no good behind it.
 */
const struct pi_request *frame_anchors(struct frame *f);
/* The arguments of all compress calls in the message that carries the call of a block; raw estimates. */
struct frame_anchor {
	bool sent;                /* the request has such a message */
	double recorded, slimmed; /* as the host has them, as they are sent */
};
struct frame_anchor frame_block_anchor(const struct pi_request *q, const struct block *k);

#endif
