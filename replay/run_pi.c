/* The Pi adapter as a driver of a run: token count, density, nudge, recorded outcomes, the host's own compactions, what
 * is sent (pi.md 3.8, 5, 7, 8, pi-rulings). */
#include <math.h>

#include "engine/host/pi_text.h"
#include "replay/run_pi.h"
#include "replay/run_records.h"

static const struct policy *policy(const struct run *r) { return &r->policy; }

/* ---- density ---- */

double run_density_at(const struct run *r, size_t i)
{
	const struct pi_density_change *c = r->pi.changes.v;
	size_t lo = 0, hi = r->pi.changes.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (c[mid].record <= i)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 ? c[lo - 1].value : 1;
}

/* From record i on the density of the model in force counts. */
static void density_from(struct run *r, size_t i)
{
	struct run_pi *p = &r->pi;
	double value = pi_density_value(&p->density, p->model);
	if (p->measures && value != run_density_at(r, i))
		vec_push(&p->changes, (struct pi_density_change){(uint32_t)i, value});
}

/* 5.5, order inside one context event: the turn has run, the answer is not known yet. */
static void measure_density(struct run *r, size_t i, bool ran)
{
	struct run_pi *p = &r->pi;
	double real = NAN;
	if (!p->measures)
		return;
	struct pi_density_sample sample = {.effect = PI_DENSITY_NO_USAGE, .model = p->model, .real = NAN, .est = NAN};
	if (ran) {
		if (!pi_usage_known(&p->usage, &real))
			real = NAN;
		sample = pi_density_update(&p->density, p->model, real, p->counting.est, p->folded);
	} else {
		sample.used = sample.value = pi_density_value(&p->density, p->model);
		sample.fold_lost = p->folded; /* the next look does not see it again */
		sample.raw = sample.instant = sample.pending = sample.anchor_real = sample.anchor_est = NAN;
	}
	vec_push(&p->samples, sample);
	density_from(r, i + 1);
}

/* ---- token count ---- */

/* Images and thinking, which stand in no text (pi.md 3.4), of the entry that begins with this message. */
static double extras_of(const void *ctx, uint32_t message)
{
	const struct run *r = ctx;
	const struct message_record *m = &r->recording->messages.v[message];
	double sum = 0;
	if (policy_is(policy(r), SWITCH_IMAGE_TOKENS, "1600"))
		sum += (double)m->images * PI_IMAGE_TOKENS;
	if (policy_is(policy(r), SWITCH_THINKING_TOKENS, "on"))
		sum += m->thinking;
	return sum;
}

/* pi-rulings 2, without systemTokens. The sums that are kept are those of the run's own turn. */
static double estimate_sent(struct run *r, const struct surface *f, const struct state *s)
{
	struct pi_sent_sums elsewhere = {0};
	bool own = f == &r->turn.surface;
	double sum =
		pi_sent_estimate(own ? &r->pi.sums : &elsewhere, own ? r->turn.kept : 0, f, s,
				 policy_is(policy(r), SWITCH_SUMMARIES, "emit"), r->pi.extras ? extras_of : NULL, r);
	vec_free(&elsewhere.upto);
	return sum;
}

/* The older rule (P97): all rows that no block covers; the state stands before the turn. */
static double estimate_rows(struct run *r)
{
	struct state *s = &r->state;
	double sum = run_token_count(r, NAN, NULL) - r->system_tokens;
	bool extras = r->pi.extras && policy_is(policy(r), SWITCH_COUNT, "usage-or-estimate"); /* else nobody asks */
	for (size_t i = 0; extras && i < s->uncovered.n; i++)
		if (s->messages.v[s->uncovered.v[i]].tool != s->compress_tool)
			sum += extras_of(r, s->uncovered.v[i]);
	return sum;
}

struct counted {
	double tokens;
	enum count_scale scale;
};

static struct counted count_max(const struct run *r)
{
	bool floored;
	double tokens = pi_count_max(r->raw + r->system_tokens, &r->pi.counting.usage, &floored);
	return (struct counted){tokens, floored ? COUNT_USAGE : COUNT_SENT};
}

static struct counted count_calibrated(const struct run *r)
{
	double density = r->pi.counting.density;
	return (struct counted){pi_density_calibrate(density, r->raw + r->system_tokens),
				density == 1 ? COUNT_SENT : COUNT_CALIBRATED};
}

static struct counted count_usage(const struct run *r)
{
	double host;
	if (pi_usage_known(&r->pi.counting.usage, &host) && host > 0)
		return (struct counted){host, COUNT_USAGE};
	return (struct counted){r->pi.counting.est_rows, COUNT_RAW};
}

/* pi.md 8.2 by profile; what is not here counts as the recording says (recording.md). */
static const struct {
	const char *name;
	struct counted (*count)(const struct run *r);
} counts[] = {{"max", count_max}, {"calibrated", count_calibrated}, {"usage-or-estimate", count_usage}};

static struct counted (*count_rule(const struct run *r))(const struct run *r)
{
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (policy_is(policy(r), SWITCH_COUNT, counts[i].name))
			return counts[i].count;
	return NULL;
}

/* On the view of prune and hide. A count of the recording is taken instead, where there is one. */
static double count_view(void *ctx, const struct surface *f, const struct state *s)
{
	struct run *r = ctx;
	struct pi_counting *c = &r->pi.counting;
	r->raw = estimate_sent(r, f, s);
	if (!pi_usage_known(&c->usage, &r->host))
		r->host = NAN;
	c->est = policy_is(policy(r), SWITCH_COUNT, "usage-or-estimate") ? c->est_rows : r->raw + r->system_tokens;
	struct counted (*rule)(const struct run *r) = count_rule(r);
	struct counted own = rule != NULL ? rule(r) : (struct counted){run_token_count(r, NAN, NULL), COUNT_RAW};
	r->own = own.tokens;
	r->counted = isnan(c->given) ? own.scale : COUNT_HOST;
	return isnan(c->given) ? own.tokens : c->given;
}

/* What the host knows before record i, where no turn ran: the last message before it, and what followed that. */
static struct pi_usage usage_before(const struct run *r, size_t i)
{
	const struct recording *rec = r->recording;
	struct pi_usage u = {0};
	size_t from = i;
	while (from > 0 && rec->records.v[from - 1].type != RECORD_MESSAGE)
		from--;
	if (from > 0)
		u = r->pi.after.v[rec->records.v[from - 1].index].usage;
	for (size_t j = from; j < i; j++)
		pi_usage_step(r, j, &u);
	return u;
}

static void count_with(struct run *r, size_t i, double given, struct turn_input *in, struct pi_usage usage)
{
	r->pi.counting = (struct pi_counting){
		.usage = usage, .given = given, .density = run_density_at(r, i), .est_rows = estimate_rows(r)};
	in->count = count_view;
	in->count_ctx = r;
}

static void pi_count(struct run *r, size_t i, double given, struct turn_input *in)
{
	count_with(r, i, given, in, r->pi.usage);
}

static void pi_count_here(struct run *r, size_t i, struct turn_input *in)
{
	count_with(r, i, NAN, in, usage_before(r, i));
}

/* ---- compress calls ---- */

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
	bool success = applied || follow == FOLLOW_CANNOT;
	if (success)
		pi_usage_compressed(&r->pi.usage);
	pi_nudge_attempt(&r->pi.nudge, success ? PI_NUDGE_APPLIED : PI_NUDGE_FAILED);
}

/* ---- turns ---- */

/* What is due before the turn of record i: the model it goes to, and whether a block was made (5.6). */
static void pi_before(struct run *r, size_t i, const struct turn_record *t)
{
	struct run_pi *p = &r->pi;
	if (t->model != 0)
		p->model = t->model;
	if (!p->measures)
		return;
	density_from(r, i);
	p->folded = pi_folds_look_at(&p->folds, &r->state);
}

static void send(struct run *r, const struct moment *m, bool ran, enum pi_nudge_verdict nudge)
{
	struct sent none = {.bytes = NAN, .predicted = NAN, .actual = NAN};
	if (!r->want_requests)
		return;
	if (!ran) {
		sender_skip(&r->sender, m);
		vec_push(&r->sender.sent, none);
		return;
	}
	struct sent_tail tail = run_tail(r, &r->turn, nudge, NULL);
	vec_push(&r->sender.sent, sender_turn(&r->sender, r, &r->turn, m, r->pi.model, tail));
}

/* The turn has run, or could not; the answer's rows follow. */
static void pi_turn(struct run *r, size_t i, const struct turn_record *t, struct moment *m)
{
	struct run_pi *p = &r->pi;
	bool ran = !(m->events & MOMENT_CAPACITY);
	measure_density(r, i, ran);
	enum pi_nudge_verdict nudge = PI_NUDGE_NOT_INJECTED;
	if (ran)
		nudge = pi_nudge_decide(&p->nudge, &r->turn.nudge, r->turn.nudge.n.usage, m->tokens, &r->config);
	if (!pi_nudge_sent(nudge)) /* what the kernel wanted is in m->nudge_tier */
		m->events &= (uint16_t)~MOMENT_NUDGE;
	vec_push(&p->nudges, (uint8_t)nudge);
	vec_push(&p->memories, p->nudge);
	send(r, m, ran, nudge);
	p->good = pi_answer_counts(t);
	p->due = true;
	p->in_answer = false;
	if (p->good)
		pi_usage_answer(&p->usage, t->usage.total);
}

/* ---- the branch ---- */

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
		pi_usage_entry(&p->usage, pi_host_tokens(r, m));
	if (pi_is_user_entry(m)) {
		p->user = m->entry != 0 ? m->entry : m->message.id;
		pi_nudge_user(&p->nudge, p->user);
	}
	vec_push(&p->after, (struct pi_after){.usage = p->usage, .user = p->user});
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
	/* a later rewind to the last row does not take the compaction back (run_list_rows) */
	for (size_t m = p->after.n; m > 0 && p->after.v[m - 1].compacted == 0; m--) {
		p->after.v[m - 1].compacted = (uint32_t)i + 1;
		if (!r->recording->messages.v[m - 1].rowless)
			break;
	}
}

/* The host's number is that of the branch as it stands after the row it goes back to. */
static void pi_rewind(struct run *r, size_t i)
{
	struct run_pi *p = &r->pi;
	struct pi_after at;
	run_rewind(r, i, r->recording->others.v[r->recording->records.v[i].index].name);
	if (r->again || !pi_rewound(r, i, &at))
		return;
	p->usage = at.usage;
	if (at.user != p->user)
		pi_nudge_user(&p->nudge, at.user);
	p->user = at.user;
	p->due = p->in_answer = false;
}

static void pi_model(struct run *r, size_t i)
{
	r->pi.model = r->recording->others.v[r->recording->records.v[i].index].name;
	density_from(r, i + 1);
}

/* pi-rulings 15 */
static void pi_restart(struct run *r, size_t i)
{
	pi_density_forget(&r->pi.density);
	pi_folds_forget(&r->pi.folds);
	pi_nudge_forget(&r->pi.nudge);
	density_from(r, i + 1);
}

void run_pi_begin(struct run *r)
{
	struct run_pi *p = &r->pi;
	p->measures = policy_is(policy(r), SWITCH_DENSITY, "on");
	p->extras =
		!policy_is(policy(r), SWITCH_IMAGE_TOKENS, "0") || policy_is(policy(r), SWITCH_THINKING_TOKENS, "on");
	p->density.rules = (struct pi_density_rules){
		.max = policy(r)->number[NUMBER_DENSITY_MAX],
		.min_delta = policy(r)->number[NUMBER_MIN_DELTA],
		.confirm = !policy_is(policy(r), SWITCH_DENSITY_CONFIRM, "off"),
		.reanchor = !policy_is(policy(r), SWITCH_DENSITY_REANCHOR, "keep"),
	};
}

void run_pi_free(struct run *r)
{
	struct run_pi *p = &r->pi;
	vec_free(&p->sums.upto);
	vec_free(&p->after);
	vec_free(&p->newest);
	vec_free(&p->changes);
	vec_free(&p->samples);
	vec_free(&p->nudges);
	vec_free(&p->memories);
	vec_free(&p->compacted);
	turn_free(&p->compact_turn);
	pi_density_free(&p->density);
	pi_folds_free(&p->folds);
}

const struct run_driver driver_pi = {
	.count = pi_count,
	.count_here = pi_count_here,
	.before = pi_before,
	.apply = pi_apply,
	.compressed = pi_compressed,
	.message = pi_message,
	.turn = pi_turn,
	.compact = run_compact,
	.keep = pi_keep,
	.rewind = pi_rewind,
	.model = pi_model,
	.restart = pi_restart,
};
