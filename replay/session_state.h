/*
 * session_state: what the program remembers of a session between two openings:
 * breakpoints, marks, each a JSON value under a name.
 *
 * One file a session in the XDG state directory, never beside the session; its
 * name is made of the session's id, the device and the inode. It says of which
 * content it was: size, time of the last write, FNV-1a 64 of the first and the
 * last 64 KB. A session that only grew since then, as one that is being written
 * does, is the same; any other content makes the memory void. Standard input
 * and pipes have none.
 */
#ifndef REPLAY_SESSION_STATE_H
#define REPLAY_SESSION_STATE_H

#include <stdbool.h>

#include "engine/base/buf.h"
#include "engine/base/error.h"
#include "engine/base/vec.h"

enum { SESSION_STATE_EDGE = 64 * 1024 }; /* bytes at either end of the file that are hashed */

struct session_content {
	uint64_t size; /* bytes */
	int64_t time;  /* of the last write, ns since the epoch */
	uint64_t head, tail;
};

struct session_member {
	char *name;
	struct buf json;
};

/* Zero-initialised = nothing is remembered, nothing is written. */
struct session_state {
	struct buf path; /* of the memory; empty = none */
	struct buf id;
	uint64_t device, inode;
	struct session_content content;
	VEC(struct session_member) members;
	bool changed; /* session_state_save has something to write */
};

/*
 * Finds what is remembered of the session file with this id. STATUS_OK also when that is nothing; STATUS_DATA or
 * STATUS_IO: there is something that cannot be used, *e says why (it names the file), and nothing is remembered; the
 * next save replaces it.
 */
enum status session_state_open(struct session_state *s, const char *file, struct str id, struct error *e);
/* The JSON value of that name; n == 0: there is none. Valid until it is set. */
struct str session_state_get(const struct session_state *s, const char *name);
/* The bytes must be one JSON value; none (n == 0) forgets the name. */
void session_state_set(struct session_state *s, const char *name, struct str json);
/* Writes what was changed. STATUS_IO; OK when there is nothing to write or nowhere. */
enum status session_state_save(struct session_state *s, struct error *e);
void session_state_free(struct session_state *s);

#endif
