/*
 * sessions: which sessions the known hosts left on this machine, for `acpdbg`
 * without a file and `acpdbg last`.
 *
 * Where hosts keep their files is a table (sessions_places.c); to teach a new
 * place, add a line there. A scan only lists directories and asks for sizes and
 * times, so ten thousand files are listed at once. What a file says about itself
 * (name, directory, format) is read from its first SESSIONS_HEAD_BYTES when
 * somebody asks: session_at does that once a session.
 *
 * A `struct sessions` owns all it hands out, until sessions_free. Names, paths
 * and directories are raw bytes of the disk: view/text shows them. No clock is
 * read here.
 */
#ifndef REPLAY_SESSIONS_H
#define REPLAY_SESSIONS_H

#include "engine/base/vec.h"
#include "replay/sessions_head.h"

enum {
	SESSIONS_HEADS_MAX = 500,   /* files read to find, and as many to confirm, this directory's sessions */
	SESSIONS_SEEN_MAX = 500000, /* names of files and directories a scan looks at */
	SESSIONS_NOTES_MAX = 20     /* notes kept; the rest is counted */
};

/* Does the name of a directory of sessions stand for the working directory? */
enum sessions_match {
	SESSIONS_ELSEWHERE,
	SESSIONS_UNSURE, /* the name does not tell; the files' beginnings may */
	SESSIONS_HERE    /* it may, as such names are ambiguous */
};

/* A place where a host keeps sessions: root = ($env or base) / below. */
struct sessions_place {
	const char *host;    /* as people call it: "Pi" */
	const char *format;  /* name of its files' reader, which need not exist yet */
	const char *env;     /* variable that replaces `base`; NULL = none. XDG_* count only when absolute */
	const char *unless;  /* the place is not used when this variable is set; NULL = always used */
	const char *base;    /* "~/.pi/agent"; ~ is the home directory */
	const char *below;   /* "sessions" */
	const char *files;   /* patterns of file names, separated by blanks; `*` stands for any bytes */
	const char *except;  /* patterns of files that are no sessions; NULL = none */
	uint8_t least, most; /* files are so many names below the root; 1 = in the root itself */
	bool generations;    /* one session a directory: only its newest generation counts (dsh.md 1.7) */
	/* By the first directory below the root; NULL = names tell nothing. cwd is an absolute path. */
	enum sessions_match (*match)(struct str directory, struct str cwd);
};

/* What a scan needs to know of the world. Borrowed; the table must outlive the sessions. */
struct sessions_places {
	const struct sessions_place *v;
	size_t n;
	const char *home;                                /* NULL = unknown: places below it are not looked at */
	const char *cwd;                                 /* NULL = unknown: no session is this directory's */
	const char *(*get)(void *ctx, const char *name); /* a variable of the environment, or NULL */
	void *ctx;
};

/* The table of known places. */
extern const struct sessions_place sessions_known[];
extern const size_t sessions_known_count;
/* The known places with this process' environment, home and working directory (in the arena). */
struct sessions_places sessions_places_here(struct arena *a);

enum session_state {
	SESSION_NOT_LOOKED,
	SESSION_READABLE,  /* a reader exists for it */
	SESSION_NO_READER, /* a known format without reader */
	SESSION_UNKNOWN,   /* no known format */
	SESSION_EMPTY,
	SESSION_CANNOT_OPEN, /* `what` says why */
	SESSION_STATE_COUNT
};

struct session {
	const char *path;
	uint64_t size; /* bytes */
	int64_t time;  /* of the last change, Unix seconds */
	uint32_t nanos;
	uint32_t place; /* index in places */
	uint64_t device, inode;
	uint8_t match;  /* enum sessions_match */
	bool own;       /* of the working directory; known after sessions_sort */
	bool cwd_known; /* cwd was looked for */
	/* after session_at */
	uint8_t state;    /* enum session_state */
	struct str name;  /* given name, else the first user text, else name of the file; one line, bounded */
	struct str cwd;   /* the directory it worked in; absent = it does not say */
	const char *what; /* what the format looks like ("a Codex rollout"), or why it cannot be opened; or NULL */
};

enum sessions_root_state {
	SESSIONS_ROOT_LISTED,
	SESSIONS_ROOT_MISSING, /* there is no such directory */
	SESSIONS_ROOT_REFUSED, /* cannot be listed; a note says why */
	SESSIONS_ROOT_SAME,    /* was listed as an earlier place */
	SESSIONS_ROOT_NO_HOME,
	SESSIONS_ROOT_UNUSED /* by `unless` */
};
/* Where a place lies. */
struct sessions_root {
	const char *path; /* NULL = NO_HOME, UNUSED */
	enum sessions_root_state state;
};

/* Something that could not be looked at. */
struct sessions_note {
	const char *path;
	const char *why;
};

struct sessions {
	struct arena arena;
	struct sessions_places places; /* home and cwd are copies */
	VEC(struct session) list;
	VEC(uint32_t) by_time;       /* indices, newest first; after sessions_sort */
	size_t own;                  /* the first so many are this directory's; after sessions_sort */
	struct sessions_root *roots; /* one a place */
	VEC(struct sessions_note) notes;
	size_t more_notes; /* beyond SESSIONS_NOTES_MAX */
	bool full;         /* SESSIONS_SEEN_MAX was reached */
	size_t heads_read; /* files opened so far */
	struct session_head_reader head;
};

/* Lists the sessions of all places, in no order; sessions_sort has to follow. s is overwritten. What cannot be read is
 * a note, never an error. */
void sessions_scan(struct sessions *s, const struct sessions_places *places);
/*
 * This directory's sessions first, then the others, each newest first (same time: by path); a file that is there under
 * several names keeps the first. A session is this directory's when it says so itself, else by the name of the
 * directory it lies in. Where that name does not tell, the SESSIONS_HEADS_MAX newest files are asked; older ones are
 * others.
 */
void sessions_sort(struct sessions *s);
/* The session with its name, directory and state; reads its beginning the first time. */
const struct session *session_at(struct sessions *s, size_t i);
/* The place a session was found at. */
static inline const struct sessions_place *session_place(const struct sessions *s, const struct session *one)
{
	return &s->places.v[one->place];
}
/*
 * The newest session of any directory that can be opened, or SIZE_MAX. `passed` (may be NULL) gets the number of newer
 * ones that cannot. After sessions_sort.
 */
size_t sessions_newest(struct sessions *s, size_t *passed);
void sessions_free(struct sessions *s);

/* Names of directories of sessions, as hosts make them of a working directory (pi.md 1.1; dsh.md 1.7). */
enum sessions_match sessions_match_pi(struct str directory, struct str cwd);
enum sessions_match sessions_match_omp(struct str directory, struct str cwd);
enum sessions_match sessions_match_dsh(struct str directory, struct str cwd);
enum sessions_match sessions_match_claude(struct str directory, struct str cwd);

/* Does a file name match one of the patterns? */
bool sessions_pattern(const char *patterns, const char *name);
/* Where the place lies, in the arena; NULL with the state set when it lies nowhere. */
const char *sessions_root_path(const struct sessions_places *places, const struct sessions_place *place,
			       struct arena *a, enum sessions_root_state *state);

#endif
