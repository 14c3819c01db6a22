#include "engine/kernel/journal.h"

static void survive(struct state *s, double step)
{
	for (size_t i = 0; i < s->live.n; i++) {
		struct block *k = &s->blocks.v[s->live.v[i]];
		if (k->active)
			k->survived += step;
	}
}

static void row_do(struct state *s, struct change c) { state_do_join(s, c.a); }
static void row_undo(struct state *s, struct change c)
{
	(void)c;
	state_do_leave(s);
}

static void cut_do(struct state *s, struct change c) { state_do_cut(s, c.a, c.b); }
static void cut_undo(struct state *s, struct change c)
{
	size_t first = s->cut.n - (c.a - c.b);
	for (size_t i = first; i < s->cut.n; i++)
		state_do_join(s, s->cut.v[i]);
	s->cut.n = first;
}

static void ref_do(struct state *s, struct change c) { state_do_ref(s, c.a, c.b); }
static void ref_undo(struct state *s, struct change c) { state_undo_ref(s, c.a, c.extra); }

static void named_do(struct state *s, struct change c) { s->named = c.b; }
static void named_undo(struct state *s, struct change c) { s->named = c.a; }

static void block_do(struct state *s, struct change c) { state_do_block(s, c.a); }
static void block_undo(struct state *s, struct change c)
{
	(void)c;
	state_undo_block(s);
}

static void toggle(struct state *s, struct change c) { state_do_toggle(s, c.a); }

static void old_do(struct state *s, struct change c) { s->blocks.v[c.a].old = true; }
static void old_undo(struct state *s, struct change c) { s->blocks.v[c.a].old = false; }

static void retire_do(struct state *s, struct change c) { state_do_retire(s, c.a); }
static void retire_undo(struct state *s, struct change c) { state_undo_retire(s, c.a); }

static void survive_do(struct state *s, struct change c)
{
	(void)c;
	survive(s, 1);
}
static void survive_undo(struct state *s, struct change c)
{
	(void)c;
	survive(s, -1);
}

static void entry_on(struct state *s, struct change c) { state_do_snapshot(s, c.a, true); }
static void entry_off(struct state *s, struct change c) { state_do_snapshot(s, c.a, false); }

static void scalars_do(struct state *s, struct change c) { s->now = s->scalars_log.v[c.b]; }
static void scalars_undo(struct state *s, struct change c) { s->now = s->scalars_log.v[c.a]; }

static const struct {
	void (*redo)(struct state *, struct change);
	void (*undo)(struct state *, struct change);
} effects[] = {
	[CHANGE_ROW] = {row_do, row_undo},
	[CHANGE_CUT] = {cut_do, cut_undo},
	[CHANGE_REF] = {ref_do, ref_undo},
	[CHANGE_NAMED] = {named_do, named_undo},
	[CHANGE_BLOCK] = {block_do, block_undo},
	[CHANGE_ACTIVE] = {toggle, toggle},
	[CHANGE_OLD] = {old_do, old_undo},
	[CHANGE_RETIRE] = {retire_do, retire_undo},
	[CHANGE_SURVIVE] = {survive_do, survive_undo},
	[CHANGE_SNAPSHOT] = {entry_on, entry_off},
	[CHANGE_FORGET] = {entry_off, entry_on},
	[CHANGE_SCALARS] = {scalars_do, scalars_undo},
};

void journal_push(struct state *s, struct change c)
{
	if (s->probing) {
		vec_push(&s->side, c);
		return;
	}
	s->journal.n = s->at; /* what was undone before a new change is gone */
	vec_push(&s->journal, c);
	s->at++;
}

static void undo_side(struct state *s, size_t keep)
{
	while (s->side.n > keep) {
		struct change c = s->side.v[--s->side.n];
		effects[c.kind].undo(s, c);
	}
}

void state_seek(struct state *s, size_t mark)
{
	if (s->probing)
		state_probe_end(s);
	while (s->at > mark) {
		struct change c = s->journal.v[--s->at];
		effects[c.kind].undo(s, c);
	}
	while (s->at < mark && s->at < s->journal.n) {
		struct change c = s->journal.v[s->at++];
		effects[c.kind].redo(s, c);
	}
}

/* The ends of the two logs that only these changes refer to go with them. */
static void cut_logs(struct state *s, const struct change *changes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (changes[i].kind == CHANGE_SNAPSHOT && changes[i].a < s->snapshot.n)
			s->snapshot.n = changes[i].a;
		else if (changes[i].kind == CHANGE_SCALARS && changes[i].b < s->scalars_log.n)
			s->scalars_log.n = changes[i].b; /* the entry before it can be another change's */
	}
}

void state_rollback(struct state *s, size_t mark)
{
	size_t end = s->at;
	if (s->probing) {
		undo_side(s, mark > s->at ? mark - s->at : 0);
		return;
	}
	state_seek(s, mark);
	if (end > s->at && end == s->journal.n) /* nothing was undone before: the logs end with what is forgotten now */
		cut_logs(s, &s->journal.v[s->at], end - s->at);
	s->journal.n = s->at;
	s->blocks_made = s->blocks.n;
}

void state_probe_begin(struct state *s)
{
	if (s->probing)
		state_probe_end(s);
	s->probing = true;
	s->side.n = 0;
	s->kept_blocks.n = 0;
	for (size_t i = s->blocks.n; i < s->blocks_made; i++)
		vec_push(&s->kept_blocks, s->blocks.v[i]);
	s->probe_mark = arena_mark(&s->arena);
	s->probe_snapshot = s->snapshot.n;
	s->probe_scalars = s->scalars_log.n;
}

void state_probe_end(struct state *s)
{
	if (!s->probing)
		return;
	undo_side(s, 0);
	s->probing = false;
	vec_reserve(&s->blocks, s->blocks.n + s->kept_blocks.n);
	for (size_t i = 0; i < s->kept_blocks.n; i++)
		s->blocks.v[s->blocks.n + i] = s->kept_blocks.v[i];
	s->blocks_made = s->blocks.n + s->kept_blocks.n;
	s->snapshot.n = s->probe_snapshot;
	s->scalars_log.n = s->probe_scalars;
	arena_release(&s->arena, s->probe_mark);
}
