#include "replay/readers/dsh_parts.h"

#include <math.h>

#include "replay/readers/pick.h"

void dsh_parts_begin(struct recording *r, int version)
{
	r->host = STR("dsh");
	r->dsh.version = version;
	dsh_log_init(&r->dsh.log, version >= 0 ? version : DSH_VERSION_MAX);
}

void dsh_follow_free(struct dsh_follow *f)
{
	vec_free(&f->calls);
	vec_free(&f->summary_of);
}

bool dsh_parts_reads(struct str type)
{
	return dsh_type_of(type) != DSH_OTHER || str_eq(type, STR("request/context")) ||
	       str_eq(type, STR("request/header")) || dsh_is_packed(type);
}

uint32_t dsh_parts_row(struct recording *r, const struct dsh_event *e)
{
	return dsh_type_of(e->type) == DSH_OTHER ? DSH_NONE : dsh_log_add(&r->dsh.log, e);
}

void dsh_parts_message(struct recording *r, struct record rec, struct message_record m, uint32_t row)
{
	uint32_t message = (uint32_t)r->messages.n;

	recording_add_row(r, rec, m);
	vec_push(&r->dsh.row_of, row);
	if (row == DSH_NONE)
		return;
	while (r->dsh.message_of.n <= row)
		vec_push(&r->dsh.message_of, DSH_NONE);
	if (r->dsh.message_of.v[row] == DSH_NONE)
		r->dsh.message_of.v[row] = message;
}

void dsh_parts_event(struct recording *r, struct record rec, const struct dsh_event *e, uint32_t count, uint32_t row)
{
	double window;

	rec.type = RECORD_EVENT;
	rec.index = (uint32_t)r->dsh.events.n;
	vec_push(&r->dsh.events, (struct dsh_event_record){.seq = e->seq,
							   .count = count,
							   .name = names_add(&r->names, e->type),
							   .row = row,
							   .record = (uint32_t)r->records.n});
	vec_push(&r->records, rec);
	if (str_eq(e->type, STR("request/context")) && json_num(json_get(e->data, "contextWindow"), &window) &&
	    window > 0 && isfinite(window))
		r->dsh.window = window;
}

void dsh_parts_beyond(struct recording *r, struct record rec, const struct dsh_event *e, uint32_t count)
{
	rec.type = RECORD_UNKNOWN;
	rec.index = (uint32_t)r->dsh.beyond.n;
	vec_push(&r->dsh.beyond, (struct dsh_event_record){.seq = e->seq,
							   .count = count,
							   .name = names_add(&r->names, e->type),
							   .row = DSH_NONE,
							   .record = (uint32_t)r->records.n});
	vec_push(&r->records, rec);
}

static void close_call(struct dsh_follow *f, size_t i)
{
	f->calls.v[i].closed = true;
	while (f->oldest < f->calls.n && f->calls.v[f->oldest].closed)
		f->oldest++;
	while (f->live < f->calls.n && f->calls.v[f->live].closed)
		f->live++;
}

/* A checkpoint came: the compaction is that of the oldest call of its turn without a result (dsh-rulings 20). */
static void land(struct recording *r, struct dsh_follow *f, uint32_t row)
{
	uint32_t id = r->dsh.log.rows.v[row].compaction_id, summary;
	struct compress_record *c;

	if (id >= f->summary_of.n || f->summary_of.v[id] == 0)
		return;
	summary = f->summary_of.v[id] - 1;
	f->summary_of.v[id] = 0;
	if (f->live == f->calls.n)
		return;
	c = &r->compressions.v[f->calls.v[f->live].compress];
	if (c->landed_n++ == 0)
		c->landed = (uint32_t)r->dsh.landed.n;
	vec_push(&r->dsh.landed, (struct dsh_landing){summary, row});
}

uint32_t dsh_follow_row(struct recording *r, struct dsh_follow *f, uint32_t row, uint32_t message)
{
	const struct dsh_row *d;
	size_t i;

	if (row == DSH_NONE)
		return 0;
	d = &r->dsh.log.rows.v[row];
	if (d->type == DSH_USER && d->op == DSH_REPLACE && d->compaction_id != 0)
		land(r, f, row);
	for (i = f->oldest; d->type == DSH_TOOL && d->op != DSH_REPLACE && i < f->calls.n; i++)
		if (!f->calls.v[i].closed && f->calls.v[i].call == d->result) {
			uint32_t compress = f->calls.v[i].compress;

			r->compressions.v[compress].result = message + 1;
			close_call(f, i);
			return compress + 1;
		}
	return 0;
}

void dsh_follow_event(struct recording *r, struct dsh_follow *f, uint32_t row)
{
	const struct dsh_row *d;

	if (row == DSH_NONE)
		return;
	d = &r->dsh.log.rows.v[row];
	if (d->type == DSH_START || d->type == DSH_END || d->type == DSH_END_SEED)
		f->inside = d->type == DSH_START;
	/* a call that got no result (a crash) does not take what others make later */
	if ((d->type == DSH_TURN_START || d->type == DSH_TURN_END) && !f->inside)
		f->live = f->calls.n;
	if (d->type != DSH_SUMMARY || !d->compaction || d->compaction->id == 0)
		return;
	vec_fill(&f->summary_of, (size_t)d->compaction->id + 1);
	f->summary_of.v[d->compaction->id] = row + 1;
}

void dsh_follow_call(struct recording *r, struct dsh_follow *f, struct str call, uint32_t compress)
{
	vec_push(&f->calls, (struct dsh_open_call){.call = names_add(&r->dsh.log.names, call), .compress = compress});
}

bool dsh_is_packed(struct str type)
{
	return str_eq(type, STR("text-chunks")) || str_eq(type, STR("reasoning-chunks")) ||
	       str_eq(type, STR("tool-call-chunks"));
}

uint32_t dsh_packed(struct str type, const cJSON *data)
{
	const cJSON *list = json_get(data, str_eq(type, STR("tool-call-chunks")) ? "args" : "texts");
	int n = dsh_is_packed(type) && cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;

	return n > 0 ? (uint32_t)n : 0;
}

enum dsh_type dsh_type_by_data(const cJSON *data)
{
	static const struct {
		struct str role;
		enum dsh_type type;
	} roles[] = {{STR("assistant"), DSH_ASSISTANT}, {STR("system"), DSH_SYSTEM}, {STR("developer"), DSH_DEVELOPER}};
	const cJSON *message = json_get(data, "message");
	struct str role = json_str(json_get(message, "role"));
	size_t i;

	if (!cJSON_IsObject(message))
		return DSH_USER;
	for (i = 0; i < sizeof roles / sizeof *roles; i++)
		if (str_eq(role, roles[i].role))
			return roles[i].type;
	return DSH_TOOL;
}

struct str recording_event_data(const struct recording *r, const struct dsh_event_record *e, struct arena *a)
{
	struct str line = recording_bytes(r, &r->records.v[e->record], a);
	struct json_scan scan = {0};
	const struct json_span *data = NULL;

	if (line.n == r->records.v[e->record].n && json_scan(line.p, line.n, &scan) == JSON_OK)
		data = json_member(line.p, &scan, "data");
	if (data)
		line = (struct str){line.p + data->at, data->n};
	json_scan_free(&scan);
	return data ? line : (struct str){0};
}

double recording_event_time(const struct recording *r, const struct dsh_event_record *e, uint32_t k, struct arena *a)
{
	const cJSON *event = json_tree(a, recording_bytes(r, &r->records.v[e->record], a), NULL, NULL);
	const cJSON *delta = json_get(json_get(event, "data"), "dt");
	double time, by;

	if (k >= e->count || !json_num(json_get(event, "time0"), &time)) {
		if (k > 0 || !json_num(json_get(event, "time"), &time))
			return NAN;
		return time;
	}
	for (delta = cJSON_IsArray(delta) ? delta->child : NULL; k > 0; k--, delta = delta->next) {
		if (!json_num(delta, &by))
			return NAN;
		time += by;
	}
	return time;
}
