#include "replay/source_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "engine/base/vec.h"

enum { BLOCK_BYTES = 1 << 14, WORD_BYTES = 8 };

/* A sum over bytes that come piece by piece; it never leaves the process. */
struct sum {
	uint64_t value, word;
	unsigned n; /* bytes in word */
};

enum verdict { NOT_LOOKED, HOLDS, CHANGED };

struct source_watch {
	int fd;
	uint64_t size, taken;
	struct sum sum;      /* of the block being taken */
	VEC(uint64_t) sums;  /* by block */
	struct stat seen;    /* the file as it was when looked at last */
	bool touched;        /* it was another one before */
	VEC(uint8_t) looked; /* by block, since the file was touched last: enum verdict */
	bool changed;
};

static void mix(struct sum *s, uint64_t word)
{
	s->value = (s->value ^ word) * UINT64_C(0x9E3779B97F4A7C15);
	s->value ^= s->value >> 32;
}

static uint64_t load(const char *p)
{
	uint64_t w = 0;

	for (unsigned i = 0; i < WORD_BYTES; i++)
		w |= (uint64_t)(unsigned char)p[i] << 8 * i;
	return w;
}

static void add(struct sum *s, const char *p, size_t n)
{
	while (n > 0) {
		if (s->n == 0 && n >= WORD_BYTES) {
			mix(s, load(p));
			p += WORD_BYTES;
			n -= WORD_BYTES;
			continue;
		}
		s->word |= (uint64_t)(unsigned char)*p++ << 8 * s->n++;
		n--;
		if (s->n == WORD_BYTES) {
			mix(s, s->word);
			s->word = s->n = 0;
		}
	}
}

/* The sum, which is ready for the next block then. */
static uint64_t finish(struct sum *s)
{
	uint64_t value;

	mix(s, s->word ^ (uint64_t)s->n << 56);
	value = s->value;
	*s = (struct sum){0};
	return value;
}

struct source_watch *source_watch_new(int fd, uint64_t size)
{
	struct source_watch *w = mem_alloc(sizeof *w);

	*w = (struct source_watch){.fd = fd, .size = size};
	if (fstat(fd, &w->seen) == 0)
		return w;
	free(w);
	return NULL;
}

void source_watch_free(struct source_watch *w)
{
	if (!w)
		return;
	vec_free(&w->sums);
	vec_free(&w->looked);
	free(w);
}

void source_watch_take(struct source_watch *w, uint64_t at, const char *bytes, size_t n)
{
	if (at > w->taken || at + n <= w->taken)
		return;
	bytes += w->taken - at;
	n -= (size_t)(w->taken - at);
	while (n > 0) {
		size_t room = BLOCK_BYTES - (size_t)(w->taken % BLOCK_BYTES), now = n < room ? n : room;

		add(&w->sum, bytes, now);
		w->taken += now;
		bytes += now;
		n -= now;
		if (w->taken % BLOCK_BYTES == 0 || w->taken == w->size)
			vec_push(&w->sums, finish(&w->sum));
	}
}

static bool same_time(struct timespec a, struct timespec b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

/* False as long as nobody has touched the file since it was opened. */
static bool is_touched(struct source_watch *w)
{
	struct stat now;

	if (fstat(w->fd, &now) != 0 || (now.st_size == w->seen.st_size && same_time(now.st_mtim, w->seen.st_mtim) &&
					same_time(now.st_ctim, w->seen.st_ctim)))
		return w->touched;
	w->seen = now;
	w->touched = true;
	w->looked.n = 0;
	return true;
}

/* Does the file still have in a block what was loaded from it? */
static bool block_holds(struct source_watch *w, size_t block)
{
	uint64_t at = (uint64_t)block * BLOCK_BYTES;
	size_t n = w->size - at < BLOCK_BYTES ? (size_t)(w->size - at) : BLOCK_BYTES, have = 0;
	char *bytes;
	struct sum sum = {0};

	if (w->looked.v[block] != NOT_LOOKED)
		return w->looked.v[block] == HOLDS;
	bytes = mem_alloc(BLOCK_BYTES);
	while (have < n) {
		ssize_t got = pread(w->fd, bytes + have, n - have, (off_t)(at + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	add(&sum, bytes, have);
	w->looked.v[block] = have == n && finish(&sum) == w->sums.v[block] ? HOLDS : CHANGED;
	free(bytes);
	return w->looked.v[block] == HOLDS;
}

bool source_watch_holds(struct source_watch *w, uint64_t at, size_t n)
{
	size_t block = (size_t)(at / BLOCK_BYTES), last = (size_t)((at + n - 1) / BLOCK_BYTES);
	bool holds = true;

	if (n == 0 || !is_touched(w))
		return true;
	vec_fill(&w->looked, w->sums.n);
	for (; block <= last && block < w->sums.n; block++)
		holds = block_holds(w, block) && holds;
	w->changed = w->changed || !holds;
	return holds;
}

bool source_watch_changed(const struct source_watch *w) { return w->changed; }
