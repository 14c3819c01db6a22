/* What a difference comes to over the session: sums of each side. */
#include <math.h>

#include "engine/base/num.h"
#include "replay/diff_parts.h"
#include "replay/prefix.h"
#include "replay/view/words.h"

static const char raw_scale[] = "raw estimate";
static const char percent_scale[] = "percent"; /* no scale of tokens: it makes the values percents */

/* A sum or a peak of one side, and the scale of token figures. */
struct figure {
	double value;
	const char *scale;
};

/* One side. */
struct summed {
	const struct run *run;
	struct prefix_totals prefix;
};

static struct figure count_of(double n) { return (struct figure){n, NULL}; }

static struct figure turns(const struct summed *s) { return count_of((double)s->run->timeline.turns.n); }

/* Token counts of one scale only can be summed. */
static struct figure context_sum(const struct summed *s)
{
	struct figure f = {NAN, NULL};
	for (size_t i = 0; i < s->run->timeline.turns.n; i++) {
		const struct moment *m = &s->run->timeline.turns.v[i];
		const char *scale = words_count_scale((enum count_scale)m->counted);
		if (f.scale != NULL && strcmp(f.scale, scale) != 0)
			return (struct figure){NAN, "mixed scales"};
		f.value = f.scale == NULL ? m->tokens : f.value + m->tokens;
		f.scale = scale;
	}
	return f;
}

static struct figure context_peak(const struct summed *s)
{
	struct figure f = {NAN, NULL};
	for (size_t i = 0; i < s->run->timeline.turns.n; i++) {
		const struct moment *m = &s->run->timeline.turns.v[i];
		if (f.scale == NULL || m->tokens > f.value)
			f = (struct figure){m->tokens, words_count_scale((enum count_scale)m->counted)};
	}
	return f;
}

static struct figure sent_figure(const struct summed *s, bool peak)
{
	struct figure f = {NAN, request_scale(s->run)};
	for (size_t i = 0; i < s->run->timeline.turns.n; i++) {
		double raw = s->run->timeline.turns.v[i].raw;
		if (isnan(raw)) /* it did not run */
			continue;
		if (isnan(f.value))
			f.value = raw;
		else
			f.value = !peak ? f.value + raw : raw > f.value ? raw : f.value;
	}
	return f;
}
static struct figure sent_sum(const struct summed *s) { return sent_figure(s, false); }
static struct figure sent_peak(const struct summed *s) { return sent_figure(s, true); }

static struct figure nudges_of(const struct summed *s, int tier)
{
	double n = 0;
	for (size_t i = 0; i < s->run->timeline.turns.n; i++)
		n += tier == 0 ? (s->run->timeline.turns.v[i].events & MOMENT_NUDGE) != 0
			       : (s->run->timeline.turns.v[i].events & MOMENT_NUDGE) != 0 &&
					 s->run->timeline.turns.v[i].nudge_tier == tier;
	return count_of(n);
}
static struct figure nudges(const struct summed *s) { return nudges_of(s, 0); }
static struct figure nudges_1(const struct summed *s) { return nudges_of(s, 1); }
static struct figure nudges_2(const struct summed *s) { return nudges_of(s, 2); }
static struct figure nudges_3(const struct summed *s) { return nudges_of(s, 3); }

static struct figure calls_of(const struct summed *s, bool applied)
{
	double n = 0;
	for (size_t i = 0; i < s->run->compressions.n; i++)
		n += s->run->compressions.v[i].applied == applied;
	return count_of(n);
}
static struct figure applied(const struct summed *s) { return calls_of(s, true); }
static struct figure refused(const struct summed *s) { return calls_of(s, false); }

static struct figure blocks(const struct summed *s)
{
	double n = 0;
	for (size_t i = 0; i < s->run->compressions.n; i++)
		n += s->run->compressions.v[i].applied ? s->run->compressions.v[i].blocks : 0;
	for (size_t i = 0; i < s->run->pi.compacted.n; i++)
		n += s->run->pi.compacted.v[i].block != 0;
	return count_of(n);
}

const char *diff_folded_scale(const struct run *r)
{
	return policy_is(&r->policy, SWITCH_DENSITY, "on") ? "calibrated" : raw_scale;
}

/* Counted by the turn's counter, tags included. */
static struct figure folded(const struct summed *s)
{
	struct figure f = {0, diff_folded_scale(s->run)};
	for (size_t i = 0; i < s->run->compressions.n; i++)
		f.value += s->run->compressions.v[i].applied ? s->run->compressions.v[i].tokens : 0;
	for (size_t i = 0; i < s->run->pi.compacted.n; i++)
		f.value += s->run->pi.compacted.v[i].tokens;
	return f;
}

/* ---- requests: NAN where they are not known ---- */

static struct figure of_requests(const struct summed *s, double value, const char *scale)
{
	return (struct figure){s->run->want_requests ? value : NAN, scale};
}

static struct figure bytes(const struct summed *s)
{
	double sum = 0;
	for (size_t i = 0; i < s->run->sender.sent.n; i++)
		sum += isnan(s->run->sender.sent.v[i].bytes) ? 0 : s->run->sender.sent.v[i].bytes;
	return of_requests(s, sum, NULL);
}
static struct figure rebuilds(const struct summed *s) { return of_requests(s, s->prefix.rebuilds, NULL); }
static struct figure rebilled(const struct summed *s)
{
	return of_requests(s, s->prefix.again_tokens, request_scale(s->run));
}
static struct figure tails(const struct summed *s)
{
	return of_requests(s, s->prefix.tail_tokens, request_scale(s->run));
}
/* Of the bytes sent, those of the request before: what recorded prompts say is only about the policy they were sent by.
 */
static struct figure kept(const struct summed *s)
{
	double common = 0, sum = 0;
	for (size_t i = 0; i < s->run->sender.sent.n; i++) {
		const struct sent *x = &s->run->sender.sent.v[i];
		common += isnan(x->common_bytes) ? 0 : x->common_bytes;
		sum += isnan(x->bytes) ? 0 : x->bytes;
	}
	return of_requests(s, common / sum * 100, percent_scale);
}
static struct figure lost(const struct summed *s)
{
	return (struct figure){s->run->want_requests && s->prefix.has_cost ? s->prefix.cost.lost : NAN, "price"};
}

/* ---- the DSH host's loop (dsh.md 10.2); NAN for other hosts ---- */

static struct figure of_dsh(const struct summed *s, double value, const char *scale)
{
	return (struct figure){run_is_dsh(s->run) ? value : NAN, scale};
}
static struct figure compactions(const struct summed *s)
{
	return of_dsh(s, (double)s->run->dsh.loop.foldings.n, NULL);
}
static struct figure pasted(const struct summed *s) { return of_dsh(s, (double)s->run->dsh.loop.reinjected, NULL); }
static struct figure pasted_later(const struct summed *s)
{
	return of_dsh(s, (double)s->run->dsh.loop.reinjected_later, NULL);
}
static struct figure wasted(const struct summed *s) { return of_dsh(s, s->run->dsh.loop.wasted, "price"); }
static struct figure wasted_later(const struct summed *s) { return of_dsh(s, s->run->dsh.loop.wasted_later, "price"); }

static const struct {
	const char *name, *key;
	struct figure (*of)(const struct summed *s);
	bool quiet; /* nothing to say when it is 0 on both sides */
} effects[] = {
	{"turns", "turns", turns, false},
	{"compactions on the surface", "compactions", compactions, false},
	{"re-injected within 7 events", "reinjected", pasted, false},
	{"re-injected later", "reinjectedLater", pasted_later, true},
	{"tokens pasted again within 7 events", "wasted", wasted, false},
	{"tokens pasted again later", "wastedLater", wasted_later, true},
	{"context, sum", "contextSum", context_sum, false},
	{"context, peak", "contextPeak", context_peak, false},
	{"rows uncut, sum", "sentSum", sent_sum, false},
	{"rows uncut, peak", "sentPeak", sent_peak, false},
	{"nudges", "nudges", nudges, false},
	{"nudges of tier 1", "nudges1", nudges_1, true},
	{"nudges of tier 2", "nudges2", nudges_2, true},
	{"nudges of tier 3", "nudges3", nudges_3, true},
	{"compress calls applied", "applied", applied, false},
	{"compress calls refused", "refused", refused, false},
	{"blocks made", "blocks", blocks, true},
	{"tokens folded", "folded", folded, false},
	{"bytes sent, sum", "bytesSum", bytes, false},
	{"cache rebuilds", "rebuilds", rebuilds, false},
	{"tokens billed again", "rebilled", rebilled, false},
	{"share sent before (cacheable)", "kept", kept, false},
	{"nudges at the tail", "tails", tails, true},
	{"cost of rebuilds", "rebuildCost", lost, false},
};
_Static_assert(sizeof effects / sizeof *effects <= DIFF_EFFECTS_MAX, "room for every effect");

static const char *scale_of(struct figure f) { return f.scale == percent_scale ? NULL : f.scale; }

void diff_add_effects(struct diff *d)
{
	struct summed sums[DIFF_SIDES];
	for (int side = 0; side < DIFF_SIDES; side++) {
		sums[side].run = d->side[side]->run;
		prefix_sum(sums[side].run, &d->arena, &sums[side].prefix);
	}
	for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
		struct figure left = effects[i].of(&sums[DIFF_LEFT]), right = effects[i].of(&sums[DIFF_RIGHT]);
		if (isnan(left.value) && isnan(right.value))
			continue;
		if (effects[i].quiet && left.value == 0 && right.value == 0)
			continue;
		d->effects[d->effects_n++] = (struct diff_effect){.name = effects[i].name,
								  .key = effects[i].key,
								  .scale = {scale_of(left), scale_of(right)},
								  .percent = left.scale == percent_scale,
								  .value = {left.value, right.value}};
	}
}

double diff_change(const struct diff_effect *e)
{
	const char *left = e->scale[DIFF_LEFT], *right = e->scale[DIFF_RIGHT];
	bool comparable = left == right || (left != NULL && right != NULL && strcmp(left, right) == 0);
	return comparable ? e->value[DIFF_RIGHT] - e->value[DIFF_LEFT] : NAN;
}
