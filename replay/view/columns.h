/*
 * columns: what the lists have in common: columns, fewer of them in a narrow
 * window, and their captions.
 *
 * A view has a table of its columns and one of their widths by the width of the
 * window. What a column needs to be painted is the view's own: it completes
 * `struct painter` for itself, nobody else looks into it.
 */
#ifndef REPLAY_VIEW_COLUMNS_H
#define REPLAY_VIEW_COLUMNS_H

#include "replay/view/view.h"

struct painter;

struct column {
	const char *name;       /* caption; where it does not fit its first word */
	const char *calibrated; /* the same when the turn's counter calibrates; NULL = no matter */
	enum align align;
	void (*put)(const struct painter *p, int width); /* exactly `width` columns */
};

enum { COLUMNS_MAX = 12 };

struct column_widths {
	int from;                   /* columns of the window */
	uint8_t width[COLUMNS_MAX]; /* 0 = the column is left out */
};

struct columns {
	const struct column *column;
	int n;
	const struct column_widths *widths; /* widest window first; the last one is from 0 */
};

/* The columns of one line, each with a blank behind it. */
void columns_put(const struct columns *t, int window, const struct painter *p, struct line *out);
/* The number of a turn, as it is typed; its label where it does not fit. */
void columns_turn(struct buf *b, uint32_t turn, int width);
/* Their captions. */
void columns_caption(const struct columns *t, const struct view_context *c, struct line *out);

#endif
