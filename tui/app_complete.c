/* Tab in a prompt: through what the word can become, and back to what was typed. */
#include "tui/app_parts.h"

static struct prompt *prompt_of(struct app *a, enum complete_kind *kind)
{
	*kind = a->prompt.active       ? COMPLETE_COMMAND
		: a->ask.prompt.active ? a->ask.question->completes
				       : COMPLETE_NOTHING;
	return a->prompt.active ? &a->prompt : &a->ask.prompt;
}

void app_complete_end(struct app *a)
{
	complete_free(&a->completing.found);
	buf_cut(&a->completing.typed, 0);
	a->completing.on = false;
}

/* What was typed, up to the word, and in its place word i; the last of all is what was typed itself. */
static void show(struct app *a, struct prompt *p)
{
	struct app_complete *c = &a->completing;
	struct buf text = {0};

	buf_str(&text, buf_view(&c->typed));
	if (c->at < c->found.words.n) {
		buf_cut(&text, c->found.from);
		buf_str(&text, c->found.words.v[c->at]);
	}
	prompt_set(p, buf_view(&text), text.n);
	if (a->ask.prompt.active)
		app_ask_look(a);
	buf_free(&text);
}

bool app_complete_key(struct app *a, struct key k)
{
	struct app_complete *c = &a->completing;
	enum complete_kind kind;
	struct prompt *p = prompt_of(a, &kind);
	size_t n;

	if ((k.code != KEYS_TAB && k.code != KEYS_SHIFT_TAB) || kind == COMPLETE_NOTHING) {
		app_complete_end(a);
		return false;
	}
	if (!c->on) {
		/* only the end of a text is completed */
		if (p->cursor < p->text.n)
			return true;
		buf_str(&c->typed, buf_view(&p->text));
		complete_find(kind, buf_view(&c->typed), &c->found);
		c->at = k.code == KEYS_TAB ? c->found.words.n : 0;
		c->on = true;
	}
	n = c->found.words.n;
	if (n == 0) {
		app_complete_end(a);
		return true;
	}
	c->at = k.code == KEYS_TAB ? (c->at + 1) % (n + 1) : (c->at + n) % (n + 1);
	/* the only one there is stays, and the next Tab goes on from there */
	show(a, p);
	if (n == 1)
		app_complete_end(a);
	return true;
}

void app_complete_draw(const struct app *a, struct grid *g, struct rect r)
{
	const struct app_complete *c = &a->completing;
	struct line l = {.ascii = g->ascii};
	size_t first = 0, n = c->found.words.n;
	int width = 0;

	if (!c->on || n == 0 || r.row < 1)
		return;
	/* as many before the present one as there is room for */
	for (size_t i = 0; i < n && i <= c->at; i++) {
		width += text_width(c->found.words.v[i], g->ascii) + 2;
		while (width > r.cols && first < i)
			width -= text_width(c->found.words.v[first++], g->ascii) + 2;
	}
	line_reset(&l, r.cols);
	for (size_t i = first; i < n && line_left(&l) > 0; i++) {
		line_put(&l, i == c->at ? STYLE_KEY : STYLE_DIM, c->found.words.v[i]);
		line_puts(&l, STYLE_PLAIN, "  ");
	}
	grid_put_line(g, (struct rect){r.row - 1, r.col, 1, r.cols}, &l);
	line_free(&l);
}
