#include "engine/kernel/surface.h"

#include <math.h>

#include "engine/base/fnv.h"
#include "engine/base/num.h"
#include "engine/kernel/render.h"

void alternatives_init(struct alternatives *a)
{
	*a = (struct alternatives){0};
	vec_push(&a->list, (struct alternative){0});
}

void alternatives_free(struct alternatives *a)
{
	for (size_t i = 0; i < a->list.n; i++)
		free(a->list.v[i].p);
	vec_free(&a->list);
	vec_free(&a->rows);
	vec_free(&a->made);
}

uint32_t alternatives_add(struct alternatives *a, struct str text)
{
	struct alternative alt = {mem_alloc(text.n + 1), text.n, face_of(text)};
	memcpy(alt.p, text.p, text.n);
	alt.p[text.n] = 0;
	vec_push(&a->list, alt);
	return (uint32_t)a->list.n - 1;
}

struct row_cache *alternatives_row(struct alternatives *a, uint32_t message)
{
	vec_fill(&a->rows, (size_t)message + 1);
	return &a->rows.v[message];
}

bool alternatives_made(struct alternatives *a, uint32_t message, uint64_t key, uint32_t *number)
{
	for (uint32_t i = alternatives_row(a, message)->made; i != 0; i = a->made.v[i - 1].next)
		if (a->made.v[i - 1].key == key) {
			*number = a->made.v[i - 1].number;
			return true;
		}
	return false;
}

void alternatives_remember(struct alternatives *a, uint32_t message, uint64_t key, uint32_t number)
{
	struct row_cache *c = alternatives_row(a, message);
	vec_push(&a->made, (struct made_text){key, number, c->made});
	c->made = (uint32_t)a->made.n;
}

void surface_free(struct surface *f) { vec_free(&f->rows); }

void surface_from_rows(struct surface *out, struct state *s)
{
	out->rows.n = 0;
	vec_reserve(&out->rows, s->rows.n);
	for (size_t i = 0; i < s->rows.n; i++)
		out->rows.v[out->rows.n++] = surface_of_message(s, s->rows.v[i]);
}

struct surface_row surface_summary(struct state *s, uint32_t block)
{
	const struct block *k = &s->blocks.v[block];
	const struct name_info *id = state_info(s, k->summary_id);
	return (struct surface_row){.source = ~(int32_t)block,
				    .id = k->summary_id,
				    .ref = id->ref,
				    .face = k->face,
				    .role = ROLE_SYSTEM,
				    .content = CONTENT_TEXT,
				    .covered = id->covers > 0};
}

struct str surface_plain(const struct surface_row *r, struct state *s, const struct alternatives *alt,
			 struct arena *scratch)
{
	struct str text;
	if (r->alternative != ALTERNATIVE_NONE) {
		text = (struct str){alt->list.v[r->alternative].p, alt->list.v[r->alternative].n};
	} else if (r->source >= 0) {
		text = s->texts.get(s->texts.owner, (uint32_t)r->source, scratch);
	} else {
		struct buf b = {0};
		block_summary_text(&s->blocks.v[~r->source], &b);
		text = (struct str){arena_copy(scratch, b.p, b.n), b.n};
		buf_free(&b);
	}
	return str_cut(text, r->peel, text.n);
}

void surface_text(const struct surface_row *r, struct state *s, const struct alternatives *alt, struct arena *scratch,
		  struct buf *b)
{
	if (r->tagged)
		render_tag(s, r, b);
	buf_str(b, surface_plain(r, s, alt, scratch));
}

/* Where the hash of this row may be kept, with what it was taken for. */
static uint64_t take_hash(const struct surface_row *r, struct state *s, struct alternatives *alt, struct arena *scratch)
{
	struct buf tag = {0};
	uint64_t h = fnv_text(FNV_START, names_get(s->names, r->id));
	h = fnv_byte(h, 0x1f);
	h = fnv_text(h, role_name((enum role)r->role));
	h = fnv_byte(h, 0x1f);
	h = fnv_text(h, content_name((enum content)r->content));
	h = fnv_byte(h, 0x1f);
	if (r->tagged) {
		render_tag(s, r, &tag);
		h = fnv_text(h, buf_view(&tag));
		buf_free(&tag);
	}
	struct arena_mark mark = arena_mark(scratch);
	h = fnv_text(h, surface_plain(r, s, alt, scratch));
	arena_release(scratch, mark);
	return h;
}

uint64_t surface_row_hash(const struct surface_row *r, struct state *s, struct alternatives *alt, struct arena *scratch)
{
	double tag = r->tagged ? r->tag_tokens : -1;
	if (r->source < 0) {
		struct block *k = &s->blocks.v[~r->source];
		if (!(k->hash_tag == tag) || k->hash_ref != r->ref) {
			k->hash = take_hash(r, s, alt, scratch);
			k->hash_tag = tag;
			k->hash_ref = r->ref;
		}
		return k->hash;
	}
	struct row_cache *c = alternatives_row(alt, (uint32_t)r->source);
	if (c->tag_tokens != tag)
		*c = (struct row_cache){.tag_tokens = tag, .made = c->made};
	if (!c->has_hash || c->alternative != r->alternative || c->ref != r->ref) {
		c->hash = take_hash(r, s, alt, scratch);
		c->alternative = r->alternative;
		c->ref = r->ref;
		c->has_hash = true;
	}
	return c->hash;
}
