/* What the rows of a view say about its names, for the requests of pi_egress (pi.md 3.6, 3.8, 4). */
#include "engine/host/pi_egress_parts.h"

/* ---- names ---- */

struct pi_egress_name *pi_egress_look(struct pi_egress_building *g, uint32_t name)
{
	struct pi_egress *e = g->e;
	if (name >= e->names.n)
		vec_fill(&e->names, (size_t)name + 1 + e->names.n / 4);
	return &e->names.v[name];
}

struct pi_egress_name *pi_egress_look_id(struct pi_egress_building *g, uint32_t id)
{
	struct pi_egress_name *n = pi_egress_look(g, id);
	if (n->kind != PI_ID_UNKNOWN)
		return n;
	struct names *names = g->in->state->names;
	struct str text = names_get(names, id);
	size_t hash = str_find(text, STR("#"), 0);
	n->entry = id;
	n->kind = str_starts(text, STR(SUMMARY_ID_PREFIX)) ? PI_ID_SUMMARY
		  : hash == SIZE_MAX                       ? PI_ID_PLAIN
							   : PI_ID_SPLIT;
	if (n->kind == PI_ID_SPLIT) {
		uint32_t entry = names_find(names, str_cut(text, 0, hash));
		n->entry = entry != UINT32_MAX ? entry : 0;
	}
	return n;
}

/* Does the host have a message of this entry? */
static bool has_message(struct pi_egress_building *g, uint32_t entry)
{
	struct pi_egress_name *n = pi_egress_look(g, entry);
	if (!n->missing && !n->present) {
		struct arena_mark mark = arena_mark(&g->e->scratch);
		n->present = entry != 0 && g->in->entries.json(g->in->entries.ctx, entry, &g->e->scratch).p != NULL;
		n->missing = !n->present;
		arena_release(&g->e->scratch, mark);
	}
	return n->present;
}

/* ---- what the rows say about names ---- */

/* The message that begins with this row may be another one now. */
static void disturb(struct pi_egress_building *g, uint32_t row)
{
	if (row < g->from)
		g->from = row;
}

/* The first message that notes this call asks again. */
static void disturb_asker(struct pi_egress_building *g, uint32_t call)
{
	const struct pi_request *q = &g->e->now;
	uint32_t asker = pi_egress_look(g, call)->asker;
	if (asker != 0)
		disturb(g, q->rows.v[q->messages.v[asker - 1].first_row]);
}

/* Chains a row of an entry with several calls to those before it. */
static void chain_row(struct pi_egress_building *g, uint32_t row, uint32_t entry)
{
	struct pi_egress_row *rows = g->e->rows.v;
	struct pi_egress_name *n = pi_egress_look(g, entry);
	rows[row].entry = entry;
	rows[row].before = n->last;
	if (n->last != 0) {
		rows[n->last - 1].next = row + 1;
		disturb(g, n->first - 1);
	} else {
		n->first = row + 1;
	}
	n->last = row + 1;
}

/* Notes what stands for each call. */
static void note_row(struct pi_egress_building *g, uint32_t row)
{
	const struct surface_row *r = pi_egress_row_at(g, row);
	const struct pi_egress_name *id = pi_egress_look_id(g, r->id);
	uint32_t entry = id->entry;
	vec_push(&g->e->rows, (struct pi_egress_row){0});
	if (id->kind == PI_ID_SPLIT && entry != 0)
		chain_row(g, row, entry);
	if (r->call == 0)
		return;
	bool has_text = r->tagged || r->face.size.units > 0;
	bool result = g->drop_thinking && r->content == CONTENT_RESULT && has_message(g, entry);
	bool mapped = has_text && pi_sync_maps(g->in->rules.sync, (enum content)r->content);
	if (!mapped && !result)
		return;
	struct pi_egress_row *o = &g->e->rows.v[row];
	struct pi_egress_name *call = pi_egress_look(g, r->call);
	o->call = r->call;
	o->mapped = call->mapped;
	o->result = call->result;
	o->is_mapped = mapped;
	o->is_result = result;
	if (mapped)
		call->mapped = row + 1;
	if (result)
		call->result = row + 1;
	disturb_asker(g, r->call);
}

/* The last row is no more: everything is as it was before it was noted. */
static void take_back_row(struct pi_egress_building *g)
{
	struct pi_egress *e = g->e;
	struct pi_egress_row o = e->rows.v[--e->rows.n];
	if (o.entry != 0) {
		struct pi_egress_name *n = pi_egress_look(g, o.entry);
		disturb(g, n->first - 1);
		n->last = o.before;
		if (o.before != 0)
			e->rows.v[o.before - 1].next = 0;
		else
			n->first = 0;
	}
	if (o.call == 0)
		return;
	struct pi_egress_name *call = pi_egress_look(g, o.call);
	if (o.is_mapped)
		call->mapped = o.mapped;
	if (o.is_result)
		call->result = o.result;
	disturb_asker(g, o.call);
}

size_t pi_egress_survey(struct pi_egress_building *g)
{
	struct pi_egress *e = g->e;
	size_t n = g->in->surface->rows.n, kept = g->in->kept;
	if (kept > n || g->rules != e->rules)
		kept = g->rules != e->rules ? 0 : n;
	if (kept > e->rows.n)
		kept = e->rows.n;
	size_t messages = kept < e->rows.n ? e->rows.v[kept].messages : e->now.messages.n;
	e->rules = g->rules;
	g->from = (uint32_t)kept;
	while (e->rows.n > kept)
		take_back_row(g);
	while (e->rows.n < n)
		note_row(g, (uint32_t)e->rows.n);
	return g->from < kept ? e->rows.v[g->from].messages : messages;
}
