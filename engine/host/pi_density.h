/*
 * pi_density: tokens per estimated token, measured while a session runs
 * (pi.md 5; P97, P155, P173).
 *
 * `struct pi_density` holds one record a model and forgets none of them unless
 * it is told to. Every update says what it did in a `struct pi_density_sample`;
 * a list of samples is all that charts and verdicts need. `struct pi_folds`
 * tells when a block has become active since it looked last (pi.md 5.6).
 * Scales: `real` is the host's context usage, `est` a raw estimate, never a
 * calibrated one: the measure must not feed on itself.
 * Both structs own their vecs.
 */
#ifndef ENGINE_HOST_PI_DENSITY_H
#define ENGINE_HOST_PI_DENSITY_H

#include "engine/base/vec.h"
#include "engine/kernel/state.h"

#define PI_DENSITY_MIN     0.5
#define PI_DENSITY_MAX     2.5 /* default of the switch densityMax */
#define PI_DENSITY_CONFIRM 0.20

enum { PI_DENSITY_MIN_DELTA = 50 /* default of the switch minDelta */, PI_DENSITY_ROUNDS = 2 };

struct pi_density_rules {
	double max;       /* upper clamp, densityMax */
	double min_delta; /* estimated tokens below which a step waits for the next one, minDelta */
	bool confirm;     /* density.confirm */
	bool reanchor;    /* density.reanchor: P97 keeps the old anchors after a compression, P155 takes new ones */
};

/* One model's measurement; zero but for density 1 until something is known. */
struct pi_density_record {
	uint32_t model; /* name */
	double density;
	double anchor_real, anchor_est; /* valid when anchored */
	double pending;                 /* valid when count > 0 */
	uint32_t count;                 /* samples that agree on it */
	bool anchored, skip;
};

/* Zero-initialise with rules; pi_density_free. */
struct pi_density {
	struct pi_density_rules rules;
	VEC(struct pi_density_record) records;
	VEC(uint32_t) of_model; /* by name: record + 1 */
};

/* What one update came to. */
enum pi_density_effect {
	PI_DENSITY_NO_USAGE,   /* the host's number is unknown: nothing was touched, a fold reported with it is lost */
	PI_DENSITY_ARMED,      /* a block was made: the next sample is skipped */
	PI_DENSITY_REANCHORED, /* the skipped one; new anchors */
	PI_DENSITY_SKIPPED,    /* the skipped one; the old anchors stay */
	PI_DENSITY_ANCHORED,   /* the first one of the model */
	PI_DENSITY_WAITING,    /* the step is too small; it adds up with the next one */
	PI_DENSITY_CANDIDATE,  /* a measure that waits for another that agrees */
	PI_DENSITY_REJECTED,   /* it disagrees with the candidate, and takes its place */
	PI_DENSITY_ADOPTED,    /* it confirms the candidate, or needs no confirmation */
	PI_DENSITY_EFFECTS
};
/* "no-usage", "armed", .. */
const char *pi_density_effect_name(enum pi_density_effect e);

struct pi_density_sample {
	uint32_t model;
	uint8_t effect;      /* enum pi_density_effect */
	bool fresh;          /* the record was made by this update: all before it is another measurement */
	bool fold_lost;      /* a fold was reported with unknown usage, or before a turn that could not run, and so
				never seen (pi-rulings 17) */
	double used, value;  /* density before (of the bytes and counts of this turn) and after */
	double real, est;    /* as given; real NAN = unknown */
	double raw, instant; /* dR / dE before and after the clamp; NAN = nothing was measured */
	double pending;      /* candidate after the update; NAN = none */
	double anchor_real, anchor_est; /* after the update; NAN = none */
};

/* `skipped` of trace.md (pi-rulings 13): the sample was not measured because of a compression. */
static inline bool pi_density_skipped(enum pi_density_effect e)
{
	return e == PI_DENSITY_ARMED || e == PI_DENSITY_REANCHORED || e == PI_DENSITY_SKIPPED;
}

/* pi.md 5.3. `folded`: a block became active since the update before (pi_folds_look). */
struct pi_density_sample pi_density_update(struct pi_density *d, uint32_t model, double real, double est, bool folded);
/* Density in force for a model; 1 for one never measured. */
double pi_density_value(const struct pi_density *d, uint32_t model);
/* The present record of a model, or NULL. */
const struct pi_density_record *pi_density_of(const struct pi_density *d, uint32_t model);
/* A session starts with this model: its record goes, those of others stay. */
void pi_density_reset(struct pi_density *d, uint32_t model);
/* The host process restarted (pi-rulings 15). */
void pi_density_forget(struct pi_density *d);
void pi_density_free(struct pi_density *d);
/* calibrateTokens of pi.md 5.4: calibrated tokens of a raw estimate. */
double pi_density_calibrate(double density, double raw);

/* Active blocks seen last time (pi.md 5.6). Zero-initialise; pi_folds_free. */
struct pi_folds {
	VEC(uint32_t) seen; /* names of block ids, ascending */
	VEC(uint32_t) look;
	bool started;
};

/* True when one of these active blocks was not active at the last look; the first look is always false. */
bool pi_folds_look(struct pi_folds *f, const uint32_t *active, size_t n);
/* The same for the active blocks of a state as it was loaded, before the turn. */
bool pi_folds_look_at(struct pi_folds *f, const struct state *s);
/* Session tracking is cleared: the next look is a first one. */
void pi_folds_forget(struct pi_folds *f);
void pi_folds_free(struct pi_folds *f);

/*
 * What a series of samples came to. A measure is a sample with an instant
 * value; a change is a sample whose value differs from the one before it.
 * Samples of other models are left out, as are those before the last fresh one.
 * The first rule that holds decides:
 *   none         there is no measure;
 *   never        no measure was ever adopted;
 *   oscillating  of the last 4 changes at least 2 go the other way than the
 *                change before them, and fewer than 4 measures followed the last;
 *   clamped      the value in force is a bound: the true one may lie beyond it;
 *   converged    the last 2 measures lie within 20 % of the value in force,
 *                which was reached with sample `since`;
 *   unsettled    a value is in force, and the last 2 measures do not both bear it out.
 */
enum pi_density_verdict {
	PI_DENSITY_NONE,
	PI_DENSITY_NEVER,
	PI_DENSITY_OSCILLATING,
	PI_DENSITY_CLAMPED,
	PI_DENSITY_CONVERGED,
	PI_DENSITY_UNSETTLED,
	PI_DENSITY_VERDICTS
};
/* "none", "never-converged", "oscillating", "clamped", "converged", "unsettled". */
const char *pi_density_verdict_name(enum pi_density_verdict v);

enum { PI_DENSITY_LAST_CHANGES = 4, PI_DENSITY_REVERSALS = 2, PI_DENSITY_SETTLED = 4 };

struct pi_density_finding {
	enum pi_density_verdict verdict;
	size_t since;              /* index of the sample that reached the value in force; SIZE_MAX = none did */
	double value;              /* in force at the end */
	size_t measures;           /* all of them, */
	size_t after;              /* those after `since`, */
	size_t fold;               /* index of the last sample a fold was reported with, when no measure
				      followed it: what was measured is from before; SIZE_MAX = one did */
	size_t changes, reversals; /* all changes, and those of the last 4 that go the other way */
};
struct pi_density_finding pi_density_judge(const struct pi_density_sample *samples, size_t n, uint32_t model,
					   const struct pi_density_rules *rules);

#endif
