#include <math.h>

#include "engine/base/fnv.h"
#include "replay/readers/pi.h"
#include "replay/readers/put.h"

/* One record being written. */
struct writing {
	struct recording *r;
	const struct record *rec;
	size_t number;
	struct arena *scratch;
	struct buf *b;
	struct str line;       /* the entry's own */
	struct json_scan scan; /* of it */
};

/* A member of the entry as it is. */
static void put_verbatim(struct writing *w, const char *member)
{
	const struct json_span *v = json_member(w->line.p, &w->scan, member);

	if (!v)
		return;
	buf_printf(w->b, ",\"%s\":", member);
	recording_put_raw(w->b, (struct str){w->line.p + v->at, v->n});
}

/* The host's own message as the reader took it: by the entry's type, not by a member that happens to be there. */
static void put_entry(struct writing *w, const struct message_record *m)
{
	buf_text(w->b, ",\"entry\":");
	recording_put_raw(w->b, recording_json(w->r, m->host, w->scratch));
}

static void write_message(struct writing *w)
{
	const struct message_record *m = &w->r->messages.v[w->rec->index];

	if (m->rowless)
		buf_text(w->b, ",\"rows\":0");
	put_text(w->b, "id", names_get(&w->r->names, m->message.id));
	if (!m->rowless) {
		put_text(w->b, "role", role_name((enum role)m->message.role));
		put_text(w->b, "contentType", content_name((enum content)m->message.content));
		put_named(w->b, &w->r->names, "toolName", m->message.tool);
		put_named(w->b, &w->r->names, "toolCallId", m->message.call);
		put_text(w->b, "text", recording_text(w->r, m->text, w->scratch));
		if (m->is_error)
			buf_text(w->b, ",\"isError\":true");
	}
	put_named(w->b, &w->r->names, "entryId", m->entry);
	if (w->rec->part)
		put_entry(w, m);
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
	if (c->has_outcome) {
		const struct message_record *result = &w->r->messages.v[w->r->records.v[w->number + 1].index];

		buf_printf(w->b, ",\"outcome\":{\"applied\":%s", c->outcome_applied ? "true" : "false");
		put_number(w->b, "blocksCreated", c->outcome_blocks);
		put_text(w->b, "text", recording_text(w->r, result->text, w->scratch));
		buf_printf(w->b, ",\"isError\":%s}", result->is_error ? "true" : "false");
	}
	put_number(w->b, "time", c->time);
}

static void write_turn(struct writing *w)
{
	const struct turn_record *t = &w->r->turns.v[w->rec->index];

	if (t->usage.present) {
		buf_text(w->b, ",\"usage\":{\"totalTokens\":");
		json_put_num(w->b, t->usage.total);
		put_number(w->b, "input", t->usage.input);
		put_number(w->b, "output", t->usage.output);
		put_number(w->b, "cacheRead", t->usage.cache_read);
		put_number(w->b, "cacheWrite", t->usage.cache_write);
		if (t->usage.cost > 0) {
			buf_text(w->b, ",\"cost\":{\"total\":");
			json_put_num(w->b, t->usage.cost);
			buf_char(w->b, '}');
		}
		buf_char(w->b, '}');
	}
	put_named(w->b, &w->r->names, "model", t->model);
	put_named(w->b, &w->r->names, "stopReason", t->stop_reason);
	if (t->user_turn)
		put_number(w->b, "userTurn", t->user_turn);
	put_number(w->b, "time", t->time);
}

static void write_keep(struct writing *w)
{
	uint32_t from = w->r->others.v[w->rec->index].name;

	if (from)
		put_named(w->b, &w->r->names, "from", from);
	else
		buf_text(w->b, ",\"from\":null");
	put_verbatim(w, "summary");
	put_verbatim(w, "tokensBefore");
	put_verbatim(w, "fromHook");
	put_verbatim(w, "retainedTail"); /* no row comes of it, but Pi sends it */
}

static void write_model(struct writing *w)
{
	put_named(w->b, &w->r->names, "model", w->r->others.v[w->rec->index].name);
	put_verbatim(w, "provider");
}

static void (*const writers[RECORD_TYPE_COUNT])(struct writing *w) = {
	[RECORD_MESSAGE] = write_message, [RECORD_COMPRESS] = write_compress, [RECORD_TURN] = write_turn,
	[RECORD_KEEP] = write_keep,       [RECORD_MODEL] = write_model,
};

/* Does a record of this kind repeat something of its line? */
static bool needs_line(const struct record *rec)
{
	return rec->type == RECORD_KEEP || rec->type == RECORD_MODEL || rec->part;
}

void pi_write(struct recording *r, size_t i, struct arena *scratch, struct buf *b)
{
	struct writing w = {.r = r, .rec = &r->records.v[i], .number = i, .scratch = scratch, .b = b};
	bool fine = true;

	if (needs_line(w.rec)) {
		w.line = recording_bytes(r, w.rec, scratch);
		fine = w.line.n == w.rec->n && json_scan(w.line.p, w.line.n, &w.scan) == JSON_OK;
	}
	if (fine) {
		buf_printf(b, "{\"type\":\"%s\"", record_type_name((enum record_type)w.rec->type));
		writers[w.rec->type](&w);
		buf_char(b, '}');
	}
	json_scan_free(&w.scan);
}

void pi_write_session(struct recording *r, struct arena *scratch, struct buf *b)
{
	const char *name = strrchr(r->source.path, '/');
	char digest[17];

	(void)scratch;
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
	put_named(b, &r->names, "branch", r->branch);
	buf_text(b, "}}");
}
