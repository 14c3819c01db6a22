#include "replay/view/columns.h"

#include "replay/view/words.h"

static const uint8_t *widths_for(const struct columns *t, int window)
{
	size_t i = 0;
	while (window < t->widths[i].from)
		i++;
	return t->widths[i].width;
}

static void put_blank(enum style style, struct line *out)
{
	if (line_left(out) > 0)
		line_puts(out, style, " ");
}

void columns_put(const struct columns *t, int window, const struct painter *p, struct line *out)
{
	const uint8_t *width = widths_for(t, window);
	for (int i = 0; i < t->n; i++) {
		if (width[i] == 0)
			continue;
		t->column[i].put(p, width[i]);
		put_blank(STYLE_PLAIN, out);
	}
}

void columns_turn(struct buf *b, uint32_t turn, int width)
{
	buf_printf(b, "%u", turn);
	if (b->n <= (size_t)width)
		return;
	buf_cut(b, 0);
	words_short(b, turn);
}

static struct str name_of(const struct column *column, bool raw, size_t width)
{
	struct str name = str_of(raw || column->calibrated == NULL ? column->name : column->calibrated);
	size_t blank = str_find(name, STR(" "), 0);
	return name.n > width && blank != SIZE_MAX ? str_cut(name, 0, blank) : name;
}

void columns_caption(const struct columns *t, const struct view_context *c, struct line *out)
{
	const uint8_t *width = widths_for(t, c->width);
	bool raw = !c->frame || c->frame->turn.in.counter.density == 1;
	for (int i = 0; i < t->n; i++) {
		if (width[i] == 0)
			continue;
		line_put_clipped(out, STYLE_HEADING, name_of(&t->column[i], raw, width[i]), width[i],
				 t->column[i].align);
		put_blank(STYLE_HEADING, out);
	}
}
