#include "engine/host/pi_density.h"

#include <math.h>

#include "engine/base/num.h"

const char *pi_density_effect_name(enum pi_density_effect e)
{
	static const char *const names[PI_DENSITY_EFFECTS] = {
		[PI_DENSITY_NO_USAGE] = "no-usage",     [PI_DENSITY_ARMED] = "armed",
		[PI_DENSITY_REANCHORED] = "reanchored", [PI_DENSITY_SKIPPED] = "skipped",
		[PI_DENSITY_ANCHORED] = "anchored",     [PI_DENSITY_WAITING] = "waiting",
		[PI_DENSITY_CANDIDATE] = "candidate",   [PI_DENSITY_REJECTED] = "rejected",
		[PI_DENSITY_ADOPTED] = "adopted",
	};
	return names[e];
}

/* ---- records ---- */

const struct pi_density_record *pi_density_of(const struct pi_density *d, uint32_t model)
{
	uint32_t at = model < d->of_model.n ? d->of_model.v[model] : 0;
	return at != 0 ? &d->records.v[at - 1] : NULL;
}

double pi_density_value(const struct pi_density *d, uint32_t model)
{
	const struct pi_density_record *r = pi_density_of(d, model);
	return r ? r->density : 1;
}

/* The record of a model, made when there is none. */
static struct pi_density_record *record_for(struct pi_density *d, uint32_t model, bool *fresh)
{
	vec_fill(&d->of_model, (size_t)model + 1);
	*fresh = d->of_model.v[model] == 0;
	if (*fresh) {
		vec_push(&d->records, (struct pi_density_record){.model = model, .density = 1});
		d->of_model.v[model] = (uint32_t)d->records.n;
	}
	return &d->records.v[d->of_model.v[model] - 1];
}

void pi_density_reset(struct pi_density *d, uint32_t model)
{
	uint32_t at = model < d->of_model.n ? d->of_model.v[model] : 0;
	if (at == 0)
		return;
	struct pi_density_record last = d->records.v[--d->records.n];
	d->of_model.v[model] = 0;
	if (last.model == model)
		return;
	d->records.v[at - 1] = last;
	d->of_model.v[last.model] = at;
}

void pi_density_forget(struct pi_density *d)
{
	while (d->records.n > 0)
		pi_density_reset(d, d->records.v[d->records.n - 1].model);
}

void pi_density_free(struct pi_density *d)
{
	vec_free(&d->records);
	vec_free(&d->of_model);
}

double pi_density_calibrate(double density, double raw) { return density == 1 ? raw : num_round(raw * density); }

/* ---- update (pi.md 5.3) ---- */

static void anchor(struct pi_density_record *r, double real, double est)
{
	r->anchor_real = real;
	r->anchor_est = est;
	r->anchored = true;
}

static double clamp(const struct pi_density_rules *rules, double x)
{
	return x < PI_DENSITY_MIN ? PI_DENSITY_MIN : x > rules->max ? rules->max : x;
}

/* 5.3.8 and 5.3.9: relative to the first of the samples that agree, bound included. */
static enum pi_density_effect weigh(const struct pi_density_rules *rules, struct pi_density_record *r, double instant)
{
	enum pi_density_effect effect = r->count == 0 ? PI_DENSITY_CANDIDATE : PI_DENSITY_REJECTED;
	if (!rules->confirm) {
		r->density = instant;
		return PI_DENSITY_ADOPTED;
	}
	if (r->count == 0 || !(fabs(instant - r->pending) / r->pending <= PI_DENSITY_CONFIRM)) {
		r->pending = instant;
		r->count = 1;
		return effect;
	}
	if (++r->count < PI_DENSITY_ROUNDS)
		return PI_DENSITY_CANDIDATE;
	r->density = r->pending;
	r->count = 0;
	return PI_DENSITY_ADOPTED;
}

/* 5.3.3 to 5.3.9 */
static enum pi_density_effect step(const struct pi_density_rules *rules, struct pi_density_record *r,
				   struct pi_density_sample *sample, bool folded)
{
	if (folded) {
		r->skip = true;
		return PI_DENSITY_ARMED;
	}
	if (r->skip) {
		r->skip = false;
		if (!rules->reanchor)
			return PI_DENSITY_SKIPPED;
		anchor(r, sample->real, sample->est);
		r->count = 0;
		return PI_DENSITY_REANCHORED;
	}
	if (!r->anchored) {
		anchor(r, sample->real, sample->est);
		return PI_DENSITY_ANCHORED;
	}
	double estimated = sample->est - r->anchor_est, real = sample->real - r->anchor_real;
	if (!(estimated >= rules->min_delta))
		return PI_DENSITY_WAITING;
	anchor(r, sample->real, sample->est);
	sample->raw = real / estimated;
	sample->instant = clamp(rules, sample->raw);
	return weigh(rules, r, sample->instant);
}

struct pi_density_sample pi_density_update(struct pi_density *d, uint32_t model, double real, double est, bool folded)
{
	struct pi_density_sample sample = {
		.model = model, .effect = PI_DENSITY_NO_USAGE, .real = real, .est = est, .raw = NAN, .instant = NAN};
	sample.used = pi_density_value(d, model);
	if (!isnan(real))
		sample.effect = (uint8_t)step(&d->rules, record_for(d, model, &sample.fresh), &sample, folded);
	else
		sample.fold_lost = folded;
	const struct pi_density_record *r = pi_density_of(d, model);
	sample.value = pi_density_value(d, model);
	sample.pending = r && r->count > 0 ? r->pending : NAN;
	sample.anchor_real = r && r->anchored ? r->anchor_real : NAN;
	sample.anchor_est = r && r->anchored ? r->anchor_est : NAN;
	return sample;
}

/* ---- new blocks (pi.md 5.6) ---- */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Compares f->look with what was seen, and makes it that. */
static bool compare(struct pi_folds *f)
{
	bool first = !f->started, found = false;
	if (f->look.n > 1)
		qsort(f->look.v, f->look.n, sizeof *f->look.v, by_number);
	for (size_t i = 0, k = 0; i < f->look.n && !found; i++) {
		while (k < f->seen.n && f->seen.v[k] < f->look.v[i])
			k++;
		found = k == f->seen.n || f->seen.v[k] != f->look.v[i];
	}
	f->seen.n = 0;
	for (size_t i = 0; i < f->look.n; i++)
		vec_push(&f->seen, f->look.v[i]);
	f->started = true;
	return found && !first;
}

bool pi_folds_look(struct pi_folds *f, const uint32_t *active, size_t n)
{
	f->look.n = 0;
	for (size_t i = 0; i < n; i++)
		vec_push(&f->look, active[i]);
	return compare(f);
}

bool pi_folds_look_at(struct pi_folds *f, const struct state *s)
{
	f->look.n = 0;
	for (size_t i = 0; i < s->live.n; i++)
		if (s->blocks.v[s->live.v[i]].active)
			vec_push(&f->look, s->blocks.v[s->live.v[i]].id);
	return compare(f);
}

void pi_folds_forget(struct pi_folds *f) { f->started = false; }

void pi_folds_free(struct pi_folds *f)
{
	vec_free(&f->seen);
	vec_free(&f->look);
}

/* ---- verdicts ---- */

const char *pi_density_verdict_name(enum pi_density_verdict v)
{
	static const char *const names[PI_DENSITY_VERDICTS] = {
		[PI_DENSITY_NONE] = "none",
		[PI_DENSITY_NEVER] = "never-converged",
		[PI_DENSITY_OSCILLATING] = "oscillating",
		[PI_DENSITY_CLAMPED] = "clamped",
		[PI_DENSITY_CONVERGED] = "converged",
		[PI_DENSITY_UNSETTLED] = "unsettled",
	};
	return names[v];
}

/* The series being read. */
struct reading {
	struct pi_density_finding found;
	double last[PI_DENSITY_ROUNDS]; /* the latest measures, newest first; NAN = none */
	uint32_t turned;                /* bit i: the i-th change from the end reverses the one before it */
	int direction;                  /* of the latest change */
	bool adopted;
};

static void begin(struct reading *r)
{
	*r = (struct reading){.found = {.since = SIZE_MAX, .fold = SIZE_MAX, .value = 1}};
	for (int i = 0; i < PI_DENSITY_ROUNDS; i++)
		r->last[i] = NAN;
}

static void take_change(struct reading *r, const struct pi_density_sample *s)
{
	int direction = s->value > s->used ? 1 : -1;
	r->found.changes++;
	r->turned = r->turned << 1 | (r->direction != 0 && direction != r->direction);
	r->direction = direction;
}

static void take(struct reading *r, const struct pi_density_sample *s, size_t index)
{
	r->found.value = s->value;
	if (s->effect == PI_DENSITY_ARMED || s->fold_lost)
		r->found.fold = index;
	if (isnan(s->instant))
		return;
	r->found.fold = SIZE_MAX;
	r->found.measures++;
	r->found.after++;
	for (int i = PI_DENSITY_ROUNDS - 1; i > 0; i--)
		r->last[i] = r->last[i - 1];
	r->last[0] = s->instant;
	bool first = s->effect == PI_DENSITY_ADOPTED && !r->adopted;
	r->adopted = r->adopted || first;
	if (s->value != s->used)
		take_change(r, s);
	if (first || s->value != s->used) {
		r->found.since = index;
		r->found.after = 0;
	}
}

static bool agree(const struct reading *r)
{
	for (int i = 0; i < PI_DENSITY_ROUNDS; i++)
		if (!(fabs(r->last[i] - r->found.value) / r->found.value <= PI_DENSITY_CONFIRM))
			return false;
	return true;
}

static enum pi_density_verdict decide(const struct reading *r, const struct pi_density_rules *rules)
{
	const struct pi_density_finding *f = &r->found;
	if (f->measures == 0)
		return PI_DENSITY_NONE;
	if (!r->adopted)
		return PI_DENSITY_NEVER;
	if (f->reversals >= PI_DENSITY_REVERSALS && f->after < PI_DENSITY_SETTLED)
		return PI_DENSITY_OSCILLATING;
	if (f->value <= PI_DENSITY_MIN || f->value >= rules->max)
		return PI_DENSITY_CLAMPED;
	return agree(r) ? PI_DENSITY_CONVERGED : PI_DENSITY_UNSETTLED;
}

struct pi_density_finding pi_density_judge(const struct pi_density_sample *samples, size_t n, uint32_t model,
					   const struct pi_density_rules *rules)
{
	struct reading r;
	begin(&r);
	for (size_t i = 0; i < n; i++) {
		if (samples[i].model != model)
			continue;
		if (samples[i].fresh)
			begin(&r);
		take(&r, &samples[i], i);
	}
	for (int i = 0; i < PI_DENSITY_LAST_CHANGES; i++)
		r.found.reversals += r.turned >> i & 1;
	r.found.verdict = decide(&r, rules);
	return r.found;
}
