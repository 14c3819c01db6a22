/*
 * text (view): the only place that measures, clips and escapes session text.
 *
 * Session text is hostile. What comes out of here is safe to send to any
 * terminal, file or message, and takes the same number of columns in every
 * terminal, because whatever terminals disagree about is replaced:
 *
 *   what                                         UTF-8        --ascii
 *   printable, width agreed on                   itself       <4F60> a code point
 *   line feed, tab                               ⏎ →          \n ^I
 *   other C0, DEL, U+0000                        ␀..␟ ␡       ^@..^_ ^?
 *   C1, bidi marks, zero-width and invisible     <202E>       <202E>
 *     characters, line separators, tag characters,
 *     unpaired surrogates, private use, unassigned
 *   spaces other than U+0020 and U+3000          one blank    <00A0>
 *   combining marks                              base + at most 4, the excess is dropped; without a base: on U+25CC
 *   variation selector right after its base      dropped (further ones: <FE0F>)
 *   emoji ZWJ sequence, skin tone                the first emoji alone, 2 columns
 *   Hangul given as L V (T) jamo                 the syllable; other jamo V and T: <1161>
 *   spacing marks, regional indicators, hexagrams and other
 *     characters whose width terminals disagree about          <093F>
 *
 * A substitute in angle brackets is the code point in upper-case hex, at least
 * four digits. Nothing here allocates, except what is appended to a buf, and
 * everything reads only as much text as its result shows.
 */
#ifndef REPLAY_VIEW_TEXT_H
#define REPLAY_VIEW_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/text.h"

enum {
	TEXT_CELL_BYTES = 24,  /* longest cell: base + 4 marks of 4 bytes */
	TEXT_CELL_MARKS = 4,   /* combining marks kept on one base */
	TEXT_CLUSTER_MAX = 32, /* code points looked at for one cell; a longer cluster goes on in the next cell */
};

/* One column or two of output. A substitute such as <202E> is several cells. */
struct text_cell {
	char bytes[TEXT_CELL_BYTES]; /* printable UTF-8 (ASCII in ASCII mode), not NUL-terminated */
	uint8_t n;                   /* bytes used */
	uint8_t columns;             /* 1 or 2 */
	bool substitute;             /* stands for something that cannot be shown */
	bool more;                   /* further cells of the same substitute follow */
	size_t from, to;             /* the source bytes this cell (or the substitute it belongs to) stands for */
};

/* Walks a text cell by cell. Does not own the text. */
struct text_cursor {
	struct str s;
	size_t at; /* next source byte */
	bool ascii;
	/* a substitute being handed out */
	char rest[12];
	uint8_t rest_n, rest_at;
	size_t rest_from;
};

struct text_cursor text_start(struct str s, bool ascii);
/* The next cell, or false at the end. Reads at most TEXT_CLUSTER_MAX code points. */
bool text_next(struct text_cursor *c, struct text_cell *cell);

/* Columns of the whole text. */
int text_width(struct str s, bool ascii);
/* Columns of the text, counted only up to `limit` + 1: cheap on long texts. */
int text_width_up_to(struct str s, bool ascii, int limit);
/* The longest beginning that fits into `columns`; *used (may be NULL) gets its columns. Never splits a substitute. */
struct str text_clip(struct str s, int columns, bool ascii, int *used);
/* The column at which source byte `at` is shown (the width of the cells before it); for marking search matches. */
int text_column(struct str s, size_t at, bool ascii);

/* Appends the whole text in safe form, one line: for messages and text reports. */
void text_put_safe(struct buf *b, struct str s, bool ascii);
/* The same, but line feeds stay line feeds: for printing a whole text on standard output. */
void text_put_lines(struct buf *b, struct str s, bool ascii);

/*
 * Breaks a text into lines of at most `columns` (0 = only at line feeds). Lines
 * end at line feeds, else after the last blank, beside the last two-column
 * character or after the last substitute that fits, else between cells. A
 * substitute is not split; one wider than `columns` makes a line that is too
 * wide. The line feed, or the blank beyond the last column, that ends a line is
 * not part of it. A text that ends with a line feed has an empty last line; an
 * empty text has one empty line. `at` is all the state: keep it to resume
 * wrapping anywhere.
 */
struct text_wrap {
	struct str s;
	size_t at; /* where the next line starts; SIZE_MAX after the last */
	int columns;
	bool ascii;
};

struct text_wrap text_wrap_start(struct str s, int columns, bool ascii);
/* The source bytes of the next line, or false after the last. */
bool text_wrap_next(struct text_wrap *w, struct str *line);

#endif
