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
static bool counts_as_recent(const struct surface_row *r, struct state *s, bool bare)
{
	if (r->ref == REF_NONE || r->ref == REF_BLOCKED || (bare ? surface_bare_skip(r) : surface_skip(r)))
		return false;
	bool tool = content_is_tool(r->content);
	return !tool || (state_tool(s, r->tool) & TOOL_NEVER_RECENT) == 0;
}

struct zone_walk {
	bool bare;                  /* measure the texts without tags */
	double newer, newer_tokens; /* of the rows that count as recent, after the present one */
	void (*add)(struct zone_walk *w, const struct surface_row *r, size_t row, unsigned rule);
	struct mark_set *zone;
	struct zone_rows rows;
	uint32_t ref;
	struct zone_place place;
};

/* Walks the tail of the surface and calls `add` for each row the zone takes, with the rule. */
static void walk_zone(const struct surface *f, struct state *s, const struct counter *counter, struct zone_walk *w)
{
	double messages = s->config->preserve_messages, tokens = s->config->preserve_tokens;
	bool user_open = messages > 0;
	messages = __builtin_trunc(messages);
	for (size_t i = f->rows.n; i-- > 0 && (w->newer < messages || w->newer_tokens < tokens || user_open);) {
		const struct surface_row *r = &f->rows.v[i];
		if (user_open && r->role == ROLE_USER && !(w->bare ? surface_bare_skip(r) : surface_skip(r))) {
			user_open = false;
			if (r->ref != REF_NONE && r->ref != REF_BLOCKED)
				w->add(w, r, i, ZONE_LAST_USER);
		}
		if (!counts_as_recent(r, s, w->bare))
			continue;
		if (w->newer < messages)
			w->add(w, r, i, ZONE_MESSAGES);
		if (w->newer_tokens < tokens)
			w->add(w, r, i, ZONE_TOKENS);
		w->newer += 1;
		w->newer_tokens += counter_tokens(counter, w->bare ? r->face.size : surface_measure(r));
	}
}

static void add_ref(struct zone_walk *w, const struct surface_row *r, size_t row, unsigned rule)
{
	*(rule == ZONE_LAST_USER ? &w->rows.user : &w->rows.tail) = (uint32_t)row;
	mark_set_add(w->zone, r->ref);
}

void protect_zone(const struct surface *f, struct state *s, const struct counter *counter, struct mark_set *zone)
{
	mark_set_clear(zone);
	walk_zone(f, s, counter, &(struct zone_walk){.add = add_ref, .zone = zone});
}

struct zone_rows protect_bare_zone(const struct surface *f, struct state *s, const struct counter *counter,
				   struct mark_set *zone)
{
	struct zone_walk w = {
		.bare = true, .add = add_ref, .zone = zone, .rows = {.tail = UINT32_MAX, .user = UINT32_MAX}};
	mark_set_clear(zone);
	walk_zone(f, s, counter, &w);
	return w.rows;
}

static void add_rule(struct zone_walk *w, const struct surface_row *r, size_t row, unsigned rule)
{
	(void)row;
	if (r->ref != w->ref)
		return;
	if (w->place.rules == 0) {
		w->place.newer = w->newer;
		w->place.newer_tokens = w->newer_tokens;
	}
	w->place.rules |= rule;
}

struct zone_place protect_zone_place(const struct surface *f, struct state *s, const struct counter *counter,
				     size_t row)
{
	struct zone_walk w = {.add = add_rule, .ref = f->rows.v[row].ref};
	if (w.ref != REF_NONE && w.ref != REF_BLOCKED)
		walk_zone(f, s, counter, &w);
	return w.place;
}

unsigned protect_zone_rules(const struct surface *f, struct state *s, const struct counter *counter, size_t row)
{
	return protect_zone_place(f, s, counter, row).rules;
}

void protect_call_ids(const struct surface *f, struct state *s, bool with_results, struct mark_set *calls)
{
	mark_set_clear(calls);
	for (size_t i = 0; i < f->rows.n; i++) {
		const struct surface_row *r = &f->rows.v[i];
		if (r->call == 0 || (r->content != CONTENT_CALL && !(with_results && r->content == CONTENT_RESULT)))
			continue;
		if (surface_protected(r, s))
			mark_set_add(calls, r->call);
	}
}

bool protect_paired(const struct surface_row *r, struct state *s, const struct mark_set *calls)
{
	return surface_protected(r, s) ||
	       (r->content == CONTENT_RESULT && r->call != 0 && mark_set_has(calls, r->call));
}
