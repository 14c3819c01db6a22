#include "replay/search_line.h"

#include "replay/view/words.h"

enum { LINE_COST = 200 }; /* of making one, beside its bytes */

struct view_context search_context(struct view_context c, const struct view_ops *v)
{
	if (!v->wraps && c.width < SEARCH_COLUMNS)
		c.width = SEARCH_COLUMNS;
	return c;
}

/* The line itself. */
static void take_line(struct search_line *l, const struct search_place *in, size_t i)
{
	l->line.ascii = in->context.ascii;
	line_reset(&l->line, in->context.width);
	if (in->detail != 0)
		in->view->detail_line(&in->context, in->detail, i, &l->line);
	else
		in->view->line(&in->context, i, &l->line);
	buf_cut(&l->shown, 0);
	line_write(&l->line, &l->shown);
	l->text = buf_view(&l->shown);
}

/* The next text of the line; false: there are no more. */
static bool take_text(struct search_line *l, const struct search_place *in, size_t i)
{
	bool all = true;

	arena_free(&l->arena);
	l->at = 0;
	if (!l->begun) {
		l->begun = true;
		take_line(l, in, i);
		return true;
	}
	if (in->detail != 0 || !in->view->text ||
	    !in->view->text(&in->context, i, l->part++, SEARCH_TEXT_BYTES, &l->arena, &l->text, &all))
		return false;
	if (l->text.n > SEARCH_TEXT_BYTES) {
		l->text.n = SEARCH_TEXT_BYTES;
		all = false;
	}
	l->cut = l->cut || !all;
	return true;
}

static enum search_answer end_line(struct search_line *l, enum search_answer answer, struct search_tally *tally)
{
	if (answer == SEARCH_NOT_THERE && l->gave_up)
		answer = SEARCH_GAVE_UP;
	tally->lines++;
	tally->gave_up += answer == SEARCH_GAVE_UP;
	tally->cut += answer != SEARCH_FOUND && l->cut;
	search_line_drop(l);
	return answer;
}

enum search_answer search_line_step(struct search_line *l, struct search *s, const struct search_place *in, size_t i,
				    struct search_tally *tally, size_t *cost)
{
	enum search_answer answer;

	if (!l->begun) {
		take_text(l, in, i);
		*cost += LINE_COST;
	}
	answer = search_piece(s, l->text, &l->at, NULL, cost);
	if (answer == SEARCH_MORE)
		return SEARCH_MORE;
	if (answer == SEARCH_FOUND)
		return end_line(l, SEARCH_FOUND, tally);
	l->gave_up = l->gave_up || answer == SEARCH_GAVE_UP;
	return take_text(l, in, i) ? SEARCH_MORE : end_line(l, SEARCH_NOT_THERE, tally);
}

void search_line_drop(struct search_line *l)
{
	arena_free(&l->arena);
	l->text = (struct str){0};
	l->begun = l->gave_up = l->cut = false;
	l->at = l->part = 0;
}

void search_line_free(struct search_line *l)
{
	search_line_drop(l);
	line_free(&l->line);
	buf_free(&l->shown);
}

static void print_line(const struct line *l, struct buf *b)
{
	line_write(l, b);
	buf_char(b, '\n');
}

void search_line_print(struct search *s, const struct view_ops *v, const struct view_context *c,
		       struct search_tally *tally, struct buf *b)
{
	struct search_place in = {.view = v, .context = search_context(*c, v)};
	struct search_line l = {0};
	struct line shown = {.ascii = c->ascii};
	size_t n = v->count(c), cost = 0;

	if (v->caption) {
		v->caption(c, &shown);
		print_line(&shown, b);
	}
	for (size_t i = 0; i < n; i++) {
		enum search_answer answer = SEARCH_MORE;

		/* rules and captions stay out */
		while (v->key(c, i) != 0 && answer == SEARCH_MORE)
			answer = search_line_step(&l, s, &in, i, tally, &cost);
		if (answer != SEARCH_FOUND)
			continue;
		v->line(c, i, &shown);
		print_line(&shown, b);
	}
	line_free(&shown);
	search_line_free(&l);
}

void search_tally_words(const struct search_tally *t, struct buf *b)
{
	if (t->gave_up > 0) {
		buf_text(b, "gave up on ");
		words_plural(b, (double)t->gave_up, "row", "rows");
		buf_text(b, ": the pattern needs too many steps there");
	}
	if (t->cut > 0) {
		buf_text(b, t->gave_up > 0 ? "; of " : "of ");
		words_plural(b, (double)t->cut, "row", "rows");
		buf_printf(b, " only the first %d MiB searched", SEARCH_TEXT_BYTES / (1024 * 1024));
	}
}
