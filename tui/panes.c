#include "tui/panes.h"

#include <stdio.h>

enum {
	CAPTION_FROM = 4, /* rows of a body from which it has its caption */
	OPENED_FROM = 3,  /* from which an opened line stands above its detail */
	RULE_FROM = 6,    /* from which a rule stands between them */
};

const struct pane_kind pane_kinds[PANE_COUNT] = {
	[PANE_ROWS] =
		{"rows", "Rows",
		 "What the model is sent at this position, in its order. At a step inside a turn the list "
		 "stands as that step left it; rows it added, removed or rewrote are marked.\n"
		 "Gutter: the bracket of a compressible range.\n"
		 "Flags: P protected tool or its pair, R recent zone, U last real user turn, C covered by a "
		 "block, B blocked, H hidden, T truncated, + new since the previous turn, ~ changed since then.\n"
		 "raw est, cal est: tokens of the row's text without its tag; of a summary, with its header line. "
		 "In a summary's line: what it folded, with tags, when it was made, and the row now.\n"
		 "tag: what the row's tag tells the model, its count when it was first rendered.",
		 true,
		 "The surface in node order at this position, so seqs may go back; the same at every step of a turn.\n"
		 "Rules across the list are injected and system rows: no range of the plugin's table, whose brackets "
		 "are in the gutter, may go over them. Each names its instruction files, with a small letter for "
		 "every file, and says of which it is the newest copy.\n"
		 "class: real, meta(data), check(point), instr(uction).\n"
		 "Flags: R one of the last rows that the table keeps (preserveRecentMessages), U its tail row, I "
		 "newest "
		 "and S stale copy of the files with these letters, C taken in by a replacement, bN the block of a "
		 "checkpoint. In front + new since the previous turn, ~ put in another's place since then.\n"
		 "display: tokens as the plugin shows them, never a price. Enter on a checkpoint: the rows it stands "
		 "for; on any row: every rule that keeps, bars or guards it.\n"
		 "Behind a gap of the log rows are grey: no host reads them, they are never folded."},
	[PANE_RANGES] =
		{"ranges", "Ranges",
		 "What could be compressed here, oldest first: recommended ranges with the groups they were "
		 "merged of, the last one when it is too small (short: by how many units), ranges of protected "
		 "tools, and the recent zone.\n"
		 "alone: the answer of applyCompression to this range by itself with a legal summary, as the "
		 "model sees the list at the end of the turn. Enter: every rule behind it.",
		 false,
		 "The plugin's range table on this surface, in its order, with what stands between the ranges.\n"
		 "nudge: the place of a range among the six that a nudge shows; - it does not. rows, display, tool: of "
		 "the segment the range was made of, as the plugin counts.\n"
		 "guard: the plugin's answer to this range by itself, before the kernel is asked. kernel: that of "
		 "applyCompression. Enter: both in full, and the rows of the span."},
	[PANE_BLOCKS] =
		{"blocks", "Blocks",
		 "The blocks at this position; under a block those it was made of.\n"
		 "raw in: tokens of what went in, with tags, when it was made. raw out: of the summary, without the "
		 "header line that its row has. rows: messages in the host's list now, of all it covers. age: turns "
		 "since it was made.\n"
		 "survd (survived): turns in which it was active; y young, and from promotionThreshold turns on o old. "
		 "No other rule looks at it.\n"
		 "consumed: another block is made of it. off: switched off till the next turn. absent: none of its "
		 "messages is in the list.",
		 false,
		 "The plugin's ledger as the log tells it, beside what the kernel made of it (raw in), and below it "
		 "what is wrong with the ledger or with the host's total.\n"
		 "by: who compacted, and kernel for a block that no transaction of the log stands for. checkp: seq of "
		 "the checkpoint. price: what the host took off its total; d display tokens, as 0 was recorded.\n"
		 "in, consumed: another block lists it as its parent."},
	[PANE_DENSITY] =
		{"density", "Density",
		 "Tokens per estimated token, as the Pi adapter measures it for each model (profiles P97, P155, "
		 "P173): the sample of this turn, a verdict on every model, a chart between the two clamps, then one "
		 "line a sample.\n"
		 "real: the host's number. raw est: our raw estimate of what is sent (P97: of the rows that no block "
		 "covers, before the turn). dR, dE: both against the anchor. "
		 "inst: dR / dE, clamped. pend: the candidate that waits for another one within 20 %. value: the "
		 "density in force after the turn.\n"
		 "Enter: every number with its formula, and the switches behind it; on a verdict its rule.",
		 false, NULL},
	[PANE_PREFIX] =
		{"prefix", "Prefix",
		 "What each request left of the one before as a byte prefix, which is what the provider's cache can "
		 "use: totals, then one line a turn.\n"
		 "kept: share of the bytes of the request before. kept tk, lost tk: its tokens, raw estimate. predict: "
		 "system prompt and whole messages before the break, of the prompt's size. hit: read / (input + read + "
		 "write), provider usage; - where there is no evidence.\n"
		 "cause: the first rule that explains the first difference, with the row it is at. The nudge at the "
		 "tail stands apart.\n"
		 "cause system, model: what was sent without cache though the prompt before had it, and how long the "
		 "session was idle when that is over 5 minutes. refuted: the provider read on behind a break that only "
		 "our replay makes. after: since the turn before.\n"
		 "[ and ] stop at rebuilds and cold caches here. Enter: both messages where they differ, the rule, "
		 "every "
		 "formula; with --prices what it cost. On a total: the turns behind it.",
		 false, NULL},
	[PANE_NUDGE] =
		{"nudge", "Nudge",
		 "Whether this turn tells the model to compress: the usage band, every gate of the decision "
		 "with its two numbers and whether it passed, which tier won, and the cadence.\n"
		 "voice: how the text speaks to the model, gentle or, over a threshold of usage, emergency.\n"
		 "piles: tokens that each tier could compress. stamps: token counts at earlier nudges. context: what "
		 "the rows consist of; the token count has the system prompt, too. targets: tokens that went into a "
		 "block, with tags, and of its summary.",
		 false, NULL},
	[PANE_EVENTS] =
		{"events", "Events",
		 "Everything that happened in the session, with its position. The arrow marks the last event at or "
		 "before where you are; later ones are dim. A compress call that was not read whole says how it was "
		 "read (truncated, and so on) first.\n"
		 "failed: an answer that was errored or aborted. window: a recorded prompt refutes the assumed "
		 "window.\n"
		 "Enter on a compress call: every range with its verdict, what was recorded and what is replayed.\n"
		 "drift, at the end: the replay is not what the host stored in its sidecar (*.acp.json, --state). "
		 "Enter: "
		 "the first ref that differs, how many, the blocks, and what the host's own fork recovery would make.",
		 false, NULL},
	[PANE_REQUEST] =
		{"request", "Request",
		 "What the host sends at this turn, a line a message, beside the request of the turn before: "
		 "~ changed, + new, - gone, at its old place. The rule stands where the first byte differs, and says "
		 "why; all before it is a prefix the provider may have in its cache. The nudge at the tail is apart: "
		 "it is in no prefix.\n"
		 "tag: the ref tag the message carries. bytes: as it is sent. raw est: tokens of its texts, thinking "
		 "and arguments.\n"
		 "Flags: A arguments of a compress call synced (args: tokens as recorded and as sent), # put "
		 "together from several calls, R its text is the kernel's (truncated), C calls left out, K thinking "
		 "left out, H the host itself does not send this: it took a failed answer out of its memory.\n"
		 "Enter: what changed in the message, what the host has in its place, and the JSON sent. On the "
		 "first line: prefix, cause, and both byte counts. replay --request prints the bytes; --requests DIR "
		 "compares recorded ones.",
		 true, NULL},
};

enum pane_id pane_find(struct str name)
{
	enum pane_id id = 0;

	while (id < PANE_COUNT && !str_eq(str_of(pane_kinds[id].name), name))
		id++;
	return id;
}

void pane_init(struct pane *p, enum pane_id id)
{
	*p = (struct pane){.id = id, .view = view_named(str_of(pane_kinds[id].name)), .tail = pane_kinds[id].tail};
}

/* ---- selection ---- */

static bool selectable(const struct pane *p, const struct view_context *c, size_t i) { return p->view->key(c, i) != 0; }

/* The line with a key, looked for outward from where it was; n when it is not there. */
static size_t find_key(const struct pane *p, const struct view_context *c, size_t n, uint64_t key)
{
	size_t start = p->at < n ? p->at : n - 1;

	for (size_t d = 0; key != 0 && d < n; d++) {
		if (d <= start && p->view->key(c, start - d) == key)
			return start - d;
		if (start + d < n && p->view->key(c, start + d) == key)
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
		if (p->view->changed(c, i))
			return;
	while (first < n && !p->view->changed(c, first))
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
	p->key = p->wanted = p->view->key(c, i);
	p->tail = pane_kinds[p->id].tail && is_end(p, c, n, i, true);
}

/* Another line stands for the position: it is what the user wants to see now. */
static void follow_position(struct pane *p, const struct view_context *c)
{
	size_t i = p->view->here ? p->view->here(c) : SIZE_MAX;
	uint64_t here = i != SIZE_MAX ? p->view->key(c, i) : 0;

	if (here != 0 && here != p->here && !p->open) {
		p->wanted = here;
		p->at = i;
	}
	p->here = here;
}

void pane_settle(struct pane *p, const struct view_context *c, size_t height)
{
	size_t n = p->view ? p->view->count(c) : 0, found;

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
		p->key = p->view->key(c, p->at);
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
	size_t n = p->view ? p->view->count(c) : 0, before = p->at, i = p->at, last = p->at;
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
	size_t n = p->view ? p->view->count(c) : 0;

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

void pane_scroll(struct pane *p, const struct view_context *c, long by)
{
	size_t n = p->view ? p->view->count(c) : 0, i;

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
	size_t n = p->view ? p->view->count(c) : 0, i;

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
	size_t n = p->open ? detail_lines(p, c) : p->view->count(c), at;

	at = p->open ? p->detail_top + p->height : p->key != 0 ? p->at + 1 : p->top + p->height;
	if (n == 0)
		snprintf(out, size, "%s", "-");
	else
		snprintf(out, size, "%zu/%zu", at < n ? at : n, n);
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

static void draw_list(const struct pane *p, const struct view_context *c, struct grid *g, struct rect body,
		      bool focused)
{
	struct line l = {.ascii = c->ascii};
	size_t n = p->view->count(c);
	int head = head_rows(p, body);

	if (head > 0) {
		line_reset(&l, c->width);
		p->view->caption(c, &l);
		put_view_line(c, g, row_of(body, 0), &l, false, focused);
	}
	for (int i = 0; head + i < body.rows && p->top + (size_t)i < n; i++) {
		size_t k = p->top + (size_t)i;

		line_reset(&l, c->width);
		p->view->line(c, k, &l);
		put_view_line(c, g, row_of(body, head + i), &l, k == p->at && p->key != 0, focused);
	}
	if (n == 0)
		grid_put(g, row_of(body, head), STYLE_DIM, STR(" nothing here at this position"));
	line_free(&l);
}

static void draw_detail(const struct pane *p, const struct view_context *c, struct grid *g, struct rect body,
			bool focused)
{
	struct line l = {.ascii = c->ascii};
	size_t n = detail_lines(p, c);
	int head = head_rows(p, body);

	if (head > 0 && n > 0) {
		line_reset(&l, c->width);
		p->view->line(c, p->at, &l);
		put_view_line(c, g, row_of(body, 0), &l, true, focused);
	}
	if (head > 1)
		grid_rule(g, row_of(body, 1), STYLE_RULE, GLYPH_HLINE);
	for (int i = 0; head + i < body.rows && p->detail_top + (size_t)i < n; i++) {
		line_reset(&l, c->width);
		p->view->detail_line(c, p->key, p->detail_top + (size_t)i, &l);
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
