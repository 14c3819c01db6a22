#include "replay/sent_dsh.h"

#include <math.h>

#include "replay/run.h"

void sent_dsh_row(const struct run *r, uint32_t row, struct buf *b)
{
	const struct recording *rec = r->recording;
	const struct dsh_row *one = dsh_log_row(&rec->dsh.log, row);
	uint32_t message = row < rec->dsh.message_of.n ? rec->dsh.message_of.v[row] : DSH_NONE;
	if (!one->derives || message == DSH_NONE)
		return;
	struct arena a = {0};
	const cJSON *data = json_tree(&a, recording_entry(rec, message, &a), NULL, NULL);
	json_put(b, one->type == DSH_USER ? data : json_get(data, "message"));
	arena_free(&a);
}

/* Bytes of a row's message; 0 = it derives to none. Worked out once. */
static uint32_t bytes_of(struct sender *x, const struct run *r, uint32_t row)
{
	vec_fill(&x->row_bytes, (size_t)row + 1);
	if (x->row_bytes.v[row] == 0) {
		struct buf b = {0};
		sent_dsh_row(r, row, &b);
		x->row_bytes.v[row] = (uint32_t)b.n + 1;
		buf_free(&b);
	}
	return x->row_bytes.v[row] - 1;
}

/* Bytes that two rows' messages begin with alike. */
static double common_start(const struct run *r, uint32_t a, uint32_t b)
{
	struct buf x = {0}, y = {0};
	size_t n = 0;
	sent_dsh_row(r, a, &x);
	sent_dsh_row(r, b, &y);
	while (n < x.n && n < y.n && x.p[n] == y.p[n])
		n++;
	buf_free(&x);
	buf_free(&y);
	return (double)n;
}

/* How many of the rows of the request before stand in slots before all that was touched since: slots never move. */
static size_t untouched(const struct sender *x, const struct run *r)
{
	const struct dsh_surface *s = &r->dsh.fold.surface;
	uint32_t first = UINT32_MAX;
	for (uint32_t row = x->folded; row < r->dsh.told; row++)
		if (dsh_surface_presence(s, row) == DSH_NODE || dsh_surface_presence(s, row) == DSH_SHADOWED)
			first = s->places.v[row].slot < first ? s->places.v[row].slot : first;
	size_t lo = 0, hi = x->rows.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (s->places.v[x->rows.v[mid]].slot < first)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Brings the rows up to date, from `keep` on; those that stood there go to rows_before. */
static void take_nodes(struct sender *x, struct run *r, size_t keep)
{
	const struct dsh_surface *s = &r->dsh.fold.surface;
	uint32_t row = keep > 0 ? dsh_surface_next(s, (uint32_t)x->rows.v[keep - 1]) : dsh_surface_first(s);
	x->rows_before.n = 0;
	for (size_t i = keep; i < x->rows.n; i++)
		vec_push(&x->rows_before, x->rows.v[i]);
	x->rows.n = x->row_sums.n = keep;
	for (; row != DSH_NONE; row = dsh_surface_next(s, row)) {
		uint32_t bytes = bytes_of(x, r, row);
		if (bytes == 0)
			continue;
		struct sent_sum sum = {.bytes = bytes, .tokens = dsh_row_display(dsh_log_row(s->log, row))};
		if (x->row_sums.n > 0) {
			sum.bytes += x->row_sums.v[x->row_sums.n - 1].bytes + 1; /* the line feed between them */
			sum.tokens += x->row_sums.v[x->row_sums.n - 1].tokens;
		}
		vec_push(&x->rows, (int32_t)row);
		vec_push(&x->row_sums, sum);
	}
	x->folded = r->dsh.told;
}

static struct sent_sum sum_of(const struct sender *x, size_t n)
{
	return n > 0 ? x->row_sums.v[n - 1] : (struct sent_sum){0};
}

/* What stands where a row stood: the last of those that took it in, and what took that in. */
static enum sent_cause cause_of(const struct run *r, uint32_t row)
{
	const struct dsh_fold *f = &r->dsh.fold;
	while (dsh_surface_presence(&f->surface, row) == DSH_SHADOWED) {
		row = f->surface.places.v[row].by;
		if (dsh_fold_is(f, row, DSH_CHECKPOINT))
			return SENT_COMPRESS;
		if (dsh_fold_is(f, row, DSH_METADATA) || dsh_log_row(f->log, row)->type == DSH_TOOL ||
		    dsh_log_row(f->log, row)->type == DSH_ASSISTANT)
			return SENT_PRUNE;
	}
	return SENT_UNKNOWN;
}

static void put_break(const struct run *r, uint32_t row, struct sent *s)
{
	uint32_t message = r->recording->dsh.message_of.v[row];
	s->cause = (uint8_t)cause_of(r, row);
	if (message == DSH_NONE)
		return;
	s->break_message = message + 1;
	s->break_ref = r->state.info.v[r->state.messages.v[message].id].ref;
}

struct sent sender_dsh_turn(struct sender *x, struct run *r, const struct moment *m, uint32_t model)
{
	struct sent s = {.predicted = NAN, .actual = NAN};
	struct sent_sum before = sum_of(x, x->rows.n);
	size_t keep = untouched(x, r), was = x->rows.n;
	take_nodes(x, r, keep);
	x->same_rows = keep;
	size_t same = keep;
	while (same < was && same < x->rows.n && x->rows_before.v[same - keep] == x->rows.v[same])
		same++;
	struct sent_sum common = sum_of(x, same), now = sum_of(x, x->rows.n);
	s.bytes = now.bytes;
	s.tokens = now.tokens;
	s.before_bytes = before.bytes;
	s.common_bytes = common.bytes;
	if (same < was && same < x->rows.n)
		s.common_bytes += (same > 0) +
				  common_start(r, (uint32_t)x->rows_before.v[same - keep], (uint32_t)x->rows.v[same]);
	s.common_tokens = common.tokens;
	s.lost_tokens = before.tokens - common.tokens;
	s.messages = (uint32_t)x->rows.n;
	s.same = s.break_row = (uint32_t)same;
	s.append_only = same == was;
	sender_judge(x, r, m, model, &s);
	if (s.cause == SENT_UNKNOWN && same < was)
		put_break(r, (uint32_t)x->rows_before.v[same - keep], &s);
	sender_done(x, r, m, model);
	return s;
}
