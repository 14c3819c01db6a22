/*
 * blocks: what blocks.c (the tree) and block_detail.c (one opened block) share.
 * Internal to the views.
 */
#ifndef REPLAY_VIEW_BLOCKS_H
#define REPLAY_VIEW_BLOCKS_H

#include "replay/frame_blocks.h"
#include "replay/view/reason.h"
#include "replay/view/rows.h"

/* Everything about a block, by index: what it is, why it stands as it does, where it is from, summary, rows. */
void blocks_open(const struct view_context *c, uint32_t block, struct detail *d);

size_t blocks_detail_count(const struct view_context *c, uint64_t key);
void blocks_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out);

#endif
