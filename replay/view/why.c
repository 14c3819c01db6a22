#include "replay/view/why.h"

#include "engine/kernel/nodes.h"
#include "replay/view/words.h"

const char *why_rule_name(enum why_rule r)
{
	static const char *const names[WHY_COUNT] = {
#define WHY_NAME(name, text) [WHY_##name] = text,
		WHY_LIST(WHY_NAME)
#undef WHY_NAME
	};
	return names[r];
}

void why_list_free(struct why_list *l) { vec_free(&l->items); }

/* The row as recommend saw it: before truncation and tags. */
static struct surface_row as_recommend_saw(struct frame *f, const struct frame_row *row)
{
	const struct state *s = &f->run->state;
	struct surface_row r = row->row;
	if (f->at.node < NODE_TRUNCATE || f->capacity)
		return r;
	r.tagged = false;
	r.tag = (struct measure){0};
	r.peel = 0;
	if (row->flags & ROW_TRUNCATED)
		r.alternative = ALTERNATIVE_NONE;
	r.face = r.source < 0                        ? s->blocks.v[~r.source].face
		 : r.alternative != ALTERNATIVE_NONE ? f->run->alternatives.list.v[r.alternative].face
						     : s->messages.v[r.source].face;
	return r;
}

/* A row being explained, with the words put together so far. */
struct asked {
	struct frame *f;
	const struct frame_row *row;
	uint8_t traits; /* of the text recommend saw */
	struct state *s;
	struct why_list *out;
	struct buf text, config;
};

static struct str take(struct asked *q, struct buf *b)
{
	struct str copy = {arena_copy(q->out->arena, buf_view(b).p, b->n), b->n};
	buf_cut(b, 0);
	return copy;
}

/* The words of q->text and q->config become an item. */
static void done(struct asked *q, enum why_rule rule)
{
	struct str text = take(q, &q->text), config = take(q, &q->config);
	vec_push(&q->out->items, (struct why){rule, text, config});
}

static void say(struct asked *q, const char *words) { buf_text(&q->text, words); }

static void value(struct asked *q, const char *path)
{
	if (q->config.n > 0)
		buf_char(&q->config, '\n');
	words_config(&q->config, q->f->run, path);
}

static bool removed(const struct asked *q) { return q->row->mark == MARK_REMOVED; }
static bool after(const struct asked *q, enum turn_node node) { return !q->f->capacity && q->f->at.node >= node; }

static bool is_call(const struct asked *q)
{
	return q->row->row.content == CONTENT_CALL && q->row->row.tool == q->s->compress_tool;
}

/* ---- refs and protection (kernel.md 3, 4.1, 4.6.1) ---- */

static void ask_ref(struct asked *q)
{
	const struct surface_row *r = &q->row->row;
	if (r->ref != REF_NONE)
		return;
	if (r->source < 0)
		say(q, "a rendered summary gets a ref only when the host feeds it back (kernel.md 4.9)");
	else if (r->id == 0)
		say(q, "its message id is empty (kernel.md 3)");
	else if (q->f->capacity)
		say(q, "all 99,999 refs are used up: the turn could not run (kernel.md 3)");
	else
		say(q, "assign-refs has not run at this position");
	done(q, WHY_NO_REF);
}

/* The entry of protectedTools a tool name matches, or absent (kernel.md 4.1.1). */
static struct str matching_entry(const struct config *c, struct str tool)
{
	for (size_t i = 0; i < c->protected_n; i++) {
		struct str entry = c->protected_tools[i];
		bool prefix = entry.n > 0 && entry.p[entry.n - 1] == '*';
		if (prefix ? str_starts(tool, str_cut(entry, 0, entry.n - 1)) : str_eq(tool, entry))
			return entry;
	}
	return (struct str){0};
}

static void say_tool(struct asked *q)
{
	struct str tool = names_get(q->s->names, q->row->row.tool);
	struct str entry = matching_entry(q->s->config, tool);
	say(q, "its tool ");
	buf_str(&q->text, tool);
	if (state_tool(q->s, q->row->row.tool) & TOOL_COMPRESS) {
		say(q, " is always protected");
	} else if (entry.p != NULL) {
		say(q, " matches the entry ");
		buf_str(&q->text, entry);
		value(q, "protectedTools");
	} else {
		say(q, " is protected by the host in this row (isToolProtected)");
	}
}

static void ask_protection(struct asked *q)
{
	const struct surface_row *r = &q->row->row;
	bool own = surface_protected(r, q->s);
	if (r->ref == REF_BLOCKED) {
		if (own) {
			say_tool(q);
			say(q, q->s->config->protected_n > 0 ? ", and protectedTools is not empty"
							     : ", and the host asks for it");
			say(q, ": it gets no ref, for good (kernel.md 4.1)");
			if (q->config.n == 0)
				value(q, "protectedTools");
		} else {
			say(q, "blocked before, and never lifted; its tool matches no entry now (kernel.md 3)");
			value(q, "protectedTools");
		}
		done(q, WHY_BLOCKED);
	}
	if (own) {
		say_tool(q);
		say(q, " (kernel.md 4.1.1)");
		done(q, WHY_PROTECTED_TOOL);
	} else if (q->row->flags & ROW_PROTECTED) {
		say(q, "the result of call ");
		buf_str(&q->text, names_get(q->s->names, r->call));
		say(q, ", whose tool is protected (kernel.md 4.1.1)");
		done(q, WHY_PROTECTED_PAIR);
	}
	if (q->traits & TRAIT_HEADER) {
		say(q, "its text starts with " SUMMARY_HEADER ": never offered and never protected (kernel.md 4.6)");
		done(q, WHY_HEADER);
	}
}

static void ask_recent(struct asked *q)
{
	struct surface seen = {0};
	size_t at = 0;
	if (removed(q))
		return;
	for (size_t i = 0; i < q->f->rows.n; i++) {
		const struct frame_row *row = &q->f->rows.v[i];
		if (row->mark == MARK_REMOVED)
			continue;
		if (row == q->row)
			at = seen.rows.n;
		vec_push(&seen.rows, as_recommend_saw(q->f, row));
	}
	struct zone_place place = protect_zone_place(&seen, q->s, &q->f->turn.in.counter, at);
	surface_free(&seen);
	if (place.rules & ZONE_MESSAGES) {
		say(q, "one of the newest rows that count as recent, ");
		words_count(&q->text, place.newer);
		say(q, " of them newer (kernel.md 4.6.1)");
		value(q, "preserveRecentMessages");
		done(q, WHY_RECENT_MESSAGES);
	}
	if (place.rules & ZONE_TOKENS) {
		say(q, "the recent rows newer than it have ");
		words_count(&q->text, place.newer_tokens);
		buf_printf(&q->text, " tokens (%s), less than what is kept (kernel.md 4.6.1)",
			   words_counter_scale(q->f));
		value(q, "preserveRecentTokens");
		done(q, WHY_RECENT_TOKENS);
	}
	if (place.rules & ZONE_LAST_USER) {
		say(q, "the newest user row that is neither covered nor a summary (kernel.md 4.6.1)");
		value(q, "preserveRecentMessages");
		done(q, WHY_LAST_USER);
	}
	const struct surface_row *r = &q->row->row;
	bool tool = r->content == CONTENT_CALL || r->content == CONTENT_RESULT;
	if (tool && r->ref != REF_NONE && (state_tool(q->s, r->tool) & TOOL_NEVER_RECENT)) {
		say(q, "rows of ");
		buf_str(&q->text, names_get(q->s->names, r->tool));
		say(q, " do not count as recent (kernel.md 4.6.1)");
		done(q, WHY_NEVER_RECENT);
	}
}

/* ---- coverage and prune (kernel.md 4.3) ---- */

static void say_block(struct asked *q, const struct block *k)
{
	buf_str(&q->text, names_get(q->s->names, k->id));
	buf_printf(&q->text, " (tier %u, ", k->tier);
	words_plural(&q->text, k->effective_n, "message", "messages");
	if (k->has_tokens) {
		say(q, ", ");
		words_count(&q->text, k->tokens);
		say(q, " tokens raw estimate");
	}
	say(q, ")");
}

static void ask_coverage(struct asked *q)
{
	struct state *s = q->s;
	uint32_t l = q->row->covered_by != 0 ? state_info(s, q->row->row.id)->listed : 0;
	for (; l != 0; l = s->listings.v[l - 1].next) {
		const struct block *k = &s->blocks.v[s->listings.v[l - 1].block];
		if (!k->active)
			continue;
		say(q, "covered by the active block ");
		say_block(q, k);
		say(q, removed(q) ? ": prune drops it" : after(q, NODE_PRUNE) ? "" : ": prune will drop it");
		say(q, " (kernel.md 4.3)");
		done(q, WHY_COVERED);
	}
	if (q->row->covered_by != 0 && !removed(q) && s->first_user == (uint32_t)q->row->row.source + 1) {
		say(q, "stays although covered: the first user row of the list (kernel.md 4.3.4)");
		done(q, WHY_FIRST_USER);
	}
}

static const char *orphan_reason(uint8_t content)
{
	switch (content) {
	case CONTENT_CALL:
		return "a call without a result in the list, while something is covered (kernel.md 4.3.5)";
	case CONTENT_RESULT:
		return "a result without its call in the list, while something is covered (kernel.md 4.3.5)";
	default:
		return "reasoning with no assistant text or call after it, while something is covered (kernel.md "
		       "4.3.5)";
	}
}

static void ask_prune(struct asked *q)
{
	if (!removed(q) || q->f->at.node != NODE_PRUNE || q->row->covered_by != 0)
		return;
	if (q->row->flags & ROW_SUMMARY) {
		say(q, "a summary the host fed back; it is shown anew at its anchor (kernel.md 4.3.4)");
		done(q, WHY_SHOWN_AGAIN);
		return;
	}
	say(q, orphan_reason(q->row->row.content));
	done(q, WHY_ORPHAN);
}

/* ---- compress calls (kernel.md 4.5) ---- */

/* "b3, b4": the blocks of the call that are active, or those that are not. */
static size_t put_call_blocks(struct asked *q, bool active, struct buf *b)
{
	const struct state *s = q->s;
	size_t n = 0;
	for (uint32_t l = s->info.v[q->row->row.call].call_blocks; l != 0; l = s->listings.v[l - 1].next) {
		const struct block *k = &s->blocks.v[s->listings.v[l - 1].block];
		if (k->active != active)
			continue;
		buf_text(b, n++ > 0 ? ", " : "");
		buf_str(b, names_get(s->names, k->id));
	}
	return n;
}

static void ask_hidden(struct asked *q)
{
	uint32_t call = q->row->row.call;
	if (!(q->row->flags & ROW_HIDDEN))
		return;
	if (!is_call(q)) {
		say(q, "the result of the hidden compress call ");
		buf_str(&q->text, names_get(q->s->names, call));
		say(q, " (kernel.md 4.5.1)");
		done(q, WHY_HIDDEN_RESULT);
		return;
	}
	if (call == 0)
		say(q, "a compress call without a call id");
	else if (state_info(q->s, call)->call_blocks == 0)
		buf_printf(&q->text, "no block came from it, and of such calls only the newest %d stay",
			   (int)ORPHANS_KEPT);
	else {
		say(q, "none of its blocks is active: ");
		put_call_blocks(q, false, &q->text);
	}
	say(q, " (kernel.md 4.5.1)");
	done(q, WHY_HIDDEN_CALL);
}

static void ask_call(struct asked *q)
{
	const struct frame_row *row = q->row;
	if (removed(q) || !after(q, NODE_HIDE) || !is_call(q) || row->row.call == 0)
		return;
	say(q, "a compress call that stays: active blocks ");
	size_t before = q->text.n;
	if (put_call_blocks(q, true, &q->text) == 0) {
		buf_cut(&q->text, before - strlen("active blocks "));
		buf_printf(&q->text, "no block came from it, and it is among the newest %d of such calls",
			   (int)ORPHANS_KEPT);
	}
	say(q, " (kernel.md 4.5.1)");
	done(q, WHY_KEPT_CALL);
	if (row->row.alternative == ALTERNATIVE_NONE)
		return;
	say(q, "its text was written anew: ");
	words_count(&q->text, q->s->messages.v[row->row.source].face.size.units);
	say(q, " units, now ");
	words_count(&q->text, q->f->run->alternatives.list.v[row->row.alternative].face.size.units);
	buf_printf(&q->text, " (kernel.md 4.5.%d)", q->f->run->hide == ANCHOR_SLIM ? 3 : 2);
	const struct policy *p = &q->f->run->policy;
	buf_printf(&q->config, "policy hide = %s (%s)", policy_value_name(p, SWITCH_HIDE),
		   p->source[SWITCH_HIDE] == POLICY_FROM_OPTION ? "--policy" : p->profile);
	done(q, WHY_REWRITTEN);
}

/* ---- ranges, truncation ---- */

static void say_span(struct asked *q, const struct range *r)
{
	words_ref(&q->text, q->s, r->start);
	say(q, "..");
	words_ref(&q->text, q->s, r->end);
	say(q, ": ");
	words_plural(&q->text, r->count, "row", "rows");
	say(q, ", ");
	words_count(&q->text, r->tokens);
	buf_printf(&q->text, " tokens (%s), ", words_counter_scale(q->f));
	words_count(&q->text, r->chars);
	say(q, " units");
}

static void ask_recommended(struct asked *q, const struct range *group)
{
	const struct recommendation *rec = &q->f->turn.rec;
	double min = q->s->config->min_range;
	for (size_t i = 0; i < rec->recommended.n; i++) {
		const struct range *r = &rec->recommended.v[i];
		if (group->first < r->first || group->last > r->last)
			continue;
		buf_printf(&q->text, "in recommended range %zu of %zu, ", i + 1, rec->recommended.n);
		say_span(q, r);
		if (min > 0 && r->chars < min) {
			say(q, ", ");
			words_count(&q->text, min - r->chars);
			say(q, " units too small to count as pending");
		}
		say(q, " (kernel.md 4.6.3)");
		value(q, "compress.minCompressRange");
		done(q, WHY_RANGE);
		return;
	}
}

static void ask_ranges(struct asked *q)
{
	const struct recommendation *rec = &q->f->turn.rec;
	const struct surface_row *r = &q->row->row;
	bool numbered = r->ref != REF_NONE && r->ref != REF_BLOCKED;
	if (removed(q) || !after(q, NODE_RECOMMEND) || !numbered)
		return;
	if (q->row->range != 0) {
		const struct range *group = &rec->compressible.v[q->row->range - 1];
		buf_printf(&q->text, "in compressible group %u of %zu, ", q->row->range, rec->compressible.n);
		say_span(q, group);
		say(q, " (kernel.md 4.6.2)");
		done(q, WHY_GROUP);
		ask_recommended(q, group);
		return;
	}
	bool skipped = r->covered || (q->traits & TRAIT_HEADER);
	if (skipped || (q->row->flags & (ROW_PROTECTED | ROW_RECENT | ROW_LAST_USER)))
		return;
	say(q, "may be compressed, but its group has 0 tokens and was dropped (kernel.md 4.6.2)");
	done(q, WHY_EMPTY_GROUP);
}

static void ask_truncation(struct asked *q)
{
	const struct frame *f = q->f;
	const struct config *c = q->s->config;
	if (!(q->row->flags & ROW_TRUNCATED) || removed(q))
		return;
	struct measure full = q->s->messages.v[q->row->row.source].face.size;
	say(q, "a tool result cut from ");
	words_count(&q->text, counter_tokens(&f->turn.in.counter, full));
	say(q, " to ");
	words_count(&q->text, q->row->tokens);
	buf_printf(&q->text, " tokens (%s): first and last %d units stay. The context stands at ",
		   words_counter_scale(f), (int)TRUNCATE_KEEP_UNITS);
	words_count(&q->text, f->turn.in.tokens);
	buf_printf(&q->text, " tokens (%s), ", words_host_scale(f));
	words_percent(&q->text, c->limit > 0 ? f->turn.in.tokens / c->limit : 0);
	say(q, " of the window (kernel.md 4.8)");
	value(q, "truncate.threshold");
	value(q, "modelContextLimit");
	value(q, "preserveRecentMessages");
	done(q, WHY_TRUNCATED);
}

void why_row(struct frame *f, const struct frame_row *row, struct why_list *out)
{
	static void (*const ask[])(struct asked *) = {ask_coverage,   ask_prune,  ask_hidden,     ask_call,  ask_ref,
						      ask_protection, ask_recent, ask_truncation, ask_ranges};
	struct asked q = {.f = f, .row = row, .s = &f->run->state, .out = out};
	q.traits = as_recommend_saw(f, row).face.traits;
	for (size_t i = 0; i < sizeof ask / sizeof ask[0]; i++)
		ask[i](&q);
	buf_free(&q.text);
	buf_free(&q.config);
}
