/*
 * The strip under the panes: usage over all turns, what happened, user turns and the cursor.
 *
 * One column stands for one turn, or for several when there are more turns than
 * columns. What the columns show is gathered once for a run, a width and a
 * number of turns.
 */
#include <stdlib.h>

#include "replay/view/view.h"

#include "replay/view/words.h"

enum { LABEL = 8, LABEL_FROM = 50 }; /* columns of the label, and the width from which there is one */

/* From the most to the least important: what a column shows when several happened in it. */
static const struct {
	uint16_t event; /* enum moment_event */
	uint8_t glyph, style;
	const char *words;
} events[] = {
	{MOMENT_CAPACITY, GLYPH_BAR_FULL, STYLE_ERROR, "the turn could not run, refs ran out"},
	{MOMENT_REFUSED, GLYPH_REJECTED, STYLE_ERROR, "compress call refused"},
	{MOMENT_APPLIED, GLYPH_COMPRESS, STYLE_GOOD, "compress call applied"},
	{MOMENT_TRUNCATED, GLYPH_TRUNCATE, STYLE_ERROR, "large tool results cut"},
	{MOMENT_NUDGE, GLYPH_NUDGE, STYLE_WARNING, "nudge sent"},
	{MOMENT_FAILED, GLYPH_FAIL, STYLE_ERROR, "the answer was errored or aborted"},
	{MOMENT_REFUTED, GLYPH_UNKNOWN, STYLE_ERROR, "the prompt is larger than the assumed window"},
	{MOMENT_RESTART, GLYPH_RESTART, STYLE_CHANGED, "host restarted"},
	{MOMENT_MODEL, GLYPH_MODEL, STYLE_CHANGED, "another model"},
	{MOMENT_REWIND, GLYPH_ARROW_LEFT, STYLE_CHANGED, "rewind"},
	{MOMENT_KEEP, GLYPH_BARRIER, STYLE_CHANGED, "the host compacted by itself"},
	{MOMENT_DECOMPRESS, GLYPH_DECOMPRESS, STYLE_CHANGED, "decompress"},
	{MOMENT_STATE, GLYPH_DOT, STYLE_CHANGED, "the host replaced the state"},
};

const char *strip_legend(size_t i, bool ascii, const char **sign)
{
	static const char *const before[] = {
		"One column a turn, or several turns when they do not fit: then the highest bar and the first of the "
		"events "
		"in the order of this list.",
		"Bars: tokens of the window. The percentage at the left is what a full bar stands for.",
		"events:",
	};
	static const struct {
		uint8_t glyph;
		const char *words;
	} behind[] = {{GLYPH_USER, "turns: a user turn begins"},
		      {GLYPH_CURSOR, "turns: where you are"},
		      {GLYPH_ARROW_LEFT, "turns: you are before the first turn"}};
	size_t n = sizeof before / sizeof *before;
	*sign = NULL;
	if (i < n)
		return before[i];
	i -= n;
	n = sizeof events / sizeof *events;
	if (i < n) {
		*sign = glyph((enum glyph)events[i].glyph, ascii);
		return events[i].words;
	}
	i -= n;
	if (i >= sizeof behind / sizeof *behind)
		return NULL;
	*sign = glyph((enum glyph)behind[i].glyph, ascii);
	return behind[i].words;
}

struct bucket {
	float usage; /* highest of the column */
	uint16_t events;
};

struct buckets {
	struct bucket *v;
	int columns;
	size_t turns;
	float full; /* usage of the highest bar */
};

static size_t turn_count(const struct view_context *c) { return c->run ? c->run->timeline.turns.n : 0; }

static int label_columns(const struct view_context *c) { return c->width >= LABEL_FROM ? LABEL : 0; }

static int chart_columns(const struct view_context *c)
{
	int columns = c->width - label_columns(c);
	return columns > 0 ? columns : 1;
}

/* Column of turn t (from 0) among `columns`. */
static int column_of(size_t t, size_t turns, int columns)
{
	return turns <= (size_t)columns ? (int)t : (int)((uint64_t)t * (uint64_t)columns / turns);
}

/* The scale is 100 % of the window, or less in a session that never uses much of it. */
static float scale_for(float most)
{
	static const float steps[] = {0.05f, 0.1f, 0.25f, 0.5f};
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
		if (most <= steps[i])
			return steps[i];
	return 1;
}

static void gather(const struct view_context *c, struct buckets *b)
{
	const struct moment *turns = c->run->timeline.turns.v;
	float most = 0;
	for (size_t t = 0; t < b->turns; t++) {
		struct bucket *x = &b->v[column_of(t, b->turns, b->columns)];
		float usage = (float)turns[t].usage;
		x->usage = usage > x->usage ? usage : x->usage;
		x->events |= turns[t].events;
		most = usage > most ? usage : most;
	}
	/* without a label nothing would tell a smaller scale */
	b->full = label_columns(c) > 0 ? scale_for(most) : 1;
}

/* Kept with the frame when there is one, else made anew in `own`. */
static const struct buckets *buckets_of(const struct view_context *c, struct frame_stay *own)
{
	struct frame_stay *stay = c->frame && c->frame->run ? &c->frame->stays[STAYS_STRIP] : own;
	struct buckets *b = stay->made;
	int columns = chart_columns(c);
	if (b != NULL && b->columns == columns && b->turns == turn_count(c))
		return b;
	arena_free(&stay->arena);
	b = stay->made = arena_zero(&stay->arena, 1, sizeof *b);
	b->columns = columns;
	b->turns = turn_count(c);
	b->v = arena_zero(&stay->arena, (size_t)columns, sizeof *b->v);
	gather(c, b);
	return b;
}

uint32_t strip_turn_at(const struct view_context *c, int x)
{
	size_t turns = turn_count(c);
	int columns = chart_columns(c);
	x -= label_columns(c);
	if (turns == 0 || x < 0)
		return 0;
	size_t t = (size_t)x;
	if (turns > (size_t)columns)
		t = (size_t)(((uint64_t)x * turns + (uint64_t)columns - 1) / (uint64_t)columns);
	return (uint32_t)(t < turns ? t + 1 : turns);
}

static enum style usage_style(const struct run *r, float usage)
{
	if (usage >= (float)r->config.emergency_pct)
		return STYLE_ERROR;
	return usage >= (float)r->config.nudge_max_pct ? STYLE_WARNING : STYLE_CHART;
}

static void put_usage(const struct view_context *c, const struct buckets *b, struct line *out)
{
	for (int x = 0; x < b->columns; x++)
		line_glyph(out, usage_style(c->run, b->v[x].usage),
			   glyph_spark((double)b->v[x].usage, (double)b->full));
}

static void put_events(const struct view_context *c, const struct buckets *b, struct line *out)
{
	(void)c;
	for (int x = 0; x < b->columns; x++) {
		size_t i = 0, n = sizeof events / sizeof events[0];
		while (i < n && !(b->v[x].events & events[i].event))
			i++;
		if (i < n)
			line_glyph(out, (enum style)events[i].style, (enum glyph)events[i].glyph);
		else
			line_puts(out, STYLE_PLAIN, " ");
	}
}

static void add_marks(const struct buckets *b, const struct view_mark *v, size_t n, char *marks)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].turn > 0 && v[i].turn <= b->turns)
			marks[column_of(v[i].turn - 1, b->turns, b->columns)] = v[i].letter ? v[i].letter : 1;
}

/* What is marked in each column: a letter, 1 = a breakpoint, 0 = nothing. */
static char *marks_of(const struct view_context *c, const struct buckets *b)
{
	char *marks = mem_alloc((size_t)b->columns);
	memset(marks, 0, (size_t)b->columns);
	add_marks(b, c->marks, c->marks_n, marks);
	add_marks(b, c->letters, c->letters_n, marks);
	return marks;
}

static void put_users(const struct view_context *c, const struct buckets *b, struct line *out)
{
	uint32_t turn = c->frame && c->frame->run ? c->frame->at.turn : 0;
	int cursor = turn > 0 && turn <= b->turns ? column_of(turn - 1, b->turns, b->columns) : -1;
	char *marks = marks_of(c, b);
	for (int x = 0; x < b->columns; x++) {
		if (x == cursor)
			line_glyph(out, STYLE_CURSOR, GLYPH_CURSOR);
		else if (x == 0 && cursor < 0 && c->frame && c->frame->run)
			line_glyph(out, STYLE_CURSOR, GLYPH_ARROW_LEFT); /* before the first turn */
		else if (marks[x] == 1)
			line_glyph(out, STYLE_MARK, GLYPH_MARK);
		else if (marks[x])
			line_put(out, STYLE_MARK, (struct str){&marks[x], 1});
		else if (b->v[x].events & MOMENT_USER)
			line_glyph(out, STYLE_USER, GLYPH_USER);
		else
			line_puts(out, STYLE_PLAIN, " ");
	}
	free(marks);
}

static void put_label(const struct buckets *b, int i, struct line *out)
{
	static const char *const labels[STRIP_LINES] = {NULL, "events", "turns"};
	struct buf label = {0};
	if (i == 0)
		buf_printf(&label, "%3.0f %%", (double)b->full * 100);
	else
		buf_text(&label, labels[i]);
	line_put_clipped(out, STYLE_DIM, buf_view(&label), LABEL - 1, ALIGN_RIGHT);
	line_puts(out, STYLE_DIM, " ");
	buf_free(&label);
}

void strip_line(const struct view_context *c, int i, struct line *out)
{
	static void (*const put[STRIP_LINES])(const struct view_context *, const struct buckets *,
					      struct line *) = {put_usage, put_events, put_users};
	line_reset(out, c->width);
	if (c->run == NULL || i < 0 || i >= STRIP_LINES)
		return;
	struct frame_stay own = {0};
	const struct buckets *b = buckets_of(c, &own);
	if (label_columns(c) > 0)
		put_label(b, i, out);
	put[i](c, b, out);
	arena_free(&own.arena);
}
