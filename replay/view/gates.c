#include "replay/view/gates.h"

#include <math.h>

#include "replay/view/words.h"

bool gates_decided(const struct frame *f) { return f->run != NULL && !f->capacity && f->at.node >= NODE_NUDGE; }

double gates_since_shown(const struct frame *f, int tier)
{
	const struct scalars *s = &f->turn.nudge.before;
	bool shown = (s->tier_set >> tier & 1) && s->tier_shown[tier] != 0;
	return shown ? f->turn.in.tokens - s->tier_shown[tier] : NAN;
}

static struct gate gate(const char *name, const char *has_is, double has, const char *needs_is, double needs,
			enum gate_scale scale)
{
	return (struct gate){.name = name,
			     .has_is = has_is,
			     .has = has,
			     .needs_is = needs_is,
			     .needs = needs,
			     .scale = (uint8_t)scale,
			     .pass = has >= needs};
}

/* The same with > for >=. */
static struct gate above(const char *name, const char *has_is, double has, const char *needs_is, double needs)
{
	struct gate g = gate(name, has_is, has, needs_is, needs, SCALE_COUNTER);
	g.strict = true;
	g.pass = has > needs;
	return g;
}

static struct gate cadence(const struct frame *f, int tier, const char *name)
{
	const struct nudge_decision *d = &f->turn.nudge;
	struct gate g = gate(name, "since shown", gates_since_shown(f, tier), "F", d->n.floor, SCALE_HOST);
	g.pass = nudge_cadence(&d->before, tier, f->turn.in.tokens, d->n.floor);
	return g;
}

static void fill(const struct frame *f, struct gate g[GATE_COUNT])
{
	const struct nudge_numbers *n = &f->turn.nudge.n;
	const struct config *c = &f->run->config;
	const double *p = n->pending;
	bool tiers = c->tiers_enabled;
	double pile = p[1];
	for (int t = 2; t <= 3 && tiers; t++)
		pile = p[t] > pile ? p[t] : pile;
	g[GATE_OVER_LIMIT] = gate("over the limit", "usage", n->usage, NULL, c->nudge_max_pct, SCALE_SHARE);
	g[GATE_EMERGENCY] = gate("emergency", "usage", n->usage, NULL, c->emergency_pct, SCALE_SHARE);
	g[GATE_PILE] = above("largest pile", "max P", pile, NULL, 0);
	g[GATE_GROWTH] = gate("growth", "growth", n->growth, "F", n->floor, SCALE_HOST);
	g[GATE_T1_PILE] = gate("T1 ranges", "P1", p[1], "G", n->threshold, SCALE_COUNTER);
	g[GATE_TIERS] = gate("tiers enabled", "tiers", tiers, NULL, 1, SCALE_SWITCH);
	g[GATE_T2_PILE] = gate("T2 blocks", "P2", p[2], "D", n->distill, SCALE_COUNTER);
	g[GATE_T2_T1] = above("T2 above T1", "P2", p[2], "P1", p[1]);
	g[GATE_T2_CADENCE] = cadence(f, 2, "T2 cadence");
	g[GATE_T3_PILE] = gate("T3 blocks", "P3", p[3], "D", n->distill, SCALE_COUNTER);
	g[GATE_T3_T2] = above("T3 above T2", "P3", p[3], "P2", p[2]);
	g[GATE_T3_T1] = above("T3 above T1", "P3", p[3], "P1", p[1]);
	g[GATE_T3_CADENCE] = cadence(f, 3, "T3 cadence");
}

void gates_of(const struct frame *f, struct gate g[GATE_COUNT])
{
	fill(f, g);
	bool pressure = g[GATE_OVER_LIMIT].pass || g[GATE_EMERGENCY].pass;
	bool grown = !pressure && g[GATE_GROWTH].pass;
	bool tiers = grown && !g[GATE_T1_PILE].pass;
	bool second = tiers && g[GATE_TIERS].pass;
	bool entered = second && g[GATE_T2_PILE].pass && g[GATE_T2_T1].pass;
	bool third = second && !entered;
	const bool asked[GATE_COUNT] = {
		[GATE_OVER_LIMIT] = true,
		[GATE_EMERGENCY] = true,
		[GATE_PILE] = pressure,
		[GATE_GROWTH] = !pressure,
		[GATE_T1_PILE] = grown,
		[GATE_TIERS] = tiers,
		[GATE_T2_PILE] = second,
		[GATE_T2_T1] = second,
		[GATE_T2_CADENCE] = entered,
		[GATE_T3_PILE] = third,
		[GATE_T3_T2] = third,
		[GATE_T3_T1] = third,
		[GATE_T3_CADENCE] = third && g[GATE_T3_PILE].pass && g[GATE_T3_T2].pass && g[GATE_T3_T1].pass,
	};
	for (int i = 0; i < GATE_COUNT; i++)
		g[i].asked = asked[i];
}

/* ---- formulas ---- */

struct explained {
	const struct frame *f;
	struct buf *text, *config;
};

static void say(const struct explained *x, const char *words) { buf_text(x->text, words); }
static void number(const struct explained *x, double n) { words_count(x->text, n); }

static void value(const struct explained *x, const char *path)
{
	if (x->config->n > 0)
		buf_char(x->config, '\n');
	words_config(x->config, x->f->run, path);
}

static void explain_usage(const struct explained *x)
{
	say(x, "usage = tokenCount ");
	number(x, x->f->turn.in.tokens);
	buf_printf(x->text, " (%s) / modelContextLimit ", words_host_scale(x->f));
	number(x, x->f->run->config.limit);
	say(x, x->f->run->limit_assumed ? " (assumed)" : "");
	if (x->f->counted) {
		say(x, ". The count is worked out here, as the recording has none; systemTokens ");
		number(x, x->f->run->system_tokens);
		say(x, x->f->run->system_tokens_assumed ? " (assumed)" : " (recording)");
		say(x, " are in the estimate");
	}
	say(x, "\n");
	value(x, "modelContextLimit");
}

static void explain_over_limit(const struct explained *x)
{
	value(x, "nudge.maxContextLimitPct");
	explain_usage(x);
	say(x, "At nudge.maxContextLimitPct and above the largest pile is offered, growth and cadence are ignored "
	       "(kernel.md 4.7.2).");
}

static void explain_emergency(const struct explained *x)
{
	value(x, "nudge.emergencyThresholdPct");
	explain_usage(x);
	say(x, "At nudge.emergencyThresholdPct and above the nudge is an emergency, and the band is the same as over "
	       "the limit (kernel.md 4.7.1).");
}

static void explain_piles(const struct explained *x)
{
	const struct nudge_numbers *n = &x->f->turn.nudge.n;
	const char *scale = words_counter_scale(x->f);
	say(x, "P1 = ");
	number(x, n->pending[1]);
	buf_printf(x->text,
		   ": tokens of the recommended ranges of at least compress.minCompressRange units (%s)\nP2 = ", scale);
	number(x, n->pending[2]);
	buf_printf(x->text, ": summaries of the active tier-1 blocks (%s)\nP3 = ", scale);
	number(x, n->pending[3]);
	buf_printf(x->text, ": summaries of the active tier-2 blocks (%s)\n", scale);
	value(x, "compress.minCompressRange");
}

static void explain_pile(const struct explained *x)
{
	explain_piles(x);
	say(x, "The largest of them wins, the lowest tier on ties; tiers 2 and 3 only with tiers.enabled (kernel.md "
	       "4.7.2).");
	value(x, "tiers.enabled");
}

static void explain_threshold(const struct explained *x)
{
	const struct config *c = &x->f->run->config;
	double g = x->f->turn.nudge.n.threshold;
	say(x, "G = ");
	if (c->limit > 0) {
		say(x, "min(growthCap ");
		number(x, c->growth_cap);
		say(x, ", max(growthFloor ");
		number(x, c->growth_floor);
		say(x, ", round(");
		number(x, c->limit);
		say(x, " x growthRatio ");
		number(x, c->growth_ratio);
		say(x, "))) = ");
	} else {
		say(x, "growthFloor = ");
	}
	number(x, g);
	say(x, " tokens\n");
	value(x, "modelContextLimit");
	value(x, "nudge.growthRatio");
	value(x, "nudge.growthFloor");
	value(x, "nudge.growthCap");
}

static void explain_floor(const struct explained *x)
{
	const struct config *c = &x->f->run->config;
	const struct nudge_numbers *n = &x->f->turn.nudge.n;
	say(x, "F = max(minGrowthFloor ");
	number(x, c->min_growth_floor);
	say(x, ", minGrowthRatio ");
	number(x, c->min_growth_ratio);
	say(x, " x G ");
	number(x, n->threshold);
	say(x, ") = ");
	number(x, n->floor);
	say(x, " tokens\n");
	value(x, "nudge.minGrowthFloor");
	value(x, "nudge.minGrowthRatio");
}

static void explain_growth(const struct explained *x)
{
	const struct frame *f = x->f;
	const struct scalars *s = &f->turn.nudge.before;
	say(x, "growth = tokenCount ");
	number(x, f->turn.in.tokens);
	buf_printf(x->text, " (%s) - ", words_host_scale(f));
	number(x, f->turn.nudge.n.reference);
	say(x, s->shown > 0      ? ", the tokens when a nudge was shown last"
	       : s->baseline > 0 ? ", the baseline, as none was shown since"
				 : ", as there is neither a shown nudge nor a baseline");
	say(x, " = ");
	number(x, f->turn.nudge.n.growth);
	say(x, "\n");
	explain_floor(x);
	explain_threshold(x);
	say(x, "Below F nothing is offered in the normal band (kernel.md 4.7.3).");
}

static void explain_t1(const struct explained *x)
{
	explain_piles(x);
	explain_threshold(x);
	if (x->f->turn.nudge.n.has_pending) {
		say(x, "A nudge is pending: half of G, ");
		number(x, x->f->turn.nudge.n.effective_threshold);
		say(x, ", is reported as effectiveThreshold, but decides nothing (kernel.md 4.7.1).\n");
	}
	say(x, "From G on tier 1 is offered; it has no cadence of its own (kernel.md 4.7.3).");
}

static void explain_tiers(const struct explained *x)
{
	say(x, "Only with tiers.enabled are blocks offered for distillation (kernel.md 4.7.3).");
	value(x, "tiers.enabled");
}

static void explain_distill(const struct explained *x)
{
	explain_piles(x);
	say(x, "D = round(G ");
	number(x, x->f->turn.nudge.n.threshold);
	say(x, " x tier2GrowthMultiplier ");
	number(x, x->f->run->config.tier2_multiplier);
	say(x, ") = ");
	number(x, x->f->turn.nudge.n.distill);
	say(x, " tokens\n");
	value(x, "nudge.tier2GrowthMultiplier");
	explain_threshold(x);
	say(x, "From D on, and only above the piles of the lower tiers, blocks are offered (kernel.md 4.7.3).");
}

static void explain_larger(const struct explained *x)
{
	explain_piles(x);
	say(x, "A tier is offered only when its pile is larger than those of the lower tiers (kernel.md 4.7.3).");
}

static void explain_cadence(const struct explained *x)
{
	say(x, "A tier that never was shown may be; else F tokens must have come since (");
	say(x, words_host_scale(x->f));
	say(x, "). A tier held back by its cadence holds back the tiers above it (kernel.md 4.7.3).\n");
	explain_floor(x);
	explain_threshold(x);
}

void gates_explain(const struct frame *f, enum gate_id id, struct buf *text, struct buf *config)
{
	static void (*const explain[GATE_COUNT])(const struct explained *) = {
		[GATE_OVER_LIMIT] = explain_over_limit,
		[GATE_EMERGENCY] = explain_emergency,
		[GATE_PILE] = explain_pile,
		[GATE_GROWTH] = explain_growth,
		[GATE_T1_PILE] = explain_t1,
		[GATE_TIERS] = explain_tiers,
		[GATE_T2_PILE] = explain_distill,
		[GATE_T2_T1] = explain_larger,
		[GATE_T2_CADENCE] = explain_cadence,
		[GATE_T3_PILE] = explain_distill,
		[GATE_T3_T2] = explain_larger,
		[GATE_T3_T1] = explain_larger,
		[GATE_T3_CADENCE] = explain_cadence,
	};
	explain[id](&(struct explained){f, text, config});
}
