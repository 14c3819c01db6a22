/* The Ranges view: what could be compressed, what is kept, and the answer to each range alone (interface.md, pane 2).
 */
#include "replay/view/ranges.h"

#include <math.h>

#include "engine/base/num.h"
#include "replay/view/columns.h"
#include "replay/view/dsh.h"
#include "replay/view/words.h"

/* ---- columns ---- */

enum { COLUMN_KIND, COLUMN_REFS, COLUMN_ROWS, COLUMN_TOKENS, COLUMN_UNITS, COLUMN_SHORT, COLUMN_TOOLS, COLUMN_COUNT };

/* Columns by width of the window, the widest first; bracket, refs and answer always stay. */
static const struct column_widths widths[] = {
	{110,
	 {[COLUMN_KIND] = 11,
	  [COLUMN_REFS] = 14,
	  [COLUMN_ROWS] = 6,
	  [COLUMN_TOKENS] = 9,
	  [COLUMN_UNITS] = 9,
	  [COLUMN_SHORT] = 8,
	  [COLUMN_TOOLS] = 5}},
	{80,
	 {[COLUMN_KIND] = 9,
	  [COLUMN_REFS] = 14,
	  [COLUMN_ROWS] = 4,
	  [COLUMN_TOKENS] = 7,
	  [COLUMN_UNITS] = 7,
	  [COLUMN_SHORT] = 7}},
	{60, {[COLUMN_KIND] = 9, [COLUMN_REFS] = 14, [COLUMN_TOKENS] = 7}},
	{40, {[COLUMN_KIND] = 6, [COLUMN_REFS] = 14}},
	{30, {[COLUMN_REFS] = 14}},
	{0, {[COLUMN_REFS] = 6}},
};

struct painter {
	const struct view_context *c;
	struct frame *f;
	const struct frame_range *range;
	struct line *out;
};

static bool is_inner(const struct painter *p) { return p->range->kind == FRAME_RANGE_GROUP; }

static void put_kind(const struct painter *p, int width)
{
	static const char *const brief[FRAME_RANGE_KINDS] = {"recom.", "small", "group", "prot.", "recent"};
	static const enum style styles[FRAME_RANGE_KINDS] = {STYLE_RANGE, STYLE_WARNING, STYLE_DIM, STYLE_PROTECTED,
							     STYLE_PROTECTED};
	enum frame_range_kind kind = (enum frame_range_kind)p->range->kind;
	const char *name = width < 9 ? brief[kind] : frame_range_kind_name(kind);
	if (width == 9 && kind == FRAME_RANGE_RECOMMENDED)
		name = "recommend";
	line_put_clipped(p->out, styles[kind], str_of(name), width, ALIGN_LEFT);
}

static void put_refs(const struct painter *p, int width)
{
	struct buf b = {0};
	reason_span(p->f, p->range->start, width < 14 ? p->range->start : p->range->end, &b);
	line_put_clipped(p->out, STYLE_REF, buf_view(&b), width, ALIGN_LEFT);
	buf_free(&b);
}

/* A number, or its label when it is too wide; nothing for NAN. */
static void put_number(const struct painter *p, enum style style, double x, int width)
{
	struct buf b = {0};
	if (!isnan(x))
		words_count_in(&b, x, width);
	line_put_clipped(p->out, style, buf_view(&b), width, ALIGN_RIGHT);
	buf_free(&b);
}

static enum style number_style(const struct painter *p) { return is_inner(p) ? STYLE_DIM : STYLE_NUMBER; }

static void put_rows(const struct painter *p, int width) { put_number(p, number_style(p), p->range->count, width); }
static void put_tokens(const struct painter *p, int width) { put_number(p, number_style(p), p->range->tokens, width); }
static void put_units(const struct painter *p, int width) { put_number(p, number_style(p), p->range->chars, width); }

static void put_short(const struct painter *p, int width)
{
	double missing = frame_range_short(p->f, p->range);
	put_number(p, is_inner(p) ? STYLE_DIM : STYLE_WARNING, missing > 0 ? missing : (double)NAN, width);
}

static void put_tools(const struct painter *p, int width)
{
	struct buf b = {0};
	if (p->range->tool_pct >= 0)
		words_percent_round(&b, p->range->tool_pct / 100.0);
	line_put_clipped(p->out, STYLE_DIM, buf_view(&b), width, ALIGN_RIGHT);
	buf_free(&b);
}

static const struct column columns[COLUMN_COUNT] = {
	[COLUMN_KIND] = {"kind", NULL, ALIGN_LEFT, put_kind},
	[COLUMN_REFS] = {"refs", NULL, ALIGN_LEFT, put_refs},
	[COLUMN_ROWS] = {"rows", NULL, ALIGN_RIGHT, put_rows},
	[COLUMN_TOKENS] = {"raw est", "cal est", ALIGN_RIGHT, put_tokens},
	[COLUMN_UNITS] = {"units", NULL, ALIGN_RIGHT, put_units},
	[COLUMN_SHORT] = {"short", NULL, ALIGN_RIGHT, put_short},
	[COLUMN_TOOLS] = {"tool", NULL, ALIGN_RIGHT, put_tools},
};

static const struct columns table = {columns, COLUMN_COUNT, widths};

/* ---- answer ---- */

/* In full, or as briefly as it can be said. */
static void say_accepted(const struct painter *p, const struct range_answer *a, bool full, struct buf *b)
{
	buf_printf(b, full ? "applied: tier %u of " : "T%u of ", a->tier);
	words_plural(b, a->direct, "row", "rows");
	if (full) {
		buf_text(b, ", ");
		words_count(b, a->tokens);
		buf_printf(b, " tokens (%s)", words_counter_scale(p->f));
	}
	if (a->excluded > 0) {
		buf_text(b, ", ");
		words_count(b, a->excluded);
		buf_text(b, full ? " left out" : " out");
	}
	if (a->consumed > 0) {
		buf_text(b, full ? ", takes in " : ", +");
		words_plural(b, a->consumed, "block", "blocks");
	}
}

static void put_answer(const struct painter *p)
{
	const struct range_answer *a = p->range->answer;
	enum style style = a->accepted ? STYLE_GOOD : STYLE_WARNING;
	struct buf b = {0};
	if (line_left(p->out) == 0)
		return;
	line_glyph(p->out, style, a->accepted ? GLYPH_PASS : GLYPH_FAIL);
	line_puts(p->out, style, " ");
	if (a->accepted) {
		say_accepted(p, a, true, &b);
	} else {
		buf_text(&b, compress_kind_name(a->kind));
		reason_refusal(p->f, p->range, &b);
	}
	if (b.n > (size_t)line_left(p->out)) {
		buf_cut(&b, 0);
		if (a->accepted)
			say_accepted(p, a, false, &b);
		else
			buf_text(&b, compress_kind_name(a->kind));
	}
	words_put(p->out, is_inner(p) ? STYLE_DIM : STYLE_PLAIN, buf_view(&b));
	buf_free(&b);
}

/* A range and the groups it was merged of are one bracket. */
static void put_bracket(const struct painter *p)
{
	if (is_inner(p))
		line_glyph(p->out, STYLE_RANGE, p->range->last_of_its_kind ? GLYPH_RANGE_BOTTOM : GLYPH_RANGE_MID);
	else if (p->range->kind > FRAME_RANGE_SMALL)
		line_puts(p->out, STYLE_PLAIN, " ");
	else
		line_glyph(p->out, STYLE_RANGE, p->range->groups > 1 ? GLYPH_RANGE_TOP : GLYPH_RANGE_SINGLE);
}

static void paint(const struct painter *p)
{
	line_puts(p->out, STYLE_PLAIN, " "); /* where a selection is marked */
	put_bracket(p);
	columns_put(&table, p->c->width, p, p->out);
	put_answer(p);
}

/* ---- lines above the list ---- */

enum { HEAD_MAX = 4 };

struct head {
	struct str words;
	uint8_t style;
};

static const char *nothing_yet(const struct frame *f)
{
	if (f->capacity)
		return "No ranges: the turn could not run, all 99,999 refs are used up (ref-capacity).";
	return "No ranges at this position: recommend, node 6 of the turn, has not run.";
}

static void say_counts(const struct frame *f, const struct frame_ranges *r, struct buf *b)
{
	double min = f->run->config.min_range;
	const uint32_t *of = r->of_kind;
	uint32_t recommended = of[FRAME_RANGE_RECOMMENDED] + of[FRAME_RANGE_SMALL];
	words_plural(b, r->groups, "group in ", "groups in ");
	words_plural(b, recommended, "recommended range", "recommended ranges");
	if (recommended > 0 && min > 0) {
		buf_text(b, " of at least ");
		words_count(b, min);
		buf_text(b, " units");
	}
	if (of[FRAME_RANGE_SMALL] > 0)
		buf_text(b, ", the last too small");
	buf_printf(b, "; %u protected, %u recent", of[FRAME_RANGE_PROTECTED], of[FRAME_RANGE_RECENT]);
}

static void say_rule(const struct frame_ranges *r, struct buf *b)
{
	buf_text(b, "alone: applyCompression to the range by itself, with a summary of ");
	words_plural(b, (double)r->summary.n, "unit", "units");
	buf_text(b, r->legal ? "" : " (no length is legal)");
}

static void push(struct head *heads, size_t *n, struct arena *a, enum style style, struct buf *b)
{
	heads[(*n)++] = (struct head){{arena_copy(a, buf_view(b).p, b->n), b->n}, (uint8_t)style};
	buf_cut(b, 0);
}

static size_t heads_of(const struct view_context *c, struct arena *a, struct head heads[HEAD_MAX])
{
	struct frame *f = c->frame;
	struct buf b = {0};
	size_t n = 0;
	if (f == NULL || f->run == NULL) {
		heads[n++] = (struct head){STR("nothing to show yet"), STYLE_DIM};
		return n;
	}
	const struct frame_ranges *r = frame_ranges(f);
	if (r == NULL) {
		heads[n++] = (struct head){str_of(nothing_yet(f)), STYLE_DIM};
		return n;
	}
	if (words_counterfactual(f))
		heads[n++] = (struct head){str_of(words_why_counterfactual(f)), STYLE_WARNING};
	if (f->counterfactual_tokens)
		heads[n++] =
			(struct head){STR("No turn happened at this position: what one would offer."), STYLE_WARNING};
	say_counts(f, r, &b);
	push(heads, &n, a, STYLE_PLAIN, &b);
	say_rule(r, &b);
	push(heads, &n, a, STYLE_DIM, &b);
	buf_free(&b);
	return n;
}

/* ---- the view ---- */

/* The range of line i, or NULL. */
static const struct frame_range *range_at(const struct view_context *c, size_t i, size_t *range)
{
	struct arena a = {0};
	struct head heads[HEAD_MAX];
	size_t n = heads_of(c, &a, heads);
	arena_free(&a);
	const struct frame_ranges *r = c->frame && c->frame->run ? frame_ranges(c->frame) : NULL;
	if (r == NULL || i < n || i - n >= r->n)
		return NULL;
	*range = i - n;
	return &r->v[*range];
}

static size_t count(const struct view_context *c)
{
	if (dsh_view_is(c))
		return dsh_ranges_view.count(c);
	struct arena a = {0};
	struct head heads[HEAD_MAX];
	size_t n = heads_of(c, &a, heads);
	arena_free(&a);
	const struct frame_ranges *r = c->frame && c->frame->run ? frame_ranges(c->frame) : NULL;
	return n + (r ? r->n : 0);
}

static uint64_t key(const struct view_context *c, size_t i)
{
	if (dsh_view_is(c))
		return dsh_ranges_view.key(c, i);
	size_t range;
	const struct frame_range *r = range_at(c, i, &range);
	return r ? r->key : 0;
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	if (dsh_view_is(c)) {
		dsh_ranges_view.line(c, i, out);
		return;
	}
	size_t range;
	const struct frame_range *r = range_at(c, i, &range);
	line_reset(out, c->width);
	if (r != NULL) {
		struct painter p = {c, c->frame, r, out};
		frame_range_answer(c->frame, range);
		paint(&p);
		return;
	}
	struct arena a = {0};
	struct head heads[HEAD_MAX];
	if (i < heads_of(c, &a, heads))
		words_put(out, (enum style)heads[i].style, heads[i].words);
	arena_free(&a);
}

static void caption(const struct view_context *c, struct line *out)
{
	if (dsh_view_is(c)) {
		dsh_ranges_view.caption(c, out);
		return;
	}
	line_reset(out, c->width);
	line_puts(out, STYLE_HEADING, "  ");
	columns_caption(&table, c, out);
	line_puts(out, STYLE_HEADING, "alone");
}

const struct view_ops ranges_view = {
	.name = "ranges",
	.title = "Ranges",
	.count = count,
	.line = line,
	.key = key,
	.detail_count = ranges_detail_count,
	.detail_line = ranges_detail_line,
	.caption = caption,
};
