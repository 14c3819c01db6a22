/* position: places in a run (recording.md, Positions): n, n.node, n+k. */
#ifndef REPLAY_POSITION_H
#define REPLAY_POSITION_H

#include "replay/run.h"

struct position {
	uint32_t turn;       /* 0 = before the first turn */
	enum turn_node node; /* NODE_RENDER = the whole turn; NODE_START = before its first node */
	uint32_t records;    /* k of n+k: records after turn n */
};

/*
 * "$" is the last turn, "$.node" and "$+k" work, too; a node is a name, as much of
 * one as means one node only ("hide"), or a number 1..9. STATUS_USAGE with the reason; checks against the turns the run
 * has executed.
 */
enum status position_parse(const struct run *r, struct str text, struct position *out, struct error *e);
/* "42", "42.prune", "42+3" into b. */
void position_print(struct position p, struct buf *b);
/* Records after turn n and before the next turn record (or the end). */
uint32_t position_records_after(const struct run *r, uint32_t turn);
/* The record the position stands before: its turn record, or the one after the k-th. */
size_t position_record(const struct run *r, struct position p);
bool position_equal(struct position a, struct position b);

#endif
