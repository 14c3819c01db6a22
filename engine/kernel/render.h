/* render: the render-refs node and the ref tag (kernel.md 4.9). */
#ifndef ENGINE_KERNEL_RENDER_H
#define ENGINE_KERNEL_RENDER_H

#include "engine/kernel/turn.h"

/* Tags the rows of turn->surface and fills the token snapshot. */
void render_run(struct turn *t, struct state *s, struct alternatives *alt);
/* The tag of a tagged row with its line feed, appended to b. */
void render_tag(const struct state *s, const struct surface_row *r, struct buf *b);

#endif
