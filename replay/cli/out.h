/*
 * out: standard output, in large writes.
 *
 * A reader that went away (EPIPE) is no error: the rest is dropped and the
 * command ends quietly. Any other failure is reported once and makes the exit
 * code 70. What goes to a terminal has no character that a terminal obeys: DEL,
 * C1 and bidi controls, which JSON allows as they are, become \uXXXX there.
 */
#ifndef REPLAY_CLI_OUT_H
#define REPLAY_CLI_OUT_H

#include "engine/base/buf.h"

/* Zero-initialise and set fd. */
struct out {
	struct buf buf;
	int fd;
	int error;   /* errno of the first failed write, 0 = none */
	bool closed; /* nothing is written any more */
	/* Terminals: the beginning of a character whose rest is still to come. */
	char held[3];
	size_t held_n;
};

enum { OUT_CHUNK = 1 << 16 };

/* Takes the bytes of `from` (which is emptied); writes when enough has come together. False: nobody listens any more.
 */
bool out_take(struct out *o, struct buf *from);
/* Writes what is left; to a terminal only whole characters. */
bool out_flush(struct out *o);
/* Flushes, reports a failure (`name`: of the output, for the message) and frees; the exit code to return instead of
 * `code`. */
int out_end(struct out *o, const char *name, int code);

#endif
