#include <math.h>

#include "replay/readers/pi.h"
#include "replay/view/text.h"

enum { SAID_COLUMNS = 100 };

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

/* What is worked out along the parents of an entry. */
struct walks {
	/*
	 * By entry; 0 = not known, ON_WAY = being worked out. Entries from the root to it; those of a cycle are counted
	 * from where it is met first.
	 */
	VEC(uint32_t) depth;
	VEC(uint32_t) said_at; /* the user's last words up to it: index in `said` + 1, or NOTHING_SAID */
	VEC(struct str) said;
	VEC(uint32_t) way;
};
#define ON_WAY       UINT32_MAX
#define NOTHING_SAID (UINT32_MAX - 1)

static uint32_t depth_of(const struct pi *pi, struct walks *d, uint32_t entry)
{
	uint32_t at = entry + 1, depth;

	while (at && d->depth.v[at - 1] == 0) {
		d->depth.v[at - 1] = ON_WAY;
		vec_push(&d->way, at - 1);
		at = pi->entries.v[at - 1].up;
	}
	depth = at && d->depth.v[at - 1] != ON_WAY ? d->depth.v[at - 1] : 0;
	while (d->way.n > 0)
		d->depth.v[d->way.v[--d->way.n]] = ++depth;
	return d->depth.v[entry];
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

/* Is the entry a message of the user's? Its text, then. */
static bool user_text(struct recording *r, struct pi *pi, uint32_t entry, struct str *text)
{
	static const struct str outer[] = {STR("message")}, inner[] = {STR("role"), STR("content")};
	struct arena *scratch = &r->loader->scratch;
	struct pi_line l = {.r = r, .pi = pi, .scratch = scratch, .entry = &pi->entries.v[entry]};
	struct str bytes = l.entry->type == PI_MESSAGE ? source_read(&r->source, l.entry->at, l.entry->n, scratch)
						       : (struct str){0};
	struct json_span line = {.n = bytes.n, .kind = JSON_OBJECT}, message, v[2];

	/* most are none: a look at the bytes is cheaper than reading them */
	if (str_find(bytes, STR("\"user\""), 0) == SIZE_MAX)
		return false;
	l.s = bytes.p;
	if (!pi_members(&l, line, &pi->entry_scan, outer, 1, &message) ||
	    !pi_members(&l, message, &pi->message_scan, inner, 2, v) ||
	    !str_eq(pick_str(scratch, l.s, v[0]), STR("user")))
		return false;
	*text = pi_text_of(&l, v[1]).text;
	return true;
}

/* The beginning of a text, its white space as single blanks. */
static struct str beginning(struct recording *r, struct str text)
{
	struct buf b = {0};
	struct str s = text_trim(text);
	bool blank = false;

	for (size_t i = 0; i < s.n && b.n < (size_t)4 * SAID_COLUMNS; i++) {
		bool space = pick_is_space(s.p[i]);

		if (!space || !blank)
			buf_char(&b, space ? ' ' : s.p[i]);
		blank = space;
	}
	s = text_clip(buf_view(&b), SAID_COLUMNS, false, NULL);
	s.p = arena_copy(&r->arena, s.n ? s.p : "", s.n);
	buf_free(&b);
	return s;
}

/* What the user said last on the way to an entry. Entries are read once, whatever leads over them. */
static struct str said_before(struct recording *r, struct pi *pi, struct walks *w, uint32_t entry)
{
	uint32_t at = entry + 1, found = 0;
	struct arena_mark mark = arena_mark(&r->loader->scratch);

	while (at && w->said_at.v[at - 1] == 0) {
		struct str text;

		w->said_at.v[at - 1] = ON_WAY;
		vec_push(&w->way, at - 1);
		if (user_text(r, pi, at - 1, &text)) {
			vec_push(&w->said, beginning(r, text));
			found = (uint32_t)w->said.n;
			break;
		}
		arena_release(&r->loader->scratch, mark);
		at = pi->entries.v[at - 1].up;
	}
	if (found == 0 && at && w->said_at.v[at - 1] != ON_WAY)
		found = w->said_at.v[at - 1];
	arena_release(&r->loader->scratch, mark);
	while (w->way.n > 0)
		w->said_at.v[w->way.v[--w->way.n]] = found ? found : NOTHING_SAID;
	return found && found != NOTHING_SAID ? w->said.v[found - 1] : (struct str){0};
}

static void add_branch(struct recording *r, struct pi *pi, struct walks *d, uint32_t entry, uint32_t leaf)
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
	struct walks d = {0};
	uint32_t i;

	vec_fill(&d.depth, pi->entries.n);
	vec_fill(&d.said_at, pi->entries.n);
	for (i = 0; i < pi->entries.n; i++)
		if (i == leaf || pi_is_tip(pi, i))
			add_branch(r, pi, &d, i, leaf);
	for (i = 0; r->branches.n > 1 && i < r->branches.n; i++)
		r->branches.v[i].said = said_before(r, pi, &d, pi->by_id.v[r->branches.v[i].id] - 1);
	vec_free(&d.depth);
	vec_free(&d.said_at);
	vec_free(&d.said);
	vec_free(&d.way);
}
