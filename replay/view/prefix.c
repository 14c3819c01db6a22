/* The Prefix view: what each request left of the provider's prefix cache, and why (interface.md, pane 5). */
#include "replay/view/prefix.h"

#include <math.h>

#include "replay/frame_request.h"
#include "replay/view/clock.h"
#include "replay/view/columns.h"
#include "replay/view/text.h"
#include "replay/view/words.h"

#define AMOUNT_LONG 1e12 /* money: more is printed short; the token counts of a file may be anything */

const struct sent *prefix_sent(const struct run *r, uint32_t turn)
{
	return turn > 0 && turn <= r->sender.sent.n ? &r->sender.sent.v[turn - 1] : NULL;
}

void prefix_put_money(struct buf *b, const struct run *r, double x)
{
	struct str currency = r->prices->currency;
	if (isnan(x))
		buf_char(b, '?');
	else
		buf_printf(b, fabs(x) < 0.01 ? "%.6f" : fabs(x) < AMOUNT_LONG ? "%.4f" : "%.6g", x);
	if (currency.n > 0) {
		buf_char(b, ' ');
		buf_str(b, currency);
	}
}

const struct prefix_fold *prefix_fold_of(const struct prefix_totals *t, uint32_t turn)
{
	size_t lo = 0, hi = t->folds_n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->folds[mid].turn < turn)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->folds_n && t->folds[lo].turn == turn ? &t->folds[lo] : NULL;
}

/* ---- totals ---- */

/* "4 compress, 1 tag" of the causes that are rebuilds, or of the others that cost the cache. */
static void put_causes(const struct prefix_totals *t, bool rebuilds, struct buf *b)
{
	size_t n = 0;
	for (int k = 0; k < SENT_CAUSES; k++) {
		bool cold = k == SENT_MODEL || k == SENT_SYSTEM;
		if (t->of_cause[k] > 0 && (rebuilds ? sent_cause_rebuilds((enum sent_cause)k) : cold))
			buf_printf(b, "%s%u %s", n++ > 0 ? ", " : "", t->of_cause[k],
				   sent_cause_name((enum sent_cause)k));
	}
}

static void put_requests(const struct run *r, const struct prefix_totals *t, bool brief, struct buf *b)
{
	(void)r;
	words_plural(b, t->requests, "request", "requests");
	if (!brief)
		buf_printf(b, ": %u append-only", t->append_only);
	buf_text(b, ", ");
	words_plural(b, t->rebuilds, "rebuild", "rebuilds");
	if (t->rebuilds > 0) {
		buf_text(b, brief ? ": " : " (");
		put_causes(t, true, b);
		buf_text(b, brief ? "" : ")");
	}
	if (t->of_cause[SENT_MODEL] + t->of_cause[SENT_SYSTEM] > 0) {
		buf_text(b, brief ? "; " : "; append-only and yet without cache: ");
		put_causes(t, false, b);
	}
	if (t->without > 0)
		buf_printf(b, "; %u turns could not run", t->without);
}

static const char *brief_scale(const struct run *r) { return run_is_dsh(r) ? request_scale(r) : "raw est"; }

static void put_lost(const struct run *r, const struct prefix_totals *t, bool brief, struct buf *b)
{
	const char *scale = brief_scale(r);
	if (t->rebuilds == 0)
		return;
	buf_text(b, brief ? "lost: " : "lost at rebuilds: ");
	words_count(b, t->lost_tokens);
	buf_printf(b, " tokens (%s), ", scale);
	words_count(b, t->lost_bytes);
	buf_text(b, " bytes; ");
	if (!brief) {
		buf_text(b, "sent without cache there: ");
		words_count(b, t->sent_tokens);
		buf_printf(b, " tokens (%s), ", scale);
		words_count(b, t->sent_bytes);
		buf_text(b, " bytes; ");
	}
	buf_text(b, "billed again: at most ");
	words_count(b, t->again_tokens);
	buf_printf(b, brief ? " (%s)" : " tokens (%s; of each rebuild the smaller of both)", scale);
}

static void put_evidence(const struct prefix_totals *t, bool brief, struct buf *b)
{
	if (t->reported == 0) {
		buf_text(b, "no evidence, the provider reported no usage");
	} else if (!prefix_evidence(t)) {
		buf_text(b, "no evidence, no cache read in ");
		words_plural(b, t->reported, "reported turn", "reported turns");
	} else {
		words_percent(b, t->hit);
		buf_text(b, brief ? " recorded" : " = read ");
	}
	if (brief || isnan(t->hit))
		return;
	words_count(b, t->cache_read);
	buf_text(b, " / (input + read + write) ");
	words_count(b, t->prompt);
	buf_text(b, " (provider usage)");
}

static void put_hit(const struct run *r, const struct prefix_totals *t, bool brief, struct buf *b)
{
	buf_text(b, brief ? "hit: " : "hit recorded: ");
	put_evidence(t, brief, b);
	if (isnan(t->predicted))
		return;
	buf_text(b, brief ? ", " : "; predicted ");
	words_percent(b, t->predicted);
	buf_text(b, brief ? " predicted" : " = (system prompt + whole messages before each break) / the same prompts");
	if (r->system_tokens_assumed && r->system_tokens == 0)
		buf_text(b, brief ? " (system prompt: 0)" : "; the system prompt is assumed to be 0");
}

static void put_medians(const struct run *r, const struct prefix_totals *t, bool brief, struct buf *b)
{
	(void)r;
	if (t->folds_n == 0)
		return;
	buf_text(b, brief ? "after a fold (" : "first request after a fold (medians of ");
	words_plural(b, (double)t->folds_n, "fold", "folds");
	buf_text(b, "): hit ");
	if (isnan(t->fold_hit))
		buf_text(b, "no evidence");
	else
		words_percent(b, t->fold_hit);
	if (!isnan(t->other_hit)) {
		buf_text(b, brief ? ", others " : ", of other requests ");
		words_percent(b, t->other_hit);
	}
	if (!isnan(t->fold_ceiling)) {
		buf_text(b, brief ? ", ceiling " : ", ceiling by fold position (predicted) ");
		words_percent(b, t->fold_ceiling);
		if (t->fold_hit > t->fold_ceiling)
			buf_text(b,
				 brief ? " (predicted; recorded is higher)"
				       : ": predicted from our requests; what is recorded is higher, so the host sent "
					 "more of the old prefix than we do, or systemTokens is too small");
	}
}

static void put_tail(const struct run *r, const struct prefix_totals *t, bool brief, struct buf *b)
{
	(void)r;
	if (t->tails == 0)
		return;
	buf_text(b, brief ? "nudge tails: " : "nudge at the tail, apart from all this: ");
	words_plural(b, t->tails, "request", "requests");
	buf_text(b, ", ");
	words_count(b, t->tail_tokens);
	buf_text(b, " tokens (raw est), ");
	words_count(b, t->tail_bytes);
	buf_text(b, " bytes");
}

static void put_anchor(const struct prefix_anchors *a, bool brief, struct buf *b)
{
	words_plural(b, a->live, "call", "calls");
	buf_char(b, ' ');
	words_count(b, a->recorded);
	buf_text(b, brief ? ", sent as " : " tokens, sent as ");
	words_count(b, a->slimmed);
}

static void put_anchors(const struct run *r, const struct prefix_totals *t, bool brief, struct buf *b)
{
	(void)r;
	if (t->peak.live == 0)
		return;
	buf_text(b,
		 brief ? "anchors (raw est): " : "arguments of the calls of active blocks (raw estimate): at the end ");
	put_anchor(&t->end, brief, b);
	buf_printf(b, "; %s turn %u: ", brief ? "peak" : "most, at", t->peak.turn);
	put_anchor(&t->peak, brief, b);
}

static void put_cost(const struct run *r, const struct prefix_totals *t, bool brief, struct buf *b)
{
	const struct prefix_cost *c = &t->cost;
	if (!t->has_cost && t->said == 0)
		return;
	buf_text(b, "cost: ");
	if (!t->has_cost) {
		prefix_put_said(t, b);
		return;
	}
	if (c->turns == 0)
		buf_text(b, "not known");
	else
		prefix_put_money(b, r, c->total);
	if (c->turns > 0 && !brief)
		buf_printf(b,
			   c->total < AMOUNT_LONG ? " as recorded (input %.4f, read %.4f, write %.4f, output %.4f)"
						  : " as recorded (input %.6g, read %.6g, write %.6g, output %.6g)",
			   c->input, c->cache_read, c->cache_write, c->output);
	if (c->turns > 0 && t->requests > 0) {
		buf_text(b, brief ? ", lost <= " : "; of that lost at rebuilds: at most ");
		prefix_put_money(b, r, c->lost);
		if (!brief)
			buf_printf(b, ", (write - read) for what was billed again (%s)", request_scale(r));
		if (c->dearer > 0)
			buf_text(b,
				 brief ? " (read > write)" : "; reading costs more than writing, so nothing is lost");
	}
	if (t->said > 0) {
		buf_text(b, "; ");
		prefix_put_said(t, b);
	}
	if (c->unreported > 0)
		buf_printf(b, "; %u turns without usage", c->unreported);
	if (c->unpriced > 0) {
		buf_printf(b, "; %u turns without a price, of ", c->unpriced);
		buf_str(b, c->model != 0 ? names_get(&r->recording->names, c->model) : r->recording->model);
	}
}

static const struct {
	void (*put)(const struct run *r, const struct prefix_totals *t, bool brief, struct buf *b);
	bool of_requests;
} parts[] = {
	[PREFIX_REQUESTS] = {put_requests, true},
	[PREFIX_LOST] = {put_lost, true},
	[PREFIX_MISSES] = {prefix_put_misses, true},
	[PREFIX_HIT] = {put_hit, false},
	[PREFIX_AGREEMENT] = {prefix_put_agreement, true},
	[PREFIX_MEDIANS] = {put_medians, true},
	[PREFIX_TAIL] = {put_tail, true},
	[PREFIX_ANCHORS] = {put_anchors, true},
	[PREFIX_COST] = {put_cost, false},
};
enum { PARTS = PREFIX_TOTALS };

/* Why there are no requests, or NULL. */
static const char *lack_of(const struct run *r, const struct prefix_totals *t)
{
	const char *lack = request_figures(r) ? NULL : request_lack_words(request_lacks(r));
	bool none = t->requests + t->without == 0 && r->timeline.turns.n > 0;
	return lack == NULL && none ? "the requests were not worked out" : lack;
}

void prefix_put_total(const struct run *r, const struct prefix_totals *t, size_t i, struct buf *b)
{
	const char *lack = i == PARTS ? lack_of(r, t) : NULL;
	if (lack != NULL)
		buf_text(b, lack);
	if (i < PARTS)
		parts[i].put(r, t, false, b);
}

static void add_head(struct prefix_page *p, size_t part, enum style style, struct str words)
{
	vec_push(&p->head,
		 (struct prefix_head){.key = PREFIX_KEY_TOTAL | part, .style = (uint8_t)style, .words = words});
}

static void build_head(const struct run *r, struct arena *a, struct prefix_page *p)
{
	struct buf b = {0};
	const char *lack = lack_of(r, &p->totals);
	bool none = p->totals.requests + p->totals.without == 0;
	if (lack != NULL)
		add_head(p, PARTS, STYLE_WARNING, str_of(lack));
	for (size_t i = 0; i < PARTS; i++) {
		buf_cut(&b, 0);
		if (!none || !parts[i].of_requests)
			parts[i].put(r, &p->totals, true, &b);
		if (b.n > 0)
			add_head(p, i, STYLE_PLAIN, (struct str){arena_copy(a, b.p, b.n), b.n});
	}
	buf_free(&b);
}

static void page_free(void *page) { vec_free(&((struct prefix_page *)page)->head); }

const struct prefix_page *prefix_page(const struct view_context *c)
{
	struct frame *f = c->frame;
	if (f == NULL || f->run == NULL)
		return NULL;
	struct frame_stay *stay = &f->stays[STAYS_PREFIX];
	struct prefix_page *p = stay->made;
	size_t turns = f->run->timeline.turns.n;
	if (p != NULL && p->turns == turns)
		return p;
	arena_free(&stay->arena);
	p = stay->made = arena_zero(&stay->arena, 1, sizeof *p);
	arena_defer(&stay->arena, page_free, p);
	p->turns = turns;
	prefix_sum(f->run, &stay->arena, &p->totals);
	build_head(f->run, &stay->arena, p);
	return p;
}

/* ---- columns ---- */

enum {
	COLUMN_TURN,
	COLUMN_TIME,
	COLUMN_GAP,
	COLUMN_BAR,
	COLUMN_SHARE,
	COLUMN_KEPT,
	COLUMN_LOST,
	COLUMN_KEPT_BYTES,
	COLUMN_LOST_BYTES,
	COLUMN_PREDICTED,
	COLUMN_ACTUAL,
	COLUMN_COUNT
};

static const struct column_widths widths[] = {
	{110, {6, 0, 0, 12, 7, 8, 8, 10, 10, 7, 7}},
	{78, {5, 0, 0, 8, 7, 7, 7, 0, 0, 7, 7}},
	{54, {5, 0, 0, 5, 7, 0, 7, 0, 0, 0, 7}},
	{34, {5, 0, 0, 0, 5, 0, 0, 0, 0, 0, 5}},
	{0, {4, 0, 0, 0, 5}},
};

/* The same where the recording tells times. */
static const struct column_widths timed_widths[] = {
	{140, {6, 8, 7, 12, 7, 8, 8, 10, 10, 7, 7}},
	{110, {6, 8, 7, 8, 7, 8, 8, 0, 0, 7, 7}},
	{90, {5, 0, 7, 8, 7, 7, 7, 0, 0, 7, 7}},
	{78, {5, 0, 0, 8, 7, 7, 7, 0, 0, 7, 7}},
	{54, {5, 0, 0, 5, 7, 0, 7, 0, 0, 0, 7}},
	{34, {5, 0, 0, 0, 5, 0, 0, 0, 0, 0, 5}},
	{0, {4, 0, 0, 0, 5}},
};

struct painter {
	const struct view_context *c;
	const struct sent *s; /* NULL: no request is known */
	const struct moment *m;
	uint32_t turn;
	bool evidence;
	double system; /* to compare hits with */
	struct line *out;
};

static bool compared(const struct painter *p)
{
	return p->s != NULL && !isnan(p->s->bytes) && p->s->cause != SENT_FIRST && p->s->before_bytes > 0;
}

static void put(const struct painter *p, enum style style, struct buf *b, int width)
{
	line_put_clipped(p->out, style, buf_view(b), width, ALIGN_RIGHT);
	buf_free(b);
}

static void put_count(const struct painter *p, double x, int width)
{
	struct buf b = {0};
	bool there = compared(p) && !isnan(x);
	if (there)
		words_count_in(&b, x, width);
	else
		buf_char(&b, '-');
	put(p, there ? STYLE_NUMBER : STYLE_DIM, &b, width);
}

static void put_share(const struct painter *p, double x, bool known, enum style style, int width)
{
	struct buf b = {0};
	known = known && !isnan(x);
	if (!known)
		buf_char(&b, '-');
	else
		words_percent(&b, x);
	if (known && (width < 7 || b.n > (size_t)width)) {
		buf_cut(&b, 0);
		words_percent_round(&b, x);
	}
	put(p, known ? style : STYLE_DIM, &b, width);
}

static enum style share_style(const struct painter *p) { return sent_rebuilds(p->s) ? STYLE_WARNING : STYLE_CHART; }

static void put_turn(const struct painter *p, int width)
{
	struct buf b = {0};
	columns_turn(&b, p->turn, width);
	put(p, STYLE_REF, &b, width);
}

static void put_time(const struct painter *p, int width)
{
	struct buf b = {0};
	clock_put(&b, clock_turn(p->c->run, p->turn));
	put(p, STYLE_DIM, &b, width);
}

static void put_gap(const struct painter *p, int width)
{
	double gap = clock_gap(p->c->run, p->turn);
	struct buf b = {0};
	if (isnan(gap)) {
		buf_char(&b, '-');
	} else {
		buf_char(&b, '+');
		clock_put_gap(&b, gap);
	}
	put(p, gap > CLOCK_IDLE_MS ? STYLE_WARNING : STYLE_DIM, &b, width);
}

/* Full only where everything is kept, empty only where nothing is. */
static void put_bar(const struct painter *p, int width)
{
	double cells = compared(p) ? sent_ratio(p->s) * width : 0;
	for (int x = 0; x < width; x++) {
		if (!compared(p))
			line_puts(p->out, STYLE_PLAIN, " ");
		else
			line_glyph(p->out, share_style(p),
				   cells >= x + 1        ? GLYPH_BAR_FULL
				   : cells > x + 0.5     ? GLYPH_BAR_HALF
				   : cells > 0 && x == 0 ? GLYPH_BAR_HALF
							 : GLYPH_BAR_EMPTY);
	}
}

static void put_kept_share(const struct painter *p, int width)
{
	bool known = compared(p);
	put_share(p, known ? sent_ratio(p->s) : NAN, known, known ? share_style(p) : STYLE_DIM, width);
}

static void put_kept(const struct painter *p, int width) { put_count(p, p->s ? p->s->common_tokens : NAN, width); }
static void put_lost_tokens(const struct painter *p, int width) { put_count(p, p->s ? p->s->lost_tokens : NAN, width); }
static void put_kept_bytes(const struct painter *p, int width) { put_count(p, p->s ? p->s->common_bytes : NAN, width); }

static void put_lost_bytes(const struct painter *p, int width)
{
	put_count(p, p->s ? p->s->before_bytes - p->s->common_bytes : NAN, width);
}

static void put_predicted(const struct painter *p, int width)
{
	double x = p->s ? p->s->predicted : NAN;
	put_share(p, x, p->s != NULL, x > 1 ? STYLE_ERROR : STYLE_NUMBER, width);
}

static void put_actual(const struct painter *p, int width)
{
	bool known = p->m->prompt > 0 && p->evidence;
	put_share(p, known ? p->m->cache_read / p->m->prompt : NAN, known, STYLE_BOLD, width);
}

static const struct column columns[COLUMN_COUNT] = {
	[COLUMN_TURN] = {"turn", NULL, ALIGN_RIGHT, put_turn},
	[COLUMN_TIME] = {"time", NULL, ALIGN_RIGHT, put_time},
	[COLUMN_GAP] = {"after", NULL, ALIGN_RIGHT, put_gap},
	[COLUMN_BAR] = {"prefix", NULL, ALIGN_LEFT, put_bar},
	[COLUMN_SHARE] = {"kept", NULL, ALIGN_RIGHT, put_kept_share},
	[COLUMN_KEPT] = {"kept tk", NULL, ALIGN_RIGHT, put_kept},
	[COLUMN_LOST] = {"lost tk", NULL, ALIGN_RIGHT, put_lost_tokens},
	[COLUMN_KEPT_BYTES] = {"kept bytes", NULL, ALIGN_RIGHT, put_kept_bytes},
	[COLUMN_LOST_BYTES] = {"lost bytes", NULL, ALIGN_RIGHT, put_lost_bytes},
	[COLUMN_PREDICTED] = {"predict", NULL, ALIGN_RIGHT, put_predicted},
	[COLUMN_ACTUAL] = {"hit", NULL, ALIGN_RIGHT, put_actual},
};

static const struct columns tables[] = {{columns, COLUMN_COUNT, widths}, {columns, COLUMN_COUNT, timed_widths}};

static const struct columns *table_for(const struct view_context *c)
{
	return &tables[c->run != NULL && clock_known(c->run)];
}

static void put_cause(const struct painter *p)
{
	struct buf b = {0};
	enum style style = STYLE_DIM;
	if (p->s == NULL || isnan(p->s->bytes)) {
		buf_text(&b, p->s == NULL ? "" : "no request, the turn could not run");
	} else if (p->s->cause == SENT_NONE) {
		buf_text(&b, "append-only");
	} else {
		style = p->s->cause == SENT_FIRST ? STYLE_DIM : p->s->cause == SENT_UNKNOWN ? STYLE_ERROR : STYLE_BREAK;
		buf_text(&b, sent_cause_name((enum sent_cause)p->s->cause));
		if (p->s->break_message > 0) {
			buf_char(&b, ' ');
			words_ref(&b, &p->c->run->state, p->s->break_ref);
		}
	}
	if (prefix_put_line_hit(p->c->run, p->turn, p->system, p->c->width >= 100, &b)) {
		style = STYLE_ERROR;
		line_glyph(p->out, STYLE_ERROR, GLYPH_DIVERGED);
	}
	if (p->s != NULL && p->s->tail_bytes > 0)
		buf_printf(&b, "%s%s nudge", b.n > 0 ? " " : "", glyph(GLYPH_NUDGE, p->c->ascii));
	words_put(p->out, style, buf_view(&b));
	buf_free(&b);
}

/* ---- the view ---- */

static size_t count(const struct view_context *c)
{
	const struct prefix_page *p = prefix_page(c);
	return p ? p->head.n + p->turns : 1;
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	const struct prefix_page *p = prefix_page(c);
	line_reset(out, c->width);
	if (p == NULL) {
		words_put(out, STYLE_DIM, STR("nothing to show yet"));
		return;
	}
	if (i >= p->head.n + p->turns)
		return;
	line_puts(out, STYLE_PLAIN, " "); /* where a selection is marked */
	if (i < p->head.n) {
		words_put(out, (enum style)p->head.v[i].style, p->head.v[i].words);
		return;
	}
	uint32_t turn = (uint32_t)(i - p->head.n) + 1;
	struct painter painter = {.c = c,
				  .s = prefix_sent(c->run, turn),
				  .m = &c->run->timeline.turns.v[turn - 1],
				  .turn = turn,
				  .evidence = prefix_evidence(&p->totals),
				  .system = p->totals.hits.system,
				  .out = out};
	if (turn == c->frame->at.turn)
		line_glyph(out, STYLE_CURSOR, GLYPH_ARROW_RIGHT);
	else
		line_puts(out, STYLE_PLAIN, " ");
	columns_put(table_for(c), c->width, &painter, out);
	put_cause(&painter);
}

static uint64_t key(const struct view_context *c, size_t i)
{
	const struct prefix_page *p = prefix_page(c);
	if (p != NULL && i < p->head.n)
		return p->head.v[i].key;
	return p != NULL && i < p->head.n + p->turns ? i - p->head.n + 1 : 0;
}

static size_t here(const struct view_context *c)
{
	const struct prefix_page *p = prefix_page(c);
	uint32_t turn = p ? c->frame->at.turn : 0;
	return turn > 0 && turn <= p->turns ? p->head.n + turn - 1 : SIZE_MAX;
}

static void caption(const struct view_context *c, struct line *out)
{
	line_reset(out, c->width);
	line_puts(out, STYLE_HEADING, "  ");
	columns_caption(table_for(c), c, out);
	line_puts(out, STYLE_HEADING, "cause");
}

const struct view_ops prefix_view = {
	.name = "prefix",
	.title = "Prefix",
	.count = count,
	.line = line,
	.key = key,
	.here = here,
	.detail_count = prefix_detail_count,
	.detail_line = prefix_detail_line,
	.caption = caption,
};
