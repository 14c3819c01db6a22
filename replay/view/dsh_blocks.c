/* The Blocks view of a DSH session: the plugin's ledger beside the kernel's blocks, and what is wrong with it
 * (interface.md, pane 3; dsh.md 9). */
#include <inttypes.h>

#include "replay/view/blocks.h"
#include "replay/view/columns.h"
#include "replay/view/dsh.h"
#include "replay/view/text.h"
#include "replay/view/words.h"

#define KEY_LEDGER  ((uint64_t)12 << 40)
#define KEY_FINDING ((uint64_t)13 << 40)

enum { INDENT = 2, PREVIEW_BYTES = 1024 };

/* ---- the list ---- */

/* A block of the ledger with the kernel's, either of which may be missing, or a finding. */
struct item {
	const struct dsh_block *block;
	uint32_t kernel; /* block of the state + 1; 0 = none */
	const struct dsh_found *found;
	uint32_t findings; /* of the block */
	uint64_t key;
};

struct kept {
	int64_t at;
	struct item *v;
	size_t n;
	uint32_t blocks, active, unmatched; /* of the ledger; of the kernel only */
	struct dsh_found_list found;
};

static void kept_free(void *kept)
{
	struct kept *k = kept;
	vec_free(&k->found.list);
}

/* By name of a block's id in the kernel: its place + 1, 0 = it has none; of several the last. */
struct kernel_blocks {
	VEC(uint32_t) of;
};

static void index_kernel(const struct state *s, struct kernel_blocks *k)
{
	for (uint32_t i = 0; i < s->blocks.n; i++) {
		vec_fill(&k->of, (size_t)s->blocks.v[i].id + 1);
		k->of.v[s->blocks.v[i].id] = i + 1;
	}
}

/* The kernel's block that a ledger's entry stands for, + 1; 0 = none. */
static uint32_t kernel_of(const struct frame *f, const struct dsh_block *block, int64_t at,
			  const struct kernel_blocks *k)
{
	uint32_t checkpoint = dsh_ledger_checkpoint(&f->run->dsh.ledger, block, at);
	uint32_t known = checkpoint != DSH_NONE ? run_dsh_block(f->run, checkpoint, block) : 0;
	return known < k->of.n ? k->of.v[known] : 0;
}

static void add_ledger(struct frame *f, struct kept *k, uint8_t *matched)
{
	const struct run *r = f->run;
	const struct dsh_ledger *l = &r->dsh.ledger;
	struct kernel_blocks kernel = {0};
	index_kernel(&r->state, &kernel);
	for (uint32_t i = 0; i < k->blocks; i++) {
		struct item *item = &k->v[k->n++];
		*item = (struct item){.block = &l->blocks.v[i]};
		item->kernel = kernel_of(f, item->block, k->at, &kernel);
		item->key = KEY_LEDGER | item->block->summary;
		k->active += dsh_block_active(l, item->block, k->at);
		if (item->kernel > 0)
			matched[item->kernel - 1] = 1;
	}
	vec_free(&kernel.of);
}

static void add_rest(struct frame *f, struct kept *k, const uint8_t *matched)
{
	struct state *s = &f->run->state;
	for (uint32_t i = 0; i < s->blocks.n; i++) {
		if (matched[i])
			continue;
		k->unmatched++;
		k->v[k->n++] = (struct item){.kernel = i + 1, .key = frame_block_key(s, i)};
	}
	for (size_t i = 0; i < k->found.list.n; i++) {
		const struct dsh_found *found = &k->found.list.v[i];
		k->v[k->n++] =
			(struct item){.found = found, .key = KEY_FINDING | (uint64_t)found->by << 32 | found->index};
	}
}

static const struct kept *kept_of(const struct view_context *c)
{
	struct frame *f = c->frame;
	struct kept *k = f->kept[KEPT_DSH_BLOCKS];
	if (k != NULL)
		return k;
	k = f->kept[KEPT_DSH_BLOCKS] = arena_zero(&f->arena, 1, sizeof *k);
	arena_defer(&f->arena, kept_free, k);
	k->at = dsh_seq_at(f->run);
	dsh_findings(f->run, k->at, &k->found);
	k->blocks = (uint32_t)dsh_ledger_count(&f->run->dsh.ledger, k->at);
	size_t most = k->blocks + f->run->state.blocks.n + k->found.list.n;
	uint8_t *matched = arena_zero(&f->arena, f->run->state.blocks.n + 1, 1);
	k->v = arena_alloc(&f->arena, (most + 1) * sizeof *k->v);
	add_ledger(f, k, matched);
	add_rest(f, k, matched);
	return k;
}

/* ---- columns ---- */

enum {
	COLUMN_BLOCK,
	COLUMN_ID,
	COLUMN_MAKER,
	COLUMN_TIER,
	COLUMN_STATE,
	COLUMN_CHECKPOINT,
	COLUMN_ROWS,
	COLUMN_PRICE,
	COLUMN_KERNEL,
	COLUMN_COUNT
};

/* The widest window first; block and text always stay. */
static const struct column_widths widths[] = {
	{120,
	 {[COLUMN_BLOCK] = 8,
	  [COLUMN_ID] = 8,
	  [COLUMN_MAKER] = 6,
	  [COLUMN_TIER] = 2,
	  [COLUMN_STATE] = 8,
	  [COLUMN_CHECKPOINT] = 10,
	  [COLUMN_ROWS] = 6,
	  [COLUMN_PRICE] = 9,
	  [COLUMN_KERNEL] = 9}},
	{80,
	 {[COLUMN_BLOCK] = 5,
	  [COLUMN_ID] = 8,
	  [COLUMN_MAKER] = 6,
	  [COLUMN_TIER] = 2,
	  [COLUMN_STATE] = 6,
	  [COLUMN_CHECKPOINT] = 6,
	  [COLUMN_ROWS] = 5,
	  [COLUMN_PRICE] = 7,
	  [COLUMN_KERNEL] = 7}},
	{60,
	 {[COLUMN_BLOCK] = 5,
	  [COLUMN_ID] = 8,
	  [COLUMN_MAKER] = 6,
	  [COLUMN_TIER] = 2,
	  [COLUMN_CHECKPOINT] = 6,
	  [COLUMN_PRICE] = 7}},
	{40, {[COLUMN_BLOCK] = 5, [COLUMN_ID] = 8, [COLUMN_MAKER] = 6, [COLUMN_TIER] = 2}},
	{0, {[COLUMN_BLOCK] = 5}},
};

struct painter {
	const struct view_context *c;
	struct frame *f;
	const struct dsh_ledger *l;
	const struct item *item;
	const struct dsh_compaction *made; /* NULL = none, or of the kernel only */
	const struct block *kernel;        /* NULL = none */
	int64_t at;
	struct line *out;
};

static bool is_active(const struct painter *p)
{
	return p->item->block ? dsh_block_active(p->l, p->item->block, p->at) : p->kernel->active;
}

static void put_buf(const struct painter *p, enum style own, struct buf *b, int width, enum align align)
{
	line_put_clipped(p->out, is_active(p) ? own : STYLE_COVERED, buf_view(b), width, align);
	buf_free(b);
}

static void put_block(const struct painter *p, int width)
{
	struct buf b = {0};
	if (p->item->block)
		dsh_block_ref(p->l, p->item->block, &b);
	else
		buf_str(&b, names_get(p->f->run->state.names, p->kernel->id));
	put_buf(p, STYLE_REF, &b, width, ALIGN_LEFT);
}

static void put_id(const struct painter *p, int width)
{
	int end = p->out->width + width;
	struct buf b = {0};
	if (p->item->block)
		buf_str(&b, names_get(&p->l->log->names, p->item->block->id));
	else
		buf_char(&b, '-');
	line_put(p->out, STYLE_DIM, text_clip(buf_view(&b), width, p->c->ascii, NULL));
	line_pad_to(p->out, end); /* an id is cut without a sign: its beginning is its name */
	buf_free(&b);
}

static void put_maker(const struct painter *p, int width)
{
	struct buf b = {0};
	buf_text(&b, p->item->block ? dsh_maker_name((enum dsh_maker)p->item->block->maker) : "kernel");
	put_buf(p, STYLE_PLAIN, &b, width, ALIGN_LEFT);
}

static void put_tier(const struct painter *p, int width)
{
	struct buf b = {0};
	buf_printf(&b, "T%u", p->item->block ? p->item->block->tier : p->kernel->tier);
	put_buf(p, STYLE_BOLD, &b, width, ALIGN_LEFT);
}

static void put_state(const struct painter *p, int width)
{
	struct buf b = {0};
	buf_text(&b, is_active(p) ? "active" : width < 8 ? "in" : "consumed");
	put_buf(p, STYLE_GOOD, &b, width, ALIGN_LEFT);
}

static void put_checkpoint(const struct painter *p, int width)
{
	uint32_t row = p->item->block ? dsh_ledger_checkpoint(p->l, p->item->block, p->at) : DSH_NONE;
	struct buf b = {0};
	if (row != DSH_NONE)
		buf_printf(&b, "%" PRId64, dsh_log_seq(p->l->log, row));
	else
		buf_text(&b, p->item->block ? "none" : "-");
	put_buf(p, STYLE_REF, &b, width, ALIGN_RIGHT);
}

static void put_rows(const struct painter *p, int width)
{
	struct buf b = {0};
	words_count_in(&b, p->made ? (double)p->made->shadowed_n : p->kernel ? p->kernel->effective_n : 0, width);
	put_buf(p, STYLE_NUMBER, &b, width, ALIGN_RIGHT);
}

static void put_price(const struct painter *p, int width)
{
	struct buf b = {0};
	if (p->item->block && p->item->block->tokens_display)
		buf_char(&b, 'd'); /* recorded as 0: display tokens stand for it (dsh.md 9.1) */
	if (p->item->block)
		words_count_in(&b, p->item->block->tokens, width - (int)b.n);
	else
		buf_char(&b, '-');
	put_buf(p, STYLE_NUMBER, &b, width, ALIGN_RIGHT);
}

static void put_kernel(const struct painter *p, int width)
{
	struct buf b = {0};
	if (p->kernel && p->kernel->has_tokens)
		words_count_in(&b, p->kernel->tokens, width);
	else
		buf_char(&b, p->kernel ? '?' : '-');
	put_buf(p, STYLE_NUMBER, &b, width, ALIGN_RIGHT);
}

static const struct column columns[COLUMN_COUNT] = {
	[COLUMN_BLOCK] = {"block", NULL, ALIGN_LEFT, put_block},
	[COLUMN_ID] = {"id", NULL, ALIGN_LEFT, put_id},
	[COLUMN_MAKER] = {"by", NULL, ALIGN_LEFT, put_maker},
	[COLUMN_TIER] = {"T", NULL, ALIGN_LEFT, put_tier},
	[COLUMN_STATE] = {"state", NULL, ALIGN_LEFT, put_state},
	[COLUMN_CHECKPOINT] = {"checkp", NULL, ALIGN_RIGHT, put_checkpoint},
	[COLUMN_ROWS] = {"rows", NULL, ALIGN_RIGHT, put_rows},
	[COLUMN_PRICE] = {"price", NULL, ALIGN_RIGHT, put_price},
	[COLUMN_KERNEL] = {"raw in", NULL, ALIGN_RIGHT, put_kernel},
};

static const struct columns table = {columns, COLUMN_COUNT, widths};

static void put_text(const struct painter *p)
{
	struct arena a = {0};
	struct buf b = {0};
	bool all;
	if (p->item->findings > 0) {
		words_plural(&b, p->item->findings, "finding", "findings");
		buf_text(&b, "; ");
	}
	words_put(p->out, STYLE_WARNING, buf_view(&b));
	buf_cut(&b, 0);
	if (p->made && p->made->topic != 0) {
		buf_str(&b, names_get(&p->l->log->names, p->made->topic));
		buf_printf(&b, " %s ", glyph(GLYPH_DOT, p->c->ascii));
	}
	uint32_t row = p->item->block ? dsh_ledger_checkpoint(p->l, p->item->block, p->at) : DSH_NONE;
	if (row != DSH_NONE)
		buf_str(&b, dsh_row_text(p->f, row, PREVIEW_BYTES, &a, &all));
	else if (p->item->block == NULL)
		buf_text(&b, "the kernel made it, no transaction of the log stands for it");
	words_put(p->out, is_active(p) ? STYLE_PLAIN : STYLE_COVERED, buf_view(&b));
	buf_free(&b);
	arena_free(&a);
}

/* ---- the view ---- */

static void put_head(const struct view_context *c, struct line *out)
{
	const struct kept *k = kept_of(c);
	const struct run *r = c->frame->run;
	struct buf b = {0};
	if (k->n == 0) {
		words_put(out, STYLE_DIM, STR("No blocks at this position: nothing was compressed before it."));
		return;
	}
	buf_printf(&b, "%u active of ", k->active);
	words_plural(&b, k->blocks, "block", "blocks");
	buf_text(&b, " of the ledger, ");
	words_count(&b, (double)r->state.blocks.n);
	buf_text(&b, " of the kernel; total ");
	words_count(&b, dsh_meter_at(&r->dsh.meter, k->at));
	buf_text(&b, " (price)");
	if (k->found.list.n > 0) {
		buf_text(&b, "; ");
		words_plural(&b, (double)k->found.list.n, "finding", "findings");
	}
	words_put(out, STYLE_PLAIN, buf_view(&b));
	buf_free(&b);
}

static size_t count(const struct view_context *c) { return 1 + kept_of(c)->n; }

static uint64_t key(const struct view_context *c, size_t i)
{
	const struct kept *k = kept_of(c);
	return i > 0 && i <= k->n ? k->v[i - 1].key : 0;
}

static uint32_t findings_of(const struct run *r, const struct kept *k, const struct dsh_block *block)
{
	uint32_t n = 0;
	for (size_t i = 0; i < k->found.list.n; i++)
		n += dsh_finding_is_of(r, &k->found.list.v[i], block);
	return n;
}

static void put_finding(const struct view_context *c, const struct dsh_found *found, struct line *out)
{
	struct buf b = {0};
	line_glyph(out, STYLE_ERROR, GLYPH_FAIL);
	buf_printf(&b, " seq %" PRId64 " ", found->at);
	dsh_finding_words(c->frame->run, found, &b);
	words_put(out, STYLE_WARNING, buf_view(&b));
	buf_free(&b);
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	const struct kept *k = kept_of(c);
	struct frame *f = c->frame;
	line_reset(out, c->width);
	if (i == 0) {
		put_head(c, out);
		return;
	}
	if (i > k->n)
		return;
	struct item item = k->v[i - 1];
	struct painter p = {.c = c, .f = f, .l = &f->run->dsh.ledger, .item = &item, .at = k->at, .out = out};
	line_puts(out, STYLE_PLAIN, " "); /* where a selection is marked */
	if (item.found) {
		put_finding(c, item.found, out);
		return;
	}
	if (item.block) {
		item.findings = findings_of(f->run, k, item.block);
		p.made = dsh_log_row(p.l->log, item.block->summary)->compaction;
	}
	p.kernel = item.kernel > 0 ? &f->run->state.blocks.v[item.kernel - 1] : NULL;
	columns_put(&table, c->width, &p, out);
	put_text(&p);
}

static void caption(const struct view_context *c, struct line *out)
{
	line_reset(out, c->width);
	line_puts(out, STYLE_HEADING, " ");
	columns_caption(&table, c, out);
	line_puts(out, STYLE_HEADING, "topic");
}

const struct view_ops dsh_blocks_view = {
	.name = "blocks", .title = "Blocks", .count = count, .line = line, .key = key, .caption = caption};

/* ---- one opened ---- */

static void put_parents(const struct run *r, const struct dsh_compaction *made, struct detail *d)
{
	struct buf b = {0};
	for (size_t i = 0; i < made->parents_n; i++) {
		buf_text(&b, i == 0 ? "made of the blocks " : ", ");
		buf_str(&b, names_get(&r->dsh.fold.log->names, made->parents[i]));
	}
	if (b.n > 0)
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
}

static void put_facts(const struct run *r, const struct dsh_block *k, int64_t at, struct detail *d)
{
	const struct dsh_ledger *l = &r->dsh.ledger;
	const struct dsh_compaction *made = dsh_log_row(l->log, k->summary)->compaction;
	uint32_t checkpoint = dsh_ledger_checkpoint(l, k, at);
	struct buf b = {0};
	buf_text(&b, "block  ");
	dsh_block_ref(l, k, &b);
	buf_text(&b, "  compaction ");
	buf_str(&b, names_get(&l->log->names, k->id));
	detail_words(d, STYLE_BOLD, 0, &b);
	buf_printf(&b, "made by the %s, tier %u, summary at seq %" PRId64, dsh_maker_name((enum dsh_maker)k->maker),
		   k->tier, dsh_log_seq(l->log, k->summary));
	if (checkpoint != DSH_NONE)
		buf_printf(&b, ", checkpoint at seq %" PRId64, dsh_log_seq(l->log, checkpoint));
	else
		buf_text(&b, ", no checkpoint: it never landed");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_text(&b, dsh_block_active(l, k, at) ? "active: no block lists it as a parent (dsh.md 9.2)"
						: "consumed: another block lists it as a parent (dsh.md 9.2)");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	if (made != NULL && made->has_range) {
		buf_text(&b, "range ");
		dsh_span_words(made->start, made->end, &b);
		buf_text(&b, ", ");
		words_plural(&b, (double)made->shadowed_n, "row", "rows");
		buf_text(&b, " shadowed, ");
	}
	words_count(&b, k->tokens);
	buf_text(&b, k->tokens_display ? " (display: recorded as 0)" : " (price)");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_text(&b, k->kernel != 0 ? "its kernel id is recorded" : "its kernel id is given by order (dsh.md 9.2)");
	detail_words(d, STYLE_DIM, INDENT, &b);
	if (made != NULL)
		put_parents(r, made, d);
	buf_free(&b);
}

static void put_findings(const struct view_context *c, const struct dsh_block *block, struct detail *d)
{
	const struct kept *k = kept_of(c);
	struct buf b = {0};
	bool any = false;
	for (size_t i = 0; i < k->found.list.n; i++) {
		if (!dsh_finding_is_of(c->frame->run, &k->found.list.v[i], block))
			continue;
		if (!any)
			detail_title(d, "Findings");
		any = true;
		dsh_finding_words(c->frame->run, &k->found.list.v[i], &b);
		detail_words(d, STYLE_WARNING, INDENT, &b);
	}
	buf_free(&b);
}

static void open_block(const struct view_context *c, const struct item *item, struct detail *d)
{
	const struct run_dsh *dsh = &c->frame->run->dsh;
	const struct kept *k = kept_of(c);
	struct dsh_originals list = {0};
	put_facts(c->frame->run, item->block, k->at, d);
	put_findings(c, item->block, d);
	dsh_ledger_originals(&dsh->ledger, &dsh->fold, item->block, k->at, &list);
	detail_title(d, "Rows it stands for (dsh.md 9.3)");
	dsh_detail_rows(c->frame, list.seqs.v, list.seqs.n, d);
	vec_free(&list.seqs);
	if (item->kernel == 0) {
		detail_title(d, "The kernel");
		detail_puts(d, STYLE_DIM, INDENT,
			    item->block->maker == DSH_BY_CALL
				    ? "has no block for it here"
				    : "has no block for it: the log has no call that it could be asked with");
		return;
	}
	detail_title(d, "The kernel's block");
	blocks_open(c, item->kernel - 1, d);
}

void dsh_block_open(const struct view_context *c, uint64_t key_wanted, struct detail *d)
{
	const struct kept *k = kept_of(c);
	struct buf b = {0};
	for (size_t i = 0; i < k->n; i++) {
		const struct item *item = &k->v[i];
		if (item->key != key_wanted)
			continue;
		if (item->found) {
			buf_printf(&b, "finding at seq %" PRId64, item->found->at);
			detail_words(d, STYLE_BOLD, 0, &b);
			dsh_finding_words(c->frame->run, item->found, &b);
			detail_words(d, STYLE_WARNING, INDENT, &b);
		} else if (item->block) {
			open_block(c, item, d);
		} else {
			blocks_open(c, item->kernel - 1, d);
		}
		break;
	}
	buf_free(&b);
}
