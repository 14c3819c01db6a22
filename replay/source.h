/*
 * source: the bytes of a session file, read where and when they are needed.
 *
 * A regular file is read with pread and never mapped (a file cut by its writer
 * must not raise SIGBUS, and resident memory must not be the file). Pipes, and
 * later decompressed logs, are held in memory. The recording owns its source.
 */
#ifndef REPLAY_SOURCE_H
#define REPLAY_SOURCE_H

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/text.h"

struct source {
	char *path;  /* as the user gave it; "-" = standard input */
	int fd;      /* -1 when held in memory */
	char *bytes; /* memory sources */
	size_t size; /* bytes known now; a growing file may have more */
};

/* "-" reads standard input to its end into memory. STATUS_NO_INPUT, STATUS_DATA (a directory), STATUS_IO. Never opens for writing. */
enum status source_open(struct source *s, const char *path, struct error *e);
void source_close(struct source *s);
/* n bytes at `at`: memory sources point at their own bytes, files are read into the arena. Shorter when the file was cut meanwhile. */
struct str source_read(const struct source *s, uint64_t at, size_t n, struct arena *a);

/* Walks the lines of a source through one growing buffer. */
struct line_walker {
	const struct source *source;
	char *buffer;
	size_t cap, start, end; /* bytes start..end of the buffer are not yet handed out */
	uint64_t at;            /* offset of buffer[start] in the source */
	uint64_t number;        /* lines handed out */
	bool at_end;
};
struct source_line {
	const char *p;  /* without the LF; valid until the next call */
	size_t n;
	uint64_t at;    /* offset of the first byte */
	uint64_t number; /* 1-based */
	bool torn;      /* the last line, without LF */
};
void line_walker_init(struct line_walker *w, const struct source *s);
/* False at the end. */
bool line_walker_next(struct line_walker *w, struct source_line *out);
void line_walker_free(struct line_walker *w);

#endif
