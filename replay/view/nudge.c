/* The Nudge view: whether this turn tells the model to compress, and why (interface.md, pane 6). */
#include "engine/kernel/nudge_text.h"

#include <math.h>

#include "replay/view/nudge.h"
#include "replay/view/text.h"
#include "replay/view/words.h"

/* ---- lines ---- */

struct item {
	uint8_t kind;   /* enum nudge_kind */
	uint8_t style;  /* of words */
	uint32_t index; /* gate, tier, stamp, category, target */
	struct str words;
};

struct items {
	struct item *v;
	size_t n;
	int width;
	bool ascii;
};

enum { LABEL = 9, ITEMS_MAX = 64 }; /* columns of a label; lines beside sentences and targets */

static void add(struct items *l, enum nudge_kind kind, uint32_t index)
{
	l->v[l->n++] = (struct item){.kind = (uint8_t)kind, .index = index};
}

static void add_head(struct items *l, const char *words)
{
	add(l, NUDGE_BLANK, 0);
	l->v[l->n++] = (struct item){.kind = NUDGE_HEAD, .words = str_of(words)};
}

/* Wrapped beside the labels. A line takes at least one byte, so text.n + 1 lines are enough. */
static void add_words(struct items *l, enum style style, struct str text)
{
	int columns = l->width > 2 * LABEL ? l->width - LABEL : l->width;
	struct text_wrap wrap = text_wrap_start(text, columns, l->ascii);
	struct item item = {.kind = NUDGE_WORDS, .style = (uint8_t)style};
	while (text_wrap_next(&wrap, &item.words))
		l->v[l->n++] = item;
}

/* ---- building ---- */

static const char *undecided(const struct frame *f)
{
	if (f->capacity)
		return "No decision: the turn could not run, all 99,999 refs are used up (ref-capacity).";
	return "No decision at this position: nudge-inject, node 7 of the turn, has not run.";
}

static void build(struct frame *f, struct items *l)
{
	const struct nudge_decision *d = &f->turn.nudge;
	bool decided = gates_decided(f);
	size_t targets = decided ? d->targets.n : 0;
	const struct str no_turn =
		STR("No turn happened at this position: what one would decide, with the tokens counted here.");
	struct str why = decided ? nudge_reason(d, &f->arena) : str_of(undecided(f));
	const struct str counterfactual = str_of(words_why_counterfactual(f));
	l->v = arena_alloc(&f->arena, (ITEMS_MAX + no_turn.n + counterfactual.n + why.n + targets + 3) * sizeof *l->v);
	l->n = 0;
	if (words_counterfactual(f))
		add_words(l, STYLE_WARNING, counterfactual);
	if (f->counterfactual_tokens && !f->capacity)
		add_words(l, STYLE_WARNING, no_turn);
	add(l, NUDGE_USAGE, 0);
	add(l, NUDGE_BAR, 0);
	if (decided)
		add(l, NUDGE_VERDICT, 0);
	add_words(l, decided ? STYLE_PLAIN : STYLE_DIM, why);
	if (!decided)
		return;
	add_head(l, "gates");
	for (uint32_t i = 0; i < NUDGE_GATE_COUNT; i++)
		add(l, NUDGE_GATE, i);
	add_head(l, "piles");
	for (uint32_t t = 1; t <= 3; t++)
		add(l, NUDGE_TIER, t);
	add_head(l, "stamps");
	for (uint32_t i = 0; i < STAMP_COUNT; i++)
		add(l, NUDGE_STAMP, i);
	/* what the rows make of it: the token count has the system prompt, too */
	add_head(l, "context: rows only, without the system prompt");
	for (uint32_t i = 0; i < CATEGORY_COUNT; i++)
		add(l, NUDGE_CATEGORY, i);
	if (targets > 0)
		add_head(l, "targets");
	for (uint32_t i = 0; i < targets; i++)
		add(l, NUDGE_TARGET, i);
}

static const struct items *items_of(const struct view_context *c)
{
	struct frame *f = c->frame;
	if (f == NULL || f->run == NULL)
		return NULL;
	struct items *l = f->kept[KEPT_NUDGE_LINES];
	if (l == NULL)
		l = f->kept[KEPT_NUDGE_LINES] = arena_zero(&f->arena, 1, sizeof *l);
	if (l->v != NULL && l->width == c->width && l->ascii == c->ascii)
		return l;
	l->width = c->width;
	l->ascii = c->ascii;
	build(f, l);
	return l;
}

/* ---- painting ---- */

struct painter {
	const struct view_context *c;
	struct frame *f;
	const struct nudge_decision *d;
	struct line *out;
};

static void put_label(const struct painter *p, const char *words)
{
	line_put_clipped(p->out, STYLE_HEADING, str_of(words), LABEL, ALIGN_LEFT);
}

static void put_buf(const struct painter *p, enum style style, struct buf *b)
{
	words_put(p->out, style, buf_view(b));
	buf_cut(b, 0);
}

/* A number right-aligned; its label when it does not fit, nothing where the line has no room, "never" when there is
 * none. */
static void put_number(const struct painter *p, enum style style, double x, int columns)
{
	struct buf b = {0};
	if (line_left(p->out) < columns)
		return;
	if (isnan(x))
		buf_text(&b, "never");
	else
		words_count(&b, x);
	if (b.n > (size_t)columns) {
		buf_cut(&b, 0);
		words_short(&b, x);
	}
	line_put_clipped(p->out, style, buf_view(&b), columns, ALIGN_RIGHT);
	buf_free(&b);
}

static enum style band_style(const struct nudge_numbers *n)
{
	return n->emergency ? STYLE_ERROR : n->over_limit ? STYLE_WARNING : STYLE_GOOD;
}

static void paint_usage(const struct painter *p, const struct item *i)
{
	const struct run *r = p->f->run;
	double tokens = p->f->turn.in.tokens, limit = r->config.limit;
	struct buf b = {0};
	(void)i;
	put_label(p, "usage");
	words_percent(&b, limit > 0 ? tokens / limit : 0);
	put_buf(p, STYLE_BOLD, &b);
	buf_text(&b, " of ");
	words_count(&b, limit);
	buf_printf(&b, " (%s)", r->limit_source);
	put_buf(p, STYLE_NUMBER, &b);
	if (gates_decided(p->f)) {
		const struct nudge_numbers *n = &p->d->n;
		const char *band = n->emergency ? "EMERGENCY" : n->over_limit ? "OVER-LIMIT" : "normal band";
		line_puts(p->out, STYLE_PLAIN, "  ");
		words_put(p->out, band_style(n), str_of(band));
	}
	buf_text(&b, "  ");
	words_count(&b, tokens);
	buf_printf(&b, " tokens (%s)", words_host_scale(p->f));
	put_buf(p, STYLE_PLAIN, &b);
	buf_free(&b);
}

/* 0 to 100 % of the window with both thresholds in it. */
static void paint_bar(const struct painter *p, const struct item *i)
{
	const struct config *c = &p->f->run->config;
	double usage = c->limit > 0 ? p->f->turn.in.tokens / c->limit : 0;
	int room = p->c->width - LABEL, columns = room > 50 ? room - 30 : room;
	struct buf b = {0};
	(void)i;
	if (columns > 60)
		columns = 60;
	line_pad_to(p->out, LABEL);
	for (int x = 0; x < columns; x++) {
		double from = (double)x / columns, to = (double)(x + 1) / columns;
		bool mark = (c->nudge_max_pct >= from && c->nudge_max_pct < to) ||
			    (c->emergency_pct >= from && c->emergency_pct < to);
		if (mark)
			line_glyph(p->out, STYLE_CHART_ALT, GLYPH_VLINE);
		else
			line_glyph(p->out, STYLE_CHART,
				   usage >= to                ? GLYPH_BAR_FULL
				   : usage >= (from + to) / 2 ? GLYPH_BAR_HALF
							      : GLYPH_BAR_EMPTY);
	}
	buf_text(&b, " over ");
	words_percent(&b, c->nudge_max_pct);
	buf_text(&b, ", emergency ");
	words_percent(&b, c->emergency_pct);
	put_buf(p, STYLE_DIM, &b);
	buf_free(&b);
}

static void paint_verdict(const struct painter *p, const struct item *i)
{
	(void)i;
	put_label(p, "nudge");
	const struct frame *f = p->c->frame;
	const char *withheld = f->counterfactual_tokens ? NULL : run_nudge_withheld(f->run, f->at.turn);
	if (p->d->inject && withheld != NULL) {
		line_printf(p->out, STYLE_BOLD, "T%d wanted, not sent (%s)", p->d->tier, withheld);
	} else if (p->d->inject) {
		line_glyph(p->out, STYLE_WARNING, GLYPH_NUDGE);
		line_printf(p->out, STYLE_WARNING, " T%d injected", p->d->tier);
	} else {
		line_puts(p->out, STYLE_BOLD, "none");
	}
	line_printf(p->out, STYLE_DIM, ": %s", nudge_reason_name(p->d->reason));
	if (p->d->inject)
		line_printf(p->out, STYLE_DIM, ", %s voice",
			    nudge_text_voice(p->d) == NUDGE_EMERGENCY ? "emergency" : "gentle");
}

/* A side of a comparison in the unit of the gate. */
static void words_side(const struct gate *g, double x, struct buf *b)
{
	if (g->scale == SCALE_SHARE)
		words_percent(b, x);
	else if (g->scale == SCALE_SWITCH)
		buf_text(b, x != 0 ? "on" : "off");
	else if (isnan(x))
		buf_text(b, "never");
	else
		words_count(b, x);
}

static const char *sign_of(const struct gate *g) { return g->scale == SCALE_SWITCH ? "=" : g->strict ? ">" : ">="; }

void nudge_put_comparison(const struct gate *g, struct buf *b)
{
	words_side(g, g->has, b);
	buf_printf(b, " %s ", sign_of(g));
	words_side(g, g->needs, b);
}

static void put_side(const struct painter *p, const struct gate *g, double x, int columns)
{
	struct buf b = {0};
	words_side(g, x, &b);
	if (b.n > (size_t)columns && g->scale != SCALE_SHARE) {
		buf_cut(&b, 0);
		words_short(&b, x);
	}
	if (line_left(p->out) >= columns)
		line_put_clipped(p->out, g->asked ? STYLE_NUMBER : STYLE_DIM, buf_view(&b), columns, ALIGN_RIGHT);
	buf_free(&b);
}

static const char *gate_scale(const struct painter *p, const struct gate *g)
{
	switch (g->scale) {
	case SCALE_SHARE:
		return "of the window";
	case SCALE_HOST:
		return words_host_scale(p->f);
	case SCALE_SWITCH:
		return "config";
	default:
		return words_counter_scale(p->f);
	}
}

/* The config values behind a gate, on one line. */
static void put_gate_config(const struct painter *p, enum nudge_gate id)
{
	struct buf text = {0}, config = {0};
	reason_gate(p->f, id, &text, &config);
	for (size_t at = 0, end; at < config.n; at = end + 1) {
		end = str_find(buf_view(&config), STR("\n"), at);
		end = end < config.n ? end : config.n;
		line_puts(p->out, STYLE_DIM, at > 0 ? "; " : "  ");
		words_put(p->out, STYLE_DIM, str_cut(buf_view(&config), at, end));
	}
	buf_free(&text);
	buf_free(&config);
}

/* Glyph, name, both numbers; then what they are, their scale, and where there is room the config behind them. */
static void paint_gate(const struct painter *p, const struct item *i)
{
	enum { NAME = 15, EXPRESSION = 18, SCALE = 14, WORDS_FROM = 60, CONFIG_FROM = 120 };
	struct gate all[NUDGE_GATE_COUNT];
	gates_of(p->f, all);
	const struct gate *g = &all[i->index];
	bool words = p->c->width >= WORDS_FROM;
	int number = p->c->width >= 40 ? 9 : 6;
	int name = p->c->width >= 40 ? NAME : p->c->width - 2 - 2 * number - 5;
	enum style plain = g->asked ? STYLE_PLAIN : STYLE_DIM;
	struct buf b = {0};
	line_glyph(p->out,
		   !g->asked ? STYLE_DIM
		   : g->pass ? STYLE_GOOD
			     : STYLE_WARNING,
		   g->pass ? GLYPH_PASS : GLYPH_FAIL);
	line_puts(p->out, plain, " ");
	/* not asked: in brackets where no words can say so */
	buf_printf(&b, g->asked || words ? "%s" : "(%s)", g->name);
	line_put_clipped(p->out, plain, buf_view(&b), name, ALIGN_LEFT);
	put_side(p, g, g->has, number);
	line_printf(p->out, plain, " %2s ", sign_of(g));
	put_side(p, g, g->needs, number);
	buf_cut(&b, 0);
	if (words) {
		buf_text(&b, g->has_is);
		if (g->needs_is != NULL)
			buf_printf(&b, " %s %s", sign_of(g), g->needs_is);
		line_puts(p->out, plain, "  ");
		line_put_clipped(p->out, STYLE_DIM, buf_view(&b), EXPRESSION, ALIGN_LEFT);
		line_put_clipped(p->out, STYLE_DIM, str_of(g->asked ? gate_scale(p, g) : "not asked"), SCALE,
				 ALIGN_LEFT);
	}
	if (p->c->width >= CONFIG_FROM)
		put_gate_config(p, (enum nudge_gate)i->index);
	buf_free(&b);
}

static void paint_tier(const struct painter *p, const struct item *i)
{
	static const char *const names[] = {NULL, "ranges", "tier-1 blocks", "tier-2 blocks"};
	const struct nudge_numbers *n = &p->d->n;
	double needs = i->index == 1 ? n->threshold : n->distill;
	bool chosen = p->d->tier == (int)i->index;
	line_glyph(p->out, chosen ? STYLE_WARNING : STYLE_DIM, chosen ? GLYPH_NUDGE : GLYPH_DOT);
	line_printf(p->out, chosen ? STYLE_BOLD : STYLE_PLAIN, " P%u ", i->index);
	line_put_clipped(p->out, chosen ? STYLE_BOLD : STYLE_PLAIN, str_of(names[i->index]), 14, ALIGN_LEFT);
	put_number(p, STYLE_NUMBER, n->pending[i->index], 9);
	if (line_left(p->out) >= 15) {
		line_puts(p->out, STYLE_DIM, i->index == 1 ? " of G " : " of D ");
		put_number(p, STYLE_DIM, needs, 9);
	}
	line_puts(p->out, STYLE_PLAIN, "  ");
	for (int x = 0; x < 10; x++)
		line_glyph(p->out, STYLE_CHART,
			   needs > 0 && n->pending[i->index] >= needs * (x + 1) / 10 ? GLYPH_BAR_FULL
										     : GLYPH_BAR_EMPTY);
	line_printf(p->out, STYLE_DIM, "  %s", words_counter_scale(p->f));
	if (chosen)
		line_puts(p->out, STYLE_BOLD, "  chosen");
}

/* A stamp of 0 stands for none, as in the rules (kernel.md 4.7.1, 4.7.3). */
static double stamp_of(const struct scalars *s, enum nudge_stamp which)
{
	int tier = (int)which - STAMP_T1 + 1;
	double x = which == STAMP_BASELINE ? s->baseline : which == STAMP_SHOWN ? s->shown : 0;
	if (tier >= 1 && (s->tier_set >> tier & 1))
		x = s->tier_shown[tier];
	return x != 0 ? x : (double)NAN;
}

void nudge_stamp(const struct frame *f, enum nudge_stamp which, double v[3])
{
	v[0] = stamp_of(&f->turn.nudge.before, which);
	v[1] = stamp_of(&f->run->state.now, which);
	v[2] = isnan(v[0]) ? (double)NAN : f->turn.in.tokens - v[0];
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void paint_stamp(const struct painter *p, const struct item *i)
{
	static const char *const names[STAMP_COUNT] = {"baseline", "nudge shown", "T1 shown", "T2 shown", "T3 shown"};
	double v[3];
	nudge_stamp(p->f, (enum nudge_stamp)i->index, v);
	line_put_clipped(p->out, STYLE_PLAIN, str_of(names[i->index]), 12, ALIGN_LEFT);
	if (i->index == STAMP_BASELINE && isnan(v[0]))
		line_put_clipped(p->out, STYLE_NUMBER, STR("none"), 9, ALIGN_RIGHT);
	else
		put_number(p, STYLE_NUMBER, v[0], 9);
	line_puts(p->out, STYLE_DIM, " ");
	line_glyph(p->out, STYLE_DIM, GLYPH_ARROW_RIGHT);
	line_puts(p->out, STYLE_DIM, " ");
	put_number(p, same_number(v[0], v[1]) ? STYLE_NUMBER : STYLE_CHANGED, v[1], 9);
	if (!same_number(v[0], v[1]))
		line_puts(p->out, STYLE_CHANGED, " ~");
	else
		line_puts(p->out, STYLE_PLAIN, "  ");
	line_puts(p->out, STYLE_DIM, "  ");
	if (!isnan(v[2]) && line_left(p->out) >= 17) {
		put_number(p, STYLE_NUMBER, v[2], 9);
		line_puts(p->out, STYLE_DIM, " since  ");
	} else {
		line_pad_to(p->out, p->out->width + 17);
	}
	line_puts(p->out, STYLE_DIM, words_host_scale(p->f));
}

static double category(const struct nudge_context *c, uint32_t i)
{
	const double v[CATEGORY_COUNT] = {c->system, c->tool, c->summaries, c->code, c->text};
	return v[i];
}

const char *const nudge_category_names[CATEGORY_COUNT] = {"system", "tool", "summaries", "code", "text"};

static void paint_category(const struct painter *p, const struct item *i)
{
	double sum = 0, x = category(&p->d->context, i->index);
	struct buf b = {0};
	for (uint32_t k = 0; k < CATEGORY_COUNT; k++)
		sum += category(&p->d->context, k);
	line_put_clipped(p->out, STYLE_PLAIN, str_of(nudge_category_names[i->index]), 12, ALIGN_LEFT);
	put_number(p, STYLE_NUMBER, x, 9);
	words_percent(&b, sum > 0 ? x / sum : 0);
	line_put_clipped(p->out, STYLE_DIM, buf_view(&b), 9, ALIGN_RIGHT);
	line_puts(p->out, STYLE_PLAIN, "  ");
	for (int k = 0; k < 20; k++)
		line_glyph(p->out, STYLE_CHART, sum > 0 && x / sum >= (k + 0.5) / 20 ? GLYPH_BAR_FULL : GLYPH_SPARK_0);
	line_printf(p->out, STYLE_DIM, "  %s", words_counter_scale(p->f));
	buf_free(&b);
}

static void paint_target(const struct painter *p, const struct item *i)
{
	struct nudge_target t = nudge_text_target(&p->f->run->state, p->d->targets.v[i->index]);
	struct buf b = {0};
	line_put_clipped(p->out, STYLE_REF, t.id, 6, ALIGN_LEFT);
	line_puts(p->out, STYLE_PLAIN, " ");
	words_plural(&b, t.effective, "row", "rows");
	line_put_clipped(p->out, STYLE_PLAIN, buf_view(&b), 9, ALIGN_RIGHT);
	line_puts(p->out, STYLE_PLAIN, "  ");
	buf_cut(&b, 0);
	words_short(&b, t.compressed);
	line_put_clipped(p->out, STYLE_NUMBER, buf_view(&b), 7, ALIGN_RIGHT);
	line_puts(p->out, STYLE_DIM, " ");
	line_glyph(p->out, STYLE_DIM, GLYPH_ARROW_RIGHT);
	buf_cut(&b, 0);
	buf_char(&b, ' ');
	words_short(&b, t.summary);
	line_put_clipped(p->out, STYLE_NUMBER, buf_view(&b), 7, ALIGN_LEFT);
	line_puts(p->out, STYLE_PLAIN, " ");
	words_put(p->out, STYLE_PLAIN, t.topic);
	buf_free(&b);
}

static void paint_head(const struct painter *p, const struct item *i) { line_put(p->out, STYLE_HEADING, i->words); }

static void paint_words(const struct painter *p, const struct item *i)
{
	if (p->c->width > 2 * LABEL)
		line_pad_to(p->out, LABEL);
	line_put(p->out, (enum style)i->style, i->words);
}

static void paint_blank(const struct painter *p, const struct item *i) { (void)p, (void)i; }

static void line(const struct view_context *c, size_t i, struct line *out)
{
	static void (*const paint[NUDGE_KIND_COUNT])(const struct painter *, const struct item *) = {
		[NUDGE_BLANK] = paint_blank,       [NUDGE_HEAD] = paint_head,     [NUDGE_WORDS] = paint_words,
		[NUDGE_USAGE] = paint_usage,       [NUDGE_BAR] = paint_bar,       [NUDGE_VERDICT] = paint_verdict,
		[NUDGE_GATE] = paint_gate,         [NUDGE_TIER] = paint_tier,     [NUDGE_STAMP] = paint_stamp,
		[NUDGE_CATEGORY] = paint_category, [NUDGE_TARGET] = paint_target,
	};
	const struct items *l = items_of(c);
	line_reset(out, c->width);
	if (l == NULL) {
		line_puts(out, STYLE_DIM, "nothing to show yet");
		return;
	}
	if (i >= l->n)
		return;
	struct painter p = {c, c->frame, &c->frame->turn.nudge, out};
	paint[l->v[i].kind](&p, &l->v[i]);
}

static size_t count(const struct view_context *c)
{
	const struct items *l = items_of(c);
	return l ? l->n : 1;
}

static uint64_t key(const struct view_context *c, size_t i)
{
	const struct items *l = items_of(c);
	if (l == NULL || i >= l->n)
		return 0;
	const struct item *item = &l->v[i];
	if (item->kind == NUDGE_TARGET) {
		return frame_block_key(&c->frame->run->state, c->frame->turn.nudge.targets.v[item->index]);
	}
	static const bool opens[NUDGE_KIND_COUNT] = {
		[NUDGE_USAGE] = true, [NUDGE_VERDICT] = true, [NUDGE_GATE] = true,
		[NUDGE_TIER] = true,  [NUDGE_STAMP] = true,   [NUDGE_CATEGORY] = true};
	return opens[item->kind] && gates_decided(c->frame) ? NUDGE_KEY_OF(item->kind, item->index) : 0;
}

const struct view_ops nudge_view = {
	.name = "nudge",
	.title = "Nudge",
	.count = count,
	.line = line,
	.key = key,
	.detail_count = nudge_detail_count,
	.detail_line = nudge_detail_line,
	.wraps = true,
};
