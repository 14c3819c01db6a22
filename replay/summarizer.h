/*
 * summarizer: a command of the user's that answers a prompt.
 *
 * The command is run by the shell in a process group of its own: the prompt on
 * its standard input, the model's id in ACPDBG_MODEL, the answer on its standard
 * output. It has answered when it ends with exit code 0. Whatever else happens
 * is an end with a name, and in any case nothing of it is left running: the
 * whole group is killed, the command is waited for, and what left the group is
 * killed where the system lets it be found (orphans.h: on Linux).
 * A signal that would end this process (SIGHUP, SIGINT, SIGQUIT, SIGTERM, as far
 * as nobody handles or ignores it) ends the command first: it interrupts, and
 * the caller raises it again once it has cleaned up.
 * A command may leave its input unread, and what is still written after it
 * ended (by a child that kept its output open) is not waited for.
 * The result owns its bufs.
 */
#ifndef REPLAY_SUMMARIZER_H
#define REPLAY_SUMMARIZER_H

#include "engine/base/buf.h"

enum {
	SUMMARIZER_ANSWER_BYTES = 1 << 20, /* more than 50 times the longest summary a kernel takes */
	SUMMARIZER_ERROR_BYTES = 4096      /* kept of what the command says on standard error: the end of it */
};

enum summarizer_end {
	SUMMARIZER_ANSWERED,
	SUMMARIZER_EXITED, /* code: its exit code, not 0 */
	SUMMARIZER_KILLED, /* code: the signal */
	SUMMARIZER_TIMED_OUT,
	SUMMARIZER_TOO_LONG,    /* wrote more than answer_bytes */
	SUMMARIZER_INTERRUPTED, /* `going` said no (code 0), or a signal came (code: to be raised again) */
	SUMMARIZER_NOT_STARTED, /* code: errno */
	SUMMARIZER_ENDS
};
/* "answered", "exited", "killed", "timed-out", "too-long", "interrupted", "not-started". */
const char *summarizer_end_name(enum summarizer_end e);

struct summarizer {
	const char *command;      /* for sh -c */
	struct str model, prompt; /* texts (text.h); the command gets UTF-8 */
	double seconds;           /* wall clock; 0 = 60 */
	size_t answer_bytes;      /* 0 = SUMMARIZER_ANSWER_BYTES */
	/* Asked some times a second with the seconds gone by; false: stop. NULL = never. */
	bool (*going)(void *ctx, double spent);
	void *ctx;
};

struct summarizer_result {
	enum summarizer_end end;
	int code;
	struct buf answer; /* text (text.h): what is not UTF-8 is U+FFFD; empty unless ANSWERED */
	struct buf errors; /* the same of standard error, its last bytes */
};

/* `out` is overwritten; free it with summarizer_result_free. Signals are handled as before when it returns. */
void summarizer_run(const struct summarizer *s, struct summarizer_result *out);
/* "exited with code 3", "was killed by signal 9", "gave no answer within 60 seconds": what the command did, into b. */
void summarizer_put_end(struct buf *b, const struct summarizer *s, const struct summarizer_result *r);
void summarizer_result_free(struct summarizer_result *r);

/* A text as UTF-8 bytes for other programs: U+0000 is a zero byte, an unpaired surrogate is U+FFFD. */
void summarizer_put_utf8(struct buf *b, struct str text);

#endif
