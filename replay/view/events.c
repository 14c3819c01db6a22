/* The Events view: everything that happened in the run, with the position's place in it (interface.md, pane 7). */
#include <math.h>

#include "replay/view/clock.h"
#include "replay/view/dsh.h"
#include "replay/view/event.h"
#include "replay/view/words.h"

/* Columns of position and kind by width of the window; glyph and words always stay. */
static const struct layout {
	int from;
	uint8_t at, kind, time, gap; /* time, gap: where the recording tells times */
} layouts[] = {{120, 10, 13, 8, 7}, {100, 10, 13, 0, 0}, {60, 8, 11, 0, 0}, {30, 7, 0, 0, 0}, {0, 0, 0, 0, 0}};

static const struct layout *layout_for(int width)
{
	size_t i = 0;
	while (width < layouts[i].from)
		i++;
	return &layouts[i];
}

static const struct events *list_of(const struct view_context *c)
{
	return c->frame && c->frame->run ? events_of(c->frame) : NULL;
}

/* ---- lines ---- */

static void put_head(const struct view_context *c, struct line *out)
{
	const struct events *e = list_of(c);
	struct buf b = {0};
	if (e == NULL) {
		words_put(out, STYLE_DIM, STR("nothing to show yet"));
		return;
	}
	if (e->n == 0) {
		words_put(out, STYLE_DIM, STR("No events: nothing was compressed, nudged or changed."));
		return;
	}
	if (dsh_view_is(c)) {
		dsh_loop_words(c->frame->run, &b);
		buf_text(&b, "; ");
	}
	words_plural(&b, (double)e->n, "event", "events");
	for (int k = 0, first = 1; k < EVENT_KINDS; k++) {
		if (e->of_kind[k] == 0)
			continue;
		buf_printf(&b, "%s%u %s", first ? ": " : ", ", e->of_kind[k], event_kind_name((enum event_kind)k));
		first = 0;
	}
	words_put(out, STYLE_PLAIN, buf_view(&b));
	buf_free(&b);
}

/* Of the turn it is at or behind; a compress call and a row of a DSH log have their own. */
static double time_of(const struct run *r, const struct event *e)
{
	const struct recording *rec = r->recording;
	if ((e->kind == EVENT_COMPRESS || e->kind == EVENT_DIVERGED) && e->record < rec->records.n &&
	    rec->records.v[e->record].type == RECORD_COMPRESS)
		return rec->compressions.v[rec->records.v[e->record].index].time;
	uint32_t row = dsh_event_row(r, e);
	double own = row != DSH_NONE ? dsh_log_row(&rec->dsh.log, row)->time : NAN;
	if (!isnan(own))
		return own;
	return clock_turn(r, e->turn);
}

static void put_times(const struct run *r, const struct event *e, const struct layout *l, struct line *out)
{
	double gap = e->after == 0 ? clock_gap(r, e->turn) : NAN;
	struct buf b = {0};
	if (l->time > 0) {
		clock_put(&b, time_of(r, e));
		line_put_clipped(out, STYLE_DIM, buf_view(&b), l->time, ALIGN_RIGHT);
		line_puts(out, STYLE_PLAIN, " ");
	}
	buf_cut(&b, 0);
	if (l->gap > 0) {
		buf_char(&b, isnan(gap) ? ' ' : '+');
		if (!isnan(gap))
			clock_put_gap(&b, gap);
		line_put_clipped(out, gap > CLOCK_IDLE_MS ? STYLE_WARNING : STYLE_DIM, buf_view(&b), l->gap,
				 ALIGN_RIGHT);
		line_puts(out, STYLE_PLAIN, " ");
	}
	buf_free(&b);
}

static void put_event(const struct view_context *c, const struct event *e, bool here, bool later, struct line *out)
{
	const struct layout *l = layout_for(c->width);
	enum style plain = later ? STYLE_DIM : STYLE_PLAIN, style = event_style(c->frame, e);
	struct buf b = {0};
	line_puts(out, STYLE_PLAIN, " "); /* where a selection is marked */
	if (here)
		line_glyph(out, STYLE_CURSOR, GLYPH_ARROW_RIGHT);
	else
		line_puts(out, STYLE_PLAIN, " ");
	if (l->at > 0) {
		position_print(event_position(e), &b);
		line_put_clipped(out, later ? STYLE_DIM : STYLE_REF, buf_view(&b), l->at, ALIGN_LEFT);
		line_puts(out, STYLE_PLAIN, " ");
	}
	if (clock_known(c->frame->run))
		put_times(c->frame->run, e, l, out);
	line_glyph(out, style, event_glyph(c->frame, e));
	line_puts(out, STYLE_PLAIN, " ");
	if (l->kind > 0)
		line_put_clipped(out, style, str_of(event_kind_name((enum event_kind)e->kind)), l->kind, ALIGN_LEFT);
	buf_cut(&b, 0);
	event_words(c->frame, e, &b);
	words_put(out, plain, buf_view(&b));
	buf_free(&b);
}

static size_t count(const struct view_context *c)
{
	const struct events *e = list_of(c);
	return 1 + (e ? e->n : 0);
}

static uint64_t key(const struct view_context *c, size_t i)
{
	const struct events *e = list_of(c);
	return e && i > 0 && i <= e->n ? e->v[i - 1].key : 0;
}

static size_t here(const struct view_context *c)
{
	const struct events *e = list_of(c);
	size_t before = e ? events_before(e, c->frame->at) : 0;
	return before > 0 ? before : SIZE_MAX; /* the line above the list is no event */
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	const struct events *e = list_of(c);
	line_reset(out, c->width);
	if (i == 0) {
		put_head(c, out);
		return;
	}
	if (e == NULL || i > e->n)
		return;
	size_t at = here(c);
	put_event(c, &e->v[i - 1], i == at, at == SIZE_MAX || i > at, out);
}

static void caption(const struct view_context *c, struct line *out)
{
	const struct layout *l = layout_for(c->width);
	line_reset(out, c->width);
	line_puts(out, STYLE_HEADING, "  ");
	if (l->at > 0) {
		line_put_clipped(out, STYLE_HEADING, STR("at"), l->at, ALIGN_LEFT);
		line_puts(out, STYLE_HEADING, " ");
	}
	if (c->run != NULL && clock_known(c->run) && l->time > 0) {
		line_put_clipped(out, STYLE_HEADING, STR("time"), l->time, ALIGN_RIGHT);
		line_puts(out, STYLE_HEADING, " ");
	}
	if (c->run != NULL && clock_known(c->run) && l->gap > 0) {
		line_put_clipped(out, STYLE_HEADING, STR("after"), l->gap, ALIGN_RIGHT);
		line_puts(out, STYLE_HEADING, " ");
	}
	line_puts(out, STYLE_HEADING, "  ");
	if (l->kind > 0)
		line_put_clipped(out, STYLE_HEADING, STR("event"), l->kind, ALIGN_LEFT);
	line_puts(out, STYLE_HEADING, "what");
}

const struct view_ops events_view = {
	.name = "events",
	.title = "Events",
	.count = count,
	.line = line,
	.key = key,
	.here = here,
	.detail_count = events_detail_count,
	.detail_line = events_detail_line,
	.caption = caption,
};
