/*
 * recording: what happened in a session, in order (recording.md).
 *
 * A reader (replay/readers) turns a file of its format into a Recording. It is
 * append-only and immutable once loaded. Texts are not kept: a record knows
 * where its text lies in the source and what the kernel asks of it (lengths,
 * traits). Texts a reader had to put together (several blocks, a peeled tag)
 * lie in the recording's arena.
 *
 * Loading is a job: recording_open, then recording_load_step until it says
 * done. The recording owns its source, names and arena.
 */
#ifndef REPLAY_RECORDING_H
#define REPLAY_RECORDING_H

#include "engine/base/names.h"
#include "engine/host/dsh_row.h"
#include "engine/kernel/message.h"
#include "replay/source.h"

/* Highest version of our own format that is understood. */
#define RECORDING_VERSION 1

enum record_type {
	RECORD_MESSAGE,
	RECORD_COMPRESS,
	RECORD_TURN,
	RECORD_COMPACT,
	RECORD_KEEP,
	RECORD_DECOMPRESS,
	RECORD_MODEL,
	RECORD_RESTART,
	RECORD_REWIND,
	RECORD_PRUNE,
	RECORD_STATE,
	RECORD_EVENT,
	RECORD_NOTE,
	RECORD_UNKNOWN, /* kept, counted, opaque */
	RECORD_TYPE_COUNT
};
/* "message", .. as recording.md writes them; "unknown" for the last. */
const char *record_type_name(enum record_type t);

/* Where a text or a JSON value lies. */
enum span_place {
	SPAN_ABSENT,
	SPAN_LITERAL, /* JSON string literal in the source, quotes included */
	SPAN_JSON,    /* JSON value in the source; as a text: its bytes as they are */
	SPAN_MEMORY   /* decoded text in the arena */
};
struct span {
	union {
		uint64_t at;   /* offset in the source */
		const char *p; /* SPAN_MEMORY */
	};
	uint32_t n;    /* bytes; no line is longer than SOURCE_LINE_MAX */
	uint8_t place; /* enum span_place */
	bool plain;    /* SPAN_LITERAL: no escapes, valid UTF-8 */
};

/*
 * One record. `index` counts within messages, compressions or turns; for decompress, rewind, keep, model, state and
 * note within others; for event within dsh.events; for the remaining types it is unused.
 */
struct record {
	uint64_t at; /* the record's bytes in the source (its line, or the line it was made from) */
	uint32_t n;
	uint32_t line; /* 1-based; 0 = made by the reader, no line of its own */
	uint32_t index;
	uint8_t type; /* enum record_type */
	uint8_t part; /* for readers: 1 = the first record of a message of the host, which carries `entry` */
};

struct message_record {
	struct message message; /* id, tool, call, face, role, content */
	struct span text;
	struct span host;     /* the host's own message, SPAN_JSON object, on the first record of its entry */
	uint32_t entry;       /* name of entryId / host entry id, 0 = none */
	uint32_t host_tokens; /* pi: the host's estimate of the entry (pi.md 1.10.1), on its first record; else 0 */
	uint32_t thinking;    /* pi: raw estimate of the entry's thinking blocks; on its first record */
	uint32_t images;      /* pi: image blocks of the entry; on its first record */
	uint32_t record;      /* kept by the recording: index of its record */
	bool rowless;         /* "rows":0 : joins nothing */
	bool is_error;
	bool from_user; /* pi: the entry is a message of role user; on its first record */
};

struct usage {
	double input, output, cache_read,
		cache_write; /* tokens, provider usage; NAN = the prompt's size is not known */
	double cost;         /* price as recorded, for request and answer, in a currency it does not tell; 0 = none */
	double total; /* context after the answer: totalTokens, or the sum when that is 0 or absent (pi.md 1.8) */
	bool present;
};

struct turn_record {
	double token_count; /* tokens as the host told the kernel; NAN = absent */
	double time;        /* Unix ms; NAN = absent */
	struct usage usage;
	bool failed;          /* pi: the answer was errored or aborted */
	double window;        /* dsh: tokens, the last window the log tells before it; 0 = none yet, or another host */
	uint32_t model;       /* name; 0 = absent */
	uint32_t stop_reason; /* name; 0 = absent */
	uint32_t user_turn;   /* 0 = absent */
};

struct compress_record {
	uint32_t call; /* name */
	bool by_user;
	bool has_outcome, outcome_applied;
	double outcome_blocks, outcome_tokens; /* NAN = absent */
	double token_count;                    /* NAN = absent */
	double time;                           /* NAN = absent */
	struct span args;                      /* SPAN_JSON, SPAN_LITERAL, or SPAN_ABSENT */
	uint32_t landed, landed_n;             /* dsh: its transactions that landed, in dsh.landed */
	uint32_t result;                       /* dsh: message of its result, index + 1; 0 = none */
};

/* decompress, rewind, keep, model, state, note: the few members that replay needs. */
struct other_record {
	uint32_t name;     /* decompress: blockId; rewind: to; keep: from; model: model. 0 = null */
	bool flag;         /* decompress: deactivate */
	struct span value; /* state: the state object; note: text */
};

/* An event of a DSH log that is no row of its surface, or lies behind a gap. Its data: recording_event_data. */
struct dsh_event_record {
	int64_t seq;    /* of its first event; -1 = it has none */
	uint32_t count; /* events it stands for: more than one where streaming chunks are packed; seq + count comes next
			 */
	uint32_t name;  /* name of its type */
	uint32_t row;   /* in dsh.log; DSH_NONE = no rule reads it */
	uint32_t record; /* index of its record */
};

/* A compaction whose replacement came, made by a compress call (dsh-rulings 20, 21). */
struct dsh_landing {
	uint32_t summary, checkpoint; /* rows of dsh.log */
};

/* What a session of host dsh has beside its records; all empty for other hosts. */
struct dsh_recording {
	int version;        /* of the log's header; -1 = it tells none, or one that is not known */
	struct dsh_log log; /* surface events and what else a rule reads, in order; ends at a gap. Own names */
	/*
	 * By message: its row in `log`, DSH_NONE = no node (its seq is missing or not ascending). Messages of one entry
	 * follow each other and share a row.
	 */
	VEC(uint32_t) row_of;
	VEC(uint32_t) message_of; /* by row: its first message, DSH_NONE = the row is no message */
	VEC(struct dsh_event_record) events;
	VEC(struct dsh_event_record) beyond; /* behind the gap, rows too: shown apart, never folded (dsh-rulings 18) */
	VEC(struct dsh_landing) landed;      /* in log order */
	double window;                       /* the last the log tells so far; 0 = none */
};

enum damage_kind {
	DAMAGE_NOT_JSON,
	DAMAGE_NOT_OBJECT,
	DAMAGE_TOO_DEEP,
	DAMAGE_TOO_LONG,
	DAMAGE_TORN,
	DAMAGE_BAD_MEMBER,
	DAMAGE_DUPLICATE_ID,
	DAMAGE_SECOND_HEADER,
	DAMAGE_BROKEN_TREE,
	DAMAGE_NOT_UTF8,      /* once a line */
	DAMAGE_GAP,           /* dsh: the usable log ends here */
	DAMAGE_UNKNOWN_EVENT, /* dsh: of a type that a host would refuse the log for */
	DAMAGE_OTHER,
	DAMAGE_KIND_COUNT
};
/* "not-json", "too-deep", .. as README lists them. */
const char *damage_kind_name(enum damage_kind k);
struct damage {
	enum damage_kind kind;
	uint64_t line, byte; /* 1-based line; offset of the fault in the file */
	const char *what;    /* one sentence, escaped, in the arena */
};

enum { DAMAGE_KEPT_MAX = 10000, NOTES_MAX = 200 };

/* An end of a session tree: what `--branch` can be given. */
struct branch_tip {
	uint32_t id;      /* name of its last entry */
	uint32_t entries; /* from the root to it */
	uint32_t own;     /* of these, those no other tip has: since the fork */
	uint32_t line;    /* of its last entry */
	uint32_t label;   /* name of the label of the nearest labelled one of `own`; 0 = none */
	double time;      /* of its last entry, Unix ms; NAN = it says none */
	struct str said;  /* the last user message of the branch, its beginning as one line; absent = it has none */
	bool active;      /* its records are those of the recording */
	bool inside;      /* chosen by --branch, though other entries follow it */
};

struct reader;
struct loader;

struct recording {
	struct arena arena;
	struct source source;
	struct names names;
	const struct reader *reader; /* who read it; reader->name is the format */
	uint32_t branch;             /* wanted leaf of a session tree (name); 0 = the reader's choice */

	/* session (recording.md, line 1) */
	struct record session;                 /* its bytes; n = 0 when the file has none */
	struct str id, host, model;            /* host: "pi", "dsh", "other" */
	double context_limit;                  /* tokens; NAN = absent */
	struct str render_tags;                /* "all" default */
	struct span config, state, host_state; /* SPAN_JSON objects, or SPAN_ABSENT */
	struct span expect;                    /* as the other three */
	double system_tokens;                  /* NAN = absent (0 assumed) */

	VEC(struct record) records;
	VEC(struct message_record) messages;
	VEC(uint32_t) by_entry; /* by name of an entry: message + 1 that carries its `host` */
	VEC(struct compress_record) compressions;
	VEC(struct turn_record) turns;
	VEC(struct other_record) others;
	struct dsh_recording dsh;
	VEC(struct damage) damages;               /* in the order found; the first DAMAGE_KEPT_MAX of them */
	uint64_t damage_count[DAMAGE_KIND_COUNT]; /* all of them */
	uint64_t lines;                           /* lines seen */
	uint64_t skipped;                         /* lines that could not be used at all */
	uint64_t not_understood; /* entries of a foreign format the reader kept out of the records; named by notes */
	VEC(struct str) notes;   /* what the reader wants to tell, escaped */
	VEC(struct branch_tip) branches; /* in the order of the file, exactly one active; none where there is no tree */

	struct loader *loader; /* while loading */
};

/* All damages, of every kind. */
uint64_t recording_damages(const struct recording *r);

/*
 * Reads enough to find the format by content; `from` forces one (NULL = by content). r is overwritten. STATUS_DATA
 * when no reader knows the file; then, as after any failure, r is empty and recording_free is allowed, not needed.
 */
enum status recording_open(struct recording *r, const char *path, const char *from, struct error *e);
/* The same, with the entry id of the leaf whose branch is wanted (--branch); NULL = the reader's choice. */
enum status recording_open_branch(struct recording *r, const char *path, const char *from, const char *branch,
				  struct error *e);
/* Reads about `budget` more bytes. False when the recording is complete (or failed: see *st, *e). */
bool recording_load_step(struct recording *r, size_t budget, enum status *st, struct error *e);
/* Share of the load done, 0..1. */
double recording_progress(const struct recording *r);
/* open + all steps. */
enum status recording_load(struct recording *r, const char *path, const char *from, struct error *e);
void recording_free(struct recording *r);

/* The record a message is from. */
static inline const struct record *recording_record(const struct recording *r, uint32_t message)
{
	return &r->records.v[r->messages.v[message].record];
}
/* Stands for every text that is not in the file any more as it was loaded (source_changed). */
#define RECORDING_CHANGED_TEXT "(the file changed on disk)"
/* The text of a span (decoded); lives as long as `a` or the recording. */
struct str recording_text(const struct recording *r, struct span s, struct arena *a);
/* The raw JSON bytes of SPAN_JSON / SPAN_LITERAL. */
struct str recording_json(const struct recording *r, struct span s, struct arena *a);
/*
 * The host's own message as JSON, verbatim: the `message` of a Pi entry, the whole entry where that is the message
 * (custom_message, branch_summary), or the member `entry` of our own format. Of the entry that message record number
 * `message` belongs to, or of the entry with this name; absent when the recording does not bring it.
 */
struct str recording_entry(const struct recording *r, uint32_t message, struct arena *a);
struct str recording_entry_named(const struct recording *r, uint32_t entry, struct arena *a);
/* The `data` of an event, verbatim: from dsh.events or dsh.beyond. Absent when it has none or the file was cut. */
struct str recording_event_data(const struct recording *r, const struct dsh_event_record *e, struct arena *a);
/*
 * Event number k of packed streaming chunks (dsh.md 1.7): its time in Unix ms, NAN where the line does not tell it.
 * Events that stand for themselves have k 0.
 */
double recording_event_time(const struct recording *r, const struct dsh_event_record *e, uint32_t k, struct arena *a);
/* struct texts over message records: message index = index in `messages`. */
struct texts recording_texts(struct recording *r);
/* FNV-1a 64 of the whole file. */
uint64_t recording_digest(const struct recording *r);

/*
 * Writes the recording in our own format: own files member for member (raw bytes of unknown members), foreign ones as
 * converted. Damaged lines are left out. STATUS_IO when the source cannot be read any more.
 */
struct recording_writer {
	void (*put)(void *ctx, const char *bytes, size_t n);
	void *ctx;
};
enum status recording_write(struct recording *r, struct recording_writer out, struct error *e);
/*
 * The same with one compress record left out, or with other arguments (a JSON value) and without its outcome, which is
 * that of the old ones; and, or, only a part of it. Its session expects nothing (`expect`): that was of the whole.
 */
struct recording_edit {
	size_t record;    /* of the call; records.n = none */
	struct str args;  /* absent: left out */
	size_t to;        /* records from here on are left out; 0 = none is */
	size_t from;      /* what changes the kernel's state before this record is left out, .. */
	struct str state; /* .. and this state (JSON) is the session's; only where from > 0 */
};
enum status recording_write_edited(struct recording *r, const struct recording_edit *edit, struct recording_writer out,
				   struct error *e);
/* The record of compress call number `call` (index into compressions); records.n when there is none. */
size_t recording_call_record(const struct recording *r, uint32_t call);

#endif
