/*
 * The Changes view: what is other than at the turn before: every figure that conditions know by name, and the rows that
 * are new or have another text (interface.md, key d).
 */
#include <math.h>

#include "replay/expr_names.h"
#include "replay/view/detail.h"
#include "replay/view/rows.h"
#include "replay/view/words.h"

enum changes_kind { CHANGES_WORDS, CHANGES_BLANK, CHANGES_FIGURE, CHANGES_ROW };

/* Keys of figures: behind those of rows. */
#define FIGURE_KEY ((uint64_t)3 << 40)

struct changes_line {
	uint8_t kind; /* enum changes_kind */
	uint32_t row; /* of frame.rows */
	uint64_t key;
	struct str text; /* of words and figures */
	struct str before, after;
	double by;     /* NAN = no difference of numbers */
	bool rescaled; /* the numbers are of two scales: there is no difference */
};

struct changes {
	VEC(struct changes_line) items;
};

static void changes_free(void *changes)
{
	struct changes *all = changes;
	vec_free(&all->items);
}

static struct str keep(struct frame *f, struct buf *b)
{
	struct str s = {arena_copy(&f->arena, b->p ? b->p : "", b->n), b->n};
	buf_cut(b, 0);
	return s;
}

static void add_words(struct frame *f, struct changes *all, struct buf *b)
{
	if (all->items.n > 0)
		vec_push(&all->items, (struct changes_line){.kind = CHANGES_BLANK});
	vec_push(&all->items, (struct changes_line){.kind = CHANGES_WORDS, .text = keep(f, b)});
}

/* ---- figures ---- */

/* Those that change by themselves say nothing. */
static bool is_asked(const struct expr_name *name)
{
	static const char *const left_out[] = {"turn", "hash", "view.digest"};
	if ((name->needs & ~(unsigned)EXPR_NEEDS_REQUESTS) != 0)
		return false;
	for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
		if (strcmp(name->name, left_out[i]) == 0)
			return false;
	return strncmp(name->name, "event.", 6) != 0;
}

static bool same(const struct expr_value *a, const struct expr_value *b)
{
	if (a->known != b->known || !a->known)
		return a->known == b->known;
	return a->type == EXPR_TEXT ? str_eq(a->text, b->text) : a->number == b->number;
}

/* Six digits of a figure are enough to see that it is another one; words as they are. */
static void put_value(struct buf *b, const struct expr_value *v)
{
	if (v->known && v->type == EXPR_NUMBER && v->number != floor(v->number))
		buf_printf(b, "%.6g", v->number);
	else
		expr_put_value(b, v);
}

/* Those in the scale of the turn's token count, which may be another one at the next turn. */
static bool is_rescaled(const struct frame *f, const struct expr_name *name)
{
	static const char *const counted[] = {"tokens.count", "usage", "nudge.growth"};
	const struct moment *m = &f->run->timeline.turns.v[f->at.turn - 1];
	if (f->at.turn < 2 || m[-1].counted == m->counted)
		return false;
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		if (strcmp(name->name, counted[i]) == 0)
			return true;
	return false;
}

static void add_figure(struct frame *f, struct changes *all, struct expr_scene *scene, const struct expr_name *name)
{
	uint32_t turn = f->at.turn;
	struct arena arena = {0};
	struct expr_fault fault;
	const struct expr *e = expr_parse(str_of(name->name), &arena, &fault);
	struct buf before = {0}, after = {0};
	struct expr_value was = expr_at(scene, e, turn - 1), now;
	struct changes_line figure = {.kind = CHANGES_FIGURE,
				      .text = str_of(name->name),
				      .key = FIGURE_KEY + (uint64_t)(name - expr_names),
				      .by = NAN};
	/* a text lives until the next value */
	put_value(&before, &was);
	was.text = buf_view(&before);
	now = expr_at(scene, e, turn);
	put_value(&after, &now);
	now.text = buf_view(&after);
	if (!same(&was, &now)) {
		figure.rescaled = is_rescaled(f, name);
		if (was.known && now.known && now.type == EXPR_NUMBER && !figure.rescaled)
			figure.by = now.number - was.number;
		figure.before = keep(f, &before);
		figure.after = keep(f, &after);
		vec_push(&all->items, figure);
	}
	buf_free(&before);
	buf_free(&after);
	arena_free(&arena);
}

static void add_figures(struct frame *f, struct changes *all)
{
	struct expr_scene scene;
	struct buf b = {0};
	size_t before;
	if (f->at.turn == 0 || f->at.turn > f->run->timeline.turns.n)
		return;
	buf_printf(&b, "figures, by their names in conditions: at turn %u, here, difference", (unsigned)f->at.turn - 1);
	add_words(f, all, &b);
	before = all->items.n;
	expr_begin(&scene, f->run);
	for (const struct expr_name *name = expr_names; name->name; name++)
		if (is_asked(name))
			add_figure(f, all, &scene, name);
	expr_end(&scene);
	if (all->items.n == before) {
		buf_text(&b, "none of them is another one");
		vec_push(&all->items, (struct changes_line){.kind = CHANGES_WORDS, .text = keep(f, &b)});
	}
	buf_free(&b);
}

/* ---- rows ---- */

static void add_rows(struct frame *f, struct changes *all)
{
	const struct moment *m = f->moment;
	size_t counts[2] = {0, 0};
	struct buf b = {0};
	for (size_t i = 0; i < f->rows.n; i++) {
		counts[0] += (f->rows.v[i].flags & ROW_NEW) != 0;
		counts[1] += (f->rows.v[i].flags & ROW_CHANGED) != 0;
	}
	buf_printf(&b, "rows: %zu new, %zu with another text", counts[0], counts[1]);
	if (m && f->at.turn > 1 && f->at.node == NODE_RENDER && f->at.records == 0) {
		double gone = (double)m[-1].surface + (double)counts[0] - (double)f->surface_rows;
		buf_printf(&b, ", %.0f gone", gone > 0 ? gone : 0);
	}
	add_words(f, all, &b);
	for (size_t i = 0; i < f->rows.n; i++)
		if (f->rows.v[i].flags & (ROW_NEW | ROW_CHANGED))
			vec_push(&all->items,
				 (struct changes_line){.kind = CHANGES_ROW,
						       .row = (uint32_t)i,
						       .key = rows_key_of(&f->run->state, &f->rows.v[i].row)});
	buf_free(&b);
}

static const struct changes *changes_of(const struct view_context *c)
{
	struct frame *f = c->frame;
	struct changes *all = f->kept[KEPT_CHANGES];
	if (all)
		return all;
	all = f->kept[KEPT_CHANGES] = arena_zero(&f->arena, 1, sizeof *all);
	arena_defer(&f->arena, changes_free, all);
	add_figures(f, all);
	add_rows(f, all);
	return all;
}

/* ---- the view ---- */

static size_t count(const struct view_context *c) { return changes_of(c)->items.n; }

static void put_figure(const struct changes_line *x, struct line *out)
{
	enum { NAME = 20, VALUE = 12 };
	struct buf b = {0};
	line_puts(out, STYLE_PLAIN, "  ");
	line_put_clipped(out, STYLE_PLAIN, x->text, NAME, ALIGN_LEFT);
	line_put_clipped(out, STYLE_DIM, x->before, VALUE, ALIGN_RIGHT);
	line_puts(out, STYLE_DIM, " ");
	line_glyph(out, STYLE_DIM, GLYPH_ARROW_RIGHT);
	line_puts(out, STYLE_DIM, " ");
	line_put_clipped(out, STYLE_NUMBER, x->after, VALUE, ALIGN_RIGHT);
	if (x->rescaled)
		line_put_clipped(out, STYLE_DIM, STR("other scale"), VALUE, ALIGN_RIGHT);
	if (!isnan(x->by)) {
		buf_printf(&b, "%s%.6g", x->by > 0 ? "+" : "", x->by);
		line_put_clipped(out, STYLE_CHANGED, buf_view(&b), VALUE, ALIGN_RIGHT);
	}
	buf_free(&b);
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	const struct changes_line *x = &changes_of(c)->items.v[i];
	line_reset(out, c->width);
	switch ((enum changes_kind)x->kind) {
	case CHANGES_BLANK:
		break;
	case CHANGES_WORDS:
		words_put(out, STYLE_HEADING, x->text);
		break;
	case CHANGES_FIGURE:
		put_figure(x, out);
		break;
	case CHANGES_ROW:
		rows_paint(c, &c->frame->rows.v[x->row], out);
		break;
	}
}

static uint64_t key(const struct view_context *c, size_t i) { return changes_of(c)->items.v[i].key; }

static bool is_figure(uint64_t key) { return key >= FIGURE_KEY; }

static size_t detail_lines(const struct view_context *c, uint64_t key)
{
	return is_figure(key) ? 1 : rows_detail_count(c, key);
}

/* Of a figure what conditions say it is. */
static void detail_line_at(const struct view_context *c, uint64_t key, size_t i, struct line *out)
{
	if (!is_figure(key)) {
		rows_detail_line(c, key, i, out);
		return;
	}
	line_reset(out, c->width);
	line_puts(out, STYLE_PLAIN, "    ");
	words_put(out, STYLE_DIM, str_of(expr_names[key - FIGURE_KEY].help));
}

const struct view_ops changes_view = {
	.name = "changes",
	.title = "Changes",
	.count = count,
	.line = line,
	.key = key,
	.detail_count = detail_lines,
	.detail_line = detail_line_at,
};
