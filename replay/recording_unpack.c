/* Loading what is compressed: its first steps, and what is said of it. */
#include "replay/readers/reader.h"

enum { UNPACKED_FIRST = 1 << 22 };

/* What unpacking found, once it is done. */
static void report_unpacked(struct recording *r)
{
	const struct unpack *u = &r->loader->unpack;

	if (u->torn)
		recording_damage(r, DAMAGE_TORN, 0, r->source.packed_size,
				 "the last zstd frame is not complete; its complete lines are kept");
	if (u->problem)
		recording_damage(r, DAMAGE_OTHER, 0, u->problem_at,
				 "the compressed bytes from here on cannot be unpacked: %s", u->problem);
}

bool recording_unpack(struct recording *r, size_t budget, enum status *st, struct error *e)
{
	struct loader *l = r->loader;

	l->unpacking = unpack_step(&l->unpack, &r->source, budget, st, e);
	if (*st == STATUS_OK && !l->unpacking)
		report_unpacked(r);
	return l->unpacking;
}

enum status recording_begin_unpacking(struct recording *r, struct error *e)
{
	enum status st;

	if (!unpack_wanted(&r->source))
		return STATUS_OK;
	st = unpack_begin(&r->loader->unpack, &r->source, e);
	if (st == STATUS_OK)
		recording_unpack(r, UNPACKED_FIRST, &st, e);
	return st;
}
