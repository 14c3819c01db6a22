/*
 * reader: the interface of a file format (one file each in this folder), and
 * the table of all of them. To add one: write a file with a `const struct
 * reader`, and name it in readers.c.
 *
 * The loader (recording.c) finds lines, scans them and reports what is no JSON
 * object; a reader sees objects only. What a reader keeps while loading hangs
 * on loader->own and goes away in `end`.
 */
#ifndef REPLAY_READERS_READER_H
#define REPLAY_READERS_READER_H

#include "engine/base/buf.h"
#include "engine/base/json.h"
#include "replay/readers/sniff.h"
#include "replay/recording.h"
#include "replay/unpack.h"

struct reader {
	const char *name;  /* "acps", "pi", "dsh" */
	const char *title; /* "acpdbg recording", "Pi session" */
	bool foreign;      /* not our own format: written out, its notes become note records */
	/* How sure this reader is that the file is its own: 0 no .. 100. */
	int (*sniff)(const struct sniff *s);
	/* Per load: state in loader->own. */
	void (*begin)(struct recording *r);
	/* One line that is a JSON object; `scan` is of line->p. */
	void (*line)(struct recording *r, const struct source_line *line, struct json_scan *scan);
	/* After the last line; about `budget` bytes of work; false when done or failed. May be NULL. */
	bool (*finish)(struct recording *r, size_t budget);
	/* Frees loader->own; called once after begin, whatever happened. */
	void (*end)(struct recording *r);
	/* Our own format's line for record number i without LF, appended to b; scratch is emptied by the caller. */
	void (*write)(struct recording *r, size_t i, struct arena *scratch, struct buf *b);
	/* The session line without LF. */
	void (*write_session)(struct recording *r, struct arena *scratch, struct buf *b);
};

struct loader {
	struct unpack unpack; /* of a compressed source */
	bool unpacking;       /* there is more to unpack; lines are read when there is not */
	struct line_walker walker;
	struct json_scan scan;
	struct arena scratch; /* emptied after every line and every step of finish */
	void *own;            /* the reader's */
	VEC(uint8_t) row_ids; /* by name: SEEN_* */
	uint64_t objects;     /* lines that were objects */
	bool begun, finishing;
	double finish_progress; /* 0..1, set by readers that finish in steps */
	enum status status;     /* set by recording_fail: the load stops */
	struct error error;
};

extern const struct reader *const readers[]; /* ends with NULL */
/* The reader with this name, or NULL. */
const struct reader *reader_find(const char *name);

/* A source that is compressed is replaced by the unpacked one, far enough to see what it is (recording_unpack.c). */
enum status recording_begin_unpacking(struct recording *r, struct error *e);
/* Unpacks more and says what there is to say at the end. False when all is unpacked, or when it failed. */
bool recording_unpack(struct recording *r, size_t budget, enum status *st, struct error *e);

/* Adds a record of a row; sets message.summary_id, and reports an id that was there before (once an id). */
void recording_add_row(struct recording *r, struct record rec, struct message_record m);

void recording_damage(struct recording *r, enum damage_kind kind, uint64_t line, uint64_t byte, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* A note for the user; escaped by the caller where it quotes the file. At most NOTES_MAX are kept. */
void recording_note(struct recording *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The file cannot be used: the load ends with this status. line 0 = no place. */
void recording_fail(struct recording *r, enum status st, uint64_t line, uint64_t byte, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/*
 * A piece of the file as it may be shown: safe UTF-8, at most some 60 columns (who prints to a place without UTF-8
 * puts the whole message through text_put_safe once more). Lives in the scratch arena.
 */
const char *recording_quote(struct arena *scratch, struct str s);

/* Members of a usage, in the order readers pick them. */
enum {
	USAGE_INPUT,
	USAGE_OUTPUT,
	USAGE_CACHE_READ,
	USAGE_CACHE_WRITE,
	USAGE_TOTAL,
	USAGE_COUNTS,
	USAGE_COST = USAGE_COUNTS,
	USAGE_MEMBERS
};
extern const struct str recording_usage_names[USAGE_MEMBERS];
/*
 * A usage out of its members, spans of s, which lies at `at` in the file (pi.md 1.8, ruling 3). Numbers below 0 or
 * beyond all numbers are reported and not used. A prompt of size 0, or with a part that cannot be used, is not known:
 * input, cache_read and cache_write are NAN then.
 */
struct usage recording_usage(struct recording *r, const char *s, const struct json_span *members, uint64_t line,
			     uint64_t at);
/* Is this stop reason (a name) one of an answer that failed: error or aborted (pi.md 1.10.2)? */
bool recording_failed(const struct recording *r, uint32_t stop_reason);
/* Length and traits of a string literal, without decoding it where that can be avoided. */
struct face recording_face(const char *s, struct json_span literal, struct arena *scratch);
/* Where a value of a line lies: SPAN_LITERAL for strings, else SPAN_JSON; kind 0 and n 0 = SPAN_ABSENT. */
struct span recording_span(const struct source_line *line, struct json_span value);
/* The record's own bytes, read from the source. */
struct str recording_bytes(const struct recording *r, const struct record *rec, struct arena *scratch);
/* Appends the object of a record, member for member. False when the source does not hold it any more. */
bool recording_put_record(const struct recording *r, const struct record *rec, struct arena *scratch, struct buf *b);
/* JSON bytes (scanned before) without the white space between tokens; nothing else changes. */
void recording_put_raw(struct buf *b, struct str json);

#endif
