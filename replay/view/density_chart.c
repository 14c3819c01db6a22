/* The chart of the Density view: the adopted value as a line, candidates, measures, between the two clamps. */
#include <math.h>

#include "replay/view/density.h"
#include "replay/view/words.h"

enum { DOTS = 4 /* of a braille character, downwards */ };

/* Where a sample stands: some columns of its own, or half a one, shared with others, when they do not fit. */
struct slot {
	int column, columns;
	int half; /* 0 left, 1 right, 2 both */
};

enum { SLOT_MAX = 4 /* columns a sample gets at most */ };

static struct slot slot_of(const struct density_page *p, size_t i)
{
	size_t n = p->samples, all = (size_t)p->columns;
	if (n <= all) {
		int own = (int)(all / n < SLOT_MAX ? all / n : SLOT_MAX);
		return (struct slot){(int)i * own, own, 2};
	}
	uint64_t at = (uint64_t)i * 2 * (uint64_t)all / n;
	return (struct slot){(int)(at / 2), 1, (int)(at % 2)};
}

/* Row of dots from the top, 0 .. rows * DOTS - 1; the bounds themselves are the first and the last. */
static int level_of(const struct run *r, double value)
{
	double top = r->pi.density.rules.max, range = top > PI_DENSITY_MIN ? top - PI_DENSITY_MIN : 1;
	double share = (top - value) / range;
	int last = DENSITY_CHART_ROWS * DOTS - 1;
	return !(share > 0) ? 0 : share >= 1 ? last : (int)(share * last + 0.5);
}

static struct density_cell *cell_at(const struct density_page *p, int column, int level)
{
	return &p->cells[level / DOTS * p->columns + column];
}

/* From the value before, straight up or down at the left edge, then level. */
static void put_dots(const struct density_page *p, struct slot s, int before, int level)
{
	static const uint8_t bits[2][DOTS] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
	int first = s.half == 1, from = before < level ? before : level, to = before < level ? level : before;
	for (int at = from; at <= to; at++)
		cell_at(p, s.column, at)->braille |= bits[first][at % DOTS];
	for (int x = 0; x < s.columns; x++)
		for (int half = 0; half < 2; half++)
			if (s.half == half || s.half == 2)
				cell_at(p, s.column + x, level)->braille |= bits[half][level % DOTS];
}

void density_chart_build(const struct run *r, struct arena *a, struct density_page *p)
{
	const struct pi_density_sample *v = r->pi.samples.v;
	int before = -1;
	p->columns = p->width - DENSITY_LABEL - 1;
	if (p->columns < 1)
		p->columns = 1;
	p->cells = arena_zero(a, (size_t)p->columns * DENSITY_CHART_ROWS, sizeof *p->cells);
	for (size_t i = 0; i < p->samples; i++) {
		struct slot s = slot_of(p, i);
		if (v[i].model != p->model)
			continue;
		int level = level_of(r, v[i].value);
		put_dots(p, s, before >= 0 ? before : level, level);
		before = level;
		for (int x = 0; x < s.columns && !isnan(v[i].pending); x++)
			cell_at(p, s.column + x, level_of(r, v[i].pending))->pending = 1;
		if (isnan(v[i].instant))
			continue;
		struct density_cell *cell = cell_at(p, s.column, level_of(r, v[i].instant));
		uint8_t mark = v[i].effect == PI_DENSITY_REJECTED ? DENSITY_MARK_REJECTED : DENSITY_MARK_INSTANT;
		cell->mark = mark > cell->mark ? mark : cell->mark;
	}
}

/* ---- painting ---- */

static void put_braille(struct line *out, uint8_t bits)
{
	/* U+2800 + bits */
	char text[4] = {(char)0xE2, (char)(0xA0 | bits >> 6), (char)(0x80 | (bits & 0x3F)), 0};
	line_puts(out, STYLE_CHART, text);
}

static void put_cell(const struct density_cell *cell, struct line *out)
{
	if (cell->mark == DENSITY_MARK_REJECTED)
		line_glyph(out, STYLE_WARNING, GLYPH_REJECTED);
	else if (cell->mark == DENSITY_MARK_INSTANT)
		line_glyph(out, STYLE_GOOD, GLYPH_POINT);
	else if (cell->braille != 0 && !out->ascii)
		put_braille(out, cell->braille);
	else if (cell->braille != 0)
		line_glyph(out, STYLE_CHART, GLYPH_BARRIER);
	else if (cell->pending)
		line_glyph(out, STYLE_CHART_ALT, GLYPH_BREAK);
	else
		line_puts(out, STYLE_PLAIN, " ");
}

static void put_bound(const struct density_page *p, double value, struct line *out)
{
	struct buf b = {0};
	density_put(&b, value);
	line_put_clipped(out, STYLE_DIM, buf_view(&b), DENSITY_LABEL, ALIGN_RIGHT);
	line_puts(out, STYLE_PLAIN, " ");
	line_repeat(out, STYLE_CHART_ALT, GLYPH_HLINE, p->columns);
	buf_free(&b);
}

/* Under the chart: the turns, and where the position is. */
static void put_turns(const struct view_context *c, const struct density_page *p, struct line *out)
{
	uint32_t turn = c->frame->at.turn;
	int cursor = turn > 0 && turn <= p->samples ? slot_of(p, turn - 1).column : -1;
	line_put_clipped(out, STYLE_DIM, STR("turns"), DENSITY_LABEL, ALIGN_RIGHT);
	line_puts(out, STYLE_PLAIN, " ");
	if (cursor < 0)
		return;
	line_pad_to(out, DENSITY_LABEL + 1 + cursor);
	line_glyph(out, STYLE_CURSOR, GLYPH_CURSOR);
}

void density_chart_line(const struct view_context *c, const struct density_page *p, size_t i, struct line *out)
{
	if (i == 0) {
		put_bound(p, c->run->pi.density.rules.max, out);
	} else if (i <= DENSITY_CHART_ROWS) {
		line_pad_to(out, DENSITY_LABEL + 1);
		for (int x = 0; x < p->columns; x++)
			put_cell(&p->cells[(int)(i - 1) * p->columns + x], out);
	} else if (i == DENSITY_CHART_ROWS + 1) {
		put_bound(p, PI_DENSITY_MIN, out);
	} else {
		put_turns(c, p, out);
	}
}
