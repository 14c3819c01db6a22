#include "replay/fidelity.h"

#include "replay/frame_request.h"

#include <math.h>

#include "engine/base/num.h"

double fidelity_rest(const struct run *r, const struct moment *m, double system_tokens)
{
	return fit_counts(r, m, true) ? m->prompt - m->raw - system_tokens : NAN;
}

static void count_outcomes(struct fidelity *f, const struct run *r)
{
	for (size_t i = 0; i < r->compressions.n; i++) {
		const struct compress_outcome *o = &r->compressions.v[i];
		int agrees = run_outcome_agrees(r, o);
		if (o->record > r->counterfactual) {
			f->outcomes_behind += agrees >= 0;
			continue;
		}
		f->outcomes += agrees >= 0;
		f->outcomes_agree += agrees > 0;
	}
}

static void count_counts(struct fidelity *f, const struct run *r)
{
	for (size_t i = 0; i < r->timeline.turns.n; i++) {
		const struct moment *m = &r->timeline.turns.v[i];
		if (m->counted != COUNT_HOST || isnan(m->own) || m->record > r->counterfactual)
			continue;
		f->counts++;
		f->counts_agree += m->own == m->tokens;
	}
}

static void count_prompts(struct fidelity *f, const struct run *r)
{
	VEC(double) sizes = {0};
	f->fit = fit_system_tokens(r);
	for (size_t i = 0; i < r->timeline.turns.n; i++) {
		const struct moment *m = &r->timeline.turns.v[i];
		double rest = fidelity_rest(r, m, f->fit.tokens);
		if (isnan(rest))
			continue;
		f->prompts_agree += fabs(rest) * 100 <= m->prompt * FIDELITY_PERCENT;
		vec_push(&sizes, fabs(rest));
		if (f->worst_turn == 0 || fabs(rest) > fabs(f->worst)) {
			f->worst = rest;
			f->worst_turn = (uint32_t)i + 1;
		}
	}
	f->prompts = sizes.n;
	if (sizes.n > 0)
		f->rest = fit_median(sizes.v, sizes.n);
	vec_free(&sizes);
}

static void count_hits(struct fidelity *f, const struct run *r)
{
	double system = r->sender.sent.n > 0 ? hits_system(r) : 0;
	for (uint32_t turn = 1; turn <= r->sender.sent.n && turn <= r->timeline.turns.n; turn++) {
		struct hit h = hit_of(r, turn, system);
		if (h.verdict == HIT_NONE || r->timeline.turns.v[turn - 1].record > r->counterfactual)
			continue;
		f->hits++;
		f->hits_agree += h.verdict == HIT_AGREES;
	}
}

struct fidelity fidelity_of(const struct run *r, const struct drift *sidecar)
{
	struct fidelity f = {.scale = request_scale(r), .has_sidecar = sidecar != NULL};
	count_outcomes(&f, r);
	count_counts(&f, r);
	count_prompts(&f, r);
	count_hits(&f, r);
	if (sidecar != NULL) {
		f.refs_agree = sidecar->refs_same;
		f.refs = (size_t)sidecar->refs_same + sidecar->refs_different;
	}
	return f;
}

void fidelity_take_log(struct fidelity *f, const struct acp_log *log)
{
	f->has_log = true;
	acp_log_counts(log, &f->logged_agree, &f->logged);
}

/* ---- as text ---- */

static void put_number(struct buf *b, double x)
{
	char text[NUM_TEXT_MAX];
	buf_bytes(b, text, num_print(text, floor(x + 0.5)));
}

/* "outcomes 3 of 4 agree", "outcomes none recorded" */
static void put_share(struct buf *b, const char *what, size_t agree, size_t all, const char *how)
{
	if (all == 0)
		buf_printf(b, "%s none recorded", what);
	else
		buf_printf(b, "%s %zu of %zu %s", what, agree, all, how);
}

static void put_prompts(const struct fidelity *f, struct buf *b)
{
	put_share(b, "prompt sizes", f->prompts_agree, f->prompts, "");
	if (f->prompts == 0)
		return;
	buf_printf(b, "within %d %% (unexplained: median ", FIDELITY_PERCENT);
	put_number(b, f->rest);
	buf_text(b, ", most ");
	put_number(b, f->worst);
	buf_printf(b, " at turn %u; provider usage less %s less systemTokens=fit)", (unsigned)f->worst_turn, f->scale);
}

static void put_refs(const struct fidelity *f, struct buf *b)
{
	if (f->has_sidecar && f->refs > 0)
		put_share(b, "refs", f->refs_agree, f->refs, "agree with the sidecar");
	else
		buf_text(b, f->has_sidecar          ? "refs: the sidecar knows none of these ids"
			    : f->sidecar_unreadable ? "refs: the sidecar is unreadable"
						    : "refs: no sidecar");
}

void fidelity_put(const struct fidelity *f, struct buf *b)
{
	put_share(b, "outcomes", f->outcomes_agree, f->outcomes, "agree");
	if (f->outcomes_behind > 0)
		buf_printf(b, " (%zu more behind the point that could not be followed)", f->outcomes_behind);
	buf_text(b, "; ");
	put_refs(f, b);
	buf_text(b, "; ");
	put_share(b, "token counts", f->counts_agree, f->counts, "agree exactly");
	buf_text(b, "; ");
	put_prompts(f, b);
	if (f->hits > 0) {
		buf_text(b, "; ");
		put_share(b, "hits", f->hits_agree, f->hits, "");
		buf_printf(b, "within %d points of the prompt of what our requests keep", HIT_POINTS);
	}
	if (!f->has_log)
		return;
	buf_text(b, "; ");
	if (f->logged > 0)
		put_share(b, "figures of the log", f->logged_agree, f->logged, "agree");
	else
		buf_text(b, "log: nothing in it to compare");
}

void fidelity_put_short(const struct fidelity *f, struct buf *b)
{
	const struct {
		const char *what;
		size_t agree, all;
	} parts[] = {
		{"outcomes", f->outcomes_agree, f->outcomes},
		{"refs", f->refs_agree, f->refs},
		{"counts", f->counts_agree, f->counts},
		{"prompts", f->prompts_agree, f->prompts},
		{"hits", f->hits_agree, f->hits},
		{"log", f->logged_agree, f->logged},
	};
	const char *blank = "";
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (parts[i].all == 0)
			continue;
		buf_printf(b, "%s%s %zu/%zu", blank, parts[i].what, parts[i].agree, parts[i].all);
		blank = " ";
	}
}
