#include "replay/readers/pi.h"

/* Every tool call of the file, so that a parent that names one can be found. */
static void name_calls(struct recording *r, struct pi *pi)
{
	static const struct str names[] = {STR("message")}, inner[] = {STR("content")};
	struct arena *scratch = &r->loader->scratch;
	uint32_t i;
	size_t k;

	for (i = 0; i < pi->entries.n; i++) {
		struct arena_mark mark = arena_mark(scratch);
		struct pi_line l = {.r = r, .pi = pi, .scratch = scratch, .entry = &pi->entries.v[i]};
		struct json_span line = {.kind = JSON_OBJECT}, message, content;
		struct str bytes;

		if (l.entry->type != PI_MESSAGE)
			continue;
		bytes = source_read(&r->source, l.entry->at, l.entry->n, scratch);
		l.s = bytes.p;
		line.n = bytes.n;
		pi->calls.n = 0;
		if (pi_members(&l, line, &pi->entry_scan, names, 1, &message) &&
		    pi_members(&l, message, &pi->message_scan, inner, 1, &content))
			pi_text_of(&l, content);
		for (k = 0; k < pi->calls.n; k++) {
			uint32_t id = pi->calls.v[k].id;

			vec_fill(&pi->by_call, (size_t)id + 1);
			vec_push(&pi->named_calls, (struct pi_named_call){i, pi->by_call.v[id]});
			pi->by_call.v[id] = (uint32_t)pi->named_calls.n;
		}
		arena_release(scratch, mark);
	}
	pi->calls_named = true;
}

/*
 * The entry with the last call of this id before `entry`; entries.n when there is none. Entries ask from the leaf
 * backward, so a call that lies behind one question lies behind all that follow: the chain is walked once.
 */
static uint32_t entry_of_call(struct recording *r, struct pi *pi, uint32_t id, uint32_t entry)
{
	uint32_t *call;

	if (!pi->calls_named)
		name_calls(r, pi);
	if (id >= pi->by_call.n)
		return (uint32_t)pi->entries.n;
	call = &pi->by_call.v[id];
	while (*call && pi->named_calls.v[*call - 1].entry >= entry)
		*call = pi->named_calls.v[*call - 1].before;
	return *call ? pi->named_calls.v[*call - 1].entry : (uint32_t)pi->entries.n;
}

/* Finds the parent of every entry, the last one first. */
static void find_parents(struct recording *r, struct pi *pi)
{
	uint32_t i, none = (uint32_t)pi->entries.n, found;

	for (i = none; i-- > 0;) {
		struct pi_entry *e = &pi->entries.v[i];

		if (e->parent == 0)
			continue;
		if (e->parent < pi->by_id.n && pi->by_id.v[e->parent]) {
			e->up = pi->by_id.v[e->parent];
		} else if (e->parent != pi->session) { /* that is OpenClaw's root */
			found = entry_of_call(r, pi, e->parent, i);
			e->up = found != none ? found + 1 : 0;
		}
		if (e->up)
			pi->entries.v[e->up - 1].children++;
	}
}

/* The branch ends here because the parent is missing: not so at the head of a slice without a header. */
static void report_root(struct recording *r, const struct pi *pi, uint32_t entry)
{
	const struct pi_entry *e = &pi->entries.v[entry];

	if (e->parent && e->parent != pi->session && !(pi->headless && entry == 0))
		recording_damage(r, DAMAGE_BROKEN_TREE, e->line, e->at,
				 "the parent %s is not in the file; the branch starts here",
				 recording_quote(&r->loader->scratch, names_get(&r->names, e->parent)));
}

static void walk(struct recording *r, struct pi *pi, uint32_t leaf)
{
	uint32_t at = leaf;
	size_t i;

	for (;;) {
		struct pi_entry *e = &pi->entries.v[at];

		if (e->on_path) {
			recording_damage(r, DAMAGE_BROKEN_TREE, e->line, e->at,
					 "the parents of this entry lead back to it; the branch starts behind it");
			break;
		}
		e->on_path = true;
		vec_push(&pi->path, at);
		if (e->up == 0) {
			report_root(r, pi, at);
			break;
		}
		at = e->up - 1;
	}
	for (i = 0; i < pi->path.n / 2; i++) {
		uint32_t *a = &pi->path.v[i], *b = &pi->path.v[pi->path.n - 1 - i], c = *a;

		*a = *b;
		*b = c;
	}
	for (i = 0; i < pi->path.n; i++)
		pi->entries.v[pi->path.v[i]].position = (uint32_t)i;
}

/* --branch names no entry: says which ends of branches there are. */
static void refuse_branch(struct recording *r, struct pi *pi)
{
	enum { NAMED = 5 };
	struct arena *scratch = &r->loader->scratch;
	struct buf tips = {0};
	size_t i, n = 0;

	for (i = 0; i < pi->entries.n; i++) {
		if (!pi_is_tip(pi, (uint32_t)i))
			continue;
		if (n++ < NAMED)
			buf_printf(&tips, "%s%s", n > 1 ? ", " : "",
				   recording_quote(scratch, names_get(&r->names, pi->entries.v[i].id)));
	}
	recording_fail(r, STATUS_USAGE, 0, 0, "no entry %s in the session; %zu branch%s with %s%s",
		       recording_quote(scratch, names_get(&r->names, r->branch)), n, n == 1 ? " ends" : "es end",
		       n ? tips.p : "nothing", n > NAMED ? ", .. (acpdbg info lists them)" : "");
	buf_free(&tips);
}

bool pi_find_path(struct recording *r, struct pi *pi)
{
	uint32_t leaf = (uint32_t)pi->entries.n - 1;
	size_t inside;

	find_parents(r, pi);
	if (r->branch) {
		if (r->branch >= pi->by_id.n || pi->by_id.v[r->branch] == 0) {
			refuse_branch(r, pi);
			return false;
		}
		leaf = pi->by_id.v[r->branch] - 1;
	}
	if (pi->entries.n == 0)
		return true;
	walk(r, pi, leaf);
	pi_list_branches(r, pi, leaf);
	inside = !pi_is_tip(pi, leaf);
	if (pi->path.n < pi->entries.n)
		recording_note(r, "%zu of %zu entries %s on the branch of %s%s; the tree has %zu tip%s", pi->path.n,
			       pi->entries.n, pi->path.n == 1 ? "is" : "are",
			       recording_quote(&r->loader->scratch, names_get(&r->names, pi->entries.v[leaf].id)),
			       r->branch ? "" : " (the last line)", r->branches.n - inside,
			       r->branches.n - inside == 1 ? "" : "s");
	return true;
}
