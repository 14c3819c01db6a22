#include "engine/kernel/render.h"

#include "engine/base/num.h"

/* The type a tag names (kernel.md 4.9.3). */
static struct str tag_type(const struct state *s, const struct surface_row *r)
{
	if (content_is_tool(r->content))
		return r->tool != 0 ? names_get(s->names, r->tool) : STR("tool");
	return content_name((enum content)r->content);
}

void render_tag(const struct state *s, const struct surface_row *r, struct buf *b)
{
	char label[NUM_TEXT_MAX], ref[REF_TEXT_MAX];
	size_t n = num_label_tag(label, r->tag_tokens);
	buf_text(b, "<acp tokens=\"");
	buf_bytes(b, label, n);
	buf_text(b, "\" type=\"");
	buf_str(b, tag_type(s, r));
	buf_text(b, "\">");
	buf_str(b, state_ref_text(s, r->ref, ref));
	buf_text(b, "</acp>\n");
}

/* Bytes of one leading own tag (kernel.md 4.9.1): of this row's ref only, with one line feed after it. */
static size_t own_tag(const struct state *s, struct str text, uint32_t ref)
{
	char spelled[REF_TEXT_MAX];
	struct str r = state_ref_text(s, ref, spelled), close = STR("</acp>");
	size_t at = str_find(text, STR(">"), sizeof "<acp " - 1);
	if (at == SIZE_MAX || !str_starts(str_cut(text, ++at, text.n), r))
		return 0;
	at += r.n;
	if (!str_starts(str_cut(text, at, text.n), close))
		return 0;
	at += close.n;
	return at < text.n && text.p[at] == '\n' ? at + 1 : at;
}

/* Leaves an own tag of the text out, so that the row's face is the clean text's. */
static void peel(struct turn *t, struct state *s, struct alternatives *alt, struct surface_row *r)
{
	if (!(r->face.traits & TRAIT_TAG))
		return;
	struct arena_mark mark = arena_mark(&t->arena);
	struct str text = surface_plain(r, s, alt, &t->arena);
	size_t n = own_tag(s, text, r->ref);
	if (n > 0) {
		t->peeled++;
		r->peel += (uint32_t)n;
		r->face = face_of(str_cut(text, n, text.n));
	}
	arena_release(&t->arena, mark);
}

static double snapshot_tokens(struct turn *t, struct state *s, const struct surface_row *r)
{
	if (t->in.no_snapshot)
		return counter_tokens(&t->in.counter, r->face.size);
	uint32_t entry = r->ref < s->snapshot_of.n ? s->snapshot_of.v[r->ref] : 0;
	if (entry != 0)
		return s->snapshot.v[entry - 1].tokens;
	double tokens = counter_tokens(&t->in.counter, r->face.size);
	state_snapshot_set(s, r->ref, tokens);
	return tokens;
}

static struct measure tag_measure(struct turn *t, const struct state *s, const struct surface_row *r)
{
	buf_cut(&t->text, 0);
	render_tag(s, r, &t->text);
	return text_measure(buf_view(&t->text));
}

void render_run(struct turn *t, struct state *s, struct alternatives *alt)
{
	for (size_t i = t->kept; i < t->surface.rows.n; i++) {
		struct surface_row *r = &t->surface.rows.v[i];
		if (r->ref == REF_NONE || r->ref == REF_BLOCKED)
			continue;
		if (t->in.tags == TAGS_TEXT_ONLY && r->content != CONTENT_TEXT)
			continue;
		peel(t, s, alt, r);
		r->tag_tokens = snapshot_tokens(t, s, r);
		r->tagged = true;
		if (r->source < 0) {
			r->tag = tag_measure(t, s, r);
			continue;
		}
		/* after a rollback a message can have another ref, but only one as long: the size depends on the number
		 * alone */
		struct row_cache *c = alternatives_row(alt, (uint32_t)r->source);
		if (c->tag.units == 0 || c->tag_tokens != r->tag_tokens)
			*c = (struct row_cache){
				.tag = tag_measure(t, s, r), .tag_tokens = r->tag_tokens, .made = c->made};
		r->tag = c->tag;
	}
}
