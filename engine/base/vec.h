/*
 * vec: a growable array. `VEC(int) a = {0}; vec_push(&a, 1); a.v[0]; a.n; vec_free(&a);`
 * The struct that holds a vec owns its memory (malloc).
 */
#ifndef ENGINE_BASE_VEC_H
#define ENGINE_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define VEC(type)                                                                                                      \
	struct {                                                                                                       \
		type *v;                                                                                               \
		size_t n, cap;                                                                                         \
	}

/* Room for at least `want` items. */
#define vec_reserve(a, want)                                                                                           \
	do {                                                                                                           \
		size_t vec_want_ = (want);                                                                             \
		if (vec_want_ > (a)->cap) {                                                                            \
			size_t vec_cap_ = (a)->cap + (a)->cap / 2 + 8;                                                 \
			(a)->cap = vec_cap_ > vec_want_ ? vec_cap_ : vec_want_;                                        \
			(a)->v = mem_resize((a)->v, (a)->cap, sizeof *(a)->v);                                         \
		}                                                                                                      \
	} while (0)

/* Appends an item; its expression must not read (a)->n. */
#define vec_push(a, ...)                                                                                               \
	do {                                                                                                           \
		vec_reserve(a, (a)->n + 1);                                                                            \
		(a)->v[(a)->n++] = (__VA_ARGS__);                                                                      \
	} while (0)

/* Grows to `want` items, new ones zeroed; never shrinks. */
#define vec_fill(a, want)                                                                                              \
	do {                                                                                                           \
		size_t vec_fill_ = (want);                                                                             \
		if (vec_fill_ > (a)->n) {                                                                              \
			vec_reserve(a, vec_fill_);                                                                     \
			memset((a)->v + (a)->n, 0, (vec_fill_ - (a)->n) * sizeof *(a)->v);                             \
			(a)->n = vec_fill_;                                                                            \
		}                                                                                                      \
	} while (0)

#define vec_free(a)                                                                                                    \
	do {                                                                                                           \
		free((a)->v);                                                                                          \
		(a)->v = NULL;                                                                                         \
		(a)->n = (a)->cap = 0;                                                                                 \
	} while (0)

#endif
