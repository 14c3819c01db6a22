#include "replay/hits.h"

#include <math.h>

#include "replay/fit.h"

double hits_system(const struct run *r)
{
	struct fit fit = {.tokens = r->system_tokens};
	if (r->system_tokens_assumed)
		fit = fit_system_tokens(r);
	return fit.tokens > 0 ? fit.tokens : 0;
}

static const struct sent *sent_at(const struct run *r, uint32_t turn)
{
	const struct sent *s = turn > 0 && turn <= r->sender.sent.n ? &r->sender.sent.v[turn - 1] : NULL;
	return s != NULL && !isnan(s->bytes) ? s : NULL;
}

/* The last request before a turn whose prompt size is known and which all requests since have as their prefix. */
static uint32_t known_before(const struct run *r, uint32_t turn)
{
	while (--turn > 0) {
		const struct sent *s = sent_at(r, turn);
		if (s == NULL)
			return 0;
		if (r->timeline.turns.v[turn - 1].prompt > 0)
			return turn;
		if (!s->append_only || s->cause == SENT_MODEL)
			return 0;
	}
	return 0;
}

static enum hit_verdict judge(const struct sent *s, const struct moment *m, double expected)
{
	double more = (m->cache_read - expected) * 100, limit = m->prompt * HIT_POINTS;
	if (s->cause == SENT_SYSTEM || s->cause == SENT_MODEL)
		return HIT_NONE;
	if (more > limit)
		return sent_rebuilds(s) ? HIT_READ_ANYWAY : HIT_READ_MORE;
	return more < -limit ? HIT_READ_LESS : HIT_AGREES;
}

struct hit hit_of(const struct run *r, uint32_t turn, double system)
{
	struct hit h = {.expected = NAN};
	const struct sent *s = sent_at(r, turn);
	const struct moment *m = &r->timeline.turns.v[turn - 1];
	h.over = s != NULL && s->predicted > 1;
	if (s == NULL || s->cause == SENT_FIRST || !(m->prompt > 0) || !r->cache_reported)
		return h;
	uint32_t before = known_before(r, turn);
	if (before == 0)
		return h;
	double prompt = r->timeline.turns.v[before - 1].prompt, whole = system + sent_at(r, before)->tokens;
	double kept = system + s->common_tokens, both = prompt < m->prompt ? prompt : m->prompt;
	h.expected = whole > 0 && kept < whole ? prompt * (kept / whole) : prompt;
	h.expected = h.expected < m->prompt ? h.expected : m->prompt;
	h.missed = both > m->cache_read ? both - m->cache_read : 0;
	h.verdict = (uint8_t)judge(s, m, h.expected);
	return h;
}

double hit_missed_cost(const struct usage *u, double missed, const struct price *p)
{
	double plain = u->input + u->cache_write, written = plain > 0 ? u->cache_write / plain : 0;
	return missed * (written * p->cache_write + (1 - written) * p->input - p->cache_read);
}

void hits_sum(const struct run *r, struct hits *out)
{
	*out = (struct hits){.system = hits_system(r)};
	for (uint32_t turn = 1; turn <= r->sender.sent.n && turn <= r->timeline.turns.n; turn++) {
		const struct sent *s = &r->sender.sent.v[turn - 1];
		struct hit h = hit_of(r, turn, out->system);
		bool cold = s->cause == SENT_SYSTEM || s->cause == SENT_MODEL;
		out->of[h.verdict]++;
		out->compared += h.verdict != HIT_NONE;
		out->over += h.over;
		if (isnan(s->bytes))
			continue;
		out->misses += cold;
		if (cold)
			out->missed += h.missed;
		else if (sent_rebuilds(s))
			out->missed_at_breaks += h.missed;
	}
}
