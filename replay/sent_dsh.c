#include "replay/sent_dsh.h"

#include <math.h>

#include "replay/run.h"

/* Bytes of a row's derived message (dsh.md 2.3); 0 = it derives to nothing. Worked out once. */
static uint32_t bytes_of(struct sender *x, struct run *r, uint32_t row)
{
	const struct recording *rec = r->recording;
	vec_fill(&x->row_bytes, (size_t)row + 1);
	if (x->row_bytes.v[row] > 0)
		return x->row_bytes.v[row] - 1;
	const struct dsh_row *one = dsh_log_row(&rec->dsh.log, row);
	uint32_t message = row < rec->dsh.message_of.n ? rec->dsh.message_of.v[row] : DSH_NONE;
	struct buf b = {0};
	if (one->derives && message != DSH_NONE) {
		struct arena a = {0};
		const cJSON *data = json_tree(&a, recording_entry(rec, message, &a), NULL, NULL);
		json_put(&b, one->type == DSH_USER ? data : json_get(data, "message"));
		arena_free(&a);
	}
	x->row_bytes.v[row] = (uint32_t)b.n + 1;
	buf_free(&b);
	return x->row_bytes.v[row] - 1;
}

static void take_nodes(struct sender *x, struct run *r)
{
	const struct dsh_surface *s = &r->dsh.fold.surface;
	struct sent_rows rows = x->rows_before;
	x->rows_before = x->rows;
	x->rows = rows;
	x->rows.n = 0;
	for (uint32_t row = dsh_surface_first(s); row != DSH_NONE; row = dsh_surface_next(s, row))
		if (bytes_of(x, r, row) > 0)
			vec_push(&x->rows, (int32_t)row);
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

struct sent sender_dsh_turn(struct sender *x, struct run *r, const struct moment *m, uint32_t model)
{
	const struct dsh_log *log = &r->recording->dsh.log;
	struct sent s = {.predicted = NAN, .actual = NAN};
	size_t same = 0;
	take_nodes(x, r);
	const struct sent_rows *was = &x->rows_before, *is = &x->rows;
	while (same < was->n && same < is->n && was->v[same] == is->v[same])
		same++;
	for (size_t i = 0; i < is->n; i++) {
		double bytes = x->row_bytes.v[is->v[i]] - 1 + (i > 0),
		       tokens = dsh_row_display(dsh_log_row(log, (uint32_t)is->v[i]));
		s.bytes += bytes;
		s.tokens += tokens;
		s.common_bytes += i < same ? bytes : 0;
		s.common_tokens += i < same ? tokens : 0;
	}
	for (size_t i = 0; i < was->n; i++) {
		s.before_bytes += x->row_bytes.v[was->v[i]] - 1 + (i > 0);
		s.lost_tokens += i < same ? 0 : dsh_row_display(dsh_log_row(log, (uint32_t)was->v[i]));
	}
	s.messages = (uint32_t)is->n;
	s.same = (uint32_t)same;
	s.append_only = same == was->n;
	sender_judge(x, r, m, model, &s);
	if (s.cause == SENT_UNKNOWN && same < was->n) {
		uint32_t row = (uint32_t)was->v[same], message = r->recording->dsh.message_of.v[row];
		s.cause = (uint8_t)cause_of(r, row);
		if (message != DSH_NONE) {
			s.break_message = message + 1;
			s.break_ref = state_info(&r->state, r->state.messages.v[message].id)->ref;
		}
	}
	sender_done(x, r, m, model);
	return s;
}
