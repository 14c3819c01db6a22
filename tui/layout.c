#include "tui/layout.h"

enum {
	STATUS_FROM = 2,     /* screen rows from which there is a status line */
	STRIP_FROM = 16,     /* from which the strip has its full height */
	STRIP_ONE_FROM = 10, /* from which it has one row */
	SIDE_COLS_MIN = 56,
	SHARE_MIN = 10,    /* percent that any pane has at least */
	MAIN_ROWS_MIN = 5, /* of the main pane above another one */
};

static struct rect rows_of(struct rect *left, int rows, bool at_end)
{
	struct rect r = {at_end ? left->row + left->rows - rows : left->row, left->col, rows, left->cols};

	left->rows -= rows;
	if (!at_end)
		left->row += rows;
	return r;
}

static struct layout_pane pane_of(struct rect r)
{
	struct layout_pane p = {0};

	if (r.rows == 0 || r.cols == 0)
		return p;
	/* a pane of one row shows a line of its list rather than its title */
	if (r.rows > 1)
		p.title = rows_of(&r, 1, false);
	p.body = r;
	return p;
}

/* Share of the side pane, of `all` rows or columns, in percent. */
static int side_share(const struct layout_wish *w, int normal)
{
	int share = normal - w->shift;

	if (w->zoom > 0)
		return w->side_focused ? 75 : 25;
	return share < SHARE_MIN ? SHARE_MIN : share > 100 - SHARE_MIN ? 100 - SHARE_MIN : share;
}

static void place_beside(struct layout *l, struct rect area, const struct layout_wish *w)
{
	int cols = area.cols * side_share(w, 40) / 100;
	struct rect main_part = area, side = area;

	if (cols < SIDE_COLS_MIN && w->zoom == 0 && w->shift == 0)
		cols = SIDE_COLS_MIN;
	side.cols = cols;
	side.col = area.col + area.cols - cols;
	main_part.cols = area.cols - cols - 1;
	l->divider = (struct rect){area.row, side.col - 1, area.rows, 1};
	l->main = pane_of(main_part);
	if (w->has_third && w->cols >= LAYOUT_THREE && area.rows >= LAYOUT_THREE_ROWS)
		l->third = pane_of(rows_of(&side, side.rows / 2, true));
	l->side = pane_of(side);
}

static void place_below(struct layout *l, struct rect area, const struct layout_wish *w)
{
	int rows = area.rows * side_share(w, 30) / 100;
	int wanted = w->main_rows > MAIN_ROWS_MIN ? w->main_rows : MAIN_ROWS_MIN;
	struct rect side;

	/* what the main pane would leave empty, unless it was made large on purpose */
	if ((w->zoom == 0 || w->side_focused) && w->shift == 0 && w->main_rows > 0 && area.rows - wanted > rows)
		rows = area.rows - wanted;
	side = rows_of(&area, rows, true);
	l->main = pane_of(area);
	l->side = pane_of(side);
}

struct layout layout_of(struct layout_wish w)
{
	struct layout l = {0};
	struct rect area = {0, 0, w.rows > 0 ? w.rows : 0, w.cols > 0 ? w.cols : 0};
	int strip = area.rows >= STRIP_FROM ? w.strip_rows : area.rows >= STRIP_ONE_FROM ? 1 : 0;

	if (area.rows == 0 || area.cols == 0)
		return l;
	if (area.rows >= STATUS_FROM)
		l.status = rows_of(&area, 1, false);
	l.bottom = rows_of(&area, 1, true);
	l.strip = rows_of(&area, strip, true);
	bool together = w.has_side && w.zoom < LAYOUT_ZOOM_STEPS && !(w.side_hidden && !w.side_focused);
	if (together && area.cols >= LAYOUT_WIDE)
		place_beside(&l, area, &w);
	else if (together && area.rows >= LAYOUT_STACK_ROWS)
		place_below(&l, area, &w);
	else if (w.has_side && w.side_focused)
		l.side = pane_of(area);
	else
		l.main = pane_of(area);
	return l;
}

bool layout_hit(struct rect r, int row, int col)
{
	return row >= r.row && row < r.row + r.rows && col >= r.col && col < r.col + r.cols;
}
