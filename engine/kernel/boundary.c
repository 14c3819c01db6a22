#include "engine/kernel/boundary.h"
#include "engine/base/buf.h"

void positions_build(struct positions *p, const struct surface *f)
{
	for (size_t i = 0; i < p->seen.n; i++)
		p->first.v[p->seen.v[i]] = p->last.v[p->seen.v[i]] = 0;
	p->seen.n = p->smallest.n = p->owner.n = p->at_row.n = p->sights.n = 0;
	for (size_t i = 0; i < f->rows.n; i++) {
		uint32_t id = f->rows.v[i].id;
		vec_fill(&p->first, (size_t)id + 1);
		vec_fill(&p->last, (size_t)id + 1);
		p->last.v[id] = (uint32_t)i + 1;
		if (p->first.v[id] != 0)
			continue;
		p->first.v[id] = (uint32_t)i + 1;
		vec_push(&p->seen, id);
	}
}

void positions_free(struct positions *p)
{
	vec_free(&p->last);
	vec_free(&p->first);
	vec_free(&p->seen);
	vec_free(&p->smallest);
	vec_free(&p->at_row);
	vec_free(&p->sights);
	vec_free(&p->owner);
	mark_set_free(&p->wanted);
}

bool boundary_in_ids(const struct surface_row *r, const struct state *s)
{
	if (r->role != ROLE_SYSTEM || r->content != CONTENT_TEXT)
		return true;
	return !str_starts(names_get(s->names, r->id), STR(SUMMARY_ID_PREFIX));
}

/* ---- where blocks are visible (kernel.md 6.3) ---- */

/* Smallest index among a block's effective ids as row + 1, from its list. */
static uint32_t smallest_of_list(const struct block *k, const struct positions *p)
{
	uint32_t smallest = 0;
	for (uint32_t i = 0; i < k->effective_n; i++) {
		uint32_t at = position_last(p, k->effective[i]);
		if (at != 0 && (smallest == 0 || at < smallest))
			smallest = at;
	}
	return smallest;
}

uint32_t boundary_block_anchor(const struct block *k, const struct positions *p)
{
	uint32_t summary = position_last(p, k->summary_id);
	return summary != 0 ? summary : smallest_of_list(k, p);
}

/* `at` is row + 1. */
static bool lies_in(uint32_t at, uint32_t from, uint32_t to) { return at > from && at <= to + 1; }

bool boundary_block_visible(const struct block *k, const struct positions *p, uint32_t a, uint32_t b)
{
	return lies_in(position_last(p, k->summary_id), a, b) || lies_in(smallest_of_list(k, p), a, b);
}

/* The row is the last one of an id: gives its place to the active blocks that list the id and have none yet. */
static void give_smallest(struct positions *p, struct state *s, uint32_t id, uint32_t at)
{
	uint32_t left = state_info(s, id)->covers;
	/* the newest come first, and an active block is rarely old: most chains end at once */
	for (uint32_t l = left > 0 ? state_info(s, id)->listed : 0; l != 0; l = s->listings.v[l - 1].next) {
		uint32_t block = s->listings.v[l - 1].block;
		if (!s->blocks.v[block].active)
			continue;
		if (p->smallest.v[block] == 0)
			p->smallest.v[block] = at;
		if (--left == 0)
			break;
	}
}

static void see_at(struct positions *p, uint32_t block, uint32_t at)
{
	if (at == 0)
		return;
	vec_push(&p->sights, (struct sight){block, p->at_row.v[at - 1]});
	p->at_row.v[at - 1] = (uint32_t)p->sights.n;
}

/* Where an active block is to be seen (kernel.md 6.3); `smallest` knows it. */
static void see_block(struct positions *p, const struct state *s, uint32_t block)
{
	if (!s->blocks.v[block].active)
		return;
	see_at(p, block, position_last(p, s->blocks.v[block].summary_id));
	see_at(p, block, p->smallest.v[block]);
}

/* Brings `smallest` up to date: all active blocks by one pass over the rows (kernel.md 9.8), later ones by their lists.
 */
static void know_blocks(struct positions *p, const struct surface *f, struct state *s)
{
	size_t known = p->smallest.n;
	if (known == s->blocks.n)
		return;
	vec_fill(&p->smallest, s->blocks.n);
	vec_fill(&p->at_row, f->rows.n);
	if (known > 0) {
		for (size_t i = known; i < s->blocks.n; i++) {
			p->smallest.v[i] = smallest_of_list(&s->blocks.v[i], p);
			see_block(p, s, (uint32_t)i);
		}
		return;
	}
	for (size_t i = 0; i < f->rows.n; i++) {
		uint32_t id = f->rows.v[i].id, at = (uint32_t)i + 1;
		if (position_last(p, id) == at)
			give_smallest(p, s, id, at);
	}
	for (size_t i = 0; i < s->live.n; i++)
		see_block(p, s, s->live.v[i]);
}

/* Visible anchor of an active block, row + 1; know_blocks was called. */
static uint32_t anchor_of(const struct positions *p, const struct state *s, uint32_t block)
{
	uint32_t summary = position_last(p, s->blocks.v[block].summary_id);
	return summary != 0 ? summary : p->smallest.v[block];
}

static bool is_visible(const struct positions *p, const struct state *s, uint32_t block, uint32_t from, uint32_t to)
{
	const struct block *k = &s->blocks.v[block];
	return k->active &&
	       (lies_in(position_last(p, k->summary_id), from, to) || lies_in(p->smallest.v[block], from, to));
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* The blocks of boundary_blocks_in from what is to be seen at each row: costs the rows, not the blocks. */
static size_t blocks_by_row(struct arena *a, struct positions *p, const struct state *s, uint32_t from, uint32_t to,
			    uint32_t **blocks)
{
	size_t n = 0, filled = 0;
	for (uint32_t row = from; row <= to; row++)
		for (uint32_t i = p->at_row.v[row]; i != 0; i = p->sights.v[i - 1].next)
			n += s->blocks.v[p->sights.v[i - 1].block].active;
	uint32_t *list = *blocks = arena_alloc(a, n * sizeof *list);
	for (uint32_t row = from; row <= to && filled < n; row++)
		for (uint32_t i = p->at_row.v[row]; i != 0; i = p->sights.v[i - 1].next)
			if (s->blocks.v[p->sights.v[i - 1].block].active)
				list[filled++] = p->sights.v[i - 1].block;
	if (n > 1)
		qsort(list, n, sizeof *list, by_number);
	filled = 0;
	for (size_t i = 0; i < n; i++) /* summary and smallest id can both lie there */
		if (filled == 0 || list[filled - 1] != list[i])
			list[filled++] = list[i];
	return filled;
}

size_t boundary_blocks_in(struct arena *a, const struct surface *f, struct positions *p, struct state *s, uint32_t from,
			  uint32_t to, uint32_t **blocks)
{
	size_t n = 0, filled = 0;
	know_blocks(p, f, s);
	if (from <= to && to - from < s->live.n && to < p->at_row.n)
		return blocks_by_row(a, p, s, from, to, blocks);
	for (size_t i = 0; i < s->live.n; i++)
		n += is_visible(p, s, s->live.v[i], from, to);
	*blocks = arena_alloc(a, n * sizeof **blocks);
	for (size_t i = 0; filled < n; i++)
		if (is_visible(p, s, s->live.v[i], from, to))
			(*blocks)[filled++] = s->live.v[i];
	return n;
}

/* ---- owner anchor (kernel.md 6.4), row + 1 or 0 ---- */

static uint32_t nearer(uint32_t a, uint32_t b) { return a == 0 || (b != 0 && b < a) ? b : a; }

/* Active blocks that list the block id as child. */
static uint32_t parents_anchor(const struct positions *p, struct state *s, uint32_t id)
{
	uint32_t best = 0;
	for (uint32_t l = state_info(s, id)->parents; l != 0; l = s->listings.v[l - 1].next) {
		uint32_t parent = s->listings.v[l - 1].block;
		if (s->blocks.v[parent].active)
			best = nearer(best, anchor_of(p, s, parent));
	}
	return best;
}

/* Of one id: every block that lists it, then every active block that consumed that one (kernel.md 9.9). */
static uint32_t owner_of_id(struct positions *p, const struct surface *f, struct state *s, uint32_t name)
{
	uint32_t best = 0;
	know_blocks(p, f, s);
	for (uint32_t l = state_info(s, name)->listed; l != 0; l = s->listings.v[l - 1].next) {
		uint32_t block = s->listings.v[l - 1].block, id = s->blocks.v[block].id;
		/* children are looked up by id: a later block of the same id is nobody's child */
		if (state_info(s, id)->block == block + 1)
			best = nearer(best, parents_anchor(p, s, id));
	}
	return best;
}

/* One of the block's children lists a wanted id. */
static bool inherits_wanted(const struct positions *p, struct state *s, uint32_t block)
{
	const struct block *k = &s->blocks.v[block];
	for (uint32_t c = 0; c < k->children_n; c++) {
		uint32_t child = state_info(s, k->children[c])->block;
		if (child == 0)
			continue;
		const struct block *kid = &s->blocks.v[child - 1];
		for (uint32_t i = 0; i < kid->effective_n; i++)
			if (mark_set_has(&p->wanted, kid->effective[i]))
				return true;
	}
	return false;
}

/*
 * Of all ids of a block: from the owners' side, as each id of an often rewritten
 * block is listed by the whole chain. Kept: both ends of a range, and both
 * resolutions of it, mostly ask for the same block.
 */
static uint32_t owner_of_block(struct positions *p, const struct surface *f, struct state *s, uint32_t block)
{
	know_blocks(p, f, s);
	if (p->owner_version != s->version)
		p->owner.n = 0;
	p->owner_version = s->version;
	vec_fill(&p->owner, s->blocks.n);
	if (p->owner.v[block] != 0)
		return p->owner.v[block] - 1;

	const struct block *k = &s->blocks.v[block];
	uint32_t best = 0;
	mark_set_clear(&p->wanted);
	for (uint32_t i = 0; i < k->effective_n; i++)
		mark_set_add(&p->wanted, k->effective[i]);
	for (size_t i = 0; i < s->live.n; i++) {
		uint32_t parent = s->live.v[i];
		uint32_t at = s->blocks.v[parent].active ? anchor_of(p, s, parent) : 0;
		if (at != 0 && (best == 0 || at < best) && inherits_wanted(p, s, parent))
			best = at;
	}
	p->owner.v[block] = best + 1;
	return best;
}

/* ---- anchor of one ref (kernel.md 6.2) ---- */

struct anchor {
	enum resolve_status status;
	enum consumed_kind consumed;
	uint32_t row;
	bool snapped;
	struct str ref;
};

/* Snapped to the owner at `owner` (row + 1), or consumed. */
static void anchor_owned(struct anchor *out, uint32_t owner, enum consumed_kind kind)
{
	if (owner == 0) {
		out->status = RESOLVE_CONSUMED;
		out->consumed = kind;
		return;
	}
	out->row = owner - 1;
	out->snapped = true;
}

static uint32_t name_of_ref(const struct state *s, uint32_t ref)
{
	return ref != REF_NONE && ref < s->by_ref.n ? s->by_ref.v[ref] : 0;
}

static struct anchor anchor_message(const struct boundary_ref *ref, const struct surface *f, struct positions *p,
				    struct state *s)
{
	struct anchor out = {.status = RESOLVE_OK, .ref = ref->spelling};
	uint32_t name = name_of_ref(s, state_ref_find(s, ref->spelling));
	if (name == 0)
		name = name_of_ref(s, ref->number);
	if (name == 0) {
		out.status = RESOLVE_UNKNOWN;
		return out;
	}
	uint32_t at = position_last(p, name);
	if (at != 0)
		out.row = at - 1;
	else
		anchor_owned(&out, owner_of_id(p, f, s, name), CONSUMED_MESSAGE_HIDDEN);
	return out;
}

static struct anchor anchor_block(struct arena *a, const struct boundary_ref *ref, const struct surface *f,
				  struct positions *p, struct state *s)
{
	struct buf id = {0};
	buf_printf(&id, "b%u", (unsigned)ref->number);
	struct anchor out = {.status = RESOLVE_OK, .ref = {arena_copy(a, id.p, id.n), id.n}};
	buf_free(&id);
	const struct block *k = state_block_named(s, out.ref);
	if (!k) {
		out.status = RESOLVE_UNKNOWN;
		return out;
	}
	know_blocks(p, f, s);
	uint32_t block = (uint32_t)(k - s->blocks.v);
	uint32_t at = k->active ? anchor_of(p, s, block) : 0;
	if (at != 0)
		out.row = at - 1;
	else
		anchor_owned(&out, owner_of_block(p, f, s, block),
			     k->active ? CONSUMED_BLOCK_INVISIBLE : CONSUMED_BLOCK_INACTIVE);
	return out;
}

/* Resolves one endpoint into *out; false when it failed. */
static bool resolve_end(struct arena *a, const struct boundary_ref *ref, bool at_end, const struct surface *f,
			struct positions *p, struct state *s, struct resolution *out, uint32_t *row)
{
	bool block = ref->kind == BOUNDARY_BLOCK;
	struct anchor at = block ? anchor_block(a, ref, f, p, s) : anchor_message(ref, f, p, s);
	if (at.status != RESOLVE_OK) {
		out->status = at.status;
		out->consumed = at.consumed;
		out->at_end = at_end;
		out->ref = at.ref;
		return false;
	}
	if (at.snapped)
		out->snaps[out->snaps_n++] = (struct snap){.end = at_end, .block = block, .ref = at.ref};
	*row = at.row;
	return true;
}

void boundary_locate(struct arena *a, struct str start_ref, struct str end_ref, const struct surface *f,
		     struct positions *p, struct state *s, struct resolution *out)
{
	struct boundary_ref start = boundary_read(a, start_ref), end = boundary_read(a, end_ref);
	uint32_t from = 0, to = 0;
	*out = (struct resolution){.status = RESOLVE_INVALID};
	if (start.kind == BOUNDARY_NONE || end.kind == BOUNDARY_NONE)
		return;
	out->status = RESOLVE_OK;
	if (!resolve_end(a, &start, false, f, p, s, out, &from) || !resolve_end(a, &end, true, f, p, s, out, &to))
		return;
	out->start = from < to ? from : to;
	out->end = from < to ? to : from;
	out->block_kind = start.kind == BOUNDARY_BLOCK || end.kind == BOUNDARY_BLOCK;
}

void boundary_resolve(struct arena *a, struct str start_ref, struct str end_ref, const struct surface *f,
		      struct positions *p, struct state *s, struct resolution *out)
{
	boundary_locate(a, start_ref, end_ref, f, p, s, out);
	if (out->status == RESOLVE_OK)
		out->nested_n = boundary_blocks_in(a, f, p, s, out->start, out->end, &out->nested);
}
