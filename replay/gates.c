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
			     .scale = (uint8_t)scale};
}

/* The same with > for >=. */
static struct gate above(const char *name, const char *has_is, double has, const char *needs_is, double needs)
{
	struct gate g = gate(name, has_is, has, needs_is, needs, SCALE_COUNTER);
	g.strict = true;
	return g;
}

static struct gate cadence(const struct frame *f, int tier, const char *name)
{
	return gate(name, "since shown", gates_since_shown(f, tier), "F", f->turn.nudge.n.floor, SCALE_HOST);
}

static void fill(const struct frame *f, struct gate g[NUDGE_GATE_COUNT])
{
	const struct nudge_numbers *n = &f->turn.nudge.n;
	const struct config *c = &f->run->config;
	const double *p = n->pending;
	g[NUDGE_GATE_OVER_LIMIT] = gate("over the limit", "usage", n->usage, NULL, c->nudge_max_pct, SCALE_SHARE);
	g[NUDGE_GATE_EMERGENCY] = gate("emergency", "usage", n->usage, NULL, c->emergency_pct, SCALE_SHARE);
	g[NUDGE_GATE_PILE] = above("largest pile", "max P", n->largest, NULL, 0);
	g[NUDGE_GATE_GROWTH] = gate("growth", "growth", n->growth, "F", n->floor, SCALE_HOST);
	g[NUDGE_GATE_T1_PILE] = gate("T1 ranges", "P1", p[1], "G", n->threshold, SCALE_COUNTER);
	g[NUDGE_GATE_TIERS] = gate("tiers enabled", "tiers", c->tiers_enabled, NULL, 1, SCALE_SWITCH);
	g[NUDGE_GATE_T2_PILE] = gate("T2 blocks", "P2", p[2], "D", n->distill, SCALE_COUNTER);
	g[NUDGE_GATE_T2_T1] = above("T2 above T1", "P2", p[2], "P1", p[1]);
	g[NUDGE_GATE_T2_CADENCE] = cadence(f, 2, "T2 cadence");
	g[NUDGE_GATE_T3_PILE] = gate("T3 blocks", "P3", p[3], "D", n->distill, SCALE_COUNTER);
	g[NUDGE_GATE_T3_T2] = above("T3 above T2", "P3", p[3], "P2", p[2]);
	g[NUDGE_GATE_T3_T1] = above("T3 above T1", "P3", p[3], "P1", p[1]);
	g[NUDGE_GATE_T3_CADENCE] = cadence(f, 3, "T3 cadence");
}

void gates_of(const struct frame *f, struct gate g[NUDGE_GATE_COUNT])
{
	const struct nudge_decision *d = &f->turn.nudge;
	fill(f, g);
	for (int i = 0; i < NUDGE_GATE_COUNT; i++) {
		g[i].pass = d->passes >> i & 1;
		g[i].asked = d->asked >> i & 1;
	}
}
