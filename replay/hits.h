/*
 * hits: what the provider says it read from its cache, beside what our requests
 * say it could (pi-rulings 3, 4): evidence for or against the replay.
 *
 * Scale-free: of the prompt before, in the provider's own tokens, the share
 * that our request keeps of the one before (system prompt and whole messages
 * before the break, raw estimates on both sides) can be read again. A turn
 * agrees when what was read is within HIT_POINTS points of the prompt of that.
 * Where our bytes are the same and yet nothing was read (cause `system`,
 * `model`) there is nothing to compare: the cause is named after the record.
 *
 * All tokens are provider usage. Reads a run, owns nothing.
 */
#ifndef REPLAY_HITS_H
#define REPLAY_HITS_H

#include "replay/prices.h"
#include "replay/run.h"

enum { HIT_POINTS = 10 };

enum hit_verdict {
	HIT_NONE, /* nothing to compare */
	HIT_AGREES,
	HIT_READ_ANYWAY, /* we name a break, and the provider read on behind it: the break did not happen */
	HIT_READ_MORE,   /* without a break of ours */
	HIT_READ_LESS,
	HIT_VERDICTS
};

struct hit {
	double expected; /* tokens that could be read; NAN = not known */
	double missed;   /* tokens that the prompt before had, too, and that were sent without the cache; 0 where that
			    cannot be told */
	uint8_t verdict; /* enum hit_verdict */
	bool over; /* more than the whole prompt is predicted (sent.predicted): systemTokens does not fit the turn;
		      no evidence about our requests */
};

/* System tokens to compare with: the run's, or where it only assumes 0 what fits the prompts (fit.h). */
double hits_system(const struct run *r);
/* Turn 1..; run.sender.sent must have it. */
struct hit hit_of(const struct run *r, uint32_t turn, double system);
/* It is evidence against the replay. */
static inline bool hit_contradicts(const struct hit *h) { return h->verdict > HIT_AGREES; }
/* What `missed` cost more than reading it would have, by the recorded shares of written and plain input. */
double hit_missed_cost(const struct usage *u, double missed, const struct price *p);

/* Over all turns. */
struct hits {
	double system;
	uint32_t compared, of[HIT_VERDICTS], over;
	uint32_t misses; /* turns of cause system or model .. */
	double missed;   /* .. what they sent without the cache again */
	double missed_at_breaks;
};
void hits_sum(const struct run *r, struct hits *h);

#endif
