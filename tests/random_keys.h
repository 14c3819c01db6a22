/*
 * random_keys: the screen under keys nobody would press, drawn from a seed.
 *
 * Keys come from the action table (every binding, whatever it does), whole
 * sentences are typed into prompts, the mouse clicks inside and outside, the
 * screen changes its size from 1x1 to 400x120. The same seed gives the same
 * keys. Nothing is owned; the screen is the caller's.
 */
#ifndef TESTS_RANDOM_KEYS_H
#define TESTS_RANDOM_KEYS_H

#include "tui/screen_script.h"

enum { RANDOM_KEYS_PENDING = 256 };

struct random_keys {
	uint64_t x; /* not 0 */
	/* the rest of a sentence that is being typed */
	struct key pending[RANDOM_KEYS_PENDING];
	size_t pending_n, pending_at;
	bool fault;     /* random_keys_press: why, with the last keys */
	char why[160];  /* of the fault */
	char last[160]; /* names of the last keys */
};

uint64_t random_next(uint64_t *x);
/* Presses one key, or changes the size, and draws; false when the screen is not what it must be, see `why`. */
bool random_keys_press(struct random_keys *r, struct screen_script *s);
/*
 * What always holds of a screen: every row is as wide as the grid, nothing in
 * it could move a terminal's cursor or is not UTF-8 (in ASCII mode ASCII), the
 * cursor is inside. NULL, or what does not hold.
 */
const char *random_keys_fault(const struct grid *g);

#endif
