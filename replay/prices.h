/*
 * prices: what tokens cost (--prices FILE), and what a fold costs and saves
 * (pi.md 9, economics).
 *
 * A file has prices per million tokens by model, "*" for every other one:
 *   {"currency":"USD","models":{"ID or *":{"input":3,"cacheRead":0.3,"cacheWrite":3.75,"output":15}}}
 * `input` and `output` must be there; without `cacheRead` or `cacheWrite` such
 * tokens cost what input costs. A price is 0 to PRICE_MAX. Everything lives in the arena given to
 * prices_read. Nothing here knows of a run: tokens in, money out. Whose tokens
 * they are (provider usage, raw estimate) is for the caller to say.
 */
#ifndef REPLAY_PRICES_H
#define REPLAY_PRICES_H

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/text.h"

#define PRICE_MAX                                                                                                      \
	1e9 /* per million tokens: above what any currency makes of a price, within what is read at a glance */

/* Per token. */
struct price {
	double input, cache_read, cache_write, output;
};

struct model_price {
	struct str model; /* "*" = every other one */
	struct price price;
};

struct prices {
	struct str currency; /* as in the file; empty = it names none */
	struct model_price *models;
	size_t n;
};

/* STATUS_NO_INPUT, STATUS_DATA: the error names file and member. */
enum status prices_read(const char *path, struct arena *a, struct prices *out, struct error *e);
/* Price of a model, that of "*" when it is not named, or NULL. */
const struct price *prices_of(const struct prices *p, struct str model);

/* What n tokens cost more that are written to the cache and not read from it; 0 where reading costs more. */
double price_again(const struct price *p, double tokens);

/* A fold: part of the context is replaced by a summary that the model writes. Tokens of one scale. */
struct fold {
	double context; /* V: before the fold */
	double folded;  /* S: of it, replaced */
	double ratio;   /* b: summary, as share of S */
	double kept;    /* h: share of what is left (V - S) that stands before the fold and stays cached */
};

/* (w - r)(1 - h)(V - S) + q b S - r S: more than a request without the fold would have cost. */
double fold_extra_cost(const struct price *p, const struct fold *f);
/* (1 - b) S r: what every later request costs less. */
double fold_saving(const struct price *p, const struct fold *f);
/* Later requests until the fold has paid for itself; 0 = at once, NAN = never (nothing is saved). */
double fold_break_even(const struct price *p, const struct fold *f);
/* sqrt(2 g (w - r)(1 - h) Vmin / r): tokens to fold at a time for the least cost. `growth` g: tokens a request adds;
 * Vmin: the context right after a fold. NAN where reading from the cache is free. */
double fold_best_size(const struct price *p, double growth, double kept, double context_after);

#endif
