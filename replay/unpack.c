#include "replay/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "engine/base/fnv.h"

enum { PACKED_AT_ONCE = 1 << 17, PATH_BYTES = 4096 };

/* A skippable frame may come first: 0x184D2A50 to 5F, little endian. */
bool unpack_is_zstd(struct str head)
{
	return str_starts(head, STR("\x28\xB5\x2F\xFD")) ||
	       (head.n >= 4 && (head.p[0] & 0xF0) == 0x50 && memcmp(head.p + 1, "\x2A\x4D\x18", 3) == 0);
}

bool unpack_wanted(const struct source *s)
{
	struct arena scratch = {0};
	bool zstd = unpack_is_zstd(source_read(s, 0, 4, &scratch));

	arena_free(&scratch);
	return zstd;
}

size_t unpack_head(struct str packed, char *out, size_t max)
{
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	ZSTD_inBuffer in = {packed.p, packed.n, 0};
	ZSTD_outBuffer to = {out, max, 0};
	size_t before;

	if (!zstd)
		abort(); /* no memory */
	do
		before = in.pos + to.pos;
	while (to.pos < max && !ZSTD_isError(ZSTD_decompressStream(zstd, &to, &in)) && in.pos + to.pos > before);
	ZSTD_freeDCtx(zstd);
	return to.pos;
}

/* A new file in the folder, without a name already; -1 = it cannot be made there. */
static int nameless_file(const char *folder)
{
	char path[PATH_BYTES];
	int n = snprintf(path, sizeof path, "%s/acpdbg-XXXXXX", folder), fd;

	if (n < 0 || (size_t)n >= sizeof path)
		return -1;
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	unlink(path);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

static int temporary_file(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = folder && *folder ? nameless_file(folder) : -1;

	if (fd < 0)
		fd = nameless_file("/tmp");
	return fd < 0 ? nameless_file("/var/tmp") : fd;
}

enum status unpack_begin(struct unpack *u, struct source *s, struct error *e)
{
	size_t n = strlen(s->path) + 1;
	int fd = temporary_file();

	if (fd < 0)
		return error_set(e, STATUS_IO, "no temporary file for the unpacked log can be made: %s",
				 strerror(errno));
	*u = (struct unpack){.packed = *s, .zstd = ZSTD_createDCtx(), .out = mem_alloc(ZSTD_DStreamOutSize())};
	if (!u->zstd)
		abort(); /* no memory */
	*s = (struct source){.path = memcpy(mem_alloc(n), u->packed.path, n),
			     .fd = fd,
			     .is_file = u->packed.is_file,
			     .is_unpacked = true,
			     .packed_size = u->packed.size,
			     .packed_digest = FNV_START};
	return STATUS_OK;
}

/* Reads more packed bytes; false at their end. */
static bool read_more(struct unpack *u, struct source *s)
{
	arena_free(&u->scratch);
	u->in = source_read(&u->packed, u->at, PACKED_AT_ONCE, &u->scratch);
	u->in_at = 0;
	u->at += u->in.n;
	s->packed_digest = fnv_bytes(s->packed_digest, u->in.p, u->in.n);
	return u->in.n > 0;
}

static enum status keep(struct unpack *u, struct source *s, size_t n, struct error *e)
{
	size_t done = 0, i;

	for (i = n; i > 0 && u->out[i - 1] != '\n'; i--)
		;
	if (i > 0)
		u->line = s->size + i;
	if (i > 0 && u->first_line == 0)
		u->first_line = s->size + (size_t)((char *)memchr(u->out, '\n', n) - u->out) + 1;
	while (done < n) {
		ssize_t wrote = pwrite(s->fd, u->out + done, n - done, (off_t)(s->size + done));

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return error_set(e, STATUS_IO, "cannot be unpacked into a temporary file (see TMPDIR): %s",
					 strerror(errno));
		done += (size_t)wrote;
	}
	s->size += n;
	return STATUS_OK;
}

static void stop(struct unpack *u, const char *problem)
{
	u->problem = problem;
	u->problem_at = u->at - (u->in.n - u->in_at);
}

/* One call of the library. False when nothing more comes; *st tells a failure. */
static bool unpack_block(struct unpack *u, struct source *s, enum status *st, struct error *e)
{
	ZSTD_outBuffer out = {u->out, ZSTD_DStreamOutSize(), 0};
	bool more = u->in_at < u->in.n || read_more(u, s);
	ZSTD_inBuffer in = {u->in.p, u->in.n, u->in_at};
	size_t left = ZSTD_decompressStream(u->zstd, &out, &in);

	u->in_at = in.pos;
	if (ZSTD_isError(left)) {
		stop(u, ZSTD_getErrorName(left));
		return false;
	}
	*st = keep(u, s, out.pos, e);
	if (*st != STATUS_OK)
		return false;
	if (left == 0) { /* the end of a frame */
		if (s->size > u->frame && u->frames++ == 0)
			u->first_frame = s->size;
		u->frame = s->size;
		u->inside = false;
	} else if (more) {
		u->inside = true;
	}
	if (s->size > UNPACKED_MAX) {
		stop(u, "it unpacks to more than 16 GB");
		return false;
	}
	return more || out.pos == out.size;
}

/* Of a frame that did not come to its end, complete lines. */
static void end_file(struct unpack *u, struct source *s)
{
	u->torn = u->inside && !u->problem;
	if (u->problem || u->torn)
		s->size = (size_t)(u->line > u->frame ? u->line : u->frame);
	while (read_more(u, s)) /* the digest is that of the whole file */
		;
}

bool unpack_step(struct unpack *u, struct source *s, size_t budget, enum status *st, struct error *e)
{
	uint64_t until = s->size + budget, packed = u->at + budget;

	*st = STATUS_OK;
	while (s->size < until && u->at < packed) {
		if (unpack_block(u, s, st, e))
			continue;
		if (*st == STATUS_OK)
			end_file(u, s);
		return false;
	}
	return true;
}

double unpack_progress(const struct unpack *u) { return u->packed.size ? (double)u->at / (double)u->packed.size : 1; }

void unpack_free(struct unpack *u)
{
	ZSTD_freeDCtx(u->zstd);
	arena_free(&u->scratch);
	free(u->out);
	source_close(&u->packed);
	*u = (struct unpack){.packed = {.fd = -1}};
}
