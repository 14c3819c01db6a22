#include "replay/events.h"

#include <stdlib.h>

const char *event_kind_name(enum event_kind k)
{
	static const char *const names[EVENT_KINDS] = {
#define EVENT_NAME(name, text) [EVENT_##name] = text,
		EVENT_LIST(EVENT_NAME)
#undef EVENT_NAME
	};
	return names[k];
}

/* What the DSH host's side found, to be told at a row of its log. */
struct told_at {
	uint32_t row;
	uint32_t index;
	uint8_t kind; /* enum event_kind */
	uint8_t by;   /* of a finding */
};

struct builder {
	const struct run *r;
	VEC(struct event) list;
	uint32_t turn, after;    /* position behind the record looked at */
	uint32_t outcome;        /* next of run.compressions */
	const uint32_t *damages; /* by line */
	size_t damage, damages_n;
	const struct acp_log *log; /* NULL = there is none */
	size_t difference;         /* next of its differences */
	VEC(struct told_at) dsh;
	size_t dsh_next;
};

static void add(struct builder *b, enum event_kind kind, size_t record, uint32_t index)
{
	vec_push(&b->list, (struct event){.kind = (uint8_t)kind,
					  .turn = b->turn,
					  .after = b->after,
					  .record = (uint32_t)record,
					  .index = index,
					  .key = (uint64_t)1 << 40 | (uint64_t)record << 5 | (uint64_t)kind});
}

/* ---- damage ---- */

struct damaged_line {
	uint64_t line;
	uint32_t index;
};

static int by_line(const void *a, const void *b)
{
	const struct damaged_line *x = a, *y = b;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Damages are kept in the order found, which is that of the lines but for what a reader finds at the end. */
static const uint32_t *damages_by_line(const struct recording *rec, struct arena *a)
{
	size_t n = rec->damages.n;
	struct damaged_line *order = arena_alloc(a, (n + 1) * sizeof *order);
	uint32_t *out = arena_alloc(a, (n + 1) * sizeof *out);
	for (size_t i = 0; i < n; i++)
		order[i] = (struct damaged_line){rec->damages.v[i].line, (uint32_t)i};
	if (n > 1)
		qsort(order, n, sizeof *order, by_line);
	for (size_t i = 0; i < n; i++)
		out[i] = order[i].index;
	return out;
}

/* Damage of the lines before `line`, at the position reached. */
static void add_damages(struct builder *b, size_t record, uint64_t line)
{
	const struct damage *all = b->r->recording->damages.v;
	for (; b->damage < b->damages_n && all[b->damages[b->damage]].line < line; b->damage++) {
		add(b, EVENT_DAMAGE, record, b->damages[b->damage]);
		b->list.v[b->list.n - 1].key = (uint64_t)1 << 41 | b->damages[b->damage];
	}
}

/* ---- the DSH host ---- */

static int by_row(const void *a, const void *b)
{
	const struct told_at *x = a, *y = b;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void tell_at(struct builder *b, uint32_t row, enum event_kind kind, size_t index, uint8_t by)
{
	vec_push(&b->dsh, (struct told_at){row, (uint32_t)index, (uint8_t)kind, by});
}

static void take_dsh(struct builder *b, struct arena *a, struct events *e)
{
	const struct run_dsh *d = &b->r->dsh;
	const struct dsh_log *log = d->fold.log;
	struct dsh_found_list found = {0};
	for (size_t i = 0; i < d->ledger.blocks.n; i++)
		if (d->ledger.blocks.v[i].maker != DSH_BY_CALL)
			tell_at(b, d->ledger.blocks.v[i].summary, EVENT_COMPACTION, i, 0);
	for (size_t i = 0; i < d->outside.n; i++)
		if (d->outside.v[i].refused)
			tell_at(b, d->outside.v[i].summary, EVENT_COMPACTION, d->ledger.blocks.n + i, 0);
	for (size_t i = 0; i < d->loop.pastes.n; i++)
		tell_at(b, d->loop.pastes.v[i].row, EVENT_REINJECT, i, 0);
	for (size_t i = 0; i < d->loop.chains.n; i++) {
		const struct dsh_folding *last = &d->loop.foldings.v[d->loop.chains.v[i].last];
		tell_at(b, dsh_log_find(log, last->checkpoint), EVENT_LOOP, i, 0);
	}
	for (size_t i = 0; i < d->gated.n; i++)
		tell_at(b, d->gated.v[i], EVENT_GATED, i, 0);
	dsh_findings(b->r, INT64_MAX, &found);
	struct dsh_found *kept = arena_alloc(a, (found.list.n + 1) * sizeof *kept);
	for (size_t i = 0; i < found.list.n; i++) {
		kept[i] = found.list.v[i];
		tell_at(b, dsh_log_find(log, kept[i].at), EVENT_FINDING, i, kept[i].by);
	}
	e->found = kept;
	vec_free(&found.list);
	if (b->dsh.n > 1)
		qsort(b->dsh.v, b->dsh.n, sizeof *b->dsh.v, by_row);
}

/* What was found up to a row, at the position reached. */
static void add_dsh(struct builder *b, size_t record, uint32_t row, const struct events *e)
{
	for (; b->dsh_next < b->dsh.n && b->dsh.v[b->dsh_next].row <= row; b->dsh_next++) {
		const struct told_at *t = &b->dsh.v[b->dsh_next];
		uint32_t own = t->kind == EVENT_FINDING ? e->found[t->index].index : t->index;
		add(b, (enum event_kind)t->kind, record, t->index);
		b->list.v[b->list.n - 1].key =
			(uint64_t)1 << 44 | (uint64_t)t->kind << 36 | (uint64_t)t->by << 32 | own;
	}
}

/* ---- records ---- */

static void add_compress(struct builder *b, size_t i)
{
	const struct compress_outcome *o = &b->r->compressions.v[b->outcome];
	add(b, EVENT_COMPRESS, i, b->outcome);
	if (run_outcome_agrees(b->r, o) == 0)
		add(b, EVENT_DIVERGED, i, b->outcome);
	b->outcome++;
}

static void add_turn(struct builder *b, size_t i)
{
	static const struct {
		uint16_t event;
		uint8_t kind;
	} kinds[] = {{MOMENT_CAPACITY, EVENT_CAPACITY},
		     {MOMENT_NUDGE, EVENT_NUDGE},
		     {MOMENT_TRUNCATED, EVENT_TRUNCATED},
		     {MOMENT_REFUTED, EVENT_REFUTED},
		     {MOMENT_FAILED, EVENT_FAILED}};
	const struct moment *m = &b->r->timeline.turns.v[b->turn - 1];
	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
		if (m->events & kinds[k].event)
			add(b, (enum event_kind)kinds[k].kind, i, 0);
}

/* What the adapter's log says else of a record. */
static void add_differences(struct builder *b, size_t i)
{
	if (b->log == NULL)
		return;
	for (; b->difference < b->log->differences.n && b->log->differences.v[b->difference].record == i;
	     b->difference++) {
		add(b, EVENT_LOG, i, (uint32_t)b->difference);
		b->list.v[b->list.n - 1].key = (uint64_t)1 << 43 | b->difference;
	}
}

static void add_record(struct builder *b, size_t i)
{
	/* event + 1; 0 = rows, frames of the host's log, what nobody knows */
	static const uint8_t kinds[RECORD_TYPE_COUNT] = {
		[RECORD_DECOMPRESS] = EVENT_DECOMPRESS + 1,
		[RECORD_COMPACT] = EVENT_COMPACT + 1,
		[RECORD_KEEP] = EVENT_KEEP + 1,
		[RECORD_RESTART] = EVENT_RESTART + 1,
		[RECORD_MODEL] = EVENT_MODEL + 1,
		[RECORD_REWIND] = EVENT_REWIND + 1,
		[RECORD_STATE] = EVENT_STATE + 1,
		[RECORD_PRUNE] = EVENT_PRUNE + 1,
		[RECORD_NOTE] = EVENT_NOTE + 1,
	};
	const struct record *record = &b->r->recording->records.v[i];
	if (record->line > 0)
		add_damages(b, i, record->line);
	b->turn += record->type == RECORD_TURN;
	b->after = record->type == RECORD_TURN ? 0 : b->after + 1;
	if (record->type == RECORD_TURN)
		add_turn(b, i);
	else if (record->type == RECORD_COMPRESS)
		add_compress(b, i);
	else if (kinds[record->type] > 0)
		add(b, (enum event_kind)(kinds[record->type] - 1), i, 0);
	add_differences(b, i);
}

/* ---- the end ---- */

/* What the end of the replay was compared with. */
static void add_checks(struct builder *b, const struct checks *c)
{
	size_t end = b->r->recording->records.n;
	for (size_t i = 0; i < c->sidecar.notes.n; i++) {
		add(b, EVENT_SIDECAR, end, (uint32_t)i);
		b->list.v[b->list.n - 1].key = (uint64_t)1 << 42 | i;
	}
	if (checks_drift_found(c))
		add(b, EVENT_DRIFT, end, 0);
}

static void build(const struct run *r, const struct checks *checks, struct arena *a, struct events *e)
{
	struct builder b = {.r = r, .damages_n = r->recording->damages.n};
	b.log = checks != NULL && checks->has_log ? &checks->log : NULL;
	b.damages = damages_by_line(r->recording, a);
	e->records = r->next;
	if (run_is_dsh(r))
		take_dsh(&b, a, e);
	for (size_t i = 0; i < r->next; i++) {
		uint32_t row = b.dsh.n > 0 ? dsh_row_at(r->recording, i) : DSH_NONE;
		add_record(&b, i);
		if (row != DSH_NONE)
			add_dsh(&b, i, row, e);
	}
	if (r->next == r->recording->records.n) {
		add_dsh(&b, r->next > 0 ? r->next - 1 : 0, UINT32_MAX, e);
		add_damages(&b, r->next, UINT64_MAX);
	}
	e->checked = checks != NULL;
	if (checks != NULL)
		add_checks(&b, checks);
	e->n = b.list.n;
	e->v = arena_alloc(a, (e->n + 1) * sizeof *e->v);
	memset(e->of_kind, 0, sizeof e->of_kind);
	for (size_t i = 0; i < e->n; i++) {
		e->v[i] = b.list.v[i];
		e->of_kind[e->v[i].kind]++;
	}
	vec_free(&b.list);
	vec_free(&b.dsh);
}

const struct events *events_of(struct frame *f)
{
	struct frame_stay *stay = &f->stays[STAYS_EVENTS];
	struct events *e = stay->made;
	if (e != NULL && e->records == f->run->next && e->checked == (f->checks != NULL))
		return e;
	arena_free(&stay->arena);
	e = stay->made = arena_zero(&stay->arena, 1, sizeof *e);
	build(f->run, f->checks, &stay->arena, e);
	return e;
}

size_t events_before(const struct events *e, struct position at)
{
	size_t lo = 0, hi = e->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct event *x = &e->v[mid];
		if (x->turn < at.turn || (x->turn == at.turn && x->after <= at.records))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct position event_position(const struct event *e)
{
	return (struct position){.turn = e->turn, .node = NODE_RENDER, .records = e->after};
}

bool event_state_obeyed(const struct run *r, const struct event *e)
{
	size_t lo = 0, hi = r->epochs.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (r->epochs.v[mid].first <= e->record)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < r->epochs.n && r->epochs.v[lo].first == (size_t)e->record + 1;
}
