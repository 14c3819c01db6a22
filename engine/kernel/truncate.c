/* The emergency-truncate node (kernel.md 4.8). */
#include "engine/base/num.h"
#include "engine/kernel/nodes.h"

struct candidate {
	double tokens;
	uint32_t row;
};

/* Largest first; equal ones keep their order. */
static int by_size(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (x->tokens != y->tokens)
		return x->tokens > y->tokens ? -1 : 1;
	return x->row < y->row ? -1 : 1;
}

static void cut_text(struct turn *t, struct str text, uint32_t units, double tokens, struct buf *out)
{
	char number[NUM_TEXT_MAX];
	size_t n = num_print(number, tokens);
	buf_str(out, text_slice(&t->arena, text, 0, TRUNCATE_KEEP_UNITS));
	buf_text(out, "\n\n..." TRUNCATION_MARKER " \xE2\x80\x94 original ~");
	buf_bytes(out, number, n);
	buf_text(out, " tokens]...\n\n");
	buf_str(out, text_slice(&t->arena, text, units - TRUNCATE_KEEP_UNITS, units));
}

/* The number of the row's truncated text; made once for a message and count. */
static uint32_t truncated_text(struct turn *t, struct state *s, struct alternatives *alt, const struct surface_row *r,
			       double tokens)
{
	uint64_t key;
	uint32_t number;
	memcpy(&key, &tokens, sizeof key);
	if (alternatives_made(alt, (uint32_t)r->source, key, &number))
		return number;
	struct arena_mark mark = arena_mark(&t->arena);
	struct buf text = {0};
	cut_text(t, surface_plain(r, s, alt, &t->arena), r->face.size.units, tokens, &text);
	number = alternatives_add(alt, buf_view(&text));
	alternatives_remember(alt, (uint32_t)r->source, key, number);
	buf_free(&text);
	arena_release(&t->arena, mark);
	return number;
}

static bool is_candidate(const struct surface_row *r, double tokens)
{
	return r->content == CONTENT_RESULT && r->source >= 0 && r->face.size.units > 0 &&
	       !(r->face.traits & TRAIT_TRUNCATED) && tokens >= TRUNCATE_MIN_TOKENS;
}

void truncate_run(struct turn *t, struct state *s, struct alternatives *alt)
{
	const struct config *c = s->config;
	double usage = c->limit > 0 ? t->in.tokens / c->limit : 0, theta = c->truncate_threshold * c->limit;
	if (!(usage >= c->truncate_threshold) || !(c->limit > 0) || t->in.tokens < theta)
		return;
	VEC(struct candidate) list = {0};
	for (size_t i = 0; i < t->surface.rows.n && (double)i < (double)t->surface.rows.n - c->preserve_messages; i++) {
		const struct surface_row *r = &t->surface.rows.v[i];
		double tokens = counter_tokens(&t->in.counter, r->face.size);
		if (is_candidate(r, tokens))
			vec_push(&list, (struct candidate){tokens, (uint32_t)i});
	}
	if (list.n > 1)
		qsort(list.v, list.n, sizeof *list.v, by_size);
	for (size_t i = 0; i < list.n && t->in.tokens - t->saved > theta * 0.9; i++) {
		struct surface_row *r = &t->surface.rows.v[list.v[i].row];
		if (r->face.size.units <= 2 * TRUNCATE_KEEP_UNITS)
			continue;
		r->alternative = truncated_text(t, s, alt, r, list.v[i].tokens);
		r->face = alt->list.v[r->alternative].face;
		t->saved += list.v[i].tokens - counter_tokens(&t->in.counter, r->face.size);
		t->truncated++;
		turn_digest_cut(t, list.v[i].row);
		if (list.v[i].row < t->kept)
			t->kept = list.v[i].row; /* without snapshot its tag counts the text it has now */
	}
	vec_free(&list);
}
