#include "tui/prompt.h"

#include <stdlib.h>

static void set_text(struct prompt *p, struct str s)
{
	buf_cut(&p->text, 0);
	buf_str(&p->text, s);
	p->cursor = p->text.n;
}

void prompt_open(struct prompt *p, const char *lead)
{
	p->active = true;
	p->lead = lead;
	set_text(p, STR(""));
	p->recalled = p->history.n;
}

void prompt_set(struct prompt *p, struct str text, size_t at)
{
	set_text(p, text);
	p->cursor = at < text.n ? at : text.n;
}

/* ---- editing ---- */

static size_t before(const struct prompt *p, size_t at)
{
	while (at > 0 && ((unsigned char)p->text.p[--at] & 0xc0) == 0x80)
		;
	return at;
}

static size_t after(const struct prompt *p, size_t at)
{
	uint32_t code;

	return at + text_decode(buf_view(&p->text), at, &code);
}

static void erase(struct prompt *p, size_t from, size_t to)
{
	if (from == to)
		return;
	memmove(p->text.p + from, p->text.p + to, p->text.n - to);
	buf_cut(&p->text, p->text.n - (to - from));
	p->cursor = from;
}

static void insert(struct prompt *p, const char *bytes, size_t n)
{
	if (n == 0 || p->text.n + n > PROMPT_BYTES_MAX)
		return;
	buf_bytes(&p->text, bytes, n);
	memmove(p->text.p + p->cursor + n, p->text.p + p->cursor, p->text.n - n - p->cursor);
	memcpy(p->text.p + p->cursor, bytes, n);
	p->cursor += n;
}

static size_t word_start(const struct prompt *p)
{
	size_t at = p->cursor;

	while (at > 0 && p->text.p[at - 1] == ' ')
		at--;
	while (at > 0 && p->text.p[at - 1] != ' ')
		at--;
	return at;
}

/* ---- history ---- */

void prompt_remember(struct prompt *p, struct str s)
{
	if (s.n == 0 || (p->history.n > 0 && str_eq(str_of(p->history.v[p->history.n - 1]), s)))
		return;
	if (p->history.n == PROMPT_HISTORY_MAX) {
		free(p->history.v[0]);
		memmove(p->history.v, p->history.v + 1, (--p->history.n) * sizeof *p->history.v);
	}
	char *copy = mem_alloc(s.n + 1);
	memcpy(copy, s.p, s.n);
	copy[s.n] = '\0';
	vec_push(&p->history, copy);
}

static void recall(struct prompt *p, bool back)
{
	if (back ? p->recalled == 0 : p->recalled == p->history.n)
		return;
	p->recalled += back ? (size_t)-1 : 1;
	set_text(p, p->recalled < p->history.n ? str_of(p->history.v[p->recalled]) : STR(""));
}

static enum prompt_answer close_with(struct prompt *p, enum prompt_answer answer)
{
	p->active = false;
	return answer;
}

enum prompt_answer prompt_key(struct prompt *p, struct key k)
{
	char bytes[4];

	switch (k.code) {
	case KEYS_ENTER:
		prompt_remember(p, buf_view(&p->text));
		p->entered++;
		return close_with(p, PROMPT_ENTERED);
	case KEYS_ESCAPE:
		return close_with(p, PROMPT_CANCELLED);
	case KEYS_BACKSPACE:
	case KEYS_CTRL('h'):
		if (p->text.n == 0)
			return close_with(p, PROMPT_CANCELLED);
		erase(p, before(p, p->cursor), p->cursor);
		break;
	case KEYS_DELETE:
	case KEYS_CTRL('d'):
		erase(p, p->cursor, after(p, p->cursor));
		break;
	case KEYS_CTRL('u'):
		erase(p, 0, p->cursor);
		break;
	case KEYS_CTRL('w'):
		erase(p, word_start(p), p->cursor);
		break;
	case KEYS_LEFT:
		p->cursor = before(p, p->cursor);
		break;
	case KEYS_RIGHT:
		p->cursor = after(p, p->cursor);
		break;
	case KEYS_HOME:
	case KEYS_CTRL('a'):
		p->cursor = 0;
		break;
	case KEYS_END:
	case KEYS_CTRL('e'):
		p->cursor = p->text.n;
		break;
	case KEYS_UP:
	case KEYS_DOWN:
		recall(p, k.code == KEYS_UP);
		break;
	default:
		insert(p, bytes, key_text(bytes, k));
	}
	return PROMPT_GOES_ON;
}

void prompt_draw(const struct prompt *p, struct grid *g, struct rect r)
{
	struct str text = buf_view(&p->text);
	struct rect at = r;
	size_t from = 0;
	int used, column;

	grid_fill(g, r, STYLE_PLAIN);
	used = grid_put(g, r, STYLE_KEY, str_of(p->lead));
	at.col += used;
	at.cols -= used;
	if (at.cols <= 0)
		return;
	/* the cursor needs a column behind the text before it */
	while (from < p->cursor && text_width_up_to(str_cut(text, from, p->cursor), g->ascii, at.cols) > at.cols - 1)
		from = after(p, from);
	grid_put(g, at, STYLE_PLAIN, str_cut(text, from, text.n));
	column = text_width_up_to(str_cut(text, from, p->cursor), g->ascii, at.cols);
	grid_set_cursor(g, at.row, at.col + (column < at.cols ? column : at.cols - 1));
}

void prompt_free(struct prompt *p)
{
	for (size_t i = 0; i < p->history.n; i++)
		free(p->history.v[i]);
	vec_free(&p->history);
	buf_free(&p->text);
	*p = (struct prompt){0};
}
