#include "tui/picture.h"

/* Of a cell, in px; the font is a little smaller than its line. */
enum { CELL_HEIGHT = 18, FONT_SIZE = 14, BASE_LINE = 14, EDGE = 8 };
#define CELL_WIDTH 8.4

static const struct {
	uint32_t fg, bg;
} papers[] = {{0xd4d4d4, 0x1b1d1e}, {0x24292e, 0xffffff}};

static bool same_look(struct look a, struct look b) { return a.fg == b.fg && a.bg == b.bg && a.attrs == b.attrs; }

static struct look look_of(const struct grid *g, const struct theme *t, int row, int col)
{
	const struct cell *c = grid_cell(g, row, col);

	return theme_look(t, c->style, c->attrs);
}

/* The end of the run of cells that begins at col and look the same. */
static int run_end(const struct grid *g, const struct theme *t, int row, int col)
{
	struct look look = look_of(g, t, row, col);
	int end = col + 1;

	while (end < g->cols && (grid_cell(g, row, end)->columns == 0 || same_look(look, look_of(g, t, row, end))))
		end++;
	return end;
}

static void put_cells(const struct grid *g, int row, int from, int to, struct buf *out)
{
	for (int col = from; col < to; col++)
		buf_bytes(out, grid_cell(g, row, col)->bytes, grid_cell(g, row, col)->n);
}

void picture_ansi(const struct grid *g, const struct theme *t, struct buf *out)
{
	struct look plain = {.fg = -1, .bg = -1};

	for (int row = 0; row < g->rows; row++) {
		struct look now = plain;

		for (int col = 0, end; col < g->cols; col = end) {
			struct look look = look_of(g, t, row, col);

			end = run_end(g, t, row, col);
			if (!same_look(look, now))
				theme_put_sgr(out, look);
			now = look;
			put_cells(g, row, col, end, out);
		}
		if (!same_look(now, plain))
			theme_put_sgr(out, plain);
		buf_char(out, '\n');
	}
}

/* ---- SVG ---- */

static uint32_t colour(int16_t number, uint32_t otherwise) { return number < 0 ? otherwise : theme_rgb(number); }

/* Half way from one colour to another. */
static uint32_t mix(uint32_t a, uint32_t b)
{
	uint32_t out = 0;

	for (int shift = 0; shift < 24; shift += 8)
		out |= (((a >> shift & 0xff) + (b >> shift & 0xff)) / 2) << shift;
	return out;
}

struct ink {
	uint32_t fg, bg;
	uint8_t attrs;
};

static struct ink ink_of(struct look look, bool light)
{
	struct ink ink = {colour(look.fg, papers[light].fg), colour(look.bg, papers[light].bg), look.attrs};

	if (look.attrs & THEME_REVERSE)
		ink = (struct ink){ink.bg, ink.fg, look.attrs};
	if (look.attrs & THEME_DIM)
		ink.fg = mix(ink.fg, ink.bg);
	return ink;
}

static double place(int col) { return EDGE + col * CELL_WIDTH; }

static void put_escaped(struct buf *out, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		switch (p[i]) {
		case '<':
			buf_text(out, "&lt;");
			break;
		case '>':
			buf_text(out, "&gt;");
			break;
		case '&':
			buf_text(out, "&amp;");
			break;
		default:
			buf_char(out, p[i]);
		}
}

static bool is_blank(const struct grid *g, int row, int col)
{
	const struct cell *c = grid_cell(g, row, col);

	return c->n == 1 && c->bytes[0] == ' ';
}

static void put_paper(const struct grid *g, const struct theme *t, int row, bool light, struct buf *out)
{
	for (int col = 0, end; col < g->cols; col = end) {
		struct ink ink = ink_of(look_of(g, t, row, col), light);

		end = run_end(g, t, row, col);
		if (ink.bg != papers[light].bg)
			buf_printf(out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#%06x\"/>\n",
				   place(col), EDGE + row * CELL_HEIGHT, (end - col) * CELL_WIDTH, (int)CELL_HEIGHT,
				   (unsigned)ink.bg);
	}
}

/* One stretch of a run without blanks at its ends: the width is told, so that the next one stands where it should. */
static void put_stretch(const struct grid *g, int row, int from, int to, struct ink ink, struct buf *out)
{
	buf_printf(out, "<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\" fill=\"#%06x\"%s%s>", place(from),
		   EDGE + row * CELL_HEIGHT + BASE_LINE, (to - from) * CELL_WIDTH, (unsigned)ink.fg,
		   ink.attrs & THEME_BOLD ? " font-weight=\"bold\"" : "",
		   ink.attrs & THEME_UNDERLINE ? " text-decoration=\"underline\"" : "");
	for (int col = from; col < to; col++)
		put_escaped(out, grid_cell(g, row, col)->bytes, grid_cell(g, row, col)->n);
	buf_text(out, "</text>\n");
}

/* Wide characters stand for themselves: fonts disagree most about them. */
static void put_run(const struct grid *g, int row, int from, int to, struct ink ink, struct buf *out)
{
	while (from < to) {
		int end = from;

		while (from < to && is_blank(g, row, from))
			from++;
		if (from >= to)
			break;
		if (grid_cell(g, row, from)->columns == 2) {
			put_stretch(g, row, from, from + 2 <= to ? from + 2 : to, ink, out);
			from += 2;
			continue;
		}
		for (end = from + 1; end < to && grid_cell(g, row, end)->columns == 1; end++)
			;
		int last = end;
		while (is_blank(g, row, last - 1))
			last--;
		put_stretch(g, row, from, last, ink, out);
		from = end;
	}
}

void picture_svg(const struct grid *g, const struct theme *t, bool light, struct buf *out)
{
	double width = 2 * EDGE + g->cols * CELL_WIDTH;
	int height = 2 * EDGE + g->rows * CELL_HEIGHT;

	buf_printf(out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%d\" viewBox=\"0 0 %.0f %d\" "
		   "font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"%dpx\" "
		   "xml:space=\"preserve\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n",
		   width, height, width, height, (int)FONT_SIZE, (unsigned)papers[light].bg);
	for (int row = 0; row < g->rows; row++) {
		put_paper(g, t, row, light, out);
		for (int col = 0, end; col < g->cols; col = end) {
			end = run_end(g, t, row, col);
			put_run(g, row, col, end, ink_of(look_of(g, t, row, col), light), out);
		}
	}
	buf_text(out, "</svg>\n");
}
