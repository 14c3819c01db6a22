/*
 * journal: doing, undoing and redoing the changes of a state.
 *
 * Internal to the files behind state.h: state.c, state_store.c, blocks.c,
 * journal.c. `journal_push` records a change that was just made; state_seek makes
 * recorded ones again or takes them back. The two directions of each kind stand
 * side by side in one table in journal.c.
 */
#ifndef ENGINE_KERNEL_JOURNAL_H
#define ENGINE_KERNEL_JOURNAL_H

#include "engine/kernel/state.h"

void journal_push(struct state *s, struct change c);

/* The bare effects, without recording; also used by the mutators. */
void state_do_join(struct state *s, uint32_t message);
void state_do_leave(struct state *s);
void state_do_cut(struct state *s, uint32_t from, uint32_t to);
void state_do_ref(struct state *s, uint32_t name, uint32_t ref);
void state_undo_ref(struct state *s, uint32_t name, uint32_t highest);
void state_do_block(struct state *s, uint32_t block);
void state_undo_block(struct state *s);
void state_do_toggle(struct state *s, uint32_t block);
void state_do_snapshot(struct state *s, uint32_t entry, bool alive);
void state_do_retire(struct state *s, uint32_t block);
void state_undo_retire(struct state *s, uint32_t block);

#endif
