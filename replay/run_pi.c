/* The Pi adapter as a driver of a run: token count, recorded outcomes, the host's own compactions (pi.md 8, pi-rulings). */
#include <math.h>

#include "replay/run_records.h"

const char *follow_name(enum follow f)
{
	static const char *const names[] = {[FOLLOW_NONE] = "none",
					    [FOLLOW_AGREES] = "agrees",
					    [FOLLOW_RECORDED_NO] = "recorded-refused",
					    [FOLLOW_RECORDED_YES] = "recorded-applied",
					    [FOLLOW_CANNOT] = "cannot-follow"};
	return names[f];
}

/* count=max (pi.md 8.2, P258 and later), on the view of prune and hide. */
static double count_max(void *ctx, const struct surface *f, const struct state *s)
{
	struct run *r = ctx;
	bool floored;
	double sent = pi_sent_estimate(f, s, policy_is(&r->policy, SWITCH_SUMMARIES, "emit")) + r->system_tokens;
	return pi_count_max(sent, &r->pi.usage, &floored);
}

static void pi_count(struct run *r, double given, struct turn_input *in)
{
	if (isnan(given)) {
		in->count = count_max;
		in->count_ctx = r;
	} else {
		in->tokens = given;
	}
}

/* The engine's own opinion: the adapter keeps what was made, also when other ranges failed (pi-rulings 5). */
static bool accept_any(struct run *r, const struct compress_record *c, const struct parse_result *parse, size_t mark,
		       bool no_gates)
{
	run_apply(r, c, parse, no_gates);
	if (r->apply.blocks_created > 0)
		return true;
	state_rollback(&r->state, mark);
	return false;
}

static bool pi_apply(struct run *r, size_t i, const struct parse_result *parse, size_t before, enum follow *follow)
{
	const struct compress_record *c = &r->recording->compressions.v[r->recording->records.v[i].index];
	(void)before; /* the turn inside the compress tool is kept whatever comes of the call (pi.md 8.1) */
	size_t mark = state_mark(&r->state);
	bool applied = accept_any(r, c, parse, mark, false);
	if (c->has_outcome && policy_is(&r->policy, SWITCH_FOLLOW, "recorded")) {
		*follow = FOLLOW_AGREES;
		if (applied && !c->outcome_applied) {
			*follow = FOLLOW_RECORDED_NO;
			state_rollback(&r->state, mark);
			applied = false;
		} else if (!applied && c->outcome_applied) {
			applied = accept_any(r, c, parse, mark, true);
			*follow = applied ? FOLLOW_RECORDED_YES : FOLLOW_CANNOT;
		}
		if (*follow == FOLLOW_CANNOT && r->counterfactual > i)
			r->counterfactual = i;
	}
	if (applied && !r->again)
		pi_usage_compressed(&r->pi.usage);
	return applied;
}

static void pi_message(struct run *r, const struct message_record *m)
{
	struct run_pi *p = &r->pi;
	const struct turn_record *t = p->due;
	p->due = NULL;
	if (t != NULL && t->usage.present && t->usage.total > 0 && !t->failed) {
		pi_usage_answer(&p->usage, t->usage.total);
		p->in_answer = m->entry == 0;
		return;
	}
	/* rows without `entry` do not say where the answer ends: its rows are the assistant's that follow */
	p->in_answer = p->in_answer && m->entry == 0 && m->message.role == ROLE_ASSISTANT;
	if (!p->in_answer)
		pi_usage_entry(&p->usage, m->host_tokens);
}

static void pi_turn(struct run *r, const struct turn_record *t) { r->pi.due = t; }

static void pi_keep(struct run *r, size_t i)
{
	run_relist(r, i);
	if (!r->again)
		pi_usage_compaction(&r->pi.usage);
}

const struct run_driver driver_pi = {
	.count = pi_count,
	.apply = pi_apply,
	.message = pi_message,
	.turn = pi_turn,
	.keep = pi_keep,
	.rewind = run_relist,
};
