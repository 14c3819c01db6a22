/* The Rows view of a DSH session: the surface in node order, whatever the order of its seqs (interface.md, pane 1). */
#include <inttypes.h>

#include "replay/view/columns.h"
#include "replay/view/dsh.h"
#include "replay/view/rows.h"
#include "replay/view/words.h"

enum { PREVIEW_BYTES = 4096 };

/* ---- columns ---- */

enum {
	COLUMN_SEQ,
	COLUMN_REF,
	COLUMN_CLASS,
	COLUMN_ROLE,
	COLUMN_KIND,
	COLUMN_WHO,
	COLUMN_TOOL,
	COLUMN_TOKENS,
	COLUMN_FLAGS,
	COLUMN_COUNT
};

/* Columns by width of the window, the widest first; mark, bracket, seq and text always stay. */
static const struct column_widths widths[] = {
	{140,
	 {[COLUMN_SEQ] = 8,
	  [COLUMN_REF] = 8,
	  [COLUMN_CLASS] = 11,
	  [COLUMN_ROLE] = 9,
	  [COLUMN_KIND] = 18,
	  [COLUMN_TOOL] = 14,
	  [COLUMN_TOKENS] = 8,
	  [COLUMN_FLAGS] = 8}},
	{110,
	 {[COLUMN_SEQ] = 8,
	  [COLUMN_REF] = 7,
	  [COLUMN_CLASS] = 11,
	  [COLUMN_ROLE] = 4,
	  [COLUMN_KIND] = 12,
	  [COLUMN_TOOL] = 10,
	  [COLUMN_TOKENS] = 7,
	  [COLUMN_FLAGS] = 6}},
	{80,
	 {[COLUMN_SEQ] = 6,
	  [COLUMN_REF] = 6,
	  [COLUMN_CLASS] = 5,
	  [COLUMN_WHO] = 6,
	  [COLUMN_TOOL] = 7,
	  [COLUMN_TOKENS] = 7,
	  [COLUMN_FLAGS] = 5}},
	{60, {[COLUMN_SEQ] = 6, [COLUMN_CLASS] = 5, [COLUMN_WHO] = 6, [COLUMN_TOKENS] = 7, [COLUMN_FLAGS] = 5}},
	{40, {[COLUMN_SEQ] = 6, [COLUMN_CLASS] = 5, [COLUMN_TOKENS] = 5, [COLUMN_FLAGS] = 4}},
	{30, {[COLUMN_SEQ] = 6, [COLUMN_CLASS] = 5, [COLUMN_FLAGS] = 3}},
	{20, {[COLUMN_SEQ] = 6, [COLUMN_FLAGS] = 3}},
	{0, {[COLUMN_SEQ] = 6}},
};

/* What is kept for a position. */
struct kept {
	uint32_t *range;  /* by position: range of the table + 1, 0 = none */
	uint32_t *beyond; /* rows behind a gap, in dsh.beyond */
	size_t beyond_n;
};

struct painter {
	const struct view_context *c;
	struct frame_dsh *dsh;
	const struct dsh_fold *fold;
	uint32_t row, at; /* of the log; position of a node or DSH_NONE */
	const struct dsh_row *r;
	const struct dsh_traits *traits;
	unsigned stops; /* DSH_STOP_ */
	bool barrier;   /* drawn as a rule */
	bool off;       /* no node: greyed */
	struct line *out;
};

static enum style style_of(const struct painter *p, enum style own)
{
	return p->off ? STYLE_COVERED : p->barrier ? STYLE_BARRIER : own;
}

static void put(const struct painter *p, enum style own, struct str s, int width, enum align align)
{
	line_put_clipped(p->out, style_of(p, own), s, width, align);
}

static void put_buf(const struct painter *p, enum style own, struct buf *b, int width, enum align align)
{
	put(p, own, buf_view(b), width, align);
	buf_free(b);
}

/* A column that has nothing to say of a barrier is part of the rule. */
static bool put_rule(const struct painter *p, int width)
{
	if (p->barrier)
		line_repeat(p->out, STYLE_BARRIER, GLYPH_BARRIER, width);
	return p->barrier;
}

/* A seq that is too wide keeps its last digits: they tell neighbours apart. */
static void put_seq(const struct painter *p, int width)
{
	struct buf b = {0};
	buf_printf(&b, "%" PRId64, p->r->seq);
	if (b.n > (size_t)width) {
		line_glyph(p->out, style_of(p, STYLE_REF), GLYPH_ELLIPSIS);
		put(p, STYLE_REF, str_cut(buf_view(&b), b.n - (size_t)width + 1, b.n), width - 1, ALIGN_RIGHT);
		buf_free(&b);
		return;
	}
	put_buf(p, STYLE_REF, &b, width, ALIGN_RIGHT);
}

static void put_ref(const struct painter *p, int width)
{
	struct buf b = {0};
	dsh_ref_words(p->c->frame, p->row, &b);
	put_buf(p, STYLE_REF, &b, width, ALIGN_LEFT);
}

static void put_class(const struct painter *p, int width)
{
	static const char *const brief[DSH_CLASSES] = {"real", "meta", "check", "instr"};
	static const enum style styles[DSH_CLASSES] = {STYLE_PLAIN, STYLE_METADATA, STYLE_CHECKPOINT,
						       STYLE_INSTRUCTION};
	uint8_t class = p->traits->class;
	const char *name = width < 11 ? brief[class] : dsh_class_name((enum dsh_class) class);
	put(p, styles[class], str_of(name), width, ALIGN_LEFT);
}

static void put_role(const struct painter *p, int width)
{
	if (!put_rule(p, width))
		put(p, dsh_role_style(p->r->type), str_of(dsh_role_word(p->r->type, width < 9)), width, ALIGN_LEFT);
}

/* Calls and results by what they are, user rows by their source. */
static void put_kind(const struct painter *p, int width)
{
	struct str name = STR("text");
	if (p->r->type == DSH_ASSISTANT && p->r->calls_n > 0)
		name = p->r->calls_n > 1 ? STR("calls") : STR("call");
	else if (p->r->type == DSH_TOOL)
		name = STR("result");
	else if (p->r->type == DSH_USER && p->r->has_source)
		name = dsh_source_name(p->fold->log, p->r);
	if (!put_rule(p, width))
		put(p, STYLE_PLAIN, name, width, ALIGN_LEFT);
}

static void put_who(const struct painter *p, int width)
{
	const char *word = p->r->type == DSH_TOOL                             ? "result"
			   : p->r->type == DSH_ASSISTANT && p->r->calls_n > 0 ? "call"
									      : dsh_role_word(p->r->type, width < 9);
	if (!put_rule(p, width))
		put(p, dsh_role_style(p->r->type), str_of(word), width, ALIGN_LEFT);
}

static void put_tool(const struct painter *p, int width)
{
	const struct frame *f = p->c->frame;
	uint32_t message = frame_dsh_message(f, p->row);
	struct buf b = {0};
	if (put_rule(p, width))
		return;
	if (p->r->type == DSH_ASSISTANT && p->r->calls_n > 0)
		buf_str(&b, names_get(&p->fold->log->names, p->r->calls[0].name));
	else if (message != DSH_NONE)
		buf_str(&b, names_get(&f->run->recording->names, f->run->recording->messages.v[message].message.tool));
	if (p->r->calls_n > 1)
		buf_printf(&b, " +%u", p->r->calls_n - 1);
	put_buf(p, STYLE_TOOL, &b, width, ALIGN_LEFT);
}

static void put_tokens(const struct painter *p, int width)
{
	struct buf b = {0};
	words_count_in(&b, dsh_row_display(p->r), width);
	put_buf(p, STYLE_NUMBER, &b, width, ALIGN_RIGHT);
}

/* I and S with the letters of the scopes whose newest, or a stale, copy the row is. */
static void put_copies(const struct painter *p, bool newest, struct buf *b)
{
	const struct dsh_fold *f = p->fold;
	bool any = false;
	for (uint32_t i = 0; p->traits->agent && i < p->r->changes_n; i++) {
		uint32_t scope = p->r->changes[i].scope;
		if ((dsh_scopes_newest(&f->scopes, scope) == p->row) != newest ||
		    dsh_row_change(p->r, scope) != &p->r->changes[i])
			continue;
		if (!any)
			buf_char(b, newest ? 'I' : 'S');
		any = true;
		dsh_letter_words(f, scope, b);
	}
}

static void put_flags(const struct painter *p, int width)
{
	const struct dsh_ledger *l = &p->c->frame->run->dsh.ledger;
	struct buf b = {0};
	if (p->stops & DSH_STOP_PRESERVE)
		buf_char(&b, 'R');
	if (p->stops & DSH_STOP_TAIL)
		buf_char(&b, 'U');
	if (p->off)
		buf_char(&b, 'C');
	put_copies(p, true, &b);
	put_copies(p, false, &b);
	if (p->traits->class == DSH_CHECKPOINT) {
		const struct dsh_block *k = dsh_ledger_by_row(l, p->fold, p->row, dsh_seq_at(p->c->frame->run));
		if (k != NULL)
			dsh_block_ref(l, k, &b);
	}
	put_buf(p, STYLE_PROTECTED, &b, width, ALIGN_LEFT);
}

static const struct column columns[COLUMN_COUNT] = {
	[COLUMN_SEQ] = {"seq", NULL, ALIGN_RIGHT, put_seq},
	[COLUMN_REF] = {"ref", NULL, ALIGN_LEFT, put_ref},
	[COLUMN_CLASS] = {"class", NULL, ALIGN_LEFT, put_class},
	[COLUMN_ROLE] = {"role", NULL, ALIGN_LEFT, put_role},
	[COLUMN_KIND] = {"kind", NULL, ALIGN_LEFT, put_kind},
	[COLUMN_WHO] = {"who", NULL, ALIGN_LEFT, put_who},
	[COLUMN_TOOL] = {"tool", NULL, ALIGN_LEFT, put_tool},
	[COLUMN_TOKENS] = {"display", NULL, ALIGN_RIGHT, put_tokens},
	[COLUMN_FLAGS] = {"flags", NULL, ALIGN_LEFT, put_flags},
};

static const struct columns table = {columns, COLUMN_COUNT, widths};

/* ---- lines ---- */

struct str dsh_row_text(struct frame *f, uint32_t row, size_t max, struct arena *a, bool *all)
{
	uint32_t message = frame_dsh_message(f, row);
	*all = true;
	if (message == DSH_NONE)
		return STR("");
	struct frame_row one = rows_of_message(f, message);
	return rows_text(f, &one, max, a, all);
}

/* Which range each node lies in; where two overlap, the one that begins later as long as it lasts. */
static void take_ranges(const struct frame_dsh *d, uint32_t *range)
{
	uint32_t inner = 0, outer = 0;
	for (size_t i = 0; i < d->table.ranges.n; i++)
		range[d->table.ranges.v[i].first] = (uint32_t)i + 1;
	for (uint32_t at = 0; at < d->nodes.list.rows.n; at++) {
		if (outer != 0 && d->table.ranges.v[outer - 1].last < at)
			outer = 0;
		if (inner != 0 && d->table.ranges.v[inner - 1].last < at)
			inner = outer;
		if (range[at] != 0)
			inner = range[at];
		if (inner != 0 && (outer == 0 || d->table.ranges.v[outer - 1].last < d->table.ranges.v[inner - 1].last))
			outer = inner;
		range[at] = inner;
	}
}

static const struct kept *kept_of(const struct view_context *c)
{
	struct frame *f = c->frame;
	struct kept *k = f->kept[KEPT_DSH_ROWS];
	if (k != NULL)
		return k;
	const struct frame_dsh *d = frame_dsh(f);
	const struct dsh_recording *rec = &f->run->recording->dsh;
	k = f->kept[KEPT_DSH_ROWS] = arena_zero(&f->arena, 1, sizeof *k);
	k->range = arena_zero(&f->arena, d->nodes.list.rows.n + 1, sizeof *k->range);
	take_ranges(d, k->range);
	if (f->at.turn < f->run->timeline.turns.n)
		return k; /* the end of the log is not in sight */
	k->beyond = arena_alloc(&f->arena, (rec->beyond.n + 1) * sizeof *k->beyond);
	for (size_t i = 0; i < rec->beyond.n; i++)
		if (dsh_type_is_surface(
			    (uint8_t)dsh_type_of(names_get(&f->run->recording->names, rec->beyond.v[i].name))))
			k->beyond[k->beyond_n++] = (uint32_t)i;
	return k;
}

/* The bracket of the range; thin beside a row inside it that is not to be offered. */
static void put_gutter(const struct painter *p)
{
	static const enum glyph edges[] = {GLYPH_RANGE_MID, GLYPH_RANGE_TOP, GLYPH_RANGE_BOTTOM, GLYPH_RANGE_SINGLE};
	uint32_t n = p->at != DSH_NONE ? kept_of(p->c)->range[p->at] : 0;
	if (n == 0) {
		if (!put_rule(p, 1))
			line_puts(p->out, STYLE_PLAIN, " ");
		return;
	}
	const struct dsh_range *range = &p->dsh->table.ranges.v[n - 1];
	int edge = (p->at == range->first) | (p->at == range->last) << 1;
	line_glyph(p->out, STYLE_RANGE, p->stops != 0 && edge == 0 ? GLYPH_VLINE : edges[edge]);
}

/* What the rule is about, then the rule to the end of the line. */
static void put_barrier(const struct painter *p)
{
	struct buf b = {0};
	if (line_left(p->out) < 4) {
		line_repeat(p->out, STYLE_BARRIER, GLYPH_BARRIER, line_left(p->out));
		return;
	}
	line_repeat(p->out, STYLE_BARRIER, GLYPH_BARRIER, 2);
	line_puts(p->out, STYLE_BARRIER, " ");
	if (p->traits->agent) {
		dsh_copies_words(p->fold, p->row, &b);
	} else if (p->traits->class == DSH_INSTRUCTION) {
		buf_str(&b, dsh_source_name(p->fold->log, p->r));
	}
	if (b.n == 0)
		buf_text(&b, p->stops & DSH_STOP_SYSTEM ? "system row" : "injected row");
	words_put(p->out, STYLE_BARRIER, buf_view(&b));
	if (line_left(p->out) > 1) {
		line_puts(p->out, STYLE_BARRIER, " ");
		line_repeat(p->out, STYLE_BARRIER, GLYPH_BARRIER, line_left(p->out));
	}
	buf_free(&b);
}

/* What a replacement took in. */
static void put_shadowed(const struct painter *p)
{
	const struct dsh_ledger *l = &p->c->frame->run->dsh.ledger;
	const struct dsh_block *k = dsh_ledger_by_row(l, p->fold, p->row, dsh_seq_at(p->c->frame->run));
	bool open = p->c->unfolded && p->c->selected == dsh_row_key(p->c->frame, p->row);
	struct buf b = {0};
	buf_printf(&b, "%s ", glyph(open ? GLYPH_OPEN : GLYPH_FOLDED, p->c->ascii));
	if (k != NULL) {
		const struct dsh_compaction *made = dsh_log_row(p->fold->log, k->summary)->compaction;
		buf_printf(&b, "T%u ", k->tier);
		if (made != NULL) {
			words_plural(&b, (double)made->shadowed_n, "row ", "rows ");
			if (made->topic != 0) {
				buf_str(&b, names_get(&p->fold->log->names, made->topic));
				buf_printf(&b, " %s ", glyph(GLYPH_DOT, p->c->ascii));
			}
		}
	} else {
		dsh_span_words(p->r->start, p->r->end, &b);
		buf_char(&b, ' ');
	}
	words_put(p->out, style_of(p, STYLE_COVERED), buf_view(&b));
	buf_free(&b);
}

static void put_text(const struct painter *p)
{
	struct arena a = {0};
	bool all;
	if (line_left(p->out) == 0)
		return;
	if (p->barrier) {
		put_barrier(p);
		return;
	}
	if (p->r->op == DSH_REPLACE)
		put_shadowed(p);
	words_put(p->out, style_of(p, STYLE_PLAIN), dsh_row_text(p->c->frame, p->row, PREVIEW_BYTES, &a, &all));
	arena_free(&a);
}

/* New since the turn before; a replacement is a change of what stood there. */
static void put_mark(const struct painter *p)
{
	bool fresh = !p->off && p->row >= p->dsh->fresh;
	bool replaced = p->r->op == DSH_REPLACE;
	line_puts(p->out,
		  !fresh     ? STYLE_PLAIN
		  : replaced ? STYLE_CHANGED
			     : STYLE_ADDED,
		  !fresh     ? " "
		  : replaced ? "~"
			     : "+");
}

void dsh_row_paint(const struct view_context *c, uint32_t row, uint32_t position, struct line *out)
{
	struct frame_dsh *d = frame_dsh(c->frame);
	struct painter p = {.c = c, .dsh = d, .fold = d->fold, .row = row, .at = position, .out = out};
	p.r = dsh_log_row(d->fold->log, row);
	p.traits = row < d->fold->classes.of.n ? dsh_fold_traits(d->fold, row) : NULL;
	p.stops = position != DSH_NONE ? d->table.stops.v[position] : 0;
	p.barrier = (p.stops & (DSH_STOP_BARRIER | DSH_STOP_SYSTEM)) != 0;
	p.off = position == DSH_NONE;
	line_reset(out, c->width);
	if (row >= d->fold->classes.of.n)
		return; /* the first pass has not come there */
	put_mark(&p);
	put_gutter(&p);
	columns_put(&table, c->width, &p, out);
	put_text(&p);
}

uint64_t dsh_row_key(const struct frame *f, uint32_t row)
{
	uint32_t message = frame_dsh_message(f, row);
	return message != DSH_NONE ? (uint64_t)message + 1 : DSH_KEY_ROW | row;
}

/* ---- behind a gap ---- */

static void put_gap(const struct view_context *c, struct line *out)
{
	const struct dsh_recording *rec = &c->frame->run->recording->dsh;
	struct buf b = {0};
	line_repeat(out, STYLE_BREAK, GLYPH_BREAK, 2);
	buf_text(&b, " the log ends here: ");
	words_plural(&b, (double)kept_of(c)->beyond_n, "row", "rows");
	buf_text(&b, " behind a gap");
	if (rec->beyond.n > 0 && rec->beyond.v[0].seq >= 0)
		buf_printf(&b, " before seq %" PRId64, rec->beyond.v[0].seq);
	buf_text(&b, ", never folded ");
	words_put(out, STYLE_BREAK, buf_view(&b));
	line_repeat(out, STYLE_BREAK, GLYPH_BREAK, line_left(out));
	buf_free(&b);
}

static void put_beyond(const struct view_context *c, size_t i, struct line *out)
{
	const struct recording *rec = c->frame->run->recording;
	const struct dsh_event_record *e = &rec->dsh.beyond.v[kept_of(c)->beyond[i]];
	struct arena a = {0};
	struct buf b = {0};
	buf_printf(&b, "  %6" PRId64 " ", e->seq);
	buf_str(&b, names_get(&rec->names, e->name));
	buf_char(&b, ' ');
	buf_str(&b, str_cut(recording_event_data(rec, e, &a), 0, PREVIEW_BYTES));
	words_put(out, STYLE_COVERED, buf_view(&b));
	buf_free(&b);
	arena_free(&a);
}

/* ---- the view ---- */

/* What a line is: a node, the rule where the prefix breaks, or what stands behind a gap. */
enum place { PLACE_NODE, PLACE_BREAK, PLACE_GAP, PLACE_BEYOND, PLACE_NOTHING };

static enum place place_of(const struct view_context *c, size_t i, size_t *at)
{
	size_t nodes = frame_dsh(c->frame)->nodes.list.rows.n, rule = rows_break(c), beyond = kept_of(c)->beyond_n;
	if (i == rule)
		return PLACE_BREAK;
	*at = i - (rule <= nodes && i > rule);
	if (*at < nodes)
		return PLACE_NODE;
	*at -= nodes + 1;
	return beyond == 0 ? PLACE_NOTHING : *at == SIZE_MAX ? PLACE_GAP : *at < beyond ? PLACE_BEYOND : PLACE_NOTHING;
}

static size_t count(const struct view_context *c)
{
	size_t nodes = frame_dsh(c->frame)->nodes.list.rows.n, beyond = kept_of(c)->beyond_n;
	size_t n = nodes + (rows_break(c) <= nodes) + beyond + (beyond > 0);
	return n > 0 ? n : 1; /* a line says that there are none */
}

static uint64_t key(const struct view_context *c, size_t i)
{
	size_t at;
	enum place place = place_of(c, i, &at);
	if (place == PLACE_NODE)
		return dsh_row_key(c->frame, frame_dsh(c->frame)->nodes.list.rows.v[at]);
	return place == PLACE_BEYOND ? DSH_KEY_BEYOND | kept_of(c)->beyond[at] : 0;
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	size_t at;
	enum place place = place_of(c, i, &at);
	line_reset(out, c->width);
	if (place == PLACE_NODE)
		dsh_row_paint(c, frame_dsh(c->frame)->nodes.list.rows.v[at], (uint32_t)at, out);
	else if (place == PLACE_BREAK)
		rows_put_break(c, out);
	else if (place == PLACE_GAP)
		put_gap(c, out);
	else if (place == PLACE_BEYOND)
		put_beyond(c, at, out);
	else if (i == 0)
		line_puts(out, STYLE_DIM, "no rows at this position");
}

/* The whole text of a row, of what stands behind a gap its event. */
static bool whole_text(const struct view_context *c, size_t i, size_t part, size_t max, struct arena *a,
		       struct str *out, bool *all)
{
	const struct recording *rec = c->frame->run->recording;
	size_t at;
	enum place place = place_of(c, i, &at);
	if (part > 0 || (place != PLACE_NODE && place != PLACE_BEYOND))
		return false;
	if (place == PLACE_NODE) {
		*out = dsh_row_text(c->frame, frame_dsh(c->frame)->nodes.list.rows.v[at], max, a, all);
		return true;
	}
	struct str data = recording_event_data(rec, &rec->dsh.beyond.v[kept_of(c)->beyond[at]], a);
	*all = data.n <= max;
	*out = str_cut(data, 0, max);
	return true;
}

static void caption(const struct view_context *c, struct line *out)
{
	const struct frame *f = c->frame;
	struct buf b = {0};
	line_reset(out, c->width);
	line_puts(out, STYLE_HEADING, "  ");
	columns_caption(&table, c, out);
	line_puts(out, STYLE_HEADING, "text");
	if (f->at.records > 0 || f->at.turn > 1)
		buf_printf(&b, "+ new ~ replaced since turn %u", f->at.records > 0 ? f->at.turn : f->at.turn - 1);
	line_put_right(out, STYLE_DIM, buf_view(&b));
	buf_free(&b);
}

const struct view_ops dsh_rows_view = {
	.name = "rows",
	.title = "Rows",
	.count = count,
	.line = line,
	.key = key,
	.text = whole_text,
	.caption = caption,
};
