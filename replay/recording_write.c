#include "replay/recording.h"

#include "replay/readers/pick.h"
#include "replay/readers/reader.h"

enum { WRITE_BYTES = 1 << 16, FEW_MEMBERS = 16 };

/* The end of the string literal that begins at p. */
static const char *literal_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		if (*p == '\\')
			p++;
	return p < end ? p + 1 : end;
}

void recording_put_raw(struct buf *b, struct str json)
{
	if (json.n == 0)
		return;
	const char *p = json.p, *end = json.p + json.n, *from = p;

	while (p < end) {
		if (*p == '"') {
			p = literal_end(p, end);
		} else if (pick_is_space(*p)) {
			buf_bytes(b, from, (size_t)(p - from));
			from = ++p;
		} else {
			p++;
		}
	}
	buf_bytes(b, from, (size_t)(end - from));
}

/* A name as it is written out: the member that gives its place and its bytes, and the one that gives its value. */
struct slot {
	size_t key, value;
};

struct slots {
	VEC(struct slot) list;
};

static bool same_key(const char *s, const struct json_scan *scan, size_t a, size_t b, struct arena *scratch)
{
	return str_eq(json_decode(scratch, s, scan->members.v[a].key), json_decode(scratch, s, scan->members.v[b].key));
}

/* A few members: pair by pair. */
static void order_few(const char *s, const struct json_scan *scan, struct slots *out, struct arena *scratch)
{
	size_t i, k;

	for (i = 0; i < scan->members.n; i++) {
		for (k = 0; k < out->list.n && !same_key(s, scan, out->list.v[k].key, i, scratch); k++)
			;
		if (k < out->list.n)
			out->list.v[k].value = i;
		else
			vec_push(&out->list, (struct slot){i, i});
	}
}

/* Any number of members: names are numbered in order of first sight, the empty one is number 0. */
static void order_many(const char *s, const struct json_scan *scan, struct slots *out, struct arena *scratch)
{
	struct names names;
	VEC(size_t) slot_of = {0}; /* by name: index in out + 1 */
	size_t i;

	names_init(&names);
	for (i = 0; i < scan->members.n; i++) {
		uint32_t name = names_add(&names, json_decode(scratch, s, scan->members.v[i].key));

		vec_fill(&slot_of, (size_t)name + 1);
		if (slot_of.v[name]) {
			out->list.v[slot_of.v[name] - 1].value = i;
		} else {
			vec_push(&out->list, (struct slot){i, i});
			slot_of.v[name] = out->list.n;
		}
	}
	vec_free(&slot_of);
	names_free(&names);
}

/* The members of a scanned object with their raw bytes; of a repeated name the last value, in the place of the first.
 */
static void put_members(struct buf *b, const char *s, const struct json_scan *scan, struct arena *scratch)
{
	struct slots order = {0};
	size_t i;

	if (scan->members.n <= FEW_MEMBERS)
		order_few(s, scan, &order, scratch);
	else
		order_many(s, scan, &order, scratch);
	buf_char(b, '{');
	for (i = 0; i < order.list.n; i++) {
		struct json_span key = scan->members.v[order.list.v[i].key].key;
		struct json_span value = scan->members.v[order.list.v[i].value].value;

		if (i)
			buf_char(b, ',');
		buf_bytes(b, s + key.at, key.n);
		buf_char(b, ':');
		recording_put_raw(b, (struct str){s + value.at, value.n});
	}
	buf_char(b, '}');
	vec_free(&order.list);
}

bool recording_put_record(const struct recording *r, const struct record *rec, struct arena *scratch, struct buf *b)
{
	struct str bytes = recording_bytes(r, rec, scratch);
	struct json_scan scan = {0};
	bool fine =
		bytes.n == rec->n && json_scan(bytes.p, bytes.n, &scan) == JSON_OK && scan.value.kind == JSON_OBJECT;

	if (fine)
		put_members(b, bytes.p, &scan, scratch);
	json_scan_free(&scan);
	return fine;
}

static void flush(struct buf *b, struct recording_writer out)
{
	if (b->n)
		out.put(out.ctx, b->p, b->n);
	buf_cut(b, 0);
}

/* One line was appended at `from`, or nothing when the source could not be read any more. */
static bool end_line(struct buf *b, size_t from)
{
	if (b->n == from)
		return false;
	buf_char(b, '\n');
	return true;
}

/* The object that stands at `from` without the members `left_out` (names with their quotes; up to a NULL). */
static bool leave_out(struct buf *b, size_t from, const char *const *left_out)
{
	struct str line = str_cut(buf_view(b), from, b->n);
	struct json_scan scan = {0};
	struct buf own = {0};
	bool fine = json_scan(line.p, line.n, &scan) == JSON_OK;

	buf_char(&own, '{');
	for (size_t i = 0; fine && i < scan.members.n; i++) {
		struct json_span key = scan.members.v[i].key, value = scan.members.v[i].value;
		struct str name = {line.p + key.at, key.n};
		const char *const *out = left_out;

		while (*out && !str_eq(name, str_of(*out)))
			out++;
		if (*out)
			continue;
		if (own.n > 1)
			buf_char(&own, ',');
		buf_str(&own, name);
		buf_char(&own, ':');
		buf_bytes(&own, line.p + value.at, value.n);
	}
	buf_char(&own, '}');
	json_scan_free(&scan);
	buf_cut(b, from);
	if (fine)
		buf_str(b, buf_view(&own));
	buf_free(&own);
	return fine;
}

/* Appends a member to the object that b ends with. */
static void add_member(struct buf *b, const char *name, struct str value)
{
	buf_cut(b, b->n - 1);
	if (b->p[b->n - 1] != '{')
		buf_char(b, ',');
	buf_text(b, name);
	buf_char(b, ':');
	recording_put_raw(b, value);
}

/* The line of a compress record with other arguments, in place of the one that stands at `from`; no outcome. */
static bool replace_args(struct buf *b, size_t from, struct str args)
{
	static const char *const replaced[] = {"\"args\"", "\"outcome\"", NULL};

	if (!leave_out(b, from, replaced))
		return false;
	add_member(b, replaced[0], args);
	buf_char(b, '}');
	return true;
}

static bool takes_away(const struct recording *r, const struct recording_edit *edit)
{
	return edit->record < r->records.n || edit->to > 0 || edit->from > 0;
}

/* Left out of a part: what is behind it, and what its state has taken in already. */
static bool is_cut(const struct recording *r, size_t i, const struct recording_edit *edit)
{
	static const bool in_state[RECORD_TYPE_COUNT] = {
		[RECORD_COMPRESS] = true, [RECORD_TURN] = true, [RECORD_DECOMPRESS] = true, [RECORD_STATE] = true};

	return (edit->to > 0 && i >= edit->to) || (i < edit->from && in_state[r->records.v[i].type]);
}

/* The session line that stands in b: what was expected of the whole is not true of an edited one. */
static bool edit_session(struct buf *b, struct str state)
{
	static const char *const expectation[] = {"\"expect\"", NULL}, *const both[] = {"\"expect\"", "\"state\"",
											NULL};

	if (!leave_out(b, 0, state.n > 0 ? both : expectation))
		return false;
	if (state.n == 0)
		return true;
	add_member(b, both[1], state);
	buf_char(b, '}');
	return true;
}

/* Record i as a line, or nothing where the edit takes it away; false when the source could not be read any more. */
static bool put_line(struct recording *r, size_t i, const struct recording_edit *edit, struct arena *scratch,
		     struct buf *b)
{
	size_t from = b->n;
	bool mine = edit && edit->record == i;

	if ((mine && !edit->args.p) || (edit && is_cut(r, i, edit)))
		return true;
	r->reader->write(r, i, scratch, b);
	if (mine && b->n > from && !replace_args(b, from, edit->args))
		return false;
	return end_line(b, from);
}

size_t recording_call_record(const struct recording *r, uint32_t call)
{
	size_t i = 0;

	while (i < r->records.n && (r->records.v[i].type != RECORD_COMPRESS || r->records.v[i].index != call))
		i++;
	return i;
}

enum status recording_write_edited(struct recording *r, const struct recording_edit *edit, struct recording_writer out,
				   struct error *e)
{
	struct arena scratch = {0};
	struct buf b = {0};
	bool fine;
	size_t i;

	r->reader->write_session(r, &scratch, &b);
	fine = (!edit || !takes_away(r, edit) || edit_session(&b, edit->state)) && end_line(&b, 0);
	for (i = 0; fine && i < r->records.n; i++) {
		struct arena_mark mark = arena_mark(&scratch);

		fine = put_line(r, i, edit, &scratch, &b);
		arena_release(&scratch, mark);
		if (b.n >= WRITE_BYTES)
			flush(&b, out);
	}
	for (i = 0; fine && r->reader->foreign && i < r->notes.n; i++) {
		buf_text(&b, "{\"type\":\"note\",\"text\":");
		json_put_str(&b, r->notes.v[i]);
		buf_text(&b, "}\n");
	}
	fine = fine && !source_changed(&r->source);
	if (fine)
		flush(&b, out);
	buf_free(&b);
	arena_free(&scratch);
	return fine ? STATUS_OK : error_set(e, STATUS_IO, "the file changed while it was being converted");
}

enum status recording_write(struct recording *r, struct recording_writer out, struct error *e)
{
	return recording_write_edited(r, NULL, out, e);
}
