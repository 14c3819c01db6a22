/* The Pi adapter as a driver of a run: token count, recorded outcomes, the host's own compactions (pi.md 8, pi-rulings). */
#include <math.h>

#include "replay/run_records.h"

/* count=max (pi.md 8.2, P258 and later), on the view of prune and hide. */
static double count_max(void *ctx, const struct surface *f, const struct state *s)
{
	struct run *r = ctx;
	bool floored;
	double sent = pi_sent_estimate(f, s, policy_is(&r->policy, SWITCH_SUMMARIES, "emit")) + r->system_tokens;
	double tokens = pi_count_max(sent, &r->pi.usage, &floored);
	r->counted = floored ? COUNT_USAGE : COUNT_SENT;
	return tokens;
}

static void pi_count(struct run *r, double given, struct turn_input *in)
{
	if (isnan(given) && policy_is(&r->policy, SWITCH_COUNT, "max")) {
		in->count = count_max;
		in->count_ctx = r;
	} else {
		in->tokens = run_token_count(r, given, &r->counted);
	}
}

/* The adapter keeps what was made, also when other ranges failed (pi-rulings 5). */
static bool made_any(const struct apply_result *a) { return a->blocks_created > 0; }

static bool pi_apply(struct run *r, size_t i, const struct parse_result *parse, size_t before, enum follow *follow)
{
	(void)before; /* the turn inside the compress tool is kept whatever comes of the call (pi.md 8.1) */
	bool applied = run_apply(r, i, parse, state_mark(&r->state), made_any, follow);
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
