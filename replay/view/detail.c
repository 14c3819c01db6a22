#include "replay/view/detail.h"

#include "replay/view/dsh.h"
#include "replay/view/rows.h"
#include "replay/view/text.h"

static void detail_free(void *detail)
{
	struct detail *d = detail;
	vec_free(&d->lines);
	arena_free(&d->arena);
}

/* The detail of this key, built when it is not the one kept; NULL without a frame. */
static const struct detail *detail_of(const struct view_context *c, const struct detail_source *source, uint64_t key)
{
	struct frame *f = c->frame;
	if (f == NULL || f->run == NULL)
		return NULL;
	struct detail *d = f->kept[source->slot];
	if (d == NULL) {
		d = f->kept[source->slot] = arena_zero(&f->arena, 1, sizeof *d);
		arena_defer(&f->arena, detail_free, d);
	}
	if (d->built && d->key == key && d->width == c->width && d->ascii == c->ascii)
		return d;
	detail_free(d);
	d->built = true;
	d->key = key;
	d->width = c->width;
	d->ascii = c->ascii;
	source->build(c, key, d);
	return d;
}

size_t detail_count(const struct view_context *c, const struct detail_source *source, uint64_t key)
{
	const struct detail *d = detail_of(c, source, key);
	return d ? d->lines.n : 0;
}

void detail_paint(const struct view_context *c, const struct detail_source *source, uint64_t key, size_t i,
		  struct line *out)
{
	const struct detail *d = detail_of(c, source, key);
	line_reset(out, c->width);
	if (d == NULL || i >= d->lines.n)
		return;
	const struct detail_line *line = &d->lines.v[i];
	if (line->message != 0) {
		struct frame_row row = rows_of_message(c->frame, line->message - 1);
		rows_paint(c, &row, out);
		return;
	}
	if (line->row != 0) {
		struct frame_dsh *dsh = frame_dsh(c->frame);
		int64_t seq = dsh_log_seq(dsh->fold->log, line->row - 1);
		dsh_row_paint(c, line->row - 1, dsh_nodes_find(&dsh->nodes, seq), out);
		return;
	}
	line_pad_to(out, line->indent);
	line_put(out, (enum style)line->style, line->text);
}

void detail_blank(struct detail *d) { vec_push(&d->lines, (struct detail_line){.text = STR("")}); }

void detail_title(struct detail *d, const char *title)
{
	detail_blank(d);
	detail_puts(d, STYLE_HEADING, 0, title);
}

void detail_put(struct detail *d, enum style style, int indent, struct str text)
{
	/* on a window too narrow for it the indent goes first */
	if (indent > d->width / 3)
		indent = d->width / 3;
	struct text_wrap wrap = text_wrap_start(text, d->width - indent > 0 ? d->width - indent : 1, d->ascii);
	struct detail_line line = {.style = (uint8_t)style, .indent = (uint8_t)indent};
	while (text_wrap_next(&wrap, &line.text))
		vec_push(&d->lines, line);
}

void detail_words(struct detail *d, enum style style, int indent, struct buf *words)
{
	struct str copy = {arena_copy(&d->arena, buf_view(words).p, words->n), words->n};
	buf_cut(words, 0);
	detail_put(d, style, indent, copy);
}

void detail_puts(struct detail *d, enum style style, int indent, const char *words)
{
	detail_put(d, style, indent, str_of(words));
}

void detail_message(struct detail *d, uint32_t message)
{
	vec_push(&d->lines, (struct detail_line){.message = message + 1});
}

void detail_row(struct detail *d, uint32_t row) { vec_push(&d->lines, (struct detail_line){.row = row + 1}); }
