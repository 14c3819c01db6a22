/* Which rows of a DSH log are not in it for a policy (dsh-rulings 4, 23). */
#include "replay/run_dsh_call.h"

void dsh_fate_set(struct run_dsh *d, uint32_t row, enum dsh_fate fate)
{
	if (row < d->told) /* it was told: what a call decides is about what follows it */
		return;
	vec_fill(&d->fates, (size_t)row + 1);
	d->fates.v[row] = (uint8_t)fate;
}

/* ---- rows that belong together ---- */

/* The compaction a row is of, 0 = none: events by their id, checkpoints by that of their source. */
static uint32_t compaction_of(const struct dsh_row *row)
{
	if (row->type == DSH_USER)
		return row->op == DSH_REPLACE ? row->compaction_id : 0;
	return row->compaction != NULL ? row->compaction->id : 0;
}

static void index_compaction(struct run_dsh *d, uint32_t row, uint32_t id)
{
	vec_fill(&d->last_of, (size_t)id + 1);
	if (d->last_of.v[id] != 0)
		d->next_of.v[d->last_of.v[id] - 1] = row + 1;
	d->before_of.v[row] = d->last_of.v[id];
	d->last_of.v[id] = row + 1;
}

void dsh_fate_index(struct run_dsh *d, const struct dsh_log *log)
{
	vec_fill(&d->next_of, log->rows.n);
	vec_fill(&d->before_of, log->rows.n);
	vec_fill(&d->prune_of, log->rows.n);
	for (uint32_t i = 0; i < log->rows.n; i++) {
		const struct dsh_row *row = dsh_log_row(log, i);
		uint32_t id = compaction_of(row);
		if (id != 0)
			index_compaction(d, i, id);
		if (row->type != DSH_PRUNE || row->compaction == NULL || !row->compaction->has_range)
			continue;
		uint32_t last = dsh_log_find(log, row->compaction->end);
		if (last != DSH_NONE && d->prune_of.v[last] == 0)
			d->prune_of.v[last] = i + 1;
	}
}

/* All rows of the compaction that this summary is of: an id that is used again begins with a start of its own. */
void dsh_fate_drop(struct run_dsh *d, uint32_t summary, uint32_t checkpoint)
{
	const struct dsh_log *log = d->fold.log;
	for (uint32_t at = summary + 1; at != 0; at = d->before_of.v[at - 1]) {
		uint8_t type = dsh_log_row(log, at - 1)->type;
		if (type != DSH_SUMMARY && type != DSH_START)
			break;
		dsh_fate_set(d, at - 1, DSH_LEFT_OUT);
		if (type == DSH_START)
			break;
	}
	for (uint32_t at = d->next_of.v[summary]; at != 0; at = d->next_of.v[at - 1]) {
		uint8_t type = dsh_log_row(log, at - 1)->type;
		if (type == DSH_START)
			break;
		dsh_fate_set(d, at - 1, DSH_LEFT_OUT);
		if (type == DSH_END)
			break;
	}
	dsh_fate_set(d, checkpoint, DSH_LEFT_OUT);
}

void dsh_fate_drop_pair(struct run_dsh *d, uint32_t result)
{
	const struct dsh_log *log = d->fold.log;
	uint32_t prune = result < d->prune_of.n ? d->prune_of.v[result] : 0;
	if (prune == 0 || prune <= result)
		return;
	const struct dsh_compaction *c = dsh_log_row(log, prune - 1)->compaction;
	uint32_t call = dsh_log_find(log, c->start);
	/* the host prunes single results, too: those stay */
	if (call == DSH_NONE || call == result ||
	    !dsh_row_has_call(dsh_log_row(log, call), dsh_log_row(log, result)->result))
		return;
	dsh_fate_set(d, prune - 1, DSH_LEFT_OUT);
	if (prune == log->rows.n)
		return;
	const struct dsh_row *stub = dsh_log_row(log, prune);
	if (dsh_type_is_surface(stub->type) && stub->op == DSH_REPLACE && stub->start == c->start &&
	    stub->end == c->end)
		dsh_fate_set(d, prune, DSH_LEFT_OUT);
}

/* ---- compactions that no call made ---- */

/* Summary and checkpoint of the compaction that begins with row `start`; false when it has not both. */
static bool find_parts(const struct run_dsh *d, uint32_t start, uint32_t *summary, uint32_t *checkpoint)
{
	const struct dsh_log *log = d->fold.log;
	*summary = *checkpoint = DSH_NONE;
	for (uint32_t at = d->next_of.v[start]; at != 0; at = d->next_of.v[at - 1]) {
		uint8_t type = dsh_log_row(log, at - 1)->type;
		if (type == DSH_START || type == DSH_END)
			break;
		if (type == DSH_SUMMARY && *summary == DSH_NONE)
			*summary = at - 1;
		if (type == DSH_USER && *checkpoint == DSH_NONE)
			*checkpoint = at - 1;
	}
	return *summary != DSH_NONE && *checkpoint != DSH_NONE;
}

/* The plugin's own: the human's command is refused as the model's call is (dsh.md 7.4, dsh-rulings 20). */
static bool is_refused(struct run_dsh *d, const struct dsh_compaction *c)
{
	if (!c->plugin_made || !c->has_range || !d->fold.rules.barrier)
		return false;
	dsh_nodes_build(&d->nodes, &d->fold, false);
	dsh_guard_probe(&d->guard, &d->nodes, c->start, c->end);
	return d->guard.verdict == DSH_GUARDED;
}

void dsh_decide_outside(struct run *r, size_t i, uint32_t row)
{
	struct run_dsh *d = &r->dsh;
	const struct dsh_log *log = d->fold.log;
	uint32_t summary, checkpoint;
	if (log->rows.v[row].type != DSH_START || d->ledger.open_calls.n > 0)
		return;
	if (!find_parts(d, row, &summary, &checkpoint))
		return;
	const struct dsh_row *landed = dsh_log_row(log, checkpoint);
	bool gone = dsh_surface_find(&d->fold.surface, landed->start) == DSH_NONE ||
		    dsh_surface_find(&d->fold.surface, landed->end) == DSH_NONE;
	/* edges that never were there are a fault of the log, not of the policy */
	if (gone && r->counterfactual == SIZE_MAX)
		return;
	if (!gone && !is_refused(d, dsh_log_row(log, summary)->compaction))
		return;
	dsh_fate_drop(d, summary, checkpoint);
	run_leave_recording(r, i);
}
