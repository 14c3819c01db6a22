#include <math.h>

#include "replay/readers/pi.h"

bool pi_is_tip(const struct pi *pi, uint32_t entry)
{
	const struct pi_entry *e = &pi->entries.v[entry];

	return e->children == 0 && pi->by_id.v[e->id] == entry + 1;
}

/* When an entry was written: its own timestamp, else that of its message. */
static double time_of(struct recording *r, struct pi *pi, uint32_t entry)
{
	static const struct str outer[] = {STR("timestamp"), STR("message")}, inner[] = {STR("timestamp")};
	struct arena *scratch = &r->loader->scratch;
	struct arena_mark mark = arena_mark(scratch);
	struct pi_line l = {.r = r, .pi = pi, .scratch = scratch, .entry = &pi->entries.v[entry]};
	struct str bytes = source_read(&r->source, l.entry->at, l.entry->n, scratch);
	struct json_span line = {.n = bytes.n, .kind = JSON_OBJECT}, v[2], ms;
	double time = NAN;

	l.s = bytes.p;
	if (pi_members(&l, line, &pi->entry_scan, outer, 2, v)) {
		time = pi_time(pick_str(scratch, l.s, v[0]));
		if (isnan(time) && pi_members(&l, v[1], &pi->message_scan, inner, 1, &ms))
			time = pick_num(scratch, l.s, ms);
	}
	arena_release(scratch, mark);
	return time;
}

/* Entries from the root to each one; those of a cycle are counted from where it is met first. */
struct depths {
	VEC(uint32_t) of; /* 0 = not known, ON_WAY = being worked out */
	VEC(uint32_t) way;
};
#define ON_WAY UINT32_MAX

static uint32_t depth_of(const struct pi *pi, struct depths *d, uint32_t entry)
{
	uint32_t at = entry + 1, depth;

	while (at && d->of.v[at - 1] == 0) {
		d->of.v[at - 1] = ON_WAY;
		vec_push(&d->way, at - 1);
		at = pi->entries.v[at - 1].up;
	}
	depth = at && d->of.v[at - 1] != ON_WAY ? d->of.v[at - 1] : 0;
	while (d->way.n > 0)
		d->of.v[d->way.v[--d->way.n]] = ++depth;
	return d->of.v[entry];
}

/* Walks back to the fork: how many entries only this branch has, and their nearest label. */
static void take_own(const struct pi *pi, struct branch_tip *tip, uint32_t entry)
{
	uint32_t at = entry + 1;

	do {
		const struct pi_entry *e = &pi->entries.v[at - 1];

		if (tip->label == 0 && e->id < pi->label_of.n)
			tip->label = pi->label_of.v[e->id];
		tip->own++;
		at = e->up;
	} while (at && tip->own < tip->entries && pi->entries.v[at - 1].children == 1);
}

static void add_branch(struct recording *r, struct pi *pi, struct depths *d, uint32_t entry, uint32_t leaf)
{
	const struct pi_entry *e = &pi->entries.v[entry];
	struct branch_tip tip = {.id = e->id, .line = e->line, .active = entry == leaf};

	tip.inside = !pi_is_tip(pi, entry);
	tip.entries = depth_of(pi, d, entry);
	tip.time = time_of(r, pi, entry);
	take_own(pi, &tip, entry);
	vec_push(&r->branches, tip);
}

void pi_list_branches(struct recording *r, struct pi *pi, uint32_t leaf)
{
	struct depths d = {0};
	uint32_t i;

	vec_fill(&d.of, pi->entries.n);
	for (i = 0; i < pi->entries.n; i++)
		if (i == leaf || pi_is_tip(pi, i))
			add_branch(r, pi, &d, i, leaf);
	vec_free(&d.of);
	vec_free(&d.way);
}
