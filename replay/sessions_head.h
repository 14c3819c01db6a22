/*
 * sessions_head: what the beginning of a session file says about it: name,
 * directory, format. Internal to sessions*.c.
 *
 * At most SESSIONS_HEAD_BYTES are read, of a compressed file unpacked to at most
 * as many, and nothing that is not whole lines is understood, except the working directory in a first line longer than
 * that.
 */
#ifndef REPLAY_SESSIONS_HEAD_H
#define REPLAY_SESSIONS_HEAD_H

#include "engine/base/json.h"

enum {
	SESSIONS_HEAD_BYTES = 1 << 16,
	SESSIONS_NAME_BYTES = 256, /* a name is not longer */
	SESSIONS_CWD_BYTES = 4096  /* a longer directory is none */
};

struct reader;

/* Buffers, used again for every file. Zero-initialise; session_head_free. */
struct session_head_reader {
	char *bytes, *unpacked;
	struct json_scan row, list, inner;
	struct arena scratch;
};

struct session_head {
	struct str cwd;              /* absent = not found */
	struct str name;             /* one line; absent = not found */
	const struct reader *reader; /* that knows the format; NULL = none does */
	const char *looks;           /* what a format without reader looks like, or NULL */
	bool empty;
	bool undecided; /* compressed, or its first line is too long: the place has to tell the format */
};

/* The facts there are, from the first n bytes; `cut` = the file goes on. Texts lie in `a`. */
void session_head_of(struct session_head_reader *h, char *bytes, size_t n, bool cut, struct arena *a,
		     struct session_head *out);
/* The same from a file, which must be a regular one; 0 or an errno. */
int session_head_read(struct session_head_reader *h, const char *path, struct arena *a, struct session_head *out);
/* Only cwd, as soon as it is found. */
int session_head_cwd(struct session_head_reader *h, const char *path, struct arena *a, struct str *cwd);
void session_head_free(struct session_head_reader *h);

#endif
