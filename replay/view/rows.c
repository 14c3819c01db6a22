/* The Rows view: the surface in model order (interface.md, pane 1). */
#include "replay/view/rows.h"

#include "engine/base/num.h"
#include "replay/view/columns.h"
#include "replay/view/dsh.h"
#include "replay/view/words.h"

/* Source bytes read for one line: more than any window shows. */
enum { PREVIEW_BYTES = 4096, CUT_SLACK = 16 };

/* ---- columns ---- */

enum {
	COLUMN_REF,
	COLUMN_CLASS,
	COLUMN_ROLE,
	COLUMN_KIND,
	COLUMN_WHO,
	COLUMN_TOOL,
	COLUMN_TOKENS,
	COLUMN_TAG,
	COLUMN_FLAGS,
	COLUMN_LINE,
	COLUMN_COUNT
};

/*
 * Columns by width of the window, the widest first. What goes as it gets
 * narrower, in this order: line and class, tag, role and kind (one column says who), tool,
 * flags, who, tokens. Mark, bracket, ref and text always stay.
 */
static const struct column_widths widths[] = {
	{160,
	 {[COLUMN_REF] = 8,
	  [COLUMN_CLASS] = 10,
	  [COLUMN_ROLE] = 9,
	  [COLUMN_KIND] = 11,
	  [COLUMN_TOOL] = 20,
	  [COLUMN_TOKENS] = 8,
	  [COLUMN_TAG] = 6,
	  [COLUMN_FLAGS] = 8,
	  [COLUMN_LINE] = 7}},
	{120,
	 {[COLUMN_REF] = 8,
	  [COLUMN_ROLE] = 9,
	  [COLUMN_KIND] = 11,
	  [COLUMN_TOOL] = 14,
	  [COLUMN_TOKENS] = 8,
	  [COLUMN_TAG] = 6,
	  [COLUMN_FLAGS] = 8}},
	{80,
	 {[COLUMN_REF] = 7,
	  [COLUMN_ROLE] = 4,
	  [COLUMN_KIND] = 6,
	  [COLUMN_TOOL] = 8,
	  [COLUMN_TOKENS] = 7,
	  [COLUMN_FLAGS] = 6}},
	{60, {[COLUMN_REF] = 7, [COLUMN_WHO] = 6, [COLUMN_TOOL] = 8, [COLUMN_TOKENS] = 7, [COLUMN_FLAGS] = 5}},
	{40, {[COLUMN_REF] = 7, [COLUMN_WHO] = 6, [COLUMN_TOKENS] = 6, [COLUMN_FLAGS] = 5}},
	{30, {[COLUMN_REF] = 6, [COLUMN_WHO] = 6, [COLUMN_TOKENS] = 6}},
	{20, {[COLUMN_REF] = 6, [COLUMN_TOKENS] = 5}},
	{0, {[COLUMN_REF] = 6}},
};

/* A row being painted, or a fold standing for several. */
struct painter {
	const struct view_context *c;
	const struct frame_row *row;
	uint32_t folded; /* rows of the fold; 0 = a single row */
	double tokens;   /* of the fold */
	bool other;      /* STYLE_REMOVED or STYLE_COVERED over everything */
	enum style style;
	struct line *out;
};

static enum style style_of(const struct painter *p, enum style own) { return p->other ? p->style : own; }

static void put(const struct painter *p, enum style own, struct str s, int width, enum align align)
{
	line_put_clipped(p->out, style_of(p, own), s, width, align);
}

static void put_buf(const struct painter *p, enum style own, struct buf *b, int width, enum align align)
{
	put(p, own, buf_view(b), width, align);
	buf_free(b);
}

static const enum style role_styles[ROLE_COUNT] = {STYLE_USER, STYLE_ASSISTANT, STYLE_SYSTEM, STYLE_TOOL};

static void put_ref(const struct painter *p, int width)
{
	const struct surface_row *r = &p->row->row;
	struct buf b = {0};
	if (r->source < 0 || p->folded)
		buf_str(&b, rows_block_id(p->c->frame, r->source < 0 ? (uint32_t)~r->source : p->row->covered_by - 1));
	else if (r->ref != REF_NONE)
		words_ref(&b, &p->c->frame->run->state, r->ref);
	else
		buf_char(&b, '-');
	put_buf(p, STYLE_REF, &b, width, ALIGN_LEFT);
}

static void put_role(const struct painter *p, int width)
{
	static const char *const brief[ROLE_COUNT] = {"user", "asst", "sys", "tool"};
	enum role role = (enum role)p->row->row.role;
	struct str name = width < 9 ? str_of(brief[role]) : role_name(role);
	put(p, role_styles[role], p->folded ? STR("") : name, width, ALIGN_LEFT);
}

static const char *const brief_kinds[CONTENT_COUNT] = {"text", "call", "result", "reason"};

static void put_class(const struct painter *p, int width)
{
	put(p, STYLE_DIM, str_of(dsh_class_name(frame_row_class(p->row))), width, ALIGN_LEFT);
}

static void put_kind(const struct painter *p, int width)
{
	enum content content = (enum content)p->row->row.content;
	struct str name = width < 11 ? str_of(brief_kinds[content]) : content_name(content);
	put(p, STYLE_PLAIN, p->folded ? STR("") : name, width, ALIGN_LEFT);
}

/* Role and kind in one: who speaks in a text, else what it is. */
static void put_who(const struct painter *p, int width)
{
	const struct surface_row *r = &p->row->row;
	if (r->content == CONTENT_TEXT || p->folded)
		put_role(p, width);
	else
		put(p, role_styles[r->role], str_of(brief_kinds[r->content]), width, ALIGN_LEFT);
}

static void put_tool(const struct painter *p, int width)
{
	put(p, STYLE_TOOL, p->folded ? STR("") : names_get(p->c->frame->run->state.names, p->row->row.tool), width,
	    ALIGN_LEFT);
}

/* The number as it is, or its label when that is too wide. */
static void put_tokens(const struct painter *p, int width)
{
	char text[NUM_TEXT_MAX];
	struct buf b = {0};
	double tokens = p->folded ? p->tokens : p->row->tokens;
	size_t n = num_print(text, tokens);
	if (n <= (size_t)width)
		buf_bytes(&b, text, n);
	else
		words_short(&b, tokens);
	put_buf(p, STYLE_NUMBER, &b, width, ALIGN_RIGHT);
}

static void put_tag(const struct painter *p, int width)
{
	char text[NUM_TEXT_MAX];
	size_t n = p->row->row.tagged && !p->folded ? num_label_tag(text, p->row->row.tag_tokens) : 0;
	put(p, STYLE_DIM, (struct str){text, n}, width, ALIGN_RIGHT);
}

static bool inside_turn(const struct frame *f) { return f->at.node != NODE_START && f->at.node != NODE_RENDER; }

static void put_flags(const struct painter *p, int width)
{
	static const struct {
		uint16_t flag;
		char letter;
	} letters[] = {{ROW_PROTECTED, 'P'}, {ROW_RECENT, 'R'},    {ROW_LAST_USER, 'U'}, {ROW_BLOCKED, 'B'},
		       {ROW_HIDDEN, 'H'},    {ROW_TRUNCATED, 'T'}, {ROW_NEW, '+'},       {ROW_CHANGED, '~'}};
	const struct frame *f = p->c->frame;
	struct buf b = {0};
	for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
		bool in_front = letters[i].flag >= ROW_NEW && !inside_turn(f); /* stands in the first column */
		if ((p->row->flags & letters[i].flag) && !in_front)
			buf_char(&b, letters[i].letter);
	}
	if (p->row->flags & ROW_COVERED) {
		buf_char(&b, 'C');
		if (p->row->covered_by != 0 && !p->folded)
			buf_str(&b, rows_block_id(f, p->row->covered_by - 1));
	}
	put_buf(p, STYLE_PROTECTED, &b, width, ALIGN_LEFT);
}

static void put_line_number(const struct painter *p, int width)
{
	const struct surface_row *r = &p->row->row;
	const struct recording *rec = p->c->frame->run->recording;
	uint32_t line = r->source >= 0 ? recording_record(rec, (uint32_t)r->source)->line : 0;
	struct buf b = {0};
	if (line > 0)
		buf_printf(&b, "%u", line);
	put_buf(p, STYLE_DIM, &b, width, ALIGN_RIGHT);
}

static const struct column columns[COLUMN_COUNT] = {
	[COLUMN_REF] = {"ref", NULL, ALIGN_LEFT, put_ref},
	[COLUMN_CLASS] = {"class", NULL, ALIGN_LEFT, put_class},
	[COLUMN_ROLE] = {"role", NULL, ALIGN_LEFT, put_role},
	[COLUMN_KIND] = {"kind", NULL, ALIGN_LEFT, put_kind},
	[COLUMN_WHO] = {"who", NULL, ALIGN_LEFT, put_who},
	[COLUMN_TOOL] = {"tool", NULL, ALIGN_LEFT, put_tool},
	[COLUMN_TOKENS] = {"raw est", "cal est", ALIGN_RIGHT, put_tokens},
	[COLUMN_TAG] = {"tag", NULL, ALIGN_RIGHT, put_tag},
	[COLUMN_FLAGS] = {"flags", NULL, ALIGN_LEFT, put_flags},
	[COLUMN_LINE] = {"line", NULL, ALIGN_RIGHT, put_line_number},
};

static const struct columns table = {columns, COLUMN_COUNT, widths};

/* ---- text ---- */

struct str rows_text(struct frame *f, const struct frame_row *row, size_t max, struct arena *a, bool *all)
{
	const struct surface_row *r = &row->row;
	*all = true;
	if (r->source < 0 || r->alternative != ALTERNATIVE_NONE || r->peel > max / 2)
		return frame_row_text(f, row, a);
	struct span span = f->run->recording->messages.v[r->source].text;
	if (span.place != SPAN_LITERAL || span.n <= max)
		return frame_row_text(f, row, a);
	/* a shorter literal; what the cut made of its last character goes */
	*all = false;
	span.n = (uint32_t)max;
	struct str text = recording_text(f->run->recording, span, a);
	size_t end = text.n > CUT_SLACK ? text.n - CUT_SLACK : 0;
	while (end > 0 && ((unsigned char)text.p[end] & 0xC0) == 0x80)
		end--;
	return str_cut(text, r->peel, end);
}

/* A part of a summary's line, set off by a dot; an ellipsis where there is no room for it. */
static void put_part(const struct painter *p, enum style style, struct str s)
{
	enum style dim = style_of(p, STYLE_DIM);
	if (s.n == 0 || line_left(p->out) == 0)
		return;
	if (line_left(p->out) <= 3) {
		line_glyph(p->out, dim, GLYPH_ELLIPSIS);
		line_pad_to(p->out, p->c->width);
		return;
	}
	line_puts(p->out, dim, " ");
	line_glyph(p->out, dim, GLYPH_DOT);
	line_puts(p->out, dim, " ");
	words_put(p->out, style_of(p, style), s);
}

/* "T1 12 rows 3.4K -> 210 - topic - summary" */
static void put_summary(const struct painter *p)
{
	const struct block *k = &p->c->frame->run->state.blocks.v[~p->row->row.source];
	bool open = p->c->unfolded && p->c->selected == rows_key_of(&p->c->run->state, &p->row->row);
	struct buf b = {0};
	buf_printf(&b, "%s T%u ", glyph(open ? GLYPH_OPEN : GLYPH_FOLDED, p->c->ascii), k->tier);
	words_plural(&b, k->effective_n, "row", "rows");
	buf_char(&b, ' ');
	if (k->has_tokens)
		words_short(&b, k->tokens);
	else
		buf_char(&b, '?');
	buf_printf(&b, " %s ", glyph(GLYPH_ARROW_RIGHT, p->c->ascii));
	words_short(&b, p->row->tokens);
	if (p->row->row.ref != REF_NONE) {
		buf_char(&b, ' ');
		words_ref(&b, &p->c->frame->run->state, p->row->row.ref);
	}
	words_put(p->out, style_of(p, STYLE_COVERED), buf_view(&b));
	buf_free(&b);
	put_part(p, STYLE_BOLD, k->topic);
	put_part(p, STYLE_PLAIN, text_trim(k->summary));
}

static void put_fold(const struct painter *p)
{
	const struct state *s = &p->c->frame->run->state;
	const struct frame_row *last = p->row + p->folded - 1;
	struct buf b = {0};
	bool open = p->c->unfolded && p->c->selected == (ROWS_KEY_FOLD | rows_key_of(&p->c->run->state, &p->row->row));
	buf_printf(&b, "%s ", glyph(open ? GLYPH_OPEN : GLYPH_FOLDED, p->c->ascii));
	words_plural(&b, p->folded, "row", "rows");
	buf_char(&b, ' ');
	words_ref(&b, s, p->row->row.ref);
	buf_text(&b, "..");
	words_ref(&b, s, last->row.ref);
	buf_text(&b, p->row->mark == MARK_REMOVED ? ", covered: removed" : ", covered");
	words_put(p->out, p->style, buf_view(&b));
	buf_free(&b);
}

static void put_text(const struct painter *p)
{
	struct arena a = {0};
	bool all;
	if (line_left(p->out) == 0)
		return;
	if (p->folded) {
		put_fold(p);
		return;
	}
	if (p->row->row.source < 0) {
		put_summary(p);
		return;
	}
	struct str text = rows_text(p->c->frame, p->row, PREVIEW_BYTES, &a, &all);
	enum style own = p->row->row.content == CONTENT_REASONING ? STYLE_DIM : STYLE_PLAIN;
	words_put(p->out, style_of(p, own), text);
	arena_free(&a);
}

/* ---- lines ---- */

/* What the node did to the row; of a whole turn, what is new since the turn before. */
static void put_mark(const struct painter *p)
{
	static const struct {
		const char *sign;
		enum style style;
	} marks[] = {[MARK_NONE] = {" ", STYLE_PLAIN},
		     [MARK_ADDED] = {"+", STYLE_ADDED},
		     [MARK_REWRITTEN] = {"~", STYLE_CHANGED},
		     [MARK_REMOVED] = {"-", STYLE_REMOVED}};
	enum row_mark mark = p->row->mark;
	if (!inside_turn(p->c->frame))
		mark = p->row->flags & ROW_NEW ? MARK_ADDED : p->row->flags & ROW_CHANGED ? MARK_REWRITTEN : MARK_NONE;
	line_puts(p->out, marks[mark].style, marks[mark].sign);
}

/* The bracket of the compressible group; thin beside a row inside it that is not part of it. */
static void put_gutter(const struct painter *p)
{
	static const enum glyph edges[] = {GLYPH_RANGE_MID, GLYPH_RANGE_TOP, GLYPH_RANGE_BOTTOM, GLYPH_RANGE_SINGLE};
	uint32_t ref = p->row->row.ref;
	if (p->row->range == 0)
		line_puts(p->out, STYLE_PLAIN, " ");
	else if (ref == REF_NONE || ref == REF_BLOCKED)
		line_glyph(p->out, STYLE_RANGE, GLYPH_VLINE);
	else
		line_glyph(p->out, STYLE_RANGE, edges[p->row->range_edge & 3]);
}

static void paint(struct painter *p)
{
	if (p->row->mark == MARK_REMOVED || (p->row->flags & ROW_COVERED)) {
		p->other = true;
		p->style = p->row->mark == MARK_REMOVED ? STYLE_REMOVED : STYLE_COVERED;
	}
	put_mark(p);
	put_gutter(p);
	columns_put(&table, p->c->width, p, p->out);
	put_text(p);
}

void rows_paint(const struct view_context *c, const struct frame_row *row, struct line *out)
{
	struct painter p = {.c = c, .row = row, .out = out};
	paint(&p);
}

uint64_t rows_key_of(struct state *s, const struct surface_row *row)
{
	return row->source >= 0 ? (uint64_t)row->source + 1 : frame_block_key(s, (uint32_t)~row->source);
}

struct str rows_block_id(const struct frame *f, uint32_t block)
{
	return names_get(f->run->state.names, f->run->state.blocks.v[block].id);
}

struct frame_row rows_of_message(struct frame *f, uint32_t message)
{
	struct surface_row row = surface_of_message(&f->run->state, message);
	return (struct frame_row){.row = row,
				  .flags = row.ref == REF_BLOCKED ? ROW_BLOCKED : 0,
				  .tokens = counter_tokens(&f->turn.in.counter, row.face.size)};
}

/* Covered rows stand in the list until prune has dropped them. */
static bool folds(const struct frame *f, const struct frame_row *row)
{
	return row->covered_by != 0 && row->row.source >= 0 &&
	       (row->mark == MARK_REMOVED || f->at.node < NODE_PRUNE || f->capacity);
}

const struct row_lines *rows_lines(const struct view_context *c)
{
	struct frame *f = c->frame;
	struct row_lines *l = f->kept[KEPT_ROW_LINES];
	if (l != NULL)
		return l;
	l = f->kept[KEPT_ROW_LINES] = arena_zero(&f->arena, 1, sizeof *l);
	l->v = arena_alloc(&f->arena, (f->rows.n + 1) * sizeof *l->v);
	size_t rule = f->rows.n > 0 ? rows_break(c) : SIZE_MAX;
	for (size_t i = 0; i < f->rows.n; i += l->v[l->n++].n) {
		if (i == rule)
			l->v[l->n++] = (struct row_line){(uint32_t)i, 0};
		const struct frame_row *first = &f->rows.v[i], *row = first + 1, *end = f->rows.v + f->rows.n;
		if (folds(f, first))
			while (row < end && folds(f, row) && row->covered_by == first->covered_by &&
			       row->mark == first->mark)
				row++;
		l->v[l->n] = (struct row_line){(uint32_t)i, (uint32_t)(row - first)};
	}
	if (f->rows.n > 0 && rule == f->rows.n)
		l->v[l->n++] = (struct row_line){(uint32_t)rule, 0};
	return l;
}

static size_t count(const struct view_context *c)
{
	if (dsh_view_is(c))
		return dsh_rows_view.count(c);
	size_t n = c->frame && c->frame->run ? rows_lines(c)->n : 0;
	return n > 0 ? n : 1; /* a line says that there are none */
}

static uint64_t key(const struct view_context *c, size_t i)
{
	if (dsh_view_is(c))
		return dsh_rows_view.key(c, i);
	const struct row_lines *l = c->frame && c->frame->run ? rows_lines(c) : NULL;
	if (l == NULL || i >= l->n || l->v[i].n == 0)
		return 0;
	uint64_t own = rows_key_of(&c->frame->run->state, &c->frame->rows.v[l->v[i].row].row);
	return l->v[i].n > 1 ? ROWS_KEY_FOLD | own : own;
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	if (dsh_view_is(c)) {
		dsh_rows_view.line(c, i, out);
		return;
	}
	const struct row_lines *l = c->frame && c->frame->run ? rows_lines(c) : NULL;
	line_reset(out, c->width);
	if (l == NULL || i >= l->n) {
		line_puts(out, STYLE_DIM, "no rows at this position");
		return;
	}
	if (l->v[i].n == 0) {
		rows_put_break(c, out);
		return;
	}
	const struct frame_row *row = &c->frame->rows.v[l->v[i].row];
	struct painter p = {.c = c, .row = row, .out = out, .folded = l->v[i].n > 1 ? l->v[i].n : 0};
	for (uint32_t k = 0; k < p.folded; k++)
		p.tokens += row[k].tokens;
	paint(&p);
}

static bool changed(const struct view_context *c, size_t i)
{
	if (dsh_view_is(c)) /* no node of a turn changes the surface */
		return false;
	const struct row_lines *l = c->frame && c->frame->run ? rows_lines(c) : NULL;
	return l != NULL && i < l->n && l->v[i].n > 0 && inside_turn(c->frame) &&
	       c->frame->rows.v[l->v[i].row].mark != MARK_NONE;
}

/* The whole text of a row; of every row of a fold. */
static bool whole_text(const struct view_context *c, size_t i, size_t part, size_t max, struct arena *a,
		       struct str *out, bool *all)
{
	if (dsh_view_is(c))
		return dsh_rows_view.text(c, i, part, max, a, out, all);
	const struct row_lines *l = c->frame && c->frame->run ? rows_lines(c) : NULL;
	if (l == NULL || i >= l->n || part >= l->v[i].n)
		return false;
	*out = rows_text(c->frame, &c->frame->rows.v[l->v[i].row + part], max, a, all);
	return true;
}

/* What the signs in the first column are about. */
static void put_legend(const struct frame *f, struct line *out)
{
	struct buf b = {0};
	if (f->at.node == NODE_START)
		buf_text(&b, "the host's list");
	else if (inside_turn(f))
		buf_printf(&b, "%s: + added - removed ~ rewritten", turn_node_name(f->at.node));
	else if (f->at.records > 0 || f->at.turn > 1)
		buf_printf(&b, "+ new ~ changed since turn %u", f->at.records > 0 ? f->at.turn : f->at.turn - 1);
	line_put_right(out, STYLE_DIM, buf_view(&b));
	buf_free(&b);
}

static void caption(const struct view_context *c, struct line *out)
{
	if (dsh_view_is(c)) {
		dsh_rows_view.caption(c, out);
		return;
	}
	line_reset(out, c->width);
	line_puts(out, STYLE_HEADING, "  ");
	columns_caption(&table, c, out);
	line_puts(out, STYLE_HEADING, "text");
	if (c->frame && c->frame->run)
		put_legend(c->frame, out);
}

const struct view_ops rows_view = {
	.name = "rows",
	.title = "Rows",
	.count = count,
	.line = line,
	.key = key,
	.detail_count = rows_detail_count,
	.detail_line = rows_detail_line,
	.changed = changed,
	.text = whole_text,
	.caption = caption,
};
