#include "tui/panes.h"

#include <stdio.h>

enum {
	CAPTION_FROM = 4,   /* rows of a body from which it has its caption */
	OPENED_FROM = 3,    /* from which an opened line stands above its detail */
	RULE_FROM = 6,      /* from which a rule stands between them */
	FILTER_LEAVES = 14, /* columns of a title for what is not the filter's pattern */
	MARK_WORK = 60000   /* for marking the matches of a window; what is dearer stays unmarked */
};

void pane_init(struct pane *p, enum pane_id id)
{
	*p = (struct pane){.id = id, .view = view_named(str_of(pane_kinds[id].name)), .tail = pane_kinds[id].tail};
}

/* ---- lines: those of the view, or the ones of them that a filter leaves ---- */

size_t pane_count(const struct pane *p, const struct view_context *c)
{
	return !p->view ? 0 : p->only ? p->only->lines.n : p->view->count(c);
}

size_t pane_view_line(const struct pane *p, size_t i) { return p->only ? p->only->lines.v[i] : i; }

static uint64_t key_of(const struct pane *p, const struct view_context *c, size_t i)
{
	return p->view->key(c, pane_view_line(p, i));
}

static bool is_changed(const struct pane *p, const struct view_context *c, size_t i)
{
	return p->view->changed(c, pane_view_line(p, i));
}

/* The pane's line that is line i of the view, SIZE_MAX when the filter leaves it out. */
static size_t from_view(const struct pane *p, size_t i)
{
	size_t lo = 0, hi = p->only ? p->only->lines.n : 0;

	if (!p->only)
		return i;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->only->lines.v[mid] < i)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->only->lines.n && p->only->lines.v[lo] == i ? lo : SIZE_MAX;
}

/* ---- selection ---- */

static bool selectable(const struct pane *p, const struct view_context *c, size_t i) { return key_of(p, c, i) != 0; }

/* The line with a key, looked for outward from where it was; n when it is not there. */
static size_t find_key(const struct pane *p, const struct view_context *c, size_t n, uint64_t key)
{
	size_t start = p->at < n ? p->at : n - 1;

	for (size_t d = 0; key != 0 && d < n; d++) {
		if (d <= start && key_of(p, c, start - d) == key)
			return start - d;
		if (start + d < n && key_of(p, c, start + d) == key)
			return start + d;
	}
	return n;
}

/* The selectable line nearest to i, first in one direction, then in the other; i when there is none. */
static size_t near_selectable(const struct pane *p, const struct view_context *c, size_t n, size_t i, bool down)
{
	for (int turn = 0; turn < 2; turn++, down = !down) {
		if (down) {
			for (size_t k = i; k < n; k++)
				if (selectable(p, c, k))
					return k;
		} else {
			for (size_t k = i + 1; k-- > 0;)
				if (selectable(p, c, k))
					return k;
		}
	}
	return i;
}

/* No selectable line beyond this one in that direction. */
static bool is_end(const struct pane *p, const struct view_context *c, size_t n, size_t i, bool down)
{
	if (down) {
		while (++i < n)
			if (selectable(p, c, i))
				return false;
		return true;
	}
	while (i-- > 0)
		if (selectable(p, c, i))
			return false;
	return true;
}

static size_t clamp_top(size_t top, size_t n, size_t height)
{
	if (n <= height)
		return 0;
	return top > n - height ? n - height : top;
}

/* Brings the selected line into the window, together with captions and rules before the first and after the last. */
static void show_selected(struct pane *p, const struct view_context *c, size_t n)
{
	if (p->height == 0) {
		p->top = p->at;
		return;
	}
	if (p->at < p->height && is_end(p, c, n, p->at, false))
		p->top = 0;
	else if (n - p->at <= p->height && is_end(p, c, n, p->at, true))
		p->top = n;
	else if (p->at < p->top)
		p->top = p->at;
	else if (p->at >= p->top + p->height)
		p->top = p->at - p->height + 1;
	p->top = clamp_top(p->top, n, p->height);
}

/* The first line that the node of the position changed, when none of those is in the window. */
static void show_changed(struct pane *p, const struct view_context *c, size_t n)
{
	size_t first = 0;

	if (!p->follow || !p->view->changed || p->height == 0)
		return;
	for (size_t i = p->top; i < n && i - p->top < p->height; i++)
		if (is_changed(p, c, i))
			return;
	while (first < n && !is_changed(p, c, first))
		first++;
	/* with a line of what stands before it */
	if (first < n)
		p->top = clamp_top(first > 0 && p->height > 1 ? first - 1 : first, n, p->height);
}

static size_t detail_lines(const struct pane *p, const struct view_context *c)
{
	if (!p->view->detail_count || p->key == 0 || p->key != p->wanted)
		return 0;
	return p->view->detail_count(c, p->key);
}

static void choose(struct pane *p, const struct view_context *c, size_t n, size_t i)
{
	p->at = i;
	p->key = p->wanted = key_of(p, c, i);
	p->tail = pane_kinds[p->id].tail && is_end(p, c, n, i, true);
}

/* Another line stands for the position: it is what the user wants to see now. */
static void follow_position(struct pane *p, const struct view_context *c)
{
	size_t line = p->view->here ? p->view->here(c) : SIZE_MAX, i = line != SIZE_MAX ? from_view(p, line) : line;
	uint64_t here = i != SIZE_MAX ? key_of(p, c, i) : 0;

	if (here != 0 && here != p->here && !p->open) {
		p->wanted = here;
		p->at = i;
	}
	p->here = here;
}

void pane_settle(struct pane *p, const struct view_context *c, size_t height)
{
	size_t n = pane_count(p, c), found;

	p->height = height;
	if (n == 0) {
		p->at = p->top = p->detail_top = 0;
		p->key = 0;
		return;
	}
	follow_position(p, c);
	found = find_key(p, c, n, p->wanted);
	if (p->tail && !p->open) {
		choose(p, c, n, near_selectable(p, c, n, n - 1, false));
	} else {
		p->at = found < n ? found : near_selectable(p, c, n, p->at < n ? p->at : n - 1, true);
		p->key = key_of(p, c, p->at);
		if (p->wanted == 0)
			p->wanted = p->key;
	}
	if (p->open) {
		p->detail_top = clamp_top(p->detail_top, detail_lines(p, c), height);
	} else {
		show_selected(p, c, n);
		show_changed(p, c, n);
	}
}

/* ---- moving ---- */

/* x moved, kept within 0..end. */
static size_t moved(size_t x, long by, size_t end)
{
	size_t distance = by < 0 ? (size_t)0 - (size_t)by : (size_t)by;

	if (by < 0)
		return distance > x ? 0 : x - distance;
	return distance > end || x > end - distance ? end : x + distance;
}

static bool scroll_detail(struct pane *p, const struct view_context *c, long by)
{
	size_t n = detail_lines(p, c), before = p->detail_top;

	p->detail_top = clamp_top(moved(before, by, n), n, p->height);
	return p->detail_top != before;
}

bool pane_move(struct pane *p, const struct view_context *c, long by)
{
	size_t n = pane_count(p, c), before = p->at, i = p->at, last = p->at;
	long left = by < 0 ? -by : by;

	p->follow = false;
	if (n == 0)
		return false;
	if (p->open)
		return scroll_detail(p, c, by);
	if (p->key == 0) {
		size_t top = p->top;

		pane_scroll(p, c, by);
		return p->top != top;
	}
	while (left > 0 && (by > 0 ? i + 1 < n : i > 0)) {
		i = by > 0 ? i + 1 : i - 1;
		if (!selectable(p, c, i))
			continue;
		last = i;
		left--;
	}
	choose(p, c, n, last);
	show_selected(p, c, n);
	return last != before;
}

size_t pane_page(const struct pane *p) { return p->height > 1 ? p->height : 1; }

void pane_to_line(struct pane *p, const struct view_context *c, size_t i)
{
	size_t n = pane_count(p, c);

	p->follow = false;
	if (n == 0)
		return;
	if (p->open) {
		p->detail_top = clamp_top(i, detail_lines(p, c), p->height);
		return;
	}
	if (i >= n)
		i = n - 1;
	choose(p, c, n, near_selectable(p, c, n, i, i < n - 1));
	p->top = p->key == 0 ? clamp_top(i, n, p->height) : p->top;
	show_selected(p, c, n);
}

void pane_to_last(struct pane *p, const struct view_context *c) { pane_to_line(p, c, SIZE_MAX); }

size_t pane_lines(const struct pane *p, const struct view_context *c)
{
	return p->open ? detail_lines(p, c) : pane_count(p, c);
}

/* The window on a list without a selection, or around line i of one. */
static void bring_into_window(struct pane *p, size_t n, size_t i)
{
	if (i < p->top)
		p->top = i;
	else if (p->height > 0 && i >= p->top + p->height)
		p->top = i - p->height + 1;
	p->top = clamp_top(p->top, n, p->height);
}

void pane_show(struct pane *p, const struct view_context *c, size_t i)
{
	size_t n = pane_lines(p, c);

	p->follow = false;
	if (i >= n)
		return;
	if (p->open) {
		if (i < p->detail_top || i >= p->detail_top + p->height)
			p->detail_top = clamp_top(i > p->height / 3 ? i - p->height / 3 : 0, n, p->height);
		return;
	}
	choose(p, c, n, near_selectable(p, c, n, i, i < n - 1));
	if (p->key != 0)
		show_selected(p, c, n);
	bring_into_window(p, n, i);
}

void pane_scroll(struct pane *p, const struct view_context *c, long by)
{
	size_t n = pane_count(p, c), i;

	p->follow = false;
	if (n == 0)
		return;
	if (p->open) {
		scroll_detail(p, c, by);
		return;
	}
	p->top = clamp_top(moved(p->top, by, n), n, p->height);
	i = p->at;
	if (i < p->top)
		i = p->top;
	else if (p->height > 0 && i >= p->top + p->height)
		i = p->top + p->height - 1;
	else
		return;
	choose(p, c, n, near_selectable(p, c, n, i, by > 0));
	if (p->key != 0)
		show_selected(p, c, n);
}

bool pane_toggle(struct pane *p, const struct view_context *c)
{
	if (p->open) {
		p->open = false;
		return true;
	}
	if (!p->view || detail_lines(p, c) == 0)
		return false;
	p->open = true;
	p->detail_top = 0;
	return true;
}

/* ---- painting ---- */

/* Rows of the body above the list or the detail. */
static int head_rows(const struct pane *p, struct rect body)
{
	if (p->open)
		return body.rows >= RULE_FROM ? 2 : body.rows >= OPENED_FROM ? 1 : 0;
	return p->view && p->view->caption && body.rows >= CAPTION_FROM;
}

size_t pane_view_height(const struct pane *p, struct rect body)
{
	int rows = body.rows - head_rows(p, body);

	return rows > 0 ? (size_t)rows : 0;
}

bool pane_select_at(struct pane *p, const struct view_context *c, struct rect body, int row)
{
	size_t n = pane_count(p, c), i;

	row -= head_rows(p, body);
	if (p->open || row < 0 || p->top + (size_t)row >= n)
		return false;
	i = p->top + (size_t)row;
	if (!selectable(p, c, i))
		return false;
	choose(p, c, n, i);
	return true;
}

/* "12/42": the selected line, or the last line in sight of what has no selection. */
static void put_place(const struct pane *p, const struct view_context *c, char *out, size_t size)
{
	size_t n = pane_lines(p, c), at;

	at = p->open ? p->detail_top + p->height : p->key != 0 ? p->at + 1 : p->top + p->height;
	if (n == 0)
		snprintf(out, size, "%s", "-");
	else
		snprintf(out, size, "%zu/%zu", at < n ? at : n, n);
}

/* The pattern of the filter, with room left for the place. */
static void put_filter(const struct pane *p, struct line *l, enum style style)
{
	struct str words = str_of(p->filter);
	int room = line_left(l) - FILTER_LEAVES, width;

	if (!p->only || room < 4)
		return;
	width = text_width_up_to(words, l->ascii, room - 3);
	line_puts(l, style, " & ");
	line_put_clipped(l, style, words, width < room - 3 ? width : room - 3, ALIGN_LEFT);
}

static void draw_title(const struct pane *p, const struct view_context *c, struct grid *g, struct rect r, bool focused)
{
	enum style style = focused ? STYLE_TITLE_FOCUS : STYLE_TITLE;
	struct line l = {.ascii = c->ascii};
	char place[48];

	line_reset(&l, r.cols);
	if (focused)
		line_glyph(&l, style, GLYPH_SELECTED);
	else
		line_puts(&l, style, " ");
	line_printf(&l, style, "F%d %s", (int)p->id + 1, pane_kinds[p->id].title);
	if (p->open) {
		line_puts(&l, style, " ");
		line_glyph(&l, style, GLYPH_ARROW_RIGHT);
		line_puts(&l, style, " opened line");
	}
	put_filter(p, &l, style);
	line_puts(&l, style, " ");
	if (p->view) {
		put_place(p, c, place, sizeof place);
		int rule = line_left(&l) - (int)strlen(place) - 1;

		if (!focused)
			line_repeat(&l, STYLE_RULE, GLYPH_HLINE, rule);
		line_put_right(&l, style, str_of(place));
		if (focused)
			line_restyle(&l, 0, l.width, style);
	}
	l.fill = (uint8_t)style;
	grid_put_line(g, r, &l);
	line_free(&l);
}

static struct rect row_of(struct rect body, int row)
{
	return row < body.rows ? (struct rect){body.row + row, body.col, 1, body.cols}
			       : (struct rect){body.row, body.col, 0, 0};
}

/* A line of the view. The selected one is reversed, and marked where it begins with a blank. */
static void put_view_line(const struct view_context *c, struct grid *g, struct rect row, const struct line *l,
			  bool selected, bool focused)
{
	const struct cell *first;

	grid_put_line(g, row, l);
	if (!selected || row.rows <= 0)
		return;
	first = grid_cell(g, row.row, row.col);
	if (first && first->n == 1 && first->bytes[0] == ' ')
		grid_put(g, (struct rect){row.row, row.col, 1, 1}, STYLE_BOLD, str_of(glyph(GLYPH_SELECTED, c->ascii)));
	if (focused)
		grid_mark(g, row, GRID_REVERSE);
}

/* The matches of the pattern in the line, as it is seen. */
static void mark_matches(const struct pane *p, struct line *l, size_t *work)
{
	struct str text = buf_view(&l->bytes);
	struct search_match m;

	if (!p->marks)
		return;
	for (size_t from = 0; from <= text.n && search_next(p->marks, text, from, &m, work);) {
		if (m.to > m.from)
			line_restyle(l, text_column(text, m.from, l->ascii), text_column(text, m.to, l->ascii),
				     STYLE_MATCH);
		from = m.to > from ? m.to : from + 1;
	}
}

static void draw_list(const struct pane *p, const struct view_context *c, struct grid *g, struct rect body,
		      bool focused)
{
	struct line l = {.ascii = c->ascii};
	size_t n = pane_count(p, c), work = MARK_WORK;
	int head = head_rows(p, body);

	if (head > 0) {
		line_reset(&l, c->width);
		p->view->caption(c, &l);
		put_view_line(c, g, row_of(body, 0), &l, false, focused);
	}
	for (int i = 0; head + i < body.rows && p->top + (size_t)i < n; i++) {
		size_t k = p->top + (size_t)i;

		line_reset(&l, c->width);
		p->view->line(c, pane_view_line(p, k), &l);
		mark_matches(p, &l, &work);
		put_view_line(c, g, row_of(body, head + i), &l, k == p->at && p->key != 0, focused);
	}
	if (n == 0)
		grid_put(g, row_of(body, head), STYLE_DIM,
			 p->only ? STR(" no line here has it (& and Enter: all lines)")
				 : STR(" nothing here at this position"));
	line_free(&l);
}

static void draw_detail(const struct pane *p, const struct view_context *c, struct grid *g, struct rect body,
			bool focused)
{
	struct line l = {.ascii = c->ascii};
	size_t n = detail_lines(p, c), work = MARK_WORK;
	int head = head_rows(p, body);

	if (head > 0 && n > 0 && p->at < pane_count(p, c)) {
		line_reset(&l, c->width);
		p->view->line(c, pane_view_line(p, p->at), &l);
		put_view_line(c, g, row_of(body, 0), &l, true, focused);
	}
	if (head > 1)
		grid_rule(g, row_of(body, 1), STYLE_RULE, GLYPH_HLINE);
	for (int i = 0; head + i < body.rows && p->detail_top + (size_t)i < n; i++) {
		line_reset(&l, c->width);
		p->view->detail_line(c, p->key, p->detail_top + (size_t)i, &l);
		mark_matches(p, &l, &work);
		put_view_line(c, g, row_of(body, head + i), &l, false, focused);
	}
	if (n == 0)
		grid_put(g, row_of(body, head), STYLE_DIM, STR(" the opened line is not there at this position"));
	line_free(&l);
}

void pane_draw(const struct pane *p, const struct view_context *c, struct grid *g, struct layout_pane where,
	       bool focused)
{
	if (where.title.rows > 0)
		draw_title(p, c, g, where.title, focused);
	if (!p->view || where.body.rows <= 0)
		return;
	if (p->open)
		draw_detail(p, c, g, where.body, focused);
	else
		draw_list(p, c, g, where.body, focused);
}
