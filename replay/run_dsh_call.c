#include "replay/run_dsh_call.h"

void dsh_fate_set(struct run_dsh *d, uint32_t row, enum dsh_fate fate)
{
	vec_fill(&d->fates, (size_t)row + 1);
	d->fates.v[row] = (uint8_t)fate;
}

/* ---- edges ---- */

/* The seq an edge names; -1 and the verdict when it names none. A ref is of the turn inside the call. */
static int64_t edge_seq(const struct run *r, struct str text, uint8_t *verdict)
{
	const struct state *s = &r->state;
	struct dsh_edge e = dsh_edge_parse(text);
	if (e.kind == DSH_EDGE_SEQ)
		return e.seq;
	*verdict = e.kind == DSH_EDGE_REF ? DSH_UNKNOWN_REF : DSH_INVALID_REF;
	if (e.kind != DSH_EDGE_REF || e.ref == 0 || e.ref >= s->by_ref.n || s->by_ref.v[e.ref] == 0)
		return -1;
	struct str id = names_get(s->names, s->by_ref.v[e.ref]);
	size_t hash = str_find(id, STR("#"), 0);
	e = dsh_edge_parse(str_cut(id, 0, hash == SIZE_MAX ? id.n : hash));
	return e.kind == DSH_EDGE_SEQ ? e.seq : -1;
}

static void keep_seqs(struct run *r, const struct dsh_guard *g, struct dsh_asked *a)
{
	int64_t *hits = arena_alloc(&r->arena, g->hits.seqs.n * sizeof *hits);
	struct dsh_slice *slices = arena_alloc(&r->arena, g->slices_n * sizeof *slices);
	for (size_t i = 0; i < g->hits.seqs.n; i++)
		hits[i] = g->hits.seqs.v[i];
	for (size_t i = 0; i < g->slices_n; i++)
		slices[i] = g->slices[i];
	a->hits = hits;
	a->hits_n = (uint32_t)g->hits.seqs.n;
	a->slices = slices;
	a->slices_n = (uint32_t)g->slices_n;
}

/* Resolver and guard on the surface as it is before the call. */
static void probe(struct run *r, int64_t start, int64_t end, struct dsh_asked *a)
{
	struct dsh_guard *g = &r->dsh.guard;
	dsh_guard_probe(g, &r->dsh.nodes, start, end);
	a->verdict = (uint8_t)g->verdict;
	if (g->at.verdict != DSH_ACCEPTED)
		return;
	a->resolved[0] = g->at.start;
	a->resolved[1] = g->at.end;
	a->recovered = g->at.recovered;
	a->adjusted = g->at.adjusted;
	a->last_baseline = g->last_baseline;
	a->unseen_wrapper = g->unseen_wrapper;
	a->checkpoints = (uint32_t)g->checkpoints;
	keep_seqs(r, g, a);
}

static void ask(struct run *r, const struct parse_result *parse)
{
	struct run_dsh *d = &r->dsh;
	vec_push(&d->called, (struct dsh_called){(uint32_t)d->asked.n, (uint32_t)parse->n});
	dsh_nodes_build(&d->nodes, &d->fold, false);
	for (size_t i = 0; i < parse->n; i++) {
		struct dsh_asked a = {.resolved = {-1, -1}, .kernel = UINT32_MAX};
		a.request[0] = edge_seq(r, parse->ranges[i].start, &a.verdict);
		a.request[1] = edge_seq(r, parse->ranges[i].end, &a.verdict);
		if (a.request[0] >= 0 && a.request[1] >= 0)
			probe(r, a.request[0], a.request[1], &a);
		vec_push(&d->asked, a);
	}
}

/* ---- what the kernel is given ---- */

/* The ref of a row as an edge: that of its block where it is a checkpoint, else of its message; absent = none. */
static struct str edge_ref(struct run *r, int64_t seq)
{
	struct run_dsh *d = &r->dsh;
	const struct recording *rec = r->recording;
	uint32_t row = dsh_log_find(&rec->dsh.log, seq);
	char spelled[REF_TEXT_MAX];
	if (row == DSH_NONE)
		return (struct str){NULL, 0};
	if (row < d->block_of.n && d->block_of.v[row] != 0)
		return names_get(&rec->names, d->block_of.v[row]);
	const struct dsh_block *block = dsh_ledger_by_row(&d->ledger, &d->fold, row, INT64_MAX);
	if (block != NULL) {
		struct buf b = {0};
		dsh_block_ref(&d->ledger, block, &b);
		struct str ref = {arena_copy(&r->scratch, b.p, b.n), b.n};
		buf_free(&b);
		return ref;
	}
	if (row >= rec->dsh.message_of.n || rec->dsh.message_of.v[row] == DSH_NONE)
		return (struct str){NULL, 0};
	uint32_t id = rec->messages.v[rec->dsh.message_of.v[row]].message.id;
	struct str ref = state_ref_text(&r->state, state_info(&r->state, id)->ref, spelled);
	return ref.p == NULL ? ref : (struct str){arena_copy(&r->scratch, ref.p, ref.n), ref.n};
}

/* Followed as recorded, a success brings the guarded ranges, too: the guard only comments (dsh-rulings 22). */
static bool is_given(const struct run *r, const struct compress_record *c, const struct dsh_asked *a)
{
	bool success = c->has_outcome && c->outcome_applied && !r->dsh.engine;
	return a->verdict == DSH_ACCEPTED || (a->verdict == DSH_GUARDED && success);
}

static const struct compress_record *call_at(const struct run *r, size_t i)
{
	return &r->recording->compressions.v[r->recording->records.v[i].index];
}

void dsh_call_ranges(struct run *r, size_t i, struct parse_result *parse)
{
	struct run_dsh *d = &r->dsh;
	size_t compression = r->again ? run_compression_at(r, i) : r->compressions.n, n = 0;
	struct range_request *ranges = arena_alloc(&r->scratch, parse->n * sizeof *ranges);
	if (!r->again) {
		while (d->called.n < compression) /* calls without ranges were not asked */
			vec_push(&d->called, (struct dsh_called){(uint32_t)d->asked.n, 0});
		ask(r, parse);
	}
	for (size_t k = 0; k < parse->n; k++) {
		struct dsh_asked *a = &d->asked.v[d->called.v[compression].first + k];
		struct range_request range = parse->ranges[k];
		if (!is_given(r, call_at(r, i), a))
			continue;
		range.start = edge_ref(r, a->resolved[0]);
		range.end = edge_ref(r, a->resolved[1]);
		if (range.start.p == NULL || range.end.p == NULL) {
			a->verdict = DSH_UNKNOWN_REF;
			continue;
		}
		a->kernel = (uint32_t)n;
		ranges[n++] = range;
	}
	parse->ranges = ranges;
	parse->n = n;
}

/* dsh-rulings 9: at least one block. */
static bool made_any(const struct apply_result *a) { return a->blocks_created > 0; }

bool dsh_call_apply(struct run *r, size_t i, const struct parse_result *parse, size_t mark, enum follow *follow)
{
	(void)mark; /* the turn inside the call is kept whatever comes of it */
	return run_apply(r, i, parse, state_mark(&r->state), made_any, follow);
}

/* ---- which rows of its transactions land ---- */

static struct dsh_asked *asked_of(struct run_dsh *d, size_t k)
{
	return &d->asked.v[d->called.v[d->called.n - 1].first + k];
}

/* Ranges map to transactions by equal resolved edges, in order; what is left over then maps in order. */
static void match(struct run *r, const struct compress_record *c)
{
	struct run_dsh *d = &r->dsh;
	const struct dsh_recording *log = &r->recording->dsh;
	uint32_t n = d->called.v[d->called.n - 1].n;
	for (int by_order = 0; by_order < 2; by_order++)
		for (uint32_t l = c->landed; l < c->landed + c->landed_n; l++) {
			const struct dsh_compaction *made = log->log.rows.v[log->landed.v[l].summary].compaction;
			bool matched = false;
			for (uint32_t k = 0; k < n; k++)
				matched = matched || asked_of(d, k)->landing == l + 1;
			for (uint32_t k = 0; k < n && !matched; k++) {
				struct dsh_asked *a = asked_of(d, k);
				bool equal =
					made != NULL && a->resolved[0] == made->start && a->resolved[1] == made->end;
				if (a->landing != 0 || !(equal || (by_order && a->kernel != UINT32_MAX)))
					continue;
				a->landing = l + 1;
				matched = true;
			}
		}
}

/* All rows of a compaction from its start on: start, summary, checkpoint, end. */
static void leave_out(struct run_dsh *d, uint32_t from, uint32_t checkpoint, uint32_t id)
{
	const struct dsh_log *log = d->fold.log;
	for (uint32_t row = from; row < log->rows.n; row++) {
		const struct dsh_row *one = dsh_log_row(log, row);
		if (row == checkpoint || (one->compaction != NULL && one->compaction->id == id))
			dsh_fate_set(d, row, DSH_LEFT_OUT);
		if (one->type == DSH_END && one->compaction != NULL && one->compaction->id == id)
			return;
		if (one->type == DSH_TURN_END)
			return;
	}
}

/* The prune of a call and its result, and the stub that takes their place: they stand when a block was made only. */
static void leave_out_pair(struct run *r, const struct compress_record *c)
{
	const struct recording *rec = r->recording;
	const struct dsh_log *log = &rec->dsh.log;
	if (c->result == 0)
		return;
	uint32_t result = rec->dsh.row_of.v[c->result - 1];
	if (result == DSH_NONE)
		return;
	for (uint32_t row = result + 1; row + 1 < log->rows.n && dsh_log_row(log, row)->type != DSH_TURN_START; row++) {
		const struct dsh_compaction *prune = dsh_log_row(log, row)->compaction;
		if (dsh_log_row(log, row)->type != DSH_PRUNE || prune == NULL || !prune->has_range ||
		    prune->end != dsh_log_seq(log, result))
			continue;
		dsh_fate_set(&r->dsh, row, DSH_LEFT_OUT);
		dsh_fate_set(&r->dsh, row + 1, DSH_LEFT_OUT);
		return;
	}
}

/* Name of the block that the kernel made of a range, 0 = none. */
static uint32_t block_made(const struct run *r, const struct compress_outcome *o, const struct dsh_asked *a)
{
	uint32_t second = o->follow == FOLLOW_RECORDED_YES ? o->ranges : 0;
	if (!o->tried || !o->applied || a->kernel == UINT32_MAX)
		return 0;
	return r->verdicts.v[o->verdicts + second + a->kernel].block;
}

static void decide(struct run *r, const struct compress_record *c, const struct compress_outcome *o)
{
	struct run_dsh *d = &r->dsh;
	const struct dsh_recording *log = &r->recording->dsh;
	uint32_t n = d->called.v[d->called.n - 1].n, from = d->told;
	for (uint32_t l = c->landed; l < c->landed + c->landed_n; l++) {
		const struct dsh_landing *landing = &log->landed.v[l];
		const struct dsh_compaction *made = log->log.rows.v[landing->summary].compaction;
		const struct dsh_asked *a = NULL;
		for (uint32_t k = 0; k < n; k++)
			if (asked_of(d, k)->landing == l + 1)
				a = asked_of(d, k);
		uint32_t block = a != NULL ? block_made(r, o, a) : 0;
		if (block != 0) {
			vec_fill(&d->block_of, (size_t)landing->checkpoint + 1);
			d->block_of.v[landing->checkpoint] = block;
		}
		if (!d->engine)
			continue;
		if (block == 0) {
			leave_out(d, from, landing->checkpoint, made != NULL ? made->id : 0);
			run_leave_recording(r, o->record);
		} else if (made == NULL || a->resolved[0] != made->start || a->resolved[1] != made->end) {
			dsh_fate_set(d, landing->checkpoint, DSH_MOVED);
			vec_push(&d->moved, (struct dsh_moved){landing->checkpoint, a->resolved[0], a->resolved[1]});
		}
	}
	if (d->engine && !o->applied)
		leave_out_pair(r, c);
}

void dsh_call_done(struct run *r, bool applied, enum follow follow)
{
	struct run_dsh *d = &r->dsh;
	const struct compress_outcome *o = &r->compressions.v[r->compressions.n - 1];
	const struct compress_record *c = call_at(r, o->record);
	(void)applied, (void)follow;
	while (d->called.n < r->compressions.n)
		vec_push(&d->called, (struct dsh_called){(uint32_t)d->asked.n, 0});
	match(r, c);
	decide(r, c, o);
}

/* ---- compactions that no call made ---- */

/* The rows of the compaction that begins at `start`. */
static const struct dsh_row *find_in(const struct dsh_log *log, uint32_t start, uint8_t type, uint32_t *at)
{
	uint32_t id = log->rows.v[start].compaction != NULL ? log->rows.v[start].compaction->id : 0;
	for (uint32_t row = start + 1; row < log->rows.n && id != 0; row++) {
		const struct dsh_row *one = dsh_log_row(log, row);
		bool checkpoint =
			type == DSH_USER && one->type == DSH_USER && one->op == DSH_REPLACE && one->compaction_id == id;
		if (checkpoint || (one->type == type && one->compaction != NULL && one->compaction->id == id)) {
			*at = row;
			return one;
		}
		if (one->type == DSH_START)
			return NULL;
	}
	return NULL;
}

void dsh_decide_outside(struct run *r, size_t i, uint32_t row)
{
	struct run_dsh *d = &r->dsh;
	const struct dsh_log *log = d->fold.log;
	uint32_t summary, checkpoint;
	if (log->rows.v[row].type != DSH_START || d->ledger.open_calls.n > 0)
		return;
	const struct dsh_row *said = find_in(log, row, DSH_SUMMARY, &summary);
	const struct dsh_row *landed = find_in(log, row, DSH_USER, &checkpoint);
	if (said == NULL || landed == NULL || !said->compaction->has_range)
		return;
	dsh_nodes_build(&d->nodes, &d->fold, false);
	dsh_guard_probe(&d->guard, &d->nodes, said->compaction->start, said->compaction->end);
	bool gone = dsh_surface_find(&d->fold.surface, landed->start) == DSH_NONE ||
		    dsh_surface_find(&d->fold.surface, landed->end) == DSH_NONE;
	if (!gone && !(said->compaction->plugin_made && d->guard.verdict == DSH_GUARDED))
		return;
	leave_out(d, row, checkpoint, said->compaction->id);
	run_leave_recording(r, i);
}
