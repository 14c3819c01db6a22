#include "tui/chooser.h"

static size_t count(const struct chooser *c) { return c->list.count(c->list.ctx); }

static bool is_choosable(const struct chooser *c, size_t i)
{
	return !c->list.choosable || c->list.choosable(c->list.ctx, i);
}

/* The nearest line that can be chosen from `at` on, looking down first (or up first); `at` when there is none. */
static size_t nearest(const struct chooser *c, size_t at, bool down)
{
	size_t n = count(c);

	for (int pass = 0; pass < 2; pass++, down = !down)
		for (size_t i = at; i < n; i += down ? 1 : (size_t)-1)
			if (is_choosable(c, i))
				return i;
	return at;
}

void chooser_init(struct chooser *c, struct chooser_list list)
{
	*c = (struct chooser){.list = list, .rows = 1};
	c->at = nearest(c, 0, true);
}

static void move(struct chooser *c, long by)
{
	size_t n = count(c), to;

	if (n == 0)
		return;
	if (by < 0)
		to = c->at > (size_t)-by ? c->at - (size_t)-by : 0;
	else
		to = n - 1 - c->at > (size_t)by ? c->at + (size_t)by : n - 1;
	c->at = nearest(c, to, by > 0);
}

/* Distances that depend on what is shown. */
enum { STEP_PAGE = 1 << 20, STEP_HALF, STEP_ALL };

static const struct {
	uint32_t code;
	long by;
} moves[] = {
	{'j', 1},
	{KEYS_DOWN, 1},
	{'k', -1},
	{KEYS_UP, -1},
	{KEYS_WHEEL_DOWN, 3},
	{KEYS_WHEEL_UP, -3},
	{KEYS_PAGE_DOWN, STEP_PAGE},
	{KEYS_PAGE_UP, -STEP_PAGE},
	{KEYS_CTRL('d'), STEP_HALF},
	{KEYS_CTRL('u'), -STEP_HALF},
	{'G', STEP_ALL},
	{KEYS_END, STEP_ALL},
	{'g', -STEP_ALL},
	{KEYS_HOME, -STEP_ALL},
};

static long distance(const struct chooser *c, long by)
{
	long sign = by < 0 ? -1 : 1, rows = c->rows > 1 ? c->rows : 1;

	switch (by * sign) {
	case STEP_PAGE:
		return sign * rows;
	case STEP_HALF:
		return sign * (rows / 2 > 0 ? rows / 2 : 1);
	case STEP_ALL:
		return sign * (long)count(c);
	default:
		return by;
	}
}

/* ---- search ---- */

static bool has_words(struct chooser *c, size_t i, struct line *l, struct arena *scratch)
{
	enum { COLUMNS = 400 }; /* more than is seen */
	struct buf text = {0};
	bool has;

	line_reset(l, COLUMNS);
	c->list.line(c->list.ctx, i, l);
	line_write(l, &text);
	has = str_find(text_lower_ascii(scratch, buf_view(&text)),
		       text_lower_ascii(scratch, (struct str){c->words, c->words_n}), 0) != SIZE_MAX;
	buf_free(&text);
	arena_free(scratch);
	return has;
}

/* The nearest line with the words, from `at` on and around the end; it stays where there is none. */
static void search(struct chooser *c, size_t at, bool down)
{
	size_t n = count(c);
	struct line l = {0};
	struct arena scratch = {0};

	c->missed = false;
	if (n == 0 || c->words_n == 0)
		return;
	for (size_t k = 0; k < n; k++) {
		size_t i = down ? (at + k) % n : (at + n - k) % n;

		if (is_choosable(c, i) && has_words(c, i, &l, &scratch)) {
			c->at = i;
			line_free(&l);
			return;
		}
	}
	c->missed = true;
	line_free(&l);
}

/* Drops the last character of the words. */
static void drop_last(struct chooser *c)
{
	while (c->words_n > 0 && ((unsigned char)c->words[--c->words_n] & 0xC0) == 0x80)
		;
}

static void type(struct chooser *c, struct key k)
{
	char bytes[4];
	size_t n = key_text(bytes, k);

	if (k.code == KEYS_ENTER || (k.code == KEYS_BACKSPACE && c->words_n == 0)) {
		c->typing = false;
		return;
	}
	if (k.code == KEYS_ESCAPE) {
		c->typing = c->missed = false;
		c->words_n = 0;
		c->at = c->from;
		return;
	}
	if (k.code == KEYS_BACKSPACE)
		drop_last(c);
	else if (n > 0 && c->words_n + n <= sizeof c->words) {
		memcpy(c->words + c->words_n, bytes, n);
		c->words_n += n;
	}
	c->at = c->from;
	search(c, c->from, true);
}

/* A key that begins a search or goes on with it. */
static bool is_search(struct chooser *c, struct key k)
{
	size_t n = count(c);

	if (k.code == '/') {
		c->typing = true;
		c->missed = false;
		c->words_n = 0;
		c->from = c->at;
		return true;
	}
	if ((k.code != 'n' && k.code != 'N') || c->words_n == 0 || n == 0)
		return false;
	search(c, k.code == 'n' ? (c->at + 1) % n : (c->at + n - 1) % n, k.code == 'n');
	return true;
}

enum chooser_answer chooser_key(struct chooser *c, struct key k)
{
	bool here = count(c) > 0 && is_choosable(c, c->at);

	if (c->typing && k.code < KEYS_SPECIAL) {
		type(c, k);
		return CHOOSER_STAY;
	}
	c->typing = false;
	if (is_search(c, k))
		return CHOOSER_STAY;
	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
		if (moves[i].code == k.code)
			move(c, distance(c, moves[i].by));
	if (k.code == KEYS_ENTER)
		return here ? CHOOSER_CHOSEN : CHOOSER_STAY;
	if (k.code == 'q' || k.code == 'Q' || k.code == KEYS_ESCAPE)
		return CHOOSER_LEFT;
	if (k.code == KEYS_CLICK && k.row >= c->body.row && k.row < c->body.row + c->body.rows) {
		size_t line = c->top + (size_t)(k.row - c->body.row);
		if (line < count(c) && is_choosable(c, line)) {
			if (line == c->at)
				return CHOOSER_CHOSEN;
			c->at = line;
		}
	}
	return CHOOSER_STAY;
}

static void put(struct chooser *c, struct grid *g, struct rect r, enum style fill,
		void (*make)(void *ctx, struct line *out))
{
	struct line l = {.ascii = g->ascii};

	line_reset(&l, r.cols);
	l.fill = (uint8_t)fill;
	if (make)
		make(c->list.ctx, &l);
	else
		line_puts(&l, fill, c->list.title);
	grid_put_line(g, r, &l);
	line_free(&l);
}

static void draw_lines(struct chooser *c, struct grid *g)
{
	size_t n = count(c), rows = (size_t)(c->body.rows > 0 ? c->body.rows : 0);
	struct line l = {.ascii = g->ascii};

	if (c->at < c->top)
		c->top = c->at;
	if (rows > 0 && c->at >= c->top + rows)
		c->top = c->at - rows + 1;
	for (size_t i = 0; i < rows && c->top + i < n; i++) {
		struct rect at = {c->body.row + (int)i, c->body.col, 1, c->body.cols};

		line_reset(&l, at.cols);
		c->list.line(c->list.ctx, c->top + i, &l);
		grid_put_line(g, at, &l);
		if (c->top + i == c->at)
			grid_mark(g, at, GRID_REVERSE);
	}
	line_free(&l);
}

static void put_words(const struct chooser *c, struct line *l)
{
	line_puts(l, STYLE_KEY, "/");
	line_put(l, STYLE_PLAIN, (struct str){c->words, c->words_n});
	if (c->missed)
		line_puts(l, STYLE_WARNING, "  no line has this");
	line_puts(l, STYLE_PLAIN, "  ");
}

static void put_hints(const struct chooser *c, struct grid *g, struct rect r)
{
	static const char *const first[] = {"<Enter>", "open", NULL};
	static const char *const rest[] = {"j k", "move", "/", "search", "q", "leave", NULL};
	const char *const *parts[] = {c->list.hints ? c->list.hints : first, rest};
	struct line l = {.ascii = g->ascii};

	line_reset(&l, r.cols);
	if (c->typing || c->words_n > 0)
		put_words(c, &l);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		for (const char *const *p = parts[i]; *p; p += 2) {
			line_puts(&l, STYLE_KEY, p[0]);
			line_printf(&l, STYLE_PLAIN, " %s  ", p[1]);
		}
	grid_put_line(g, r, &l);
	line_free(&l);
}

/* One row off the top or the bottom of *r; false when none is left. */
static bool take_row(struct rect *r, bool top, struct rect *out)
{
	if (r->rows < 1)
		return false;
	*out = (struct rect){top ? r->row : r->row + r->rows - 1, r->col, 1, r->cols};
	r->rows--;
	r->row += top;
	return true;
}

void chooser_draw(struct chooser *c, struct grid *g, struct rect r)
{
	struct line l = {.ascii = g->ascii};
	struct rect row;
	bool about = c->list.about && r.rows >= 6 && count(c) > 0;

	g->cursor_shown = false;
	if (r.rows >= 3 && take_row(&r, true, &row))
		put(c, g, row, STYLE_BAR, NULL);
	if (r.rows >= 4 && c->list.caption && take_row(&r, true, &row))
		put(c, g, row, STYLE_HEADING, c->list.caption);
	if (r.rows >= 2 && take_row(&r, false, &row))
		put_hints(c, g, row);
	if (about && take_row(&r, false, &row)) {
		line_reset(&l, row.cols);
		c->list.about(c->list.ctx, c->at, &l);
		grid_put_line(g, row, &l);
	}
	line_free(&l);
	c->body = r;
	c->rows = r.rows;
	draw_lines(c, g);
}
