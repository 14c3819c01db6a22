/* The prune node: summaries in, covered rows out, nothing left dangling (kernel.md 4.3). */
#include "engine/kernel/nodes.h"

static int by_place(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Active blocks by anchor; ties keep block list order. Kept while no block and no anchor changed. */
static void order_anchors(struct turn *t, struct state *s)
{
	if (t->order_version == s->version && t->order_epoch == s->epoch && t->order_for == s)
		return;
	/* a block without content stands at the top, beside one whose content begins there (kernel.md 4.3.3 c) */
	uint32_t top = s->rows.n > 0 ? s->rows.v[0] : 0;
	t->order.n = 0;
	bool sorted = true;
	for (size_t i = 0; i < s->live.n; i++) {
		uint32_t block = s->live.v[i];
		if (!s->blocks.v[block].active)
			continue;
		uint32_t anchor = state_block_anchor(s, block);
		uint64_t key = (uint64_t)(anchor > top ? anchor : top) << 32 | block;
		sorted = sorted && (t->order.n == 0 || t->order.v[t->order.n - 1] < key);
		vec_push(&t->order, key);
	}
	if (!sorted)
		qsort(t->order.v, t->order.n, sizeof *t->order.v, by_place);
	t->order_version = s->version;
	t->order_epoch = s->epoch;
	t->order_for = s;
}

/* 4.3.5 a and b: a call without its result, a result without its call. */
static bool is_orphan(const struct state *s, const struct message *m)
{
	if (m->call == 0)
		return false;
	if (m->content == CONTENT_CALL)
		return m->tool != s->compress_tool && s->info.v[m->call].results == 0;
	return m->content == CONTENT_RESULT && s->info.v[m->call].calls == 0;
}

/* 4.3.4 d: a rendered summary the host fed back, of a block that is shown anyway. */
static bool is_shown_again(const struct state *s, const struct message *m)
{
	if (!message_is_summary(m))
		return false;
	struct str id = names_get(s->names, m->id);
	uint32_t block = names_find(s->names, str_cut(id, sizeof SUMMARY_ID_PREFIX - 1, id.n));
	if (block == UINT32_MAX || block >= s->info.n || s->info.v[block].block == 0)
		return false;
	for (size_t i = s->info.v[block].block - 1; i < s->blocks.n; i++) {
		if (s->blocks.v[i].id == block && s->blocks.v[i].active)
			return true;
		if (!s->twins)
			break;
	}
	return false;
}

struct emitter {
	struct surface *out;
	size_t run; /* where the reasoning run at the end of `out` begins; SIZE_MAX = none */
	bool plain; /* nothing is covered: nothing goes out, not even what dangles (4.3.1) */
};

/* Appends a row; a reasoning run that it does not continue or carry on is taken back (4.3.5 c). */
static void emit(struct emitter *e, struct surface_row r)
{
	if (r.content == CONTENT_REASONING && !e->plain) {
		if (e->run == SIZE_MAX)
			e->run = e->out->rows.n;
	} else if (e->run != SIZE_MAX) {
		if (r.role != ROLE_ASSISTANT || (r.content != CONTENT_TEXT && r.content != CONTENT_CALL))
			e->out->rows.n = e->run;
		e->run = SIZE_MAX;
	}
	vec_push(&e->out->rows, r);
}

static bool is_left_out(const struct turn *t, const struct state *s, uint32_t index)
{
	const struct message *m = &s->messages.v[index];
	bool fed = m->summary_id && s->first_user != index + 1 && !t->in.no_summaries;
	return is_orphan(s, m) || (fed && is_shown_again(s, m));
}

/* How many of the ascending numbers are at most x. */
static size_t count_to(const uint32_t *v, size_t n, uint32_t x)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (v[mid] <= x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Whether the row is as it was, and everything before it (a reasoning row depends on what follows it). */
static bool stays(const struct surface_row *r, const struct state *s)
{
	return r->source >= 0 && (uint32_t)r->source < s->changed && r->content != CONTENT_REASONING;
}

/* Keeps the rows of the turn before up to the last one that stays; returns the place in `uncovered` to go on from. */
static size_t keep_rows(struct turn *t, struct state *s)
{
	struct surface *f = &t->surface;
	size_t n = turn_goes_on(t, s) ? f->rows.n : 0;
	while (n > 0 && !stays(&f->rows.v[n - 1], s))
		n--;
	f->rows.n = t->kept = n;
	turn_digest_cut(t, n);
	t->of = s;
	s->shown_to = t;
	s->changed = UINT32_MAX;
	return n == 0 ? 0 : count_to(s->uncovered.v, s->uncovered.n, (uint32_t)f->rows.v[n - 1].source);
}

void prune_run(struct turn *t, struct state *s)
{
	struct emitter e = {&t->surface, SIZE_MAX, s->covered_ids == 0};
	state_uncovered(s);
	hide_find_orphans(t, s);
	if (e.plain || t->in.no_summaries)
		t->order.n = 0, t->order_for = NULL;
	else
		order_anchors(t, s);
	size_t i = keep_rows(t, s);
	uint32_t done = i > 0 ? s->uncovered.v[i - 1] + 1 : 0;
	size_t next = 0;
	while (next < t->order.n && (uint32_t)(t->order.v[next] >> 32) < done)
		next++;
	for (; i < s->uncovered.n; i++) {
		uint32_t index = s->uncovered.v[i];
		for (; next < t->order.n && (uint32_t)(t->order.v[next] >> 32) <= index; next++)
			emit(&e, surface_summary(s, (uint32_t)t->order.v[next]));
		if (!e.plain && is_left_out(t, s, index))
			continue;
		emit(&e, surface_of_message(s, index));
	}
	for (; next < t->order.n; next++)
		emit(&e, surface_summary(s, (uint32_t)t->order.v[next]));
	if (e.run != SIZE_MAX)
		e.out->rows.n = e.run;
}
