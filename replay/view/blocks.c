/* The Blocks view: the tree of tiers, what went into each block and what it came down to (interface.md, pane 3). */
#include "replay/view/blocks.h"

#include <math.h>

#include "replay/view/columns.h"
#include "replay/view/dsh.h"
#include "replay/view/words.h"

/* ---- columns ---- */

enum {
	COLUMN_BLOCK,
	COLUMN_TIER,
	COLUMN_STANDING,
	COLUMN_IN,
	COLUMN_OUT,
	COLUMN_NET,
	COLUMN_ARGUMENTS,
	COLUMN_ROWS,
	COLUMN_AGE,
	COLUMN_SURVIVED,
	COLUMN_REFS,
	COLUMN_CALL,
	COLUMN_COUNT
};

enum { ARGUMENTS_FROM = 150 };

/* Columns by width of the window, the widest first; block and topic always stay. */
static const struct column_widths widths[] = {
	{ARGUMENTS_FROM,
	 {[COLUMN_BLOCK] = 14,
	  [COLUMN_TIER] = 2,
	  [COLUMN_STANDING] = 8,
	  [COLUMN_IN] = 9,
	  [COLUMN_OUT] = 7,
	  [COLUMN_NET] = 7,
	  [COLUMN_ARGUMENTS] = 12,
	  [COLUMN_ROWS] = 9,
	  [COLUMN_AGE] = 5,
	  [COLUMN_SURVIVED] = 9,
	  [COLUMN_REFS] = 14,
	  [COLUMN_CALL] = 12}},
	{120,
	 {[COLUMN_BLOCK] = 14,
	  [COLUMN_TIER] = 2,
	  [COLUMN_STANDING] = 8,
	  [COLUMN_IN] = 9,
	  [COLUMN_OUT] = 7,
	  [COLUMN_ROWS] = 9,
	  [COLUMN_AGE] = 5,
	  [COLUMN_SURVIVED] = 9,
	  [COLUMN_REFS] = 14,
	  [COLUMN_CALL] = 12}},
	{80,
	 {[COLUMN_BLOCK] = 10,
	  [COLUMN_TIER] = 2,
	  [COLUMN_STANDING] = 8,
	  [COLUMN_IN] = 7,
	  [COLUMN_OUT] = 7,
	  [COLUMN_ROWS] = 7,
	  [COLUMN_AGE] = 4,
	  [COLUMN_SURVIVED] = 6}},
	{60, {[COLUMN_BLOCK] = 10, [COLUMN_TIER] = 2, [COLUMN_STANDING] = 8, [COLUMN_IN] = 7, [COLUMN_OUT] = 7}},
	{40, {[COLUMN_BLOCK] = 9, [COLUMN_TIER] = 2, [COLUMN_STANDING] = 8}},
	{20, {[COLUMN_BLOCK] = 7, [COLUMN_STANDING] = 1}},
	{0, {[COLUMN_BLOCK] = 6}},
};

struct painter {
	const struct view_context *c;
	struct frame *f;
	const struct frame_blocks *tree;
	const struct frame_block *node;
	const struct block *k;
	const struct pi_request *anchors; /* NULL = they are not shown, or there is no request */
	struct line *out;
};

static bool is_off(const struct painter *p) { return p->node->standing != BLOCK_ACTIVE; }

static enum style style_of(const struct painter *p, enum style own) { return is_off(p) ? STYLE_COVERED : own; }

static void put(const struct painter *p, enum style own, struct buf *b, int width, enum align align)
{
	line_put_clipped(p->out, style_of(p, own), buf_view(b), width, align);
	buf_free(b);
}

/* The branch that leads to the block; of a deep tree only its lowest levels are drawn. */
static void put_branch(const struct painter *p, int width)
{
	uint32_t levels = p->node->depth, most = width > 8 ? (uint32_t)(width - 6) : 1;
	if (levels > most)
		levels = most;
	for (uint32_t level = 1; level <= levels; level++) {
		const struct frame_block *at = p->node;
		for (uint32_t up = levels - level; up > 0; up--)
			at = &p->tree->v[at->parent - 1];
		if (level < levels && at->last)
			line_puts(p->out, STYLE_DIM, " ");
		else
			line_glyph(p->out, STYLE_DIM,
				   level < levels ? GLYPH_TREE_LINE
				   : at->last     ? GLYPH_TREE_LAST
						  : GLYPH_TREE_BRANCH);
	}
}

static void put_block(const struct painter *p, int width)
{
	int end = p->out->width + width;
	put_branch(p, width);
	line_put_clipped(p->out, style_of(p, STYLE_REF), names_get(p->f->run->state.names, p->k->id),
			 end - p->out->width, ALIGN_LEFT);
}

static void put_tier(const struct painter *p, int width)
{
	struct buf b = {0};
	buf_printf(&b, "T%u", p->k->tier);
	put(p, STYLE_BOLD, &b, width, ALIGN_LEFT);
}

static void put_standing(const struct painter *p, int width)
{
	static const enum style styles[BLOCK_STANDINGS] = {STYLE_GOOD, STYLE_COVERED, STYLE_WARNING, STYLE_WARNING};
	const char *name = block_standing_name((enum block_standing)p->node->standing);
	struct str word = str_cut(str_of(name), 0, width < 8 ? (size_t)width : 8);
	line_put_clipped(p->out, styles[p->node->standing], word, width, ALIGN_LEFT);
}

/* A number, or its label when it is too wide. */
static void put_number(const struct painter *p, double x, bool known, int width)
{
	struct buf b = {0};
	if (known)
		words_count_in(&b, x, width);
	else
		buf_char(&b, '?');
	put(p, STYLE_NUMBER, &b, width, ALIGN_RIGHT);
}

static void put_in(const struct painter *p, int width) { put_number(p, p->k->tokens, p->k->has_tokens, width); }
static void put_out(const struct painter *p, int width) { put_number(p, frame_block_out(p->f, p->k), true, width); }

static void put_net(const struct painter *p, int width)
{
	double net = frame_block_net(p->f, p->node);
	put_number(p, net, !isnan(net), width);
}

/* "478>278": of its call, as recorded and as sent; nothing where the request does not carry it. */
static void put_arguments(const struct painter *p, int width)
{
	struct frame_anchor a = frame_block_anchor(p->anchors, p->k);
	struct buf b = {0};
	if (a.sent) {
		words_short(&b, a.recorded);
		buf_text(&b, glyph(GLYPH_ARROW_RIGHT, p->c->ascii));
		words_short(&b, a.slimmed);
	} else {
		buf_char(&b, '-');
	}
	put(p, STYLE_NUMBER, &b, width, ALIGN_RIGHT);
}

static void put_rows(const struct painter *p, int width)
{
	struct buf b = {0};
	buf_printf(&b, "%u/%u", p->k->present, p->k->effective_n);
	put(p, STYLE_NUMBER, &b, width, ALIGN_RIGHT);
}

static void put_age(const struct painter *p, int width)
{
	bool known = p->node->made != BLOCK_MADE_UNKNOWN;
	put_number(p, known ? frame_block_age(p->f, p->node) : 0, known, width);
}

static void put_survived(const struct painter *p, int width)
{
	struct buf b = {0};
	words_short(&b, p->k->survived);
	if (width >= 9)
		buf_text(&b, p->k->old ? " old" : " young");
	else
		buf_text(&b, p->k->old ? " o" : " y");
	put(p, STYLE_NUMBER, &b, width, ALIGN_RIGHT);
}

static void put_refs(const struct painter *p, int width)
{
	struct buf b = {0};
	if (p->k->start_ref.p != NULL && p->k->end_ref.p != NULL) {
		buf_str(&b, p->k->start_ref);
		buf_text(&b, "..");
		buf_str(&b, p->k->end_ref);
	} else {
		buf_char(&b, '-');
	}
	put(p, STYLE_REF, &b, width, ALIGN_LEFT);
}

static void put_call(const struct painter *p, int width)
{
	struct buf b = {0};
	if (p->k->call != 0)
		buf_str(&b, names_get(p->f->run->state.names, p->k->call));
	else
		buf_char(&b, '-');
	put(p, STYLE_DIM, &b, width, ALIGN_LEFT);
}

static const struct column columns[COLUMN_COUNT] = {
	[COLUMN_BLOCK] = {"block", NULL, ALIGN_LEFT, put_block},
	[COLUMN_TIER] = {"T", NULL, ALIGN_LEFT, put_tier},
	[COLUMN_STANDING] = {"state", NULL, ALIGN_LEFT, put_standing},
	[COLUMN_IN] = {"raw in", NULL, ALIGN_RIGHT, put_in},
	[COLUMN_OUT] = {"raw out", "cal out", ALIGN_RIGHT, put_out},
	[COLUMN_NET] = {"net", NULL, ALIGN_RIGHT, put_net},
	[COLUMN_ARGUMENTS] = {"raw args", NULL, ALIGN_RIGHT, put_arguments},
	[COLUMN_ROWS] = {"rows", NULL, ALIGN_RIGHT, put_rows},
	[COLUMN_AGE] = {"age", NULL, ALIGN_RIGHT, put_age},
	[COLUMN_SURVIVED] = {"survd", NULL, ALIGN_RIGHT, put_survived},
	[COLUMN_REFS] = {"refs written", NULL, ALIGN_LEFT, put_refs},
	[COLUMN_CALL] = {"call", NULL, ALIGN_LEFT, put_call},
};

static const struct columns table = {columns, COLUMN_COUNT, widths};

/* Topic, and as much of the summary as there is room for. */
static void put_text(const struct painter *p)
{
	enum { LEAST = 8 }; /* columns a beginning of the summary is worth */
	if (line_left(p->out) == 0)
		return;
	words_put(p->out, style_of(p, STYLE_BOLD), p->k->topic);
	if (p->k->topic.n > 0 && line_left(p->out) < LEAST)
		return;
	if (p->k->topic.n > 0) {
		line_puts(p->out, STYLE_DIM, " ");
		line_glyph(p->out, STYLE_DIM, GLYPH_DOT);
		line_puts(p->out, STYLE_DIM, " ");
	}
	words_put(p->out, style_of(p, STYLE_PLAIN), text_trim(p->k->summary));
}

static void paint(const struct painter *p)
{
	line_puts(p->out, STYLE_PLAIN, " "); /* where a selection is marked */
	columns_put(&table, p->c->width, p, p->out);
	put_text(p);
}

/* ---- the line above the tree ---- */

static void put_head(const struct view_context *c, struct line *out)
{
	struct frame *f = c->frame;
	struct buf b = {0};
	if (f == NULL || f->run == NULL) {
		words_put(out, STYLE_DIM, STR("nothing to show yet"));
		return;
	}
	const struct frame_blocks *tree = frame_blocks(f);
	if (tree->n == 0) {
		words_put(out, STYLE_DIM, STR("No blocks at this position: nothing was compressed before it."));
		return;
	}
	words_count(&b, tree->active[0]);
	buf_text(&b, " active of ");
	words_plural(&b, (double)tree->n, "block", "blocks");
	if (tree->active[0] > 0) {
		buf_text(&b, ": ");
		words_plural(&b, tree->in[0], "token", "tokens");
		buf_printf(&b, " (%s) %s ", words_block_scale(c->run), glyph(GLYPH_ARROW_RIGHT, c->ascii));
		words_count(&b, tree->out[0]);
		buf_printf(&b, " (%s)", words_counter_scale(f));
		for (int t = 1; t < BLOCK_TIERS; t++)
			if (tree->active[t] > 0)
				buf_printf(&b, ", T%d: %u", t, tree->active[t]);
	}
	words_put(out, STYLE_PLAIN, buf_view(&b));
	buf_free(&b);
}

/* ---- the view ---- */

static const struct frame_blocks *tree_of(const struct view_context *c)
{
	return c->frame && c->frame->run ? frame_blocks(c->frame) : NULL;
}

static size_t count(const struct view_context *c)
{
	if (dsh_view_is(c))
		return dsh_blocks_view.count(c);
	const struct frame_blocks *tree = tree_of(c);
	return 1 + (tree ? tree->n : 0);
}

static uint64_t key(const struct view_context *c, size_t i)
{
	if (dsh_view_is(c))
		return dsh_blocks_view.key(c, i);
	const struct frame_blocks *tree = tree_of(c);
	return tree && i > 0 && i <= tree->n ? tree->v[i - 1].key : 0;
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	if (dsh_view_is(c)) {
		dsh_blocks_view.line(c, i, out);
		return;
	}
	const struct frame_blocks *tree = tree_of(c);
	line_reset(out, c->width);
	if (i == 0) {
		put_head(c, out);
		return;
	}
	if (tree == NULL || i > tree->n)
		return;
	/* before anything is taken of the state */
	const struct pi_request *anchors = c->width >= ARGUMENTS_FROM ? frame_anchors(c->frame) : NULL;
	struct painter p = {
		.c = c, .anchors = anchors, .f = c->frame, .tree = tree, .node = &tree->v[i - 1], .out = out};
	p.k = &c->frame->run->state.blocks.v[p.node->block];
	paint(&p);
}

static void caption(const struct view_context *c, struct line *out)
{
	if (dsh_view_is(c)) {
		dsh_blocks_view.caption(c, out);
		return;
	}
	line_reset(out, c->width);
	line_puts(out, STYLE_HEADING, " ");
	columns_caption(&table, c, out);
	line_puts(out, STYLE_HEADING, "topic");
}

const struct view_ops blocks_view = {
	.name = "blocks",
	.title = "Blocks",
	.count = count,
	.line = line,
	.key = key,
	.detail_count = blocks_detail_count,
	.detail_line = blocks_detail_line,
	.caption = caption,
};
