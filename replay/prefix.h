/*
 * prefix: what a whole run did to the provider's prefix cache (pi.md 6.4, 9).
 *
 * Sums over the run's list of requests (run.sender.sent, with want_requests),
 * its timeline and, with prices (run.prices), the recorded usage. Nothing is
 * executed; the run stands anywhere. Without requests, or without usage, what
 * comes of them is 0 or NAN: a hit rate without evidence is not a hit rate of 0.
 *
 * Scales: bytes are those of requests without the nudge at their tail; tokens
 * are raw estimates, but for prompt, cache_read and the cost of the session
 * (provider usage).
 */
#ifndef REPLAY_PREFIX_H
#define REPLAY_PREFIX_H

#include "replay/hits.h"

/* Arguments of the calls of active blocks, in the request of a turn. */
struct prefix_anchors {
	uint32_t turn; /* 0 = there was no request */
	uint32_t live;
	double recorded, slimmed;
};

/* A turn after compressions that were applied (pi.md 9, economics). */
struct prefix_fold {
	uint32_t turn;
	struct fold fold;           /* raw estimates; the system prompt counts to V and to what is kept */
	double predicted, actual;   /* hits of its request; NAN = not known */
	double best_size;           /* with the growth of the session, NAN = no price */
	double extra, saving, even; /* money, money a request, requests; NAN = no price, or never */
};

struct prefix_cost {
	uint32_t turns;      /* with usage and a price */
	uint32_t unreported; /* without usage */
	uint32_t unpriced;   /* with usage, of a model that has no price .. */
	uint32_t model;      /* .. such a model, name */
	double input, cache_read, cache_write, output;
	double total;  /* as recorded */
	double missed; /* by requests of cause system and model: hit_missed_cost */
	double lost;   /* at rebuilds: what had to be written again (again_tokens), (write - read) each (price_again) */
	uint32_t dearer; /* rebuilds that lost nothing: reading from the cache costs more than writing it */
};

struct prefix_totals {
	uint32_t requests, without;     /* turns with a request; that could not run */
	uint32_t append_only;           /* requests that have the whole one before as their prefix */
	uint32_t rebuilds;              /* requests that have not, the first one apart */
	uint32_t of_cause[SENT_CAUSES]; /* requests by cause */
	double lost_of[SENT_CAUSES];    /* tokens lost at rebuilds by cause */
	double lost_tokens, lost_bytes; /* of the request before, from the first difference on, at rebuilds */
	double sent_tokens, sent_bytes; /* of the request itself from there on: sent and billed without the cache */
	double again_tokens;            /* the smaller of lost and sent, summed: billed again at most */

	uint32_t reported;         /* turns whose prompt size is known */
	double prompt, cache_read; /* over those */
	double hit;                /* cache_read / prompt; NAN = no evidence: nothing reported, or no cache anywhere */
	uint32_t predictions;      /* turns with a predicted hit */
	double predicted;          /* sum of what was predicted to be read / their prompts; NAN = none */

	struct prefix_fold *folds;
	size_t folds_n;
	double fold_hit;     /* median recorded hit of fold turns; NAN = no evidence */
	double other_hit;    /* .. and of the others, the first request apart */
	double fold_ceiling; /* median predicted hit of fold turns; NAN = none */
	double growth;       /* mean tokens that an append-only request adds; NAN = there was none */

	uint32_t tails; /* requests with a nudge */
	double tail_tokens, tail_bytes;
	struct prefix_anchors end, peak; /* of the last request; of the one where slimmed ones weigh most */

	bool has_cost;
	struct prefix_cost cost;

	struct hits hits;
	uint32_t said;    /* turns whose price the file tells .. */
	double said_cost; /* .. price, as recorded */
};

/* A request as its usage is recorded, in money: shares and total. */
struct prefix_cost prefix_cost_of(const struct price *p, const struct usage *u);
/* Tokens (raw estimate) of a request that rebuilds which are billed again at most: the smaller of lost and sent. */
double prefix_again(const struct sent *x);
/* Everything lives in the arena. */
void prefix_sum(const struct run *r, struct arena *a, struct prefix_totals *t);
/* The provider said something about its cache in this run: a hit rate of 0 means something. */
bool prefix_evidence(const struct prefix_totals *t);

#endif
