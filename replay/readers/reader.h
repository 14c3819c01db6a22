/*
 * reader: the interface of a file format (one file each in this folder), and
 * the table of all of them. To add one: write a file with a `const struct
 * reader`, and name it in readers.c.
 */
#ifndef REPLAY_READERS_READER_H
#define REPLAY_READERS_READER_H

#include "engine/base/json.h"
#include "replay/recording.h"

struct reader {
	const char *name;   /* "acps", "pi" */
	const char *title;  /* "acpdbg recording", "Pi session" */
	/* How sure this reader is, from the first bytes of the file: 0 no .. 100. `whole`: the head is the whole file. */
	int (*sniff)(struct str head, bool whole);
	/* Per load: state in loader->own. */
	void (*begin)(struct recording *r);
	/* One line, not blank; scanned already when it was valid JSON. */
	void (*line)(struct recording *r, const struct source_line *line, struct json_scan *scan);
	/* After the last line; about `budget` bytes of work; false when done. May be NULL. */
	bool (*finish)(struct recording *r, size_t budget, enum status *st, struct error *e);
	void (*end)(struct recording *r);
	/* Our own format's line(s) for record number i, appended to b; scratch is emptied by the caller. */
	void (*write)(struct recording *r, size_t i, struct arena *scratch, struct buf *b);
	/* The session line. */
	void (*write_session)(struct recording *r, struct arena *scratch, struct buf *b);
};

struct loader {
	struct line_walker walker;
	struct json_scan scan;
	struct arena scratch;  /* emptied after every line */
	void *own;             /* the reader's */
	bool finishing;
	double finish_progress; /* 0..1, set by readers that finish in steps */
};

extern const struct reader *const readers[]; /* ends with NULL */

void recording_damage(struct recording *r, enum damage_kind kind, uint64_t line, uint64_t byte, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* A note for the user; escaped by the caller where it quotes the file. */
void recording_note(struct recording *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
