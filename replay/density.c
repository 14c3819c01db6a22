#include "replay/density.h"

#include <math.h>

static bool sets_anchor(const struct pi_density_sample *s)
{
	return s->effect == PI_DENSITY_ANCHORED || s->effect == PI_DENSITY_REANCHORED || !isnan(s->instant);
}

/* The last samples of a model, + 1. */
struct last {
	uint32_t sample, anchor, kept, lost;
};

static enum density_cut cut_since(const struct last *l, uint32_t host)
{
	return host > l->anchor      ? DENSITY_CUT_HOST
	       : l->kept > l->anchor ? DENSITY_CUT_KEPT
	       : l->lost > l->anchor ? DENSITY_CUT_LOST
				     : DENSITY_NO_CUT;
}

/* `host`: the newest sample before which the host compacted, + 1. */
static struct density_link link_one(const struct pi_density_sample *s, uint32_t n, uint32_t host, struct last *l)
{
	if (s->fresh)
		*l = (struct last){0};
	if (s->effect == PI_DENSITY_SKIPPED)
		l->kept = n;
	if (s->fold_lost)
		l->lost = n;
	struct density_link k = {.before = l->sample, .anchor = l->anchor};
	if ((!isnan(s->instant) || s->effect == PI_DENSITY_WAITING) && l->anchor != 0)
		k.cut = (uint8_t)cut_since(l, host);
	l->sample = n;
	if (sets_anchor(s))
		l->anchor = n;
	return k;
}

void density_link(const struct run *r, struct arena *a, struct density_links *out)
{
	const struct pi_density_sample *v = r->pi.samples.v;
	size_t n = r->pi.samples.n;
	uint32_t host = 0;
	*out = (struct density_links){.names = 1};
	for (size_t i = 0; i < n; i++)
		out->names = v[i].model >= out->names ? (size_t)v[i].model + 1 : out->names;
	struct last *last = arena_zero(a, out->names, sizeof *last);
	out->v = arena_zero(a, n + 1, sizeof *out->v);
	out->last = arena_zero(a, out->names, sizeof *out->last);
	for (size_t i = 0; i < n; i++) {
		if (r->timeline.turns.v[i].events & MOMENT_KEEP)
			host = (uint32_t)i + 1;
		out->v[i] = link_one(&v[i], (uint32_t)i + 1, host, &last[v[i].model]);
		out->last[v[i].model] = (uint32_t)i + 1;
		if (out->v[i].cut != DENSITY_NO_CUT && out->cuts++ == 0)
			out->first = (uint32_t)i + 1;
	}
}
