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

enum status recording_write(struct recording *r, struct recording_writer out, struct error *e)
{
	struct arena scratch = {0};
	struct buf b = {0};
	bool fine;
	size_t i;

	r->reader->write_session(r, &scratch, &b);
	fine = end_line(&b, 0);
	for (i = 0; fine && i < r->records.n; i++) {
		struct arena_mark mark = arena_mark(&scratch);
		size_t from = b.n;

		r->reader->write(r, i, &scratch, &b);
		fine = end_line(&b, from);
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
