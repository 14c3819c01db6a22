/*
 * unpack: a source that is compressed with zstd, unpacked (dsh.md 1.7).
 *
 * The unpacked bytes go to a temporary file without a name and are read from
 * there like those of any file: memory stays bounded, whatever the size of the
 * log. A torn or damaged file is unpacked as far as it goes.
 *
 * Unpacking is a job: unpack_begin, then unpack_step until it says done. The
 * job owns the packed source; the unpacked one stays its caller's.
 */
#ifndef REPLAY_UNPACK_H
#define REPLAY_UNPACK_H

#include "replay/source.h"

/* More than this is taken for a trap: what comes behind it is left out. */
#define UNPACKED_MAX ((uint64_t)1 << 34)

struct unpack {
	struct source packed;
	struct ZSTD_DCtx_s *zstd;
	struct arena scratch;
	char *out;      /* a block on its way to the file */
	struct str in;  /* in `scratch`: packed bytes that were read */
	size_t in_at;   /* of them, used up */
	uint64_t at;    /* offset of the bytes behind `in` */
	bool inside;    /* in the middle of a frame */
	uint64_t frame; /* unpacked bytes before this frame */
	uint64_t line;  /* unpacked bytes up to and with the last line feed */
	/* what was found; valid when it is done */
	uint64_t frames;      /* complete ones; skippable and empty ones do not count */
	uint64_t first_frame; /* unpacked bytes of the first */
	uint64_t first_line;  /* the same, up to and with the first line feed */
	bool torn;            /* the last frame is not complete */
	const char *problem;  /* why the rest could not be unpacked, static text; NULL = all was */
	uint64_t problem_at;  /* offset in the packed file */
};

/* Do the first four bytes of a file begin a zstd frame? */
bool unpack_is_zstd(struct str head);
bool unpack_wanted(const struct source *s);
/* The beginning of a packed file, unpacked, up to `max` bytes; returns how many there are. What is cut or damaged ends
 * it. */
size_t unpack_head(struct str packed, char *out, size_t max);
/*
 * s becomes the unpacked source, empty at first; it grows with every step. STATUS_IO when there is no place for a
 * temporary file; s is as it was then, and u need not be freed.
 */
enum status unpack_begin(struct unpack *u, struct source *s, struct error *e);
/*
 * Unpacks about `budget` more bytes. False when done (or failed: see *st, *e, STATUS_IO). Of a frame that is torn or
 * damaged only complete lines stay (dsh-rulings 24).
 */
bool unpack_step(struct unpack *u, struct source *s, size_t budget, enum status *st, struct error *e);
/* Share of the work done, 0..1. */
double unpack_progress(const struct unpack *u);
void unpack_free(struct unpack *u);

#endif
