/* The blocks of a state: coverage, consumption, indexes (kernel.md 1.2, 9). */
#include "engine/kernel/journal.h"

#include <math.h>

static void touch_rows(struct state *s, uint32_t name)
{
	for (uint32_t i = s->info.v[name].last; i != 0; i = s->messages.v[i - 1].before) {
		vec_push(&s->touched, i - 1);
		state_changed(s, i - 1);
	}
}

/* The block starts (+1) or stops (-1) covering its ids. */
static void cover(struct state *s, struct block *k, int step)
{
	uint32_t covered = s->covered_ids;
	for (uint32_t i = 0; i < k->effective_n; i++) {
		struct name_info *id = state_info(s, k->effective[i]);
		uint32_t before = id->covers;
		id->covers += (uint32_t)step;
		if (before != 0 && id->covers != 0)
			continue;
		s->covered_ids += (uint32_t)step;
		touch_rows(s, k->effective[i]);
	}
	bool all = (covered == 0) != (s->covered_ids == 0); /* kernel.md 4.3.1 */
	state_changed(s, all ? 0 : state_block_anchor(s, (uint32_t)(k - s->blocks.v)));
	uint32_t call = k->call != 0 ? state_info(s, k->call)->first_call : 0;
	if (call != 0)
		state_changed(s, call - 1); /* its rows may be hidden now that were not, or the other way round */
	s->version++;
}

void state_do_toggle(struct state *s, uint32_t block)
{
	struct block *k = &s->blocks.v[block];
	k->active = !k->active;
	cover(s, k, k->active ? 1 : -1);
}

static void list_push(struct state *s, uint32_t *head, uint32_t block)
{
	vec_push(&s->listings, (struct listing){block, *head});
	*head = (uint32_t)s->listings.n;
}

static void list_pop(struct state *s, uint32_t *head) { *head = s->listings.v[--s->listings.n].next; }

/* Blocks with this id get one consumer more (+1) or less (-1): the first one, or every twin of a foreign state. */
static void count_consumer(struct state *s, uint32_t id, int step)
{
	uint32_t first = state_info(s, id)->block;
	if (first == 0)
		return;
	s->blocks.v[first - 1].consumers += (uint32_t)step;
	for (size_t i = first; s->twins && i < s->blocks.n; i++)
		if (s->blocks.v[i].id == id)
			s->blocks.v[i].consumers += (uint32_t)step;
}

static void derive(struct state *s, struct block *k)
{
	k->consumers = 0;
	for (uint32_t l = state_info(s, k->id)->parents; l != 0; l = s->listings.v[l - 1].next)
		k->consumers++;
	k->present = 0;
	for (uint32_t i = 0; i < k->effective_n; i++)
		k->present += state_info(s, k->effective[i])->present > 0;
	k->anchor_epoch = s->epoch - 1;
}

void state_do_block(struct state *s, uint32_t block)
{
	struct block *k = &s->blocks.v[block];
	state_info(s, k->summary_id);
	s->blocks.n = (size_t)block + 1;
	derive(s, k);
	struct name_info *id = state_info(s, k->id);
	if (id->block == 0)
		id->block = block + 1;
	else
		s->twins = true;
	for (uint32_t i = 0; i < k->effective_n; i++)
		list_push(s, &state_info(s, k->effective[i])->listed, block);
	for (uint32_t i = 0; i < k->children_n; i++) {
		list_push(s, &state_info(s, k->children[i])->parents, block);
		count_consumer(s, k->children[i], 1);
	}
	if (k->call != 0)
		list_push(s, &state_info(s, k->call)->call_blocks, block);
	vec_push(&s->live, block);
	if (k->active)
		cover(s, k, 1);
	s->version++;
}

void state_undo_block(struct state *s)
{
	uint32_t block = (uint32_t)s->blocks.n - 1;
	struct block *k = &s->blocks.v[block];
	if (k->active)
		cover(s, k, -1);
	s->live.n--; /* the newest block is the last of the ascending list */
	if (k->call != 0)
		list_pop(s, &s->info.v[k->call].call_blocks);
	for (uint32_t i = k->children_n; i-- > 0;) {
		list_pop(s, &s->info.v[k->children[i]].parents);
		count_consumer(s, k->children[i], -1);
	}
	for (uint32_t i = k->effective_n; i-- > 0;)
		list_pop(s, &s->info.v[k->effective[i]].listed);
	if (s->info.v[k->id].block == block + 1)
		s->info.v[k->id].block = 0;
	s->blocks.n--;
	s->version++;
}

/* Does a stored block list a summary as a message? Its cover then changes rows that no message stands for. */
static bool lists_summary(const struct state *s, const struct block *k)
{
	for (uint32_t i = 0; i < k->effective_n; i++)
		if (str_starts(names_get(s->names, k->effective[i]), STR(SUMMARY_ID_PREFIX)))
			return true;
	return false;
}

uint32_t state_block_add(struct state *s, struct block b)
{
	s->irregular = s->irregular || lists_summary(s, &b);
	struct buf text = {0};
	block_summary_text(&b, &text);
	b.face = face_of(buf_view(&text));
	buf_free(&text);
	b.summary_size = text_measure(b.summary);
	b.hash_tag = NAN;
	uint32_t block = (uint32_t)s->blocks.n;
	vec_push(&s->blocks, b);
	s->blocks_made = s->blocks.n;
	state_do_block(s, block);
	journal_push(s, (struct change){.kind = CHANGE_BLOCK, .a = block});
	return block;
}

void state_block_active(struct state *s, uint32_t block, bool active)
{
	if (s->blocks.v[block].active == active)
		return;
	state_do_toggle(s, block);
	journal_push(s, (struct change){.kind = CHANGE_ACTIVE, .a = block});
}

void state_block_old(struct state *s, uint32_t block)
{
	s->blocks.v[block].old = true;
	journal_push(s, (struct change){.kind = CHANGE_OLD, .a = block});
}

void state_survive(struct state *s)
{
	bool any = false;
	for (size_t i = 0; i < s->live.n; i++) {
		struct block *k = &s->blocks.v[s->live.v[i]];
		if (k->active) {
			k->survived += 1;
			any = true;
		}
	}
	if (any)
		journal_push(s, (struct change){.kind = CHANGE_SURVIVE});
}

/* Place of a block in the ascending `live`, or where it belongs. */
static size_t live_place(const struct state *s, uint32_t block)
{
	size_t lo = 0, hi = s->live.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (s->live.v[mid] < block)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void state_do_retire(struct state *s, uint32_t block)
{
	size_t at = live_place(s, block);
	memmove(s->live.v + at, s->live.v + at + 1, (s->live.n - at - 1) * sizeof *s->live.v);
	s->live.n--;
}

void state_undo_retire(struct state *s, uint32_t block)
{
	size_t at = live_place(s, block);
	vec_reserve(&s->live, s->live.n + 1);
	memmove(s->live.v + at + 1, s->live.v + at, (s->live.n - at) * sizeof *s->live.v);
	s->live.v[at] = block;
	s->live.n++;
}

void state_block_retire(struct state *s, uint32_t block)
{
	state_do_retire(s, block);
	journal_push(s, (struct change){.kind = CHANGE_RETIRE, .a = block});
}

struct block *state_block_named(struct state *s, struct str id)
{
	uint32_t name = names_find(s->names, id);
	if (name == UINT32_MAX || name >= s->info.n || s->info.v[name].block == 0)
		return NULL;
	return &s->blocks.v[s->info.v[name].block - 1];
}

void block_summary_text(const struct block *k, struct buf *b)
{
	buf_text(b, SUMMARY_HEADER);
	if (k->topic.n > 0) {
		buf_text(b, " \xE2\x80\x94 ");
		buf_str(b, k->topic);
	}
	struct str body = text_trim(k->summary);
	if (body.n > 0) {
		buf_char(b, '\n');
		buf_str(b, body);
	}
}

/* kernel.md 4.3.3: the rendered summary in the list, else the smallest place among its ids, else the top. */
static uint32_t find_anchor(struct state *s, const struct block *k)
{
	uint32_t fed = state_info(s, k->summary_id)->last;
	for (uint32_t i = fed; i != 0; i = s->messages.v[i - 1].before)
		if (message_is_summary(&s->messages.v[i - 1]))
			return i - 1;
	uint32_t least = UINT32_MAX;
	for (uint32_t i = 0; i < k->effective_n; i++) {
		uint32_t last = s->info.v[k->effective[i]].last;
		if (last != 0 && last - 1 < least)
			least = last - 1;
	}
	return least == UINT32_MAX ? 0 : least;
}

uint32_t state_block_anchor(struct state *s, uint32_t block)
{
	struct block *k = &s->blocks.v[block];
	if (k->anchor_epoch != s->epoch) {
		k->anchor = find_anchor(s, k);
		k->anchor_epoch = s->epoch;
	}
	return k->anchor;
}
