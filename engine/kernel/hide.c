/* The hide-compress-calls node: which calls stay, and with what text (kernel.md 4.5). */
#include "engine/base/fnv.h"
#include "engine/kernel/nodes.h"

struct hide {
	struct turn *t;
	struct state *s;
	struct alternatives *alt;
};

static bool is_compress_call(const struct state *s, const struct surface_row *r)
{
	return r->content == CONTENT_CALL && r->tool == s->compress_tool;
}

static void add_orphan(struct orphans *o, uint32_t message)
{
	if (o->n < ORPHANS_KEPT)
		o->message[o->n++] = message;
}

/* A compress call that no block knows. */
static bool is_unknown_call(const struct state *s, uint32_t message)
{
	const struct message *m = &s->messages.v[message];
	return m->content == CONTENT_CALL && m->tool == s->compress_tool && m->call != 0 &&
	       s->info.v[m->call].call_blocks == 0;
}

/* 4.5.1 step 2: the last calls no block knows; two rows with one id use up both places. */
static struct orphans last_orphans(const struct turn *t, const struct state *s)
{
	struct orphans now = {0};
	bool go_on = turn_goes_on(t, s);
	size_t last = t->in.no_orphans ? 0 : s->uncovered.n;
	for (size_t i = last; i-- > 0 && now.n < ORPHANS_KEPT;) {
		uint32_t index = s->uncovered.v[i];
		if (go_on && index < s->changed) {
			/* from here on all is as it was: the same ones follow, unless older ones were left out */
			struct orphans then = now;
			for (int k = 0; k < t->orphans.n; k++)
				if (t->orphans.message[k] < s->changed)
					add_orphan(&then, t->orphans.message[k]);
			if (then.n == ORPHANS_KEPT || t->orphans.n < ORPHANS_KEPT)
				return then;
			go_on = false;
		}
		if (is_unknown_call(s, index))
			add_orphan(&now, index);
	}
	return now;
}

/* Rows of the calls in `a` but not in `b` are shown otherwise. */
static void mark_difference(struct state *s, const struct orphans *a, const struct orphans *b)
{
	for (int i = 0; i < a->n; i++) {
		bool in_both = false;
		for (int k = 0; k < b->n; k++)
			in_both = in_both || a->message[i] == b->message[k];
		if (!in_both)
			state_changed(s, s->info.v[s->messages.v[a->message[i]].call].first_call - 1);
	}
}

void hide_find_orphans(struct turn *t, struct state *s)
{
	struct orphans now = last_orphans(t, s);
	if (turn_goes_on(t, s)) {
		mark_difference(s, &t->orphans, &now);
		mark_difference(s, &now, &t->orphans);
	}
	t->orphans = now;
}

static bool is_kept(const struct hide *h, uint32_t call)
{
	if (call == 0)
		return false;
	for (uint32_t l = h->s->info.v[call].call_blocks; l != 0; l = h->s->listings.v[l - 1].next)
		if (h->s->blocks.v[h->s->listings.v[l - 1].block].active)
			return true;
	for (int i = 0; i < h->t->orphans.n; i++)
		if (h->s->messages.v[h->t->orphans.message[i]].call == call)
			return true;
	return false;
}

/* 4.5.1 step 4: calls that are not kept, and the results of such calls. */
static bool is_hidden(const struct hide *h, const struct surface_row *r)
{
	bool hideable = is_compress_call(h->s, r) ||
			(r->content == CONTENT_RESULT && r->call != 0 && h->s->info.v[r->call].compress_calls > 0);
	return hideable && !is_kept(h, r->call);
}

static void remove_rows(struct hide *h)
{
	struct surface *f = &h->t->surface;
	size_t n = h->t->kept;
	for (size_t i = n; i < f->rows.n; i++) {
		if (is_hidden(h, &f->rows.v[i]))
			h->t->hidden++;
		else if (n++ < i)
			f->rows.v[n - 1] = f->rows.v[i];
	}
	f->rows.n = n;
}

/* Live keys of a call's active blocks (4.5.1 step 1), into the turn's arena. */
static size_t live_keys(struct hide *h, uint32_t call, struct anchor_key **keys, bool *legacy)
{
	size_t n = 0;
	*legacy = false;
	for (uint32_t l = h->s->info.v[call].call_blocks; l != 0; l = h->s->listings.v[l - 1].next)
		n++;
	*keys = arena_alloc(&h->t->arena, n * sizeof **keys);
	n = 0;
	for (uint32_t l = h->s->info.v[call].call_blocks; l != 0; l = h->s->listings.v[l - 1].next) {
		const struct block *k = &h->s->blocks.v[h->s->listings.v[l - 1].block];
		if (!k->active)
			continue;
		if (k->start_ref.p == NULL || k->end_ref.p == NULL)
			*legacy = true;
		else
			(*keys)[n++] = (struct anchor_key){k->start_ref, k->end_ref};
	}
	return n;
}

/*
 * What a rewritten text depends on beside the call's own text: the form, and the keys of the active blocks. Not which
 * blocks they are: after a rollback another block can have the number. Never 0.
 */
static uint64_t rewrite_key(const struct hide *h, uint32_t call)
{
	uint64_t key = fnv_u64(FNV_START, h->t->in.hide);
	for (uint32_t l = h->s->info.v[call].call_blocks; l != 0; l = h->s->listings.v[l - 1].next) {
		const struct block *k = &h->s->blocks.v[h->s->listings.v[l - 1].block];
		if (!k->active)
			continue;
		bool legacy = k->start_ref.p == NULL || k->end_ref.p == NULL;
		key = fnv_byte(key, legacy ? 0x1e : 0x1f);
		if (legacy)
			continue;
		key = fnv_text(key, k->start_ref);
		key = fnv_byte(key, 0x1f);
		key = fnv_text(key, k->end_ref);
	}
	return key | 1;
}

/* The alternative text of a call for this key, or ALTERNATIVE_NONE: it stays as it is. */
static uint32_t rewritten(struct hide *h, const struct surface_row *r, uint64_t key)
{
	struct anchor_key *keys;
	bool legacy;
	struct str out;
	uint32_t number = ALTERNATIVE_NONE;
	if (alternatives_made(h->alt, (uint32_t)r->source, key, &number))
		return number;
	struct arena_mark mark = arena_mark(&h->t->arena);
	size_t n = live_keys(h, r->call, &keys, &legacy);
	struct str text = surface_plain(r, h->s, h->alt, &h->t->arena);
	if (anchors_rewrite(&h->t->arena, h->t->in.hide, text, keys, n, legacy, &out))
		number = alternatives_add(h->alt, out);
	arena_release(&h->t->arena, mark);
	alternatives_remember(h->alt, (uint32_t)r->source, key, number);
	return number;
}

void hide_run(struct turn *t, struct state *s, struct alternatives *alt)
{
	struct hide h = {.t = t, .s = s, .alt = alt};
	t->orphans = last_orphans(t, s);
	remove_rows(&h);
	for (size_t i = t->kept; i < t->surface.rows.n; i++) {
		struct surface_row *r = &t->surface.rows.v[i];
		if (!is_compress_call(s, r))
			continue;
		uint32_t number = rewritten(&h, r, rewrite_key(&h, r->call));
		if (number == ALTERNATIVE_NONE)
			continue;
		r->alternative = number;
		r->face = alt->list.v[number].face;
	}
}
