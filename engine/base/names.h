/*
 * names: every id, tool name and call id as a small number.
 *
 * A table owns copies of its strings. Number 0 is the empty string (and stands
 * for "absent"). Numbers are given in order of first sight and never change.
 */
#ifndef ENGINE_BASE_NAMES_H
#define ENGINE_BASE_NAMES_H

#include <stdint.h>

#include "arena.h"
#include "text.h"
#include "vec.h"

struct name_entry;

struct names {
	struct arena arena;
	struct name_entry *table; /* uthash */
	VEC(struct str) list;     /* by number */
};

void names_init(struct names *t);
void names_free(struct names *t);
/* The number of s, added if new. */
uint32_t names_add(struct names *t, struct str s);
/* The number of s, or UINT32_MAX when it was never added. */
uint32_t names_find(const struct names *t, struct str s);
static inline struct str names_get(const struct names *t, uint32_t number) { return t->list.v[number]; }

#endif
