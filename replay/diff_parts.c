#include "replay/diff_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "engine/base/fnv.h"
#include "engine/base/num.h"
#include "replay/frame_dsh.h"
#include "replay/view/words.h"

struct str diff_said(struct arena *a, const struct buf *b)
{
	return (struct str){arena_copy(a, b->p ? b->p : "", b->n), b->n};
}

/* A thing with its value as text; takes the text away from b. */
static void add(struct diff_looked *l, struct str id, struct buf *b)
{
	struct diff_item item = {.id = id, .value = diff_said(&l->arena, b)};
	item.print = fnv_text(FNV_START, item.value);
	vec_push(&l->items, item);
	buf_cut(b, 0);
}

static void add_number(struct diff_looked *l, const char *name, double x)
{
	struct buf b = {0};
	words_count(&b, x);
	add(l, str_of(name), &b);
	buf_free(&b);
}

static uint64_t number_print(double x)
{
	char text[NUM_TEXT_MAX];
	return fnv_bytes(FNV_START, text, num_print(text, x));
}

/* Equal when the numbers are: where only the scale is another one the token count says so. */
static void add_tokens(struct diff_looked *l, const char *name, double x, const char *scale)
{
	struct buf b = {0};
	words_count(&b, x);
	buf_text(&b, " tokens");
	if (scale != NULL)
		buf_printf(&b, " (%s)", scale);
	add(l, str_of(name), &b);
	l->items.v[l->items.n - 1].print = number_print(x);
	buf_free(&b);
}

static void add_text(struct diff_looked *l, const char *name, struct str text)
{
	struct buf b = {0};
	buf_str(&b, text);
	add(l, str_of(name), &b);
	buf_free(&b);
}

static struct str name_of(const struct diff_looked *l, uint32_t name)
{
	return names_get(&l->run->recording->names, name);
}

/* Spelling of a ref in the arena; p NULL: there is none. */
static struct str ref_text(struct diff_looked *l, uint32_t ref)
{
	char text[REF_TEXT_MAX];
	if (ref == REF_NONE)
		return (struct str){NULL, 0};
	struct str s = state_ref_text(&l->run->state, ref, text);
	return (struct str){arena_copy(&l->arena, s.p, s.n), s.n};
}

/* ---- turns ---- */

static void list_turns(struct diff_looked *l)
{
	struct buf b = {0};
	uint32_t last = 0;
	const struct recording *rec = l->run->recording;
	for (size_t i = l->moment->record; i-- > 0 && last == 0;)
		if (rec->records.v[i].type == RECORD_MESSAGE && !rec->messages.v[rec->records.v[i].index].rowless)
			last = rec->messages.v[rec->records.v[i].index].message.id;
	buf_printf(&b, "turn %u, after ", l->t->turn[l->side]);
	if (last != 0)
		buf_text(&b, "row "), buf_str(&b, name_of(l, last));
	else
		buf_text(&b, "no row");
	add(l, l->side == DIFF_LEFT ? STR("left") : STR("right"), &b);
	buf_free(&b);
}

static void list_tokens(struct diff_looked *l)
{
	add_tokens(l, "tokenCount", l->moment->tokens, words_count_scale((enum count_scale)l->moment->counted));
}

static void list_events(struct diff_looked *l)
{
	uint16_t event;
	const char *name;
	for (unsigned i = 0; (name = moment_event_at(i, &event)) != NULL; i++)
		if (l->moment->events & event & DIFF_EVENT_BITS)
			add_text(l, name, STR("yes"));
}

/* ---- rows and refs ---- */

static void list_rows(struct diff_looked *l)
{
	for (size_t i = 0; i < l->frame->rows.n; i++) {
		const struct frame_row *r = &l->frame->rows.v[i];
		if (r->mark == MARK_REMOVED)
			continue;
		vec_push(&l->items, (struct diff_item){.id = name_of(l, r->row.id), .print = 1, .at = (uint32_t)i});
	}
	if (l->t->kind == DIFF_ROWS) {
		add_number(l, "rows of the host's list", (double)l->moment->rows);
		l->items.v[l->items.n - 1].at = UINT32_MAX;
	}
}

static const struct frame_row *row_at(const struct diff_looked *l, const struct diff_item *i)
{
	return &l->frame->rows.v[i->at];
}

static struct str name_row(struct diff_looked *l, const struct diff_item *i)
{
	return i->at == UINT32_MAX ? i->id : ref_text(l, row_at(l, i)->row.ref);
}

static void value_row(struct diff_looked *l, const struct diff_item *i, struct buf *b)
{
	const struct frame_row *r = row_at(l, i);
	buf_str(b, role_name((enum role)r->row.role));
	buf_char(b, ' ');
	buf_str(b, content_name((enum content)r->row.content));
	if (r->row.tool != 0)
		buf_char(b, ' '), buf_str(b, name_of(l, r->row.tool));
	buf_text(b, ", ");
	words_count(b, r->tokens);
	buf_printf(b, " tokens (%s)", words_counter_scale(l->frame));
}

static void list_texts(struct diff_looked *l)
{
	struct arena scratch = {0};
	list_rows(l);
	for (size_t i = 0; i < l->items.n; i++)
		l->items.v[i].print = surface_row_hash(&row_at(l, &l->items.v[i])->row, &l->run->state,
						       &l->run->alternatives, &scratch);
	arena_free(&scratch);
}

static void list_refs(struct diff_looked *l)
{
	struct state *s = &l->run->state;
	struct buf b = {0};
	for (size_t i = 0; i < s->raw_order.n; i++) {
		struct str ref = ref_text(l, state_info(s, s->raw_order.v[i])->ref);
		if (ref.p == NULL)
			continue;
		buf_str(&b, ref);
		add(l, name_of(l, s->raw_order.v[i]), &b);
	}
	add_number(l, "refs in use", s->refs_n);
	buf_free(&b);
}

/* ---- ranges ---- */

static void put_range(struct diff_looked *l, struct buf *b, uint32_t start, uint32_t end, uint32_t count, double tokens)
{
	words_ref(b, &l->run->state, start);
	buf_text(b, "..");
	words_ref(b, &l->run->state, end);
	buf_text(b, ", ");
	words_plural(b, count, "row", "rows");
	buf_text(b, ", ");
	words_count(b, tokens);
	buf_printf(b, " tokens (%s)", words_counter_scale(l->frame));
}

static void list_recommended(struct diff_looked *l)
{
	struct buf b = {0};
	for (size_t i = 0; i < l->frame->turn.rec.recommended.n; i++) {
		const struct range *r = &l->frame->turn.rec.recommended.v[i];
		put_range(l, &b, r->start, r->end, r->count, r->tokens);
		if (r->has_chars)
			buf_text(&b, ", "), words_count(&b, r->chars), buf_text(&b, " units");
		buf_printf(&b, ", tool %d %%", r->tool_pct);
		add(l, ref_text(l, r->start), &b);
	}
	buf_free(&b);
}

static void list_protected(struct diff_looked *l)
{
	const struct recommendation *rec = &l->frame->turn.rec;
	struct buf b = {0};
	for (size_t i = 0; i < rec->protected_ranges.n; i++) {
		const struct protected_range *r = &rec->protected_ranges.v[i];
		put_range(l, &b, r->start, r->end, r->count, r->tokens);
		for (uint32_t k = 0; k < r->tools_n; k++)
			buf_text(&b, k > 0 ? ", " : ", of "), buf_str(&b, name_of(l, rec->tools.v[r->tools_at + k]));
		add(l, ref_text(l, r->start), &b);
	}
	buf_free(&b);
}

/* ---- nudge ---- */

static void list_nudge(struct diff_looked *l)
{
	const struct nudge_decision *n = &l->frame->turn.nudge;
	struct buf b = {0};
	if (n->inject)
		buf_printf(&b, "injected, tier %d, %s", n->tier, nudge_reason_name(n->reason));
	else
		buf_printf(&b, "not injected, %s", nudge_reason_name(n->reason));
	for (size_t i = 0; i < n->targets.n; i++)
		buf_text(&b, i > 0 ? " " : ", targets "),
			buf_str(&b, name_of(l, l->run->state.blocks.v[n->targets.v[i]].id));
	add(l, STR("nudge"), &b);
	buf_free(&b);
}

/* The numbers of a decision; `scale` NULL: of the configuration. */
static void list_figures(struct diff_looked *l)
{
	static const char *const tiers[] = {"nudgeState.byTier 1", "nudgeState.byTier 2", "nudgeState.byTier 3"};
	const struct nudge_numbers *n = &l->frame->turn.nudge.n;
	const struct nudge_context *c = &l->frame->turn.nudge.context;
	const struct scalars *now = &l->run->state.now;
	const char *counter = words_counter_scale(l->frame);
	const char *host = words_count_scale((enum count_scale)l->moment->counted);
	/* clang-format off */
	const struct {
		const char *name, *scale;
		double value;
	} figures[] = {
		{"growth", host, n->growth},
		{"growthReference", host, n->reference},
		{"effectiveThreshold", NULL, n->effective_threshold},
		{"nudgeGrowthTokens", NULL, n->threshold},
		{"growthFloor", NULL, n->floor},
		{"pendingT1", counter, n->pending[1]},
		{"pendingT2", counter, n->pending[2]},
		{"pendingT3", counter, n->pending[3]},
		{"context.system", counter, c->system},
		{"context.tool", counter, c->tool},
		{"context.summaries", counter, c->summaries},
		{"context.code", counter, c->code},
		{"context.text", counter, c->text},
		{"context.total", host, c->total},
		{"context.growth", host, c->growth},
		{"nudgeState.baseline", host, now->baseline},
		{"nudgeState.lastShown", host, now->shown},
	};
	/* clang-format on */
	struct buf b = {0};
	words_count(&b, num_round(n->usage * 1e6) / 1e4);
	buf_text(&b, " % of the window");
	add(l, STR("usage"), &b);
	l->items.v[l->items.n - 1].print = number_print(n->usage); /* it may differ where the words do not */
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		add_tokens(l, figures[i].name, figures[i].value, figures[i].scale);
	add_text(l, "hasPendingNudge", n->has_pending ? STR("yes") : STR("no"));
	add_text(l, "overLimit", n->over_limit ? STR("yes") : STR("no"));
	add_text(l, "emergencyOverride", n->emergency ? STR("yes") : STR("no"));
	for (int tier = 1; tier <= 3; tier++)
		if (now->tier_set >> tier & 1)
			add_tokens(l, tiers[tier - 1], now->tier_shown[tier], host);
	buf_free(&b);
}

/* ---- blocks, totals ---- */

static void list_blocks(struct diff_looked *l)
{
	const struct state *s = &l->run->state;
	struct buf b = {0};
	for (size_t i = 0; i < s->blocks.n; i++) {
		const struct block *k = &s->blocks.v[i];
		buf_printf(&b, "tier %d, %s, %s, survived ", k->tier, k->active ? "active" : "off",
			   k->old ? "old" : "young");
		words_count(&b, k->survived);
		buf_text(&b, ", ");
		words_plural(&b, k->direct_n, "row", "rows");
		buf_printf(&b, " itself, %u with its blocks, ", k->effective_n);
		words_count(&b, k->tokens);
		buf_printf(&b, " tokens (%s) when made", diff_folded_scale(l->run));
		for (uint32_t c = 0; c < k->children_n; c++)
			buf_text(&b, c > 0 ? " " : ", of "), buf_str(&b, name_of(l, k->children[c]));
		add(l, name_of(l, k->id), &b);
	}
	buf_free(&b);
}

static void list_totals(struct diff_looked *l)
{
	const struct state *s = &l->run->state;
	add_tokens(l, "tokensCompressed", s->now.tokens_compressed, "as they were counted when folded");
	add_number(l, "compressionCount", s->now.compression_count);
	add_number(l, "snapshot entries", s->snapshot_n);
}

/* ---- compress calls ---- */

static void list_verdicts(struct diff_looked *l, const struct compress_outcome *o)
{
	struct buf b = {0};
	char name[32];
	for (uint32_t i = 0; o->tried && i < o->ranges; i++) {
		const struct range_outcome *v = &l->run->verdicts.v[o->verdicts + i];
		buf_text(&b, range_status_name((enum range_status)v->status));
		if (v->kind < COMPRESS_KIND_COUNT)
			buf_printf(&b, ", %s", compress_kind_name((enum compress_kind)v->kind));
		if (v->units > 0)
			buf_text(&b, ", "), words_count(&b, v->units), buf_text(&b, " units");
		buf_printf(&b, ", %u rows, %u blocks, %u left out", v->direct, v->consumed, v->excluded);
		int n = snprintf(name, sizeof name, "range %u", i + 1);
		add(l, (struct str){arena_copy(&l->arena, name, (size_t)n), (size_t)n}, &b);
	}
	buf_free(&b);
}

static void list_calls(struct diff_looked *l)
{
	const struct diff_call *c = &l->d->calls.v[0];
	const struct compress_outcome *o = &l->run->compressions.v[c->call[l->side] - 1];
	const struct diff_call_mark *m = &l->d->side[l->side]->calls.v[c->call[l->side] - 1];
	add_text(l, "applied", o->applied ? STR("yes") : STR("no"));
	add_text(l, "arguments", str_of(parse_kind_name((enum parse_kind)o->parse)));
	add_number(l, "ranges", o->ranges);
	add_number(l, "invalid items", o->invalid);
	add_number(l, "blocks made", o->blocks);
	add_tokens(l, "tokens folded", o->tokens, diff_folded_scale(l->run));
	add_text(l, "errors", m->errors);
	add_text(l, "warnings", m->warnings);
	list_verdicts(l, o);
}

/* ---- requests ---- */

/* What the DSH host sends: the nodes of the surface. */
static void list_nodes(struct diff_looked *l)
{
	const struct frame_dsh *d = frame_dsh(l->frame);
	for (size_t i = 0; i < d->nodes.list.rows.n; i++) {
		const struct dsh_row *row = dsh_nodes_row(&d->nodes, (uint32_t)i);
		enum dsh_class class = (enum dsh_class)dsh_fold_traits(d->fold, d->nodes.list.rows.v[i])->class;
		struct diff_item item = {.at = UINT32_MAX};
		struct buf id = {0}, value = {0};
		buf_printf(&id, "%" PRId64, row->seq);
		buf_printf(&value, "%s, %s, ", dsh_type_name((enum dsh_type)row->type), dsh_class_name(class));
		words_count(&value, row->price);
		buf_text(&value, " tokens (price)");
		item.id = diff_said(&l->arena, &id);
		item.value = diff_said(&l->arena, &value);
		item.print = fnv_text(FNV_START, item.value);
		vec_push(&l->items, item);
		buf_free(&id);
		buf_free(&value);
	}
}

/* Messages by entry, and the nudge at the tail. */
static void list_request(struct diff_looked *l)
{
	if (run_is_dsh(l->run)) {
		list_nodes(l);
		return;
	}
	struct frame_request *q = frame_request(l->frame);
	l->request = q;
	if (q->lack != REQUEST_THERE)
		return;
	for (size_t i = 0; i < q->sender.egress.now.messages.n; i++) {
		const struct pi_message *m = &q->sender.egress.now.messages.v[i];
		vec_push(&l->items,
			 (struct diff_item){.id = name_of(l, m->entry), .print = m->hash, .at = (uint32_t)i});
	}
	if (q->tail.n > 0)
		vec_push(&l->items, (struct diff_item){.id = STR("nudge at the tail"),
						       .print = fnv_text(FNV_START, buf_view(&q->tail)),
						       .at = UINT32_MAX});
}

static struct str text_of_message(struct diff_looked *l, const struct diff_item *i, bool whole)
{
	const struct pi_egress *e = &l->request->sender.egress;
	(void)whole;
	if (l->request == NULL)
		return i->value;
	return i->at == UINT32_MAX ? buf_view(&l->request->tail) : pi_egress_bytes(e, &e->now.messages.v[i->at]);
}

static void value_message(struct diff_looked *l, const struct diff_item *i, struct buf *b)
{
	words_count(b, (double)text_of_message(l, i, true).n);
	buf_text(b, " bytes");
}

static void list_prefix(struct diff_looked *l)
{
	const struct sent *s = &l->run->sender.sent.v[l->t->turn[l->side] - 1];
	struct buf b = {0};
	if (isnan(s->bytes))
		return;
	add_text(l, "cause", str_of(sent_cause_name((enum sent_cause)s->cause)));
	words_ref(&b, &l->run->state, s->break_ref);
	add(l, STR("broken at"), &b);
	add_number(l, "common bytes", s->common_bytes);
	add_number(l, "bytes of the request before", s->before_bytes);
	add_tokens(l, "lost", s->lost_tokens, request_scale(l->run));
	buf_free(&b);
}

static struct str text_of_row(struct diff_looked *l, const struct diff_item *i, bool whole)
{
	return whole ? frame_row_tagged_text(l->frame, row_at(l, i), &l->arena)
		     : frame_row_text(l->frame, row_at(l, i), &l->arena);
}

/* clang-format off */
const struct diff_part_of diff_parts[DIFF_KINDS] = {
	[DIFF_TURNS] = {list_turns, NULL, NULL, NULL, false},
	[DIFF_CALLS] = {list_calls, NULL, NULL, NULL, false},
	[DIFF_EVENTS] = {list_events, NULL, NULL, NULL, false},
	[DIFF_TOKENS] = {list_tokens, NULL, NULL, NULL, false},
	[DIFF_REFS] = {list_refs, NULL, NULL, NULL, true},
	[DIFF_BLOCKS] = {list_blocks, NULL, NULL, NULL, true},
	[DIFF_ROWS] = {list_rows, name_row, value_row, NULL, true},
	[DIFF_TEXT] = {list_texts, name_row, value_row, text_of_row, true},
	[DIFF_RECOMMENDED] = {list_recommended, NULL, NULL, NULL, true},
	[DIFF_PROTECTED] = {list_protected, NULL, NULL, NULL, true},
	[DIFF_NUDGE] = {list_nudge, NULL, NULL, NULL, true},
	[DIFF_FIGURES] = {list_figures, NULL, NULL, NULL, true},
	[DIFF_TOTALS] = {list_totals, NULL, NULL, NULL, true},
	[DIFF_REQUEST] = {list_request, NULL, value_message, text_of_message, true},
	[DIFF_PREFIX] = {list_prefix, NULL, NULL, NULL, false},
};
/* clang-format on */
