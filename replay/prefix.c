#include "replay/prefix.h"

#include <math.h>

#include "replay/fit.h"
#include "replay/run_pi.h"

/* What is gathered on the way. */
struct summing {
	const struct run *run;
	struct prefix_totals *t;
	double *fold_hits, *fold_ceilings, *other_hits; /* room for every turn */
	size_t fold_hits_n, fold_ceilings_n, other_hits_n;
	double growth, predicted, predicted_prompt;
	uint32_t growths;
	size_t compression;     /* the next one */
	size_t compacted;       /* the next /compact */
	double folded, summary; /* applied since the last request */
	uint32_t model;         /* in force, name; 0 = the session's */
	size_t record;          /* models were looked for before it */
	double before_tokens;   /* of the request before; NAN = there is none */
};

static double median(double *v, size_t n) { return n > 0 ? fit_median(v, n) : NAN; }

bool prefix_evidence(const struct prefix_totals *t) { return t->cache_read > 0; }

/* ---- models and prices ---- */

static void look_for_model(struct summing *s, size_t record)
{
	const struct recording *rec = s->run->recording;
	for (; s->record <= record && s->record < rec->records.n; s->record++) {
		uint32_t model = pi_model_said(rec, s->record);
		if (model != 0)
			s->model = model;
	}
}

static const struct price *price_now(const struct summing *s)
{
	const struct recording *rec = s->run->recording;
	return prices_of(s->run->prices, s->model != 0 ? names_get(&rec->names, s->model) : rec->model);
}

static double sum_of(const struct prefix_cost *c) { return c->input + c->cache_read + c->cache_write + c->output; }

struct prefix_cost prefix_cost_of(const struct price *p, const struct usage *u)
{
	struct prefix_cost c = {.input = u->input * p->input,
				.cache_read = u->cache_read * p->cache_read,
				.cache_write = u->cache_write * p->cache_write,
				.output = u->output * p->output};
	c.total = sum_of(&c);
	return c;
}

double prefix_again(const struct sent *x)
{
	double sent = x->tokens - x->common_tokens;
	return x->lost_tokens < sent ? x->lost_tokens : sent;
}

static void add_cost(struct summing *s, const struct moment *m)
{
	const struct recording *rec = s->run->recording;
	const struct usage *u = &rec->turns.v[rec->records.v[m->record].index].usage;
	const struct price *p = price_now(s);
	struct prefix_cost *c = &s->t->cost;
	if (!u->present) {
		c->unreported++;
		return;
	}
	if (p == NULL) {
		c->unpriced++;
		c->model = s->model;
		return;
	}
	struct prefix_cost one = prefix_cost_of(p, u);
	c->turns++;
	c->input += one.input;
	c->cache_read += one.cache_read;
	c->cache_write += one.cache_write;
	c->output += one.output;
}

/* ---- hits ---- */

static void add_usage(struct summing *s, const struct moment *m)
{
	if (!(m->prompt > 0))
		return;
	s->t->reported++;
	s->t->prompt += m->prompt;
	s->t->cache_read += m->cache_read;
}

/* What the file itself says of prices, and what a cold cache cost. */
static void add_said(struct summing *s, const struct moment *m, uint32_t turn)
{
	const struct recording *rec = s->run->recording;
	const struct usage *u = &rec->turns.v[rec->records.v[m->record].index].usage;
	const struct sent *x = turn <= s->run->sender.sent.n ? &s->run->sender.sent.v[turn - 1] : NULL;
	const struct price *p = price_now(s);
	if (u->present && u->cost > 0) {
		s->t->said++;
		s->t->said_cost += u->cost;
	}
	if (p == NULL || x == NULL || isnan(x->bytes) || (x->cause != SENT_SYSTEM && x->cause != SENT_MODEL))
		return;
	struct hit h = hit_of(s->run, turn, s->t->hits.system);
	if (h.missed > 0)
		s->t->cost.missed += hit_missed_cost(u, h.missed, p);
}

static void add_hits(struct summing *s, const struct sent *x, const struct moment *m, bool fold)
{
	if (!isnan(x->predicted)) {
		s->t->predictions++;
		s->predicted += x->predicted * m->prompt;
		s->predicted_prompt += m->prompt;
		if (fold)
			s->fold_ceilings[s->fold_ceilings_n++] = x->predicted;
	}
	if (isnan(x->actual) || x->cause == SENT_FIRST)
		return;
	if (fold)
		s->fold_hits[s->fold_hits_n++] = x->actual;
	else
		s->other_hits[s->other_hits_n++] = x->actual;
}

/* ---- folds ---- */

static void take_fold(struct summing *s, size_t record, double tokens, double summary)
{
	s->folded += tokens / run_density_at(s->run, record);
	s->summary += summary;
}

/* What was folded since the turn before, by compress calls and by /compact; their tokens in the raw scale. */
static void take_folds(struct summing *s, uint32_t turn)
{
	const struct run *r = s->run;
	size_t end = r->timeline.turns.v[turn - 1].record;
	for (; s->compacted < r->pi.compacted.n && r->pi.compacted.v[s->compacted].record < end; s->compacted++) {
		const struct pi_compacted *c = &r->pi.compacted.v[s->compacted];
		if (c->block != 0)
			take_fold(s, c->record, c->tokens, c->summary_tokens);
	}
	for (; s->compression < r->compressions.n; s->compression++) {
		const struct compress_outcome *o = &r->compressions.v[s->compression];
		if (o->after_turn >= turn)
			return;
		if (o->applied)
			take_fold(s, o->record, o->tokens, o->summary_tokens);
	}
}

static void add_fold(struct summing *s, const struct sent *x, uint32_t turn)
{
	const struct price *p = price_now(s);
	struct prefix_fold f = {
		.turn = turn, .predicted = x->predicted, .actual = x->actual, .extra = NAN, .saving = NAN, .even = NAN};
	double context = s->run->system_tokens + s->before_tokens, left = context - s->folded;
	double kept = left > 0 ? (s->run->system_tokens + x->common_tokens) / left : 1;
	f.fold = (struct fold){
		.context = context, .folded = s->folded, .ratio = s->summary / s->folded, .kept = kept < 1 ? kept : 1};
	if (p != NULL) {
		f.extra = fold_extra_cost(p, &f.fold);
		f.saving = fold_saving(p, &f.fold);
		f.even = fold_break_even(p, &f.fold);
	}
	s->t->folds[s->t->folds_n++] = f;
}

/* ---- requests ---- */

static void add_rebuild(struct summing *s, const struct sent *x)
{
	struct prefix_totals *t = s->t;
	const struct price *p = price_now(s);
	double sent = x->tokens - x->common_tokens, again = prefix_again(x);
	t->rebuilds++;
	t->lost_of[x->cause] += x->lost_tokens;
	t->lost_tokens += x->lost_tokens;
	t->lost_bytes += x->before_bytes - x->common_bytes;
	t->sent_tokens += sent;
	t->sent_bytes += x->bytes - x->common_bytes;
	t->again_tokens += again;
	if (p != NULL) {
		t->cost.lost += price_again(p, again);
		t->cost.dearer += p->cache_read > p->cache_write;
	}
}

static void add_request(struct summing *s, const struct sent *x, const struct moment *m, uint32_t turn)
{
	struct prefix_totals *t = s->t;
	bool first = x->cause == SENT_FIRST, fold = s->folded > 0 && !first;
	struct prefix_anchors anchors = {turn, x->anchors, x->anchor_tokens, x->slimmed_tokens};
	t->requests++;
	t->of_cause[x->cause]++;
	if (sent_rebuilds(x))
		add_rebuild(s, x);
	else if (!first)
		t->append_only++;
	if (!first && x->append_only) {
		s->growth += x->tokens - x->common_tokens;
		s->growths++;
	}
	if (x->tail_bytes > 0)
		t->tails++;
	t->tail_tokens += x->tail_tokens;
	t->tail_bytes += x->tail_bytes;
	t->end = anchors;
	if (t->peak.turn == 0 || anchors.slimmed > t->peak.slimmed)
		t->peak = anchors;
	add_hits(s, x, m, fold);
	if (fold)
		add_fold(s, x, turn);
	s->before_tokens = x->tokens;
	s->folded = s->summary = 0;
}

/* What needs all turns. */
static void finish(struct summing *s)
{
	struct prefix_totals *t = s->t;
	struct prefix_cost *c = &t->cost;
	t->hit = prefix_evidence(t) ? t->cache_read / t->prompt : NAN;
	t->predicted = s->predicted_prompt > 0 ? s->predicted / s->predicted_prompt : NAN;
	t->fold_hit = prefix_evidence(t) ? median(s->fold_hits, s->fold_hits_n) : NAN;
	t->other_hit = prefix_evidence(t) ? median(s->other_hits, s->other_hits_n) : NAN;
	t->fold_ceiling = median(s->fold_ceilings, s->fold_ceilings_n);
	t->growth = s->growths > 0 ? s->growth / s->growths : NAN;
	t->has_cost = s->run->prices != NULL;
	c->total = sum_of(c);
	s->model = 0;
	s->record = 0;
	for (size_t i = 0; i < t->folds_n; i++) {
		struct prefix_fold *f = &t->folds[i];
		look_for_model(s, s->run->timeline.turns.v[f->turn - 1].record);
		const struct price *p = price_now(s);
		f->best_size = p ? fold_best_size(p, t->growth, f->fold.kept, f->fold.context - f->fold.folded) : NAN;
	}
}

void prefix_sum(const struct run *r, struct arena *a, struct prefix_totals *t)
{
	size_t n = r->timeline.turns.n, requests = r->sender.sent.n;
	struct summing s = {
		.run = r,
		.t = t,
		.fold_hits = arena_zero(a, n + 1, sizeof(double)),
		.fold_ceilings = arena_zero(a, n + 1, sizeof(double)),
		.other_hits = arena_zero(a, n + 1, sizeof(double)),
		.before_tokens = NAN,
	};
	*t = (struct prefix_totals){0};
	hits_sum(r, &t->hits);
	t->folds = arena_zero(a, r->compressions.n + r->pi.compacted.n + 1, sizeof *t->folds);
	for (size_t i = 0; i < n; i++) {
		const struct moment *m = &r->timeline.turns.v[i];
		look_for_model(&s, m->record);
		take_folds(&s, (uint32_t)i + 1);
		add_usage(&s, m);
		add_said(&s, m, (uint32_t)i + 1);
		if (r->prices != NULL)
			add_cost(&s, m);
		if (i >= requests)
			continue;
		if (isnan(r->sender.sent.v[i].bytes))
			t->without++;
		else
			add_request(&s, &r->sender.sent.v[i], m, (uint32_t)i + 1);
	}
	finish(&s);
}
