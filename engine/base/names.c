#include "names.h"

#include <stdlib.h>

/* uthash asks for its tables here, so that out of memory ends the program as everywhere (arena.h). */
#define uthash_malloc(size) mem_alloc(size)
#include <uthash.h>

/* The text is the handle's key. */
struct name_entry {
	UT_hash_handle hh;
	uint32_t number;
};

void names_init(struct names *t)
{
	*t = (struct names){0};
	vec_push(&t->list, STR(""));
}

void names_free(struct names *t)
{
	HASH_CLEAR(hh, t->table);
	vec_free(&t->list);
	arena_free(&t->arena);
}

static struct name_entry *find(const struct names *t, struct str s, unsigned hash)
{
	struct name_entry *e;

	HASH_FIND_BYHASHVALUE(hh, t->table, s.p, s.n, hash, e);
	return e;
}

uint32_t names_add(struct names *t, struct str s)
{
	struct name_entry *e;
	unsigned hash;

	if (s.n == 0)
		return 0;
	HASH_VALUE(s.p, s.n, hash);
	e = find(t, s, hash);
	if (e)
		return e->number;
	e = arena_alloc(&t->arena, sizeof *e);
	s.p = arena_copy(&t->arena, s.p, s.n);
	e->number = (uint32_t)t->list.n;
	vec_push(&t->list, s);
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, t->table, s.p, s.n, hash, e);
	return e->number;
}

uint32_t names_find(const struct names *t, struct str s)
{
	struct name_entry *e;
	unsigned hash;

	if (s.n == 0)
		return 0;
	HASH_VALUE(s.p, s.n, hash);
	e = find(t, s, hash);
	return e ? e->number : UINT32_MAX;
}
