#include <math.h>

#include "engine/base/fnv.h"
#include "replay/readers/dsh.h"
#include "replay/readers/put.h"

/* One record being written. */
struct writing {
	struct recording *r;
	const struct record *rec;
	struct arena *scratch;
	struct buf *b;
	struct str line; /* the event's own */
	struct json_span v[DM_COUNT];
};

static void put_seq(struct writing *w, const char *member, int64_t seq)
{
	if (seq >= 0)
		put_number(w->b, member, (double)seq);
}

/* A member of the event as it is, under another name. */
static void put_as(struct writing *w, const char *member, enum dsh_member m)
{
	if (w->v[m].n == 0)
		return;
	buf_printf(w->b, ",\"%s\":", member);
	recording_put_raw(w->b, (struct str){w->line.p + w->v[m].at, w->v[m].n});
}

/* A member of an object in the line; n 0 = there is none. */
static struct json_span member_of(struct writing *w, struct json_span object, const char *name)
{
	struct json_span out = {0};
	struct json_scan scan = {0};
	const struct json_span *v;

	if (pick_is(object, JSON_OBJECT) && json_scan(w->line.p + object.at, object.n, &scan) == JSON_OK) {
		v = json_member(w->line.p + object.at, &scan, name);
		if (v) {
			out = *v;
			out.at += object.at;
		}
	}
	json_scan_free(&scan);
	return out;
}

/* What belongs to the node: on its first message only. */
static void write_node(struct writing *w, const struct dsh_row *d)
{
	struct json_span data = w->v[DM_DATA], message = data, source;
	const cJSON *tree =
		data.n ? json_tree(w->scratch, (struct str){w->line.p + data.at, data.n}, NULL, NULL) : NULL;

	if (d->type != DSH_USER)
		message = member_of(w, data, "message");
	source = member_of(w, message, "source");
	if (source.n) {
		buf_text(w->b, ",\"source\":");
		recording_put_raw(w->b, (struct str){w->line.p + source.at, source.n});
	}
	if (w->v[DM_SURFACE_OP].n == 0)
		buf_text(w->b, ",\"surfaceOp\":null"); /* an absent one would mean append */
	put_as(w, "surfaceOp", DM_SURFACE_OP);
	put_as(w, "cites", DM_CITES);
	if (dsh_type_by_data(tree) != (enum dsh_type)d->type)
		put_text(w->b, "event", str_of(dsh_type_name((enum dsh_type)d->type)));
}

static void write_message(struct writing *w)
{
	const struct message_record *m = &w->r->messages.v[w->rec->index];
	const struct dsh_row *d = &w->r->dsh.log.rows.v[w->r->dsh.row_of.v[w->rec->index]];

	if (m->rowless)
		buf_text(w->b, ",\"rows\":0");
	put_text(w->b, "id", names_get(&w->r->names, m->message.id));
	if (!m->rowless) {
		put_text(w->b, "role", role_name((enum role)m->message.role));
		put_text(w->b, "contentType", content_name((enum content)m->message.content));
		put_named(w->b, &w->r->names, "toolName", m->message.tool);
		put_named(w->b, &w->r->names, "toolCallId", m->message.call);
		put_text(w->b, "text", recording_text(w->r, m->text, w->scratch));
	}
	if (m->is_error)
		buf_text(w->b, ",\"isError\":true");
	put_seq(w, "seq", d->seq);
	if (w->rec->part)
		write_node(w, d);
	put_as(w, "time", DM_TIME);
	put_named(w->b, &w->r->names, "entryId", m->entry);
	if (w->rec->part && pick_is(w->v[DM_DATA], JSON_OBJECT))
		put_as(w, "entry", DM_DATA);
}

static void put_landing(struct writing *w, const struct dsh_landing *l)
{
	const struct dsh_log *log = &w->r->dsh.log;
	const struct dsh_row *row = &log->rows.v[l->checkpoint];
	const struct dsh_compaction *c = log->rows.v[l->summary].compaction;
	size_t i;

	buf_text(w->b, "{\"seq\":");
	json_put_num(w->b, (double)row->seq);
	put_text(w->b, "compactionId", names_get(&log->names, c->id));
	put_seq(w, "start", row->start);
	put_seq(w, "end", row->end);
	buf_text(w->b, ",\"shadowedSeqs\":[");
	for (i = 0; i < c->shadowed_n; i++)
		buf_printf(w->b, "%s%lld", i ? "," : "", (long long)c->shadowed[i]);
	buf_char(w->b, ']');
	put_number(w->b, "tier", c->tier);
	if (c->kernel)
		put_text(w->b, "kernelBlockId", names_get(&log->names, c->kernel));
	if (c->topic)
		put_text(w->b, "topic", names_get(&log->names, c->topic));
	buf_char(w->b, '}');
}

static void put_outcome(struct writing *w, const struct compress_record *c)
{
	const struct message_record *result = c->result ? &w->r->messages.v[c->result - 1] : NULL;
	uint32_t i;

	buf_printf(w->b, ",\"outcome\":{\"applied\":%s", c->outcome_applied ? "true" : "false");
	put_number(w->b, "blocksCreated", c->outcome_blocks);
	if (result) {
		put_text(w->b, "text", recording_text(w->r, result->text, w->scratch));
		buf_printf(w->b, ",\"isError\":%s", result->is_error ? "true" : "false");
	}
	buf_text(w->b, ",\"checkpoints\":[");
	for (i = 0; i < c->landed_n; i++) {
		if (i)
			buf_char(w->b, ',');
		put_landing(w, &w->r->dsh.landed.v[c->landed + i]);
	}
	buf_text(w->b, "]}");
}

static void write_compress(struct writing *w)
{
	const struct compress_record *c = &w->r->compressions.v[w->rec->index];
	struct str args = recording_json(w->r, c->args, w->scratch);

	put_text(w->b, "callId", names_get(&w->r->names, c->call));
	if (args.p) {
		buf_text(w->b, ",\"args\":");
		recording_put_raw(w->b, args);
	}
	if (c->has_outcome)
		put_outcome(w, c);
	put_number(w->b, "time", c->time);
}

static void write_turn(struct writing *w)
{
	const struct turn_record *t = &w->r->turns.v[w->rec->index];

	if (t->usage.present) {
		buf_text(w->b, ",\"usage\":{\"input\":");
		json_put_num(w->b, t->usage.input);
		put_number(w->b, "output", t->usage.output);
		put_number(w->b, "cacheRead", t->usage.cache_read);
		put_number(w->b, "cacheWrite", t->usage.cache_write);
		buf_char(w->b, '}');
	}
	put_named(w->b, &w->r->names, "model", t->model);
	if (t->user_turn)
		put_number(w->b, "userTurn", t->user_turn);
	put_number(w->b, "time", t->time);
}

static void write_model(struct writing *w)
{
	put_named(w->b, &w->r->names, "model", w->r->others.v[w->rec->index].name);
	put_as(w, "time", DM_TIME);
}

/* An event as it is; what a row behind the gap has, too. */
static void put_event(struct writing *w, const struct dsh_event_record *e)
{
	put_seq(w, "seq", e->seq);
	put_text(w->b, "name", names_get(&w->r->names, e->name));
	put_as(w, "time", DM_TIME);
	put_as(w, "time0", DM_TIME0);
	put_as(w, "ignorable", DM_IGNORABLE);
	put_as(w, "surfaceOp", DM_SURFACE_OP);
	put_as(w, "cites", DM_CITES);
	put_as(w, "data", DM_DATA);
}

static void write_event(struct writing *w) { put_event(w, &w->r->dsh.events.v[w->rec->index]); }
static void write_beyond(struct writing *w) { put_event(w, &w->r->dsh.beyond.v[w->rec->index]); }

static void (*const writers[RECORD_TYPE_COUNT])(struct writing *w) = {
	[RECORD_MESSAGE] = write_message, [RECORD_COMPRESS] = write_compress, [RECORD_TURN] = write_turn,
	[RECORD_MODEL] = write_model,     [RECORD_EVENT] = write_event,       [RECORD_UNKNOWN] = write_beyond,
};

void dsh_write(struct recording *r, size_t i, struct arena *scratch, struct buf *b)
{
	struct writing w = {.r = r, .rec = &r->records.v[i], .scratch = scratch, .b = b};
	struct json_scan scan = {0};
	bool beyond = w.rec->type == RECORD_UNKNOWN;

	w.line = recording_bytes(r, w.rec, scratch);
	if (w.line.n == w.rec->n && json_scan(w.line.p, w.line.n, &scan) == JSON_OK) {
		pick(w.line.p, &scan, dsh_members, DM_COUNT, w.v, scratch);
		buf_printf(b, "{\"type\":\"%s\"",
			   beyond ? DSH_BEYOND_TYPE : record_type_name((enum record_type)w.rec->type));
		writers[w.rec->type](&w);
		buf_char(b, '}');
	}
	json_scan_free(&scan);
}

void dsh_write_session(struct recording *r, struct arena *scratch, struct buf *b)
{
	const char *name = strrchr(r->source.path, '/');
	struct str header = recording_bytes(r, &r->session, scratch);
	char digest[17];

	fnv_hex(digest, recording_digest(r));
	buf_printf(b, "{\"type\":\"session\",\"version\":%d", RECORDING_VERSION);
	put_text(b, "id", r->id);
	put_text(b, "host", r->host);
	if (r->model.n)
		put_text(b, "model", r->model);
	buf_printf(b, ",\"source\":{\"format\":\"%s\"", r->reader->name);
	put_text(b, "name", str_of(name ? name + 1 : r->source.path));
	put_text(b, "digest", str_of(digest));
	put_number(b, "lines", (double)r->lines);
	put_number(b, "skipped", (double)r->skipped);
	if (r->session.n && header.n == r->session.n) {
		buf_text(b, ",\"header\":");
		recording_put_raw(b, header);
	}
	buf_text(b, "}}");
}
