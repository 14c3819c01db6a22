#include "engine/kernel/recommend.h"

#include "engine/base/num.h"

enum { GROUP_USER_SPLIT = 3 }; /* a user row starts a new group once the open one has so many messages */

/* Adds one row to an open group; the percentage is rounded at every step (kernel.md 4.6.2, part 11 no. 19). */
static void grow(struct range *g, uint32_t row, uint32_t ref, double tokens, uint32_t chars, bool tool)
{
	uint64_t c = ++g->count;
	g->end = ref;
	g->last = row;
	g->tokens += tokens;
	g->chars += chars;
	/* round(x / c) for a non-negative integer x: the same as floor(x / c + 0.5) */
	uint64_t x = (uint64_t)g->tool_pct * (c - 1) + (tool ? 100 : 0);
	g->tool_pct = (int)((2 * x + c) / (2 * c));
}

struct builder {
	struct recommendation *out;
	struct state *s;
	const struct counter *counter;
	double last_compressible, last_protected; /* number of the row taken last; -2 = none */
};

/* An open group whose texts are all empty is no range. */
static void close_group(struct builder *b)
{
	struct recommendation *o = b->out;
	if (o->compressible.n > 0 && o->compressible.v[o->compressible.n - 1].tokens == 0)
		o->compressible.n--;
}

static void take_compressible(struct builder *b, uint32_t i, const struct surface_row *r, double number, bool *open)
{
	struct measure m = r->face.size;
	bool tool = content_is_tool(r->content);
	struct range *g = *open ? &b->out->compressible.v[b->out->compressible.n - 1] : NULL;
	bool fresh = g == NULL || (r->role == ROLE_USER && g->count >= GROUP_USER_SPLIT) ||
		     number > b->last_compressible + 1;
	b->last_compressible = number;
	double tokens = counter_tokens(b->counter, m);
	if (!fresh) {
		grow(g, i, r->ref, tokens, m.units, tool);
		return;
	}
	if (*open)
		close_group(b);
	*open = true;
	vec_push(&b->out->compressible, (struct range){.start = r->ref,
						       .end = r->ref,
						       .first = i,
						       .last = i,
						       .count = 1,
						       .tokens = tokens,
						       .chars = m.units,
						       .tool_pct = tool ? 100 : 0,
						       .has_chars = true});
}

static void add_tool(struct recommendation *o, struct protected_range *p, uint32_t tool)
{
	if (tool == 0)
		return;
	for (uint32_t i = 0; i < p->tools_n; i++)
		if (o->tools.v[p->tools_at + i] == tool)
			return;
	vec_push(&o->tools, tool);
	p->tools_n++;
}

static void take_protected(struct builder *b, uint32_t i, const struct surface_row *r, double number)
{
	struct recommendation *o = b->out;
	if (o->protected_ranges.n == 0 || number > b->last_protected + 1)
		vec_push(&o->protected_ranges,
			 (struct protected_range){.start = r->ref, .first = i, .tools_at = (uint32_t)o->tools.n});
	struct protected_range *p = &o->protected_ranges.v[o->protected_ranges.n - 1];
	b->last_protected = number;
	p->end = r->ref;
	p->last = i;
	p->count++;
	p->tokens += counter_tokens(b->counter, r->face.size);
	add_tool(o, p, r->tool);
}

/* Paired protection, S being the call ids of protected tool-calls (kernel.md 4.1.1). */
static bool is_protected(const struct surface_row *r, struct state *s)
{
	return surface_protected(r, s) ||
	       (r->content == CONTENT_RESULT && r->call != 0 && s->info.v[r->call].protected_calls > 0);
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Drops the ranges from row `from` on; false, with `from` lowered, when one lies across it. */
static bool drop_protected(struct recommendation *o, uint32_t *from)
{
	while (o->protected_ranges.n > 0) {
		const struct protected_range *p = &o->protected_ranges.v[o->protected_ranges.n - 1];
		if (p->last < *from)
			break;
		o->protected_ranges.n--;
		if (p->first < *from) {
			*from = p->first;
			return false;
		}
	}
	return true;
}

/*
 * Keeps the ranges that end before anything changed: rows that are not kept, and rows that came into the recent zone or
 * left it. The last compressible one may still grow, so the row to go on from is where it starts.
 */
static uint32_t keep_ranges(struct recommendation *o, size_t kept, struct zone_rows zone)
{
	const struct zone_rows *old = &o->zone_rows;
	uint32_t from = kept > 0 ? least((uint32_t)kept, least(zone.tail, old->tail)) : 0;
	if (zone.user != old->user)
		from = least(from, least(zone.user, old->user));
	do {
		while (o->compressible.n > 0 && o->compressible.v[o->compressible.n - 1].first >= from)
			o->compressible.n--;
		from = o->compressible.n > 0 ? o->compressible.v[--o->compressible.n].first : 0;
	} while (!drop_protected(o, &from));
	return from;
}

void recommend_run(const struct surface *f, struct state *s, const struct counter *counter, size_t kept,
		   struct recommendation *out)
{
	struct builder b = {out, s, counter, -2, -2};
	bool open = false;
	state_uncovered(s);
	struct zone_rows zone = protect_bare_zone(f, s, counter, &out->zone);
	uint32_t from = keep_ranges(out, kept, zone);
	out->zone_rows = zone;
	out->tools.n = 0;
	if (out->protected_ranges.n > 0) {
		const struct protected_range *p = &out->protected_ranges.v[out->protected_ranges.n - 1];
		b.last_protected = state_ref_number(s, p->end);
		out->tools.n = p->tools_at + p->tools_n;
	}
	for (size_t i = from; i < f->rows.n; i++) {
		const struct surface_row *r = &f->rows.v[i];
		if (r->ref == REF_NONE || r->ref == REF_BLOCKED || surface_bare_skip(r))
			continue;
		double number = state_ref_number(s, r->ref);
		if (is_protected(r, s))
			take_protected(&b, (uint32_t)i, r, number);
		else if (!mark_set_has(&out->zone, r->ref))
			take_compressible(&b, (uint32_t)i, r, number, &open);
	}
	if (open)
		close_group(&b);
	recommend_merge(out->compressible.v, out->compressible.n, s->config->min_range, out);
}

/* A batch in the making: the merged range so far and the weighted percentage. */
struct batch {
	struct range r;
	double size, weighted;
};

static void batch_add(struct batch *b, const struct range *g)
{
	double size = g->has_chars ? g->chars : g->tokens * 4;
	if (b->r.count == 0)
		b->r = (struct range){.start = g->start, .first = g->first, .has_chars = true};
	b->r.end = g->end;
	b->r.last = g->last;
	b->r.count += g->count;
	b->r.tokens += g->tokens;
	b->r.dangerous = b->r.dangerous || g->dangerous;
	b->size += size;
	b->weighted += (double)g->tool_pct * g->count;
}

static void batch_emit(struct batch *b, struct recommendation *out)
{
	b->r.chars = b->size;
	b->r.tool_pct = (int)num_round(b->weighted / b->r.count);
	vec_push(&out->recommended, b->r);
	*b = (struct batch){0};
}

void recommend_merge(const struct range *in, size_t n, double min_range, struct recommendation *out)
{
	struct batch b = {0};
	out->recommended.n = 0;
	for (size_t i = 0; i < n; i++) {
		if (min_range <= 0) {
			vec_push(&out->recommended, in[i]);
			continue;
		}
		batch_add(&b, &in[i]);
		if (b.size >= min_range)
			batch_emit(&b, out);
	}
	if (b.r.count > 0)
		batch_emit(&b, out);
}

void recommend_free(struct recommendation *r)
{
	vec_free(&r->compressible);
	vec_free(&r->recommended);
	vec_free(&r->protected_ranges);
	vec_free(&r->tools);
	mark_set_free(&r->zone);
}
