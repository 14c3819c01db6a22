/* One opened row: what it is, every rule that had a say about it, where it is from, its whole text. */
#include <math.h>

#include "engine/base/json.h"
#include "replay/recall.h"
#include "replay/view/blocks.h"
#include "replay/view/clock.h"
#include "replay/view/dsh.h"
#include "replay/view/words.h"

/* Source bytes of a text that are shown; beyond them a line says how much is left. */
enum { SHOWN_BYTES = 256 * 1024 };
enum { INDENT = 2, INDENT_MORE = 4 };

/* ---- pieces ---- */

static void put_why(struct frame *f, const struct frame_row *row, const char *title, struct detail *d)
{
	struct explanation x = {.arena = &d->arena};
	detail_title(d, title);
	explain_row(f, row, &x);
	for (size_t i = 0; i < x.reasons.n; i++)
		reason_put(f, &x.reasons.v[i], d);
	if (x.reasons.n == 0)
		detail_puts(d, STYLE_DIM, INDENT, "no rule protects, covers, hides or cuts it here");
	explanation_free(&x);
}

/* "line 12 of FILE, bytes 3,456 to 4,000 (message)" */
static void put_record(const struct recording *rec, uint32_t message, struct buf *b)
{
	const struct record *r = recording_record(rec, message);
	if (r->line == 0) {
		buf_printf(b, "made by the reader, no line of its own (%s)",
			   record_type_name((enum record_type)r->type));
		return;
	}
	buf_text(b, "line ");
	words_count(b, r->line);
	buf_text(b, " of ");
	buf_text(b, rec->source.path ? rec->source.path : "?");
	buf_text(b, ", bytes ");
	words_count(b, (double)r->at);
	buf_text(b, " to ");
	words_count(b, (double)(r->at + r->n));
	buf_printf(b, " (%s)", record_type_name((enum record_type)r->type));
}

static void put_named(struct detail *d, const char *what, struct str name, struct buf *b)
{
	if (name.n == 0)
		return;
	buf_text(b, what);
	buf_str(b, name);
	detail_words(d, STYLE_PLAIN, INDENT, b);
}

/* When it was sent first: no row has a time of its own, the answer to it has. */
static void put_first_sent(const struct run *r, uint32_t record, struct detail *d, struct buf *b)
{
	size_t lo = 0, hi = r->timeline.turns.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (r->timeline.turns.v[mid].record < record)
			lo = mid + 1;
		else
			hi = mid;
	}
	uint32_t turn = (uint32_t)lo + 1;
	double time = clock_turn(r, turn), gap = clock_gap(r, turn);
	if (isnan(time))
		return;
	buf_printf(b, "first sent at turn %u, ", turn);
	clock_put_full(b, time);
	if (!isnan(gap)) {
		buf_text(b, ", ");
		clock_put_gap_words(b, gap);
		buf_text(b, " after the turn before");
	}
	detail_words(d, STYLE_PLAIN, INDENT, b);
}

void row_put_source(struct frame *f, uint32_t message, struct detail *d)
{
	const struct recording *rec = f->run->recording;
	const struct message_record *m = &rec->messages.v[message];
	struct buf b = {0};
	detail_title(d, "Source");
	put_record(rec, message, &b);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	put_first_sent(f->run, rec->messages.v[message].record, d, &b);
	put_named(d, "entry id ", names_get(&rec->names, m->entry), &b);
	put_named(d, "message id ", names_get(&rec->names, m->message.id), &b);
	put_named(d, "call id ", names_get(&rec->names, m->message.call), &b);
	if (m->is_error)
		detail_puts(d, STYLE_ERROR, INDENT, "marked as an error by the tool");
	buf_free(&b);
}

/* Where the whole of a text can be found, if it stands in the file as it is. */
static void put_whole_text_place(struct frame *f, const struct frame_row *row, struct buf *b)
{
	if (row->row.source < 0 || row->row.alternative != ALTERNATIVE_NONE)
		return;
	buf_text(b, ": the whole of it is in ");
	put_record(f->run->recording, (uint32_t)row->row.source, b);
}

void row_put_text(struct frame *f, const struct frame_row *row, struct detail *d)
{
	struct buf b = {0};
	bool all;
	struct str text = rows_text(f, row, SHOWN_BYTES, &d->arena, &all);
	detail_title(d, "Text");
	if (all && text.n > SHOWN_BYTES) {
		size_t end = SHOWN_BYTES;
		while (end > 0 && ((unsigned char)text.p[end] & 0xC0) == 0x80)
			end--;
		text.n = end;
		all = false;
	}
	if (text.n == 0)
		detail_puts(d, STYLE_DIM, INDENT, "(empty)");
	else
		detail_put(d, STYLE_PLAIN, 0, text);
	if (!all) {
		words_count(&b, (double)row->row.face.size.units - text_measure(text).units);
		buf_text(&b, " more units of text, not shown");
		put_whole_text_place(f, row, &b);
		detail_words(d, STYLE_WARNING, 0, &b);
	}
	buf_free(&b);
}

/* ---- a message ---- */

static void put_sizes(struct frame *f, const struct frame_row *row, struct buf *b)
{
	const struct surface_row *r = &row->row;
	words_count(b, r->face.size.units);
	buf_text(b, " units, ");
	words_count(b, r->face.size.cjk);
	buf_text(b, " of them CJK: ");
	words_plural(b, row->tokens, "token", "tokens");
	buf_printf(b, r->tagged ? " (%s, without its tag)" : " (%s)", words_counter_scale(f));
	if (!r->tagged)
		return;
	buf_text(b, "; its tag says ");
	words_count(b, r->tag_tokens);
	buf_text(b, ", its count when it was first rendered");
}

static void put_head(struct frame *f, const struct frame_row *row, struct detail *d)
{
	static const struct {
		uint16_t flag;
		const char *words;
	} changes[] = {{ROW_NEW, "new: not there after the same node of the turn before"},
		       {ROW_CHANGED, "changed: it had another text after the same node of the turn before"}};
	const struct surface_row *r = &row->row;
	struct buf b = {0};
	words_ref(&b, &f->run->state, r->ref);
	buf_text(&b, "  ");
	buf_str(&b, role_name((enum role)r->role));
	buf_char(&b, ' ');
	buf_str(&b, content_name((enum content)r->content));
	buf_char(&b, ' ');
	buf_str(&b, names_get(f->run->state.names, r->tool));
	detail_words(d, STYLE_BOLD, 0, &b);
	put_sizes(f, row, &b);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
		if (row->flags & changes[i].flag)
			detail_puts(d, STYLE_CHANGED, INDENT, changes[i].words);
	buf_free(&b);
}

/* What the kernel's own search answers to a search_context call here. */
static void put_recall(struct frame *f, const struct frame_row *row, struct detail *d)
{
	struct state *s = &f->run->state;
	struct buf b = {0};
	struct recall_hit *hits;
	if (row->row.content != CONTENT_CALL || !str_eq(names_get(s->names, row->row.tool), STR("search_context")))
		return;
	const cJSON *arguments = json_tree(&d->arena, frame_row_text(f, row, &d->arena), NULL, NULL);
	struct str query = json_str(json_get(arguments, "query"));
	if (query.p == NULL)
		return;
	size_t n = recall_search(s, query, &d->arena, &hits);
	detail_title(d, "What the kernel's search finds here (kernel.md 8.8)");
	for (size_t i = 0; i < n; i++) {
		buf_str(&b, rows_block_id(f, hits[i].block));
		buf_printf(&b, "  score %.2f  ", hits[i].score);
		buf_str(&b, s->blocks.v[hits[i].block].topic);
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	if (n == 0)
		detail_puts(d, STYLE_DIM, INDENT, "no active block");
	buf_free(&b);
}

static void build_message(const struct view_context *c, const struct frame_row *row, struct detail *d)
{
	put_head(c->frame, row, d);
	put_why(c->frame, row, "Why", d);
	put_recall(c->frame, row, d);
	row_put_source(c->frame, (uint32_t)row->row.source, d);
	row_put_text(c->frame, row, d);
}

/* ---- a block's summary, a fold, and which it is ---- */

/* All about the block, and the text as the model is sent it. */
static void build_summary(const struct view_context *c, const struct frame_row *row, struct detail *d)
{
	blocks_open(c, (uint32_t)~row->row.source, d);
	put_why(c->frame, row, "Why, as a row", d);
	row_put_text(c->frame, row, d);
}

static void build_fold(const struct view_context *c, uint32_t first, uint32_t n, struct detail *d)
{
	const struct frame *f = c->frame;
	const struct frame_row *row = &f->rows.v[first];
	struct buf b = {0};
	double tokens = 0;
	for (uint32_t i = 0; i < n; i++)
		tokens += row[i].tokens;
	words_plural(&b, n, "row", "rows");
	buf_text(&b, " covered by ");
	buf_str(&b, rows_block_id(f, row->covered_by - 1));
	buf_text(&b, row->mark == MARK_REMOVED ? ": prune dropped them (kernel.md 4.3)"
					       : ": prune will drop them (kernel.md 4.3)");
	detail_words(d, STYLE_BOLD, 0, &b);
	words_plural(&b, tokens, "token", "tokens");
	buf_printf(&b, " (%s of their texts without tags)", words_counter_scale(f));
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	for (uint32_t i = 0; i < n; i++)
		detail_message(d, (uint32_t)row[i].row.source);
	buf_free(&b);
}

static void build(const struct view_context *c, uint64_t key, struct detail *d)
{
	const struct row_lines *l = rows_lines(c);
	const struct frame *f = c->frame;
	if (dsh_view_is(c) && dsh_row_open(c, key, d))
		return;
	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].n == 0)
			continue;
		const struct frame_row *row = &f->rows.v[l->v[i].row];
		uint64_t own = rows_key_of(&f->run->state, &row->row);
		if (l->v[i].n > 1 && key == (ROWS_KEY_FOLD | own))
			build_fold(c, l->v[i].row, l->v[i].n, d);
		else if (l->v[i].n > 1 || key != own)
			continue;
		else if (row->row.source < 0)
			build_summary(c, row, d);
		else
			build_message(c, row, d);
		return;
	}
	/* a block that shows no summary here: a target of the nudge view */
	for (uint32_t i = 0; (key & ~ROWS_KEY_MASK) == ROWS_KEY_BLOCK && i < f->run->state.blocks.n; i++)
		if (frame_block_key(&f->run->state, i) == key) {
			blocks_open(c, i, d);
			return;
		}
}

static const struct detail_source details = {KEPT_ROW_DETAIL, build};

size_t rows_detail_count(const struct view_context *c, uint64_t key) { return detail_count(c, &details, key); }

void rows_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out)
{
	detail_paint(c, &details, key, i, out);
}
