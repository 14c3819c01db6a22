#include "replay/run_dsh_call.h"

/* ---- edges ---- */

/* The seq that a ref of the turn inside the call stands for, -1 = it is not in the map. */
static int64_t ref_seq(const struct state *s, uint32_t ref)
{
	if (ref == 0 || ref >= s->by_ref.n || s->by_ref.v[ref] == 0)
		return -1;
	struct dsh_edge e = dsh_edge_parse(names_get(s->names, s->by_ref.v[ref])); /* it cuts at `#` */
	return e.kind == DSH_EDGE_SEQ ? e.seq : -1;
}

/* The seq an edge names; -1 and the verdict when it names none. The start is read first, and decides. */
static int64_t edge_seq(const struct run *r, struct str text, uint8_t *verdict)
{
	struct dsh_edge e = dsh_edge_parse(text);
	int64_t seq = e.kind == DSH_EDGE_SEQ ? e.seq : e.kind == DSH_EDGE_REF ? ref_seq(&r->state, e.ref) : -1;
	if (seq < 0 && *verdict == DSH_ACCEPTED)
		*verdict = e.kind == DSH_EDGE_REF ? DSH_UNKNOWN_REF : DSH_INVALID_REF;
	return seq;
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
		struct dsh_asked a = {.resolved = {-1, -1}, .given = {-1, -1}, .kernel = UINT32_MAX};
		a.request[0] = edge_seq(r, parse->ranges[i].start, &a.verdict);
		a.request[1] = edge_seq(r, parse->ranges[i].end, &a.verdict);
		if (a.request[0] >= 0 && a.request[1] >= 0)
			probe(r, a.request[0], a.request[1], &a);
		vec_push(&d->asked, a);
	}
}

void dsh_probe_outside(struct run *r, uint32_t row, bool refused)
{
	struct run_dsh *d = &r->dsh;
	const struct dsh_compaction *c = dsh_log_row(d->fold.log, row)->compaction;
	struct dsh_outside o = {.summary = row, .refused = refused};
	if (dsh_log_row(d->fold.log, row)->type != DSH_SUMMARY || !c->plugin_made || !c->has_range ||
	    d->ledger.open_calls.n > 0 || !d->fold.rules.barrier)
		return;
	o.asked = (struct dsh_asked){
		.request = {c->start, c->end}, .resolved = {-1, -1}, .given = {-1, -1}, .kernel = UINT32_MAX};
	dsh_nodes_build(&d->nodes, &d->fold, false);
	probe(r, c->start, c->end, &o.asked);
	if (o.asked.verdict == DSH_GUARDED)
		vec_push(&d->outside, o);
}

/* ---- refs for the kernel ---- */

uint32_t run_dsh_block(struct run *r, uint32_t row, const struct dsh_block *block)
{
	const struct run_dsh *d = &r->dsh;
	const struct recording *rec = r->recording;
	if (row < d->block_of.n && d->block_of.v[row] != 0)
		return d->block_of.v[row];
	if (block == NULL || block->kernel == 0)
		return 0;
	/* a block of a stored state; to this kernel the checkpoint of any other is a row, whatever id it has there */
	struct str ref = names_get(&rec->dsh.log.names, block->kernel);
	uint32_t name = names_find(&rec->names, ref);
	bool is_ours = name < d->made.n && d->made.v[name];
	return state_block_named(&r->state, ref) != NULL && !is_ours ? name : 0;
}

/* The ref of a row as an edge: that of its block where it is a checkpoint, else of its message; absent = none. */
static struct str edge_ref(struct run *r, int64_t seq)
{
	struct run_dsh *d = &r->dsh;
	const struct recording *rec = r->recording;
	uint32_t row = dsh_log_find(&rec->dsh.log, seq);
	char spelled[REF_TEXT_MAX];
	if (row == DSH_NONE)
		return (struct str){NULL, 0};
	uint32_t block = run_dsh_block(r, row, dsh_ledger_by_row(&d->ledger, &d->fold, row, INT64_MAX));
	if (block != 0)
		return names_get(&rec->names, block);
	if (row >= rec->dsh.message_of.n || rec->dsh.message_of.v[row] == DSH_NONE)
		return (struct str){NULL, 0};
	uint32_t id = rec->messages.v[rec->dsh.message_of.v[row]].message.id;
	struct str ref = state_ref_text(&r->state, state_info(&r->state, id)->ref, spelled);
	return ref.p == NULL ? ref : (struct str){arena_copy(&r->scratch, ref.p, ref.n), ref.n};
}

/* ---- which recorded transaction is whose ---- */

static const struct compress_record *call_at(const struct run *r, size_t i)
{
	return &r->recording->compressions.v[r->recording->records.v[i].index];
}

static struct dsh_asked *asked_of(struct run_dsh *d, size_t k)
{
	return &d->asked.v[d->called.v[d->called.n - 1].first + k];
}

static const struct dsh_compaction *made_by(const struct run *r, uint32_t landing)
{
	const struct dsh_recording *log = &r->recording->dsh;
	return log->log.rows.v[log->landed.v[landing].summary].compaction;
}

const struct dsh_compaction *run_dsh_recorded(const struct run *r, const struct dsh_asked *a)
{
	const struct dsh_compaction *made = a->landing != 0 ? made_by(r, a->landing - 1) : NULL;
	return made != NULL && made->has_range ? made : NULL;
}

/* The edges of a range, resolved or as requested; ranges of the same edges stand in their order. */
struct edges {
	int64_t start, end;
	uint32_t k;     /* of asked_of */
	uint32_t taken; /* of the first with these edges: how many of them have a transaction */
};

static int by_edges(const void *a, const void *b)
{
	const struct edges *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->k > y->k) - (x->k < y->k);
}

/* The first with these edges that has no transaction yet, or NULL. */
static struct edges *find_edges(struct edges *list, size_t n, int64_t start, int64_t end)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (list[mid].start < start || (list[mid].start == start && list[mid].end < end))
			lo = mid + 1;
		else
			hi = mid;
	}
	size_t at = lo + (lo < n ? list[lo].taken : 0);
	if (at >= n || list[at].start != start || list[at].end != end)
		return NULL;
	list[lo].taken++;
	return &list[at];
}

/* What has no transaction yet gets the one of the same edges, `taken` ones left out. */
static void match_edges(struct run *r, const struct compress_record *c, bool requested, uint8_t *taken)
{
	struct run_dsh *d = &r->dsh;
	uint32_t n = d->called.v[d->called.n - 1].n;
	struct edges *list = arena_alloc(&r->scratch, n * sizeof *list);
	size_t listed = 0;
	for (uint32_t k = 0; k < n; k++) {
		const struct dsh_asked *a = asked_of(d, k);
		const int64_t *at = requested ? a->request : a->resolved;
		if (a->landing == 0 && at[0] >= 0 && at[1] >= 0)
			list[listed++] = (struct edges){at[0], at[1], k, 0};
	}
	if (listed > 1)
		qsort(list, listed, sizeof *list, by_edges);
	for (uint32_t l = 0; l < c->landed_n; l++) {
		const struct dsh_compaction *made = made_by(r, c->landed + l);
		struct edges *e = made != NULL && made->has_range && !taken[l]
					  ? find_edges(list, listed, made->start, made->end)
					  : NULL;
		if (e == NULL)
			continue;
		asked_of(d, e->k)->landing = c->landed + l + 1;
		taken[l] = 1;
	}
}

/*
 * Ranges map to transactions by equal resolved edges, in order (dsh-rulings 20). An older or later plugin may have
 * resolved otherwise: of what is left over, ranges that landed as requested come next, then the rest in order, ranges
 * that resolve before those that do not.
 */
static void match(struct run *r, const struct compress_record *c)
{
	struct run_dsh *d = &r->dsh;
	uint32_t n = d->called.v[d->called.n - 1].n, l = 0;
	uint8_t *taken = arena_zero(&r->scratch, c->landed_n + 1, 1);
	match_edges(r, c, false, taken);
	match_edges(r, c, true, taken);
	for (int resolved = 1; resolved >= 0; resolved--)
		for (uint32_t k = 0; k < n; k++) {
			struct dsh_asked *a = asked_of(d, k);
			while (l < c->landed_n && taken[l])
				l++;
			if (a->landing != 0 || (a->resolved[0] >= 0) != resolved || l == c->landed_n)
				continue;
			a->landing = c->landed + l++ + 1;
		}
}

/* ---- what the kernel is given ---- */

/*
 * What the resolver and the guard let through. Followed as recorded, a success brings what landed, too, whatever they
 * say of it: the guard only comments (dsh-rulings 22).
 */
static bool is_given(const struct run *r, const struct compress_record *c, const struct dsh_asked *a)
{
	bool success = c->has_outcome && c->outcome_applied && !r->dsh.engine;
	return a->verdict == DSH_ACCEPTED || (success && a->landing != 0);
}

/*
 * The row of an edge for the kernel: its own, or the nearest in the slice that the kernel has a ref of: empty rows have
 * no message. -1 = there is none.
 */
static int64_t known_row(struct run *r, int64_t from, int64_t to)
{
	const struct dsh_surface *s = &r->dsh.fold.surface;
	if (edge_ref(r, from).p != NULL)
		return from;
	uint32_t row = dsh_surface_find(s, from), last = dsh_surface_find(s, to);
	if (row == DSH_NONE || last == DSH_NONE)
		return -1;
	bool forward = dsh_surface_before(s, row, last);
	while (row != last) {
		row = forward ? dsh_surface_next(s, row) : dsh_surface_prev(s, row);
		int64_t seq = dsh_log_seq(s->log, row);
		if (edge_ref(r, seq).p != NULL)
			return seq;
	}
	return -1;
}

static bool give(struct run *r, struct dsh_asked *a, int64_t start, int64_t end)
{
	a->given[0] = known_row(r, start, end);
	a->given[1] = known_row(r, end, start);
	return a->given[0] >= 0 && a->given[1] >= 0;
}

/* The edges a range has for the kernel: resolved, or, followed as recorded, those of what landed. */
static void choose_edges(struct run *r, struct dsh_asked *a)
{
	const struct dsh_compaction *made = r->dsh.engine ? NULL : run_dsh_recorded(r, a);
	if (made == NULL || !give(r, a, made->start, made->end))
		give(r, a, a->resolved[0], a->resolved[1]);
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
		match(r, call_at(r, i));
	}
	for (size_t k = 0; k < parse->n; k++) {
		struct dsh_asked *a = &d->asked.v[d->called.v[compression].first + k];
		struct range_request range = parse->ranges[k];
		if (!is_given(r, call_at(r, i), a))
			continue;
		if (!r->again)
			choose_edges(r, a);
		range.start = edge_ref(r, a->given[0]);
		range.end = edge_ref(r, a->given[1]);
		if (range.start.p == NULL || range.end.p == NULL)
			continue;
		a->kernel = (uint32_t)n;
		ranges[n++] = range;
	}
	parse->ranges = ranges;
	parse->n = n;
}

/* ---- what the kernel makes of them ---- */

/* The ranges of the call of record i; `*n` of them. */
static struct dsh_asked *asked_at(const struct run *r, size_t i, uint32_t *n)
{
	const struct run_dsh *d = &r->dsh;
	const struct dsh_called *c = &d->called.v[r->again ? run_compression_at(r, i) : d->called.n - 1];
	*n = c->n;
	return d->asked.v + c->first;
}

/* Did the kernel, asked last, make a block of the range? */
static bool makes_block(const struct run *r, const struct dsh_asked *a)
{
	return a->kernel != UINT32_MAX && r->apply.verdicts.v[a->kernel].block >= 0;
}

/* The rows a transaction took off the surface before the next one of the same call began (dsh-rulings 10). */
struct taken_rows {
	VEC(uint8_t) of; /* by row */
};

static bool is_taken(const struct run_dsh *d, const struct taken_rows *t, int64_t seq)
{
	uint32_t row = dsh_log_find(d->fold.log, seq);
	return row < t->of.n && t->of.v[row];
}

static void take_rows(struct run_dsh *d, struct taken_rows *t, const int64_t edges[2])
{
	struct dsh_rows span = {0};
	dsh_surface_span(&d->fold.surface, edges[0], edges[1], &span);
	for (size_t i = 0; i < span.rows.n; i++) {
		vec_fill(&t->of, (size_t)span.rows.v[i] + 1);
		t->of.v[span.rows.v[i]] = 1;
	}
	vec_free(&span.rows);
}

/*
 * Transactions run one after the other: one whose edge an earlier one of the call took writes nothing. What did land in
 * the recording landed. True when there is such a range; its place in `left_out` says so.
 */
static bool find_overlaps(struct run *r, size_t i, uint8_t *left_out)
{
	struct run_dsh *d = &r->dsh;
	struct taken_rows taken = {0};
	bool any = false;
	uint32_t n;
	struct dsh_asked *asked = asked_at(r, i, &n);
	for (uint32_t k = 0; k < n; k++) {
		struct dsh_asked *a = &asked[k];
		const struct dsh_compaction *made = d->engine ? NULL : run_dsh_recorded(r, a);
		int64_t edges[2] = {made ? made->start : a->resolved[0], made ? made->end : a->resolved[1]};
		if (!makes_block(r, a))
			continue;
		if (!r->again)
			a->overlaps = (d->engine || a->landing == 0) &&
				      (is_taken(d, &taken, edges[0]) || is_taken(d, &taken, edges[1]));
		if (a->overlaps)
			left_out[a->kernel] = COMPRESS_OVERLAP_SKIPPED + 1;
		else if (!r->again)
			take_rows(d, &taken, edges);
		any |= a->overlaps;
	}
	vec_free(&taken.of);
	return any;
}

/* Range by range: a block for what landed, none for what did not. A recording that does not tell the ranges does. */
static bool lands_as_recorded(const struct run *r, size_t i)
{
	uint32_t n;
	const struct dsh_asked *asked = asked_at(r, i, &n);
	if (call_at(r, i)->landed_n == 0)
		return true;
	for (uint32_t k = 0; k < n; k++)
		if (makes_block(r, &asked[k]) != (asked[k].landing != 0))
			return false;
	return true;
}

/* As recorded: what the log has no transaction of is not given to the kernel (dsh-rulings 23). */
static void leave_unrecorded(const struct run *r, size_t i, uint8_t *left_out)
{
	uint32_t n;
	const struct dsh_asked *asked = asked_at(r, i, &n);
	for (uint32_t k = 0; k < n && call_at(r, i)->landed_n > 0; k++)
		if (asked[k].kernel != UINT32_MAX && asked[k].landing == 0 && left_out[asked[k].kernel] == 0)
			left_out[asked[k].kernel] = COMPRESS_KIND_COUNT + 1;
}

bool dsh_call_apply(struct run *r, size_t i, const struct parse_result *parse, size_t mark, enum follow *follow)
{
	const struct compress_record *c = call_at(r, i);
	uint8_t *left_out = arena_zero(&r->scratch, parse->n + 1, 1);
	size_t turned = state_mark(&r->state);
	(void)mark; /* the turn inside the call is kept whatever comes of it */
	run_try(r, c, parse, NULL, false);
	if (find_overlaps(r, i, left_out)) {
		state_rollback(&r->state, turned);
		run_try(r, c, parse, left_out, false);
	}
	run_keep_verdicts(r);
	bool applied = r->apply.blocks_created > 0; /* dsh-rulings 9 */
	*follow = run_compare_outcome(r, i, applied);
	if (*follow == FOLLOW_AGREES && applied && !lands_as_recorded(r, i))
		*follow = FOLLOW_RECORDED_YES;
	if (*follow == FOLLOW_RECORDED_YES) {
		state_rollback(&r->state, turned);
		leave_unrecorded(r, i, left_out);
		run_try(r, c, parse, left_out, true);
		run_keep_verdicts(r);
		applied = r->apply.blocks_created > 0;
		if (!applied) {
			*follow = FOLLOW_CANNOT;
			run_leave_recording(r, i);
		}
	}
	applied = applied && *follow != FOLLOW_RECORDED_NO;
	if (!applied)
		state_rollback(&r->state, turned);
	return applied;
}

/* ---- which rows of its transactions land ---- */

/* Name of the block that the kernel made of a range, 0 = none. */
static uint32_t block_made(const struct run *r, const struct compress_outcome *o, const struct dsh_asked *a)
{
	uint32_t second = o->follow == FOLLOW_RECORDED_YES ? o->ranges : 0;
	if (!o->tried || !o->applied || a->kernel == UINT32_MAX)
		return 0;
	return r->verdicts.v[o->verdicts + second + a->kernel].block;
}

/* follow=engine: one recorded transaction lands, at the edges of this run, or does not. */
static void land(struct run *r, const struct compress_outcome *o, uint32_t l, const struct dsh_asked *a, uint32_t block)
{
	struct run_dsh *d = &r->dsh;
	const struct dsh_landing *landing = &r->recording->dsh.landed.v[l];
	const struct dsh_compaction *made = made_by(r, l);
	bool stands = block != 0;
	bool moved = made == NULL || !made->has_range || a == NULL || a->resolved[0] != made->start ||
		     a->resolved[1] != made->end;
	if (!stands) {
		dsh_fate_drop(d, landing->summary, landing->checkpoint);
	} else if (moved && landing->checkpoint >= d->told) {
		dsh_fate_set(d, landing->checkpoint, DSH_MOVED);
		vec_push(&d->moved, (struct dsh_moved){landing->checkpoint, a->resolved[0], a->resolved[1]});
	}
	if (!stands || moved)
		run_leave_recording(r, o->record);
}

static void decide(struct run *r, const struct compress_record *c, const struct compress_outcome *o)
{
	struct run_dsh *d = &r->dsh;
	uint32_t n = d->called.v[d->called.n - 1].n;
	const struct dsh_asked **whose = arena_zero(&r->scratch, c->landed_n + 1, sizeof *whose);
	for (uint32_t k = 0; k < n; k++) {
		const struct dsh_asked *a = asked_of(d, k);
		if (a->landing != 0)
			whose[a->landing - 1 - c->landed] = a;
		else if (d->engine && block_made(r, o, a) != 0)
			run_leave_recording(r, o->record); /* a block without a row: nothing of it was recorded */
	}
	for (uint32_t i = 0; i < c->landed_n; i++) {
		uint32_t block = whose[i] != NULL ? block_made(r, o, whose[i]) : 0;
		uint32_t checkpoint = r->recording->dsh.landed.v[c->landed + i].checkpoint;
		if (block != 0) {
			vec_fill(&d->block_of, (size_t)checkpoint + 1);
			d->block_of.v[checkpoint] = block;
			vec_fill(&d->made, (size_t)block + 1);
			d->made.v[block] = 1;
		}
		if (d->engine)
			land(r, o, c->landed + i, whose[i], block);
	}
	/* the pair is hidden when a block was made only (dsh.md 8.4) */
	if (d->engine && !o->applied && c->result != 0 && r->recording->dsh.row_of.v[c->result - 1] != DSH_NONE)
		dsh_fate_drop_pair(d, r->recording->dsh.row_of.v[c->result - 1]);
}

void dsh_call_done(struct run *r, bool applied, enum follow follow)
{
	struct run_dsh *d = &r->dsh;
	const struct compress_outcome *o = &r->compressions.v[r->compressions.n - 1];
	(void)applied, (void)follow;
	while (d->called.n < r->compressions.n)
		vec_push(&d->called, (struct dsh_called){(uint32_t)d->asked.n, 0});
	decide(r, call_at(r, o->record), o);
}
