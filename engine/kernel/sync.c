#include "engine/kernel/sync.h"

/* kernel.md 4.2.1: only sizes are compared; equal sizes leave stale entries alone. */
static void prune_snapshot(struct state *s)
{
	uint32_t refs_in_list = s->refs_present + (s->blocked_present > 0);
	if (s->snapshot_n == refs_in_list || s->snapshot_stale == 0)
		return;
	for (size_t i = 0; i < s->snapshot.n && s->snapshot_stale > 0; i++) {
		const struct snapshot_entry *e = &s->snapshot.v[i];
		if (e->alive && (e->ref >= s->ref_present.n || s->ref_present.v[e->ref] == 0))
			state_snapshot_forget(s, (uint32_t)i);
	}
}

void sync_blocks(struct state *s, struct block_list *off)
{
	off->blocks.n = 0;
	prune_snapshot(s);
	for (size_t i = 0; i < s->live.n;) {
		uint32_t block = s->live.v[i];
		const struct block *k = &s->blocks.v[block];
		if (k->consumers > 0) {
			state_block_active(s, block, false);
			state_block_retire(s, block); /* takes it out of live */
			continue;
		}
		bool present = k->present > 0 || s->info.v[k->summary_id].present > 0;
		state_block_active(s, block, present);
		if (!present)
			vec_push(&off->blocks, block);
		i++;
	}
	state_survive(s);
	for (size_t i = 0; i < s->live.n; i++) {
		const struct block *k = &s->blocks.v[s->live.v[i]];
		if (k->active && !k->old && k->survived >= s->config->promotion_threshold)
			state_block_old(s, s->live.v[i]);
	}
}
