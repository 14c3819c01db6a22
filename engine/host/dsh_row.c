#include "engine/host/dsh_row.h"

#include <math.h>

enum { SEQ_MAX_BITS = 53 };

static const char *const TYPE_NAMES[] = {
	[DSH_USER] = "user/message",
	[DSH_ASSISTANT] = "assistant/message",
	[DSH_TOOL] = "tool/result",
	[DSH_SYSTEM] = "system/message",
	[DSH_DEVELOPER] = "developer/message",
	[DSH_TURN_START] = "turn/start",
	[DSH_TURN_END] = "turn/end",
	[DSH_TOOL_CALL] = "tool/call",
	[DSH_START] = "compaction/start",
	[DSH_SUMMARY] = "compaction/summary",
	[DSH_PRUNE] = "compaction/prune",
	[DSH_END] = "compaction/end",
	[DSH_END_SEED] = "session/end-seed",
	[DSH_OTHER] = "other",
};

enum dsh_type dsh_type_of(struct str name)
{
	for (int t = 0; t < DSH_OTHER; t++)
		if (str_eq(name, str_of(TYPE_NAMES[t])))
			return (enum dsh_type)t;
	return DSH_OTHER;
}

const char *dsh_type_name(enum dsh_type type) { return TYPE_NAMES[type]; }

void dsh_log_init(struct dsh_log *log, int version)
{
	*log = (struct dsh_log){.version = version};
	names_init(&log->names);
}

void dsh_log_free(struct dsh_log *log)
{
	vec_free(&log->rows);
	names_free(&log->names);
	arena_free(&log->arena);
}

bool dsh_seq_of(const cJSON *node, int64_t *seq)
{
	double x;
	if (!json_num(node, &x) || !(x >= 0) || x > (double)(INT64_C(1) << SEQ_MAX_BITS) || x != floor(x))
		return false;
	*seq = (int64_t)x;
	return true;
}

/* ---- surfaceOp ---- */

static bool read_edges(const cJSON *op, const char *start, const char *end, struct dsh_row *out)
{
	return dsh_seq_of(json_get(op, start), &out->start) && dsh_seq_of(json_get(op, end), &out->end);
}

static void read_op(const cJSON *op, struct dsh_row *out)
{
	size_t keys = 0;
	out->op = DSH_BAD_OP;
	if (!op) {
		out->op = DSH_NO_OP;
	} else if (cJSON_IsString(op)) {
		out->op = str_eq(json_str(op), STR("append")) ? DSH_APPEND : DSH_BAD_OP;
	} else if (cJSON_IsObject(op) && str_eq(json_str(json_get(op, "op")), STR("replace"))) {
		for (const cJSON *m = op->child; m; m = m->next)
			keys++;
		if (read_edges(op, "start", "end", out))
			out->notes |= DSH_NOTE_OLD_KEYS;
		else if (read_edges(op, "startSeq", "endSeq", out))
			out->notes |= DSH_NOTE_NEW_KEYS;
		else
			return;
		out->op = DSH_REPLACE;
		if (keys > 3)
			out->notes |= DSH_NOTE_EXTRA_KEY;
	}
}

/* ---- sourceEventSeqs ---- */

static int run_order(const void *a, const void *b)
{
	const struct dsh_run *x = a, *y = b;
	return (x->first > y->first) - (x->first < y->first);
}

static bool read_run(const cJSON *node, struct dsh_run *run)
{
	const cJSON *first = node->child;
	if (!cJSON_IsArray(node)) {
		bool seq = dsh_seq_of(node, &run->first);
		run->last = run->first;
		return seq;
	}
	return first && first->next && !first->next->next && dsh_seq_of(first, &run->first) &&
	       dsh_seq_of(first->next, &run->last) && run->first <= run->last;
}

/* Sorts the runs and joins those that touch. */
static void join_runs(struct dsh_row *out, struct dsh_run *runs, size_t n)
{
	uint32_t kept = 0;
	qsort(runs, n, sizeof *runs, run_order);
	for (size_t i = 0; i < n; i++) {
		struct dsh_run *last = kept ? &runs[kept - 1] : NULL;
		if (last && runs[i].first <= last->last)
			out->notes |= DSH_NOTE_CITES_DOUBLE;
		if (last && runs[i].first <= last->last + 1)
			last->last = runs[i].last > last->last ? runs[i].last : last->last;
		else
			runs[kept++] = runs[i];
	}
	if (kept && runs[kept - 1].last >= out->seq)
		out->notes |= DSH_NOTE_CITES_LATER;
	out->cites = runs;
	out->cites_n = kept;
}

static void read_cites(struct dsh_log *log, const cJSON *cites, struct dsh_row *out)
{
	size_t n = 0, all = 0;
	if (!cites)
		return;
	out->notes |= DSH_NOTE_CITES;
	if (!cJSON_IsArray(cites)) {
		out->notes |= DSH_NOTE_CITES_BROKEN;
		return;
	}
	for (const cJSON *c = cites->child; c; c = c->next)
		all++;
	if (all == 0) {
		out->notes |= DSH_NOTE_CITES_EMPTY;
		return;
	}
	struct dsh_run *runs = arena_zero(&log->arena, all, sizeof *runs);
	for (const cJSON *c = cites->child; c; c = c->next) {
		if (read_run(c, &runs[n]))
			n++;
		else
			out->notes |= DSH_NOTE_CITES_BROKEN;
	}
	join_runs(out, runs, n);
}

bool dsh_row_cites(const struct dsh_row *r, int64_t seq)
{
	size_t from = 0, to = r->cites_n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (r->cites[middle].last < seq)
			from = middle + 1;
		else
			to = middle;
	}
	return from < r->cites_n && r->cites[from].first <= seq;
}

bool dsh_row_has_call(const struct dsh_row *r, uint32_t id)
{
	for (uint32_t i = 0; i < r->calls_n; i++)
		if (r->calls[i].id == id)
			return true;
	return false;
}

/* ---- events ---- */

static void read_turn(const cJSON *data, struct dsh_row *out)
{
	if (!dsh_seq_of(json_get(data, "turn"), &out->turn))
		out->turn = -1;
}

static void read_call_event(struct dsh_log *log, const cJSON *data, struct dsh_row *out)
{
	struct dsh_call *call = arena_zero(&log->arena, 1, sizeof *call);
	call->id = names_add(&log->names, json_str(json_get(data, "callId")));
	call->name = names_add(&log->names, json_str(json_get(data, "name")));
	out->calls = call;
	out->calls_n = 1;
}

void dsh_row_parse(struct dsh_log *log, const struct dsh_event *e, struct dsh_row *out)
{
	*out = (struct dsh_row){.seq = e->seq, .time = e->time, .type = (uint8_t)dsh_type_of(e->type), .turn = -1};
	read_op(e->op, out);
	read_cites(log, e->cites, out);
	if (dsh_type_is_surface(out->type))
		dsh_content_parse(log, e->data, out);
	else if (out->type == DSH_TURN_START || out->type == DSH_TURN_END)
		read_turn(e->data, out);
	else if (out->type == DSH_TOOL_CALL)
		read_call_event(log, e->data, out);
	else if (out->type >= DSH_START && out->type <= DSH_END)
		dsh_compaction_parse(log, e->data, out->type, out);
}

uint32_t dsh_log_add(struct dsh_log *log, const struct dsh_event *e)
{
	struct dsh_row row;
	if (log->rows.n >= DSH_NONE - 1 || (log->rows.n && e->seq <= log->rows.v[log->rows.n - 1].seq) || e->seq < 0)
		return DSH_NONE;
	dsh_row_parse(log, e, &row);
	vec_push(&log->rows, row);
	return (uint32_t)log->rows.n - 1;
}

uint32_t dsh_log_find(const struct dsh_log *log, int64_t seq)
{
	size_t from = 0, to = log->rows.n;
	if (seq >= 0 && (uint64_t)seq < log->rows.n && log->rows.v[seq].seq == seq) /* no event left out */
		return (uint32_t)seq;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (log->rows.v[middle].seq < seq)
			from = middle + 1;
		else
			to = middle;
	}
	return from < log->rows.n && log->rows.v[from].seq == seq ? (uint32_t)from : DSH_NONE;
}
