/*
 * source: the bytes of a session file, read where and when they are needed.
 *
 * A regular file is read with pread and never mapped (a file cut by its writer
 * must not raise SIGBUS, and resident memory must not be the file). Pipes are
 * held in memory; what is compressed is unpacked into a file (replay/unpack).
 * The recording owns its source.
 */
#ifndef REPLAY_SOURCE_H
#define REPLAY_SOURCE_H

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/text.h"

struct source_watch;

struct source {
	char *path;                 /* as the user gave it; "-" = standard input */
	int fd;                     /* -1 when held in memory */
	bool is_file;               /* it was opened as a regular file: the path can be opened once more */
	char *bytes;                /* memory sources */
	size_t size;                /* bytes known now; a growing file may have more */
	struct source_watch *watch; /* of a file: tells when it is not the one any more that was loaded; or NULL */
	/* replay/unpack: these are the unpacked bytes of a file of that size and FNV-1a 64 */
	bool is_unpacked;
	uint64_t packed_size, packed_digest;
};

/*
 * "-" reads standard input to its end into memory, as any pipe. STATUS_NO_INPUT (missing or not to be opened, or a
 * named pipe that nobody has open for writing), STATUS_DATA (a directory or device), STATUS_IO. Never opens for
 * writing. On failure s is closed already. `what` the file is to be ("a session file") is what an error names.
 */
enum status source_open_as(struct source *s, const char *path, const char *what, struct error *e);
/* A session file. */
enum status source_open(struct source *s, const char *path, struct error *e);
/* The same, but a named pipe is waited for: for what is opened before there is a screen. */
enum status source_open_waiting(struct source *s, const char *path, struct error *e);
/* Is there a regular file at the path, which can be opened as often as one likes? */
bool source_can_reopen(const char *path);
void source_close(struct source *s);
/*
 * n bytes at `at`: memory sources point at their own bytes, files are read into the arena. Shorter when the file was
 * cut meanwhile, nothing when a line_walker has passed there and the file has other bytes now; p is never NULL.
 */
struct str source_read(const struct source *s, uint64_t at, size_t n, struct arena *a);
/* Did a read find that the file was cut or rewritten since it was loaded? What is added at its end is no change. */
bool source_changed(const struct source *s);

/* Longest line that is handed out whole: spans have 32 bits (V8 itself reads no string above 512 MiB). */
#define SOURCE_LINE_MAX ((size_t)UINT32_MAX)

/* Walks the lines of a source, as far as it was known when the walk began. Files pass through one growing buffer. */
struct line_walker {
	const struct source *source;
	char *buffer;
	size_t cap, start, end; /* bytes start..end of the buffer are not yet handed out */
	uint64_t at;            /* offset of buffer[start] in the source */
	uint64_t number;        /* lines handed out */
	size_t max;             /* bytes of a line that are kept; SOURCE_LINE_MAX */
	bool at_end;            /* nothing more to read into the buffer */
	bool skipping;          /* the rest of a cut line comes first */
};
struct source_line {
	const char *p; /* without the LF; valid until the next call */
	size_t n;
	uint64_t at;     /* offset of the first byte */
	uint64_t number; /* 1-based */
	bool torn;       /* the last line, without LF */
	bool cut;        /* longer than `max`: only its beginning is here */
};
void line_walker_init(struct line_walker *w, const struct source *s);
/* False at the end. */
bool line_walker_next(struct line_walker *w, struct source_line *out);
void line_walker_free(struct line_walker *w);

#endif
