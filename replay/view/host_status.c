/*
 * The Status view: what the host's own status report, its panel and its recap say at this position (kernel.md 8.6,
 * 8.7), with the numbers as the host prints them.
 */
#include <math.h>

#include "engine/kernel/decompress.h"
#include "replay/gates.h"
#include "replay/view/blocks.h"
#include "replay/view/host_status.h"
#include "replay/view/rows.h"

static void report_free(void *report)
{
	struct status_lines *r = report;
	status_free(&r->data);
	nudge_rows_free(&r->ranges);
	vec_free(&r->items);
}

/* ---- building ---- */

#define KEY_HEAD ((uint64_t)1 << 50)

static void add(struct status_lines *r, enum status_line_kind kind, uint32_t index, uint64_t key)
{
	vec_push(&r->items, (struct status_item){(uint8_t)kind, index, key});
}

static void add_head(struct status_lines *r, enum status_head head)
{
	if (r->items.n > 0)
		add(r, STATUS_LINE_BLANK, 0, 0);
	add(r, STATUS_LINE_HEAD, head, KEY_HEAD | head);
}

static void add_panel(struct frame *f, struct status_lines *r)
{
	struct state *s = &f->run->state;
	add_head(r, STATUS_HEAD_PANEL);
	add(r, STATUS_LINE_HOST, 0, 0);
	if (r->decided) {
		if (f->turn.nudge.context.growth > 0 && r->core.tokens > 0)
			add(r, STATUS_LINE_GROWTH, 0, 0);
		add(r, STATUS_LINE_SENT, 0, 0);
		for (uint32_t i = 0; i < STATUS_PARTS; i++)
			if (r->panel.part[i] > 0)
				add(r, STATUS_LINE_PART, i, 0);
		add(r, STATUS_LINE_NUDGE, 0, 0);
	}
	for (uint32_t i = 0; i < r->ranges.list.n; i++)
		add(r, STATUS_LINE_RANGE, i, 0);
	add(r, STATUS_LINE_PANEL_BLOCKS, 0, 0);
	for (uint32_t i = 0; i < s->blocks.n; i++)
		if (s->blocks.v[i].active)
			add(r, STATUS_LINE_PANEL_BLOCK, i, 0);
}

static void add_uncompressed(struct status_lines *r)
{
	size_t n = r->data.spans.n;
	add_head(r, STATUS_HEAD_RANGES);
	add(r, STATUS_LINE_UNCOMPRESSED, 0, 0);
	for (uint32_t i = 0; i < n && i < STATUS_LIMIT_ROWS; i++)
		add(r, STATUS_LINE_SPAN, i, 0);
	if (n > STATUS_LIMIT_ROWS)
		add(r, STATUS_LINE_LEFT, STATUS_LEFT_SPANS, 0);
	n = r->data.messages.n;
	if (n == 0)
		return;
	add_head(r, STATUS_HEAD_MESSAGES);
	for (uint32_t i = 0; i < n && i < STATUS_LIMIT_ROWS; i++)
		add(r, STATUS_LINE_MESSAGE, i, r->data.messages.v[r->by_tokens[i]].message + 1);
	add(r, STATUS_LINE_LEFT, STATUS_LEFT_MESSAGES, 0);
}

static void add_compressed(struct frame *f, struct status_lines *r)
{
	size_t n = r->data.blocks.n;
	if (n == 0)
		return;
	add_head(r, STATUS_HEAD_COMPRESSED);
	for (uint32_t i = 0; i < n && i < STATUS_LIMIT_ROWS; i++)
		add(r, STATUS_LINE_BLOCK, i, frame_block_key(&f->run->state, r->data.blocks.v[r->by_size[i]].block));
	if (n > STATUS_LIMIT_ROWS)
		add(r, STATUS_LINE_LEFT, STATUS_LEFT_BLOCKS, 0);
}

/* The range list of the panel leaves out what is not worth showing (kernel.md 8.7). */
static void make_ranges(struct frame *f, struct status_lines *r)
{
	struct recommendation shown = f->turn.rec;
	shown.recommended.v = arena_alloc(&f->arena, (f->turn.rec.recommended.n + 1) * sizeof *shown.recommended.v);
	shown.recommended.n = ranges_viable(f->turn.rec.recommended.v, f->turn.rec.recommended.n, shown.recommended.v);
	nudge_text_ranges(&shown, &f->run->state, &r->ranges);
}

static void build(struct frame *f, struct status_lines *r)
{
	struct state *s = &f->run->state;
	status_make(s, &r->data);
	r->by_tokens = status_by_tokens(&r->data, &f->arena);
	r->by_size = status_by_size(&r->data, s, &f->arena);
	r->core = status_core(s, f->turn.in.tokens);
	r->decided = gates_decided(f);
	r->panel = status_panel(r->decided ? &f->turn.nudge.context : NULL, f->turn.in.tokens, f->run->system_tokens,
				f->run->config.limit, (double)NAN);
	if (r->decided)
		make_ranges(f, r);
	add_head(r, STATUS_HEAD_CORE);
	add(r, STATUS_LINE_USAGE, 0, 0);
	add(r, STATUS_LINE_TOTALS, 0, 0);
	add_panel(f, r);
	add_head(r, STATUS_HEAD_OVERVIEW);
	add(r, STATUS_LINE_OVERVIEW, 0, 0);
	add(r, STATUS_LINE_TOOLS, 0, 0);
	add(r, STATUS_LINE_SUMS, 0, 0);
	add(r, STATUS_LINE_FILTER, 0, 0);
	add_uncompressed(r);
	add_compressed(f, r);
}

static const struct status_lines *report_of(const struct view_context *c)
{
	struct frame *f = c->frame;
	if (f == NULL || f->run == NULL)
		return NULL;
	struct status_lines *r = f->kept[KEPT_STATUS];
	if (r == NULL) {
		r = f->kept[KEPT_STATUS] = arena_zero(&f->arena, 1, sizeof *r);
		arena_defer(&f->arena, report_free, r);
		build(f, r);
	}
	return r;
}

/* ---- the view ---- */

static size_t count(const struct view_context *c)
{
	const struct status_lines *r = report_of(c);
	return r ? r->items.n : 1;
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	const struct status_lines *r = report_of(c);
	line_reset(out, c->width);
	if (r == NULL) {
		line_puts(out, STYLE_DIM, "nothing to show yet");
		return;
	}
	if (i >= r->items.n)
		return;
	status_line_paint(c, r, &r->items.v[i], out);
}

static uint64_t key(const struct view_context *c, size_t i)
{
	const struct status_lines *r = report_of(c);
	return r && i < r->items.n ? r->items.v[i].key : 0;
}

/* What a part of the report is, and where its numbers are from. */
static const char *const about[] = {
	[STATUS_HEAD_CORE] =
		"What the kernel tells a host that asks for its status (kernel.md 8.6): the token count of "
		"this turn against the window, active blocks of all, and stats.tokensCompressed.",
	[STATUS_HEAD_PANEL] =
		"The host's panel (kernel.md 8.7). Its categories are those of the nudge: rows as "
		"nudge-inject saw them, with the turn's counter; sent is their sum and the system prompt. "
		"Ranges: recommended ones of at least 200 tokens and protected ones, touching ones in one "
		"row. Of a block: what went in, and its summary, raw estimates.",
	[STATUS_HEAD_OVERVIEW] =
		"The overview of the status report (kernel.md 8.6): messages of the host's list that no "
		"block covers, by whether they name a tool, and the summaries of active blocks. Raw "
		"estimates; no density enters a report (pi.md 5.4). A share of anything is at least 1 %.",
	[STATUS_HEAD_RANGES] = "Messages with refs one after the other, in one row under the tool of the first "
			       "(kernel.md 8.6). BLOCKED counts as a ref here.",
	[STATUS_HEAD_MESSAGES] =
		"The same messages one by one, largest first; the report ends after 30 (kernel.md 8.6).",
	[STATUS_HEAD_COMPRESSED] =
		"Active blocks by what went into them, then the newest first; the report ends after 30 "
		"(kernel.md 8.6). compressedTokens is never counted again.",
};

/* About a part, a message as the host's list has it, or everything about a block. */
static void open_line(const struct view_context *c, uint64_t key, struct detail *d)
{
	struct frame *f = c->frame;
	if (key & KEY_HEAD) {
		detail_puts(d, STYLE_PLAIN, 0, about[key & ~KEY_HEAD]);
		return;
	}
	if (key > 0 && key <= f->run->state.messages.n) {
		uint32_t message = (uint32_t)(key - 1);
		struct frame_row row = rows_of_message(f, message);
		detail_message(d, message);
		row_put_source(f, message, d);
		row_put_text(f, &row, d);
	}
	for (uint32_t i = 0; key > f->run->state.messages.n && i < f->run->state.blocks.n; i++)
		if (frame_block_key(&f->run->state, i) == key)
			blocks_open(c, i, d);
}

static const struct detail_source details = {KEPT_STATUS_DETAIL, open_line};

static size_t lines_of_detail(const struct view_context *c, uint64_t line_key)
{
	return detail_count(c, &details, line_key);
}

static void detail_line(const struct view_context *c, uint64_t line_key, size_t i, struct line *out)
{
	detail_paint(c, &details, line_key, i, out);
}

const struct view_ops status_view = {
	.name = "status",
	.title = "Status",
	.count = count,
	.line = line,
	.key = key,
	.detail_count = lines_of_detail,
	.detail_line = detail_line,
};
