/* The Pi adapter as a driver of a run: token count, recorded outcomes, the host's own compactions (pi.md 8,
 * pi-rulings). */
#include <math.h>

#include "replay/run_records.h"

/* count=max (pi.md 8.2, P258 and later), on the view of prune and hide. A count of the recording is taken instead. */
static double count_max(void *ctx, const struct surface *f, const struct state *s)
{
	struct run *r = ctx;
	bool floored;
	r->raw = pi_sent_estimate(f, s, policy_is(&r->policy, SWITCH_SUMMARIES, "emit"));
	r->own = pi_count_max(r->raw + r->system_tokens, &r->pi.usage, &floored);
	if (!isnan(r->pi.given)) {
		r->counted = COUNT_HOST;
		return r->pi.given;
	}
	r->counted = floored ? COUNT_USAGE : COUNT_SENT;
	return r->own;
}

static void pi_count(struct run *r, double given, struct turn_input *in)
{
	if (policy_is(&r->policy, SWITCH_COUNT, "max")) {
		r->pi.given = given;
		in->count = count_max;
		in->count_ctx = r;
	} else {
		run_count(r, given, in);
	}
}

/* The adapter keeps what was made, also when other ranges failed (pi-rulings 5). */
static bool made_any(const struct apply_result *a) { return a->blocks_created > 0; }

static bool pi_apply(struct run *r, size_t i, const struct parse_result *parse, size_t before, enum follow *follow)
{
	(void)before; /* the turn inside the compress tool is kept whatever comes of the call (pi.md 8.1) */
	return run_apply(r, i, parse, state_mark(&r->state), made_any, follow);
}

/* A result that reports a success makes the host's number old, whether or not we can follow it (pi.md 8.2). */
static void pi_compressed(struct run *r, bool applied, enum follow follow)
{
	if (applied || follow == FOLLOW_CANNOT)
		pi_usage_compressed(&r->pi.usage);
}

/* The answer's rows follow its turn. */
static void pi_turn(struct run *r, const struct turn_record *t)
{
	struct run_pi *p = &r->pi;
	p->good = t->usage.present && t->usage.total > 0 && !t->failed;
	p->due = true;
	p->in_answer = false;
	if (p->good)
		pi_usage_answer(&p->usage, t->usage.total);
}

static void pi_message(struct run *r, const struct message_record *m)
{
	struct run_pi *p = &r->pi;
	bool answers = m->rowless || m->message.role == ROLE_ASSISTANT;
	if (p->due)
		p->in_answer = answers && p->good;
	else /* rows without `entry` do not say where the answer ends: its rows are the assistant's that follow */
		p->in_answer = p->in_answer && answers && !m->rowless && m->entry == 0;
	p->due = false;
	if (!p->in_answer)
		pi_usage_entry(&p->usage, m->host_tokens);
	vec_push(&p->after, p->usage);
	if (m->rowless)
		return;
	vec_fill(&p->newest, (size_t)m->message.id + 1);
	p->newest.v[m->message.id] = (uint32_t)p->after.n;
}

static void pi_keep(struct run *r, size_t i)
{
	struct run_pi *p = &r->pi;
	run_relist(r, i);
	if (r->again)
		return;
	pi_usage_compaction(&p->usage);
	/* a rewind to the last row does not take the compaction back (run_list_rows) */
	for (size_t m = p->after.n; m > 0; m--) {
		pi_usage_compaction(&p->after.v[m - 1]);
		if (!r->recording->messages.v[m - 1].rowless)
			break;
	}
}

/* The host's number is that of the branch as it stands after the row it goes back to. */
static void pi_rewind(struct run *r, size_t i)
{
	struct run_pi *p = &r->pi;
	const struct recording *rec = r->recording;
	uint32_t to = rec->others.v[rec->records.v[i].index].name;
	uint32_t row = to != 0 && to < p->newest.n ? p->newest.v[to] : 0;
	run_rewind(r, i, to);
	if (r->again)
		return;
	if (to != 0 && row == 0)
		return; /* nobody knows it */
	p->usage = row > 0 ? p->after.v[row - 1] : (struct pi_usage){0};
	p->due = p->in_answer = false;
}

const struct run_driver driver_pi = {
	.count = pi_count,
	.apply = pi_apply,
	.compressed = pi_compressed,
	.message = pi_message,
	.turn = pi_turn,
	.keep = pi_keep,
	.rewind = pi_rewind,
};
