/*
 * density: what the density samples of a run are to each other (pi.md 5.3).
 *
 * For each sample: the one before it, the one that set its anchor, and whether
 * its delta spans a cut of the context, which makes its measure worthless (the
 * finding "density anchor older than a compaction", pi-rulings 17). Reads
 * run.pi.samples; samples of different models have nothing to do with each
 * other. Lists live in the arena of the caller.
 */
#ifndef REPLAY_DENSITY_H
#define REPLAY_DENSITY_H

#include "replay/run.h"

/* Why the delta of a sample spans a cut: the host compacted, a fold was lost, or the anchor was kept over a fold. */
enum density_cut { DENSITY_NO_CUT, DENSITY_CUT_HOST, DENSITY_CUT_LOST, DENSITY_CUT_KEPT };

/* A sample, and where to find what it was measured against. */
struct density_link {
	uint32_t before; /* sample of the same model before it, + 1; 0 = none since its record was made */
	uint32_t anchor; /* the sample that set its anchor, + 1; 0 = none */
	uint8_t cut;     /* enum density_cut, of samples that have a delta */
};

struct density_links {
	struct density_link *v; /* by sample */
	uint32_t *last;         /* by name of a model: its last sample, + 1; 0 = it has none */
	size_t names;           /* of `last` */
	uint32_t cuts, first;   /* samples that span a cut; turn of the first, 0 = none */
};

void density_link(const struct run *r, struct arena *a, struct density_links *out);

#endif
