#include "engine/kernel/nudge.h"

#include "engine/base/num.h"

const char *nudge_reason_name(enum nudge_reason r)
{
	static const char *const names[] = {[NUDGE_PRESSURE_T1] = "pressure-t1",
					    [NUDGE_PRESSURE_DISTILL] = "pressure-distill",
					    [NUDGE_PRESSURE_SUPPRESSED] = "pressure-suppressed",
					    [NUDGE_T1_READY] = "t1-ready",
					    [NUDGE_T2_READY] = "t2-ready",
					    [NUDGE_T3_READY] = "t3-ready",
					    [NUDGE_IDLE] = "idle"};
	return names[r];
}

double nudge_threshold(const struct config *c)
{
	if (!(c->limit > 0))
		return c->growth_floor;
	double g = num_round(c->limit * c->growth_ratio);
	g = g > c->growth_floor ? g : c->growth_floor;
	return g < c->growth_cap ? g : c->growth_cap;
}

static bool tier_shown(const struct scalars *n, int tier) { return (n->tier_set & (1 << tier)) != 0; }

bool nudge_cadence(const struct scalars *n, int tier, double tokens, double floor)
{
	return !tier_shown(n, tier) || n->tier_shown[tier] == 0 || tokens - n->tier_shown[tier] >= floor;
}

enum { SUM_ROWS = 64 }; /* rows between two entries of nudge_decision.sums */

/* kernel.md 4.7.5 */
static void count_row(const struct surface_row *r, const struct counter *counter, struct nudge_context *c)
{
	double tokens = counter_tokens(counter, r->face.size);
	if (r->face.traits & TRAIT_HEADER)
		c->summaries += tokens;
	else if (content_is_tool(r->content))
		c->tool += tokens;
	else if (r->role == ROLE_SYSTEM)
		c->system += tokens;
	else if (r->face.traits & TRAIT_FENCE)
		c->code += tokens;
	else
		c->text += tokens;
}

static void count_categories(const struct surface *f, const struct counter *counter, size_t kept,
			     struct nudge_decision *d)
{
	size_t known = kept / SUM_ROWS;
	d->sums.n = known;
	d->context = known > 0 ? d->sums.v[known - 1] : (struct nudge_context){0};
	for (size_t i = known * SUM_ROWS; i < f->rows.n; i++) {
		count_row(&f->rows.v[i], counter, &d->context);
		if ((i + 1) % SUM_ROWS == 0)
			vec_push(&d->sums, d->context);
	}
}

/* P1..P3 of kernel.md 4.7.1. */
static void count_pending(struct state *s, const struct counter *counter, const struct recommendation *rec,
			  double pending[4])
{
	double min = s->config->min_range;
	for (size_t i = 0; i < rec->recommended.n; i++) {
		const struct range *r = &rec->recommended.v[i];
		double size = r->has_chars ? r->chars : r->tokens * 4;
		if (!(min > 0) || size >= min)
			pending[1] += r->tokens;
	}
	for (size_t i = 0; i < s->live.n; i++) {
		const struct block *k = &s->blocks.v[s->live.v[i]];
		if (k->active && k->tier <= 2)
			pending[k->tier + 1] += counter_tokens(counter, k->summary_size);
	}
}

static void take_numbers(struct state *s, double tokens, struct nudge_numbers *n)
{
	const struct config *c = s->config;
	n->usage = c->limit > 0 ? tokens / c->limit : 0;
	n->threshold = nudge_threshold(c);
	n->reference = s->now.shown > 0 ? s->now.shown : s->now.baseline > 0 ? s->now.baseline : tokens;
	n->growth = tokens - n->reference;
	double by_ratio = c->min_growth_ratio * n->threshold;
	n->floor = c->min_growth_floor > by_ratio ? c->min_growth_floor : by_ratio;
	n->distill = num_round(n->threshold * c->tier2_multiplier);
	n->has_pending = s->now.shown > 0;
	n->effective_threshold = n->has_pending ? __builtin_floor(n->threshold / 2) : n->threshold;
	n->over_limit = n->usage >= c->nudge_max_pct;
	n->emergency = n->usage >= c->emergency_pct;
}

/* The largest pile that may be taken, the lowest tier on ties (kernel.md 4.7.2). */
static int largest_pile(const struct config *c, const double pending[4])
{
	int best = 1;
	for (int t = 2; t <= 3 && c->tiers_enabled; t++)
		if (pending[t] > pending[best])
			best = t;
	return best;
}

/* Every condition of 4.7.2 and 4.7.3, also those nobody will ask: who explains a decision wants them, too. */
static void judge_gates(struct state *s, double tokens, struct nudge_decision *d)
{
	const struct nudge_numbers *n = &d->n;
	const double *p = n->pending;
	const bool passes[NUDGE_GATE_COUNT] = {
		[NUDGE_GATE_OVER_LIMIT] = n->over_limit,
		[NUDGE_GATE_EMERGENCY] = n->emergency,
		[NUDGE_GATE_PILE] = n->largest > 0,
		[NUDGE_GATE_GROWTH] = n->growth >= n->floor,
		[NUDGE_GATE_T1_PILE] = p[1] >= n->threshold,
		[NUDGE_GATE_TIERS] = s->config->tiers_enabled,
		[NUDGE_GATE_T2_PILE] = p[2] >= n->distill,
		[NUDGE_GATE_T2_T1] = p[2] > p[1],
		[NUDGE_GATE_T2_CADENCE] = nudge_cadence(&s->now, 2, tokens, n->floor),
		[NUDGE_GATE_T3_PILE] = p[3] >= n->distill,
		[NUDGE_GATE_T3_T2] = p[3] > p[2],
		[NUDGE_GATE_T3_T1] = p[3] > p[1],
		[NUDGE_GATE_T3_CADENCE] = nudge_cadence(&s->now, 3, tokens, n->floor),
	};
	d->passes = d->asked = 0;
	for (int i = 0; i < NUDGE_GATE_COUNT; i++)
		d->passes |= (uint16_t)(passes[i] << i);
}

/* Whether all gates from first to last pass; the decision used their answers. */
static bool ask(struct nudge_decision *d, enum nudge_gate first, enum nudge_gate last)
{
	unsigned gates = (2u << last) - (1u << first);
	d->asked |= (uint16_t)gates;
	return (d->passes & gates) == gates;
}

/* kernel.md 4.7.2; growth and cadence are ignored. */
static int choose_under_pressure(const struct config *c, struct nudge_decision *d)
{
	int best = largest_pile(c, d->n.pending);
	if (!ask(d, NUDGE_GATE_PILE, NUDGE_GATE_PILE)) {
		d->reason = NUDGE_PRESSURE_SUPPRESSED;
		return 0;
	}
	d->reason = best == 1 ? NUDGE_PRESSURE_T1 : NUDGE_PRESSURE_DISTILL;
	return best;
}

/* kernel.md 4.7.3: a branch that is entered but fails its cadence does not fall through. */
static int choose_normally(struct nudge_decision *d)
{
	d->reason = NUDGE_IDLE;
	if (!ask(d, NUDGE_GATE_GROWTH, NUDGE_GATE_GROWTH))
		return 0;
	if (ask(d, NUDGE_GATE_T1_PILE, NUDGE_GATE_T1_PILE)) {
		d->reason = NUDGE_T1_READY;
		return 1;
	}
	if (!ask(d, NUDGE_GATE_TIERS, NUDGE_GATE_TIERS))
		return 0;
	if (ask(d, NUDGE_GATE_T2_PILE, NUDGE_GATE_T2_T1)) {
		if (!ask(d, NUDGE_GATE_T2_CADENCE, NUDGE_GATE_T2_CADENCE))
			return 0;
		d->reason = NUDGE_T2_READY;
		return 2;
	}
	if (!ask(d, NUDGE_GATE_T3_PILE, NUDGE_GATE_T3_T1) || !ask(d, NUDGE_GATE_T3_CADENCE, NUDGE_GATE_T3_CADENCE))
		return 0;
	d->reason = NUDGE_T3_READY;
	return 3;
}

/* kernel.md 4.7.6: the two lists of an idle reason. Tier 1 is listed although its stamp never blocks it. */
static void list_idle(struct state *s, double tokens, struct nudge_decision *d)
{
	for (int t = 1; t <= (s->config->tiers_enabled ? 3 : 1); t++) {
		if (!(d->n.pending[t] >= d->n.threshold))
			continue;
		d->ready |= (uint8_t)(1 << t);
		double stamp = tier_shown(&s->now, t) ? s->now.tier_shown[t] : 0;
		if (stamp > 0 && tokens - stamp < d->n.floor)
			d->blocked |= (uint8_t)(1 << t);
	}
}

/* kernel.md 4.7.4 */
static void stamp(struct state *s, double tokens, const struct nudge_decision *d)
{
	struct scalars n = s->now;
	if (n.baseline > 0 && tokens < n.baseline - d->n.threshold) {
		n.baseline = tokens;
		n.shown = 0;
		n.tier_set = 0;
	}
	if (n.baseline == 0)
		n.baseline = tokens;
	if (d->inject) {
		n.shown = n.tier_shown[d->tier] = tokens;
		n.tier_set |= (uint8_t)(1 << d->tier);
	}
	if (n.baseline != s->now.baseline || n.shown != s->now.shown || n.tier_set != s->now.tier_set ||
	    (d->inject && n.tier_shown[d->tier] != s->now.tier_shown[d->tier]))
		state_scalars_set(s, n);
}

void nudge_run(const struct surface *f, struct state *s, const struct counter *counter,
	       const struct recommendation *rec, size_t kept, double tokens, struct nudge_decision *out)
{
	out->n = (struct nudge_numbers){0};
	out->ready = out->blocked = 0;
	out->targets.n = 0;
	out->before = s->now;
	take_numbers(s, tokens, &out->n);
	count_pending(s, counter, rec, out->n.pending);
	out->n.largest = out->n.pending[largest_pile(s->config, out->n.pending)];
	judge_gates(s, tokens, out);
	bool over = ask(out, NUDGE_GATE_OVER_LIMIT, NUDGE_GATE_OVER_LIMIT);
	bool emergency = ask(out, NUDGE_GATE_EMERGENCY, NUDGE_GATE_EMERGENCY);
	out->tier = over || emergency ? choose_under_pressure(s->config, out) : choose_normally(out);
	out->inject = out->tier > 0;
	if (out->reason == NUDGE_IDLE)
		list_idle(s, tokens, out);
	for (size_t i = 0; i < s->live.n && out->tier > 1; i++) {
		const struct block *k = &s->blocks.v[s->live.v[i]];
		if (k->active && k->tier == out->tier - 1)
			vec_push(&out->targets, s->live.v[i]);
	}
	count_categories(f, counter, kept, out);
	out->context.total = tokens;
	out->context.growth = out->n.growth;
	stamp(s, tokens, out);
}
