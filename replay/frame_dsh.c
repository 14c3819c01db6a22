#include "replay/frame_dsh.h"

/* The first row that came since the turn before: behind a turn the turn itself, else the one before it. */
static uint32_t fresh_from(const struct frame *f)
{
	const struct run *r = f->run;
	uint32_t since = f->at.records > 0 ? f->at.turn : f->at.turn > 0 ? f->at.turn - 1 : 0;
	size_t i = since > 0 ? r->timeline.turns.v[since - 1].record : 0;
	while (i-- > 0) {
		uint32_t row = dsh_row_at(r->recording, i);
		if (row != DSH_NONE)
			return row + 1;
	}
	return 0;
}

struct frame_dsh *frame_dsh(struct frame *f)
{
	struct run *r = f->run;
	if (f->dsh != NULL || !run_is_dsh(r))
		return f->dsh;
	struct frame_dsh *d = f->dsh = mem_alloc(sizeof *d);
	*d = (struct frame_dsh){.fold = &r->dsh.fold, .tokens = run_dsh_tokens(r)};
	d->preserve = run_dsh_preserve(r);
	d->fresh = fresh_from(f);
	dsh_nodes_build(&d->nodes, d->fold, false);
	dsh_table_build(&d->table, d->fold, d->preserve);
	dsh_census_take(&d->census, d->fold);
	dsh_guarded_list(d->fold, &d->guarded);
	return d;
}

void frame_dsh_probe(struct frame *f, int64_t start, int64_t end, struct dsh_guard *g)
{
	dsh_guard_probe(g, &frame_dsh(f)->nodes, start, end);
}

enum dsh_want frame_dsh_wants(struct frame *f, uint32_t without, struct dsh_wants *out)
{
	struct dsh_fold *fold = &f->run->dsh.fold;
	if (without == DSH_NONE || !dsh_surface_is_node(&fold->surface, without))
		return dsh_gate_wants(fold, out);
	/* the gate asks of a copy only whether it can be seen */
	fold->surface.places.v[without].presence = DSH_SHADOWED;
	enum dsh_want want = dsh_gate_wants(fold, out);
	fold->surface.places.v[without].presence = DSH_NODE;
	return want;
}

uint32_t frame_dsh_message(const struct frame *f, uint32_t row)
{
	const struct dsh_recording *d = &f->run->recording->dsh;
	return row < d->message_of.n ? d->message_of.v[row] : DSH_NONE;
}

void frame_dsh_free(struct frame_dsh *d)
{
	dsh_nodes_free(&d->nodes);
	dsh_table_free(&d->table);
	dsh_census_free(&d->census);
	vec_free(&d->guarded.seqs);
	free(d);
}
