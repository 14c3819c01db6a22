/* One opened line of the Density view: every number of a sample, the formula it went through, the switches behind it.
 */
#include <math.h>

#include "replay/view/density.h"
#include "replay/view/words.h"

enum { INDENT = 2 };

/* ---- switches ---- */

static void put_switch(const struct run *r, enum policy_switch s, struct detail *d)
{
	struct buf b = {0};
	buf_printf(&b, "%s = %s (", policy_switch_name(s), policy_value_name(&r->policy, s));
	if (r->policy.source[s] == POLICY_FROM_OPTION)
		buf_text(&b, "--policy)");
	else
		buf_printf(&b, "profile %s)", r->policy.profile);
	detail_words(d, STYLE_NUMBER, INDENT, &b);
	buf_free(&b);
}

static void put_number_switch(const char *name, double value, bool set, struct detail *d)
{
	struct buf b = {0};
	buf_printf(&b, "%s = ", name);
	density_put(&b, value);
	buf_text(&b, set ? " (--policy)" : " (default)");
	detail_words(d, STYLE_NUMBER, INDENT, &b);
	buf_free(&b);
}

static void put_switches(const struct run *r, struct detail *d)
{
	detail_title(d, "Switches");
	put_switch(r, SWITCH_DENSITY, d);
	put_switch(r, SWITCH_DENSITY_CONFIRM, d);
	put_switch(r, SWITCH_DENSITY_REANCHOR, d);
	put_number_switch("densityMax", r->pi.density.rules.max, r->policy.number_set[NUMBER_DENSITY_MAX], d);
	put_number_switch("minDelta", r->pi.density.rules.min_delta, r->policy.number_set[NUMBER_MIN_DELTA], d);
	detail_puts(d, STYLE_DIM, INDENT, "fixed: lower clamp 0.5, two samples within 20 % of the first (pi.md 5.2)");
}

/* ---- a sample ---- */

static void put_pair(struct buf *b, double real, double est)
{
	buf_char(b, '(');
	words_count(b, real);
	buf_text(b, ", ");
	words_count(b, est);
	buf_char(b, ')');
}

static void put_given(const struct run *r, const struct pi_density_sample *s, struct detail *d)
{
	struct buf b = {0};
	buf_text(&b, "real = ");
	if (isnan(s->real))
		buf_text(&b, "unknown");
	else
		words_count(&b, s->real);
	buf_text(&b,
		 ": the host's number, provider usage of the answer before and host estimates since (pi.md 1.10.2)");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_text(&b, "est = ");
	words_count(&b, s->est);
	buf_printf(&b, ": raw estimate of %s, never calibrated (pi.md 5.5)",
		   policy_is(&r->policy, SWITCH_COUNT, "usage-or-estimate")
			   ? "the rows that no block covers, taken before the turn"
			   : "what is sent");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
}

static void put_deltas(const struct run *r, const struct density_page *p, size_t i, struct detail *d)
{
	const struct pi_density_sample *s = &r->pi.samples.v[i];
	uint32_t anchor = p->links.v[i].anchor;
	double real, est;
	struct buf b = {0};
	if (!density_deltas(r, p, i, &real, &est)) {
		detail_puts(d, STYLE_DIM, INDENT, "no anchor before it: no difference");
		return;
	}
	const struct pi_density_sample *a = &r->pi.samples.v[anchor - 1];
	buf_printf(&b, "anchor of turn %u: ", anchor);
	put_pair(&b, a->real, a->est);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	for (int of_est = 0; of_est < 2; of_est++) {
		buf_text(&b, of_est ? "dE = " : "dR = ");
		words_count(&b, of_est ? s->est : s->real);
		buf_text(&b, " - ");
		words_count(&b, of_est ? a->est : a->real);
		buf_text(&b, " = ");
		words_count(&b, of_est ? est : real);
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
}

static void put_measure(const struct run *r, const struct density_page *p, size_t i, struct detail *d)
{
	const struct pi_density_sample *s = &r->pi.samples.v[i];
	double off = density_off(r, p, i);
	struct buf b = {0};
	if (isnan(s->instant))
		return;
	buf_text(&b, "instant = clamp(dR / dE, 0.5, densityMax) = clamp(");
	density_put(&b, s->raw);
	buf_text(&b, ", 0.5, ");
	density_put(&b, r->pi.density.rules.max);
	buf_text(&b, ") = ");
	density_put(&b, s->instant);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	if (r->pi.density.rules.confirm && !isnan(off)) {
		double pending = r->pi.samples.v[p->links.v[i].before - 1].pending;
		buf_text(&b, "off = |instant - pending| / pending = |");
		density_put(&b, s->instant);
		buf_text(&b, " - ");
		density_put(&b, pending);
		buf_text(&b, "| / ");
		density_put(&b, pending);
		buf_text(&b, " = ");
		words_percent(&b, off);
		buf_text(&b, off <= PI_DENSITY_CONFIRM ? " <= 20 %: the first of the two is adopted"
						       : " > 20 %: it takes the candidate's place");
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
}

static void put_after(const struct pi_density_sample *s, struct detail *d)
{
	struct buf b = {0};
	buf_text(&b, "density before ");
	density_put(&b, s->used);
	buf_text(&b, " (of the counts and first tags of this turn), after ");
	density_put(&b, s->value);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_text(&b, "pending after ");
	density_put(&b, s->pending);
	buf_text(&b, ", anchor after ");
	if (isnan(s->anchor_real))
		buf_text(&b, "none");
	else
		put_pair(&b, s->anchor_real, s->anchor_est);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
}

static void open_sample(const struct view_context *c, const struct density_page *p, size_t i, struct detail *d)
{
	const struct run *r = c->run;
	const struct pi_density_sample *s = &r->pi.samples.v[i];
	struct buf b = {0};
	buf_printf(&b, "Turn %zu: %s. ", i + 1, pi_density_effect_name((enum pi_density_effect)s->effect));
	density_reason(r, p, i, &b);
	detail_words(d, STYLE_BOLD, 0, &b);
	if (s->model != 0 || r->recording->model.n > 0) {
		buf_text(&b, "model ");
		buf_str(&b, s->model != 0 ? names_get(&r->recording->names, s->model) : r->recording->model);
		buf_text(&b, s->fresh ? ": its record is made here, all before it is another measurement" : "");
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
	if (!isnan(s->est)) {
		put_given(r, s, d);
		put_deltas(r, p, i, d);
		put_measure(r, p, i, d);
	}
	put_after(s, d);
	if (p->links.v[i].cut != DENSITY_NO_CUT) {
		detail_puts(d, STYLE_ERROR, INDENT, "density anchor older than a compaction:");
		detail_puts(d, STYLE_ERROR, INDENT, density_cut_words((enum density_cut)p->links.v[i].cut));
	}
	put_switches(r, d);
}

/* ---- a verdict ---- */

static void open_model(const struct view_context *c, uint32_t model, struct detail *d)
{
	const struct run *r = c->run;
	struct pi_density_finding f = pi_density_judge(r->pi.samples.v, r->pi.samples.n, model, &r->pi.density.rules);
	struct buf b = {0};
	density_verdict_words(&f, &b);
	detail_words(d, STYLE_BOLD, 0, &b);
	buf_printf(&b, "Rule of \"%s\": %s.", pi_density_verdict_name(f.verdict), density_verdict_rule(f.verdict));
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_printf(&b,
		   "%zu measures, %zu after the value in force was reached; %zu changes, %zu of the last 4 went back.",
		   f.measures, f.after, f.changes, f.reversals);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	detail_puts(d, STYLE_DIM, INDENT,
		    "The verdict is of the whole session, whatever the position. Rules asked in order:");
	for (int v = 0; v < PI_DENSITY_VERDICTS; v++) {
		buf_printf(&b, "%s: %s", pi_density_verdict_name((enum pi_density_verdict)v),
			   density_verdict_rule((enum pi_density_verdict)v));
		detail_words(d, v == (int)f.verdict ? STYLE_BOLD : STYLE_DIM, 2 * INDENT, &b);
	}
	put_switches(r, d);
	buf_free(&b);
}

static void build(const struct view_context *c, uint64_t key, struct detail *d)
{
	const struct density_page *p = density_page(c);
	if (p == NULL)
		return;
	if (key == DENSITY_KEY_POSITION)
		key = c->frame->at.turn;
	if (key & DENSITY_KEY_MODEL)
		open_model(c, (uint32_t)(key & UINT32_MAX), d);
	else if (key > 0 && key <= p->samples)
		open_sample(c, p, (size_t)key - 1, d);
}

static const struct detail_source details = {KEPT_DENSITY_DETAIL, build};

size_t density_detail_count(const struct view_context *c, uint64_t key) { return detail_count(c, &details, key); }

void density_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out)
{
	detail_paint(c, &details, key, i, out);
}
