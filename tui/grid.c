#include "tui/grid.h"

#include <stdlib.h>
#include <string.h>

enum { GRID_MAX = 4096 }; /* rows and columns; no terminal is larger */

static const struct cell blank_cell = {.bytes = " ", .n = 1, .columns = 1, .style = STYLE_PLAIN};

static struct cell *at(struct grid *g, int row, int col)
{
	return &g->cells[(size_t)row * (size_t)g->cols + (size_t)col];
}

static int between(int low, int x, int high)
{
	if (x < low)
		return low;
	return x > high ? high : x;
}

void grid_clear(struct grid *g)
{
	size_t n = (size_t)g->rows * (size_t)g->cols;

	for (size_t i = 0; i < n; i++)
		g->cells[i] = blank_cell;
	g->cursor_shown = false;
	g->cursor_row = g->cursor_col = 0;
}

void grid_resize(struct grid *g, int rows, int cols)
{
	g->rows = between(0, rows, GRID_MAX);
	g->cols = between(0, cols, GRID_MAX);
	g->cells = mem_resize(g->cells, (size_t)g->rows * (size_t)g->cols + 1, sizeof *g->cells);
	grid_clear(g);
}

void grid_free(struct grid *g)
{
	free(g->cells);
	*g = (struct grid){.ascii = g->ascii};
}

struct rect grid_all(const struct grid *g) { return (struct rect){0, 0, g->rows, g->cols}; }

struct rect grid_clip(const struct grid *g, struct rect r)
{
	int row = between(0, r.row, g->rows), col = between(0, r.col, g->cols);
	/* in 64 bits: rectangles may be absurd */
	int64_t row_end = (int64_t)r.row + r.rows, col_end = (int64_t)r.col + r.cols;
	int rows = (int)(row_end < g->rows ? row_end : g->rows) - row;
	int cols = (int)(col_end < g->cols ? col_end : g->cols) - col;

	if (r.rows <= 0 || r.cols <= 0 || row_end <= row || col_end <= col)
		return (struct rect){row, col, 0, 0};
	return (struct rect){row, col, rows, cols};
}

const struct cell *grid_cell(const struct grid *g, int row, int col)
{
	if (row < 0 || col < 0 || row >= g->rows || col >= g->cols)
		return NULL;
	return &g->cells[(size_t)row * (size_t)g->cols + (size_t)col];
}

/* Keeps its colours, loses its character. */
static void blank(struct cell *c)
{
	c->bytes[0] = ' ';
	c->n = c->columns = 1;
}

/* Before cells [col, col + columns) are written: blanks the halves that would be left over outside of them. */
static void release(struct grid *g, int row, int col, int columns)
{
	int end = col + columns;

	if (col > 0 && at(g, row, col)->columns == 0)
		blank(at(g, row, col - 1));
	if (end < g->cols && at(g, row, end)->columns == 0)
		blank(at(g, row, end));
}

static void set(struct grid *g, int row, int col, const struct text_cell *c, enum style style)
{
	struct cell *cell = at(g, row, col);

	release(g, row, col, c->columns);
	*cell = (struct cell){.n = c->n, .columns = c->columns, .style = (uint8_t)style};
	memcpy(cell->bytes, c->bytes, c->n);
	if (c->columns == 2)
		*at(g, row, col + 1) = (struct cell){.bytes = "", .n = 0, .columns = 0, .style = (uint8_t)style};
}

static void set_blanks(struct grid *g, int row, int col, int end, enum style style)
{
	static const struct text_cell space = {.bytes = " ", .n = 1, .columns = 1};

	for (; col < end; col++)
		set(g, row, col, &space, style);
}

void grid_fill(struct grid *g, struct rect r, enum style style)
{
	r = grid_clip(g, r);
	for (int row = r.row; row < r.row + r.rows; row++)
		set_blanks(g, row, r.col, r.col + r.cols, style);
}

/*
 * Puts text at *col, which may lie left of `from`: what is left of it is not
 * shown, and of a character of which only a half is inside, that half is blank.
 * Moves *col; stops at `end`.
 */
static void put_text(struct grid *g, int row, int *col, int from, int end, enum style style, struct str s)
{
	struct text_cursor c = text_start(s, g->ascii);
	struct text_cell cell;

	while (*col < end && text_next(&c, &cell)) {
		int next = *col + cell.columns;

		if (*col >= from && next <= end)
			set(g, row, *col, &cell, style);
		else
			set_blanks(g, row, between(from, *col, end), between(from, next, end), style);
		*col = between(*col, next, end);
	}
}

void grid_put_line(struct grid *g, struct rect r, const struct line *l)
{
	struct rect in = grid_clip(g, r);
	int col = r.col, end = in.col + in.cols;

	/* the first row of r itself must be inside */
	if (in.rows == 0 || in.row != r.row || r.col < -GRID_MAX)
		return;
	for (size_t i = 0; i < l->segments.n && col < end; i++) {
		const struct segment *s = &l->segments.v[i];

		put_text(g, in.row, &col, in.col, end, (enum style)s->style, line_text(l, s));
	}
	set_blanks(g, in.row, between(in.col, col, end), end, (enum style)l->fill);
}

int grid_put(struct grid *g, struct rect r, enum style style, struct str s)
{
	struct rect in = grid_clip(g, r);
	int col = r.col;

	if (in.rows == 0 || in.row != r.row || r.col < -GRID_MAX)
		return 0;
	put_text(g, in.row, &col, in.col, in.col + in.cols, style, s);
	return col - r.col;
}

static void rule(struct grid *g, struct rect r, enum style style, enum glyph which)
{
	const char *bytes = glyph(which, g->ascii);
	struct text_cell cell = {.columns = 1, .n = (uint8_t)strlen(bytes)};

	memcpy(cell.bytes, bytes, cell.n);
	r = grid_clip(g, r);
	for (int row = r.row; row < r.row + r.rows; row++)
		for (int col = r.col; col < r.col + r.cols; col++)
			set(g, row, col, &cell, style);
}

void grid_rule(struct grid *g, struct rect r, enum style style, enum glyph which)
{
	if (r.rows > 0)
		rule(g, (struct rect){r.row, r.col, 1, r.cols}, style, which);
}

void grid_rule_down(struct grid *g, struct rect r, enum style style, enum glyph which)
{
	if (r.cols > 0)
		rule(g, (struct rect){r.row, r.col, r.rows, 1}, style, which);
}

struct rect grid_box(struct grid *g, struct rect r, enum style style)
{
	int bottom, right;

	r = grid_clip(g, r);
	if (r.rows < 2 || r.cols < 2)
		return (struct rect){r.row, r.col, 0, 0};
	bottom = r.row + r.rows - 1;
	right = r.col + r.cols - 1;
	rule(g, (struct rect){r.row, r.col, 1, r.cols}, style, GLYPH_HLINE);
	rule(g, (struct rect){bottom, r.col, 1, r.cols}, style, GLYPH_HLINE);
	rule(g, (struct rect){r.row, r.col, r.rows, 1}, style, GLYPH_VLINE);
	rule(g, (struct rect){r.row, right, r.rows, 1}, style, GLYPH_VLINE);
	rule(g, (struct rect){r.row, r.col, 1, 1}, style, GLYPH_CORNER_TOP_LEFT);
	rule(g, (struct rect){r.row, right, 1, 1}, style, GLYPH_CORNER_TOP_RIGHT);
	rule(g, (struct rect){bottom, r.col, 1, 1}, style, GLYPH_CORNER_BOTTOM_LEFT);
	rule(g, (struct rect){bottom, right, 1, 1}, style, GLYPH_CORNER_BOTTOM_RIGHT);
	return (struct rect){r.row + 1, r.col + 1, r.rows - 2, r.cols - 2};
}

void grid_mark(struct grid *g, struct rect r, enum grid_attr attrs)
{
	r = grid_clip(g, r);
	for (int row = r.row; r.cols > 0 && row < r.row + r.rows; row++) {
		int col = r.col, end = r.col + r.cols;

		if (col > 0 && at(g, row, col)->columns == 0)
			col--;
		if (end < g->cols && at(g, row, end)->columns == 0)
			end++;
		for (; col < end; col++)
			at(g, row, col)->attrs = (uint8_t)(at(g, row, col)->attrs | (uint8_t)attrs);
	}
}

void grid_set_cursor(struct grid *g, int row, int col)
{
	if (g->rows == 0 || g->cols == 0)
		return;
	g->cursor_row = between(0, row, g->rows - 1);
	g->cursor_col = between(0, col, g->cols - 1);
	g->cursor_shown = true;
}

static void put_row(const struct grid *g, int row, struct buf *out)
{
	size_t start = out->n, n;

	for (int col = 0; col < g->cols; col++) {
		const struct cell *c = grid_cell(g, row, col);

		buf_bytes(out, c->bytes, c->n);
	}
	for (n = out->n; n > start && out->p[n - 1] == ' ';)
		n--;
	buf_cut(out, n);
	buf_char(out, '\n');
}

void grid_text(const struct grid *g, struct buf *out)
{
	for (int row = 0; row < g->rows; row++)
		put_row(g, row, out);
}

static void put_run(struct buf *out, const struct cell *c, int from, int to)
{
	static const struct {
		enum grid_attr attr;
		const char *name;
	} names[] = {
		{GRID_REVERSE, " reverse"}, {GRID_BOLD, " bold"}, {GRID_UNDERLINE, " underline"}, {GRID_DIM, " dim"}};

	if (c->style == STYLE_PLAIN && c->attrs == 0)
		return;
	buf_printf(out, "\t%d-%d %s", from, to, style_name((enum style)c->style));
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (c->attrs & names[i].attr)
			buf_text(out, names[i].name);
	buf_char(out, '\n');
}

void grid_dump(const struct grid *g, struct buf *out)
{
	for (int row = 0; row < g->rows; row++) {
		int from = 0;

		put_row(g, row, out);
		for (int col = 1; col <= g->cols; col++) {
			const struct cell *run = grid_cell(g, row, from), *c = grid_cell(g, row, col);

			if (c && c->style == run->style && c->attrs == run->attrs)
				continue;
			put_run(out, run, from, col - 1);
			from = col;
		}
	}
}
