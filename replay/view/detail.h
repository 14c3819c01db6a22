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

/* The detail of this key, built when it is not the one kept. `build` puts the lines; none = there is no such thing. */
struct detail *detail_of(const struct view_context *c, enum frame_kept slot, uint64_t key,
			 void (*build)(const struct view_context *c, uint64_t key, struct detail *d));

/* An empty line. */
void detail_blank(struct detail *d);
/* Text of any origin, wrapped; line feeds break it. `text` must live as long as d->arena, or be copied first. */
void detail_put(struct detail *d, enum style style, int indent, struct str text);
/* The same for words put together for it: copied, and the buf emptied. */
void detail_words(struct detail *d, enum style style, int indent, struct buf *words);
void detail_puts(struct detail *d, enum style style, int indent, const char *words);
/* A row of a list, by message. */
void detail_message(struct detail *d, uint32_t message);

/* Paints a line that is no row of a list. */
void detail_paint(const struct detail_line *line, struct line *out);

#endif
