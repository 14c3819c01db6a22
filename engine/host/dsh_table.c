#include "engine/host/dsh_table.h"

#include "engine/base/num.h"

/* ---- what stops a segment ---- */

/* dsh.md 5.1.1b; a row that the strip hides is an empty assistant row, never the user's. */
static bool may_be_tail(const struct dsh_nodes *n, uint32_t at)
{
	uint32_t row = n->list.rows.v[at];
	if (n->f->rules.tail)
		return dsh_fold_traits(n->f, row)->user_turn;
	return dsh_log_row(n->f->log, row)->type == DSH_USER && !dsh_fold_is(n->f, row, DSH_CHECKPOINT);
}

static uint8_t stop_of(const struct dsh_nodes *n, uint32_t at)
{
	const struct dsh_fold *f = n->f;
	uint32_t row = n->list.rows.v[at];
	uint8_t stops = 0;
	if (dsh_fold_is(f, row, DSH_CHECKPOINT))
		stops |= DSH_STOP_CHECKPOINT;
	if (f->rules.barrier && dsh_fold_is(f, row, DSH_INSTRUCTION))
		stops |= DSH_STOP_BARRIER;
	if (f->rules.pin && dsh_scopes_pins(&f->scopes, row, dsh_fold_traits(f, row)))
		stops |= DSH_STOP_PIN;
	if (dsh_row_is_system(dsh_log_row(f->log, row)))
		stops |= DSH_STOP_SYSTEM;
	return stops;
}

static void find_stops(struct dsh_table *t, size_t preserve)
{
	const struct dsh_nodes *n = &t->nodes;
	uint32_t count = (uint32_t)n->list.rows.n;
	bool tail = false;
	t->stops.n = 0;
	vec_fill(&t->stops, count);
	for (uint32_t i = count; i-- > 0;) {
		t->stops.v[i] = stop_of(n, i);
		if (count - i <= preserve)
			t->stops.v[i] |= DSH_STOP_PRESERVE;
		if (!tail && may_be_tail(n, i)) {
			t->stops.v[i] |= DSH_STOP_TAIL;
			tail = true;
		}
	}
}

/* ---- segments ---- */

/* A segment that is being walked; count 0 = none. first, last: positions. */
static void extend(const struct dsh_nodes *n, uint32_t at, struct dsh_range *s)
{
	const struct dsh_row *r = dsh_nodes_row(n, at);
	if (s->count == 0) {
		s->first = at;
		s->start = r->seq;
	}
	s->last = at;
	s->end = r->seq;
	s->count++;
	if (dsh_nodes_hidden(n, at))
		return;
	s->tokens += dsh_row_display(r);
	s->tools += r->type == DSH_TOOL || r->calls_n > 0;
}

/* The first row between two positions that must not be offered, -1 = none. */
static int64_t swallowed(const struct dsh_table *t, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (t->stops.v[i] & ~DSH_STOP_CHECKPOINT)
			return dsh_nodes_row(&t->nodes, i)->seq;
	return -1;
}

/* Offers the segment at its resolved edges, if it has any, and begins anew. */
static void close_segment(struct dsh_table *t, struct dsh_range *s)
{
	struct dsh_resolution r;
	struct dsh_range raw = *s;
	*s = (struct dsh_range){.over = -1};
	if (raw.count == 0)
		return;
	dsh_resolve(&t->nodes, raw.start, raw.end, &r);
	if (r.verdict != DSH_ACCEPTED)
		return;
	if (r.left < raw.first)
		raw.over = swallowed(t, r.left, raw.first);
	if (r.right > raw.last && raw.over < 0)
		raw.over = swallowed(t, raw.last + 1, r.right + 1);
	raw.start = r.start;
	raw.end = r.end;
	raw.first = r.left;
	raw.last = r.right;
	raw.tool_pct = (int)num_round(100.0 * raw.tools / raw.count);
	vec_push(&t->ranges, raw);
}

/* ---- order ---- */

/* A merge from the bottom up keeps equals in order. */
static void sort_ranges(struct dsh_table *t)
{
	size_t n = t->ranges.n;
	t->sorting.n = 0;
	vec_fill(&t->sorting, n);
	for (size_t width = 1; width < n; width *= 2) {
		struct dsh_range *from = t->ranges.v, *to = t->sorting.v;
		for (size_t i = 0; i < n; i += 2 * width) {
			size_t middle = i + width < n ? i + width : n, end = middle + width < n ? middle + width : n;
			size_t a = i, b = middle;
			for (size_t k = i; k < end; k++)
				to[k] = a < middle && (b >= end || from[a].start <= from[b].start) ? from[a++]
												   : from[b++];
		}
		memcpy(from, to, n * sizeof *from);
	}
}

void dsh_table_build(struct dsh_table *t, const struct dsh_fold *f, size_t preserve)
{
	struct dsh_range segment = {.over = -1};
	dsh_nodes_build(&t->nodes, f, true);
	find_stops(t, preserve);
	t->ranges.n = 0;
	for (uint32_t i = 0; i < t->nodes.list.rows.n; i++) {
		if (t->stops.v[i]) {
			close_segment(t, &segment);
			continue;
		}
		if (segment.count && dsh_nodes_row(&t->nodes, i)->seq < segment.start)
			close_segment(t, &segment);
		extend(&t->nodes, i, &segment);
	}
	close_segment(t, &segment);
	sort_ranges(t);
}

void dsh_table_free(struct dsh_table *t)
{
	dsh_nodes_free(&t->nodes);
	vec_free(&t->stops);
	vec_free(&t->ranges);
	vec_free(&t->sorting);
}

/* ---- census ---- */

void dsh_census_take(struct dsh_census *c, const struct dsh_fold *f)
{
	const struct dsh_surface *s = &f->surface;
	memset(c->classes, 0, sizeof c->classes);
	c->barriers.n = 0;
	for (uint32_t row = dsh_surface_first(s); row != DSH_NONE; row = dsh_surface_next(s, row)) {
		enum dsh_class class = (enum dsh_class)dsh_fold_traits(f, row)->class;
		if (!f->rules.barrier && class != DSH_CHECKPOINT)
			class = DSH_REAL;
		c->classes[class]++;
		if (class == DSH_INSTRUCTION)
			vec_push(&c->barriers, dsh_log_seq(f->log, row));
	}
}

void dsh_census_free(struct dsh_census *c) { vec_free(&c->barriers); }
