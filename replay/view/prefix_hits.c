/*
 * The Prefix view: where recorded hits and ours contradict each other, what cold
 * caches cost, and the turns behind every total.
 */
#include <math.h>

#include "replay/frame_request.h"
#include "replay/run_pi.h"
#include "replay/view/clock.h"
#include "replay/view/prefix.h"
#include "replay/view/words.h"

enum { INDENT = 2, LISTED = 500, DEAREST = 10 };

static bool is_cold(const struct sent *s) { return s->cause == SENT_SYSTEM || s->cause == SENT_MODEL; }

static const struct usage *usage_of(const struct run *r, uint32_t turn)
{
	const struct recording *rec = r->recording;
	return &rec->turns.v[rec->records.v[r->timeline.turns.v[turn - 1].record].index].usage;
}

static const struct price *price_at(const struct run *r, uint32_t turn)
{
	uint32_t model = r->prices != NULL ? pi_model_at(r, r->timeline.turns.v[turn - 1].record) : 0;
	return prices_of(r->prices, model != 0 ? names_get(&r->recording->names, model) : r->recording->model);
}

/* ---- totals ---- */

void prefix_put_agreement(const struct run *r, const struct prefix_totals *t, bool brief, struct buf *b)
{
	static const struct {
		uint8_t verdict;
		const char *one, *words;
	} parts[] = {{HIT_READ_ANYWAY, "break refuted (read anyway)", "breaks refuted (read anyway)"},
		     {HIT_READ_LESS, "read less", "read less"},
		     {HIT_READ_MORE, "read more", "read more"}};
	const struct hits *h = &t->hits;
	const char *blank = ": ";
	(void)r;
	if (h->compared == 0)
		return;
	buf_printf(b, "hits agree: %u/%u", h->of[HIT_AGREES], h->compared);
	if (!brief)
		buf_printf(b,
			   " = what was read is within %d points of the prompt of what our request keeps of the prompt "
			   "before (its provider usage x our share); turns of cause system or model, and those without "
			   "usage, are not compared",
			   HIT_POINTS);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (h->of[parts[i].verdict] == 0)
			continue;
		buf_printf(b, "%s%u %s", blank, h->of[parts[i].verdict],
			   h->of[parts[i].verdict] == 1 ? parts[i].one : parts[i].words);
		blank = ", ";
	}
	if (h->over > 0)
		buf_printf(b,
			   brief ? "; %u predicted > 100 %%"
				 : "; at %u turns more than 100 %% is predicted: systemTokens is one constant, and too "
				   "large for them (no evidence about the requests)",
			   h->over);
}

void prefix_put_misses(const struct run *r, const struct prefix_totals *t, bool brief, struct buf *b)
{
	const struct hits *h = &t->hits;
	if (h->misses == 0)
		return;
	buf_printf(b, brief ? "cold cache: %u %s, " : "cold cache: %u append-only %s of cause system or model, ",
		   h->misses, h->misses == 1 ? "turn" : "turns");
	words_count(b, h->missed);
	buf_text(b, brief ? " tokens sent without cache (usage)"
			  : " tokens sent without cache that the prompt before had, too (provider usage: the smaller "
			    "prompt of both less what was read)");
	if (t->has_cost && t->cost.missed > 0) {
		buf_text(b, brief ? ", "
				  : "; more than reading them would have cost, by the recorded shares of cache "
				    "write and input: ");
		prefix_put_money(b, r, t->cost.missed);
	}
	if (!brief && h->missed_at_breaks > 0) {
		buf_text(b, "; at rebuilds the same figure is ");
		words_count(b, h->missed_at_breaks);
	}
}

void prefix_put_said(const struct prefix_totals *t, struct buf *b)
{
	buf_printf(b, "%.2f as the file says (price, as recorded, %u turns)", t->said_cost, t->said);
}

/* ---- a line, and what is opened of it ---- */

bool prefix_put_line_hit(const struct run *r, uint32_t turn, double system, bool money, struct buf *b)
{
	const struct sent *s = prefix_sent(r, turn);
	struct hit h = s != NULL ? hit_of(r, turn, system) : (struct hit){0};
	double gap = clock_gap(r, turn);
	if (s == NULL || isnan(s->bytes))
		return false;
	if (is_cold(s) && h.missed > 0) {
		buf_char(b, ' ');
		words_short(b, h.missed);
		buf_text(b, " uncached");
	}
	if (is_cold(s) && gap > CLOCK_IDLE_MS) {
		buf_text(b, ", idle ");
		clock_put_gap(b, gap);
	}
	const struct price *p = is_cold(s) && h.missed > 0 && money ? price_at(r, turn) : NULL;
	if (p != NULL) {
		buf_text(b, ", ");
		prefix_put_money(b, r, hit_missed_cost(usage_of(r, turn), h.missed, p));
	}
	if (h.verdict == HIT_READ_ANYWAY)
		buf_text(b, " refuted: read anyway");
	return h.verdict == HIT_READ_ANYWAY;
}

static void put_verdict(const struct hit *h, const struct moment *m, struct buf *b)
{
	static const char *const words[] = {
		[HIT_NONE] = "not compared",
		[HIT_AGREES] = "agrees",
		[HIT_READ_ANYWAY] =
			("contradicts: the provider read on behind the break that our replay makes here, so "
			 "the host did not send what we send (an assumed window? another policy?)"),
		[HIT_READ_MORE] = "contradicts: it read more than the request before had in common with this one",
		[HIT_READ_LESS] = "contradicts: it read less, though our requests are the same up to there"};
	if (!isnan(h->expected)) {
		buf_text(b, "expected = prompt before x our share of it kept = ");
		words_count(b, floor(h->expected + 0.5));
		buf_text(b, " tokens, read ");
		words_count(b, m->cache_read);
		buf_printf(b, " (provider usage; %d points of the prompt are allowed): ", HIT_POINTS);
	}
	buf_text(b, words[h->verdict]);
}

void prefix_put_hit_detail(const struct run *r, uint32_t turn, double system, struct detail *d)
{
	const struct sent *s = prefix_sent(r, turn);
	const struct moment *m = &r->timeline.turns.v[turn - 1];
	struct buf b = {0};
	if (s == NULL || isnan(s->bytes) || s->cause == SENT_FIRST)
		return;
	struct hit h = hit_of(r, turn, system);
	if (h.verdict != HIT_NONE || !isnan(h.expected)) {
		put_verdict(&h, m, &b);
		detail_words(d, hit_contradicts(&h) ? STYLE_ERROR : STYLE_PLAIN, INDENT, &b);
	}
	if (h.over) {
		buf_text(&b,
			 "more than the whole prompt is predicted: the constant systemTokens does not fit this turn");
		detail_words(d, STYLE_ERROR, INDENT, &b);
	}
	if (h.missed > 0) {
		buf_text(&b, "sent without cache though the prompt before had it, too: ");
		words_count(&b, h.missed);
		buf_text(&b, " tokens (provider usage)");
		const struct price *p = price_at(r, turn);
		if (p != NULL) {
			buf_text(&b, ", by the recorded shares of cache write and input more than reading them: ");
			prefix_put_money(&b, r, hit_missed_cost(usage_of(r, turn), h.missed, p));
		}
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
}

void prefix_put_time_detail(const struct run *r, uint32_t turn, struct detail *d)
{
	const struct sent *s = prefix_sent(r, turn);
	double time = clock_turn(r, turn), gap = clock_gap(r, turn);
	struct buf b = {0};
	if (isnan(time))
		return;
	detail_title(d, "Time");
	clock_put_full(&b, time);
	if (!isnan(gap)) {
		buf_text(&b, ", ");
		clock_put_gap_words(&b, gap);
		buf_text(&b, " after the turn before");
	}
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	if (s != NULL && s->cause == SENT_SYSTEM && !isnan(gap)) {
		buf_text(&b, "idle ");
		clock_put_gap_words(&b, gap);
		buf_text(&b, gap > CLOCK_IDLE_MS
				     ? " before it: over 5 minutes, so the cache may have run out of time (pi.md 8.4)"
				     : " before it: no more than 5 minutes, so rather another system prompt or other "
				       "tools than a cache that ran out (pi.md 8.4)");
		detail_words(d, STYLE_BOLD, INDENT, &b);
	}
	buf_free(&b);
}

/* ---- the turns behind a total ---- */

struct turn_list {
	const struct run *r;
	const struct prefix_totals *t;
	struct detail *d;
	size_t n; /* lines so far */
};

typedef bool put_turn(const struct turn_list *l, uint32_t turn, struct buf *b);

/* A line for every turn that has one, under a heading. */
static void list(struct turn_list *l, const char *title, put_turn *put)
{
	struct buf b = {0};
	size_t n = 0;
	for (uint32_t turn = 1; turn <= l->r->timeline.turns.n; turn++) {
		size_t start = b.n;
		buf_printf(&b, "turn %u: ", turn);
		if (!put(l, turn, &b)) {
			buf_cut(&b, start);
			continue;
		}
		if (n++ == 0)
			detail_title(l->d, title);
		if (n <= LISTED)
			detail_words(l->d, STYLE_PLAIN, INDENT, &b);
		buf_cut(&b, 0);
	}
	if (n > LISTED) {
		buf_printf(&b, "and %zu more", n - LISTED);
		detail_words(l->d, STYLE_DIM, INDENT, &b);
	}
	l->n += n;
	buf_free(&b);
}

static const struct sent *request_of(const struct turn_list *l, uint32_t turn)
{
	const struct sent *s = prefix_sent(l->r, turn);
	return s != NULL && !isnan(s->bytes) ? s : NULL;
}

static bool put_rebuild(const struct turn_list *l, uint32_t turn, struct buf *b)
{
	const struct sent *s = request_of(l, turn);
	if (s == NULL || !sent_rebuilds(s))
		return false;
	buf_printf(b, "%s, lost ", sent_cause_name((enum sent_cause)s->cause));
	words_count(b, s->lost_tokens);
	buf_printf(b, " tokens (%s)", request_scale(l->r));
	prefix_put_line_hit(l->r, turn, l->t->hits.system, true, b);
	return true;
}

static bool put_miss(const struct turn_list *l, uint32_t turn, struct buf *b)
{
	const struct sent *s = request_of(l, turn);
	if (s == NULL || !is_cold(s))
		return false;
	buf_text(b, sent_cause_name((enum sent_cause)s->cause));
	prefix_put_line_hit(l->r, turn, l->t->hits.system, true, b);
	return true;
}

static bool put_contradiction(const struct turn_list *l, uint32_t turn, struct buf *b)
{
	const struct sent *s = request_of(l, turn);
	struct hit h = s != NULL ? hit_of(l->r, turn, l->t->hits.system) : (struct hit){0};
	if (!hit_contradicts(&h))
		return false;
	buf_printf(b, "%s; ", sent_cause_name((enum sent_cause)s->cause));
	put_verdict(&h, &l->r->timeline.turns.v[turn - 1], b);
	return true;
}

static bool put_unreported(const struct turn_list *l, uint32_t turn, struct buf *b)
{
	if (l->r->timeline.turns.v[turn - 1].prompt > 0)
		return false;
	buf_text(b,
		 l->r->timeline.turns.v[turn - 1].events & MOMENT_FAILED ? "no usage, its answer failed" : "no usage");
	return true;
}

static bool put_withheld(const struct turn_list *l, uint32_t turn, struct buf *b)
{
	const char *why = run_nudge_withheld(l->r, turn);
	if (why != NULL)
		buf_text(b, why);
	return why != NULL;
}

static bool put_folded(const struct turn_list *l, uint32_t turn, struct buf *b)
{
	const struct prefix_fold *f = prefix_fold_of(l->t, turn);
	if (f == NULL)
		return false;
	buf_text(b, "folded ");
	words_count(b, floor(f->fold.folded + 0.5));
	buf_printf(b, " tokens (%s), hit ", request_scale(l->r));
	words_percent(b, f->actual);
	buf_text(b, ", ceiling ");
	words_percent(b, f->predicted);
	return true;
}

/* What a request cost: by --prices, else as the file says; 0 = not known. */
static double cost_of(const struct run *r, uint32_t turn)
{
	const struct usage *u = usage_of(r, turn);
	const struct price *p = price_at(r, turn);
	if (!u->present || (p != NULL && !(u->input + u->cache_read + u->cache_write >= 0)))
		return 0;
	return p == NULL ? u->cost
			 : u->input * p->input + u->cache_read * p->cache_read + u->cache_write * p->cache_write +
				   u->output * p->output;
}

static void put_dear(struct turn_list *l, uint32_t turn, double cost)
{
	const struct sent *s = request_of(l, turn);
	const struct usage *u = usage_of(l->r, turn);
	struct buf b = {0};
	buf_printf(&b, "turn %u: ", turn);
	if (l->r->prices != NULL)
		prefix_put_money(&b, l->r, cost);
	else
		buf_printf(&b, "%.4f (price, as recorded)", cost);
	buf_text(&b, ", read ");
	words_count(&b, u->cache_read);
	buf_text(&b, ", written ");
	words_count(&b, u->cache_write);
	buf_text(&b, ", input ");
	words_count(&b, u->input);
	buf_text(&b, ", output ");
	words_count(&b, u->output);
	if (s != NULL && s->cause != SENT_NONE)
		buf_printf(&b, "; %s", sent_cause_name((enum sent_cause)s->cause));
	detail_words(l->d, STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
}

static void list_dearest(struct turn_list *l)
{
	uint32_t top[DEAREST];
	double costs[DEAREST];
	size_t n = 0;
	for (uint32_t turn = 1; turn <= l->r->timeline.turns.n; turn++) {
		double cost = cost_of(l->r, turn);
		size_t at = n;
		while (at > 0 && costs[at - 1] < cost)
			at--;
		if (!(cost > 0) || at == DEAREST)
			continue;
		n += n < DEAREST;
		for (size_t i = n - 1; i > at; i--) {
			top[i] = top[i - 1];
			costs[i] = costs[i - 1];
		}
		top[at] = turn;
		costs[at] = cost;
	}
	if (n > 0)
		detail_title(l->d, "The dearest requests");
	for (size_t i = 0; i < n; i++)
		put_dear(l, top[i], costs[i]);
}

void prefix_put_lists(const struct run *r, const struct prefix_totals *t, enum prefix_total total, struct detail *d)
{
	struct turn_list l = {.r = r, .t = t, .d = d};
	switch (total) {
	case PREFIX_REQUESTS:
	case PREFIX_LOST:
		list(&l, "Rebuilds", put_rebuild);
		list(&l, "Append-only, and yet without cache", put_miss);
		break;
	case PREFIX_HIT:
	case PREFIX_AGREEMENT:
		list(&l, "Contradictions", put_contradiction);
		list(&l, "Turns without usage", put_unreported);
		break;
	case PREFIX_MISSES:
		list(&l, "Append-only, and yet without cache", put_miss);
		break;
	case PREFIX_MEDIANS:
		list(&l, "Folds", put_folded);
		break;
	case PREFIX_TAIL:
		list(&l, "Nudges the adapter kept to itself", put_withheld);
		break;
	case PREFIX_COST:
		list_dearest(&l);
		list(&l, "Turns without usage", put_unreported);
		break;
	default:
		break;
	}
}
