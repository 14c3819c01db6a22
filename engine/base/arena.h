/*
 * arena: memory that is given back all at once.
 *
 * Who makes an arena owns everything allocated from it; single pieces are never
 * freed. Lifetimes in this program are arenas: recording, run, frame, line.
 * Out of memory ends the program with abort() (the terminal is restored by the
 * crash handler of tui/term); no caller has to test for NULL.
 */
#ifndef ENGINE_BASE_ARENA_H
#define ENGINE_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;
struct arena_deferred;

/* Zero-initialised = an empty arena, ready for use. */
struct arena {
	struct arena_chunk *chunk;       /* newest chunk */
	struct arena_deferred *deferred; /* clean-ups, newest first */
	size_t used;                     /* bytes handed out, for statistics */
};

/* A place in an arena to which arena_release can return. */
struct arena_mark {
	struct arena_chunk *chunk;
	size_t fill;
	struct arena_deferred *deferred;
	size_t used;
};

/* `size` uninitialised bytes, aligned for any type. size 0 gives a valid pointer. */
void *arena_alloc(struct arena *a, size_t size) __attribute__((malloc, returns_nonnull));
/* The same, zeroed; count * size must not overflow (checked, abort). */
void *arena_zero(struct arena *a, size_t count, size_t size) __attribute__((malloc, returns_nonnull));
/* A NUL-terminated copy of n bytes. */
char *arena_copy(struct arena *a, const char *bytes, size_t n) __attribute__((returns_nonnull));
/* Calls fn(ptr) when the arena is freed or released past this point. */
void arena_defer(struct arena *a, void (*fn)(void *), void *ptr);
struct arena_mark arena_mark(const struct arena *a);
/* Gives back everything allocated since the mark was taken. */
void arena_release(struct arena *a, struct arena_mark m);
/* Gives back everything; the arena is empty and usable again. */
void arena_free(struct arena *a);

/* malloc/realloc that abort when there is no memory; realloc for count items of size bytes, overflow-checked. */
void *mem_alloc(size_t size) __attribute__((malloc, returns_nonnull));
void *mem_resize(void *old, size_t count, size_t size) __attribute__((returns_nonnull));

#endif
