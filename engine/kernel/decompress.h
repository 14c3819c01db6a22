/*
 * decompress: what restoring a block and the tools around it ask of a state
 * (kernel.md 8.2 to 8.5; the block id argument itself is read in refs.h), and
 * the floor of the ranges worth showing (8.7).
 *
 * Messages and block ids are names, "blocks" are indexes into state.blocks.
 * Results live in the arena given to the call. Texts are appended as the host
 * would hand them to the model. Only decompress_deactivate changes the state.
 */
#ifndef ENGINE_KERNEL_DECOMPRESS_H
#define ENGINE_KERNEL_DECOMPRESS_H

#include "engine/kernel/recommend.h"

enum {
	VIABLE_TOKENS = 200,     /* kernel.md 1.6 */
	PREVIEW_ROW_UNITS = 200, /* of a text, before its ellipsis */
	PREVIEW_UNITS = 2000     /* no row begins at or after this length */
};

/* Active blocks that list one of the ids as effective, by number, then by place; returns how many (8.3). */
size_t decompress_overlapping(struct state *s, const uint32_t *ids, size_t n, struct arena *a, uint32_t **blocks);

/*
 * The first active block met breadth-first from block `id` over the blocks it consumed, `id` left out; -1 = none, or
 * there is no such block. The reference calls it the active ancestor (kernel.md 8.3, and 11, 55).
 */
int64_t decompress_active_below(struct state *s, struct str id);

/* Switches the named blocks off; deep: and everything they consumed, however far. Returns how many went off (8.4). */
size_t decompress_deactivate(struct state *s, const uint32_t *ids, size_t n, bool deep);

/*
 * Appends the content of a block: its summaries one tier down and the messages no such summary stands for, or, full,
 * all its messages; of the host's list as it is. Returns the number of parts (8.5).
 */
size_t decompress_content(struct state *s, uint32_t block, bool full, struct buf *out);

/* Appends a preview of the given messages that no active block covers; returns how many they are, shown or not (8.5).
 */
size_t decompress_preview(struct state *s, const uint32_t *ids, size_t n, struct buf *out);

/* Copies the ranges of at least VIABLE_TOKENS to `out` (room for n, may be `in`), in order; returns how many (8.7). */
size_t ranges_viable(const struct range *in, size_t n, struct range *out);

#endif
