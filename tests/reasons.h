/*
 * reasons: explanations compared with what a test worked out on its own.
 *
 * A wanted is zero-initialised; its lists live in it, so it must stay where it
 * is. vec_free(&wanted.list) when done.
 */
#ifndef TESTS_REASONS_H
#define TESTS_REASONS_H

#include <cjson/cJSON.h>

#include "replay/explain.h"

struct wanted {
	VEC(struct reason) list;
	uint32_t store[4096]; /* lists of the reasons */
	size_t stored;
};

/* A reason that holds, without numbers, to be filled. */
struct reason *reasons_want(struct wanted *w, enum rule rule);
/* Its list, copied. */
void reasons_want_list(struct wanted *w, struct reason *r, const uint32_t *items, size_t n);
/*
 * Fails, naming `what`, unless both say the same, in whatever order; `only` (may be NULL) chooses the rules that are
 * compared. Members of the configuration are not compared here.
 */
void reasons_compare(const struct wanted *w, const struct explanation *x, bool (*only)(enum rule), const char *what);
/* Fails unless the members behind the reason are those of its rule, with the source that `config` of the session says.
 */
void reasons_check_values(const struct reason *r, const cJSON *config);

#endif
