#include "engine/kernel/protect.h"

void mark_set_clear(struct mark_set *m)
{
	if (++m->round != 0)
		return;
	memset(m->mark.v, 0, m->mark.n * sizeof *m->mark.v);
	m->round = 1;
}

void mark_set_free(struct mark_set *m)
{
	vec_free(&m->mark);
	m->round = 0;
}

/* Whether a row is "visible" for the recent zone (kernel.md 4.6.1). */
static bool counts_as_recent(const struct surface_row *r, struct state *s)
{
	if (r->ref == REF_NONE || r->ref == REF_BLOCKED || surface_skip(r))
		return false;
	bool tool = r->content == CONTENT_CALL || r->content == CONTENT_RESULT;
	return !tool || (state_tool(s, r->tool) & TOOL_NEVER_RECENT) == 0;
}

/* Walks the tail of the surface and calls `add` for each row the zone takes, with the rule. */
static void walk_zone(const struct surface *f, struct state *s, const struct counter *counter,
		      void (*add)(void *ctx, const struct surface_row *r, unsigned rule), void *ctx)
{
	double messages = s->config->preserve_messages, tokens = s->config->preserve_tokens;
	double seen = 0, sum = 0;
	bool user_open = messages > 0;
	messages = __builtin_trunc(messages);
	for (size_t i = f->rows.n; i-- > 0 && (seen < messages || sum < tokens || user_open);) {
		const struct surface_row *r = &f->rows.v[i];
		if (user_open && r->role == ROLE_USER && !surface_skip(r)) {
			user_open = false;
			if (r->ref != REF_NONE && r->ref != REF_BLOCKED)
				add(ctx, r, ZONE_LAST_USER);
		}
		if (!counts_as_recent(r, s))
			continue;
		if (seen < messages)
			add(ctx, r, ZONE_MESSAGES);
		if (sum < tokens)
			add(ctx, r, ZONE_TOKENS);
		seen += 1;
		sum += counter_tokens(counter, surface_measure(r));
	}
}

static void add_ref(void *ctx, const struct surface_row *r, unsigned rule)
{
	(void)rule;
	mark_set_add(ctx, r->ref);
}

void protect_zone(const struct surface *f, struct state *s, const struct counter *counter, struct mark_set *zone)
{
	mark_set_clear(zone);
	walk_zone(f, s, counter, add_ref, zone);
}

struct rules_of {
	uint32_t ref;
	unsigned rules;
};

static void add_rule(void *ctx, const struct surface_row *r, unsigned rule)
{
	struct rules_of *of = ctx;
	if (r->ref == of->ref)
		of->rules |= rule;
}

unsigned protect_zone_rules(const struct surface *f, struct state *s, const struct counter *counter, size_t row)
{
	struct rules_of of = {f->rows.v[row].ref, 0};
	if (of.ref == REF_NONE || of.ref == REF_BLOCKED)
		return 0;
	walk_zone(f, s, counter, add_rule, &of);
	return of.rules;
}

void protect_call_ids(const struct surface *f, struct state *s, bool with_results, struct mark_set *calls)
{
	mark_set_clear(calls);
	for (size_t i = 0; i < f->rows.n; i++) {
		const struct surface_row *r = &f->rows.v[i];
		if (r->call == 0 || (r->content != CONTENT_CALL && !(with_results && r->content == CONTENT_RESULT)))
			continue;
		if (state_message_protected(s, r->content, r->tool))
			mark_set_add(calls, r->call);
	}
}

bool protect_paired(const struct surface_row *r, struct state *s, const struct mark_set *calls)
{
	return state_message_protected(s, r->content, r->tool) ||
	       (r->content == CONTENT_RESULT && r->call != 0 && mark_set_has(calls, r->call));
}
