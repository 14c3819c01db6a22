/* The Density view: how the tokens of an estimated token were measured, turn by turn (interface.md, pane 4). */
#include "replay/view/density.h"

#include <math.h>

#include "engine/base/num.h"
#include "replay/frame_request.h"
#include "replay/view/columns.h"
#include "replay/view/text.h"
#include "replay/view/words.h"

/* ---- words ---- */

void density_put(struct buf *b, double x)
{
	size_t before = b->n;
	if (isnan(x)) {
		buf_char(b, '-');
		return;
	}
	buf_printf(b, "%.4f", x);
	while (b->n > before && b->p[b->n - 1] == '0')
		buf_cut(b, b->n - 1);
	if (b->n > before && b->p[b->n - 1] == '.')
		buf_cut(b, b->n - 1);
}

const char *density_verdict_rule(enum pi_density_verdict v)
{
	static const char *const rules[PI_DENSITY_VERDICTS] = {
		[PI_DENSITY_NONE] = "No sample came to a measure: usage and estimate never grew together by minDelta",
		[PI_DENSITY_NEVER] = "There are measures, but none was ever confirmed",
		[PI_DENSITY_OSCILLATING] = ("Of its last 4 changes at least 2 went back against the one before, and "
					    "fewer than 4 measures followed the last"),
		[PI_DENSITY_CLAMPED] = "The value is a bound of the clamp: the true one may lie beyond it",
		[PI_DENSITY_CONVERGED] = "The last 2 measures lie within 20 % of the value in force",
		[PI_DENSITY_UNSETTLED] = "A value is in force, but the last 2 measures do not both bear it out",
	};
	return rules[v];
}

void density_verdict_words(const struct pi_density_finding *f, struct buf *b)
{
	static const char *const names[PI_DENSITY_VERDICTS] = {
		[PI_DENSITY_NONE] = "no measure",         [PI_DENSITY_NEVER] = "never converged",
		[PI_DENSITY_OSCILLATING] = "oscillating", [PI_DENSITY_CLAMPED] = "clamped",
		[PI_DENSITY_CONVERGED] = "converged",     [PI_DENSITY_UNSETTLED] = "unsettled",
	};
	buf_text(b, names[f->verdict]);
	if (f->since != SIZE_MAX)
		buf_printf(b, " since turn %zu", f->since + 1);
	buf_text(b, ", density ");
	density_put(b, f->value);
	buf_text(b, " (");
	words_plural(b, (double)f->measures, "measure", "measures");
	buf_text(b, ", ");
	words_plural(b, (double)f->changes, "change", "changes");
	buf_char(b, ')');
	if (f->fold != SIZE_MAX && f->measures > 0)
		buf_printf(b, ", no measure since the fold at turn %zu", f->fold + 1);
}

const char *density_cut_words(enum density_cut cut)
{
	static const char *const words[] = {
		[DENSITY_NO_CUT] = "",
		[DENSITY_CUT_HOST] = "the host compacted its context between the anchor and this sample",
		[DENSITY_CUT_LOST] = ("a fold between the anchor and this sample met an unknown usage and was lost"),
		[DENSITY_CUT_KEPT] = "the anchor is from before a compression (density.reanchor=keep)",
	};
	return words[cut];
}

bool density_deltas(const struct run *r, const struct density_page *p, size_t i, double *real, double *est)
{
	const struct pi_density_sample *v = r->pi.samples.v;
	uint32_t anchor = p->links.v[i].anchor;
	if (anchor == 0 || isnan(v[i].real) || isnan(v[i].est))
		return false;
	*real = v[i].real - v[anchor - 1].real;
	*est = v[i].est - v[anchor - 1].est;
	return true;
}

double density_off(const struct run *r, const struct density_page *p, size_t i)
{
	const struct pi_density_sample *v = r->pi.samples.v;
	uint32_t before = p->links.v[i].before;
	if (before == 0 || isnan(v[before - 1].pending) || isnan(v[i].instant))
		return NAN;
	return fabs(v[i].instant - v[before - 1].pending) / v[before - 1].pending;
}

static void put_off(const struct run *r, const struct density_page *p, size_t i, const char *sign, struct buf *b)
{
	double off = density_off(r, p, i);
	if (isnan(off))
		return;
	buf_text(b, ": off ");
	words_percent(b, off);
	buf_printf(b, " %s ", sign);
	words_percent_round(b, PI_DENSITY_CONFIRM);
}

static void put_waiting(const struct run *r, const struct density_page *p, size_t i, struct buf *b)
{
	double real, est;
	buf_text(b, "waiting");
	if (!density_deltas(r, p, i, &real, &est))
		return;
	buf_text(b, ": dE ");
	words_count(b, est);
	buf_text(b, " < ");
	words_count(b, r->pi.density.rules.min_delta);
}

void density_reason(const struct run *r, const struct density_page *p, size_t i, struct buf *b)
{
	const struct pi_density_sample *s = &r->pi.samples.v[i];
	static const char *const words[PI_DENSITY_EFFECTS] = {
		[PI_DENSITY_NO_USAGE] = "no usage known, ignored",
		[PI_DENSITY_ARMED] = "armed: a block was made, the next sample is skipped",
		[PI_DENSITY_REANCHORED] = "re-anchored after the fold",
		[PI_DENSITY_SKIPPED] = "skipped after the fold, the old anchor stays",
		[PI_DENSITY_ANCHORED] = "first anchor",
		[PI_DENSITY_CANDIDATE] = "candidate, 1 of 2",
		[PI_DENSITY_REJECTED] = "rejected",
		[PI_DENSITY_ADOPTED] = "adopted",
	};
	if (isnan(s->est)) {
		buf_text(b, "the turn could not run");
		return;
	}
	if (s->effect == PI_DENSITY_WAITING)
		put_waiting(r, p, i, b);
	else
		buf_text(b, words[s->effect]);
	if (s->effect == PI_DENSITY_REJECTED)
		put_off(r, p, i, ">", b);
	else if (s->effect == PI_DENSITY_ADOPTED && r->pi.density.rules.confirm)
		put_off(r, p, i, "<=", b);
	else if (s->effect == PI_DENSITY_ADOPTED)
		buf_text(b, " at once (confirm off)");
	if (s->fold_lost)
		buf_text(b, "; a fold was reported and is lost");
	if (!isnan(s->instant) && s->raw != s->instant)
		buf_text(b, s->raw > s->instant ? "; clamped from above" : "; clamped from below");
	if (p->links.v[i].cut != DENSITY_NO_CUT)
		buf_text(b, "; anchor older than a compaction");
}

/* ---- what needs all samples ---- */

const struct pi_density_sample *density_samples(const struct view_context *c, size_t *n)
{
	const struct run *r = c->run;
	*n = r != NULL && r->pi.measures ? r->pi.samples.n : 0;
	return *n > 0 ? r->pi.samples.v : NULL;
}

static void add_head(struct arena *a, struct density_page *p, uint64_t key, enum style style, struct buf *words)
{
	struct str copy = {arena_copy(a, words->p, words->n), words->n};
	struct text_wrap wrap = text_wrap_start(copy, p->width - 1 > 0 ? p->width - 1 : 1, p->ascii);
	struct density_head h = {.key = key, .style = (uint8_t)style};
	while (text_wrap_next(&wrap, &h.words)) {
		vec_push(&p->head, h);
		h.key = 0;
	}
	buf_cut(words, 0);
}

static struct str model_name(const struct run *r, uint32_t model)
{
	struct str name = model != 0 ? names_get(&r->recording->names, model) : r->recording->model;
	return name.n > 0 ? name : STR("(no model named)");
}

static void add_verdict(const struct run *r, struct arena *a, struct density_page *p, uint32_t model)
{
	struct buf b = {0};
	struct pi_density_finding f = pi_density_judge(r->pi.samples.v, p->samples, model, &r->pi.density.rules);
	bool good = f.verdict == PI_DENSITY_CONVERGED;
	buf_str(&b, model_name(r, model));
	buf_text(&b, ": ");
	density_verdict_words(&f, &b);
	if (p->width >= DENSITY_RULE_FROM && model == p->model)
		buf_printf(&b, ". %s.", density_verdict_rule(f.verdict));
	add_head(a, p, DENSITY_KEY_MODEL | model, good ? STYLE_GOOD : STYLE_WARNING, &b);
	buf_free(&b);
}

/* The chart's model first. */
static void build_head(const struct run *r, struct arena *a, struct density_page *p)
{
	struct buf b = {0};
	uint32_t more = 0, shown = 1;
	add_verdict(r, a, p, p->model);
	for (size_t i = 0; i < p->links.names; i++) {
		if (p->links.last[i] == 0 || i == p->model)
			continue;
		if (shown++ < DENSITY_MODELS)
			add_verdict(r, a, p, (uint32_t)i);
		else
			more++;
	}
	if (more > 0) {
		buf_printf(&b, "and %u more models", more);
		add_head(a, p, 0, STYLE_DIM, &b);
	}
	if (p->links.cuts > 0) {
		words_plural(&b, p->links.cuts, "sample has", "samples have");
		buf_printf(&b, " a density anchor older than a compaction, first at turn %u.", p->links.first);
		add_head(a, p, 0, STYLE_ERROR, &b);
	}
	buf_printf(&b, "%s value, %s measure, %s rejected, %s pending",
		   p->ascii ? glyph(GLYPH_BARRIER, true) : "line:", glyph(GLYPH_POINT, p->ascii),
		   glyph(GLYPH_REJECTED, p->ascii), glyph(GLYPH_BREAK, p->ascii));
	if (p->width >= DENSITY_RULE_FROM)
		add_head(a, p, 0, STYLE_DIM, &b);
	buf_free(&b);
}

static void page_free(void *page) { vec_free(&((struct density_page *)page)->head); }

static uint32_t model_of_position(const struct view_context *c, const struct pi_density_sample *v, size_t n)
{
	uint32_t turn = c->frame->at.turn;
	return turn == 0 ? v[0].model : turn <= n ? v[turn - 1].model : v[n - 1].model;
}

const struct density_page *density_page(const struct view_context *c)
{
	size_t n;
	const struct pi_density_sample *v = density_samples(c, &n);
	if (v == NULL || c->frame == NULL || c->frame->run == NULL)
		return NULL;
	struct frame_stay *stay = &c->frame->stays[STAYS_DENSITY];
	struct density_page *p = stay->made;
	uint32_t model = model_of_position(c, v, n);
	if (p != NULL && p->samples == n && p->width == c->width && p->ascii == c->ascii && p->model == model)
		return p;
	arena_free(&stay->arena);
	p = stay->made = arena_zero(&stay->arena, 1, sizeof *p);
	arena_defer(&stay->arena, page_free, p);
	p->samples = n;
	p->width = c->width;
	p->ascii = c->ascii;
	p->model = model;
	density_link(c->run, &stay->arena, &p->links);
	build_head(c->run, &stay->arena, p);
	density_chart_build(c->run, &stay->arena, p);
	return p;
}

/* ---- columns ---- */

enum {
	COLUMN_TURN,
	COLUMN_REAL,
	COLUMN_EST,
	COLUMN_DR,
	COLUMN_DE,
	COLUMN_INSTANT,
	COLUMN_PENDING,
	COLUMN_VALUE,
	COLUMN_COUNT
};

static const struct column_widths widths[] = {
	{100, {5, 9, 9, 8, 8, 7, 7, 7}}, {78, {5, 7, 7, 6, 6, 6, 6, 6}}, {56, {5, 0, 0, 6, 6, 6, 0, 6}},
	{34, {5, 0, 0, 0, 0, 6, 0, 6}},  {0, {4, 0, 0, 0, 0, 0, 0, 5}},
};

struct painter {
	const struct view_context *c;
	const struct density_page *page;
	const struct pi_density_sample *s;
	size_t i;
	struct line *out;
};

static void put_count(const struct painter *p, enum style style, double x, int width)
{
	struct buf b = {0};
	if (isnan(x))
		buf_char(&b, '-');
	else
		words_count_in(&b, x, width);
	line_put_clipped(p->out, isnan(x) ? STYLE_DIM : style, buf_view(&b), width, ALIGN_RIGHT);
	buf_free(&b);
}

static void put_value(const struct painter *p, enum style style, double x, int width)
{
	struct buf b = {0};
	density_put(&b, x);
	line_put_clipped(p->out, isnan(x) ? STYLE_DIM : style, buf_view(&b), width, ALIGN_RIGHT);
	buf_free(&b);
}

static void put_turn(const struct painter *p, int width)
{
	struct buf b = {0};
	columns_turn(&b, (uint32_t)p->i + 1, width);
	line_put_clipped(p->out, STYLE_REF, buf_view(&b), width, ALIGN_RIGHT);
	buf_free(&b);
}

static void put_real(const struct painter *p, int width) { put_count(p, STYLE_NUMBER, p->s->real, width); }
static void put_est(const struct painter *p, int width) { put_count(p, STYLE_NUMBER, p->s->est, width); }

static void put_delta(const struct painter *p, bool of_real, int width)
{
	double real = NAN, est = NAN;
	density_deltas(p->c->run, p->page, p->i, &real, &est);
	put_count(p, STYLE_NUMBER, of_real ? real : est, width);
}

static void put_dr(const struct painter *p, int width) { put_delta(p, true, width); }
static void put_de(const struct painter *p, int width) { put_delta(p, false, width); }
static void put_instant(const struct painter *p, int width) { put_value(p, STYLE_NUMBER, p->s->instant, width); }
static void put_pending(const struct painter *p, int width) { put_value(p, STYLE_DIM, p->s->pending, width); }

static void put_in_force(const struct painter *p, int width)
{
	put_value(p, p->s->value != p->s->used ? STYLE_CHANGED : STYLE_BOLD, p->s->value, width);
}

static const struct column columns[COLUMN_COUNT] = {
	[COLUMN_TURN] = {"turn", NULL, ALIGN_RIGHT, put_turn},
	[COLUMN_REAL] = {"real", NULL, ALIGN_RIGHT, put_real},
	[COLUMN_EST] = {"raw est", NULL, ALIGN_RIGHT, put_est},
	[COLUMN_DR] = {"dR", NULL, ALIGN_RIGHT, put_dr},
	[COLUMN_DE] = {"dE", NULL, ALIGN_RIGHT, put_de},
	[COLUMN_INSTANT] = {"inst", NULL, ALIGN_RIGHT, put_instant},
	[COLUMN_PENDING] = {"pend", NULL, ALIGN_RIGHT, put_pending},
	[COLUMN_VALUE] = {"value", NULL, ALIGN_RIGHT, put_in_force},
};

static const struct columns table = {columns, COLUMN_COUNT, widths};

static enum style effect_style(const struct painter *p)
{
	return p->page->links.v[p->i].cut != DENSITY_NO_CUT                   ? STYLE_ERROR
	       : p->s->effect == PI_DENSITY_ADOPTED                           ? STYLE_GOOD
	       : p->s->effect == PI_DENSITY_REJECTED                          ? STYLE_WARNING
	       : pi_density_skipped((enum pi_density_effect)p->s->effect)     ? STYLE_CHANGED
	       : !isnan(p->s->instant) || p->s->effect == PI_DENSITY_ANCHORED ? STYLE_PLAIN
									      : STYLE_DIM;
}

static void paint_sample(const struct painter *p)
{
	struct buf b = {0};
	line_puts(p->out, STYLE_PLAIN, " "); /* where a selection is marked */
	if (p->c->frame->at.turn == p->i + 1)
		line_glyph(p->out, STYLE_CURSOR, GLYPH_ARROW_RIGHT);
	else
		line_puts(p->out, STYLE_PLAIN, " ");
	columns_put(&table, p->c->width, p, p->out);
	if (p->s->model != p->page->model) {
		buf_str(&b, model_name(p->c->run, p->s->model));
		buf_text(&b, ": ");
	}
	density_reason(p->c->run, p->page, p->i, &b);
	words_put(p->out, effect_style(p), buf_view(&b));
	buf_free(&b);
}

/* ---- the view ---- */

/* Why there is nothing: which profiles measure. */
static void put_lack(const struct run *r, struct buf *b)
{
	const char *name;
	size_t n = 0;
	if (r == NULL || (r->pi.measures && r->pi.samples.n == 0)) {
		buf_text(b, "nothing to show yet");
		return;
	}
	if (request_lacks(r) == REQUEST_NO_HOST || request_lacks(r) == REQUEST_NO_ADAPTER || run_is_dsh(r)) {
		bool pi = str_eq(r->recording->host, STR("pi"));
		buf_printf(b, "No density: it is measured by the Pi adapter, and %s ", pi ? "profile" : "host");
		buf_str(b, pi ? str_of(r->policy.profile) : r->recording->host);
		buf_text(b, " runs without it.");
		return;
	}
	buf_printf(b, "No density: profile %s has density=%s.", r->policy.profile,
		   policy_value_name(&r->policy, SWITCH_DENSITY));
	for (size_t i = 0; (name = policy_profile_at(i)) != NULL; i++) {
		struct policy p;
		if (policy_profile(&p, str_of(name), NULL) == STATUS_OK && policy_is(&p, SWITCH_DENSITY, "on"))
			buf_printf(b, "%s%s", n++ == 0 ? " It is measured by " : ", ", name);
	}
	buf_text(b, n > 0 ? " (--profile, or --policy density=on)." : "");
}

/* The position's sample, the verdicts, the chart, captions, the list. */
enum { HEAD_AT = 1 };
static size_t chart_at(const struct density_page *p) { return HEAD_AT + p->head.n; }
static size_t list_at(const struct density_page *p) { return chart_at(p) + DENSITY_CHART_LINES + 1; }

/* The turn at hand: the chart stays in sight while the position moves. */
static void put_position(const struct view_context *c, const struct density_page *p, struct line *out)
{
	uint32_t turn = c->frame->at.turn;
	struct buf b = {0};
	if (turn == 0 || turn > p->samples) {
		words_put(out, STYLE_DIM, STR(" no turn here"));
		return;
	}
	const struct pi_density_sample *s = &c->run->pi.samples.v[turn - 1];
	line_printf(out, STYLE_REF, " turn %u ", turn);
	density_put(&b, s->used);
	if (s->value != s->used) {
		buf_printf(&b, " %s ", glyph(GLYPH_ARROW_RIGHT, c->ascii));
		density_put(&b, s->value);
	}
	buf_char(&b, ' ');
	words_put(out, s->value != s->used ? STYLE_CHANGED : STYLE_BOLD, buf_view(&b));
	buf_cut(&b, 0);
	density_reason(c->run, p, turn - 1, &b);
	words_put(out, STYLE_PLAIN, buf_view(&b));
	buf_free(&b);
}

/* The line under the chart that says what the columns are. */
static void put_caption(const struct view_context *c, struct line *out)
{
	line_puts(out, STYLE_HEADING, "  ");
	columns_caption(&table, c, out);
	line_puts(out, STYLE_HEADING, "effect");
}

static struct str lack_line(const struct view_context *c, struct buf *b, size_t wanted, size_t *n)
{
	struct str line, found = STR("");
	put_lack(c->run, b);
	struct text_wrap wrap = text_wrap_start(buf_view(b), c->width > 0 ? c->width : 1, c->ascii);
	for (*n = 0; text_wrap_next(&wrap, &line); ++*n)
		if (*n == wanted)
			found = line;
	return found;
}

static size_t count(const struct view_context *c)
{
	const struct density_page *p = density_page(c);
	struct buf b = {0};
	size_t n;
	if (p != NULL)
		return list_at(p) + p->samples;
	lack_line(c, &b, 0, &n);
	buf_free(&b);
	return n;
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	const struct density_page *p = density_page(c);
	struct buf b = {0};
	size_t n;
	line_reset(out, c->width);
	if (p == NULL) {
		line_put(out, STYLE_DIM, lack_line(c, &b, i, &n));
		buf_free(&b);
		return;
	}
	if (i < HEAD_AT) {
		put_position(c, p, out);
	} else if (i < chart_at(p)) {
		line_puts(out, STYLE_PLAIN, " ");
		line_put(out, (enum style)p->head.v[i - HEAD_AT].style, p->head.v[i - HEAD_AT].words);
	} else if (i < chart_at(p) + DENSITY_CHART_LINES) {
		density_chart_line(c, p, i - chart_at(p), out);
	} else if (i + 1 == list_at(p)) {
		put_caption(c, out);
	} else if (i < list_at(p) + p->samples) {
		size_t at = i - list_at(p);
		struct painter painter = {c, p, &c->run->pi.samples.v[at], at, out};
		paint_sample(&painter);
	}
}

static uint64_t key(const struct view_context *c, size_t i)
{
	const struct density_page *p = density_page(c);
	if (p == NULL)
		return 0;
	if (i < HEAD_AT)
		return c->frame->at.turn > 0 && c->frame->at.turn <= p->samples ? DENSITY_KEY_POSITION : 0;
	if (i < chart_at(p))
		return p->head.v[i - HEAD_AT].key;
	return i >= list_at(p) && i < list_at(p) + p->samples ? i - list_at(p) + 1 : 0;
}

const struct view_ops density_view = {
	.name = "density",
	.title = "Density",
	.count = count,
	.line = line,
	.key = key,
	.detail_count = density_detail_count,
	.detail_line = density_detail_line,
	.wraps = true,
};
