#include "engine/host/pi_egress.h"

#include "engine/base/fnv.h"
#include "engine/host/pi_draft.h"

enum { COMPACT_SLACK = 1 << 20 };

enum id_kind { ID_UNKNOWN, ID_SUMMARY, ID_PLAIN, ID_SPLIT };

/* What is known of a name: as a row's id, as an entry, as a call id. Row numbers are + 1, 0 = none, and of build `of`.
 */
struct pi_egress_name {
	uint32_t entry; /* a row's id: name of its entry; 0 = nobody has that */
	uint32_t of;
	uint32_t first, last; /* an entry: its rows with # */
	uint32_t mapped;      /* a call id: the row whose text its arguments follow */
	uint32_t result;      /* a call id: last row with a result of it */
	uint32_t kept;        /* a call id: the message it is a call of that has a row, + 1 */
	uint32_t written;     /* an entry or summary: newest message of build `written_of`, + 1 */
	uint32_t written_of;
	uint8_t kind;          /* enum id_kind */
	bool done;             /* an entry with #: its message has been written, or there is none (build `of`) */
	bool missing, present; /* an entry: the host has no message of it, has one; neither = not asked yet */
};

struct building {
	struct pi_egress *e;
	const struct pi_egress_input *in;
	uint64_t rules; /* hash of the rules in force */
	bool drop_thinking;
};

/* ---- names ---- */

/* Valid until the next call. */
static struct pi_egress_name *look(struct building *g, uint32_t name)
{
	struct pi_egress *e = g->e;
	if (name >= e->names.n)
		vec_fill(&e->names, (size_t)name + 1 + e->names.n / 4);
	struct pi_egress_name *n = &e->names.v[name];
	if (n->of != e->builds) {
		n->of = e->builds;
		n->first = n->last = n->mapped = n->result = n->kept = 0;
		n->done = false;
	}
	return n;
}

/* The three kinds of ids of pi.md 3.6. */
static struct pi_egress_name *look_id(struct building *g, uint32_t id)
{
	struct pi_egress_name *n = look(g, id);
	if (n->kind != ID_UNKNOWN)
		return n;
	struct names *names = g->in->state->names;
	struct str text = names_get(names, id);
	size_t hash = str_find(text, STR("#"), 0);
	n->entry = id;
	n->kind = str_starts(text, STR(SUMMARY_ID_PREFIX)) ? ID_SUMMARY : hash == SIZE_MAX ? ID_PLAIN : ID_SPLIT;
	if (n->kind == ID_SPLIT) {
		uint32_t entry = names_find(names, str_cut(text, 0, hash));
		n->entry = entry != UINT32_MAX ? entry : 0;
	}
	return n;
}

/* Does the host have a message of this entry? */
static bool has_message(struct building *g, uint32_t entry)
{
	struct pi_egress_name *n = look(g, entry);
	if (!n->missing && !n->present) {
		struct arena_mark mark = arena_mark(&g->e->scratch);
		n->present = entry != 0 && g->in->entries.json(g->in->entries.ctx, entry, &g->e->scratch).p != NULL;
		n->missing = !n->present;
		arena_release(&g->e->scratch, mark);
	}
	return n->present;
}

static const struct surface_row *row_at(const struct building *g, size_t i) { return &g->in->surface->rows.v[i]; }

/* Chains the rows of entries with several calls, and notes what stands for each call. */
static void survey(struct building *g)
{
	const struct surface *f = g->in->surface;
	g->e->next.n = 0;
	vec_fill(&g->e->next, f->rows.n);
	for (uint32_t i = 0; i < f->rows.n; i++) {
		const struct surface_row *r = &f->rows.v[i];
		struct pi_egress_name *id = look_id(g, r->id);
		uint32_t entry = id->entry;
		if (id->kind == ID_SPLIT) {
			struct pi_egress_name *n = look(g, entry);
			if (n->last != 0)
				g->e->next.v[n->last - 1] = i + 1;
			else
				n->first = i + 1;
			n->last = i + 1;
		}
		if (r->call == 0)
			continue;
		bool has_text = r->tagged || r->face.size.units > 0;
		bool result = g->drop_thinking && r->content == CONTENT_RESULT && has_message(g, entry);
		struct pi_egress_name *call = look(g, r->call);
		if (has_text && pi_sync_maps(g->in->rules.sync, (enum content)r->content))
			call->mapped = i + 1;
		if (result)
			call->result = i + 1;
	}
}

/* ---- one message ---- */

/* What is being written: the rows that stand for it. */
struct part {
	struct building *g;
	uint32_t entry;
	bool split;
	uint32_t first; /* its first row */
};

static struct str row_text(struct building *g, uint32_t row, struct arena *a)
{
	struct buf b = {0};
	surface_text(row_at(g, row), g->in->state, g->in->alternatives, a, &b);
	struct str text = {arena_copy(a, b.p ? b.p : "", b.n), b.n};
	buf_free(&b);
	return text;
}

/* The row that stands for a call in the map of section 4, + 1; the merged variant asks the row itself where it can. */
static uint32_t mapped_row(const struct part *p, uint32_t call)
{
	if (p->g->in->rules.sync != PI_SYNC_MERGED || p->split)
		return look(p->g, call)->mapped;
	return row_at(p->g, p->first)->call == call ? p->first + 1 : 0;
}

static struct str mapped_text(void *ctx, struct str id, struct arena *a)
{
	struct part *p = ctx;
	uint32_t call = names_find(p->g->in->state->names, id);
	uint32_t row = call != UINT32_MAX ? mapped_row(p, call) : 0;
	return row != 0 ? row_text(p->g, row - 1, a) : (struct str){0};
}

/* The calls of an entry that still have a row are marked for the message about to be written. */
static void mark_calls(const struct part *p)
{
	struct pi_egress *e = p->g->e;
	for (uint32_t row = look(p->g, p->entry)->first; row != 0; row = e->next.v[row - 1])
		look(p->g, row_at(p->g, row - 1)->call)->kept = (uint32_t)e->now.messages.n + 1;
}

static bool call_is_kept(void *ctx, struct str id)
{
	struct part *p = ctx;
	uint32_t call = names_find(p->g->in->state->names, id);
	return call != UINT32_MAX && look(p->g, call)->kept == p->g->e->now.messages.n + 1;
}

/* Its thinking may go: it has compress calls, and each of them has a later result, so it is not the last message. */
static bool may_drop_thinking(struct building *g, uint32_t first_row, const struct pi_message_call *calls, size_t n)
{
	bool compress = false;
	for (size_t i = 0; i < n; i++) {
		if (!calls[i].compress)
			continue;
		compress = true;
		if (calls[i].call == 0 || look(g, calls[i].call)->result <= first_row + 1)
			return false;
	}
	return compress && g->drop_thinking;
}

/* NULL when there are none. */
static const struct pi_message_call *calls_from(const struct pi_request *q, size_t first)
{
	return first < q->calls.n ? &q->calls.v[first] : NULL;
}

static uint64_t row_hash(struct building *g, uint32_t row)
{
	return surface_row_hash(row_at(g, row), g->in->state, g->in->alternatives, &g->e->scratch);
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
	for (uint32_t row = look(p->g, p->entry)->first; row != 0; row = p->g->e->next.v[row - 1])
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

static void add(const struct part *p, struct pi_message m)
{
	struct pi_request *q = &p->g->e->now;
	m.entry = p->entry;
	m.first_row = (uint32_t)q->rows.n;
	if (p->split)
		for (uint32_t row = look(p->g, p->entry)->first; row != 0; row = p->g->e->next.v[row - 1])
			vec_push(&q->rows, row - 1);
	else
		vec_push(&q->rows, p->first);
	m.rows = (uint32_t)q->rows.n - m.first_row;
	q->bytes += m.n + (q->messages.n > 0);
	vec_push(&q->messages, m);
	struct pi_egress_name *n = look(p->g, p->entry);
	n->written = (uint32_t)q->messages.n;
	n->written_of = p->g->e->builds;
}

/* The message of the request before, if nothing it is made from has changed. */
static bool reuse(const struct part *p, uint64_t key)
{
	struct pi_egress *e = p->g->e;
	const struct pi_egress_name *n = look(p->g, p->entry);
	if (n->written == 0 || n->written_of != e->builds - 1)
		return false;
	uint32_t before = n->written;
	struct pi_message m = e->before.messages.v[before - 1];
	const struct pi_message_call *calls = calls_from(&e->before, m.first_call);
	if (calls_key(p, key, calls, m.calls) != m.key)
		return false;
	m.first_call = (uint32_t)e->now.calls.n;
	for (size_t i = 0; i < m.calls; i++)
		vec_push(&e->now.calls, calls[i]);
	m.before = before;
	m.ref = row_at(p->g, p->first)->ref;
	add(p, m);
	return true;
}

static void note_calls(struct building *g, const struct pi_draft *d)
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
	struct building *g = p->g;
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
		look(p->g, p->entry)->present = false;
		look(p->g, p->entry)->missing = true;
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
				   .ref = row_at(p->g, p->first)->ref,
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
	if (p.entry == 0 || look(p.g, p.entry)->missing)
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
				    .ref = row_at(p.g, p.first)->ref,
				    .tokens = text_tokens(text_measure(text))});
	arena_release(&e->scratch, mark);
}

static void emit_row(struct building *g, uint32_t row)
{
	struct pi_egress_name *id = look_id(g, row_at(g, row)->id);
	struct part p = {g, id->entry, id->kind == ID_SPLIT, row};
	if (id->kind == ID_SUMMARY) {
		if (g->in->rules.emit_summaries)
			emit_summary(p);
		return;
	}
	if (p.split) {
		struct pi_egress_name *entry = look(g, p.entry);
		bool done = entry->done;
		entry->done = true;
		if (done)
			return;
	}
	emit_message(p);
}

/* ---- the request ---- */

/* Bytes nobody refers to any more make room once they are the greater part. */
static void compact(struct pi_egress *e)
{
	size_t live = 0;
	struct buf fresh = {0};
	for (size_t i = 0; i < e->before.messages.n; i++)
		live += e->before.messages.v[i].n;
	for (size_t i = 0; i < e->now.messages.n; i++)
		live += e->now.messages.v[i].before == 0 ? e->now.messages.v[i].n : 0;
	if (e->store.n / 2 <= live + COMPACT_SLACK)
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

static uint64_t hash_rules(const struct building *g)
{
	const struct pi_egress_rules *r = &g->in->rules;
	uint64_t h = fnv_byte(FNV_START, (unsigned char)r->sync);
	h = fnv_byte(h, r->raw_numbers);
	h = fnv_byte(h, g->drop_thinking);
	return fnv_u64(h, g->drop_thinking ? r->thinking_units : 0);
}

void pi_egress_build(struct pi_egress *e, const struct pi_egress_input *in)
{
	struct pi_request last = e->before;
	struct building g = {.e = e, .in = in};
	e->before = e->now;
	e->now = last;
	e->now.messages.n = e->now.rows.n = e->now.calls.n = e->now.bytes = 0;
	e->builds++;
	g.drop_thinking = in->rules.drop_thinking && !pi_model_replays_thinking(in->model);
	g.rules = hash_rules(&g);
	survey(&g);
	for (uint32_t i = 0; i < in->surface->rows.n; i++)
		emit_row(&g, i);
	compact(e);
}

void pi_egress_clear(struct pi_egress *e)
{
	vec_free(&e->names);
	e->now.messages.n = e->now.rows.n = e->now.calls.n = e->now.bytes = 0;
	e->before.messages.n = e->before.rows.n = e->before.calls.n = e->before.bytes = 0;
	buf_cut(&e->store, 0);
}

static void free_request(struct pi_request *q)
{
	vec_free(&q->messages);
	vec_free(&q->rows);
	vec_free(&q->calls);
}

void pi_egress_free(struct pi_egress *e)
{
	free_request(&e->now);
	free_request(&e->before);
	vec_free(&e->names);
	vec_free(&e->next);
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

/* ---- comparing ---- */

static bool same(const struct pi_egress *e, size_t i)
{
	const struct pi_message *a = &e->before.messages.v[i], *b = &e->now.messages.v[i];
	return b->before == i + 1 || str_eq(pi_egress_bytes(e, a), pi_egress_bytes(e, b));
}

static size_t common(struct str a, struct str b)
{
	size_t n = 0;
	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	return n;
}

struct pi_prefix pi_egress_prefix(const struct pi_egress *e)
{
	const struct pi_request *a = &e->before, *b = &e->now;
	size_t most = a->messages.n < b->messages.n ? a->messages.n : b->messages.n;
	struct pi_prefix p = {0};
	while (p.messages < most && same(e, p.messages)) {
		p.bytes += b->messages.v[p.messages].n;
		p.tokens += b->messages.v[p.messages].tokens;
		p.messages++;
	}
	p.append_only = p.messages == a->messages.n;
	/* line feeds: between the messages that are the same, and before the next one where both have one */
	if (p.messages > 0)
		p.bytes += p.messages - 1 + (p.messages < most);
	if (p.messages < most)
		p.bytes += common(pi_egress_bytes(e, &a->messages.v[p.messages]),
				  pi_egress_bytes(e, &b->messages.v[p.messages]));
	return p;
}

bool pi_egress_tag_only(const struct pi_egress *e, const struct pi_message *a, const struct pi_message *b)
{
	struct str x = pi_egress_bytes(e, a), y = pi_egress_bytes(e, b);
	if (a->entry != b->entry || a->tag_n == 0 || b->tag_n == 0 || a->tag_at != b->tag_at)
		return false;
	return str_eq(str_cut(x, 0, a->tag_at), str_cut(y, 0, b->tag_at)) &&
	       str_eq(str_cut(x, a->tag_at + a->tag_n, x.n), str_cut(y, b->tag_at + b->tag_n, y.n)) && !str_eq(x, y);
}

enum pi_difference pi_egress_difference(const struct pi_egress *e, const struct pi_message *a,
					const struct pi_message *b)
{
	bool tag = pi_egress_tag_only(e, a, b);
	uint32_t flags = a->flags ^ b->flags, both = a->flags & b->flags;
	if (str_eq(pi_egress_bytes(e, a), pi_egress_bytes(e, b)))
		return PI_DIFFER_NOT;
	if (a->rows != b->rows)
		return a->rows > b->rows ? PI_DIFFER_CALLS_GONE : PI_DIFFER_CALLS_BACK;
	if (a->synced != b->synced)
		return PI_DIFFER_ARGUMENTS;
	if (flags & PI_MESSAGE_REBUILT || (both & PI_MESSAGE_REBUILT && !tag))
		return PI_DIFFER_TRUNCATED;
	if (tag)
		return PI_DIFFER_TAG;
	return flags & PI_MESSAGE_THINKING_GONE ? PI_DIFFER_THINKING : PI_DIFFER_UNKNOWN;
}

/* ASCII letters of the model's id in any case. */
static bool contains(struct str s, const char *word)
{
	size_t n = strlen(word);
	for (size_t at = 0; at + n <= s.n; at++) {
		size_t i = 0;
		while (i < n && (s.p[at + i] == word[i] || s.p[at + i] == word[i] - 'a' + 'A'))
			i++;
		if (i == n)
			return true;
	}
	return false;
}

bool pi_model_replays_thinking(struct str model)
{
	static const char *const words[] = {"deepseek", "glm", "qwq", "reasoner"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (contains(model, words[i]))
			return true;
	return false;
}
