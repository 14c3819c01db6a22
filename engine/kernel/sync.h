/* sync: the sync-blocks node, and survival (kernel.md 4.2). */
#ifndef ENGINE_KERNEL_SYNC_H
#define ENGINE_KERNEL_SYNC_H

#include "engine/kernel/state.h"

struct block_list {
	VEC(uint32_t) blocks;
};

/* Prunes the token snapshot, switches blocks on and off, counts survival. `off`: blocks without any content in the list
 * (informational). */
void sync_blocks(struct state *s, struct block_list *off);

#endif
