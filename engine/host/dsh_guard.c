#include "engine/host/dsh_guard.h"

#include <inttypes.h>

static int seq_order(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Ascending, each once. */
static void tidy(struct dsh_seqs *s)
{
	size_t kept = 0;
	if (s->seqs.n > 1)
		qsort(s->seqs.v, s->seqs.n, sizeof *s->seqs.v, seq_order);
	for (size_t i = 0; i < s->seqs.n; i++)
		if (i == 0 || s->seqs.v[i] != s->seqs.v[i - 1])
			s->seqs.v[kept++] = s->seqs.v[i];
	s->seqs.n = kept;
}

void dsh_guarded_list(const struct dsh_fold *f, struct dsh_seqs *out)
{
	out->seqs.n = 0;
	if (!f->rules.barrier)
		return;
	for (size_t i = 0; i < f->scopes.list.n; i++) {
		uint32_t row = dsh_scopes_newest(&f->scopes, f->scopes.list.v[i].name);
		if (row != DSH_NONE && dsh_surface_is_node(&f->surface, row))
			vec_push(&out->seqs, dsh_log_seq(f->log, row));
	}
	tidy(out);
}

void dsh_guarded_in(const struct dsh_seqs *guarded, const int64_t *span, size_t span_n, struct dsh_seqs *hits)
{
	struct dsh_seqs sorted = {0};
	hits->seqs.n = 0;
	for (size_t i = 0; i < guarded->seqs.n; i++)
		vec_push(&sorted.seqs, guarded->seqs.v[i]);
	tidy(&sorted);
	for (size_t i = 0; i < span_n; i++)
		if (sorted.seqs.n && bsearch(&span[i], sorted.seqs.v, sorted.seqs.n, sizeof *sorted.seqs.v, seq_order))
			vec_push(&hits->seqs, span[i]);
	tidy(hits);
	vec_free(&sorted.seqs);
}

/* ---- slices ---- */

static bool is_hit(const int64_t *hits, size_t n, int64_t seq)
{
	return n && bsearch(&seq, hits, n, sizeof *hits, seq_order) != NULL;
}

/* Positions of the first and the last hit; false when there is none. */
static bool outermost(const int64_t *span, size_t n, const int64_t *hits, size_t hits_n, size_t *first, size_t *last)
{
	bool any = false;
	*first = *last = 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_hit(hits, hits_n, span[i]))
			continue;
		if (!any)
			*first = i;
		*last = i;
		any = true;
	}
	return any;
}

static struct dsh_slice slice(const int64_t *span, size_t from, size_t to)
{
	struct dsh_slice s = {.first = span[from], .last = span[to - 1]};
	s.state = s.first > s.last ? DSH_SLICE_BACKWARDS : DSH_SLICE_OFFERED;
	return s;
}

size_t dsh_guard_slices(const int64_t *span, size_t span_n, const int64_t *hits, size_t hits_n, struct dsh_slice out[2])
{
	size_t first, last, n = 0;
	if (!outermost(span, span_n, hits, hits_n, &first, &last))
		return 0;
	if (first > 0)
		out[n++] = slice(span, 0, first);
	if (last + 1 < span_n)
		out[n++] = slice(span, last + 1, span_n);
	return n;
}

static void try_slice(const struct dsh_nodes *n, struct dsh_slice *s)
{
	struct dsh_resolution r;
	if (s->state != DSH_SLICE_OFFERED)
		return;
	dsh_resolve(n, s->first, s->last, &r);
	if (r.verdict != DSH_ACCEPTED)
		s->state = DSH_SLICE_REFUSED;
}

static void find_gaps(struct dsh_guard *g, const struct dsh_nodes *n)
{
	const int64_t *span = g->span.seqs.v;
	size_t first, last, from;
	if (!outermost(span, g->span.seqs.n, g->hits.seqs.v, g->hits.seqs.n, &first, &last))
		return;
	from = first + 1;
	for (size_t i = first + 1; i <= last; i++) {
		if (!is_hit(g->hits.seqs.v, g->hits.seqs.n, span[i]))
			continue;
		if (i > from) {
			struct dsh_slice s = slice(span, from, i);
			try_slice(n, &s);
			vec_push(&g->gaps, s);
		}
		from = i + 1;
	}
}

/* ---- the probe ---- */

/* dsh.md 7.6 with dsh-rulings 24. */
static bool holds_last_baseline(const struct dsh_nodes *n, uint32_t left, uint32_t right)
{
	bool any = false;
	for (uint32_t i = 0; i < n->list.rows.n; i++) {
		uint32_t row = n->list.rows.v[i];
		if (!dsh_fold_traits(n->f, row)->exact || !dsh_log_row(n->f->log, row)->baseline)
			continue;
		if (i < left || i > right)
			return false;
		any = true;
	}
	return any;
}

static void read_span(struct dsh_guard *g, const struct dsh_nodes *n)
{
	for (uint32_t i = g->at.left; i <= g->at.right; i++) {
		vec_push(&g->span.seqs, dsh_nodes_row(n, i)->seq);
		if (i != g->at.left && i != g->at.right && dsh_fold_is(n->f, n->list.rows.v[i], DSH_CHECKPOINT))
			g->checkpoints++;
	}
	g->edge_checkpoint = dsh_fold_is(n->f, n->list.rows.v[g->at.left], DSH_CHECKPOINT) ||
			     dsh_fold_is(n->f, n->list.rows.v[g->at.right], DSH_CHECKPOINT);
	g->last_baseline = holds_last_baseline(n, g->at.left, g->at.right);
}

static void look_at_hits(struct dsh_guard *g, const struct dsh_nodes *n)
{
	const struct dsh_log *log = n->f->log;
	g->verdict = DSH_GUARDED;
	for (size_t i = 0; i < g->hits.seqs.n; i++)
		if (!dsh_fold_traits(n->f, dsh_log_find(log, g->hits.seqs.v[i]))->exact)
			g->unseen_wrapper = true;
	g->slices_n = dsh_guard_slices(g->span.seqs.v, g->span.seqs.n, g->hits.seqs.v, g->hits.seqs.n, g->slices);
	for (size_t i = 0; i < g->slices_n; i++)
		try_slice(n, &g->slices[i]);
	find_gaps(g, n);
}

void dsh_guard_probe(struct dsh_guard *g, const struct dsh_nodes *n, int64_t start, int64_t end)
{
	g->span.seqs.n = g->hits.seqs.n = g->gaps.n = g->slices_n = g->checkpoints = 0;
	g->unseen_wrapper = g->last_baseline = g->edge_checkpoint = false;
	dsh_guarded_list(n->f, &g->guarded);
	dsh_resolve(n, start, end, &g->at);
	g->verdict = g->at.verdict;
	if (g->verdict != DSH_ACCEPTED)
		return;
	read_span(g, n);
	dsh_guarded_in(&g->guarded, g->span.seqs.v, g->span.seqs.n, &g->hits);
	if (g->hits.seqs.n)
		look_at_hits(g, n);
}

void dsh_guard_free(struct dsh_guard *g)
{
	vec_free(&g->span.seqs);
	vec_free(&g->hits.seqs);
	vec_free(&g->gaps);
	vec_free(&g->guarded.seqs);
}

/* ---- the note ---- */

enum { NOTE_SEQS = 4 };

static void put_hits(struct buf *b, const struct dsh_guard *g)
{
	size_t n = g->hits.seqs.n;
	buf_text(b, "seq ");
	for (size_t i = 0; i < n && i < NOTE_SEQS; i++)
		buf_printf(b, "%s%" PRId64, i ? ", " : "", g->hits.seqs.v[i]);
	if (n > NOTE_SEQS)
		buf_printf(b, " +%zu more", n - NOTE_SEQS);
}

static void put_slices(struct buf *b, const struct dsh_guard *g)
{
	size_t offered = 0, backwards = 0;
	for (size_t i = 0; i < g->slices_n; i++) {
		const struct dsh_slice *s = &g->slices[i];
		backwards += s->state == DSH_SLICE_BACKWARDS;
		if (s->state != DSH_SLICE_OFFERED)
			continue;
		buf_printf(b, "%s%" PRId64 "..%" PRId64, offered++ ? " and " : "Still compressible: seq ", s->first,
			   s->last);
	}
	if (offered)
		buf_text(b, "; send each as an entry of its own instead of repeating this call. ");
	else
		buf_text(b, "No part of this span is compressible. ");
	if (backwards)
		buf_text(b, "A part whose seqs run backwards on the surface is left out. ");
}

void dsh_guard_note(struct buf *b, const struct dsh_guard *g)
{
	size_t n = g->hits.seqs.n;
	buf_printf(b,
		   "seqs %" PRId64 "..%" PRId64 " rejected: the span holds %zu current %s of injected instructions (",
		   g->at.start, g->at.end, n, n == 1 ? "copy" : "copies");
	put_hits(b, g);
	buf_text(b, "). The host pastes the newest copy again whatever was folded, so nothing is reclaimed. ");
	put_slices(b, g);
	buf_text(b, "Superseded (stale) copies may be compressed.");
	if (g->unseen_wrapper)
		buf_text(b, " The host's gate does not see a row in the legacy spelling.");
}
