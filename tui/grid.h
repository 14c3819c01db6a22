/*
 * grid: the screen as our own cells, without any terminal.
 *
 * Panes paint lines into rectangles of a grid; tui/term shows a grid on a
 * terminal, tests and `s` dump it as text. The grid owns its cells. Nothing is
 * ever written outside the given rectangle or the grid; rectangles may be empty
 * or lie partly outside. A two-column character is a cell with columns 2
 * followed by a cell with columns 0; writing over either half blanks the other,
 * and one that does not fit into the last column becomes a blank.
 */
#ifndef TUI_GRID_H
#define TUI_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "replay/view/line.h"
#include "replay/view/text.h"

/* On top of a style. */
enum grid_attr {
	GRID_REVERSE = 1, /* selected */
	GRID_BOLD = 2,
	GRID_UNDERLINE = 4,
	GRID_DIM = 8,
};

struct cell {
	char bytes[TEXT_CELL_BYTES]; /* UTF-8 of one grapheme cluster; " " when blank */
	uint8_t n;
	uint8_t columns; /* 1, 2, or 0: right half of the cell before */
	uint8_t style;   /* enum style */
	uint8_t attrs;   /* enum grid_attr, or-ed */
};

struct rect {
	int row, col, rows, cols;
};

/* Zero-initialised = no cells; give it a size with grid_resize. */
struct grid {
	int rows, cols;
	struct cell *cells; /* row after row */
	int cursor_row, cursor_col;
	bool cursor_shown;
	bool ascii;
};

/* Rows and columns may be 0. Blanks everything and hides the cursor. */
void grid_resize(struct grid *g, int rows, int cols);
void grid_free(struct grid *g);
/* Blanks everything, hides the cursor. */
void grid_clear(struct grid *g);
struct rect grid_all(const struct grid *g);
/* The part of r inside the grid. */
struct rect grid_clip(const struct grid *g, struct rect r);
/* NULL outside the grid. */
const struct cell *grid_cell(const struct grid *g, int row, int col);

/* Blanks of a style. */
void grid_fill(struct grid *g, struct rect r, enum style style);
/* A line into the first row of r; what is right of it becomes blanks of line->fill, down to the last column of r. */
void grid_put_line(struct grid *g, struct rect r, const struct line *l);
/* Text of any origin at the start of r's first row; returns the columns used. Cells right of it stay. */
int grid_put(struct grid *g, struct rect r, enum style style, struct str s);
/* The first row of r (the first column for _down) filled with a glyph. */
void grid_rule(struct grid *g, struct rect r, enum style style, enum glyph which);
void grid_rule_down(struct grid *g, struct rect r, enum style style, enum glyph which);
/* A frame along the inner edge of r, from 2x2 up; returns what is inside. */
struct rect grid_box(struct grid *g, struct rect r, enum style style);
/* Adds attributes to all cells of r (both halves of a two-column character at its edge). */
void grid_mark(struct grid *g, struct rect r, enum grid_attr attrs);
void grid_set_cursor(struct grid *g, int row, int col);

/* The rows as text, without trailing blanks, each ended by a line feed. */
void grid_text(const struct grid *g, struct buf *out);
/* grid_text, each row followed by its runs that are not plain: `\t12-17 ref bold`, columns from 0. */
void grid_dump(const struct grid *g, struct buf *out);

#endif
