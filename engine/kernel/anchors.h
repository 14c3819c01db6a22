/*
 * anchors: the text that a kept compress call shows (kernel.md 4.5.2, 4.5.3).
 *
 * A compress call stays visible as long as one of its blocks is live; what its
 * text still lists is decided here, from the text and the keys of those
 * blocks. Which calls stay at all (4.5.1) is decided by the turn. Pure: the
 * same arguments give the same bytes, so a caller may keep the answer.
 */
#ifndef ENGINE_KERNEL_ANCHORS_H
#define ENGINE_KERNEL_ANCHORS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"

/* Longest summary a slim anchor shows, and what a longer one keeps in front of its ellipsis; units. */
enum { SUMMARY_STUB_UNITS = 200, SUMMARY_STUB_KEPT = SUMMARY_STUB_UNITS - 1 };

enum anchor_form {
	ANCHOR_FULL, /* v0.0.41, kernel.md 4.5.2: dead entries go */
	ANCHOR_SLIM  /* v0.0.60, kernel.md 4.5.3: dead entries go, long summaries are cut */
};

/* Refs of one live block, as written when it was made. Two keys are the same when start + "::" + end are. */
struct anchor_key {
	struct str start, end;
};

/*
 * The text of a kept compress call: true with *out in the arena (or in `text`)
 * when it changes, false when it stays as it is, byte for byte. `live` are the
 * keys of the call's active blocks; legacy = one of them has no refs. A JSON
 * text nested deeper than JSON_DEPTH_MAX counts as unreadable.
 */
bool anchors_rewrite(struct arena *a, enum anchor_form form, struct str text, const struct anchor_key *live,
		     size_t live_n, bool legacy, struct str *out);

#endif
