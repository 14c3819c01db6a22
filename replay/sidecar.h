/*
 * sidecar: the kernel state a host stored beside a session file (pi.md 2.1,
 * formats.md 2 to 4).
 *
 * It is the state at the END of the session, so a replay never starts from it;
 * drift.h compares it with what the replay came to. It is found by the name of
 * the session file; where it has no blocks, the state of the session this one
 * was forked from takes its place, as in the host.
 *
 * A `struct sidecar` owns all it hands out, until sidecar_free. Its state shares
 * the names of the recording it was found for, and borrows its own config: it
 * must stay where it is, and the recording must outlive it.
 */
#ifndef REPLAY_SIDECAR_H
#define REPLAY_SIDECAR_H

#include "engine/kernel/state.h"
#include "replay/recording.h"

enum {
	SIDECAR_PARENTS_MAX = 8,        /* pi-rulings.md 22 */
	SIDECAR_HEADER_BYTES = 1 << 16, /* of a session file, read for its parent (pi.md 2.1.4) */
	SIDECAR_BYTES_MAX = 1 << 28,    /* a larger file is none */
	SIDECAR_VALUES_MAX = 1 << 22,   /* nor is a state that holds more JSON values: some 100 bytes of memory each */
	SIDECAR_NOTES_MAX = 40
};

enum sidecar_source {
	SIDECAR_NONE,   /* nothing was found: the replay itself is the state (pi.md 8.6) */
	SIDECAR_GIVEN,  /* the user named it */
	SIDECAR_BESIDE, /* session file + ".acp.json" */
	SIDECAR_BY_ID   /* session id + ".acp.json", in the directory of the session file */
};

enum sidecar_shape {
	SIDECAR_BARE,     /* a kernel state */
	SIDECAR_ENVELOPE, /* acp-kernel/persist: {version, savedAt, id, payload} */
	SIDECAR_PROXY     /* a stored session of a proxy: {.., state, ..} */
};

/* A file with a state in it. */
struct sidecar_file {
	enum sidecar_source source;
	enum sidecar_shape shape;
	unsigned parents;         /* sessions up the chain of forks it belongs to; 0 = this one */
	const char *path;         /* raw bytes */
	double version, saved_at; /* of an envelope or a proxy session (Unix ms); NAN = absent */
	struct state state;       /* valid unless SIDECAR_NONE; no row is in its list */
};

struct sidecar {
	struct sidecar_file file;
	VEC(struct str) notes; /* what is odd about it, or was passed over; escaped */
	bool unreadable;       /* some file with its name could not be used */
	struct config config;  /* what the state's config points at; means nothing */
	struct arena arena;
};

/*
 * Looks for the sidecar of a recording, `given` (may be NULL) being the file the user named. s is overwritten.
 * Given: STATUS_NO_INPUT, STATUS_IO, STATUS_DATA name the file, line and reason when it cannot be used. Otherwise
 * always STATUS_OK: what is there and cannot be used is a note. After a failure sidecar_free is allowed, not needed.
 */
enum status sidecar_find(struct sidecar *s, struct recording *r, const char *given, struct error *e);
/* Appends where it came from and its notes, as lines of `acpdbg info`. */
void sidecar_print(const struct sidecar *s, struct buf *b);
/*
 * Its notes are to be told at once, wherever the session is opened: there is a state, or one that cannot be used. That
 * none was found, nor the session this one was forked from, only those tell who list everything (info, Events).
 */
bool sidecar_worth_a_line(const struct sidecar *s);
void sidecar_free(struct sidecar *s);

#endif
