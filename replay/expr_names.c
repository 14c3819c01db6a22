#include "replay/expr_names.h"

#include <math.h>

#include "engine/base/fnv.h"

/* ---- the timeline ---- */

#define NUMBER(id, value)                                                                                              \
	static double id(const struct expr_place *p, unsigned which)                                                   \
	{                                                                                                              \
		(void)which;                                                                                           \
		return (double)(value);                                                                                \
	}

NUMBER(turn, p->n)
NUMBER(user_turn, p->moment->user_turn)
NUMBER(rows, p->moment->rows)
NUMBER(view_rows, p->moment->surface)
NUMBER(tokens_count, p->moment->tokens)
NUMBER(tokens_raw, p->moment->raw + p->scene->run->system_tokens)
NUMBER(tokens_host, p->moment->host)
NUMBER(tokens_prompt, p->moment->prompt)
NUMBER(tokens_cached, p->moment->cache_read)
NUMBER(tokens_unexplained, p->moment->prompt - tokens_raw(p, 0))
NUMBER(usage, p->moment->usage)
NUMBER(nudge_inject, p->moment->nudge_tier > 0)
NUMBER(nudge_tier, p->moment->nudge_tier)
NUMBER(nudge_growth, p->moment->growth)
NUMBER(blocks, p->moment->blocks)
NUMBER(blocks_active, p->moment->active)
NUMBER(applied, p->moment->applied)
NUMBER(refused, p->moment->refused)
NUMBER(ranges_count, p->moment->recommended)
NUMBER(ranges_tokens, p->moment->recommended_tokens)
NUMBER(ranges_compressible, p->moment->compressible)
NUMBER(ranges_protected, p->moment->protected_ranges)

static double nudge_pending(const struct expr_place *p, unsigned tier) { return p->moment->pending[tier - 1]; }
static double event(const struct expr_place *p, unsigned bit) { return (p->moment->events & bit) != 0; }

/* ---- the density ---- */

NUMBER(density, p->sample != NULL ? p->sample->value : NAN)
NUMBER(density_used, p->sample != NULL ? p->sample->used : NAN)
NUMBER(density_instant, p->sample != NULL ? p->sample->instant : NAN)
/* a candidate only where there is a sample, as in a trace */
NUMBER(density_pending, p->sample != NULL && !isnan(p->sample->instant) ? p->sample->pending : NAN)
NUMBER(tokens_calibrated, p->sample != NULL ? pi_density_calibrate(p->sample->used, tokens_raw(p, 0)) : NAN)

/* ---- requests ---- */

NUMBER(prefix_ratio, p->sent != NULL ? sent_ratio(p->sent) : NAN)
NUMBER(prefix_common, p->sent != NULL ? p->sent->common_bytes : NAN)
NUMBER(prefix_before, p->sent != NULL ? p->sent->before_bytes : NAN)
NUMBER(prefix_bytes, p->sent != NULL ? p->sent->bytes : NAN)
NUMBER(prefix_tail, p->sent != NULL ? p->sent->tail_tokens : NAN)
NUMBER(prefix_predicted, p->sent != NULL ? p->sent->predicted : NAN)
NUMBER(prefix_hit, p->sent != NULL ? p->sent->actual : NAN)
NUMBER(anchors_live, p->sent != NULL ? (double)p->sent->anchors : NAN)
NUMBER(anchors_tokens, p->sent != NULL ? p->sent->anchor_tokens : NAN)
NUMBER(anchors_slimmed, p->sent != NULL ? p->sent->slimmed_tokens : NAN)

static struct str prefix_cause(const struct expr_place *p)
{
	if (p->sent == NULL)
		return (struct str){NULL, 0};
	return str_of(sent_cause_name((enum sent_cause)p->sent->cause));
}

static const char *cause_word(unsigned i) { return i < SENT_CAUSES ? sent_cause_name((enum sent_cause)i) : NULL; }

/* ---- running totals ---- */

NUMBER(rebuilds, p->scene->sums.requests ? (double)p->scene->sums.rebuilds[p->n] : NAN)
NUMBER(reinjections, p->scene->sums.reinjected ? (double)p->scene->sums.reinjections[p->n] : NAN)

/* ---- compress calls ---- */

/* The first error of a compress call, as its trace has it; NULL = none. */
static const char *first_error(const struct run *r, size_t i)
{
	uint32_t n = 0;
	const struct compress_outcome *o = &r->compressions.v[i];
	if (o->first_error < COMPRESS_KIND_COUNT)
		return compress_kind_name((enum compress_kind)o->first_error);
	const struct dsh_asked *asked = run_is_dsh(r) ? run_dsh_asked(r, i, &n) : NULL;
	for (uint32_t k = 0; k < n; k++)
		if (asked[k].kernel == UINT32_MAX && asked[k].verdict != DSH_ACCEPTED &&
		    asked[k].verdict != DSH_ALREADY_COMPRESSED)
			return dsh_verdict_name((enum dsh_verdict)asked[k].verdict);
	return NULL;
}

/* Of the newest call since the turn before that has one. */
/* The first call after turn n - 1: those of the turn are before it. */
static size_t calls_behind(const struct run *r, uint32_t n)
{
	size_t lo = 0, hi = r->compressions.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (r->compressions.v[mid].after_turn < n)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct str compress_error(const struct expr_place *p)
{
	const struct run *r = p->scene->run;
	for (size_t i = calls_behind(r, p->n); i > 0 && r->compressions.v[i - 1].after_turn + 1 == p->n; i--) {
		const char *error = first_error(r, i - 1);
		if (error != NULL)
			return str_of(error);
	}
	return STR("");
}

static double divergence(const struct expr_place *p, unsigned which)
{
	const struct run *r = p->scene->run;
	(void)which;
	for (size_t i = calls_behind(r, p->n); i > 0 && r->compressions.v[i - 1].after_turn + 1 == p->n; i--)
		if (run_outcome_agrees(r, &r->compressions.v[i - 1]) == 0)
			return 1;
	return 0;
}

static const char *error_word(unsigned i)
{
	if (i < COMPRESS_KIND_COUNT)
		return compress_kind_name((enum compress_kind)i);
	i -= COMPRESS_KIND_COUNT;
	return i < DSH_VERDICTS ? dsh_verdict_name((enum dsh_verdict)i) : i == DSH_VERDICTS ? "" : NULL;
}

/* ---- the state ---- */

static double blocks_tier(const struct expr_place *p, unsigned tier)
{
	const struct state *s = p->state;
	uint32_t n = 0;
	for (size_t i = 0; i < s->live.n; i++)
		n += s->blocks.v[s->live.v[i]].active && s->blocks.v[s->live.v[i]].tier == tier;
	return n;
}

NUMBER(tokens_folded, p->state->now.tokens_compressed)

/* ---- texts ---- */

static struct str hex_text(const struct expr_place *p, uint64_t hash)
{
	char hex[17];
	/* the screen's runs work none out */
	if (!p->scene->run->want_digest)
		return (struct str){0};
	fnv_hex(hex, hash);
	return (struct str){arena_copy(&p->scene->scratch, hex, 16), 16};
}

static struct str view_digest(const struct expr_place *p) { return hex_text(p, p->moment->digest); }
static struct str chain_hash(const struct expr_place *p) { return hex_text(p, p->moment->hash); }

/* ---- the table ---- */

#define N(id, function, member, words)                                                                                 \
	.name = (id), .number = (function), .trace = (member), .help = (words), .type = EXPR_NUMBER
#define B(id, function, member, words)                                                                                 \
	.name = (id), .number = (function), .trace = (member), .help = (words), .type = EXPR_BOOL
#define T(id, function, member, words)                                                                                 \
	.name = (id), .text = (function), .trace = (member), .help = (words), .type = EXPR_TEXT
#define EVENT(id, bit, words)                                                                                          \
	.name = "event." id, .number = event, .help = (words), .type = EXPR_BOOL, .always = true, .which = (bit)
#define REQUEST .needs = EXPR_NEEDS_REQUESTS
#define STATE   .needs = EXPR_NEEDS_STATE
#define ALWAYS  .always = true

const struct expr_name expr_names[] = {
	{N("turn", turn, "n", "number of the turn"), ALWAYS},
	{N("user.turn", user_turn, NULL, "number of the prompt it belongs to"), ALWAYS},
	{N("rows", rows, "rows", "rows so far"), ALWAYS},
	{N("view.rows", view_rows, "view.count", "rows of the kernel's view (DSH: not its surface)")},
	{T("view.digest", view_digest, "view.digest", "of the surface: changed(view.digest)")},
	{T("hash", chain_hash, "hash", "of the chain up to this turn")},
	{N("tokens.count", tokens_count, "tokenCount", "what the kernel was given; host count, else ours")},
	{N("tokens.raw", tokens_raw, "tokens.raw", "raw estimate of what is sent, with the system prompt")},
	{N("tokens.calibrated", tokens_calibrated, "tokens.calibrated", "that, times the density in force")},
	{N("tokens.host", tokens_host, "tokens.host", "provider usage and the host's estimates since")},
	{N("tokens.prompt", tokens_prompt, "tokens.actualPrompt", "prompt as reported, provider usage")},
	{N("tokens.cached", tokens_cached, NULL, "of it read from the cache, provider usage")},
	{N("tokens.unexplained", tokens_unexplained, "tokens.unexplained", "tokens.prompt - tokens.raw")},
	{N("tokens.folded", tokens_folded, "stats.tokensCompressed", "that blocks took in so far, turn's counter"),
	 STATE},
	{N("usage", usage, "nudge.breakdown.usage", "tokens.count as a share of the window, 0.8 = 80 %")},
	{N("density", density, "density.value", "tokens per estimated token, after this turn")},
	{N("density.used", density_used, "density.used", "the one this turn was counted with")},
	{N("density.instant", density_instant, "density.instant", "measured at this turn")},
	{N("density.pending", density_pending, "density.pending", "waits to be confirmed")},
	{B("nudge.inject", nudge_inject, "nudge.shouldInject", "the kernel wants a nudge")},
	{N("nudge.tier", nudge_tier, "nudge.tier", "its tier 1 to 3; 0 = none")},
	{N("nudge.growth", nudge_growth, "nudge.breakdown.growth", "tokens since the last one, as the gate sees it")},
	{N("nudge.pending1", nudge_pending, "nudge.breakdown.pendingT1", "what waits to be folded, tier 1 .."),
	 .which = 1},
	{N("nudge.pending2", nudge_pending, "nudge.breakdown.pendingT2", ".. 2"), .which = 2},
	{N("nudge.pending3", nudge_pending, "nudge.breakdown.pendingT3", ".. 3"), .which = 3},
	{N("blocks", blocks, NULL, "blocks ever made"), ALWAYS},
	{N("blocks.active", blocks_active, NULL, "those that are active")},
	{N("blocks.tier1", blocks_tier, NULL, "active ones of tier 1 .."), STATE, .which = 1},
	{N("blocks.tier2", blocks_tier, NULL, ".. 2"), STATE, .which = 2},
	{N("blocks.tier3", blocks_tier, NULL, ".. 3"), STATE, .which = 3},
	{N("compress.applied", applied, NULL, "compress calls applied since the turn before"), ALWAYS},
	{N("compress.refused", refused, NULL, "those that changed nothing"), ALWAYS},
	{T("compress.error", compress_error, NULL, "error of the newest one that has any, \"\" = none"), ALWAYS,
	 .word = error_word},
	{B("divergence", divergence, NULL, "one ended otherwise than the record says"), ALWAYS},
	{N("ranges.count", ranges_count, NULL, "recommended ranges")},
	{N("ranges.tokens", ranges_tokens, NULL, "their tokens, turn's counter")},
	{N("ranges.compressible", ranges_compressible, NULL, "compressible ranges, before they are merged")},
	{N("ranges.protected", ranges_protected, NULL, "protected ranges")},
	{N("prefix.ratio", prefix_ratio, "prefix.ratio", "share of the request before that is still a prefix"),
	 REQUEST},
	{T("prefix.cause", prefix_cause, "prefix.break.cause", "why it breaks; none, first, compress, tag, .."),
	 REQUEST, .word = cause_word},
	{N("prefix.common", prefix_common, "prefix.commonBytes", "bytes in common"), REQUEST},
	{N("prefix.before", prefix_before, "prefix.prevBytes", "bytes of the request before"), REQUEST},
	{N("prefix.bytes", prefix_bytes, "prefix.bytes", "bytes of this one, without the nudge"), REQUEST},
	{N("prefix.tail", prefix_tail, "prefix.tail", "the nudge behind it, raw estimate"), REQUEST},
	{N("prefix.predicted", prefix_predicted, "prefix.predictedHit", "predicted cache hit, 0 to 1"), REQUEST},
	{N("prefix.hit", prefix_hit, "prefix.actualHit", "the provider's, 0 to 1"), REQUEST},
	{N("rebuilds", rebuilds, NULL, "requests so far that broke the prefix"), REQUEST, ALWAYS},
	{N("reinjections", reinjections, NULL, "rows so far that the host pasted again after a fold (DSH)"), ALWAYS},
	{N("anchors.tokens", anchors_tokens, "anchors.argTokens", "arguments of calls of active blocks, raw estimate"),
	 REQUEST},
	{N("anchors.slimmed", anchors_slimmed, "anchors.slimmedTokens", "the same as they are sent"), REQUEST},
	{N("anchors.live", anchors_live, "anchors.live", "such calls in the request"), REQUEST},
	{EVENT("user", MOMENT_USER, "since the turn before: a user row joined")},
	{EVENT("applied", MOMENT_APPLIED, "a compress call was applied")},
	{EVENT("refused", MOMENT_REFUSED, "one changed nothing")},
	{EVENT("nudge", MOMENT_NUDGE, "the request of the turn carries a nudge")},
	{EVENT("truncated", MOMENT_TRUNCATED, "emergency truncation cut a result")},
	{EVENT("restart", MOMENT_RESTART, "the host restarted")},
	{EVENT("model", MOMENT_MODEL, "another model")},
	{EVENT("rewind", MOMENT_REWIND, "the branch went back")},
	{EVENT("keep", MOMENT_KEEP, "the host compacted by itself")},
	{EVENT("state", MOMENT_STATE, "a state was loaded")},
	{EVENT("decompress", MOMENT_DECOMPRESS, "a block was opened")},
	{EVENT("capacity", MOMENT_CAPACITY, "the turn could not run, refs ran out")},
	{EVENT("failed", MOMENT_FAILED, "the answer was errored or aborted")},
	{EVENT("refuted", MOMENT_REFUTED, "the first prompt larger than the assumed window")},
	{.name = NULL},
};

const struct expr_name *expr_name_find(struct str name)
{
	for (const struct expr_name *x = expr_names; x->name != NULL; x++)
		if (str_eq(str_of(x->name), name))
			return x;
	return NULL;
}

struct expr_value expr_name_value(const struct expr_name *name, const struct expr_place *p)
{
	struct expr_value v = {.type = name->type};
	if (p->moment == NULL || (!name->always && p->moment->events & MOMENT_CAPACITY) ||
	    (name->needs & EXPR_NEEDS_STATE && p->state == NULL))
		return v;
	if (name->type == EXPR_TEXT) {
		v.text = name->text(p);
		v.known = v.text.p != NULL;
	} else {
		v.number = name->number(p, name->which);
		v.known = isfinite(v.number);
	}
	return v;
}
