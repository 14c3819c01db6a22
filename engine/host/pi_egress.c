#include "engine/host/pi_egress.h"

#include "engine/base/fnv.h"
#include "engine/host/pi_draft.h"
#include "engine/host/pi_egress_parts.h"

enum { COMPACT_SLACK = 1 << 20 };

/* ---- one message ---- */

/* What is being written: the rows that stand for it. */
struct part {
	struct pi_egress_building *g;
	uint32_t entry;
	bool split;
	uint32_t first; /* its first row */
};

static struct str row_text(struct pi_egress_building *g, uint32_t row, struct arena *a)
{
	struct buf b = {0};
	surface_text(pi_egress_row_at(g, row), g->in->state, g->in->alternatives, a, &b);
	struct str text = {arena_copy(a, b.p ? b.p : "", b.n), b.n};
	buf_free(&b);
	return text;
}

/* The row that stands for a call in the map of section 4, + 1; the merged variant asks the row itself where it can. */
static uint32_t mapped_row(const struct part *p, uint32_t call)
{
	if (p->g->in->rules.sync != PI_SYNC_MERGED || p->split)
		return pi_egress_look(p->g, call)->mapped;
	return pi_egress_row_at(p->g, p->first)->call == call ? p->first + 1 : 0;
}

static struct str mapped_text(void *ctx, struct str id, struct arena *a)
{
	struct part *p = ctx;
	uint32_t call = names_find(p->g->in->state->names, id);
	uint32_t row = call != UINT32_MAX ? mapped_row(p, call) : 0;
	return row != 0 ? row_text(p->g, row - 1, a) : (struct str){0};
}

static uint32_t next_row(const struct part *p, uint32_t row) { return p->g->e->rows.v[row - 1].next; }

/* The calls of an entry that still have a row are marked for the message about to be written. */
static void mark_calls(const struct part *p)
{
	uint32_t mark = ++p->g->e->marks;
	for (uint32_t row = pi_egress_look(p->g, p->entry)->first; row != 0; row = next_row(p, row))
		pi_egress_look(p->g, pi_egress_row_at(p->g, row - 1)->call)->marked = mark;
}

static bool call_is_kept(void *ctx, struct str id)
{
	struct part *p = ctx;
	uint32_t call = names_find(p->g->in->state->names, id);
	return call != UINT32_MAX && pi_egress_look(p->g, call)->marked == p->g->e->marks;
}

/* Its thinking may go: it has compress calls, and each of them has a later result, so it is not the last message. */
static bool may_drop_thinking(struct pi_egress_building *g, uint32_t first_row, const struct pi_message_call *calls,
			      size_t n)
{
	bool compress = false;
	for (size_t i = 0; i < n; i++) {
		if (!calls[i].compress)
			continue;
		compress = true;
		if (calls[i].call == 0 || pi_egress_look(g, calls[i].call)->result <= first_row + 1)
			return false;
	}
	return compress && g->drop_thinking;
}

/* NULL when there are none. */
static const struct pi_message_call *calls_from(const struct pi_request *q, size_t first)
{
	return first < q->calls.n ? &q->calls.v[first] : NULL;
}

static uint64_t row_hash(struct pi_egress_building *g, uint32_t row)
{
	return surface_row_hash(pi_egress_row_at(g, row), g->in->state, g->in->alternatives, &g->e->scratch);
}

/* Keys are made for every message of every request: one multiplication an item, not FNV's eight. */
static uint64_t mix(uint64_t key, uint64_t item)
{
	key = (key ^ item) * UINT64_C(0x9e3779b97f4a7c15);
	return key ^ key >> 32;
}

/* Over the rules and the message's own rows. */
static uint64_t rows_key(const struct part *p)
{
	uint64_t key = mix(p->g->rules, p->entry);
	if (!p->split)
		return mix(key, row_hash(p->g, p->first));
	for (uint32_t row = pi_egress_look(p->g, p->entry)->first; row != 0; row = next_row(p, row))
		key = mix(key, row_hash(p->g, row - 1));
	return key;
}

/* Over what its calls ask of the rest of the view. */
static uint64_t calls_key(const struct part *p, uint64_t key, const struct pi_message_call *calls, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t row = calls[i].asks ? mapped_row(p, calls[i].call) : 0;
		key = mix(key, row != 0 ? row_hash(p->g, row - 1) : 0);
	}
	return mix(key, may_drop_thinking(p->g, p->first, calls, n));
}

/* Where it stands in the request: behind all that is there. */
static void place(struct pi_egress_building *g, struct pi_message *m)
{
	struct pi_request *q = &g->e->now;
	const struct pi_message *last = q->messages.n > 0 ? &q->messages.v[q->messages.n - 1] : NULL;
	struct pi_egress_name *n = pi_egress_look(g, m->entry);
	m->bytes_upto = (last != NULL ? last->bytes_upto : 0) + m->n;
	m->tokens_upto = (last != NULL ? last->tokens_upto : 0) + m->tokens;
	m->hash_upto = mix(last != NULL ? last->hash_upto : FNV_START, m->hash);
	m->previous = n->written;
	if (n->before_of != g->e->builds) {
		n->before_of = g->e->builds;
		n->before = n->written;
	}
	n->written = (uint32_t)q->messages.n + 1;
}

/* Its calls, which are in the request already, ask through it. */
static void place_calls(struct pi_egress_building *g, const struct pi_message *m)
{
	struct pi_request *q = &g->e->now;
	bool compress = false;
	for (uint32_t i = 0; i < m->calls; i++) {
		const struct pi_message_call *c = &q->calls.v[m->first_call + i];
		compress = compress || c->compress;
		if (c->call != 0 && pi_egress_look(g, c->call)->asker == 0)
			pi_egress_look(g, c->call)->asker = (uint32_t)q->messages.n + 1;
	}
	if (compress)
		vec_push(&q->anchors, (uint32_t)q->messages.n);
}

static void add(const struct part *p, struct pi_message m)
{
	struct pi_request *q = &p->g->e->now;
	m.entry = p->entry;
	m.first_row = (uint32_t)q->rows.n;
	if (p->split)
		for (uint32_t row = pi_egress_look(p->g, p->entry)->first; row != 0; row = next_row(p, row))
			vec_push(&q->rows, row - 1);
	else
		vec_push(&q->rows, p->first);
	m.rows = (uint32_t)q->rows.n - m.first_row;
	place(p->g, &m);
	place_calls(p->g, &m);
	vec_push(&q->messages, m);
}

/* The message of the request before, if nothing it is made from has changed. */
static bool reuse(const struct part *p, uint64_t key)
{
	struct pi_egress *e = p->g->e;
	const struct pi_egress_name *n = pi_egress_look(p->g, p->entry);
	uint32_t before = n->before_of == e->builds ? n->before : n->written;
	if (before == 0)
		return false;
	struct pi_message m = e->before.messages.v[before - 1];
	const struct pi_message_call *calls = calls_from(&e->before, m.first_call);
	if (calls_key(p, key, calls, m.calls) != m.key)
		return false;
	m.first_call = (uint32_t)e->now.calls.n;
	for (size_t i = 0; i < m.calls; i++)
		vec_push(&e->now.calls, calls[i]);
	m.before = before;
	m.ref = pi_egress_row_at(p->g, p->first)->ref;
	add(p, m);
	return true;
}

static void note_calls(struct pi_egress_building *g, const struct pi_draft *d)
{
	for (size_t i = 0; i < d->n; i++) {
		const cJSON *node = d->blocks[i].node;
		struct pi_message_call c = {0};
		struct str id = json_str(json_get(node, "id"));
		if (!str_eq(json_str(json_get(node, "type")), STR("toolCall")))
			continue;
		c.compress = str_eq(json_str(json_get(node, "name")), STR("compress"));
		c.asks = pi_sync_asks(g->in->rules.sync, node).n > 0;
		if (!c.compress && !c.asks)
			continue;
		c.call = id.n > 0 ? names_add(g->in->state->names, id) : 0;
		vec_push(&g->e->now.calls, c);
	}
}

/* Brings a draft to what is sent; notes its calls behind `first_call` of the request. */
static void shape(struct part *p, struct pi_draft *d, size_t first_call)
{
	struct pi_egress_building *g = p->g;
	struct pi_request *q = &g->e->now;
	if (p->split) {
		mark_calls(p);
		pi_draft_keep_calls(d, call_is_kept, p);
		pi_draft_peel(d);
	}
	if (pi_draft_is_assistant(d)) {
		pi_draft_sync(d, g->in->rules.sync, mapped_text, p);
		note_calls(g, d);
		if (may_drop_thinking(g, p->first, calls_from(q, first_call), q->calls.n - first_call))
			pi_draft_drop_thinking(d, g->in->rules.thinking_units);
	} else if (p->split) {
		pi_draft_append_tag(d, row_text(g, p->first, &g->e->scratch));
	} else {
		pi_draft_patch(d, row_text(g, p->first, &g->e->scratch), g->in->rules.raw_numbers);
	}
}

static uint32_t flags_of(const struct part *p, const struct pi_draft *d)
{
	return (p->split ? PI_MESSAGE_SPLIT : 0U) | (d->rebuilt ? PI_MESSAGE_REBUILT : 0U) |
	       (d->calls_gone ? PI_MESSAGE_CALLS_GONE : 0U) | (d->thinking_gone ? PI_MESSAGE_THINKING_GONE : 0U);
}

static void write_anew(struct part *p, uint64_t key, const cJSON *host)
{
	struct pi_egress *e = p->g->e;
	struct pi_draft d;
	size_t at = e->store.n, first_call = e->now.calls.n;
	if (!pi_draft_begin(&d, &e->scratch, host)) {
		pi_egress_look(p->g, p->entry)->present = false;
		pi_egress_look(p->g, p->entry)->missing = true;
		return;
	}
	shape(p, &d, first_call);
	struct pi_written w = pi_draft_write(&d, &e->store);
	size_t calls = e->now.calls.n - first_call;
	add(p, (struct pi_message){.key = calls_key(p, key, calls_from(&e->now, first_call), calls),
				   .hash = fnv_bytes(FNV_START, e->store.p + at, e->store.n - at),
				   .at = at,
				   .n = e->store.n - at,
				   .first_call = (uint32_t)first_call,
				   .calls = (uint32_t)calls,
				   .flags = flags_of(p, &d),
				   .ref = pi_egress_row_at(p->g, p->first)->ref,
				   .tag_at = w.tag_at,
				   .tag_n = w.tag_n,
				   .tokens = w.tokens,
				   .anchor_tokens = w.anchor_tokens,
				   .recorded_tokens = w.recorded_tokens,
				   .synced = w.synced});
}

static void emit_message(struct part p)
{
	struct pi_egress *e = p.g->e;
	if (p.entry == 0 || pi_egress_look(p.g, p.entry)->missing)
		return;
	uint64_t key = rows_key(&p);
	if (reuse(&p, key))
		return;
	struct arena_mark mark = arena_mark(&e->scratch);
	struct str json = p.g->in->entries.json(p.g->in->entries.ctx, p.entry, &e->scratch);
	write_anew(&p, key, json.p ? json_tree(&e->scratch, json, NULL, NULL) : NULL);
	arena_release(&e->scratch, mark);
}

static void emit_summary(struct part p)
{
	struct pi_egress *e = p.g->e;
	uint64_t key = rows_key(&p);
	if (reuse(&p, key))
		return;
	struct arena_mark mark = arena_mark(&e->scratch);
	struct str text = row_text(p.g, p.first, &e->scratch);
	size_t at = e->store.n;
	pi_draft_write_user(&e->store, text);
	add(&p, (struct pi_message){.key = calls_key(&p, key, NULL, 0),
				    .hash = fnv_bytes(FNV_START, e->store.p + at, e->store.n - at),
				    .at = at,
				    .n = e->store.n - at,
				    .first_call = (uint32_t)e->now.calls.n,
				    .flags = PI_MESSAGE_SUMMARY,
				    .ref = pi_egress_row_at(p.g, p.first)->ref,
				    .tokens = text_tokens(text_measure(text))});
	arena_release(&e->scratch, mark);
}

static void emit_row(struct pi_egress_building *g, uint32_t row)
{
	struct pi_egress_name *id = pi_egress_look_id(g, pi_egress_row_at(g, row)->id);
	struct part p = {g, id->entry, id->kind == PI_ID_SPLIT, row};
	if (id->kind == PI_ID_SUMMARY) {
		if (g->in->rules.emit_summaries)
			emit_summary(p);
		return;
	}
	if (!p.split || g->e->rows.v[row].before == 0)
		emit_message(p);
}

/* ---- the request ---- */

/* Bytes nobody refers to any more make room once they are the greater part; `fresh_bytes` were written just now. */
static void compact(struct pi_egress *e, size_t fresh_bytes)
{
	struct buf fresh = {0};
	if (e->store.n / 2 <= e->before.bytes + fresh_bytes + COMPACT_SLACK)
		return;
	for (size_t i = 0; i < e->before.messages.n; i++) {
		struct pi_message *m = &e->before.messages.v[i];
		size_t at = fresh.n;
		buf_str(&fresh, pi_egress_bytes(e, m));
		m->at = at;
	}
	for (size_t i = 0; i < e->now.messages.n; i++) {
		struct pi_message *m = &e->now.messages.v[i];
		size_t at = fresh.n;
		if (m->before == 0)
			buf_str(&fresh, pi_egress_bytes(e, m));
		m->at = m->before == 0 ? at : e->before.messages.v[m->before - 1].at;
	}
	buf_free(&e->store);
	e->store = fresh;
}

static uint64_t hash_rules(const struct pi_egress_building *g)
{
	const struct pi_egress_rules *r = &g->in->rules;
	uint64_t h = fnv_byte(FNV_START, (unsigned char)r->sync);
	h = fnv_byte(h, r->raw_numbers);
	h = fnv_byte(h, g->drop_thinking);
	h = fnv_byte(h, r->emit_summaries);
	return fnv_u64(h, g->drop_thinking ? r->thinking_units : 0);
}

/* Messages of `now` from this one on are no more, as far as names know: they are what was written before. */
static void forget_messages(struct pi_egress_building *g, size_t first)
{
	struct pi_request *q = &g->e->now;
	for (size_t i = q->messages.n; i-- > first;) {
		const struct pi_message *m = &q->messages.v[i];
		struct pi_egress_name *n = pi_egress_look(g, m->entry);
		if (n->before_of != g->e->builds) {
			n->before_of = g->e->builds;
			n->before = (uint32_t)i + 1;
		}
		n->written = m->previous;
		for (uint32_t k = 0; k < m->calls; k++) {
			uint32_t call = q->calls.v[m->first_call + k].call;
			if (call != 0 && pi_egress_look(g, call)->asker == i + 1)
				pi_egress_look(g, call)->asker = 0;
		}
	}
}

#define COPY_PART(to, from, first, end)                                                                                \
	do {                                                                                                           \
		size_t first_ = (first), end_ = (end);                                                                 \
		vec_reserve(to, end_);                                                                                 \
		if (end_ > first_)                                                                                     \
			memcpy((to)->v + first_, (from)->v + first_, (end_ - first_) * sizeof *(to)->v);               \
		(to)->n = end_;                                                                                        \
	} while (0)

/* Anchors below message n. */
static size_t anchors_below(const struct pi_request *q, size_t n)
{
	size_t count = q->anchors.n;
	while (count > 0 && q->anchors.v[count - 1] >= n)
		count--;
	return count;
}

/* Makes `to` the first n messages of `from`, which follows it; the first `same` of both are the same already. */
static void carry(struct pi_request *to, const struct pi_request *from, size_t same, size_t n)
{
	const struct pi_message *a = same < from->messages.n ? &from->messages.v[same] : NULL;
	const struct pi_message *b = n < from->messages.n ? &from->messages.v[n] : NULL;
	COPY_PART(&to->rows, &from->rows, a != NULL ? a->first_row : from->rows.n,
		  b != NULL ? b->first_row : from->rows.n);
	COPY_PART(&to->calls, &from->calls, a != NULL ? a->first_call : from->calls.n,
		  b != NULL ? b->first_call : from->calls.n);
	COPY_PART(&to->anchors, &from->anchors, anchors_below(from, same), anchors_below(from, n));
	COPY_PART(&to->messages, &from->messages, same, n);
	for (size_t i = same; i < n; i++)
		to->messages.v[i].before = (uint32_t)i + 1;
	to->common = n;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

void pi_egress_build(struct pi_egress *e, const struct pi_egress_input *in)
{
	struct pi_egress_building g = {.e = e, .in = in};
	size_t stored = e->store.n;
	e->builds++;
	g.drop_thinking = in->rules.drop_thinking && !pi_model_replays_thinking(in->model);
	g.rules = hash_rules(&g);
	size_t common = pi_egress_survey(&g);
	forget_messages(&g, common);
	struct pi_request last = e->before;
	e->before = e->now;
	e->now = last;
	/* what was `before` has in common with what follows it what that was built on, and that with the present one */
	carry(&e->now, &e->before, least(least(e->now.common, e->before.common), common), common);
	for (uint32_t i = g.from; i < in->surface->rows.n; i++) {
		e->rows.v[i].messages = (uint32_t)e->now.messages.n;
		emit_row(&g, i);
	}
	size_t n = e->now.messages.n;
	e->now.bytes = n > 0 ? e->now.messages.v[n - 1].bytes_upto + n - 1 : 0;
	compact(e, e->store.n - stored);
}

static void clear_request(struct pi_request *q)
{
	q->messages.n = q->rows.n = q->calls.n = q->anchors.n = q->bytes = q->common = 0;
}

void pi_egress_clear(struct pi_egress *e)
{
	vec_free(&e->names);
	e->rows.n = 0;
	clear_request(&e->now);
	clear_request(&e->before);
	buf_cut(&e->store, 0);
}

static void free_request(struct pi_request *q)
{
	vec_free(&q->messages);
	vec_free(&q->rows);
	vec_free(&q->calls);
	vec_free(&q->anchors);
}

void pi_egress_free(struct pi_egress *e)
{
	free_request(&e->now);
	free_request(&e->before);
	vec_free(&e->names);
	vec_free(&e->rows);
	buf_free(&e->store);
	arena_free(&e->scratch);
}

struct str pi_egress_bytes(const struct pi_egress *e, const struct pi_message *m)
{
	return (struct str){e->store.p + m->at, m->n};
}

void pi_egress_write(const struct pi_egress *e, const struct pi_request *q, struct buf *b)
{
	for (size_t i = 0; i < q->messages.n; i++) {
		if (i > 0)
			buf_char(b, '\n');
		buf_str(b, pi_egress_bytes(e, &q->messages.v[i]));
	}
}

uint64_t pi_egress_hash(const struct pi_egress *e)
{
	size_t n = e->now.messages.n;
	return n > 0 ? e->now.messages.v[n - 1].hash_upto : FNV_START;
}
