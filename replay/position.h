/* position: places in a run (recording.md, Positions): n, n.node, n+k. */
#ifndef REPLAY_POSITION_H
#define REPLAY_POSITION_H

#include "replay/run.h"

struct position {
	uint32_t turn;       /* 0 = before the first turn */
	enum turn_node node; /* NODE_RENDER = the whole turn; NODE_START = before its first node */
	uint32_t records;    /* k of n+k: records after turn n */
};

/* STATUS_USAGE with the reason; checks against the run's turns. "$" is the last turn. */
enum status position_parse(const struct run *r, struct str text, struct position *out, struct error *e);
/* "42", "42.prune", "42+3" into b. */
void position_print(struct position p, struct buf *b);

#endif
