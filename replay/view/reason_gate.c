/* Reasons of a gate: the formulas of what it compares, and what comes of it. */
#include "replay/view/reason.h"
#include "replay/view/words.h"

static void number(struct buf *b, const char *before, double n, const char *behind)
{
	buf_text(b, before);
	words_count(b, n);
	buf_text(b, behind);
}

static void say_usage(struct frame *f, const struct reason *r, struct buf *b)
{
	number(b, "usage = tokenCount ", r->number[0], "");
	buf_printf(b, " (%s)", words_host_scale(f));
	number(b, " / modelContextLimit ", r->number[1],
	       f->run->limit_assumed ? f->run->refuted_turn > 0 ? " (assumed, refuted)" : " (assumed)" : "");
}

static void say_counted(struct frame *f, const struct reason *r, struct buf *b)
{
	buf_text(b, "The count is worked out here, as the recording has none");
	if (r->variant == COUNT_USAGE) {
		buf_text(b, ": provider usage of the last good answer, and the host's estimates since (pi.md 8.2)");
		return;
	}
	number(b, "; systemTokens ", r->number[0], "");
	buf_printf(b, " (%s) are in the estimate", f->run->system_source);
}

static void say_piles(struct frame *f, const struct reason *r, struct buf *b)
{
	const char *scale = words_counter_scale(f);
	number(b, "P1 = ", r->number[0],
	       ": tokens of the recommended ranges of at least compress.minCompressRange units");
	buf_printf(b, " (%s)\n", scale);
	number(b, "P2 = ", r->number[1], ": summaries of the active tier-1 blocks");
	buf_printf(b, " (%s)\n", scale);
	number(b, "P3 = ", r->number[2], ": summaries of the active tier-2 blocks");
	buf_printf(b, " (%s)", scale);
}

static void say_g(struct frame *f, const struct reason *r, struct buf *b)
{
	const struct config *c = &f->run->config;
	if (r->variant == 0) {
		number(b, "G = min(growthCap ", c->growth_cap, "");
		number(b, ", max(growthFloor ", c->growth_floor, "");
		number(b, ", round(", c->limit, "");
		number(b, " x growthRatio ", c->growth_ratio, "))) = ");
	} else {
		buf_text(b, "G = growthFloor = ");
	}
	number(b, "", r->number[0], " tokens");
}

static void say_f(struct frame *f, const struct reason *r, struct buf *b)
{
	const struct config *c = &f->run->config;
	number(b, "F = max(minGrowthFloor ", c->min_growth_floor, "");
	number(b, ", minGrowthRatio ", c->min_growth_ratio, "");
	number(b, " x G ", r->number[1], "");
	number(b, ") = ", r->number[0], " tokens");
}

static void say_d(struct frame *f, const struct reason *r, struct buf *b)
{
	number(b, "D = round(G ", r->number[1], "");
	number(b, " x tier2GrowthMultiplier ", f->run->config.tier2_multiplier, "");
	number(b, ") = ", r->number[0], " tokens");
}

static void say_growth(struct frame *f, const struct reason *r, struct buf *b)
{
	static const char *const since[] = {[GROWTH_SINCE_SHOWN] = ", the tokens when a nudge was shown last",
					    [GROWTH_SINCE_BASELINE] = ", the baseline, as none was shown since",
					    [GROWTH_SINCE_NOTHING] =
						    ", as there is neither a shown nudge nor a baseline"};
	number(b, "growth = tokenCount ", r->number[1], "");
	buf_printf(b, " (%s)", words_host_scale(f));
	number(b, " - ", r->number[2], since[r->variant]);
	number(b, " = ", r->number[0], "");
}

static void say_half(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f;
	number(b, "A nudge is pending: half of G, ", r->number[0],
	       ", is reported as effectiveThreshold, but decides nothing (kernel.md 4.7.1).");
}

static void say_gate(struct frame *f, const struct reason *r, struct buf *b)
{
	static const char larger[] =
		"A tier is offered only when its pile is larger than those of the lower tiers (kernel.md 4.7.3).";
	static const char distill[] =
		"From D on, and only above the piles of the lower tiers, blocks are offered (kernel.md 4.7.3).";
	static const char cadence[] =
		"A tier that never was shown may be; else F tokens must have come since. A tier held back by its "
		"cadence holds back the tiers above it (kernel.md 4.7.3).";
	static const char *const words[NUDGE_GATE_COUNT] = {
		[NUDGE_GATE_OVER_LIMIT] =
			"At nudge.maxContextLimitPct and above the largest pile is offered, growth and cadence are "
			"ignored (kernel.md 4.7.2).",
		[NUDGE_GATE_EMERGENCY] =
			"At nudge.emergencyThresholdPct and above the nudge is an emergency, and the band is the same "
			"as over the limit (kernel.md 4.7.1).",
		[NUDGE_GATE_PILE] = "The largest of them wins, the lowest tier on ties; tiers 2 and 3 only with "
				    "tiers.enabled (kernel.md 4.7.2).",
		[NUDGE_GATE_GROWTH] = "Below F nothing is offered in the normal band (kernel.md 4.7.3).",
		[NUDGE_GATE_T1_PILE] = "From G on tier 1 is offered; it has no cadence of its own (kernel.md 4.7.3).",
		[NUDGE_GATE_TIERS] = "Only with tiers.enabled are blocks offered for distillation (kernel.md 4.7.3).",
		[NUDGE_GATE_T2_PILE] = distill,
		[NUDGE_GATE_T2_T1] = larger,
		[NUDGE_GATE_T2_CADENCE] = cadence,
		[NUDGE_GATE_T3_PILE] = distill,
		[NUDGE_GATE_T3_T2] = larger,
		[NUDGE_GATE_T3_T1] = larger,
		[NUDGE_GATE_T3_CADENCE] = cadence,
	};
	(void)f;
	buf_text(b, words[r->variant]);
}

reason_say *const reason_say_gate[RULE_COUNT] = {
	[RULE_GATE] = say_gate,         [RULE_NUDGE_USAGE] = say_usage,   [RULE_NUDGE_COUNTED] = say_counted,
	[RULE_NUDGE_PILES] = say_piles, [RULE_NUDGE_G] = say_g,           [RULE_NUDGE_F] = say_f,
	[RULE_NUDGE_D] = say_d,         [RULE_NUDGE_GROWTH] = say_growth, [RULE_NUDGE_HALF] = say_half,
};

static void line_feed(struct buf *b)
{
	if (b->n > 0)
		buf_char(b, '\n');
}

void reason_gate(struct frame *f, enum nudge_gate id, struct buf *text, struct buf *config)
{
	struct explanation x = {.arena = &f->arena};
	explain_gate(f, id, &x);
	for (size_t i = 1; i <= x.reasons.n; i++) {
		line_feed(text);
		reason_words(f, &x.reasons.v[i % x.reasons.n], text); /* the gate comes last */
	}
	for (size_t i = 0; i < x.reasons.n; i++)
		if (x.reasons.v[i].values > 0) {
			line_feed(config);
			reason_config(f, &x.reasons.v[i], config);
		}
	explanation_free(&x);
}
