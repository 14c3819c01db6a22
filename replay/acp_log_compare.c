/* The adapter's log against the replay. */
#include <math.h>

#include "engine/kernel/nudge.h"
#include "replay/acp_log.h"
#include "replay/fit.h"

const char *acp_log_nudge_name(enum acp_log_nudge n)
{
	static const char *const names[] = {
		[ACP_LOG_NUDGE_UNKNOWN] = "unknown", [ACP_LOG_NUDGE_IDLE] = "idle",
		[ACP_LOG_NUDGE_ACTIVE] = "active",   [ACP_LOG_NUDGE_EMERGENCY] = "emergency",
		[ACP_LOG_NUDGE_DUE] = "injects",
	};
	return names[n];
}

const char *acp_log_what_name(enum acp_log_what w)
{
	static const char *const names[ACP_LOG_WHATS] = {
		[ACP_LOG_TOKENS] = "token count",     [ACP_LOG_ESTIMATE] = "estimated tokens",
		[ACP_LOG_HOST] = "host's tokens",     [ACP_LOG_DENSITY] = "density",
		[ACP_LOG_LIMIT] = "context window",   [ACP_LOG_NUDGE] = "nudge",
		[ACP_LOG_REASON] = "nudge reason",    [ACP_LOG_SENT] = "nudge sent",
		[ACP_LOG_BLOCKS] = "blocks",          [ACP_LOG_ACTIVE] = "active blocks",
		[ACP_LOG_CREATED] = "blocks created", [ACP_LOG_COMPRESSED] = "tokens compressed",
	};
	return names[w];
}

/* ---- comparing ---- */

struct comparing {
	struct acp_log *log;
	const struct run *run;
	struct acp_log_difference at; /* where a difference would be */
	double limit;                 /* the log's, of the turn before */
};

static void add(struct comparing *c, enum acp_log_what what, bool same, double log, double ours)
{
	c->log->compared[what]++;
	c->log->agree[what] += same;
	if (same)
		return;
	c->at.what = (uint8_t)what;
	c->at.log = log;
	c->at.ours = ours;
	vec_push(&c->log->differences, c->at);
}

static void compare_number(struct comparing *c, enum acp_log_what what, double log, double ours, double within)
{
	if (!isnan(log) && !isnan(ours))
		add(c, what, fabs(log - ours) <= within, log, ours);
}

static void compare_words(struct comparing *c, enum acp_log_what what, bool same, struct str log, const char *ours)
{
	c->at.log_text = log;
	c->at.ours_text = str_of(ours);
	add(c, what, same, NAN, NAN);
	c->at.log_text = c->at.ours_text = (struct str){NULL, 0};
}

static void compare_limit(struct comparing *c, double log)
{
	bool changed = !isnan(log) && log != c->limit;
	if (changed)
		compare_number(c, ACP_LOG_LIMIT, log, c->run->config.limit, 0);
	c->limit = isnan(log) ? c->limit : log;
}

static void compare_nudge(struct comparing *c, const struct acp_log_turn *t, const struct moment *m)
{
	enum acp_log_nudge ours = m->nudge_tier == 0                         ? ACP_LOG_NUDGE_IDLE
				  : m->usage >= c->run->config.emergency_pct ? ACP_LOG_NUDGE_EMERGENCY
									     : ACP_LOG_NUDGE_ACTIVE;
	bool same = t->nudge == ours || (t->nudge == ACP_LOG_NUDGE_DUE && ours != ACP_LOG_NUDGE_IDLE);
	if (t->nudge != ACP_LOG_NUDGE_UNKNOWN)
		compare_words(c, ACP_LOG_NUDGE, same, str_of(acp_log_nudge_name((enum acp_log_nudge)t->nudge)),
			      acp_log_nudge_name(ours));
}

/* The kind a reason begins with; -1 = none of ours. */
static int reason_kind(struct str reason)
{
	for (int i = 0; i <= NUDGE_IDLE; i++) {
		struct str name = str_of(nudge_reason_name((enum nudge_reason)i));
		char next = reason.n > name.n ? reason.p[name.n] : ' ';
		if (str_starts(reason, name) && (next == ' ' || next == '{' || next == ':' || next == ','))
			return i;
	}
	return -1;
}

static void compare_turn(struct comparing *c, const struct acp_log_turn *t, const struct moment *m,
			 const struct acp_log_ours *ours)
{
	int kind = reason_kind(t->reason);
	compare_number(c, ACP_LOG_TOKENS, t->tokens, m->own, 0);
	compare_number(c, ACP_LOG_ESTIMATE, t->estimated, m->raw + c->run->system_tokens, 0);
	compare_number(c, ACP_LOG_HOST, t->host, ours->host, 0);
	compare_number(c, ACP_LOG_DENSITY, t->density, ours->density, ACP_LOG_DENSITY_WITHIN);
	compare_limit(c, t->limit);
	compare_nudge(c, t, m);
	if (kind >= 0 && ours->reason >= 0)
		compare_words(c, ACP_LOG_REASON, kind == ours->reason, t->reason,
			      nudge_reason_name((enum nudge_reason)ours->reason));
	if (t->sent >= 0 && ours->sent >= 0)
		compare_words(c, ACP_LOG_SENT, t->sent == ours->sent, t->sent ? STR("injected") : STR("suppressed"),
			      ours->sent ? "injected" : "suppressed");
	compare_number(c, ACP_LOG_BLOCKS, t->blocks, m->blocks, 0);
	compare_number(c, ACP_LOG_ACTIVE, t->active, m->active, 0);
}

static void compare_compression(struct comparing *c, const struct acp_log_compression *l,
				const struct compress_outcome *o)
{
	compare_number(c, ACP_LOG_CREATED, l->created, o->blocks, 0);
	compare_number(c, ACP_LOG_COMPRESSED, l->compressed, o->tokens, 0);
}

void acp_log_compare(struct acp_log *log, const struct run *run,
		     struct acp_log_ours (*ours)(void *ctx, const struct run *run, uint32_t n), void *ctx)
{
	struct comparing c = {.log = log, .run = run, .limit = NAN};
	uint32_t n = 0;
	size_t call = 0;
	log->differences.n = 0;
	memset(log->compared, 0, sizeof log->compared);
	memset(log->agree, 0, sizeof log->agree);
	log->is_compared = true;
	for (size_t i = 0; i < run->next && i <= run->counterfactual; i++) {
		uint8_t type = run->recording->records.v[i].type;
		if (type == RECORD_TURN && n < run->timeline.turns.n) {
			const struct moment *m = &run->timeline.turns.v[n++];
			const struct acp_log_turn *t = acp_log_turn(log, n);
			if (t == NULL || isnan(m->own))
				continue;
			struct acp_log_ours known = {.density = NAN, .host = NAN, .reason = -1, .sent = -1};
			known = ours ? ours(ctx, run, n) : known;
			c.at = (struct acp_log_difference){.turn = n, .record = (uint32_t)i, .line = t->line};
			compare_turn(&c, t, m, &known);
		} else if (type == RECORD_COMPRESS && call < run->compressions.n) {
			const struct acp_log_compression *l = acp_log_compression(log, call++);
			c.at = (struct acp_log_difference){
				.turn = n, .record = (uint32_t)i, .compression = (uint32_t)call};
			c.at.line = l ? l->line : 0;
			if (l != NULL)
				compare_compression(&c, l, &run->compressions.v[call - 1]);
		}
	}
}

/* The kind of kernel.md 4.7.6 that a turn's numbers lead to. */
static enum nudge_reason reason_of(const struct run *run, const struct moment *m)
{
	static const enum nudge_reason ready[] = {NUDGE_IDLE, NUDGE_T1_READY, NUDGE_T2_READY, NUDGE_T3_READY};
	const struct config *c = &run->config;
	if (m->usage < c->nudge_max_pct && m->usage < c->emergency_pct)
		return ready[m->nudge_tier <= 3 ? m->nudge_tier : 0];
	if (m->nudge_tier == 0)
		return NUDGE_PRESSURE_SUPPRESSED;
	return m->nudge_tier == 1 ? NUDGE_PRESSURE_T1 : NUDGE_PRESSURE_DISTILL;
}

struct acp_log_ours acp_log_known(void *ctx, const struct run *run, uint32_t n)
{
	const struct moment *m = &run->timeline.turns.v[n - 1];
	const struct run_pi *p = &run->pi;
	struct acp_log_ours o = {.density = NAN, .host = m->host, .reason = (int)reason_of(run, m), .sent = -1};
	(void)ctx;
	if (p->measures && n <= p->samples.n) {
		o.density = p->samples.v[n - 1].used;
	}
	if (n <= p->nudges.n && p->nudges.v[n - 1] != PI_NUDGE_NOT_INJECTED)
		o.sent = pi_nudge_sent((enum pi_nudge_verdict)p->nudges.v[n - 1]);
	return o;
}

void acp_log_counts(const struct acp_log *log, size_t *agree, size_t *compared)
{
	*agree = *compared = 0;
	for (int i = 0; i < ACP_LOG_WHATS; i++) {
		*agree += log->agree[i];
		*compared += log->compared[i];
	}
}

double acp_log_system_tokens(const struct acp_log *log, const struct run *run)
{
	VEC(double) rest = {0};
	double median = NAN;
	for (uint32_t n = 1; n <= run->timeline.turns.n; n++) {
		const struct acp_log_turn *t = acp_log_turn(log, n);
		const struct moment *m = &run->timeline.turns.v[n - 1];
		if (t != NULL && m->record <= run->counterfactual && !isnan(t->estimated - m->raw))
			vec_push(&rest, t->estimated - m->raw);
	}
	if (rest.n > 0)
		median = fit_median(rest.v, rest.n);
	vec_free(&rest);
	return median;
}
