/*
 * picker: the list of sessions as lines, for the screen and for `acpdbg`
 * without a terminal.
 *
 * Lines are numbered from 0 and made when they are asked for; only then is the
 * beginning of a session's file read. Headings and notes have key 0 and cannot
 * be selected. A picker borrows its sessions, which must have been sorted. The
 * time now is given: ages are words of local time (TZ), and nothing here reads a
 * clock.
 */
#ifndef REPLAY_VIEW_PICKER_H
#define REPLAY_VIEW_PICKER_H

#include "replay/sessions.h"
#include "replay/view/line.h"

struct picker_item; /* what a line shows */

struct picker {
	struct sessions *sessions;
	int64_t now; /* Unix seconds */
	VEC(struct picker_item) items;
};

/* At most `max` sessions are listed, 0 = all; a line says how many more there are. p is overwritten. */
void picker_init(struct picker *p, struct sessions *sessions, int64_t now, size_t max);
void picker_free(struct picker *p);

size_t picker_count(const struct picker *p);
/*
 * Line i in `width` columns, 0 = no limit: then the path is at its end. out->ascii is kept. Reads the file's beginning
 * when the session is shown for the first time.
 */
void picker_line(const struct picker *p, size_t i, int width, struct line *out);
/* Column captions. */
void picker_caption(const struct picker *p, int width, struct line *out);
/* Stays the same when the sessions are scanned again; 0 = not selectable. */
uint64_t picker_key(const struct picker *p, size_t i);
/* The line with this key, else the first selectable line, else SIZE_MAX. */
size_t picker_find(const struct picker *p, uint64_t key);
/* From line i so many selectable lines down (or up), as far as there are any; i when there is none. */
size_t picker_move(const struct picker *p, size_t i, long by);
/* The path a line stands for, to be opened; NULL for headings and notes. */
const char *picker_path(const struct picker *p, size_t i);
/* One line about the session: exact local time, bytes, format, working directory, path; empty for headings and notes.
 */
void picker_about(const struct picker *p, size_t i, int width, struct line *out);

/* Caption and lines as text, trailing blanks cut. */
void picker_print(const struct picker *p, int width, bool ascii, struct buf *b);

/*
 * "now" (less than a minute), "3 min", "5 h" (the same day), "yesterday", "12 days", "3 months", "2 years"; "future"
 * when `time` is a minute or more ahead. Days are days of the calendar.
 */
void picker_put_age(struct buf *b, int64_t time, int64_t now);
/* "999 B", "45 kB", "2.4 MB": bytes in powers of 1000. */
void picker_put_size(struct buf *b, uint64_t bytes);

#endif
