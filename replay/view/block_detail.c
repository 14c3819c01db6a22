/* One opened block: what it is, why it is active or not, where it is from, its summary and its messages. */
#include <math.h>

#include "replay/view/blocks.h"
#include "replay/view/dsh.h"
#include "replay/view/words.h"

enum { INDENT = 2 };

/* The block's place in the tree. */
static const struct frame_block *node_of(struct frame *f, uint32_t block)
{
	const struct frame_blocks *tree = frame_blocks(f);
	size_t i = 0;
	while (tree->v[i].block != block)
		i++;
	return &tree->v[i];
}

static void put_sizes(struct frame *f, const struct block *k, struct detail *d)
{
	struct buf b = {0};
	if (k->has_tokens)
		words_count(&b, k->tokens);
	else
		buf_char(&b, '?');
	buf_printf(&b, " tokens in (%s with tags, when it was made), ",
		   f->run->pi.changes.n == 0 ? "raw estimate" : "calibrated");
	words_count(&b, frame_block_out(f, k));
	buf_printf(&b, " out (%s of the summary alone, ", words_counter_scale(f));
	words_plural(&b, k->summary_size.units, "unit", "units");
	buf_text(&b, ")");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	words_plural(&b, k->effective_n, "message", "messages");
	buf_text(&b, " covered, ");
	words_count(&b, k->direct_n);
	buf_text(&b, " of them directly; ");
	words_count(&b, k->present);
	buf_text(&b, " are in the host's list now");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
}

/* What it saved, and what its call weighs. */
static void put_gain(struct frame *f, const struct frame_block *node, const struct pi_request *anchors,
		     struct detail *d)
{
	double net = frame_block_net(f, node);
	struct frame_anchor a = frame_block_anchor(anchors, &f->run->state.blocks.v[node->block]);
	struct buf b = {0};
	if (!isnan(net)) {
		buf_text(&b, "net gain ");
		words_count(&b, net);
		buf_printf(&b, " tokens: in less its summary, %s when it was made",
			   f->run->pi.changes.n == 0 ? "raw estimate" : "calibrated");
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	if (a.sent) {
		buf_text(&b, "arguments of its call: ");
		words_count(&b, a.recorded);
		buf_text(&b, " tokens as recorded, ");
		words_count(&b, a.slimmed);
		buf_text(&b, " as sent (raw estimate, pi.md 4)");
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
}

static void put_children(struct frame *f, const struct block *k, struct detail *d)
{
	struct buf b = {0};
	if (k->children_n == 0)
		return;
	buf_text(&b, "made of ");
	for (uint32_t i = 0; i < k->children_n; i++) {
		buf_text(&b, i > 0 ? ", " : "");
		buf_str(&b, names_get(f->run->state.names, k->children[i]));
	}
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
}

static void put_head(struct frame *f, const struct frame_block *node, const struct pi_request *anchors,
		     struct detail *d)
{
	const struct block *k = &f->run->state.blocks.v[node->block];
	struct buf b = {0};
	buf_str(&b, names_get(f->run->state.names, k->id));
	buf_printf(&b, "  tier %u  %s, %s", k->tier, block_standing_name((enum block_standing)node->standing),
		   k->old ? "old" : "young");
	detail_words(d, STYLE_BOLD, 0, &b);
	if (k->has_topic) {
		buf_text(&b, "topic: ");
		buf_str(&b, k->topic);
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	put_sizes(f, k, d);
	put_gain(f, node, anchors, d);
	put_children(f, k, d);
	buf_free(&b);
}

static void put_why(struct frame *f, uint32_t block, struct detail *d)
{
	struct explanation x = {.arena = &d->arena};
	detail_title(d, "Why");
	explain_block(f, block, &x);
	for (size_t i = 0; i < x.reasons.n; i++)
		reason_put(f, &x.reasons.v[i], d);
	explanation_free(&x);
}

static void put_record(struct frame *f, const struct frame_block *node, struct buf *b)
{
	const struct run *r = f->run;
	const struct compress_outcome *o = &r->compressions.v[node->outcome];
	uint32_t line = r->recording->records.v[o->record].line;
	struct position at = {.turn = o->after_turn, .node = NODE_RENDER};
	at.records = (uint32_t)(o->record + 1 - position_record(r, at)) - (at.turn > 0);
	buf_text(b, "made at ");
	position_print(at, b);
	buf_text(b, ", ");
	words_plural(b, frame_block_age(f, node), "turn", "turns");
	buf_text(b, " ago, by the compress record");
	if (line > 0)
		buf_printf(b, " in line %u of ", line);
	else
		buf_text(b, " of ");
	buf_text(b, r->recording->source.path ? r->recording->source.path : "?");
}

static void put_source(struct frame *f, const struct frame_block *node, struct detail *d)
{
	const struct block *k = &f->run->state.blocks.v[node->block];
	struct buf b = {0};
	detail_title(d, "Source");
	if (node->made == BLOCK_MADE_UNKNOWN)
		buf_text(&b, "it came with a stored state");
	else
		put_record(f, node, &b);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	if (k->start_ref.p != NULL && k->end_ref.p != NULL) {
		buf_text(&b, "refs as written: ");
		buf_str(&b, k->start_ref);
		buf_text(&b, "..");
		buf_str(&b, k->end_ref);
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	if (k->call != 0) {
		buf_text(&b, "compress call ");
		buf_str(&b, names_get(f->run->state.names, k->call));
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	if (k->run_id.n > 0) {
		buf_text(&b, "batch ");
		buf_str(&b, k->run_id);
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
}

static void put_summary(const struct block *k, struct detail *d)
{
	detail_title(d, "Summary");
	if (k->summary.n == 0)
		detail_puts(d, STYLE_DIM, INDENT, "(empty)");
	else
		detail_put(d, STYLE_PLAIN, 0, k->summary);
}

/* Messages as rows of a list; of those that are not in the host's list only the number. */
static void put_messages(struct frame *f, const uint32_t *ids, uint32_t n, struct detail *d)
{
	struct buf b = {0};
	uint32_t gone = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t last = state_info(&f->run->state, ids[i])->last;
		if (last != 0)
			detail_message(d, last - 1);
		gone += last == 0;
	}
	if (gone > 0) {
		words_count(&b, gone);
		buf_text(&b, n == gone ? " not in the host's list now" : " more, not in the host's list now");
		detail_words(d, STYLE_DIM, INDENT, &b);
	}
	buf_free(&b);
}

static void put_rows(struct frame *f, const struct block *k, struct detail *d)
{
	struct arena *a = &d->arena;
	uint32_t *rest = arena_alloc(a, (k->effective_n + 1) * sizeof *rest), n = 0;
	struct mark_set direct = {0};
	mark_set_clear(&direct);
	for (uint32_t i = 0; i < k->direct_n; i++)
		mark_set_add(&direct, k->direct[i]);
	for (uint32_t i = 0; i < k->effective_n; i++)
		if (!mark_set_has(&direct, k->effective[i]))
			rest[n++] = k->effective[i];
	mark_set_free(&direct);
	if (k->direct_n > 0) {
		detail_title(d, "Messages it compressed itself");
		put_messages(f, k->direct, k->direct_n, d);
	}
	if (n > 0) {
		detail_title(d, "Messages it covers through the blocks in it");
		put_messages(f, rest, n, d);
	}
}

void blocks_open(const struct view_context *c, uint32_t block, struct detail *d)
{
	struct frame *f = c->frame;
	/* before anything is taken of the state */
	const struct pi_request *anchors = frame_anchors(f);
	const struct frame_block *node = node_of(f, block);
	const struct block *k = &f->run->state.blocks.v[block];
	put_head(f, node, anchors, d);
	put_why(f, block, d);
	put_source(f, node, d);
	put_summary(k, d);
	put_rows(f, k, d);
}

static void build(const struct view_context *c, uint64_t key, struct detail *d)
{
	if (dsh_view_is(c)) {
		dsh_block_open(c, key, d);
		return;
	}
	const struct frame_blocks *tree = frame_blocks(c->frame);
	for (size_t i = 0; i < tree->n; i++)
		if (tree->v[i].key == key) {
			blocks_open(c, tree->v[i].block, d);
			return;
		}
}

static const struct detail_source details = {KEPT_BLOCK_DETAIL, build};

size_t blocks_detail_count(const struct view_context *c, uint64_t key) { return detail_count(c, &details, key); }

void blocks_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out)
{
	detail_paint(c, &details, key, i, out);
}
