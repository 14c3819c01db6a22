/*
 * pi: Pi session files (pi.md 1 and 3), versions 1 to 3 and OpenClaw's dialect.
 * Internal to the pi_*.c files of this folder.
 *
 * Two passes: the lines give an index of entries (the leaf, and so the active
 * branch, is known only at the end); then the entries of the branch are read
 * again, root first, and projected to records. `struct pi` hangs on
 * loader->own and lives while the recording is loaded.
 */
#ifndef REPLAY_READERS_PI_H
#define REPLAY_READERS_PI_H

#include "engine/host/pi_text.h"
#include "replay/readers/pick.h"
#include "replay/readers/readers.h"

/* Entry types of pi.md 1.6; PI_OTHER = none of them. */
enum pi_type {
	PI_MESSAGE,
	PI_CUSTOM_MESSAGE,
	PI_MODEL_CHANGE,
	PI_COMPACTION,
	PI_BRANCH_SUMMARY,
	PI_LEVEL_CHANGE,
	PI_CUSTOM,
	PI_LABEL,
	PI_SESSION_INFO,
	PI_CONTEXT_TRANSFORM,
	PI_EPHEMERAL,
	PI_OTHER,
	PI_TYPE_COUNT
};

struct pi_entry {
	uint64_t at; /* the line in the source */
	uint32_t n, line;
	uint32_t id, parent; /* names; parent 0 = root */
	uint32_t up;         /* its parent, index + 1; 0 = it has none, or it is not in the file */
	uint32_t children;   /* valid when the tree is known, as is `up` */
	uint32_t position;   /* on the path; valid when on_path */
	uint8_t type;        /* enum pi_type */
	bool on_path;
};

/* A type this reader does not know, with how often it was met. */
struct pi_stranger {
	uint32_t type; /* name; 0 = all further ones */
	uint32_t count;
};

/* A tool call of the file, for parents that name one (OpenClaw, formats.md 9). */
struct pi_named_call {
	uint32_t entry;
	uint32_t before; /* older call with the same id, index + 1; 0 = none */
};

/* A text on its way into a row: decoded, and where it lies in the source if it does (else span is absent). */
struct pi_text {
	struct str text;
	struct span span;
};

/* A toolCall block; spans are relative to the line. */
struct pi_call {
	uint32_t id, name; /* names */
	struct json_span arguments;
};

struct pi {
	/* file */
	int version;          /* 1..3 */
	bool version_unknown; /* the header's is no number: the first entry decides */
	bool headless;        /* the first object is no header */
	bool no_entries;      /* .. and not even an entry of a tree: Pi's rule holds, there are none */
	uint32_t session;     /* name of the session id */
	uint64_t objects;     /* objects so far, header included: the n of v1-<n> */
	VEC(struct pi_entry) entries;
	VEC(uint32_t) by_id; /* by name: entry + 1 */
	uint64_t of_type[PI_TYPE_COUNT];
	uint64_t without_id;
	VEC(struct pi_stranger) strangers;
	uint32_t title; /* name of the latest session_info */
	VEC(struct pi_named_call) named_calls;
	VEC(uint32_t) by_call; /* by name: named call + 1 */
	bool calls_named;
	VEC(uint32_t) label_of; /* by name of an entry: name of its label, 0 = none */

	/* branch */
	bool path_known;
	VEC(uint32_t) path;      /* entries, root first */
	VEC(uint32_t) rows;      /* the messages that are rows */
	VEC(uint32_t) first_row; /* by position: rows before the entry */
	size_t next;             /* position to be projected */

	/* projection */
	VEC(uint32_t)
	compress_of; /* by name of a call id: compress call + 1; 0 = the last call with it is another tool */
	VEC(struct span) compress_args;
	VEC(uint8_t) answered; /* by name of a call id: it made a compress step */
	uint32_t user_turns;
	uint64_t excluded, retained_tails, images;
	struct json_scan entry_scan, message_scan, list_scan, block_scan;
	VEC(struct pi_call) calls; /* of the content read last */
	struct buf joined;         /* the same: texts put together */
	struct buf built;          /* a text being put together from others */
};

/* One entry being read. Spans are relative to s. */
struct pi_line {
	struct recording *r;
	struct pi *pi;
	struct arena *scratch;
	const struct pi_entry *entry;
	const char *s;
	struct str host_message; /* what counts as the host's message: `message`, or the whole entry */
	struct record rec;       /* what all its records have in common */
	bool carried;            /* a record carries `entry` already */
};

/* pi_text.c: pi.md 3.2, 3.3 */
/* textOf(content); fills pi->calls with the toolCall blocks of a list. */
struct pi_text pi_text_of(struct pi_line *l, struct json_span content);
/* Arguments as text (A in pi.md 3.4). */
struct pi_text pi_arguments(struct pi_line *l, struct json_span arguments);
/* Scans the object `at` and picks members; false when it is no object. Spans come out relative to l->s. */
bool pi_members(struct pi_line *l, struct json_span at, struct json_scan *scan, const struct str *names, size_t count,
		struct json_span *out);
/* Milliseconds of an ISO 8601 UTC time, else NAN. */
double pi_time(struct str iso);
/* Blocks in a compress result's panel (pi.md 2.3); -1 = it is no panel. */
double pi_panel_blocks(struct str text);

/* pi_project.c: the records of one entry (pi.md 3.4, 8.3) */
void pi_project(struct recording *r, struct pi *pi, uint32_t entry, struct arena *scratch);

/* pi_tree.c: the tree, the active branch (pi.md 1.7) and what is said about it */
bool pi_find_path(struct recording *r, struct pi *pi);

/* pi_branches.c: r->branches, when the tree is known; `leaf` = the active one */
void pi_list_branches(struct recording *r, struct pi *pi, uint32_t leaf);
/* Is the entry the end of a branch? One that a later entry with its id replaced is none. */
bool pi_is_tip(const struct pi *pi, uint32_t entry);

/* pi_write.c */
void pi_write(struct recording *r, size_t i, struct arena *scratch, struct buf *b);
void pi_write_session(struct recording *r, struct arena *scratch, struct buf *b);

#endif
