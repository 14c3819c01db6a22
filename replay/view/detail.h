/*
 * detail: what is shown of one opened line: text of any length, wrapped once.
 *
 * A frame keeps one detail a slot: the one asked for last. It is built anew
 * when another key, width or glyph set is asked for, and goes with the frame.
 * The lines point at texts in the detail's own arena.
 */
#ifndef REPLAY_VIEW_DETAIL_H
#define REPLAY_VIEW_DETAIL_H

#include "replay/view/view.h"

struct detail_line {
	struct str text;
	uint32_t message; /* message + 1 to be shown as a row of a list; 0 = the text */
	uint32_t row;     /* the same with a row of a DSH log */
	uint8_t style;    /* enum style */
	uint8_t indent;   /* columns */
};

struct detail {
	struct arena arena;
	uint64_t key;
	int width;
	bool ascii, built;
	VEC(struct detail_line) lines;
};

/* Where a view's details are kept, and who puts the lines of one; none = there is no such thing. */
struct detail_source {
	enum frame_kept slot;
	void (*build)(const struct view_context *c, uint64_t key, struct detail *d);
};

/* What view_ops asks for: how many lines the detail of this key has, and line i of it, painted. */
size_t detail_count(const struct view_context *c, const struct detail_source *source, uint64_t key);
void detail_paint(const struct view_context *c, const struct detail_source *source, uint64_t key, size_t i,
		  struct line *out);

/* An empty line. */
void detail_blank(struct detail *d);
/* An empty line, and a heading. */
void detail_title(struct detail *d, const char *title);
/* Text of any origin, wrapped; line feeds break it. `text` must live as long as d->arena, or be copied first. */
void detail_put(struct detail *d, enum style style, int indent, struct str text);
/* The same for words put together for it: copied, and the buf emptied. */
void detail_words(struct detail *d, enum style style, int indent, struct buf *words);
void detail_puts(struct detail *d, enum style style, int indent, const char *words);
/* A row of a list, by message. */
void detail_message(struct detail *d, uint32_t message);
/* The same, by row of a DSH log. */
void detail_row(struct detail *d, uint32_t row);

#endif
