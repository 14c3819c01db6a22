/*
 * layout: where everything stands on a screen of a given size.
 *
 * Pure arithmetic: screen size and what is focused in, rectangles out. From top
 * to bottom: status line, panes, timeline strip, bottom line. What does not fit
 * is left out in this order: the side pane, the strip, the status line; the last
 * thing to stay is the focused pane or, on a single row, the bottom line.
 * Rectangles never overlap and never leave the screen; an empty one has no rows.
 */
#ifndef TUI_LAYOUT_H
#define TUI_LAYOUT_H

#include <stdbool.h>

#include "tui/grid.h"

enum {
	LAYOUT_WIDE = 140,      /* columns from which the side pane stands beside the main one */
	LAYOUT_STACK_ROWS = 15, /* rows for panes from which it stands below */
	LAYOUT_THREE = 160,     /* .. and from which it is two, one above the other, with .. */
	LAYOUT_THREE_ROWS = 30, /* .. so many rows for panes */
	LAYOUT_SHIFT_MAX = 40,  /* percent that the line between the panes can be moved */
	LAYOUT_ZOOM_STEPS = 2,  /* zoom 0 = normal, 1 = the focused pane gets most, 2 = it gets everything */
};

/* One pane: a title row and what is under it. */
struct layout_pane {
	struct rect title, body;
};

struct layout {
	struct rect status, strip, bottom;
	struct layout_pane main, side, third; /* side and third are empty when they are not shown */
	struct rect divider;                  /* the column between main and the others, or empty */
};

struct layout_wish {
	int rows, cols;
	int strip_rows;    /* of the strip at its full height */
	int main_rows;     /* what the main pane has to show, its title included; 0 = it takes its share */
	bool has_side;     /* there is a side pane */
	bool has_third;    /* there is one more, where there is room for it */
	bool side_focused; /* one of them has the focus */
	bool side_hidden;  /* they are shown only while they have the focus */
	int shift;         /* percent of the room that the main pane has more than by itself; -40..40 */
	int zoom;          /* 0..LAYOUT_ZOOM_STEPS */
};

struct layout layout_of(struct layout_wish w);
/* Row and column lie in the rectangle. */
bool layout_hit(struct rect r, int row, int col);

#endif
