#include "replay/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/source_watch.h"

#define READ_AT_ONCE ((size_t)1 << 18)
#define PIPE_ROOM    ((size_t)1 << 16)

/* Names the file in an error; the writer of the final message makes it safe to show. */
static void name_file(struct error *e, const char *path)
{
	size_t n = strlen(path);

	if (!e)
		return;
	if (n >= sizeof e->file)
		n = sizeof e->file - 1;
	memcpy(e->file, path, n);
	e->file[n] = '\0';
	e->line = 0;
}

/* read() or pread() of up to n bytes that is not disturbed by signals. -1 = failed. */
static ssize_t read_some(int fd, char *to, size_t n, int64_t at)
{
	ssize_t got;

	do
		got = at < 0 ? read(fd, to, n) : pread(fd, to, n, (off_t)at);
	while (got < 0 && errno == EINTR);
	return got;
}

/*
 * What was opened without waiting: from now on reads wait for the writer, which is there. A named pipe that nobody
 * writes to is refused; one without a name has had its writer.
 */
static enum status wait_for_writer(struct source *s, const struct stat *about, struct error *e)
{
	char first;
	struct stat named;
	ssize_t got = S_ISFIFO(about->st_mode) ? read_some(s->fd, &first, 1, -1) : -1;
	int flags = fcntl(s->fd, F_GETFL);

	if (got == 0 && lstat(s->path, &named) == 0 && S_ISFIFO(named.st_mode))
		return error_set(e, STATUS_NO_INPUT, "is a pipe that nobody writes to");
	if (flags >= 0)
		fcntl(s->fd, F_SETFL, flags & ~O_NONBLOCK);
	if (got <= 0)
		return STATUS_OK;
	s->bytes = mem_alloc(PIPE_ROOM);
	s->bytes[0] = first;
	s->size = 1;
	return STATUS_OK;
}

/* Reads to the end of what has no size: a pipe, standard input, a file that the kernel makes up. */
static enum status slurp(struct source *s, struct error *e)
{
	size_t cap = s->bytes ? PIPE_ROOM : 0;

	for (;;) {
		ssize_t got;

		if (cap - s->size < PIPE_ROOM) {
			cap += cap / 2 + PIPE_ROOM;
			s->bytes = mem_resize(s->bytes, cap, 1);
		}
		got = read_some(s->fd, s->bytes + s->size, cap - s->size, -1);
		if (got < 0)
			return error_set(e, STATUS_IO, "cannot be read: %s", strerror(errno));
		if (got == 0)
			break;
		s->size += (size_t)got;
	}
	if (s->fd != STDIN_FILENO)
		close(s->fd);
	s->fd = -1;
	return STATUS_OK;
}

static enum status open_descriptor(struct source *s, const char *what, int flags, struct error *e)
{
	struct stat about;

	s->fd = strcmp(s->path, "-") == 0 ? STDIN_FILENO : open(s->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
	if (s->fd < 0) {
		bool ours = errno == EMFILE || errno == ENFILE || errno == ENOMEM;

		return error_set(e, ours ? STATUS_IO : STATUS_NO_INPUT, "cannot be opened: %s", strerror(errno));
	}
	if (fstat(s->fd, &about) != 0)
		return error_set(e, STATUS_IO, "cannot be examined: %s", strerror(errno));
	if (S_ISDIR(about.st_mode))
		return error_set(e, STATUS_DATA, "is a directory, not %s", what);
	if (s->fd != STDIN_FILENO && (S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode)))
		return error_set(e, STATUS_DATA, "is a device, not %s", what);
	if (s->fd != STDIN_FILENO && flags & O_NONBLOCK && !S_ISREG(about.st_mode)) {
		enum status st = wait_for_writer(s, &about, e);

		if (st != STATUS_OK)
			return st;
	}
	s->is_file = s->fd != STDIN_FILENO && S_ISREG(about.st_mode);
	/* files of /proc say that they are empty */
	if (s->fd == STDIN_FILENO || !S_ISREG(about.st_mode) || about.st_size == 0)
		return slurp(s, e);
	s->size = (size_t)about.st_size;
	s->watch = source_watch_new(s->fd, s->size);
	return STATUS_OK;
}

static enum status open_path(struct source *s, const char *path, const char *what, int flags, struct error *e)
{
	size_t n = strlen(path) + 1;
	enum status st;

	*s = (struct source){.path = memcpy(mem_alloc(n), path, n), .fd = -1};
	name_file(e, path);
	st = open_descriptor(s, what, flags, e);
	if (st != STATUS_OK)
		source_close(s);
	return st;
}

enum status source_open_as(struct source *s, const char *path, const char *what, struct error *e)
{
	return open_path(s, path, what, O_NONBLOCK, e);
}

enum status source_open(struct source *s, const char *path, struct error *e)
{
	return source_open_as(s, path, "a session file", e);
}

enum status source_open_waiting(struct source *s, const char *path, struct error *e)
{
	return open_path(s, path, "a session file", 0, e);
}

bool source_can_reopen(const char *path)
{
	struct stat about;

	return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

void source_close(struct source *s)
{
	if (s->path && s->fd > STDIN_FILENO)
		close(s->fd);
	source_watch_free(s->watch);
	free(s->path);
	free(s->bytes);
	*s = (struct source){.fd = -1};
}

struct str source_read(const struct source *s, uint64_t at, size_t n, struct arena *a)
{
	size_t have = 0;
	char *p;

	if (at >= s->size || n == 0)
		return STR("");
	if (n > s->size - at)
		n = s->size - (size_t)at;
	if (s->fd < 0)
		return (struct str){s->bytes + at, n};
	p = arena_alloc(a, n);
	while (have < n) {
		ssize_t got = read_some(s->fd, p + have, n - have, (int64_t)(at + have));

		if (got <= 0)
			break;
		have += (size_t)got;
	}
	if (s->watch && !source_watch_holds(s->watch, at, n))
		return STR("");
	return (struct str){p, have};
}

bool source_changed(const struct source *s) { return s->watch && source_watch_changed(s->watch); }

void line_walker_init(struct line_walker *w, const struct source *s)
{
	*w = (struct line_walker){.source = s, .max = SOURCE_LINE_MAX};
	if (s->fd < 0) {
		/* the bytes of a memory source are the buffer */
		w->buffer = s->bytes;
		w->end = s->size;
		w->at_end = true;
	}
}

/* Reads more behind the bytes that are there, moving them to the front first. */
static void fill(struct line_walker *w)
{
	uint64_t from = w->at + (w->end - w->start);
	size_t room;
	ssize_t got;

	if (w->buffer && w->start > 0) {
		memmove(w->buffer, w->buffer + w->start, w->end - w->start);
		w->end -= w->start;
		w->start = 0;
	}
	if (w->cap - w->end < READ_AT_ONCE) {
		w->cap += w->cap / 2 + 2 * READ_AT_ONCE;
		w->buffer = mem_resize(w->buffer, w->cap, 1);
	}
	room = w->cap - w->end;
	if (room > w->source->size - from)
		room = w->source->size - (size_t)from;
	got = room ? read_some(w->source->fd, w->buffer + w->end, room, (int64_t)from) : 0;
	if (got <= 0) {
		w->at_end = true;
		return;
	}
	if (w->source->watch)
		source_watch_take(w->source->watch, from, w->buffer + w->end, (size_t)got);
	w->end += (size_t)got;
}

static void take(struct line_walker *w, size_t n)
{
	w->start += n;
	w->at += n;
}

/* The rest of a line that is too long: dropped up to and with its LF. */
static void skip_line(struct line_walker *w)
{
	for (;;) {
		char *from = w->buffer + w->start, *lf = memchr(from, '\n', w->end - w->start);

		if (lf) {
			take(w, (size_t)(lf - from) + 1);
			return;
		}
		take(w, w->end - w->start);
		if (w->at_end)
			return;
		fill(w);
	}
}

bool line_walker_next(struct line_walker *w, struct source_line *out)
{
	size_t seen = 0; /* bytes known to hold no LF */
	char *lf;

	if (w->skipping)
		skip_line(w);
	w->skipping = false;
	for (;;) {
		size_t have = w->end - w->start;

		lf = w->buffer && have > seen ? memchr(w->buffer + w->start + seen, '\n', have - seen) : NULL;
		if (lf || w->at_end || have > w->max)
			break;
		seen = have;
		fill(w);
	}
	if (w->start == w->end)
		return false;
	*out = (struct source_line){.p = w->buffer + w->start, .at = w->at, .number = ++w->number};
	out->n = lf ? (size_t)(lf - out->p) : w->end - w->start;
	out->torn = !lf && w->at_end;
	out->cut = out->n > w->max;
	take(w, out->n + (lf != NULL));
	if (out->cut) {
		out->n = w->max;
		out->torn = false;
		w->skipping = !lf; /* reading on now would move the bytes handed out */
	}
	return true;
}

void line_walker_free(struct line_walker *w)
{
	if (w->source && w->source->fd >= 0)
		free(w->buffer);
	*w = (struct line_walker){0};
}
