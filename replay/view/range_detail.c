/* One opened range: how it came about, what becomes of it alone, rule by rule, and its rows. */
#include <math.h>

#include "replay/view/dsh.h"
#include "replay/view/ranges.h"
#include "replay/view/words.h"

enum { INDENT = 2 };

static void put_head(struct frame *f, const struct frame_range *range, struct detail *d)
{
	struct buf b = {0};
	buf_printf(&b, "%s  ", frame_range_kind_name((enum frame_range_kind)range->kind));
	reason_span(f, range->start, range->end, &b);
	detail_words(d, STYLE_BOLD, 0, &b);
	words_plural(&b, range->count, "row", "rows");
	buf_text(&b, ", ");
	words_plural(&b, range->tokens, "token", "tokens");
	buf_printf(&b, " (%s)", words_counter_scale(f));
	if (!isnan(range->chars)) {
		buf_text(&b, ", ");
		words_count(&b, range->chars);
		buf_text(&b, " units");
	}
	if (range->tool_pct >= 0) {
		buf_text(&b, ", ");
		words_percent_round(&b, range->tool_pct / 100.0);
		buf_text(&b, " calls and results");
	}
	buf_text(&b, ", without tags");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
}

static void put_reasons(struct frame *f, size_t range, struct detail *d)
{
	struct explanation x = {.arena = &d->arena};
	bool alone = false;
	explain_range(f, range, &x);
	detail_title(d, "Why it is listed");
	for (size_t i = 0; i < x.reasons.n; i++) {
		if (!alone && x.reasons.v[i].rule == RULE_ALONE_RESOLVES) {
			alone = true;
			detail_title(d, "Alone: applyCompression on the view at the end of the turn (kernel.md 5)");
		}
		reason_put(f, &x.reasons.v[i], d);
	}
	explanation_free(&x);
}

/* The rows of the range, those between its first and its last that are no part of it among them. */
static void put_rows(struct frame *f, const struct frame_range *range, struct detail *d)
{
	struct buf b = {0};
	detail_title(d, "Rows from its first to its last");
	for (uint32_t i = range->first; i <= range->last && i < f->rows.n; i++) {
		int32_t source = f->rows.v[i].row.source;
		if (source >= 0) {
			detail_message(d, (uint32_t)source);
			continue;
		}
		buf_text(&b, "summary of ");
		buf_str(&b, rows_block_id(f, (uint32_t)~source));
		detail_words(d, STYLE_COVERED, INDENT, &b);
	}
	buf_free(&b);
}

static void build(const struct view_context *c, uint64_t key, struct detail *d)
{
	if (dsh_view_is(c)) {
		dsh_range_open(c, key, d);
		return;
	}
	struct frame_ranges *r = frame_ranges(c->frame);
	size_t i = 0;
	while (r != NULL && i < r->n && r->v[i].key != key)
		i++;
	if (r == NULL || i == r->n)
		return;
	put_head(c->frame, &r->v[i], d);
	put_reasons(c->frame, i, d);
	put_rows(c->frame, &r->v[i], d);
}

static const struct detail_source details = {KEPT_RANGE_DETAIL, build};

size_t ranges_detail_count(const struct view_context *c, uint64_t key) { return detail_count(c, &details, key); }

void ranges_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out)
{
	detail_paint(c, &details, key, i, out);
}
