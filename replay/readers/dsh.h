/*
 * dsh: logs of the DSH host (dsh.md 1), header versions 0 to 4 and unknown
 * ones. Internal to the dsh*.c files of this folder.
 *
 * One pass: each line is an event, and becomes an event record or the messages
 * a row is projected to. What is known only at the end (names of calls whose
 * results came first) is put in by `finish`. `struct dsh` hangs on loader->own
 * and lives while the recording is loaded.
 */
#ifndef REPLAY_READERS_DSH_H
#define REPLAY_READERS_DSH_H

#include "engine/host/dsh_surface.h"
#include "engine/host/dsh_text.h"
#include "replay/readers/dsh_parts.h"
#include "replay/readers/pick.h"
#include "replay/readers/readers.h"

/* Members of an event's line, in the order in which hosts write them. */
enum dsh_member {
	DM_TYPE,
	DM_SEQ,
	DM_TIME,
	DM_DATA,
	DM_SURFACE_OP,
	DM_CITES,
	DM_IGNORABLE,
	DM_SEQ0,
	DM_TIME0,
	DM_COUNT
};

/* What the type of an event is to this reader. */
enum dsh_known { DSH_NOT_SEEN, DSH_KNOWN, DSH_STRANGE };

struct dsh_type_seen {
	uint32_t strange; /* events of it that a host would refuse the log for */
	uint8_t known;    /* enum dsh_known */
};

/* A result whose tool name is looked up when all calls are known. */
struct dsh_unnamed {
	uint32_t message, key; /* name of the call's id */
};

struct dsh {
	struct dsh_follow follow;
	struct dsh_surface surface; /* as the rows so far leave it; valid once begun */
	bool begun;                 /* the header, or that there is none, is known */
	bool told_mix;              /* both spellings of replace: reported */
	uint32_t keys_seen;         /* DSH_NOTE_OLD_KEYS, DSH_NOTE_NEW_KEYS of all rows */
	int64_t next;               /* seq of the next event */
	struct {
		bool there, later_end; /* .. and a turn/end comes behind it */
		uint64_t line, byte;
		int64_t found;
	} gap;
	VEC(struct dsh_type_seen) types; /* by name of the type */
	VEC(struct dsh_unnamed) unnamed;
	VEC(uint32_t) name_of_call;     /* by name of a call's id: name of its tool */
	uint32_t model;                 /* name: what the requests were last sent to */
	uint64_t odd_usage;             /* answers with a usage that cannot be read */
	VEC(struct json_span) literals; /* of the row being read: values in its line that may be a text as they are */
	size_t literal;                 /* the one to be tried first */
	struct {
		struct str text;
		struct span span;
	} placed; /* the text placed last */
	struct json_scan scan, inner;
	struct dsh_projection projection;
};

/* One event being read. */
struct dsh_line {
	struct recording *r;
	struct dsh *d;
	struct arena *scratch;
	const struct source_line *line;
	struct json_span v[DM_COUNT];
	struct dsh_event event; /* trees: data where something is read of it, op and cites where they are there */
	struct record rec;
};

extern const struct str dsh_members[DM_COUNT];

/* dsh_rows.c: a row of the surface; `type` is one of the five. */
void dsh_take_row(struct dsh_line *l, enum dsh_type type);
/* What is wrong with surfaceOp and sourceEventSeqs of an event that is no row. */
void dsh_check_plain(struct dsh_line *l);
/* Puts the names of tools into results. */
void dsh_name_results(struct recording *r, struct dsh *d);

/* dsh_event.c: any other event */
void dsh_take_event(struct dsh_line *l, uint32_t count);
/* Outcomes of calls: one that `message` answers (compress, index + 1), and those without a result at the end. */
void dsh_take_outcome(struct recording *r, uint32_t compress);
void dsh_open_outcomes(struct recording *r, struct dsh *d);
/* The first model that is told is the session's. */
void dsh_note_model(struct recording *r, struct dsh *d, struct str model);

/* dsh_usage.c: provider usage; not present when the object is in no known form */
struct usage dsh_usage(const cJSON *usage);

/* dsh_write.c */
void dsh_write(struct recording *r, size_t i, struct arena *scratch, struct buf *b);
void dsh_write_session(struct recording *r, struct arena *scratch, struct buf *b);

#endif
