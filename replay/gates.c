#include "replay/gates.h"

#include <math.h>

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
