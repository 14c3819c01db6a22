#include "buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "arena.h"

/* Room for n more bytes and the NUL. */
static void grow(struct buf *b, size_t n)
{
	size_t want, cap;

	if (n >= SIZE_MAX / 2 - b->n)
		abort();
	want = b->n + n + 1;
	if (want <= b->cap)
		return;
	cap = b->cap + b->cap / 2 + 64;
	b->cap = cap > want ? cap : want;
	b->p = mem_resize(b->p, b->cap, 1);
}

void buf_bytes(struct buf *b, const char *bytes, size_t n)
{
	if (n == 0)
		return;
	grow(b, n);
	memcpy(b->p + b->n, bytes, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void buf_char(struct buf *b, char c)
{
	if (b->cap - b->n < 2)
		grow(b, 1);
	b->p[b->n++] = c;
	b->p[b->n] = '\0';
}

void buf_printf(struct buf *b, const char *format, ...)
{
	va_list args;
	int n;

	grow(b, 64);
	va_start(args, format);
	n = vsnprintf(b->p + b->n, b->cap - b->n, format, args);
	va_end(args);
	if (n < 0)
		n = 0;
	if ((size_t)n >= b->cap - b->n) {
		grow(b, (size_t)n);
		va_start(args, format);
		vsnprintf(b->p + b->n, b->cap - b->n, format, args);
		va_end(args);
	}
	b->n += (size_t)n;
	b->p[b->n] = '\0';
}

void buf_cut(struct buf *b, size_t n)
{
	if (n >= b->n)
		return;
	b->n = n;
	b->p[n] = '\0';
}

void buf_free(struct buf *b)
{
	free(b->p);
	*b = (struct buf){0};
}
