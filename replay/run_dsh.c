#include "replay/run_dsh.h"

#include <math.h>

#include "engine/host/dsh_args.h"
#include "engine/host/dsh_gate.h"
#include "replay/run_dsh_call.h"
#include "replay/run_records.h"
#include "replay/sent_dsh.h"

bool run_is_dsh(const struct run *r) { return r->driver == &driver_dsh; }

const struct dsh_asked *run_dsh_asked(const struct run *r, size_t compression, uint32_t *n)
{
	*n = 0;
	if (!run_is_dsh(r) || compression >= r->dsh.called.n)
		return NULL;
	*n = r->dsh.called.v[compression].n;
	return r->dsh.asked.v + r->dsh.called.v[compression].first;
}

const struct dsh_outside *run_dsh_outside(const struct run *r, uint32_t summary)
{
	for (size_t i = 0; i < r->dsh.outside.n; i++)
		if (r->dsh.outside.v[i].summary == summary)
			return &r->dsh.outside.v[i];
	return NULL;
}

uint32_t dsh_row_at(const struct recording *rec, size_t i)
{
	const struct record *record = &rec->records.v[i];
	if (record->type == RECORD_MESSAGE && record->index < rec->dsh.row_of.n)
		return rec->dsh.row_of.v[record->index];
	if (record->type == RECORD_EVENT && record->index < rec->dsh.events.n)
		return rec->dsh.events.v[record->index].row;
	return DSH_NONE;
}

/* ---- the fold ---- */

static enum dsh_fate fate_of(const struct run_dsh *d, uint32_t row)
{
	return row < d->fates.n ? (enum dsh_fate)d->fates.v[row] : DSH_TOLD;
}

static const struct dsh_moved *move_of(const struct run_dsh *d, uint32_t row)
{
	size_t lo = 0, hi = d->moved.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (d->moved.v[mid].row < row)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < d->moved.n && d->moved.v[lo].row == row ? &d->moved.v[lo] : NULL;
}

/* Display tokens of the nodes from one to the other; 0 when there is no such span. */
static double span_tokens(const struct dsh_surface *s, int64_t start, int64_t end)
{
	uint32_t row = dsh_surface_find(s, start), last = dsh_surface_find(s, end);
	double sum = 0;
	if (row == DSH_NONE || last == DSH_NONE || dsh_surface_before(s, last, row))
		return 0;
	for (;; row = dsh_surface_next(s, row)) {
		sum += dsh_row_display(dsh_log_row(s->log, row));
		if (row == last)
			return sum;
	}
}

/* What a row took in, or would take in. */
static double taken_tokens(const struct run_dsh *d, uint32_t row)
{
	const struct dsh_moved *move = fate_of(d, row) == DSH_MOVED ? move_of(d, row) : NULL;
	const struct dsh_row *r = dsh_log_row(d->fold.log, row);
	if (move != NULL)
		return span_tokens(&d->fold.surface, move->start, move->end);
	return r->op == DSH_REPLACE ? span_tokens(&d->fold.surface, r->start, r->end) : 0;
}

static void tell(struct run_dsh *d, uint32_t row)
{
	enum dsh_fate fate = fate_of(d, row);
	const struct dsh_moved *move = fate == DSH_MOVED ? move_of(d, row) : NULL;
	d->told = row + 1;
	if (fate == DSH_LEFT_OUT)
		return;
	double taken = taken_tokens(d, row);
	enum dsh_fold_status st =
		move != NULL ? dsh_fold_tell_at(&d->fold, row, move->start, move->end) : dsh_fold_tell(&d->fold, row);
	if (st == DSH_FOLDED)
		d->tokens += dsh_row_display(dsh_log_row(d->fold.log, row)) - taken;
}

static void untell(struct run_dsh *d)
{
	uint32_t row = --d->told;
	if (fate_of(d, row) == DSH_LEFT_OUT)
		return;
	bool node = dsh_surface_is_node(&d->fold.surface, row);
	dsh_fold_untell(&d->fold);
	if (node)
		d->tokens -= dsh_row_display(dsh_log_row(d->fold.log, row)) - taken_tokens(d, row);
}

/* Rows of the log that stand before record i. */
static uint32_t rows_before(const struct recording *rec, size_t i)
{
	while (i-- > 0) {
		uint32_t row = dsh_row_at(rec, i);
		if (row != DSH_NONE)
			return row + 1;
	}
	return 0;
}

/* The window that counts at record i: the last one the log told, unless an option says another. */
static void set_window(struct run *r, size_t i)
{
	const struct recording *rec = r->recording;
	double window = 0;
	if (r->limit_given)
		return;
	for (size_t k = i < rec->records.n ? i + 1 : rec->records.n; k-- > 0 && window == 0;) {
		if (rec->records.v[k].type != RECORD_TURN)
			continue;
		window = rec->turns.v[rec->records.v[k].index].window;
		break;
	}
	r->limit_assumed = !(window > 0);
	r->limit_source = r->limit_assumed ? "assumed" : "log";
	r->config.limit = r->limit_assumed ? r->limit_fallback : window;
}

static void dsh_seek(struct run *r, size_t i)
{
	struct run_dsh *d = &r->dsh;
	uint32_t rows = rows_before(r->recording, i);
	while (d->told > rows)
		untell(d);
	while (d->told < rows)
		tell(d, d->told);
	set_window(r, i);
}

/* ---- rows join the log ---- */

/* The watchers see a row before the fold does; what is left out they never see. */
static void watch(struct run_dsh *d, uint32_t row)
{
	const struct dsh_moved *move = fate_of(d, row) == DSH_MOVED ? move_of(d, row) : NULL;
	dsh_ledger_tell(&d->ledger, &d->fold, row);
	if (move != NULL) {
		dsh_meter_tell_at(&d->meter, &d->fold.surface, row, move->start, move->end);
		dsh_loop_tell_at(&d->loop, &d->fold, row, move->start, move->end);
	} else {
		dsh_meter_tell(&d->meter, &d->fold.surface, row);
		dsh_loop_tell(&d->loop, &d->fold, row);
	}
}

/* A row joins in the first pass: its fate is decided, where it was not before. */
static void join(struct run *r, size_t i, uint32_t row)
{
	struct run_dsh *d = &r->dsh;
	if (row < d->told)
		return; /* another message of the same row */
	if (d->gate && fate_of(d, row) == DSH_TOLD && dsh_gate_drops(&d->fold, row)) {
		dsh_fate_set(d, row, DSH_LEFT_OUT);
		vec_push(&d->gated, row);
		run_leave_recording(r, i);
	}
	if (d->engine)
		dsh_decide_outside(r, i, row);
	dsh_probe_outside(r, row, fate_of(d, row) == DSH_LEFT_OUT);
	if (fate_of(d, row) != DSH_LEFT_OUT)
		watch(d, row);
	tell(d, row);
}

bool run_dsh_leaves_out(const struct run *r, uint32_t message)
{
	if (!run_is_dsh(r) || message >= r->recording->dsh.row_of.n)
		return false;
	uint32_t row = r->recording->dsh.row_of.v[message];
	return row != DSH_NONE && fate_of(&r->dsh, row) == DSH_LEFT_OUT;
}

static bool dsh_joins(struct run *r, size_t i)
{
	uint32_t row = dsh_row_at(r->recording, i);
	if (row == DSH_NONE)
		return true;
	if (!r->again)
		join(r, i, row);
	return fate_of(&r->dsh, row) != DSH_LEFT_OUT;
}

static void dsh_event(struct run *r, size_t i)
{
	uint32_t row = dsh_row_at(r->recording, i);
	if (row != DSH_NONE && !r->again)
		join(r, i, row);
}

/* ---- turns ---- */

size_t run_dsh_preserve(const struct run *r)
{
	double n = r->config.preserve_messages;
	return n >= UINT32_MAX ? UINT32_MAX : n > 0 ? (size_t)n : 0;
}

double run_dsh_tokens(const struct run *r) { return r->dsh.tokens; }

static void dsh_count(struct run *r, size_t i, double given, struct turn_input *in)
{
	set_window(r, i);
	r->raw = run_dsh_tokens(r);
	r->own = r->raw + r->system_tokens;
	r->host = NAN;
	r->counted = isnan(given) ? COUNT_DISPLAY : COUNT_HOST;
	in->tokens = isnan(given) ? r->own : given;
}

static void dsh_count_here(struct run *r, size_t i, struct turn_input *in) { dsh_count(r, i, NAN, in); }

static void dsh_turn(struct run *r, size_t i, const struct turn_record *t, struct moment *m)
{
	(void)i;
	if (r->want_requests && !(m->events & MOMENT_CAPACITY)) {
		vec_push(&r->sender.sent, sender_dsh_turn(&r->sender, r, m, t->model));
	} else if (r->want_requests) {
		sender_skip(&r->sender, m);
		vec_push(&r->sender.sent, ((struct sent){.bytes = NAN, .predicted = NAN, .actual = NAN}));
	}
}

/* ---- the run ---- */

static void dsh_finished(struct run *r)
{
	dsh_ledger_finish(&r->dsh.ledger);
	dsh_loop_judge(&r->dsh.loop, DSH_WITHIN);
}

void run_dsh_begin(struct run *r)
{
	struct run_dsh *d = &r->dsh;
	const struct dsh_log *log = &r->recording->dsh.log;
	const struct policy *p = &r->policy;
	bool barrier = policy_is(p, SWITCH_BARRIER, "on");
	struct dsh_rules rules = {
		.sources = policy_is(p, SWITCH_SOURCES, "strict") ? DSH_SOURCES_STRICT
			   : policy_is(p, SWITCH_SOURCES, "v4")   ? DSH_SOURCES_V4
								  : DSH_SOURCES_AUTO,
		.barrier = barrier,
		.pin = barrier,
		.tail = policy_is(p, SWITCH_TAIL, "on"),
	};
	dsh_fold_init(&d->fold, log, &rules);
	dsh_ledger_init(&d->ledger, log);
	d->meter.log = log;
	dsh_loop_init(&d->loop, log);
	d->engine = policy_is(p, SWITCH_FOLLOW, "engine");
	d->gate = policy_is(p, SWITCH_REINJECT, "presence-gate");
	if (d->engine)
		dsh_fate_index(d, log);
}

void run_dsh_window(struct run *r)
{
	const struct recording *rec = r->recording;
	for (size_t i = 0; i < rec->records.n; i++) {
		if (rec->records.v[i].type != RECORD_TURN)
			continue;
		set_window(r, i);
		return;
	}
}

void run_dsh_free(struct run *r)
{
	struct run_dsh *d = &r->dsh;
	dsh_fold_free(&d->fold);
	dsh_ledger_free(&d->ledger);
	dsh_meter_free(&d->meter);
	dsh_loop_free(&d->loop);
	dsh_nodes_free(&d->nodes);
	dsh_guard_free(&d->guard);
	dsh_table_free(&d->table);
	dsh_census_free(&d->census);
	vec_free(&d->guarded.seqs);
	vec_free(&d->fates);
	vec_free(&d->moved);
	vec_free(&d->last_of);
	vec_free(&d->before_of);
	vec_free(&d->next_of);
	vec_free(&d->prune_of);
	vec_free(&d->called);
	vec_free(&d->asked);
	vec_free(&d->block_of);
	vec_free(&d->made);
	vec_free(&d->gated);
	vec_free(&d->outside);
}

const struct run_driver driver_dsh = {
	.count = dsh_count,
	.count_here = dsh_count_here,
	.arguments = dsh_args_value,
	.ranges = dsh_call_ranges,
	.apply = dsh_call_apply,
	.compressed = dsh_call_done,
	.turn = dsh_turn,
	.joins = dsh_joins,
	.event = dsh_event,
	.seek = dsh_seek,
	.finished = dsh_finished,
	.rewind = run_rewind_rows,
};
