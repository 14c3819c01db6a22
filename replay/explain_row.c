/* Why a row is covered, hidden, protected, cut or offered: the rules of kernel.md 3 and 4, asked about this row. */
#include "engine/kernel/nodes.h"
#include "replay/explain.h"

struct asked {
	struct frame *f;
	const struct frame_row *row;
	uint8_t traits; /* of the text recommend saw */
	struct state *s;
	struct explanation *out;
};

static struct reason *add(struct asked *q, enum rule rule) { return explain_add(q->out, rule); }
static void value(struct asked *q, struct reason *r, const char *path) { explain_value(r, q->f->run, path); }

static bool removed(const struct asked *q) { return q->row->mark == MARK_REMOVED; }
static bool after(const struct asked *q, enum turn_node node) { return !q->f->capacity && q->f->at.node >= node; }

static bool is_call(const struct asked *q)
{
	return q->row->row.content == CONTENT_CALL && q->row->row.tool == q->s->compress_tool;
}

/* ---- coverage and prune (kernel.md 4.3) ---- */

static void add_block(struct asked *q, struct reason *r, uint32_t block)
{
	uint32_t *list = arena_alloc(q->out->arena, sizeof *list);
	*list = block;
	r->list = list;
	r->list_n = 1;
}

/* kernel.md 4.3.4b comes before c: the first user row is not dropped for being covered, whatever takes it later. */
static bool is_first_user(const struct asked *q)
{
	return q->row->row.source >= 0 && q->s->first_user == (uint32_t)q->row->row.source + 1;
}

static void ask_coverage(struct asked *q)
{
	struct state *s = q->s;
	bool first = is_first_user(q);
	uint32_t l = q->row->covered_by != 0 ? state_info(s, q->row->row.id)->listed : 0;
	for (; l != 0; l = s->listings.v[l - 1].next) {
		uint32_t block = s->listings.v[l - 1].block;
		if (!s->blocks.v[block].active)
			continue;
		struct reason *r = add(q, RULE_ROW_COVERED);
		r->variant = first                  ? ROW_DROPPED_NOT
			     : removed(q)           ? ROW_DROPPED_HERE
			     : after(q, NODE_PRUNE) ? ROW_DROPPED_NOT
						    : ROW_DROPPED_LATER;
		add_block(q, r, block);
	}
	if (q->row->covered_by != 0 && first)
		add(q, RULE_ROW_FIRST_USER);
}

static void ask_prune(struct asked *q)
{
	if (!removed(q) || q->f->at.node != NODE_PRUNE || (q->row->covered_by != 0 && !is_first_user(q)))
		return;
	add(q, q->row->flags & ROW_SUMMARY ? RULE_ROW_SHOWN_AGAIN : RULE_ROW_ORPHAN)->variant = q->row->row.content;
}

/* ---- compress calls (kernel.md 4.5) ---- */

/* The blocks of the call that are active, or those that are not. */
static void add_call_blocks(struct asked *q, struct reason *r, bool active)
{
	const struct state *s = q->s;
	uint32_t *list, n = 0, first = s->info.v[q->row->row.call].call_blocks;
	for (uint32_t l = first; l != 0; l = s->listings.v[l - 1].next)
		n += s->blocks.v[s->listings.v[l - 1].block].active == active;
	r->list = list = arena_alloc(q->out->arena, (n + 1) * sizeof *list);
	r->list_n = n;
	/* the newest listing comes first */
	for (uint32_t l = first; l != 0; l = s->listings.v[l - 1].next)
		if (s->blocks.v[s->listings.v[l - 1].block].active == active)
			list[--n] = s->listings.v[l - 1].block;
}

static void ask_hidden(struct asked *q)
{
	uint32_t call = q->row->row.call;
	if (!(q->row->flags & ROW_HIDDEN))
		return;
	if (!is_call(q)) {
		add(q, RULE_ROW_HIDDEN_RESULT)->name = call;
		return;
	}
	struct reason *r = add(q, RULE_ROW_HIDDEN_CALL);
	r->variant = HIDDEN_NO_ID;
	if (call == 0)
		return;
	r->variant = state_info(q->s, call)->call_blocks == 0 ? HIDDEN_ORPHAN : HIDDEN_INACTIVE;
	add_call_blocks(q, r, false);
}

static void ask_call(struct asked *q)
{
	const struct frame_row *row = q->row;
	if (removed(q) || !after(q, NODE_HIDE) || !is_call(q) || row->row.call == 0)
		return;
	add_call_blocks(q, add(q, RULE_ROW_KEPT_CALL), true);
	if (row->row.alternative == ALTERNATIVE_NONE)
		return;
	struct reason *r = add(q, RULE_ROW_REWRITTEN);
	r->number[0] = q->s->messages.v[row->row.source].face.size.units;
	r->number[1] = q->f->run->alternatives.list.v[row->row.alternative].face.size.units;
	explain_switch(r, q->f->run, SWITCH_HIDE);
}

/* ---- refs and protection (kernel.md 3, 4.1, 4.6.1) ---- */

static void ask_ref(struct asked *q)
{
	const struct surface_row *row = &q->row->row;
	if (row->ref != REF_NONE)
		return;
	add(q, RULE_ROW_NO_REF)->variant = row->source < 0  ? NO_REF_SUMMARY
					   : row->id == 0   ? NO_REF_EMPTY_ID
					   : q->f->capacity ? NO_REF_CAPACITY
							    : NO_REF_YET;
}

static void set_guard(struct asked *q, struct reason *r)
{
	const struct config *c = q->s->config;
	r->name = q->row->row.tool;
	size_t entry = config_tool_entry(c, names_get(q->s->names, r->name));
	if (entry != SIZE_MAX)
		r->text = c->protected_tools[entry];
	r->variant = state_tool(q->s, r->name) & TOOL_COMPRESS ? GUARD_COMPRESS
		     : r->text.p != NULL                       ? GUARD_ENTRY
							       : GUARD_HOST;
}

static void ask_protection(struct asked *q)
{
	const struct surface_row *row = &q->row->row;
	bool own = surface_protected(row, q->s);
	if (row->ref == REF_BLOCKED) {
		struct reason *r = add(q, RULE_ROW_BLOCKED);
		r->variant = GUARD_BEFORE;
		if (own)
			set_guard(q, r);
		value(q, r, "protectedTools");
	}
	if (own) {
		struct reason *r = add(q, RULE_ROW_PROTECTED_TOOL);
		set_guard(q, r);
		if (r->variant == GUARD_ENTRY)
			value(q, r, "protectedTools");
	} else if (q->row->flags & ROW_PROTECTED) {
		add(q, RULE_ROW_PROTECTED_PAIR)->name = row->call;
	}
	if (q->traits & TRAIT_HEADER)
		add(q, RULE_ROW_HEADER);
}

/* Where the row stands in the list recommend saw. */
static struct zone_place zone_place(struct asked *q)
{
	struct surface seen = {0};
	size_t at = 0;
	for (size_t i = 0; i < q->f->rows.n; i++) {
		const struct frame_row *row = &q->f->rows.v[i];
		if (row->mark == MARK_REMOVED)
			continue;
		if (row == q->row)
			at = seen.rows.n;
		vec_push(&seen.rows, frame_row_before_cuts(q->f, row));
	}
	struct zone_place place = protect_zone_place(&seen, q->s, &q->f->turn.in.counter, at);
	surface_free(&seen);
	return place;
}

static void ask_recent(struct asked *q)
{
	const struct surface_row *row = &q->row->row;
	if (removed(q))
		return;
	struct zone_place place = zone_place(q);
	if (place.rules & ZONE_MESSAGES) {
		struct reason *r = add(q, RULE_ROW_RECENT_MESSAGES);
		r->number[0] = place.newer;
		value(q, r, "preserveRecentMessages");
	}
	if (place.rules & ZONE_TOKENS) {
		struct reason *r = add(q, RULE_ROW_RECENT_TOKENS);
		r->number[0] = place.newer_tokens;
		value(q, r, "preserveRecentTokens");
	}
	if (place.rules & ZONE_LAST_USER)
		value(q, add(q, RULE_ROW_LAST_USER), "preserveRecentMessages");
	bool tool = content_is_tool(row->content);
	if (tool && row->ref != REF_NONE && (state_tool(q->s, row->tool) & TOOL_NEVER_RECENT))
		add(q, RULE_ROW_NEVER_RECENT)->name = row->tool;
}

/* ---- truncation, ranges ---- */

static void ask_truncation(struct asked *q)
{
	const struct frame *f = q->f;
	const struct config *c = q->s->config;
	if (!(q->row->flags & ROW_TRUNCATED) || removed(q))
		return;
	const struct counter *counter = &f->turn.in.counter;
	struct reason *r = add(q, RULE_ROW_TRUNCATED);
	/* the text as it was cut: render can have peeled an old tag off it since */
	r->number[0] = counter_tokens(counter, q->s->messages.v[q->row->row.source].face.size);
	r->number[1] = counter_tokens(counter, f->run->alternatives.list.v[q->row->row.alternative].face.size);
	r->number[2] = f->turn.in.tokens;
	r->number[3] = c->limit > 0 ? f->turn.in.tokens / c->limit : 0;
	value(q, r, "truncate.threshold");
	value(q, r, "modelContextLimit");
	value(q, r, "preserveRecentMessages");
}

static void ask_recommended(struct asked *q, const struct range *group)
{
	const struct recommendation *rec = &q->f->turn.rec;
	double min = q->s->config->min_range;
	for (size_t i = 0; i < rec->recommended.n; i++) {
		const struct range *range = &rec->recommended.v[i];
		if (group->first < range->first || group->last > range->last)
			continue;
		struct reason *r = add(q, RULE_ROW_RANGE);
		r->holds = !(min > 0) || range->chars >= min;
		r->number[0] = (double)i;
		r->number[1] = range->chars;
		r->number[2] = min;
		value(q, r, "compress.minCompressRange");
		return;
	}
}

/* A row that is not offered can lie inside a group, too: a number that goes down is no gap (kernel.md 4.6.2). */
static void ask_ranges(struct asked *q)
{
	const struct surface_row *row = &q->row->row;
	bool numbered = row->ref != REF_NONE && row->ref != REF_BLOCKED;
	bool skipped = row->covered || (q->traits & TRAIT_HEADER);
	if (removed(q) || !after(q, NODE_RECOMMEND) || !numbered || skipped)
		return;
	if (q->row->flags & (ROW_PROTECTED | ROW_RECENT | ROW_LAST_USER))
		return;
	if (q->row->range == 0) {
		add(q, RULE_ROW_EMPTY_GROUP);
		return;
	}
	add(q, RULE_ROW_GROUP)->number[0] = q->row->range - 1;
	ask_recommended(q, &q->f->turn.rec.compressible.v[q->row->range - 1]);
}

void explain_row(struct frame *f, const struct frame_row *row, struct explanation *out)
{
	static void (*const ask[])(struct asked *) = {ask_coverage,   ask_prune,  ask_hidden,     ask_call,  ask_ref,
						      ask_protection, ask_recent, ask_truncation, ask_ranges};
	struct asked q = {.f = f, .row = row, .s = &f->run->state, .out = out};
	q.traits = frame_row_before_cuts(f, row).face.traits;
	for (size_t i = 0; i < sizeof ask / sizeof ask[0]; i++)
		ask[i](&q);
}
