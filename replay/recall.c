#include "replay/recall.h"

#include <utf8proc.h>

#include "engine/base/buf.h"

/* ---- lower case ---- */

static bool is_cased(uint32_t code)
{
	utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)code);
	return c == UTF8PROC_CATEGORY_LU || c == UTF8PROC_CATEGORY_LL || c == UTF8PROC_CATEGORY_LT;
}

/* A sigma is a final one behind a letter, and before none. */
static bool is_final(struct str text, size_t next, bool behind_letter)
{
	uint32_t code;
	return behind_letter && (text_decode(text, next, &code) == 0 || !is_cased(code));
}

struct str recall_lower(struct arena *a, struct str text)
{
	enum { SIGMA = 0x3A3, FINAL_SIGMA = 0x3C2, DOTTED_I = 0x130, DOT_ABOVE = 0x307 };
	struct buf b = {0};
	char bytes[4];
	uint32_t code;
	bool letter = false;
	for (size_t at = 0, n; (n = text_decode(text, at, &code)) > 0; at += n) {
		uint32_t lower = (uint32_t)utf8proc_tolower((utf8proc_int32_t)code);
		if (code == SIGMA && is_final(text, at + n, letter))
			lower = FINAL_SIGMA;
		letter = is_cased(code);
		buf_bytes(&b, bytes, text_encode(bytes, code == DOTTED_I ? 'i' : lower));
		if (code == DOTTED_I)
			buf_bytes(&b, bytes, text_encode(bytes, DOT_ABOVE));
	}
	struct str copy = {arena_copy(a, buf_view(&b).p, b.n), b.n};
	buf_free(&b);
	return copy;
}

/* ---- the search ---- */

static double count_hits(struct str text, struct str term)
{
	double n = 0;
	for (size_t at = str_find(text, term, 0); at != SIZE_MAX; at = str_find(text, term, at + term.n))
		n++;
	return n;
}

/* The next piece between white space; false: there is none. */
static bool next_term(struct str query, size_t *at, struct str *term)
{
	uint32_t code;
	size_t n, from;
	while ((n = text_decode(query, *at, &code)) > 0 && text_is_space(code))
		*at += n;
	for (from = *at; (n = text_decode(query, *at, &code)) > 0 && !text_is_space(code);)
		*at += n;
	*term = str_cut(query, from, *at);
	return term->n > 0;
}

static double least(double x, double most) { return x < most ? x : most; }

static double score_of(struct str topic, struct str summary, struct str query)
{
	struct str term;
	double score = 0;
	for (size_t at = 0; next_term(query, &at, &term);)
		score += least(count_hits(topic, term) * 0.15, 0.45) + least(count_hits(summary, term) * 0.04, 0.2);
	return least(score, 1);
}

size_t recall_search(const struct state *s, struct str query, struct arena *a, struct recall_hit **hits)
{
	struct recall_hit *v = *hits = arena_alloc(a, (s->blocks.n + 1) * sizeof *v);
	struct arena scratch = {0};
	struct str lower = recall_lower(a, query);
	size_t n = 0;
	for (uint32_t i = 0; i < s->blocks.n; i++) {
		const struct block *k = &s->blocks.v[i];
		struct recall_hit hit = {.block = i};
		if (!k->active)
			continue;
		hit.score = score_of(recall_lower(&scratch, k->topic), recall_lower(&scratch, k->summary), lower);
		arena_free(&scratch);
		if (!(hit.score > 0.1))
			continue;
		size_t at = n++;
		for (; at > 0 && v[at - 1].score < hit.score; at--)
			v[at] = v[at - 1];
		v[at] = hit;
	}
	return n;
}
