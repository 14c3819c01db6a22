#include "replay/report/trace_dsh.h"

#include "replay/canon.h"

/* Items of a list, one after the other. */
static void comma(struct buf *b)
{
	if (b->n > 0 && b->p[b->n - 1] != '[' && b->p[b->n - 1] != '{')
		buf_char(b, ',');
}

static void put_seq(struct buf *b, int64_t seq)
{
	comma(b);
	canon_number(b, (double)seq);
}

static void put_member(struct buf *b, const char *name, double x)
{
	comma(b);
	buf_printf(b, "\"%s\":", name);
	canon_number(b, x);
}

static void put_seqs(struct buf *b, const int64_t *seqs, size_t n)
{
	buf_char(b, '[');
	for (size_t i = 0; i < n; i++)
		put_seq(b, seqs[i]);
	buf_char(b, ']');
}

void trace_dsh_table(struct run *r, struct buf *b)
{
	struct dsh_table *t = &r->dsh.table;
	dsh_table_build(t, &r->dsh.fold, run_dsh_preserve(r));
	buf_char(b, '[');
	for (size_t i = 0; i < t->ranges.n; i++) {
		const struct dsh_range *range = &t->ranges.v[i];
		comma(b);
		buf_char(b, '{');
		put_member(b, "start", (double)range->start);
		put_member(b, "end", (double)range->end);
		put_member(b, "count", range->count);
		put_member(b, "tokens", range->tokens);
		put_member(b, "toolPct", range->tool_pct);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

void trace_dsh_classes(struct run *r, struct buf *b)
{
	dsh_census_take(&r->dsh.census, &r->dsh.fold);
	buf_char(b, '{');
	for (int c = 0; c < DSH_CLASSES; c++)
		put_member(b, dsh_class_name((enum dsh_class)c), r->dsh.census.classes[c]);
	buf_char(b, '}');
}

void trace_dsh_barriers(struct run *r, struct buf *b)
{
	dsh_census_take(&r->dsh.census, &r->dsh.fold);
	put_seqs(b, r->dsh.census.barriers.v, r->dsh.census.barriers.n);
}

void trace_dsh_guarded(struct run *r, struct buf *b)
{
	dsh_guarded_list(&r->dsh.fold, &r->dsh.guarded);
	put_seqs(b, r->dsh.guarded.seqs.v, r->dsh.guarded.seqs.n);
}

/* ---- compress ---- */

/* An edge that could not be read is null, and so is the pair when both are. */
static void put_pair(struct buf *b, const char *name, const int64_t pair[2])
{
	comma(b);
	buf_printf(b, "\"%s\":", name);
	if (pair[0] < 0 && pair[1] < 0) {
		buf_text(b, "null");
		return;
	}
	buf_char(b, '[');
	for (size_t i = 0; i < 2; i++) {
		if (pair[i] >= 0) {
			put_seq(b, pair[i]);
		} else {
			comma(b);
			buf_text(b, "null");
		}
	}
	buf_char(b, ']');
}

static void put_slices(struct buf *b, const struct dsh_asked *a)
{
	buf_text(b, ",\"slices\":[");
	for (uint32_t i = 0; i < a->slices_n; i++) {
		if (a->slices[i].state != DSH_SLICE_OFFERED)
			continue;
		comma(b);
		put_seqs(b, (const int64_t[]){a->slices[i].first, a->slices[i].last}, 2);
	}
	buf_char(b, ']');
}

void trace_dsh_guard(const struct run *r, size_t compression, struct buf *b)
{
	uint32_t n;
	const struct dsh_asked *asked = run_dsh_asked(r, compression, &n);
	buf_char(b, '[');
	for (uint32_t i = 0; i < n; i++) {
		const struct dsh_asked *a = &asked[i];
		comma(b);
		buf_char(b, '{');
		put_pair(b, "request", a->request);
		buf_printf(b, ",\"verdict\":\"%s\"", dsh_verdict_name((enum dsh_verdict)a->verdict));
		put_pair(b, "resolved", a->resolved);
		buf_text(b, ",\"hits\":");
		put_seqs(b, a->hits, a->hits_n);
		put_slices(b, a);
		buf_printf(b, ",\"recovered\":%s,\"adjusted\":%s}", a->recovered ? "true" : "false",
			   a->adjusted ? "true" : "false");
	}
	buf_char(b, ']');
}

void trace_dsh_errors(const struct run *r, size_t compression, bool any, struct buf *b)
{
	uint32_t n;
	const struct dsh_asked *asked = run_dsh_asked(r, compression, &n);
	for (uint32_t i = 0; i < n; i++) {
		const struct dsh_asked *a = &asked[i];
		bool given = a->kernel != UINT32_MAX;
		if (given || a->verdict == DSH_ACCEPTED || a->verdict == DSH_ALREADY_COMPRESSED)
			continue;
		buf_printf(b, "%s\"%s\"", any ? "," : "", dsh_verdict_name((enum dsh_verdict)a->verdict));
		any = true;
	}
}

/* ---- the trailer ---- */

static void put_paste(const struct run *r, const struct dsh_paste *p, struct buf *b)
{
	const struct dsh_loop *l = &r->dsh.loop;
	const struct dsh_folding *f = &l->foldings.v[p->folding];
	comma(b);
	buf_char(b, '{');
	put_member(b, "row", (double)dsh_log_seq(l->log, p->row));
	put_member(b, "end", (double)f->end);
	put_member(b, "checkpoint", (double)f->checkpoint);
	put_member(b, "distEnd", (double)p->dist_end);
	put_member(b, "distCheckpoint", (double)p->dist_checkpoint);
	buf_text(b, ",\"scopes\":[");
	for (size_t i = 0; i < p->scopes_n; i++) {
		comma(b);
		json_put_str(b, names_get(&l->log->names, l->overlaps.v[p->scopes_at + i]));
	}
	buf_printf(b, "],\"severity\":\"%s\"", p->pure ? "pure" : "changed");
	put_member(b, "price", dsh_log_row(l->log, p->row)->price);
	buf_printf(b, ",\"weak\":%s}", p->weak ? "true" : "false");
}

void trace_dsh_end(const struct run *r, struct buf *b)
{
	const struct dsh_loop *l = &r->dsh.loop;
	buf_text(b, ",\"reinjections\":[");
	for (size_t i = 0; i < l->pastes.n; i++)
		put_paste(r, &l->pastes.v[i], b);
	buf_printf(b, "],\"compactions\":%zu,\"negative\":", l->foldings.n);
	put_seqs(b, r->dsh.meter.negative.v, r->dsh.meter.negative.n); /* every one: dsh-rulings 24 */
}
