/*
 * compress_batch: what the two halves of applyCompression share. compress.c
 * decides which ranges of a batch may run (kernel.md 5.2 to 5.5, 5.8),
 * compress_range.c runs one of them (5.6, 5.7). Nobody else includes this.
 *
 * A batch lives on the stack of compress_apply; what it points at belongs to
 * the caller, `asked` to the result's arena.
 */
#ifndef ENGINE_KERNEL_COMPRESS_BATCH_H
#define ENGINE_KERNEL_COMPRESS_BATCH_H

#include "engine/kernel/compress.h"

/* A requested range as classified (5.3, 5.4). */
struct asked {
	struct resolution at;
	bool overlaps;
};

struct batch {
	const struct range_request *ranges;
	size_t n;
	const struct surface *f;
	struct state *s;
	const struct apply_options *o;
	struct compress_scratch *c;
	struct apply_result *out;
	struct asked *asked;
	struct scalars now;          /* becomes the state's at the end */
	const struct mark_set *zone; /* protected refs; NULL = none */
	struct str run_id;
};

/* An error or warning about range `index`, with its refs. */
struct compress_note batch_note(struct batch *b, enum compress_kind kind, size_t index);
/* Records an error of a range and makes it the range's verdict. */
void batch_refuse(struct batch *b, struct compress_note note);
/* The error of a range whose refs did not resolve. */
struct compress_note batch_resolve_note(struct batch *b, const struct resolution *at, size_t index);
/* Runs range `index`: makes a block, or refuses it (5.6 steps 1 to 12). */
void batch_apply_range(struct batch *b, size_t index);

#endif
