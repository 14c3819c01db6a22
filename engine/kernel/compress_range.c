#include "engine/base/num.h"
#include "engine/kernel/compress_batch.h"
#include "engine/kernel/pairs.h"

enum { WIDEN_PASSES = 2, TIER_MAX = 3 }; /* two passes, though a third could find more: kernel.md 11, 41 */

/* One range on its way to a block. Lists live in the result's arena; blocks are indexes, ids are names. */
struct work {
	size_t index;
	const struct range_request *asked;
	struct resolution at;
	struct interval rows; /* widened */
	size_t ids;           /* rows of the interval that count as ids */
	uint32_t *nested, *consumed, *effective, *direct, *hits;
	size_t nested_n, consumed_n, effective_n, direct_n, hits_n;
	uint32_t tier; /* of the consumed blocks */
	uint32_t excluded;
};

static uint32_t *list_of(struct batch *b, size_t n) { return arena_alloc(&b->out->arena, n * sizeof(uint32_t)); }

/* Prefix test only: a host message of that name falls out too (kernel.md 5.6 step 2). */
static bool is_reserved(const struct batch *b, const struct surface_row *r)
{
	return str_starts(names_get(b->s->names, r->id), STR(SUMMARY_ID_PREFIX));
}

/* ---- steps 1 to 3: where the range lies ---- */

/* Blocks change only when one was made, so the classification still holds before the first. */
static bool locate(struct batch *b, struct work *w)
{
	const struct range_request *r = w->asked;
	w->at = b->asked[w->index].at;
	if (b->out->blocks_created > 0)
		boundary_locate(&b->out->arena, r->start, r->end, b->f, &b->c->positions, b->s, &w->at);
	if (w->at.status != RESOLVE_OK) {
		batch_refuse(b, batch_resolve_note(b, &w->at, w->index));
		return false;
	}
	w->rows = (struct interval){w->at.start, w->at.end};
	w->nested_n =
		boundary_blocks_in(&b->out->arena, b->f, &b->c->positions, b->s, w->at.start, w->at.end, &w->nested);
	return true;
}

static void widen(struct batch *b, struct work *w)
{
	for (int pass = 0; pass < WIDEN_PASSES; pass++) {
		struct interval before = w->rows;
		w->rows = pairs_tools(b->f, b->s, pairs_reasoning(b->f, w->rows));
		if (w->rows.start == before.start && w->rows.end == before.end)
			break;
	}
}

/* Blocks that the widened range sees and the asked one did not; both lists are in list order. */
static void nest_more(struct batch *b, struct work *w, uint32_t from, uint32_t to)
{
	uint32_t *seen, *all;
	size_t seen_n = boundary_blocks_in(&b->out->arena, b->f, &b->c->positions, b->s, from, to, &seen);
	size_t n = w->nested_n, old = 0;
	all = list_of(b, n + seen_n);
	memcpy(all, w->nested, n * sizeof *all);
	for (size_t i = 0; i < seen_n; i++) {
		while (old < w->nested_n && w->nested[old] < seen[i])
			old++;
		if (old == w->nested_n || w->nested[old] != seen[i])
			all[n++] = seen[i];
	}
	w->nested = all;
	w->nested_n = n;
}

/* Counts the ids of the interval and looks again for nested blocks when they became more. */
static void count_ids(struct batch *b, struct work *w)
{
	size_t resolved = 0;
	uint32_t first = 0, last = 0;
	for (uint32_t i = w->at.start; i <= w->at.end; i++)
		resolved += boundary_in_ids(&b->f->rows.v[i], b->s);
	for (int64_t i = w->rows.start; i <= w->rows.end; i++) {
		const struct surface_row *r = &b->f->rows.v[i];
		if (is_reserved(b, r))
			continue;
		last = r->id;
		if (w->ids++ == 0)
			first = r->id;
	}
	if (w->ids > resolved)
		nest_more(b, w, position_last(&b->c->positions, first) - 1, position_last(&b->c->positions, last) - 1);
}

/* ---- steps 4 to 9: what goes into the block ---- */

static void choose_consumed(struct batch *b, struct work *w)
{
	w->tier = 1;
	if (w->at.block_kind && w->nested_n > 0) {
		w->tier = b->s->blocks.v[w->nested[0]].tier;
		for (size_t i = 1; i < w->nested_n; i++)
			if (b->s->blocks.v[w->nested[i]].tier < w->tier)
				w->tier = b->s->blocks.v[w->nested[i]].tier;
	}
	w->consumed = list_of(b, w->nested_n);
	for (size_t i = 0; i < w->nested_n; i++)
		if (b->s->blocks.v[w->nested[i]].tier == w->tier)
			w->consumed[w->consumed_n++] = w->nested[i];
}

static void add_once(struct batch *b, struct work *w, uint32_t name)
{
	if (mark_set_has(&b->c->names, name))
		return;
	mark_set_add(&b->c->names, name);
	w->effective[w->effective_n++] = name;
}

static void collect_effective(struct batch *b, struct work *w)
{
	size_t room = w->ids;
	for (size_t i = 0; i < w->consumed_n; i++)
		room += b->s->blocks.v[w->consumed[i]].effective_n;
	w->effective = list_of(b, room);
	mark_set_clear(&b->c->names);
	for (int64_t i = w->rows.start; i <= w->rows.end; i++)
		if (!is_reserved(b, &b->f->rows.v[i]))
			add_once(b, w, b->f->rows.v[i].id);
	for (size_t i = 0; i < w->consumed_n; i++) {
		const struct block *k = &b->s->blocks.v[w->consumed[i]];
		for (uint32_t j = 0; j < k->effective_n; j++)
			add_once(b, w, k->effective[j]);
	}
}

/* Coverage as it was before the batch (kernel.md 5.2): blocks made since do not count, consumed ones still do. */
static bool was_covered(const struct batch *b, uint32_t name)
{
	if (mark_set_has(&b->c->known, name))
		return mark_set_has(&b->c->covered, name);
	return state_info(b->s, name)->covers > 0;
}

/* Before the block that lists `names` changes their coverage. */
static void keep_coverage(struct batch *b, const uint32_t *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (mark_set_has(&b->c->known, names[i]))
			continue;
		mark_set_add(&b->c->known, names[i]);
		if (state_info(b->s, names[i])->covers > 0)
			mark_set_add(&b->c->covered, names[i]);
	}
}

/* The row whose text an id has, or NULL when the surface has none. */
static const struct surface_row *row_of(const struct batch *b, uint32_t name)
{
	uint32_t at = position_first(&b->c->positions, name);
	return at != 0 ? &b->f->rows.v[at - 1] : NULL;
}

static bool in_zone(const struct batch *b, uint32_t name)
{
	uint32_t ref = state_info(b->s, name)->ref;
	return b->zone && ref != REF_NONE && ref != REF_BLOCKED && mark_set_has(b->zone, ref);
}

/* Steps 7 to 9 in one pass: an id that is not covered either stands in direct and effective, or in neither. */
static void choose_direct(struct batch *b, struct work *w)
{
	size_t kept = 0;
	w->direct = list_of(b, w->effective_n);
	w->hits = list_of(b, w->effective_n);
	for (size_t i = 0; i < w->effective_n; i++) {
		uint32_t name = w->effective[i];
		const struct surface_row *r = row_of(b, name);
		if (was_covered(b, name))
			w->effective[kept++] = name;
		else if (r && protect_paired(r, b->s, &b->c->calls))
			w->excluded++;
		else if (in_zone(b, name))
			w->hits[w->hits_n++] = state_info(b->s, name)->ref;
		else
			w->effective[kept++] = w->direct[w->direct_n++] = name;
	}
	w->effective_n = kept;
	w->excluded += (uint32_t)w->hits_n;
}

/* ---- steps 9 to 11: refusals ---- */

/* Limits of the length of the trimmed summary; a note of kind COMPRESS_KIND_COUNT when it is fine. */
static struct compress_note check_summary(struct batch *b, const struct work *w)
{
	const struct config *c = b->s->config;
	double maximum = w->asked->has_max ? w->asked->max_chars : c->max_summary;
	struct compress_note note = batch_note(b, COMPRESS_KIND_COUNT, w->index);
	note.length = text_measure(text_trim(w->asked->summary)).units;
	if (note.length == 0) {
		note.kind = COMPRESS_SUMMARY_EMPTY;
	} else if (b->o->no_gates) {
		return note;
	} else if (c->min_summary > 0 && note.length < c->min_summary) {
		note.kind = COMPRESS_SUMMARY_TOO_SHORT;
		note.minimum = c->min_summary;
	} else if (maximum > 0 && note.length > maximum) {
		note.kind = COMPRESS_SUMMARY_TOO_LONG;
		note.maximum = maximum;
	}
	return note;
}

static struct compress_note zone_note(struct batch *b, const struct work *w, enum compress_kind kind)
{
	struct compress_note note = batch_note(b, kind, w->index);
	note.count = note.refs_n = w->hits_n;
	note.refs = w->hits;
	note.preserve = b->s->config->preserve_messages;
	return note;
}

static struct compress_note stale_note(struct batch *b, const struct work *w)
{
	struct compress_note note = batch_note(b, COMPRESS_NO_NEW_CONTENT, w->index);
	const struct block *all = b->s->blocks.v;
	note.blocks = w->consumed;
	note.blocks_n = w->consumed_n;
	note.first = note.last = w->consumed[0];
	for (size_t i = 1; i < w->consumed_n; i++) {
		if (all[w->consumed[i]].number < all[note.first].number)
			note.first = w->consumed[i];
		if (all[w->consumed[i]].number >= all[note.last].number)
			note.last = w->consumed[i];
	}
	return note;
}

/* The zone and the livelock guard come before the summary: kernel.md 11, 44. */
static bool is_refused(struct batch *b, const struct work *w)
{
	bool empty = w->direct_n == 0 && w->consumed_n == 0;
	if (w->hits_n > 0 && empty) {
		batch_refuse(b, zone_note(b, w, COMPRESS_PROTECTED_ZONE));
		return true;
	}
	if (!w->at.block_kind && w->direct_n == 0 && w->consumed_n > 0) {
		batch_refuse(b, stale_note(b, w));
		return true;
	}
	struct compress_note note = check_summary(b, w);
	if (note.kind == COMPRESS_KIND_COUNT && empty)
		note = batch_note(b, COMPRESS_NOTHING_COMPRESSIBLE, w->index);
	if (note.kind == COMPRESS_KIND_COUNT)
		return false;
	batch_refuse(b, note);
	return true;
}

/* ---- step 12 and 5.7: the block ---- */

static double count_tokens(struct batch *b, const struct work *w)
{
	double tokens = 0;
	for (size_t i = 0; i < w->direct_n; i++) {
		const struct surface_row *r = row_of(b, w->direct[i]);
		if (r)
			tokens += counter_tokens(&b->o->counter, surface_measure(r));
	}
	for (size_t i = 0; i < w->consumed_n; i++)
		tokens += counter_tokens(&b->o->counter, b->s->blocks.v[w->consumed[i]].summary_size);
	return tokens;
}

static struct str stored(struct batch *b, struct str s)
{
	return s.p ? (struct str){arena_copy(&b->s->arena, s.p, s.n), s.n} : s;
}

static const uint32_t *stored_list(struct batch *b, const uint32_t *names, size_t n)
{
	uint32_t *out = arena_alloc(&b->s->arena, n * sizeof *out);
	memcpy(out, names, n * sizeof *out);
	return out;
}

/* kernel.md 1.3: a counter of 0 gives b0 and jumps to 2. */
static void take_block_id(struct batch *b, struct block *k)
{
	char text[sizeof SUMMARY_ID_PREFIX + NUM_TEXT_MAX + 1] = SUMMARY_ID_PREFIX "b";
	size_t prefix = sizeof SUMMARY_ID_PREFIX - 1;
	double next = b->now.next_block;
	size_t n = prefix + 1 + num_print(text + prefix + 1, next);
	k->id = names_add(b->s->names, (struct str){text + prefix, n - prefix});
	k->summary_id = names_add(b->s->names, (struct str){text, n});
	if (next >= 0 && next < UINT32_MAX && next == (double)(uint32_t)next)
		k->number = (uint32_t)next;
	b->now.next_block = (next > 1 ? next : 1) + 1;
}

static struct block make_block(struct batch *b, const struct work *w)
{
	const struct range_request *r = w->asked;
	uint32_t tier = w->at.block_kind ? w->tier + 1 : 1;
	uint32_t *children = list_of(b, w->consumed_n);
	for (size_t i = 0; i < w->consumed_n; i++)
		children[i] = b->s->blocks.v[w->consumed[i]].id;
	struct block k = {.tier = (uint8_t)(tier < TIER_MAX ? tier : TIER_MAX),
			  .active = true,
			  .has_tokens = true,
			  .has_topic = r->has_topic,
			  .run_id = stored(b, b->run_id),
			  .topic = r->has_topic ? stored(b, r->topic) : (struct str){NULL, 0},
			  .summary = stored(b, r->summary),
			  .start_ref = stored(b, r->start),
			  .end_ref = stored(b, r->end),
			  .call = r->has_call ? names_add(b->s->names, r->call) : 0,
			  .direct = stored_list(b, w->direct, w->direct_n),
			  .effective = stored_list(b, w->effective, w->effective_n),
			  .children = stored_list(b, children, w->consumed_n),
			  .direct_n = (uint32_t)w->direct_n,
			  .effective_n = (uint32_t)w->effective_n,
			  .children_n = (uint32_t)w->consumed_n,
			  .tokens = count_tokens(b, w),
			  .created_at = b->o->created_at};
	take_block_id(b, &k);
	return k;
}

static void create_block(struct batch *b, const struct work *w)
{
	struct block k = make_block(b, w);
	struct range_verdict *v = &b->out->verdicts.v[w->index];
	keep_coverage(b, w->effective, w->effective_n);
	uint32_t block = state_block_add(b->s, k);
	for (size_t i = 0; i < w->consumed_n; i++)
		state_block_active(b->s, w->consumed[i], false);
	b->out->blocks_created++;
	b->out->tokens_compressed += k.tokens;
	v->status = RANGE_APPLIED;
	v->block = block;
	v->direct = k.direct_n;
	v->consumed = k.children_n;
}

void batch_apply_range(struct batch *b, size_t index)
{
	struct work w = {.index = index, .asked = &b->ranges[index]};
	if (!locate(b, &w))
		return;
	if (!w.at.block_kind)
		widen(b, &w);
	count_ids(b, &w);
	choose_consumed(b, &w);
	collect_effective(b, &w);
	choose_direct(b, &w);
	b->out->verdicts.v[index].excluded = w.excluded;
	if (is_refused(b, &w))
		return;
	if (w.hits_n > 0)
		vec_push(&b->out->warnings, zone_note(b, &w, COMPRESS_PROTECTED_EXCLUDED));
	create_block(b, &w);
}
