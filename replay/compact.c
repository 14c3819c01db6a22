#include "replay/compact.h"

#include <math.h>

#include "replay/run_pi.h"

static const cJSON *record_tree(const struct run *r, size_t i, struct arena *a)
{
	const struct record *record = &r->recording->records.v[i];
	return json_tree(a, source_read(&r->recording->source, record->at, record->n, a), NULL, NULL);
}

static double number_or(const cJSON *object, const char *name, double otherwise)
{
	double x;
	return json_num(json_get(object, name), &x) ? x : otherwise;
}

static struct pi_preparation read_preparation(const cJSON *object)
{
	return (struct pi_preparation){.first_kept = json_str(json_get(object, "firstKeptEntryId")),
				       .tokens_before = number_or(object, "tokensBefore", NAN)};
}

/* ---- what is recorded ---- */

static void read_compact(const cJSON *tree, struct compact_recorded *out)
{
	out->reply = json_str(json_get(tree, "reply"));
	out->error = json_str(json_get(tree, "error"));
	out->model = json_str(json_get(tree, "model"));
	out->preparation = read_preparation(json_get(tree, "preparation"));
	out->outcome = json_get(tree, "outcome");
}

/* Our own `keep`, or the compaction line of a Pi file: both name these members alike, but for the first kept entry. */
static bool read_keep(const struct run *r, size_t i, const cJSON *tree, struct arena *a, struct compact_recorded *out)
{
	const struct recording *rec = r->recording;
	if (!cJSON_IsTrue(json_get(tree, "fromHook")))
		return false;
	struct str summary = json_str(json_get(tree, "summary"));
	struct buf b = {0};
	out->hook = true;
	buf_text(&b, "{\"summary\":");
	json_put_str(&b, summary);
	buf_char(&b, '}');
	if (summary.p != NULL)
		out->reply = (struct str){arena_copy(a, b.p, b.n), b.n};
	buf_free(&b);
	out->preparation = read_preparation(tree);
	uint32_t from = rec->others.v[rec->records.v[i].index].name;
	if (out->preparation.first_kept.p == NULL && from != 0)
		out->preparation.first_kept = names_get(&rec->names, from);
	return true;
}

bool compact_read(const struct run *r, size_t i, struct arena *a, struct compact_recorded *out)
{
	*out = (struct compact_recorded){.preparation = {.tokens_before = NAN}};
	uint8_t type = i < r->recording->records.n ? r->recording->records.v[i].type : RECORD_UNKNOWN;
	if (type != RECORD_COMPACT && type != RECORD_KEEP)
		return false;
	const cJSON *tree = record_tree(r, i, a);
	if (type == RECORD_KEEP)
		return read_keep(r, i, tree, a, out);
	out->time = number_or(tree, "time", 0);
	read_compact(tree, out);
	return true;
}

size_t compact_find(const struct run *r, size_t from)
{
	const struct recording *rec = r->recording;
	struct arena a = {0};
	size_t found = SIZE_MAX;
	for (size_t i = from; i < rec->records.n && rec->records.v[i].type != RECORD_TURN && found == SIZE_MAX; i++) {
		struct compact_recorded one;
		if (compact_read(r, i, &a, &one))
			found = i;
		if (a.used > 0)
			arena_free(&a);
	}
	return found;
}

/* ---- the model ---- */

/* A record of our own, or the line of an answer in a Pi file. */
static struct str provider_of(const struct run *r, size_t i, struct arena *a)
{
	const cJSON *tree = record_tree(r, i, a);
	struct str provider = json_str(json_get(tree, "provider"));
	return provider.p != NULL ? provider : json_str(json_get(json_get(tree, "message"), "provider"));
}

void compact_session_model(const struct run *r, size_t i, struct arena *a, struct str *provider, struct str *model)
{
	const struct recording *rec = r->recording;
	*provider = (struct str){NULL, 0};
	*model = rec->model;
	while (i-- > 0) {
		uint32_t name = pi_model_said(rec, i);
		if (name == 0)
			continue;
		*model = names_get(&rec->names, name);
		*provider = provider_of(r, i, a);
		return;
	}
}

/* ---- where the host would cut ---- */

struct cut {
	size_t start; /* what it keeps begins here */
	size_t at;    /* messages that stand before it: a rewind beyond them takes it back */
};

/* The host's messages before record i, with those that make no rows, as rewinds and keeps leave them. */
struct context {
	VEC(uint32_t) list; /* message indexes */
	VEC(struct cut) cuts;
};

/* The first place in the list, from the end, where the row of this name stands; list.n when it is not there. */
static size_t place_of(const struct context *c, const struct recording *rec, uint32_t name)
{
	size_t at = c->list.n;
	while (at > 0 && rec->messages.v[c->list.v[at - 1]].message.id != name)
		at--;
	return at > 0 ? at - 1 : c->list.n;
}

static void take_rewind(struct context *c, const struct recording *rec, uint32_t to)
{
	size_t at = to != 0 ? place_of(c, rec, to) : SIZE_MAX;
	if (at == c->list.n)
		return; /* no such row, nothing to rewind to */
	c->list.n = at == SIZE_MAX ? 0 : at + 1;
	while (c->cuts.n > 0 && c->cuts.v[c->cuts.n - 1].at > c->list.n)
		c->cuts.n--;
}

static void take_keep(struct context *c, const struct recording *rec, uint32_t from)
{
	size_t start = from != 0 ? place_of(c, rec, from) : c->list.n;
	vec_push(&c->cuts, (struct cut){start, c->list.n});
}

static void take_context(struct context *c, const struct run *r, size_t end)
{
	const struct recording *rec = r->recording;
	for (size_t i = 0; i < end; i++) {
		const struct record *record = &rec->records.v[i];
		if (record->type == RECORD_MESSAGE) {
			vec_push(&c->list, record->index);
		} else if (record->type == RECORD_REWIND) {
			take_rewind(c, rec, rec->others.v[record->index].name);
		} else if (record->type == RECORD_KEEP) {
			take_keep(c, rec, rec->others.v[record->index].name);
		}
	}
}

/* The id by which the host knows the message. */
static uint32_t entry_of(const struct message_record *m) { return m->entry != 0 ? m->entry : m->message.id; }

/* Rows of one entry stand together; the host's estimate stands with the first of them. */
static size_t take_entries(const struct context *c, const struct recording *rec, struct pi_cut_entry *out,
			   uint32_t *ids)
{
	size_t n = 0, start = c->cuts.n > 0 ? c->cuts.v[c->cuts.n - 1].start : 0;
	for (size_t i = start; i < c->list.n; i++) {
		const struct message_record *m = &rec->messages.v[c->list.v[i]];
		if (n > 0 && ids[n - 1] == entry_of(m))
			continue;
		double tokens = m->host_tokens;
		if (tokens == 0) /* a recording without the host's messages */
			tokens = ceil((double)m->message.face.size.units / 4);
		ids[n] = entry_of(m);
		out[n++] = (struct pi_cut_entry){tokens, m->rowless || m->message.role != ROLE_TOOL};
	}
	return n;
}

struct pi_preparation compact_assume_preparation(const struct run *r, size_t i)
{
	const struct recording *rec = r->recording;
	struct pi_preparation p = {.tokens_before = NAN};
	struct context c = {.list = {NULL, 0, 0}};
	take_context(&c, r, i);
	struct pi_cut_entry *entries = mem_alloc((c.list.n + 1) * sizeof *entries);
	uint32_t *ids = mem_alloc((c.list.n + 1) * sizeof *ids);
	size_t n = take_entries(&c, rec, entries, ids);
	size_t cut = pi_native_cut(entries, n, COMPACT_KEEP_TOKENS);
	if (cut < n)
		p.first_kept = names_get(&rec->names, ids[cut]);
	/* 1.10.2 takes no notice of a compaction since the last answer, so that its `unknown` does not count here */
	if (c.list.n > 0 && c.list.v[c.list.n - 1] < r->pi.after.n) {
		const struct pi_usage *u = &r->pi.after.v[c.list.v[c.list.n - 1]].usage;
		p.tokens_before = u->anchor + u->after;
	}
	free(entries);
	free(ids);
	vec_free(&c.list);
	vec_free(&c.cuts);
	return p;
}

uint32_t compact_first_row(const struct run *r, size_t i, struct str entry)
{
	const struct recording *rec = r->recording;
	uint32_t name = entry.p != NULL ? names_find(&rec->names, entry) : UINT32_MAX, found = UINT32_MAX;
	if (name == UINT32_MAX)
		return UINT32_MAX;
	while (i-- > 0) {
		const struct record *record = &rec->records.v[i];
		if (record->type != RECORD_MESSAGE)
			continue;
		const struct message_record *m = &rec->messages.v[record->index];
		if (m->entry == name || m->message.id == name)
			found = record->index;
		else if (found != UINT32_MAX)
			break; /* its rows stand together */
	}
	return found;
}
