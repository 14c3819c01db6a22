/* The lines of the Status view, with the numbers as the host prints them. */
#include "engine/base/num.h"
#include "replay/view/host_status.h"
#include "replay/view/words.h"

struct painter {
	const struct view_context *c;
	struct frame *f;
	const struct status_lines *r;
	struct line *out;
};

enum { LABEL = 16, LABEL_NARROW = 10, NARROW = 60 };

static struct state *state_of(const struct painter *p) { return &p->f->run->state; }

static void put_label(const struct painter *p, const char *words)
{
	line_put_clipped(p->out, STYLE_PLAIN, str_of(words), p->c->width < NARROW ? LABEL_NARROW : LABEL, ALIGN_LEFT);
	line_puts(p->out, STYLE_PLAIN, " ");
}

static void flush(const struct painter *p, enum style style, struct buf *b)
{
	words_put(p->out, style, buf_view(b));
	buf_free(b);
}

static void put_report_label(struct buf *b, double tokens)
{
	char text[NUM_TEXT_MAX];
	buf_bytes(b, text, num_label_report(text, tokens));
}

static void put_compact_label(struct buf *b, double tokens)
{
	char text[NUM_TEXT_MAX];
	buf_bytes(b, text, num_label_compact(text, tokens));
}

static void put_nudge_label(struct buf *b, double tokens)
{
	char text[NUM_TEXT_MAX];
	buf_bytes(b, text, num_label_nudge(text, tokens));
}

/* A label of the host, right-aligned. */
static void put_cell(const struct painter *p, void (*label)(struct buf *, double), double tokens, int columns)
{
	struct buf b = {0};
	label(&b, tokens);
	line_put_clipped(p->out, STYLE_NUMBER, buf_view(&b), columns, ALIGN_RIGHT);
	line_puts(p->out, STYLE_PLAIN, " ");
	buf_free(&b);
}

static struct str tool_name(const struct painter *p, uint32_t tool)
{
	return tool == STATUS_TOOL_TEXT ? STR("text") : names_get(p->f->run->state.names, tool);
}

static void put_span(struct buf *b, const struct state *s, uint32_t start, uint32_t end, bool ascii)
{
	words_ref(b, s, start);
	if (end == start)
		return;
	buf_text(b, ascii ? "-" : "\xE2\x80\x93");
	words_ref(b, s, end);
}

static void paint_blank(const struct painter *p, uint32_t index) { (void)p, (void)index; }

static void paint_head(const struct painter *p, uint32_t index)
{
	static const char *const heads[] = {
		[STATUS_HEAD_CORE] = "core status",
		[STATUS_HEAD_PANEL] = "panel",
		[STATUS_HEAD_OVERVIEW] = "overview, raw estimates",
		[STATUS_HEAD_RANGES] = "uncompressed, ranges: tokens, messages, on average",
		[STATUS_HEAD_MESSAGES] = "uncompressed, messages, largest first",
		[STATUS_HEAD_COMPRESSED] = "compressed, largest first: tokens in, of the summary, messages",
	};
	words_put(p->out, STYLE_HEADING, str_of(heads[index]));
}

static void paint_usage(const struct painter *p, uint32_t index)
{
	const struct status_core *k = &p->r->core;
	struct buf b = {0};
	(void)index;
	put_label(p, "context");
	words_percent(&b, k->usage);
	buf_text(&b, ", ");
	words_count(&b, k->tokens);
	buf_text(&b, " of ");
	words_count(&b, k->limit);
	buf_printf(&b, " tokens (%s)", words_host_scale(p->f));
	flush(p, STYLE_PLAIN, &b);
}

static void paint_totals(const struct painter *p, uint32_t index)
{
	const struct status_core *k = &p->r->core;
	struct buf b = {0};
	(void)index;
	put_label(p, "blocks");
	buf_printf(&b, "%u active of %u, ", k->active, k->total);
	words_count(&b, k->compressed);
	buf_text(&b, " tokens compressed in all");
	flush(p, STYLE_PLAIN, &b);
}

/* ---- the panel ---- */

static void paint_host(const struct painter *p, uint32_t index)
{
	struct buf b = {0};
	(void)index;
	put_label(p, "host accounting");
	put_compact_label(&b, p->r->core.tokens);
	buf_text(&b, " of ");
	put_compact_label(&b, p->r->core.limit);
	buf_printf(&b, " (%.0f %%), %s", p->r->panel.host_pct, words_host_scale(p->f));
	flush(p, STYLE_PLAIN, &b);
}

static void paint_growth(const struct painter *p, uint32_t index)
{
	struct buf b = {0};
	(void)index;
	put_label(p, "growth");
	put_compact_label(&b, p->f->turn.nudge.context.growth);
	flush(p, STYLE_PLAIN, &b);
}

static void paint_sent(const struct painter *p, uint32_t index)
{
	struct buf b = {0};
	(void)index;
	put_label(p, "sent");
	put_compact_label(&b, p->r->panel.sent);
	if (p->r->core.limit > 0)
		buf_printf(&b, " (%.0f %%)", p->r->panel.sent_pct);
	buf_printf(&b, ", %s", words_counter_scale(p->f));
	flush(p, STYLE_PLAIN, &b);
}

static void paint_part(const struct painter *p, uint32_t index)
{
	static const char *const names[STATUS_PARTS] = {"Tool", "SysPrompt", "Text", "Code", "Summaries"};
	struct buf b = {0};
	int cells = p->r->panel.part_cells[index];
	put_label(p, names[index]);
	put_cell(p, put_compact_label, p->r->panel.part[index], 6);
	buf_printf(&b, "%3.0f %%", p->r->panel.part_pct[index]);
	flush(p, STYLE_DIM, &b);
	if (line_left(p->out) < STATUS_BAR_CELLS + 2)
		return;
	line_puts(p->out, STYLE_PLAIN, "  ");
	line_repeat(p->out, STYLE_CHART, GLYPH_BAR_FULL, cells);
	line_repeat(p->out, STYLE_CHART, GLYPH_BAR_EMPTY, STATUS_BAR_CELLS - cells);
}

static void paint_nudge(const struct painter *p, uint32_t index)
{
	const struct nudge_decision *d = &p->f->turn.nudge;
	struct buf b = {0};
	(void)index;
	put_label(p, "nudge");
	buf_text(&b, d->inject ? "active" : "idle");
	if (d->inject && d->tier > 0)
		buf_printf(&b, " T%d", d->tier);
	buf_printf(&b, ": %s", nudge_reason_name(d->reason));
	flush(p, STYLE_PLAIN, &b);
}

static void put_tools(const struct painter *p, const struct nudge_row *row, struct buf *b)
{
	for (uint32_t i = 0; i < row->tools_n; i++) {
		buf_text(b, i > 0 ? ", " : " ");
		buf_str(b, tool_name(p, p->r->ranges.tools.v[row->tools_at + i]));
	}
}

static void paint_range(const struct painter *p, uint32_t index)
{
	const struct nudge_row *row = &p->r->ranges.list.v[index];
	struct buf b = {0};
	put_label(p, index == 0 ? "ranges" : "");
	put_span(&b, state_of(p), row->start, row->end, p->c->ascii);
	line_put_clipped(p->out, STYLE_REF, buf_view(&b), 14, ALIGN_LEFT);
	buf_cut(&b, 0);
	buf_char(&b, ' ');
	words_plural(&b, row->count, "message", "messages");
	buf_text(&b, ", ");
	put_nudge_label(&b, row->tokens);
	if (row->kind == NUDGE_ROW_PLAIN) {
		buf_printf(&b, ", %d %% tool, %d %% text", row->tool_pct, 100 - row->tool_pct);
	} else {
		if (row->kind == NUDGE_ROW_MIXED) {
			buf_text(&b, ": ");
			put_nudge_label(&b, row->open);
			buf_text(&b, " open, ");
			put_nudge_label(&b, row->guarded);
		}
		buf_text(&b, row->kind == NUDGE_ROW_MIXED ? " protected:" : ", protected:");
		put_tools(p, row, &b);
	}
	buf_text(&b, row->dangerous ? ", dangerous" : "");
	flush(p, STYLE_PLAIN, &b);
}

static void paint_panel_blocks(const struct painter *p, uint32_t index)
{
	const struct status_core *k = &p->r->core;
	struct buf b = {0};
	(void)index;
	put_label(p, "blocks");
	if (k->total == 0) {
		buf_text(&b, "none");
	} else {
		buf_printf(&b, "%u of %u active, ", k->active, k->total);
		put_compact_label(&b, k->compressed);
		buf_text(&b, " compressed");
	}
	flush(p, STYLE_PLAIN, &b);
}

/* Blocks of the panel stand in the order of the state's list. */
static void paint_panel_block(const struct painter *p, uint32_t index)
{
	struct state *s = state_of(p);
	const struct block *k = &s->blocks.v[index];
	struct buf b = {0};
	put_label(p, "");
	line_put_clipped(p->out, STYLE_REF, names_get(s->names, k->id), 5, ALIGN_LEFT);
	buf_printf(&b, " T%u ", k->tier);
	put_compact_label(&b, status_origin(k));
	buf_printf(&b, " %s ", glyph(GLYPH_ARROW_RIGHT, p->c->ascii));
	put_compact_label(&b, text_tokens(k->summary_size));
	buf_text(&b, "  ");
	buf_str(&b, status_topic(k, &p->f->arena));
	flush(p, STYLE_PLAIN, &b);
}

/* ---- the status report ---- */

static void put_share(struct buf *b, const char *name, double tokens, double total)
{
	buf_text(b, name);
	put_report_label(b, tokens);
	buf_printf(b, " (%.0f %%)", status_percent(tokens, total));
}

static void paint_overview(const struct painter *p, uint32_t index)
{
	const struct status_report *r = &p->r->data;
	double total = r->tool + r->text + r->summaries;
	struct buf b = {0};
	(void)index;
	put_label(p, "totals");
	put_share(&b, "tool ", r->tool, total);
	put_share(&b, ", text ", r->text, total);
	put_share(&b, ", summaries ", r->summaries, total);
	flush(p, STYLE_PLAIN, &b);
}

static void paint_tools(const struct painter *p, uint32_t index)
{
	const struct status_report *r = &p->r->data;
	double total = r->tool + r->text + r->summaries;
	struct buf b = {0};
	(void)index;
	put_label(p, "most");
	for (size_t i = 0; i < r->tools.n && i < STATUS_TOP_TOOLS; i++) {
		buf_text(&b, i > 0 ? ", " : "");
		buf_str(&b, tool_name(p, r->tools.v[i].tool));
		put_share(&b, " ", r->tools.v[i].tokens, total);
	}
	if (r->tools.n == 0)
		buf_text(&b, "no tools");
	flush(p, STYLE_PLAIN, &b);
}

static void paint_sums(const struct painter *p, uint32_t index)
{
	const struct status_report *r = &p->r->data;
	struct buf b = {0};
	(void)index;
	put_label(p, "blocks");
	words_plural(&b, (double)r->blocks.n, "block", "blocks");
	buf_text(&b, ": ");
	put_report_label(&b, r->compressed);
	buf_printf(&b, " %s ", glyph(GLYPH_ARROW_RIGHT, p->c->ascii));
	put_report_label(&b, r->summaries);
	for (int t = 1; t < STATUS_TIERS; t++)
		if (r->tiers[t] > 0) {
			buf_printf(&b, ", T%d ", t);
			put_report_label(&b, r->tiers[t]);
		}
	flush(p, STYLE_PLAIN, &b);
}

static void paint_filter(const struct painter *p, uint32_t index)
{
	const struct status_report *r = &p->r->data;
	(void)index;
	put_label(p, "suggested tool");
	words_put(p->out, STYLE_PLAIN, r->tools.n > 0 ? tool_name(p, r->tools.v[0].tool) : STR("bash"));
}

static void paint_uncompressed(const struct painter *p, uint32_t index)
{
	struct buf b = {0};
	(void)index;
	put_label(p, "all");
	put_report_label(&b, p->r->data.tool + p->r->data.text);
	buf_text(&b, " in ");
	words_plural(&b, (double)p->r->data.messages.n, "message", "messages");
	flush(p, STYLE_PLAIN, &b);
}

static void paint_span(const struct painter *p, uint32_t index)
{
	const struct status_span *x = &p->r->data.spans.v[index];
	struct buf b = {0};
	put_span(&b, state_of(p), x->start, x->end, p->c->ascii);
	line_put_clipped(p->out, STYLE_REF, buf_view(&b), 14, ALIGN_LEFT);
	buf_free(&b);
	put_cell(p, put_report_label, x->tokens, 8);
	buf_printf(&b, "%5u ", x->count);
	flush(p, STYLE_NUMBER, &b);
	if (x->count > 1)
		put_cell(p, put_report_label, status_average(x), 8);
	else
		line_put_clipped(p->out, STYLE_DIM, STR("- "), 9, ALIGN_RIGHT);
	words_put(p->out, STYLE_TOOL, tool_name(p, x->tool));
}

static void paint_message(const struct painter *p, uint32_t index)
{
	const struct status_message *m = &p->r->data.messages.v[p->r->by_tokens[index]];
	struct buf b = {0};
	words_ref(&b, state_of(p), m->ref);
	line_put_clipped(p->out, STYLE_REF, buf_view(&b), 14, ALIGN_LEFT);
	buf_free(&b);
	put_cell(p, put_report_label, m->tokens, 8);
	words_put(p->out, STYLE_TOOL, tool_name(p, m->tool));
}

static void paint_block(const struct painter *p, uint32_t index)
{
	struct state *s = state_of(p);
	const struct status_block *x = &p->r->data.blocks.v[p->r->by_size[index]];
	const struct block *k = &s->blocks.v[x->block];
	struct buf b = {0};
	line_put_clipped(p->out, STYLE_REF, names_get(s->names, k->id), 6, ALIGN_LEFT);
	buf_printf(&b, "T%u ", k->tier);
	flush(p, STYLE_BOLD, &b);
	put_cell(p, put_report_label, x->compressed, 8);
	line_glyph(p->out, STYLE_DIM, GLYPH_ARROW_RIGHT);
	put_cell(p, put_report_label, x->summary, 7);
	buf_printf(&b, "%5u  survived ", k->effective_n);
	words_count(&b, k->survived);
	buf_text(&b, k->old ? ", old" : ", young");
	for (uint32_t i = 0; i < k->children_n; i++) {
		buf_text(&b, i > 0 ? "," : ", of ");
		buf_str(&b, names_get(s->names, k->children[i]));
	}
	buf_text(&b, "  ");
	buf_str(&b, k->has_topic ? k->topic : STR("(no topic)"));
	flush(p, STYLE_PLAIN, &b);
}

/* A list of the host ends after so many rows. */
static void paint_left(const struct painter *p, uint32_t index)
{
	const struct status_report *r = &p->r->data;
	size_t all = index == STATUS_LEFT_SPANS      ? r->spans.n
		     : index == STATUS_LEFT_MESSAGES ? r->messages.n
						     : r->blocks.n;
	size_t shown = all < STATUS_LIMIT_ROWS ? all : STATUS_LIMIT_ROWS;
	struct buf b = {0};
	if (index == STATUS_LEFT_MESSAGES)
		buf_printf(&b, "%zu of %zu", shown, all);
	else
		buf_printf(&b, "and %zu more", all - shown);
	flush(p, STYLE_DIM, &b);
}

void status_line_paint(const struct view_context *c, const struct status_lines *r, const struct status_item *item,
		       struct line *out)
{
	static void (*const paint[STATUS_LINE_KINDS])(const struct painter *, uint32_t) = {
		[STATUS_LINE_BLANK] = paint_blank,
		[STATUS_LINE_HEAD] = paint_head,
		[STATUS_LINE_USAGE] = paint_usage,
		[STATUS_LINE_TOTALS] = paint_totals,
		[STATUS_LINE_HOST] = paint_host,
		[STATUS_LINE_GROWTH] = paint_growth,
		[STATUS_LINE_SENT] = paint_sent,
		[STATUS_LINE_PART] = paint_part,
		[STATUS_LINE_NUDGE] = paint_nudge,
		[STATUS_LINE_RANGE] = paint_range,
		[STATUS_LINE_PANEL_BLOCKS] = paint_panel_blocks,
		[STATUS_LINE_PANEL_BLOCK] = paint_panel_block,
		[STATUS_LINE_OVERVIEW] = paint_overview,
		[STATUS_LINE_TOOLS] = paint_tools,
		[STATUS_LINE_SUMS] = paint_sums,
		[STATUS_LINE_FILTER] = paint_filter,
		[STATUS_LINE_UNCOMPRESSED] = paint_uncompressed,
		[STATUS_LINE_SPAN] = paint_span,
		[STATUS_LINE_MESSAGE] = paint_message,
		[STATUS_LINE_BLOCK] = paint_block,
		[STATUS_LINE_LEFT] = paint_left,
	};
	const struct painter p = {c, c->frame, r, out};
	paint[item->kind](&p, item->index);
}
