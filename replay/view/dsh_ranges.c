/* The Ranges view of a DSH session: the plugin's table, what stops it between, and the answers (interface.md, pane 2).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "replay/frame_ranges.h"
#include "replay/view/columns.h"
#include "replay/view/dsh.h"
#include "replay/view/words.h"

#define KEY_RANGE ((uint64_t)10 << 40)
#define KEY_STOP  ((uint64_t)11 << 40)

/* ---- the list ---- */

/* What guard and kernel say to a range. */
struct answer {
	enum dsh_verdict verdict;
	bool last_baseline;
	size_t checkpoints;
	const int64_t *hits;
	size_t hits_n;
	const struct dsh_slice *slices;
	size_t slices_n;
	bool kernel_asked;
	struct range_answer kernel;
};

/* A range of the table, or nodes one after the other that are in none for the same reason. */
struct item {
	uint32_t range; /* of the table + 1; 0 = a stop */
	uint32_t first, last;
	unsigned stops;
	uint32_t shown; /* place in the nudge, 0 = it does not show it */
	uint64_t key;
	const struct answer *answer;
};

struct kept {
	VEC(struct item) list;
	uint32_t over; /* ranges grown over a barrier */
};

static void kept_free(void *kept)
{
	struct kept *k = kept;
	vec_free(&k->list);
}

static int by_place(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->range < y->range ? -1 : x->range > y->range;
}

/* Ranges in the order of the table, which numbers what the nudge shows; those that may not be offered it leaves out. */
static void add_ranges(const struct frame_dsh *d, struct kept *k)
{
	uint32_t shown = 0, same = 0;
	for (size_t i = 0; i < d->table.ranges.n; i++) {
		const struct dsh_range *range = &d->table.ranges.v[i];
		struct item item = {.range = (uint32_t)i + 1, .first = range->first, .last = range->last};
		same = i > 0 && range[-1].first == range->first ? same + 1 : 0;
		if (range->over >= 0)
			k->over++;
		else if (shown < DSH_NUDGE_RANGES)
			item.shown = ++shown;
		if (same < 256)
			item.key = KEY_RANGE | (uint64_t)same << 32 | d->nodes.list.rows.v[range->first];
		vec_push(&k->list, item);
	}
	if (k->list.n > 1)
		qsort(k->list.v, k->list.n, sizeof *k->list.v, by_place);
}

/* Nodes that no range takes in, by what keeps them out. */
static void add_stops(const struct frame_dsh *d, struct kept *k)
{
	size_t ranges = k->list.n, next = 0;
	uint32_t covered = 0, nodes = (uint32_t)d->nodes.list.rows.n;
	bool open = false;
	for (uint32_t at = 0; at < nodes; at++) {
		for (; next < ranges && k->list.v[next].first == at; next++)
			if (k->list.v[next].last >= covered)
				covered = k->list.v[next].last + 1;
		if (at < covered) {
			open = false;
			continue;
		}
		unsigned stops = d->table.stops.v[at];
		if (open && k->list.v[k->list.n - 1].stops == stops) {
			k->list.v[k->list.n - 1].last = at;
			continue;
		}
		open = true;
		vec_push(&k->list,
			 (struct item){
				 .first = at, .last = at, .stops = stops, .key = KEY_STOP | d->nodes.list.rows.v[at]});
	}
	if (k->list.n > ranges && ranges > 0)
		qsort(k->list.v, k->list.n, sizeof *k->list.v, by_place);
}

static struct kept *kept_of(const struct view_context *c)
{
	struct frame *f = c->frame;
	struct kept *k = f->kept[KEPT_DSH_RANGES];
	if (k != NULL)
		return k;
	k = f->kept[KEPT_DSH_RANGES] = arena_zero(&f->arena, 1, sizeof *k);
	arena_defer(&f->arena, kept_free, k);
	add_ranges(frame_dsh(f), k);
	add_stops(frame_dsh(f), k);
	return k;
}

/* ---- answers ---- */

static uint32_t ref_at(struct frame *f, uint32_t at)
{
	uint32_t message = frame_dsh_message(f, frame_dsh(f)->nodes.list.rows.v[at]);
	return message != DSH_NONE ? surface_of_message(&f->run->state, message).ref : REF_NONE;
}

static void ask_guard(struct frame *f, const struct dsh_range *range, struct answer *a)
{
	struct dsh_guard g = {0};
	frame_dsh_probe(f, range->start, range->end, &g);
	a->verdict = g.verdict;
	a->last_baseline = g.last_baseline;
	a->checkpoints = g.checkpoints;
	a->hits_n = g.hits.seqs.n;
	a->slices_n = g.slices_n;
	int64_t *hits = arena_alloc(&f->arena, (a->hits_n + 1) * sizeof *hits);
	struct dsh_slice *slices = arena_alloc(&f->arena, (a->slices_n + 1) * sizeof *slices);
	for (size_t i = 0; i < a->hits_n; i++)
		hits[i] = g.hits.seqs.v[i];
	for (size_t i = 0; i < a->slices_n; i++)
		slices[i] = g.slices[i];
	a->hits = hits;
	a->slices = slices;
	dsh_guard_free(&g);
}

static const struct answer *answer_of(struct frame *f, struct item *item)
{
	const struct dsh_range *range = &frame_dsh(f)->table.ranges.v[item->range - 1];
	if (item->answer != NULL)
		return item->answer;
	struct answer *a = arena_zero(&f->arena, 1, sizeof *a);
	uint32_t start = ref_at(f, range->first), end = ref_at(f, range->last);
	ask_guard(f, range, a);
	if (frame_ranges(f) != NULL && start != REF_NONE && end != REF_NONE) {
		a->kernel_asked = true;
		frame_range_ask(f, start, end, &a->kernel);
	}
	return item->answer = a;
}

/* ---- columns ---- */

enum { COLUMN_NUDGE, COLUMN_SPAN, COLUMN_ROWS, COLUMN_TOKENS, COLUMN_TOOLS, COLUMN_COUNT };

/* The widest window first; span and answer always stay. */
static const struct column_widths widths[] = {
	{100, {[COLUMN_NUDGE] = 5, [COLUMN_SPAN] = 18, [COLUMN_ROWS] = 6, [COLUMN_TOKENS] = 9, [COLUMN_TOOLS] = 5}},
	{60, {[COLUMN_NUDGE] = 5, [COLUMN_SPAN] = 14, [COLUMN_ROWS] = 5, [COLUMN_TOKENS] = 7, [COLUMN_TOOLS] = 5}},
	{40, {[COLUMN_NUDGE] = 2, [COLUMN_SPAN] = 14, [COLUMN_TOKENS] = 7}},
	{0, {[COLUMN_SPAN] = 12}},
};

struct painter {
	const struct view_context *c;
	struct frame_dsh *dsh;
	struct item *item;
	const struct dsh_range *range; /* NULL = a stop */
	struct line *out;
};

static void put_buf(const struct painter *p, enum style style, struct buf *b, int width, enum align align)
{
	line_put_clipped(p->out, p->range ? style : STYLE_DIM, buf_view(b), width, align);
	buf_free(b);
}

static void put_nudge(const struct painter *p, int width)
{
	struct buf b = {0};
	if (p->item->shown > 0)
		buf_printf(&b, "%u", p->item->shown);
	else if (p->range)
		buf_char(&b, '-');
	put_buf(p, STYLE_RANGE, &b, width, ALIGN_RIGHT);
}

static void put_span(const struct painter *p, int width)
{
	const struct dsh_nodes *n = &p->dsh->nodes;
	int64_t start = p->range ? p->range->start : dsh_nodes_row(n, p->item->first)->seq;
	int64_t end = p->range ? p->range->end : dsh_nodes_row(n, p->item->last)->seq;
	struct buf b = {0};
	if (p->range == NULL && p->item->first == p->item->last)
		buf_printf(&b, "%" PRId64, start);
	else
		dsh_span_words(start, end, &b);
	put_buf(p, STYLE_REF, &b, width, ALIGN_LEFT);
}

static void put_rows(const struct painter *p, int width)
{
	struct buf b = {0};
	words_count_in(&b, p->range ? p->range->count : p->item->last - p->item->first + 1, width);
	put_buf(p, STYLE_NUMBER, &b, width, ALIGN_RIGHT);
}

static void put_tokens(const struct painter *p, int width)
{
	struct buf b = {0};
	double tokens = p->range ? p->range->tokens : 0;
	for (uint32_t at = p->item->first; p->range == NULL && at <= p->item->last; at++)
		tokens += dsh_row_display(dsh_nodes_row(&p->dsh->nodes, at));
	words_count_in(&b, tokens, width);
	put_buf(p, STYLE_NUMBER, &b, width, ALIGN_RIGHT);
}

static void put_tools(const struct painter *p, int width)
{
	struct buf b = {0};
	if (p->range)
		words_percent_round(&b, p->range->tool_pct / 100.0);
	put_buf(p, STYLE_DIM, &b, width, ALIGN_RIGHT);
}

static const struct column columns[COLUMN_COUNT] = {
	[COLUMN_NUDGE] = {"nudge", NULL, ALIGN_RIGHT, put_nudge},
	[COLUMN_SPAN] = {"seqs", NULL, ALIGN_LEFT, put_span},
	[COLUMN_ROWS] = {"rows", NULL, ALIGN_RIGHT, put_rows},
	[COLUMN_TOKENS] = {"display", NULL, ALIGN_RIGHT, put_tokens},
	[COLUMN_TOOLS] = {"tool", NULL, ALIGN_RIGHT, put_tools},
};

static const struct columns table = {columns, COLUMN_COUNT, widths};

static void say_guard(const struct answer *a, struct buf *b)
{
	buf_text(b, dsh_verdict_name(a->verdict));
	if (a->hits_n > 0) {
		buf_text(b, ": seq ");
		dsh_seqs_words(a->hits, a->hits_n, b);
		buf_text(b, "; still compressible: ");
		dsh_slices_words(a->slices, a->slices_n, b);
	}
	if (a->last_baseline)
		buf_text(b, "; risk: last visible baseline row in it");
}

static void say_kernel(const struct view_context *c, const struct answer *a, struct buf *b)
{
	if (!a->kernel_asked) {
		buf_text(b, "not asked: recommend has not run here");
	} else if (a->kernel.accepted) {
		buf_printf(b, "T%u of ", a->kernel.tier);
		words_plural(b, a->kernel.direct, "row, ", "rows, ");
		words_count(b, a->kernel.tokens);
		buf_printf(b, " tokens (%s)", words_counter_scale(c->frame));
	} else {
		buf_text(b, compress_kind_name(a->kernel.kind));
	}
}

static void put_answer(const struct painter *p)
{
	struct buf b = {0};
	if (line_left(p->out) == 0)
		return;
	if (p->range == NULL) {
		dsh_stops_words(p->dsh->fold, p->item->stops, &b);
		if (b.n == 0)
			buf_text(&b, "not offered: no balanced range (dsh.md 6)");
		words_put(p->out, STYLE_DIM, buf_view(&b));
		buf_free(&b);
		return;
	}
	const struct answer *a = answer_of(p->c->frame, p->item);
	bool refused = a->kernel_asked && !a->kernel.accepted;
	bool fine = a->verdict == DSH_ACCEPTED && p->range->over < 0 && !refused;
	line_glyph(p->out, fine ? STYLE_GOOD : STYLE_WARNING, fine ? GLYPH_PASS : GLYPH_FAIL);
	line_puts(p->out, STYLE_PLAIN, " ");
	if (p->range->over >= 0)
		buf_printf(&b, "offered range grown over a barrier: seq %" PRId64 "; ", p->range->over);
	buf_text(&b, "guard: ");
	say_guard(a, &b);
	buf_text(&b, "; kernel: ");
	say_kernel(p->c, a, &b);
	words_put(p->out, fine ? STYLE_PLAIN : STYLE_WARNING, buf_view(&b));
	buf_free(&b);
}

/* ---- lines above the list ---- */

enum { HEADS = 2 };

static void put_head(const struct view_context *c, struct line *out)
{
	const struct frame_dsh *d = frame_dsh(c->frame);
	struct kept *k = kept_of(c);
	double tokens = 0;
	struct buf b = {0};
	for (size_t i = 0; i < d->table.ranges.n; i++)
		tokens += d->table.ranges.v[i].tokens;
	words_plural(&b, (double)d->table.ranges.n, "range", "ranges");
	buf_text(&b, ", ");
	words_plural(&b, tokens, "token", "tokens");
	buf_text(&b, " (display)");
	if (k->over > 0)
		buf_printf(&b, ", %u grown over a barrier", k->over);
	buf_text(&b, "; ");
	words_config(&b, c->frame->run, "preserveRecentMessages");
	words_put(out, STYLE_PLAIN, buf_view(&b));
	buf_free(&b);
}

static void put_surface(const struct view_context *c, struct line *out)
{
	const struct frame_dsh *d = frame_dsh(c->frame);
	int64_t min = INT64_MAX, max = -1;
	struct buf b = {0};
	for (uint32_t at = 0; at < d->nodes.list.rows.n; at++) {
		int64_t seq = dsh_nodes_row(&d->nodes, at)->seq;
		min = seq < min ? seq : min;
		max = seq > max ? seq : max;
	}
	buf_text(&b, "surface: ");
	words_plural(&b, (double)d->nodes.list.rows.n, "node", "nodes");
	if (max >= 0) {
		buf_text(&b, ", seqs ");
		dsh_span_words(min, max, &b);
	}
	buf_text(&b, ", ");
	words_count(&b, d->tokens);
	buf_text(&b, " (display)");
	words_put(out, STYLE_DIM, buf_view(&b));
	buf_free(&b);
}

/* ---- the view ---- */

static size_t count(const struct view_context *c) { return HEADS + kept_of(c)->list.n; }

static uint64_t key(const struct view_context *c, size_t i)
{
	const struct kept *k = kept_of(c);
	return i >= HEADS && i - HEADS < k->list.n ? k->list.v[i - HEADS].key : 0;
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	struct kept *k = kept_of(c);
	line_reset(out, c->width);
	if (i == 0) {
		put_head(c, out);
	} else if (i < HEADS) {
		put_surface(c, out);
	} else if (i - HEADS < k->list.n) {
		struct item *item = &k->list.v[i - HEADS];
		struct painter p = {.c = c, .dsh = frame_dsh(c->frame), .item = item, .out = out};
		p.range = item->range > 0 ? &p.dsh->table.ranges.v[item->range - 1] : NULL;
		line_puts(out, STYLE_PLAIN, " "); /* where a selection is marked */
		if (p.range)
			line_glyph(out, STYLE_RANGE, GLYPH_RANGE_SINGLE);
		else if (item->stops & (DSH_STOP_BARRIER | DSH_STOP_SYSTEM))
			line_glyph(out, STYLE_BARRIER, GLYPH_BARRIER);
		else
			line_puts(out, STYLE_PLAIN, " ");
		columns_put(&table, c->width, &p, out);
		put_answer(&p);
	}
}

static void caption(const struct view_context *c, struct line *out)
{
	line_reset(out, c->width);
	line_puts(out, STYLE_HEADING, "  ");
	columns_caption(&table, c, out);
	line_puts(out, STYLE_HEADING, "alone, or what keeps it out");
}

const struct view_ops dsh_ranges_view = {
	.name = "ranges", .title = "Ranges", .count = count, .line = line, .key = key, .caption = caption};

/* ---- one opened ---- */

enum { INDENT = 2 };

static void open_rows(struct frame *f, uint32_t first, uint32_t last, struct detail *d)
{
	enum { SHOWN = 500 };
	const struct frame_dsh *dsh = frame_dsh(f);
	struct buf b = {0};
	detail_title(d, "Span, in surface order");
	for (uint32_t at = first; at <= last && at - first < SHOWN; at++)
		detail_row(d, dsh->nodes.list.rows.v[at]);
	if (last - first >= SHOWN) {
		words_count(&b, last - first + 1 - SHOWN);
		buf_text(&b, " more");
		detail_words(d, STYLE_DIM, INDENT, &b);
	}
	buf_free(&b);
}

static void open_range(const struct view_context *c, struct item *item, struct detail *d)
{
	struct frame *f = c->frame;
	const struct dsh_range *range = &frame_dsh(f)->table.ranges.v[item->range - 1];
	const struct answer *a = answer_of(f, item);
	struct buf b = {0};
	buf_text(&b, "range  ");
	dsh_span_words(range->start, range->end, &b);
	detail_words(d, STYLE_BOLD, 0, &b);
	words_plural(&b, range->count, "row", "rows");
	buf_text(&b, " of its segment, ");
	words_plural(&b, range->tokens, "token", "tokens");
	buf_printf(&b, " (display), %d %% calls and results; the resolved span has ", range->tool_pct);
	words_plural(&b, range->last - range->first + 1, "row", "rows");
	buf_text(&b, " (dsh.md 5.1)");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	if (item->shown > 0)
		buf_printf(&b, "number %u of the nudge, which shows the first %d", item->shown, DSH_NUDGE_RANGES);
	else
		buf_printf(&b, "not in the nudge: %s",
			   range->over >= 0 ? "it may not be offered" : "it shows the first 6 only");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	if (range->over >= 0) {
		buf_printf(&b, "offered range grown over a barrier: it only resolves by growth, over seq %" PRId64,
			   range->over);
		detail_words(d, STYLE_WARNING, INDENT, &b);
	}
	detail_title(d, "Alone");
	buf_text(&b, "guard: ");
	say_guard(a, &b);
	detail_words(d, a->verdict == DSH_ACCEPTED ? STYLE_GOOD : STYLE_WARNING, INDENT, &b);
	if (a->checkpoints > 0) {
		words_plural(&b, (double)a->checkpoints, "checkpoint", "checkpoints");
		buf_text(&b, " in the span would be folded with it (dsh.md 6.5)");
		detail_words(d, STYLE_WARNING, INDENT, &b);
	}
	buf_text(&b, "kernel: ");
	say_kernel(c, a, &b);
	detail_words(d, a->kernel.accepted ? STYLE_GOOD : STYLE_WARNING, INDENT, &b);
	buf_free(&b);
	open_rows(f, range->first, range->last, d);
}

static void open_stop(const struct view_context *c, const struct item *item, struct detail *d)
{
	struct buf b = {0};
	dsh_stops_words(frame_dsh(c->frame)->fold, item->stops, &b);
	if (b.n == 0)
		buf_text(&b,
			 "a segment that does not resolve, or rows cut off its ends: dropped silently (dsh.md 5.1)");
	detail_words(d, STYLE_BOLD, 0, &b);
	detail_puts(d, STYLE_DIM, INDENT, "Enter on a row in the Rows view tells each rule with its setting.");
	open_rows(c->frame, item->first, item->last, d);
	buf_free(&b);
}

void dsh_range_open(const struct view_context *c, uint64_t key_wanted, struct detail *d)
{
	struct kept *k = kept_of(c);
	for (size_t i = 0; i < k->list.n; i++) {
		if (k->list.v[i].key != key_wanted)
			continue;
		if (k->list.v[i].range > 0)
			open_range(c, &k->list.v[i], d);
		else
			open_stop(c, &k->list.v[i], d);
		return;
	}
}
