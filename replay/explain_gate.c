/* What a gate of the nudge decision compares, and the formulas of both sides (kernel.md 4.7.1 to 4.7.3). */
#include "replay/explain.h"

struct asked {
	const struct frame *f;
	const struct nudge_numbers *n;
	struct explanation *out;
};

static struct reason *add(struct asked *q, enum rule rule) { return explain_add(q->out, rule); }
static void value(struct asked *q, struct reason *r, const char *path) { explain_value(r, q->f->run, path); }

static void add_usage(struct asked *q)
{
	const struct run *run = q->f->run;
	struct reason *r = add(q, RULE_NUDGE_USAGE);
	r->number[0] = q->f->turn.in.tokens;
	r->number[1] = run->config.limit;
	r->number[2] = q->n->usage;
	value(q, r, "modelContextLimit");
	if (q->f->counted == COUNT_HOST)
		return;
	r = add(q, RULE_NUDGE_COUNTED);
	r->variant = q->f->counted;
	if (q->f->counted != COUNT_USAGE) /* the provider's number has the whole prompt in it */
		r->number[0] = run->system_tokens;
}

static void add_piles(struct asked *q)
{
	struct reason *r = add(q, RULE_NUDGE_PILES);
	for (int tier = 1; tier <= 3; tier++)
		r->number[tier - 1] = q->n->pending[tier];
	value(q, r, "compress.minCompressRange");
}

static void add_g(struct asked *q)
{
	struct reason *r = add(q, RULE_NUDGE_G);
	r->variant = !(q->f->run->config.limit > 0);
	r->number[0] = q->n->threshold;
	value(q, r, "modelContextLimit");
	value(q, r, "nudge.growthRatio");
	value(q, r, "nudge.growthFloor");
	value(q, r, "nudge.growthCap");
}

static void add_f(struct asked *q)
{
	struct reason *r = add(q, RULE_NUDGE_F);
	r->number[0] = q->n->floor;
	r->number[1] = q->n->threshold;
	value(q, r, "nudge.minGrowthFloor");
	value(q, r, "nudge.minGrowthRatio");
	add_g(q);
}

static void add_d(struct asked *q)
{
	add_piles(q);
	struct reason *r = add(q, RULE_NUDGE_D);
	r->number[0] = q->n->distill;
	r->number[1] = q->n->threshold;
	value(q, r, "nudge.tier2GrowthMultiplier");
	add_g(q);
}

static void add_growth(struct asked *q)
{
	const struct scalars *s = &q->f->turn.nudge.before;
	struct reason *r = add(q, RULE_NUDGE_GROWTH);
	r->variant = s->shown > 0 ? GROWTH_SINCE_SHOWN : s->baseline > 0 ? GROWTH_SINCE_BASELINE : GROWTH_SINCE_NOTHING;
	r->number[0] = q->n->growth;
	r->number[1] = q->f->turn.in.tokens;
	r->number[2] = q->n->reference;
	add_f(q);
}

static void add_t1(struct asked *q)
{
	add_piles(q);
	add_g(q);
	if (q->n->has_pending)
		add(q, RULE_NUDGE_HALF)->number[0] = q->n->effective_threshold;
}

void explain_gate(const struct frame *f, enum nudge_gate id, struct explanation *out)
{
	static const struct {
		const char *path; /* of the member the gate itself compares with, or NULL */
		void (*formulas)(struct asked *q);
	} gates[NUDGE_GATE_COUNT] = {
		[NUDGE_GATE_OVER_LIMIT] = {"nudge.maxContextLimitPct", add_usage},
		[NUDGE_GATE_EMERGENCY] = {"nudge.emergencyThresholdPct", add_usage},
		[NUDGE_GATE_PILE] = {"tiers.enabled", add_piles},
		[NUDGE_GATE_GROWTH] = {NULL, add_growth},
		[NUDGE_GATE_T1_PILE] = {NULL, add_t1},
		[NUDGE_GATE_TIERS] = {"tiers.enabled", NULL},
		[NUDGE_GATE_T2_PILE] = {NULL, add_d},
		[NUDGE_GATE_T2_T1] = {NULL, add_piles},
		[NUDGE_GATE_T2_CADENCE] = {NULL, add_f},
		[NUDGE_GATE_T3_PILE] = {NULL, add_d},
		[NUDGE_GATE_T3_T2] = {NULL, add_piles},
		[NUDGE_GATE_T3_T1] = {NULL, add_piles},
		[NUDGE_GATE_T3_CADENCE] = {NULL, add_f},
	};
	struct gate all[NUDGE_GATE_COUNT];
	struct asked q = {f, &f->turn.nudge.n, out};
	struct reason *r = add(&q, RULE_GATE);
	gates_of(f, all);
	r->variant = (uint8_t)id;
	r->holds = all[id].pass;
	r->number[0] = all[id].has;
	r->number[1] = all[id].needs;
	r->number[2] = all[id].asked;
	if (gates[id].path != NULL)
		value(&q, r, gates[id].path);
	if (gates[id].formulas != NULL)
		gates[id].formulas(&q);
}
