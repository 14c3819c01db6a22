/* What a difference comes to over the session: sums of each side. */
#include <math.h>

#include "replay/diff_parts.h"
#include "replay/view/words.h"

static const char raw_scale[] = "raw estimate";

/* A sum or a peak of one side, and the scale of token figures. */
struct figure {
	double value;
	const char *scale;
};

static struct figure count_of(double n) { return (struct figure){n, NULL}; }

static struct figure turns(const struct run *r) { return count_of((double)r->timeline.turns.n); }

/* Token counts of one scale only can be summed. */
static struct figure context_sum(const struct run *r)
{
	struct figure f = {NAN, NULL};
	for (size_t i = 0; i < r->timeline.turns.n; i++) {
		const struct moment *m = &r->timeline.turns.v[i];
		const char *scale = words_count_scale((enum count_scale)m->counted);
		if (f.scale != NULL && strcmp(f.scale, scale) != 0)
			return (struct figure){NAN, "mixed scales"};
		f.value = f.scale == NULL ? m->tokens : f.value + m->tokens;
		f.scale = scale;
	}
	return f;
}

static struct figure context_peak(const struct run *r)
{
	struct figure f = {NAN, NULL};
	for (size_t i = 0; i < r->timeline.turns.n; i++) {
		const struct moment *m = &r->timeline.turns.v[i];
		if (f.scale == NULL || m->tokens > f.value)
			f = (struct figure){m->tokens, words_count_scale((enum count_scale)m->counted)};
	}
	return f;
}

static struct figure sent_figure(const struct run *r, bool peak)
{
	struct figure f = {NAN, raw_scale};
	for (size_t i = 0; i < r->timeline.turns.n; i++) {
		double raw = r->timeline.turns.v[i].raw;
		if (isnan(raw)) /* it did not run */
			continue;
		if (isnan(f.value))
			f.value = raw;
		else
			f.value = !peak ? f.value + raw : raw > f.value ? raw : f.value;
	}
	return f;
}
static struct figure sent_sum(const struct run *r) { return sent_figure(r, false); }
static struct figure sent_peak(const struct run *r) { return sent_figure(r, true); }

static struct figure nudges_of(const struct run *r, int tier)
{
	double n = 0;
	for (size_t i = 0; i < r->timeline.turns.n; i++)
		n += tier == 0 ? (r->timeline.turns.v[i].events & MOMENT_NUDGE) != 0
			       : r->timeline.turns.v[i].nudge_tier == tier;
	return count_of(n);
}
static struct figure nudges(const struct run *r) { return nudges_of(r, 0); }
static struct figure nudges_1(const struct run *r) { return nudges_of(r, 1); }
static struct figure nudges_2(const struct run *r) { return nudges_of(r, 2); }
static struct figure nudges_3(const struct run *r) { return nudges_of(r, 3); }

static struct figure calls_of(const struct run *r, bool applied)
{
	double n = 0;
	for (size_t i = 0; i < r->compressions.n; i++)
		n += r->compressions.v[i].applied == applied;
	return count_of(n);
}
static struct figure applied(const struct run *r) { return calls_of(r, true); }
static struct figure refused(const struct run *r) { return calls_of(r, false); }

static struct figure blocks(const struct run *r)
{
	double n = 0;
	for (size_t i = 0; i < r->compressions.n; i++)
		n += r->compressions.v[i].applied ? r->compressions.v[i].blocks : 0;
	return count_of(n);
}

const char *diff_folded_scale(const struct run *r)
{
	return policy_is(&r->policy, SWITCH_DENSITY, "on") ? "calibrated" : raw_scale;
}

/* Counted by the turn's counter, tags included. */
static struct figure folded(const struct run *r)
{
	struct figure f = {0, diff_folded_scale(r)};
	for (size_t i = 0; i < r->compressions.n; i++)
		f.value += r->compressions.v[i].applied ? r->compressions.v[i].tokens : 0;
	return f;
}

static const struct {
	const char *name, *key;
	struct figure (*of)(const struct run *r);
	bool quiet; /* nothing to say when it is 0 on both sides */
} effects[] = {
	{"turns", "turns", turns, false},
	{"context, sum", "contextSum", context_sum, false},
	{"context, peak", "contextPeak", context_peak, false},
	{"rows sent, sum", "sentSum", sent_sum, false},
	{"rows sent, peak", "sentPeak", sent_peak, false},
	{"nudges", "nudges", nudges, false},
	{"nudges of tier 1", "nudges1", nudges_1, true},
	{"nudges of tier 2", "nudges2", nudges_2, true},
	{"nudges of tier 3", "nudges3", nudges_3, true},
	{"compress calls applied", "applied", applied, false},
	{"compress calls refused", "refused", refused, false},
	{"blocks made", "blocks", blocks, true},
	{"tokens folded", "folded", folded, false},
};
_Static_assert(sizeof effects / sizeof *effects <= DIFF_EFFECTS_MAX, "room for every effect");

void diff_add_effects(struct diff *d)
{
	for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
		struct figure left = effects[i].of(d->side[DIFF_LEFT]->run);
		struct figure right = effects[i].of(d->side[DIFF_RIGHT]->run);
		if (isnan(left.value) && isnan(right.value))
			continue;
		if (effects[i].quiet && left.value == 0 && right.value == 0)
			continue;
		d->effects[d->effects_n++] = (struct diff_effect){.name = effects[i].name,
								  .key = effects[i].key,
								  .scale = {left.scale, right.scale},
								  .value = {left.value, right.value}};
	}
}

double diff_change(const struct diff_effect *e)
{
	const char *left = e->scale[DIFF_LEFT], *right = e->scale[DIFF_RIGHT];
	bool comparable = left == right || (left != NULL && right != NULL && strcmp(left, right) == 0);
	return comparable ? e->value[DIFF_RIGHT] - e->value[DIFF_LEFT] : NAN;
}
