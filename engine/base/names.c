#include "names.h"

#include "fnv.h"

enum { SLOTS_FIRST = 64 };

void names_init(struct names *t)
{
	*t = (struct names){0};
	vec_push(&t->list, STR(""));
}

void names_free(struct names *t)
{
	vec_free(&t->list);
	vec_free(&t->slots);
	arena_free(&t->arena);
}

/* The slot of s, or the free one where it belongs. */
static uint32_t *slot_of(const struct names *t, struct str s)
{
	uint64_t h = fnv_bytes(FNV_START, s.p, s.n);
	size_t mask = t->slots.n - 1, i = (size_t)(h ^ h >> 32) & mask;

	while (t->slots.v[i] != 0 && !str_eq(t->list.v[t->slots.v[i]], s))
		i = (i + 1) & mask;
	return &t->slots.v[i];
}

static void grow(struct names *t)
{
	size_t n = t->slots.n > 0 ? 2 * t->slots.n : SLOTS_FIRST;
	uint32_t i;

	vec_free(&t->slots);
	vec_fill(&t->slots, n);
	for (i = 1; i < t->list.n; i++)
		*slot_of(t, t->list.v[i]) = i;
}

uint32_t names_add(struct names *t, struct str s)
{
	uint32_t *slot;

	if (s.n == 0)
		return 0;
	if (2 * t->list.n >= t->slots.n)
		grow(t);
	slot = slot_of(t, s);
	if (*slot == 0) {
		*slot = (uint32_t)t->list.n;
		vec_push(&t->list, (struct str){arena_copy(&t->arena, s.p, s.n), s.n});
	}
	return *slot;
}

uint32_t names_find(const struct names *t, struct str s)
{
	uint32_t number;

	if (s.n == 0)
		return 0;
	number = t->slots.n > 0 ? *slot_of(t, s) : 0;
	return number != 0 ? number : UINT32_MAX;
}
