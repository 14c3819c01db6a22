/*
 * buf: bytes being written. The holder owns them; buf_free gives them back.
 */
#ifndef ENGINE_BASE_BUF_H
#define ENGINE_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* Zero-initialised = empty. p is NUL-terminated once anything was written. */
struct buf {
	char *p;
	size_t n, cap;
};

void buf_bytes(struct buf *b, const char *bytes, size_t n);
static inline void buf_str(struct buf *b, struct str s) { buf_bytes(b, s.p, s.n); }
static inline void buf_text(struct buf *b, const char *c) { buf_bytes(b, c, strlen(c)); }
void buf_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Shortens to n bytes (n <= b->n). */
void buf_cut(struct buf *b, size_t n);
static inline struct str buf_view(const struct buf *b) { return (struct str){b->p ? b->p : "", b->n}; }
void buf_free(struct buf *b);

#endif
