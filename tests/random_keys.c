#include "tests/random_keys.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

uint64_t random_next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static size_t below(struct random_keys *r, size_t n) { return (size_t)(random_next(&r->x) >> 11) % n; }

/* What people, and cats, type into prompts. */
static const char *const words[] = {
	"",
	"1",
	"4294967296",
	"99999999999999999999999999",
	"3.prune",
	"$",
	"rows",
	"m00002",
	"turn > 2",
	"tokens.raw > 1000 and not nudge.inject",
	"changed(blocks.active)",
	"prev(usage) * 2 - 1",
	"row(\"m00002\").class",
	"((((((((",
	"turn >",
	"nothing.like.this",
	"1 / 0",
	"[a-z]+",
	"(a+)+$",
	"(?i)compress",
	"[",
	".*",
	"^$",
	"\\",
	"a",
	"the",
	"\xe9\xa1\xb5\xe9\x9d\xa2",                     /* two-column characters */
	"e\xcc\x81\xcc\x81\xcc\x81",                    /* marks */
	"\xe2\x80\xaexyz",                              /* right to left */
	"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", /* joined emoji */
	"truncateAfterTurns=1",
	"blocks.active > 0 and usage > 10 or turn = 3 and prefix.ratio < 1 and nudge.tier = 1 and density > 0.1",
};

static void push(struct random_keys *r, uint32_t code)
{
	if (r->pending_n < RANDOM_KEYS_PENDING)
		r->pending[r->pending_n++] = (struct key){.code = code};
}

static void push_text(struct random_keys *r, struct str s)
{
	uint32_t code;
	size_t n;

	for (size_t at = 0; (n = text_decode(s, at, &code)) > 0; at += n)
		push(r, code);
}

/* A prompt, something in it, and how it ends: entered, left, or given up in the middle. */
static void push_sentence(struct random_keys *r)
{
	static const char prompts[] = {':', ':', ':', '/', '/', '&', '\\', 'b', 'W', 'P'};
	static const uint32_t edits[] = {KEYS_LEFT,      KEYS_HOME,      KEYS_END,       KEYS_DELETE, KEYS_BACKSPACE,
					 KEYS_CTRL('w'), KEYS_CTRL('u'), KEYS_CTRL('k'), KEYS_TAB,    KEYS_UP};
	char prompt = prompts[below(r, sizeof prompts)];

	r->pending_n = r->pending_at = 0;
	push(r, (uint32_t)prompt);
	if (prompt == ':' && below(r, 3) > 0) {
		push_text(r, str_of(actions[below(r, ACTION_COUNT)].name));
		push(r, ' ');
	}
	push_text(r, str_of(words[below(r, COUNT(words))]));
	for (size_t i = below(r, 8); i < 3; i++)
		push(r, edits[below(r, COUNT(edits))]);
	if (below(r, 8) > 0)
		push(r, below(r, 6) > 0 ? KEYS_ENTER : KEYS_ESCAPE);
}

/* A key of the table: every action is as likely as every other, however often it is changed. */
static struct key bound_key(struct random_keys *r, const struct keymap *m)
{
	enum action wanted = (enum action)below(r, ACTION_COUNT);
	size_t n = m->bindings.n, from = n > 0 ? below(r, n) : 0;

	for (size_t i = 0; i < n; i++) {
		const struct binding *b = &m->bindings.v[(from + i) % n];

		if (b->action == wanted)
			return b->key;
	}
	return (struct key){.code = KEYS_ESCAPE};
}

static struct key any_key(struct random_keys *r)
{
	static const uint32_t strange[] = {0x301, 0x202e, 0x200d, 0x1f600, 0x4f60, 0xfe0f, 0x10ffff, 0x7f, 1};
	size_t kind = below(r, 4);

	if (kind == 0)
		return (struct key){.code = strange[below(r, COUNT(strange))]};
	if (kind == 1)
		return (struct key){.code = KEYS_SPECIAL + (uint32_t)below(r, KEYS_END_OF_CODES - KEYS_SPECIAL)};
	return (struct key){.code = 1 + (uint32_t)below(r, 0x7f)};
}

static struct key next_key(struct random_keys *r, const struct app *a)
{
	static const char often[] = ".,><jkG\t\r/n..jj";
	struct key k;
	size_t kind;

	if (r->pending_at < r->pending_n)
		return r->pending[r->pending_at++];
	kind = below(r, 100);
	if (kind < 6) {
		push_sentence(r);
		return r->pending[r->pending_at++];
	}
	if (kind < 50)
		k = bound_key(r, &a->keys);
	else if (kind < 70)
		k = (struct key){.code = (uint32_t)often[below(r, sizeof often - 1)]};
	else if (kind < 78)
		k = (struct key){.code = '0' + (uint32_t)below(r, 10)};
	else if (kind < 90)
		k = any_key(r);
	else
		k = (struct key){.code = KEYS_CLICK + (uint32_t)below(r, 3)};
	if (k.code >= KEYS_CLICK) {
		k.row = (int)below(r, (size_t)a->rows + 2);
		k.col = (int)below(r, (size_t)a->cols + 2);
	}
	return k;
}

/* Small ones more often: they cost less, and more goes wrong in them. */
static void change_size(struct random_keys *r, struct screen_script *s)
{
	static const int most[][2] = {{1, 1},   {6, 30},   {6, 400}, {120, 3}, {26, 90}, {26, 90},
				      {26, 90}, {60, 200}, {24, 80}, {24, 80}, {10, 20}, {120, 400}};
	const int *m = most[below(r, COUNT(most))];

	screen_resize(s, 1 + (int)below(r, (size_t)m[0]), 1 + (int)below(r, (size_t)m[1]));
}

static bool is_printable(const struct cell *c, bool ascii)
{
	struct str s = {c->bytes, c->n};
	uint32_t code;
	size_t n, at = 0;

	for (; (n = text_decode(s, at, &code)) > 0; at += n)
		if (code < 0x20 || (n == 1 && code >= 0x80) || (code >= 0x7f && code < 0xa0) ||
		    (ascii && code >= 0x7f) || (code >= 0x200b && code <= 0x200f) ||
		    (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
		    (code >= 0xd800 && code < 0xe000))
			return false;
	return at == s.n;
}

const char *random_keys_fault(const struct grid *g)
{
	for (int row = 0; row < g->rows; row++)
		for (int col = 0; col < g->cols; col++) {
			const struct cell *c = grid_cell(g, row, col), *next = grid_cell(g, row, col + 1);

			if (c->columns > 2 || (c->columns == 0) != (c->n == 0))
				return "a cell without its character";
			if ((c->columns == 2) != (next != NULL && next->columns == 0))
				return "half of a two-column character";
			if (col == 0 && c->columns == 0)
				return "a row that begins with a right half";
			if (!is_printable(c, g->ascii))
				return "a cell that is not to be sent to a terminal";
		}
	if (g->cursor_shown &&
	    (g->cursor_row < 0 || g->cursor_row >= g->rows || g->cursor_col < 0 || g->cursor_col >= g->cols))
		return "the cursor outside the screen";
	return NULL;
}

static void remember(struct random_keys *r, struct key k)
{
	struct buf name = {0};
	size_t n;

	key_put_name(&name, k);
	n = strlen(r->last);
	if (n + name.n >= sizeof r->last) {
		memmove(r->last, r->last + n / 2, n - n / 2 + 1);
		n -= n / 2;
	}
	if (name.n > 0 && n + name.n < sizeof r->last)
		memcpy(r->last + n, name.p, name.n + 1);
	buf_free(&name);
}

bool random_keys_press(struct random_keys *r, struct screen_script *s)
{
	const char *fault;

	if (below(r, 20) == 0) {
		change_size(r, s);
	} else {
		struct key k = next_key(r, &s->app);

		remember(r, k);
		screen_key(s, k);
		/* q closes the program, too: somebody starts it again where it was */
		s->quit = false;
		s->flags = 0;
	}
	app_draw(&s->app, &s->grid);
	fault = s->grid.rows != s->app.rows || s->grid.cols != s->app.cols ? "a grid of another size"
									   : random_keys_fault(&s->grid);
	r->fault = fault != NULL;
	if (fault)
		snprintf(r->why, sizeof r->why, "%s at %dx%d", fault, s->app.cols, s->app.rows);
	return !r->fault;
}
