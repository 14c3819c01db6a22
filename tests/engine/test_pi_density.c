/* pi_density: pi.md 5. The rows of part 10, table 5.7 and series 5.8 are data: tests/cases/pi_density.jsonl. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/host/pi_density.h"
#include "tests/case_file.h"

/* What is checked by one member of a step. */
static const struct {
	const char *member;
	size_t offset;
} numbers[] = {
	{"density", offsetof(struct pi_density_sample, value)},
	{"used", offsetof(struct pi_density_sample, used)},
	{"raw", offsetof(struct pi_density_sample, raw)},
	{"instant", offsetof(struct pi_density_sample, instant)},
	{"pending", offsetof(struct pi_density_sample, pending)},
};

struct run {
	const cJSON *one;
	struct names names;
	struct pi_density density;
	VEC(struct pi_density_sample) samples;
};

static uint32_t model_of(struct run *r, const cJSON *node)
{
	struct str name = json_str(node);
	return names_add(&r->names, name.p ? name : STR("m"));
}

/* Doubles as the reference computes them: equal, not near. null is "none". */
static void expect_number(struct run *r, size_t step, const char *what, const cJSON *want, double got)
{
	double x = NAN;
	if (!want)
		return;
	if (!cJSON_IsNull(want) && !json_num(want, &x))
		case_fail(r->one, "step %zu: %s is neither a number nor null", step, what);
	if (!(got == x || (isnan(got) && isnan(x))))
		case_fail(r->one, "step %zu: %s is %.17g, want %.17g", step, what, got, x);
}

static void expect_flag(struct run *r, size_t step, const char *what, const cJSON *want, bool got)
{
	if (want && cJSON_IsTrue(want) != got)
		case_fail(r->one, "step %zu: %s is %d", step, what, got);
}

static void check_step(struct run *r, const cJSON *step, size_t at, const struct pi_density_sample *s)
{
	const cJSON *anchor = json_get(step, "anchor");
	struct str effect = json_str(json_get(step, "effect"));
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		expect_number(r, at, numbers[i].member, json_get(step, numbers[i].member),
			      *(const double *)((const char *)s + numbers[i].offset));
	expect_number(r, at, "anchorReal", cJSON_IsArray(anchor) ? anchor->child : anchor, s->anchor_real);
	expect_number(r, at, "anchorEst", cJSON_IsArray(anchor) ? anchor->child->next : anchor, s->anchor_est);
	expect_flag(r, at, "fresh", json_get(step, "fresh"), s->fresh);
	expect_flag(r, at, "lost", json_get(step, "lost"), s->fold_lost);
	if (effect.p)
		case_expect_text(r->one, "effect", str_of(pi_density_effect_name(s->effect)), effect);
}

static void run_step(struct run *r, const cJSON *step, size_t at)
{
	double real = NAN, est = 0;
	uint32_t model = model_of(r, json_get(step, "model"));
	if (cJSON_IsTrue(json_get(step, "restart")))
		pi_density_forget(&r->density);
	if (json_get(step, "reset"))
		pi_density_reset(&r->density, model_of(r, json_get(step, "reset")));
	json_num(json_get(step, "real"), &real);
	if (!json_num(json_get(step, "est"), &est))
		case_fail(r->one, "step %zu has no est", at);
	struct pi_density_sample s =
		pi_density_update(&r->density, model, real, est, cJSON_IsTrue(json_get(step, "post")));
	if (s.value != pi_density_value(&r->density, model))
		case_fail(r->one, "step %zu: the sample's value is not the one in force", at);
	check_step(r, step, at, &s);
	vec_push(&r->samples, s);
}

static void check_verdict(struct run *r)
{
	const cJSON *want = json_get(r->one, "verdict"), *since = json_get(r->one, "since"),
		    *fold = json_get(r->one, "fold");
	struct pi_density_finding f =
		pi_density_judge(r->samples.v, r->samples.n, model_of(r, json_get(r->one, "model")), &r->density.rules);
	if (want)
		case_expect_text(r->one, "verdict", str_of(pi_density_verdict_name(f.verdict)), json_str(want));
	if (cJSON_IsNull(since) && f.since != SIZE_MAX)
		case_fail(r->one, "since step %zu", f.since);
	if (cJSON_IsNumber(since))
		case_expect_count(r->one, "since", f.since, (size_t)since->valuedouble);
	if (cJSON_IsNull(fold) && f.fold != SIZE_MAX)
		case_fail(r->one, "no measure since the fold of step %zu", f.fold);
	if (cJSON_IsNumber(fold))
		case_expect_count(r->one, "fold", f.fold, (size_t)fold->valuedouble);
}

static void run_steps(const cJSON *one)
{
	struct run r = {.one = one, .density.rules = {PI_DENSITY_MAX, PI_DENSITY_MIN_DELTA, true, true}};
	const cJSON *rules = json_get(one, "rules"), *step;
	size_t at = 0;
	names_init(&r.names);
	r.density.rules.confirm = !cJSON_IsFalse(json_get(rules, "confirm"));
	r.density.rules.reanchor = !cJSON_IsFalse(json_get(rules, "reanchor"));
	json_num(json_get(rules, "max"), &r.density.rules.max);
	json_num(json_get(rules, "minDelta"), &r.density.rules.min_delta);
	cJSON_ArrayForEach (step, json_get(one, "steps"))
		run_step(&r, step, at++);
	check_verdict(&r);
	pi_density_free(&r.density);
	vec_free(&r.samples);
	names_free(&r.names);
}

/* Rows of pi.md 5.4, by text (counted as the kernel counts) or by estimate. */
static void run_calibrate(const cJSON *one)
{
	const cJSON *row;
	cJSON_ArrayForEach (row, json_get(one, "calibrate")) {
		const cJSON *what = row->child->next;
		struct counter counter = {row->child->valuedouble};
		double got = cJSON_IsString(what) ? counter_tokens(&counter, text_measure(json_str(what)))
						  : pi_density_calibrate(counter.density, what->valuedouble);
		if (got != what->next->valuedouble)
			case_fail(one, "%g tokens, want %g", got, what->next->valuedouble);
	}
}

static void run_folds(const cJSON *one)
{
	struct pi_folds f = {0};
	struct names names;
	const cJSON *look, *id;
	size_t at = 0;
	names_init(&names);
	cJSON_ArrayForEach (look, json_get(one, "folds")) {
		VEC(uint32_t) active = {0};
		if (cJSON_IsString(look)) {
			pi_folds_forget(&f);
			continue;
		}
		cJSON_ArrayForEach (id, look->child)
			vec_push(&active, names_add(&names, json_str(id)));
		if (pi_folds_look(&f, active.v, active.n) != cJSON_IsTrue(look->child->next))
			case_fail(one, "look %zu", at);
		at++;
		vec_free(&active);
	}
	pi_folds_free(&f);
	names_free(&names);
}

static void run_case(const cJSON *one, void *ctx)
{
	static const struct {
		const char *member;
		void (*run)(const cJSON *one);
	} kinds[] = {{"steps", run_steps}, {"calibrate", run_calibrate}, {"folds", run_folds}};
	(void)ctx;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (json_get(one, kinds[i].member)) {
			kinds[i].run(one);
			return;
		}
	case_fail(one, "says nothing to do");
}

static void cases_of_the_specification(void **state)
{
	(void)state;
	case_file_each("tests/cases/pi_density.jsonl", run_case, NULL);
}

/* Many models, forgotten in an order of their own: each keeps what it measured. */
static void many_models(void **state)
{
	enum { MODELS = 1000 };
	struct pi_density d = {.rules = {PI_DENSITY_MAX, PI_DENSITY_MIN_DELTA, false, true}};
	(void)state;
	for (uint32_t m = 1; m <= MODELS; m++) {
		pi_density_update(&d, m, 0, 0, false);
		pi_density_update(&d, m, 1000 + m, 1000, false);
	}
	for (uint32_t m = 3; m <= MODELS; m += 3)
		pi_density_reset(&d, m);
	for (uint32_t m = 1; m <= MODELS; m++)
		assert_true(pi_density_value(&d, m) == (m % 3 == 0 ? 1 : (1000.0 + m) / 1000.0));
	pi_density_forget(&d);
	for (uint32_t m = 0; m <= MODELS + 5; m++)
		assert_true(pi_density_value(&d, m) == 1 && pi_density_of(&d, m) == NULL);
	pi_density_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_of_the_specification),
		cmocka_unit_test(many_models),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
