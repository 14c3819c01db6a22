#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Under AddressSanitizer what was given back is poisoned, so a use after arena_release is found. */
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISON 1
#endif
#endif
#ifdef ARENA_POISON
#include <sanitizer/asan_interface.h>
#define poison(p, n)   __asan_poison_memory_region(p, n)
#define unpoison(p, n) __asan_unpoison_memory_region(p, n)
#else
#define poison(p, n)   ((void)(p), (void)(n))
#define unpoison(p, n) ((void)(p), (void)(n))
#endif

enum { CHUNK_MIN = 4096, CHUNK_MAX = 1 << 20, ALIGN = 16 };

struct arena_chunk {
	struct arena_chunk *older;
	size_t cap, fill; /* bytes of data */
	_Alignas(ALIGN) unsigned char data[];
};

struct arena_deferred {
	struct arena_deferred *older;
	void (*fn)(void *);
	void *ptr;
};

_Static_assert(_Alignof(max_align_t) <= ALIGN, "arena_alloc serves any type");

void *mem_alloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		abort();
	return p;
}

void *mem_resize(void *old, size_t count, size_t size)
{
	void *p;

	if (size && count > SIZE_MAX / size)
		abort();
	size *= count;
	p = realloc(old, size ? size : 1);
	if (!p)
		abort();
	return p;
}

static void chunk_add(struct arena *a, size_t size)
{
	size_t cap = a->chunk ? a->chunk->cap * 2 : CHUNK_MIN;
	struct arena_chunk *c;

	if (cap > CHUNK_MAX)
		cap = CHUNK_MAX;
	if (cap < size)
		cap = size;
	if (cap > SIZE_MAX - sizeof *c)
		abort();
	c = mem_alloc(sizeof *c + cap);
	c->older = a->chunk;
	c->cap = cap;
	c->fill = 0;
	poison(c->data, cap);
	a->chunk = c;
}

static void chunk_free(struct arena_chunk *c)
{
	unpoison(c->data, c->cap);
	free(c);
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t room;
	void *p;

	if (size > SIZE_MAX - ALIGN)
		abort();
	room = size ? (size + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN;
	if (!a->chunk || room > a->chunk->cap - a->chunk->fill)
		chunk_add(a, room);
	p = a->chunk->data + a->chunk->fill;
	a->chunk->fill += room;
	a->used += room;
	unpoison(p, size);
	return p;
}

void *arena_zero(struct arena *a, size_t count, size_t size)
{
	void *p;

	if (size && count > SIZE_MAX / size)
		abort();
	p = arena_alloc(a, count * size);
	memset(p, 0, count * size);
	return p;
}

char *arena_copy(struct arena *a, const char *bytes, size_t n)
{
	char *p;

	if (n == SIZE_MAX)
		abort();
	p = arena_alloc(a, n + 1);
	if (n)
		memcpy(p, bytes, n);
	p[n] = '\0';
	return p;
}

void arena_defer(struct arena *a, void (*fn)(void *), void *ptr)
{
	struct arena_deferred *d = arena_alloc(a, sizeof *d);

	d->older = a->deferred;
	d->fn = fn;
	d->ptr = ptr;
	a->deferred = d;
}

struct arena_mark arena_mark(const struct arena *a)
{
	return (struct arena_mark){a->chunk, a->chunk ? a->chunk->fill : 0, a->deferred, a->used};
}

static void deferred_run(struct arena *a, const struct arena_deferred *until)
{
	while (a->deferred != until) {
		struct arena_deferred *d = a->deferred;

		a->deferred = d->older;
		d->fn(d->ptr);
	}
}

void arena_release(struct arena *a, struct arena_mark m)
{
	struct arena_chunk *c = a->chunk;

	deferred_run(a, m.deferred);
	/*
	 * A mark of an empty arena has no chunk. The newest chunk is then kept, empty, so that a scratch arena
	 * released after every line does not ask malloc for every line.
	 */
	while (c && c != m.chunk && (m.chunk || c != a->chunk)) {
		struct arena_chunk *older = c->older;

		chunk_free(c);
		c = older;
	}
	if (!m.chunk && c) {
		struct arena_chunk *older = c->older;

		while (older) {
			struct arena_chunk *next = older->older;

			chunk_free(older);
			older = next;
		}
		c->older = NULL;
	}
	a->chunk = c;
	if (c) {
		c->fill = m.fill;
		poison(c->data + c->fill, c->cap - c->fill);
	}
	a->used = m.used;
}

void arena_free(struct arena *a)
{
	deferred_run(a, NULL);
	while (a->chunk) {
		struct arena_chunk *older = a->chunk->older;

		chunk_free(a->chunk);
		a->chunk = older;
	}
	a->used = 0;
}
