/* What stands behind the figures of a DSH session. */
#include <math.h>

#include "replay/frame_dsh.h"
#include "replay/view/dsh.h"
#include "tests/explained_parts.h"

/* ---- events ---- */

/* All numbers of one finding. */
static void put_finding(const struct run *r, const struct dsh_found *found, struct buf *b)
{
	const struct dsh_meter *m = &r->dsh.meter;
	put_item(b, (double)found->at);
	if (found->by == DSH_FOUND_LEDGER) {
		put_item(b, (double)r->dsh.ledger.findings.v[found->index].other);
	} else if (found->by == DSH_FOUND_NEGATIVE) {
		put_item(b, (double)m->negative.v[0]);
		put_item(b, (double)m->negative.v[m->negative.n - 1]);
		put_item(b, (double)m->negative.n);
		put_item(b, m->minimum);
	} else {
		const struct dsh_claim *c = &m->claims.v[found->index];
		put_item(b, (double)c->by);
		put_item(b, (double)c->start);
		put_item(b, (double)c->end);
		put_item(b, c->tokens);
		put_item(b, c->mirror);
	}
}

/* All numbers of the plugin's answer to one range. */
static void put_asked(const struct run *r, const struct dsh_asked *a, struct buf *b)
{
	const struct dsh_compaction *made = run_dsh_recorded(r, a);
	put_item(b, (double)a->request[0]);
	put_item(b, (double)a->request[1]);
	put_item(b, made != NULL ? (double)made->start : (double)a->resolved[0]);
	put_item(b, made != NULL ? (double)made->end : (double)a->resolved[1]);
	put_item(b, a->checkpoints);
	for (uint32_t i = 0; i < a->hits_n; i++)
		put_item(b, (double)a->hits[i]);
	for (uint32_t i = 0; i < a->slices_n; i++) {
		put_item(b, (double)a->slices[i].first);
		put_item(b, (double)a->slices[i].last);
	}
}

static void put_made(const struct run *r, const struct event *e, struct buf *b)
{
	const struct dsh_ledger *l = &r->dsh.ledger;
	if (e->index >= l->blocks.n) {
		put_asked(r, &r->dsh.outside.v[e->index - l->blocks.n].asked, b);
		return;
	}
	const struct dsh_block *k = &l->blocks.v[e->index];
	const struct dsh_compaction *made = dsh_log_row(l->log, k->summary)->compaction;
	const struct dsh_outside *outside = run_dsh_outside(r, k->summary);
	uint32_t checkpoint = dsh_ledger_checkpoint(l, k, INT64_MAX);
	put_item(b, made != NULL ? (double)made->shadowed_n : 0);
	put_item(b, k->tokens);
	put_item(b, checkpoint != DSH_NONE ? (double)dsh_log_seq(l->log, checkpoint) : 0);
	put_item(b, (double)k->number);
	if (outside != NULL)
		put_asked(r, &outside->asked, b);
}

/* All numbers of an event that only the DSH host knows. */
void explained_dsh_event(const struct run *r, const struct events *list, const struct event *e, struct buf *b)
{
	const struct dsh_loop *l = &r->dsh.loop;
	if (e->kind == EVENT_COMPRESS && run_is_dsh(r)) {
		uint32_t n;
		const struct dsh_asked *asked = run_dsh_asked(r, e->index, &n);
		for (uint32_t i = 0; i < n; i++)
			put_asked(r, &asked[i], b);
	} else if (e->kind == EVENT_LOOP) {
		const struct dsh_chain *c = &l->chains.v[e->index];
		put_item(b, (double)c->length);
		put_item(b, (double)l->foldings.v[c->first].checkpoint);
		put_item(b, (double)l->foldings.v[c->last].checkpoint);
	} else if (e->kind == EVENT_GATED) {
		put_item(b, (double)dsh_log_seq(l->log, r->dsh.gated.v[e->index]));
		put_item(b, dsh_log_row(l->log, r->dsh.gated.v[e->index])->price);
	} else if (e->kind == EVENT_FINDING) {
		put_finding(r, &list->found[e->index], b);
	} else if (e->kind == EVENT_COMPACTION) {
		put_made(r, e, b);
	}
}

void explained_loop(const struct run *r, struct buf *b)
{
	const struct dsh_loop *l = &r->dsh.loop;
	open_member(b, "loop", '{');
	put(b, "reinjected", (double)l->reinjected);
	put(b, "reinjectedCheckpoint", (double)l->reinjected_checkpoint);
	put(b, "later", (double)l->reinjected_later);
	put(b, "wasted", l->wasted);
	put(b, "wastedLater", l->wasted_later);
	buf_char(b, '}');
}

/* ---- a turn ---- */

static uint32_t dsh_ref(struct frame *f, uint32_t row)
{
	uint32_t message = frame_dsh_message(f, row);
	return message != DSH_NONE ? state_info(&f->run->state, f->run->state.messages.v[message].id)->ref : REF_NONE;
}

static void put_dsh_ranges(struct frame *f, struct buf *b)
{
	const struct frame_dsh *d = frame_dsh(f);
	open_member(b, "probes", '[');
	for (size_t i = 0; i < d->table.ranges.n; i++) {
		const struct dsh_range *r = &d->table.ranges.v[i];
		uint32_t start = dsh_ref(f, d->nodes.list.rows.v[r->first]);
		uint32_t end = dsh_ref(f, d->nodes.list.rows.v[r->last]);
		struct range_answer kernel = {0};
		struct dsh_guard g = {0};
		frame_dsh_probe(f, r->start, r->end, &g);
		if (start != REF_NONE && end != REF_NONE && frame_ranges(f) != NULL)
			frame_range_ask(f, start, end, &kernel);
		open_item(b, '{');
		put(b, "start", (double)r->start);
		put(b, "first", r->first);
		put(b, "last", r->last);
		put(b, "over", r->over >= 0 ? (double)r->over : (double)NAN);
		open_member(b, "figures", '[');
		for (size_t k = 0; k < g.hits.seqs.n; k++)
			put_item(b, (double)g.hits.seqs.v[k]);
		for (size_t k = 0; k < g.slices_n; k++) {
			put_item(b, (double)g.slices[k].first);
			put_item(b, (double)g.slices[k].last);
		}
		buf_char(b, ']');
		explained_answer(&kernel, b);
		buf_char(b, '}');
		dsh_guard_free(&g);
	}
	buf_char(b, ']');
}

static void put_ledger(struct frame *f, struct buf *b)
{
	const struct run *r = f->run;
	const struct dsh_ledger *l = &r->dsh.ledger;
	int64_t at = dsh_seq_at(r);
	struct dsh_found_list found = {0};
	open_member(b, "ledger", '[');
	for (size_t i = 0; i < dsh_ledger_count(l, at); i++) {
		const struct dsh_block *k = &l->blocks.v[i];
		const struct dsh_compaction *made = dsh_log_row(l->log, k->summary)->compaction;
		uint32_t checkpoint = dsh_ledger_checkpoint(l, k, at);
		struct buf ref = {0};
		dsh_block_ref(l, k, &ref);
		open_item(b, '{');
		put_text(b, "ref", buf_view(&ref));
		put_text(b, "id", names_get(&l->log->names, k->id));
		put(b, "tier", k->tier);
		put(b, "active", dsh_block_active(l, k, at));
		put(b, "checkpoint", checkpoint != DSH_NONE ? (double)dsh_log_seq(l->log, checkpoint) : (double)NAN);
		put(b, "rows", made != NULL ? (double)made->shadowed_n : (double)NAN);
		put(b, "tokens", k->tokens);
		buf_char(b, '}');
		buf_free(&ref);
	}
	buf_char(b, ']');
	dsh_findings(r, at, &found);
	open_member(b, "findings", '[');
	for (size_t i = 0; i < found.list.n; i++) {
		open_item(b, '[');
		put_finding(r, &found.list.v[i], b);
		buf_char(b, ']');
	}
	buf_char(b, ']');
	put(b, "total", dsh_meter_at(&r->dsh.meter, at));
	vec_free(&found.list);
}

void explained_dsh(struct frame *f, struct buf *b)
{
	const struct frame_dsh *d = frame_dsh(f);
	if (d == NULL)
		return;
	put_dsh_ranges(f, b);
	put_ledger(f, b);
	open_member(b, "surface", '[');
	for (size_t i = 0; i < d->nodes.list.rows.n; i++) {
		uint32_t row = d->nodes.list.rows.v[i];
		const struct dsh_row *r = dsh_log_row(d->fold->log, row);
		open_item(b, '{');
		put(b, "seq", (double)dsh_log_seq(d->fold->log, row));
		put(b, "tokens", dsh_row_display(r));
		put_ref(b, "ref", &f->run->state, dsh_ref(f, row));
		put(b, "start", (double)r->start);
		put(b, "end", (double)r->end);
		buf_char(b, '}');
	}
	buf_char(b, ']');
	put(b, "preserve", (double)d->preserve);
	put(b, "display", d->tokens);
}
