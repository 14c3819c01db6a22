#include "replay/frame_dsh.h"

struct frame_dsh *frame_dsh(struct frame *f)
{
	struct run *r = f->run;
	if (f->dsh != NULL || !run_is_dsh(r))
		return f->dsh;
	struct frame_dsh *d = f->dsh = mem_alloc(sizeof *d);
	*d = (struct frame_dsh){.fold = &r->dsh.fold, .tokens = run_dsh_tokens(r)};
	d->preserve = run_dsh_preserve(r);
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
