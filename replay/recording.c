#include "replay/recording.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/fnv.h"
#include "replay/readers/pick.h"
#include "replay/readers/reader.h"
#include "replay/view/text.h"

enum { STEP_BYTES = 1 << 24, WHAT_MAX = 400, QUOTE_COLUMNS = 60, DIGEST_BYTES = 1 << 20 };

static const char *const type_names[RECORD_TYPE_COUNT] = {
	[RECORD_MESSAGE] = "message", [RECORD_COMPRESS] = "compress", [RECORD_TURN] = "turn",
	[RECORD_COMPACT] = "compact", [RECORD_KEEP] = "keep",         [RECORD_DECOMPRESS] = "decompress",
	[RECORD_MODEL] = "model",     [RECORD_RESTART] = "restart",   [RECORD_REWIND] = "rewind",
	[RECORD_PRUNE] = "prune",     [RECORD_STATE] = "state",       [RECORD_EVENT] = "event",
	[RECORD_NOTE] = "note",       [RECORD_UNKNOWN] = "unknown",
};

static const char *const damage_names[DAMAGE_KIND_COUNT] = {
	[DAMAGE_NOT_JSON] = "not-json",
	[DAMAGE_NOT_OBJECT] = "not-object",
	[DAMAGE_TOO_DEEP] = "too-deep",
	[DAMAGE_TOO_LONG] = "too-long",
	[DAMAGE_TORN] = "torn",
	[DAMAGE_BAD_MEMBER] = "bad-member",
	[DAMAGE_DUPLICATE_ID] = "duplicate-id",
	[DAMAGE_SECOND_HEADER] = "second-header",
	[DAMAGE_BROKEN_TREE] = "broken-tree",
	[DAMAGE_NOT_UTF8] = "not-utf8",
	[DAMAGE_GAP] = "gap",
	[DAMAGE_UNKNOWN_EVENT] = "unknown-event",
	[DAMAGE_OTHER] = "other",
};

const char *record_type_name(enum record_type t) { return type_names[t]; }
const char *damage_kind_name(enum damage_kind k) { return damage_names[k]; }

uint64_t recording_damages(const struct recording *r)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < DAMAGE_KIND_COUNT; i++)
		sum += r->damage_count[i];
	return sum;
}

void recording_damage(struct recording *r, enum damage_kind kind, uint64_t line, uint64_t byte, const char *format, ...)
{
	char what[WHAT_MAX];
	va_list args;
	int n;

	r->damage_count[kind]++;
	if (r->damages.n >= DAMAGE_KEPT_MAX)
		return;
	va_start(args, format);
	n = vsnprintf(what, sizeof what, format, args);
	va_end(args);
	vec_push(&r->damages, (struct damage){kind, line, byte, arena_copy(&r->arena, what, n > 0 ? strlen(what) : 0)});
}

void recording_note(struct recording *r, const char *format, ...)
{
	char what[WHAT_MAX];
	va_list args;
	int n;

	if (r->notes.n >= NOTES_MAX)
		return;
	va_start(args, format);
	n = vsnprintf(what, sizeof what, format, args);
	va_end(args);
	if (n > 0)
		vec_push(&r->notes, (struct str){arena_copy(&r->arena, what, strlen(what)), strlen(what)});
}

void recording_fail(struct recording *r, enum status st, uint64_t line, uint64_t byte, const char *format, ...)
{
	struct error *e = &r->loader->error;
	va_list args;

	if (r->loader->status != STATUS_OK)
		return;
	r->loader->status = st;
	va_start(args, format);
	vsnprintf(e->message, sizeof e->message, format, args);
	va_end(args);
	e->line = line;
	e->byte = byte;
}

/* Message r->messages.n carries the host's message of this entry, unless an earlier one does. */
static void index_entry(struct recording *r, uint32_t entry)
{
	vec_fill(&r->by_entry, (size_t)entry + 1);
	if (entry != 0 && r->by_entry.v[entry] == 0)
		r->by_entry.v[entry] = (uint32_t)r->messages.n + 1;
}

/* An entry is known by its own name, and by what the ids of its rows begin with (pi.md 3.4). */
static void index_host_message(struct recording *r, const struct message_record *m)
{
	struct str id = names_get(&r->names, m->message.id);

	if (m->host.place == SPAN_ABSENT)
		return;
	index_entry(r, m->entry);
	index_entry(r, names_add(&r->names, str_cut(id, 0, str_find(id, STR("#"), 0))));
}

enum { SEEN_ONCE = 1, SEEN_REPORTED = 2 };

void recording_add_row(struct recording *r, struct record rec, struct message_record m)
{
	uint32_t id = m.message.id;
	struct str name = names_get(&r->names, id);
	uint8_t *seen;

	m.message.summary_id = str_starts(name, STR(SUMMARY_ID_PREFIX));
	vec_fill(&r->loader->row_ids, (size_t)id + 1);
	seen = &r->loader->row_ids.v[id];
	if (!m.rowless && *seen == SEEN_ONCE)
		recording_damage(r, DAMAGE_DUPLICATE_ID, rec.line, rec.at, "a second row with the id %s; it is kept",
				 recording_quote(&r->loader->scratch, name));
	else if (!m.rowless && *seen == SEEN_REPORTED)
		r->damage_count[DAMAGE_DUPLICATE_ID]++; /* reported once an id, counted every time */
	if (!m.rowless && *seen < SEEN_REPORTED)
		*seen = (uint8_t)(*seen + 1);
	rec.type = RECORD_MESSAGE;
	rec.index = (uint32_t)r->messages.n;
	m.record = (uint32_t)r->records.n;
	index_host_message(r, &m);
	vec_push(&r->messages, m);
	vec_push(&r->records, rec);
}

const char *recording_quote(struct arena *scratch, struct str s)
{
	struct str shown = text_clip(s, QUOTE_COLUMNS, false, NULL);
	struct buf b = {0};
	const char *copy;

	text_put_safe(&b, shown, false);
	if (shown.n < s.n)
		buf_text(&b, "...");
	copy = arena_copy(scratch, buf_view(&b).p, b.n);
	buf_free(&b);
	return copy;
}

bool recording_failed(const struct recording *r, uint32_t stop_reason)
{
	struct str s = names_get(&r->names, stop_reason);

	return str_eq(s, STR("error")) || str_eq(s, STR("aborted"));
}

/*
 * The texts the traits look for are printable ASCII without '"', '\\' and '/': unless written as a \u escape, they
 * stand in the literal as they are.
 */
struct face recording_face(const char *s, struct json_span literal, struct arena *scratch)
{
	struct str inner = {s + literal.at + 1, literal.n - 2};
	struct face f = {{0, 0}, 0};

	if (literal.hex)
		return face_of(json_decode(scratch, s, literal));
	f.size = json_measure(s, literal);
	if (inner.n == 0)
		return f;
	if (str_starts(inner, STR(SUMMARY_HEADER)))
		f.traits |= TRAIT_HEADER;
	if (str_starts(inner, STR("<acp ")))
		f.traits |= TRAIT_TAG;
	if (str_find(inner, STR("```"), 0) != SIZE_MAX)
		f.traits |= TRAIT_FENCE;
	if (str_find(inner, STR(TRUNCATION_MARKER), 0) != SIZE_MAX)
		f.traits |= TRAIT_TRUNCATED;
	return f;
}

struct span recording_span(const struct source_line *line, struct json_span value)
{
	struct span s = {.at = line->at + value.at, .n = (uint32_t)value.n, .place = SPAN_JSON};

	if (value.n == 0)
		return (struct span){.place = SPAN_ABSENT};
	if (value.kind == JSON_STRING) {
		s.place = SPAN_LITERAL;
		s.plain = value.plain;
	}
	return s;
}

struct str recording_bytes(const struct recording *r, const struct record *rec, struct arena *scratch)
{
	return source_read(&r->source, rec->at, rec->n, scratch);
}

struct str recording_json(const struct recording *r, struct span s, struct arena *a)
{
	if (s.place != SPAN_JSON && s.place != SPAN_LITERAL)
		return (struct str){0};
	return source_read(&r->source, s.at, s.n, a);
}

struct str recording_text(const struct recording *r, struct span s, struct arena *a)
{
	struct str bytes;

	if (s.place == SPAN_MEMORY)
		return (struct str){s.p, s.n};
	bytes = recording_json(r, s, a);
	if (bytes.n < s.n && s.place != SPAN_ABSENT && source_changed(&r->source))
		return STR(RECORDING_CHANGED_TEXT);
	if (s.place != SPAN_LITERAL)
		return bytes;
	if (bytes.n != s.n || bytes.n < 2)
		return STR("");
	return json_decode(a, bytes.p, (struct json_span){.n = bytes.n, .kind = JSON_STRING, .plain = s.plain});
}

static struct str message_text(void *owner, uint32_t index, struct arena *scratch)
{
	const struct recording *r = owner;

	return recording_text(r, r->messages.v[index].text, scratch);
}

struct str recording_entry_named(const struct recording *r, uint32_t entry, struct arena *a)
{
	uint32_t message = entry < r->by_entry.n ? r->by_entry.v[entry] : 0;
	struct str json = message ? recording_json(r, r->messages.v[message - 1].host, a) : (struct str){0};

	/* a file that was cut meanwhile has no such message any more */
	return message && json.n == r->messages.v[message - 1].host.n ? json : (struct str){0};
}

struct str recording_entry(const struct recording *r, uint32_t message, struct arena *a)
{
	const struct message_record *m = &r->messages.v[message];

	if (m->host.place == SPAN_ABSENT)
		return recording_entry_named(r, m->entry, a);
	return recording_json(r, m->host, a);
}

struct texts recording_texts(struct recording *r) { return (struct texts){message_text, r}; }

uint64_t recording_digest(const struct recording *r)
{
	struct arena scratch = {0};
	uint64_t h = FNV_START, at;
	struct str piece;

	if (r->source.is_unpacked)
		return r->source.packed_digest;
	for (at = 0; at < r->source.size; at += piece.n) {
		struct arena_mark mark = arena_mark(&scratch);

		piece = source_read(&r->source, at, DIGEST_BYTES, &scratch);
		if (piece.n == 0)
			break;
		h = fnv_bytes(h, piece.p, piece.n);
		arena_release(&scratch, mark);
	}
	arena_free(&scratch);
	return h;
}

/* --- loading --- */

static const struct reader *surest_reader(const struct sniff *s)
{
	const struct reader *best = NULL;
	int sure = 0;
	size_t i;

	for (i = 0; readers[i]; i++) {
		int x = s->pretty ? 0 : readers[i]->sniff(s);

		if (x > sure) {
			sure = x;
			best = readers[i];
		}
	}
	return best;
}

static enum status refuse(const struct recording *r, const struct sniff *s, struct error *e)
{
	const char *looks = sniff_known(s);

	if (r->source.size == 0)
		return error_set(e, STATUS_DATA,
				 r->source.is_unpacked ? "is compressed with zstd, and no line of it can be unpacked"
						       : "is empty");
	if (looks)
		return error_set(e, STATUS_DATA, "looks like %s; there is no reader for that yet", looks);
	if (s->first.there)
		return error_set(e, STATUS_DATA, "is JSON, but no session in a known format");
	return error_set(e, STATUS_DATA, "is no session in a known format");
}

static enum status unknown_format(const char *from, struct error *e)
{
	struct buf names = {0};
	struct arena scratch = {0};
	enum status st;
	size_t i;

	for (i = 0; readers[i]; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", readers[i]->name);
	st = error_set(e, STATUS_USAGE, "no format '%s'; there are: %s", recording_quote(&scratch, str_of(from)),
		       names.p);
	buf_free(&names);
	arena_free(&scratch);
	return st;
}

static enum status choose_reader(struct recording *r, const char *from, struct error *e)
{
	struct loader *l = r->loader;
	struct sniff s;

	sniff_source(&s, &r->source, &l->scratch);
	arena_free(&l->scratch);
	r->reader = from ? reader_find(from) : surest_reader(&s);
	if (!r->reader)
		return from ? unknown_format(from, e) : refuse(r, &s, e);
	if (r->source.size == 0)
		return refuse(r, &s, e);
	if (s.bom)
		recording_note(r, "a byte order mark at the start of the file was passed over");
	return STATUS_OK;
}

static void end_loading(struct recording *r)
{
	struct loader *l = r->loader;

	if (!l)
		return;
	if (l->begun)
		r->reader->end(r);
	unpack_free(&l->unpack);
	line_walker_free(&l->walker);
	json_scan_free(&l->scan);
	vec_free(&l->row_ids);
	arena_free(&l->scratch);
	free(l);
	r->loader = NULL;
}

enum status recording_open_branch(struct recording *r, const char *path, const char *from, const char *branch,
				  struct error *e)
{
	enum status st;

	*r = (struct recording){.context_limit = NAN, .system_tokens = NAN, .render_tags = STR("all")};
	names_init(&r->names);
	st = source_open_waiting(&r->source, path, e);
	if (st == STATUS_OK) {
		r->loader = mem_alloc(sizeof *r->loader);
		*r->loader = (struct loader){.status = STATUS_OK, .unpack.packed.fd = -1};
		st = recording_begin_unpacking(r, e);
	}
	if (st == STATUS_OK)
		st = choose_reader(r, from, e);
	if (st == STATUS_OK && branch && !r->reader->foreign)
		st = error_set(e, STATUS_USAGE, "is a recording, which has no branches");
	if (st != STATUS_OK) {
		recording_free(r);
		return st;
	}
	if (branch)
		r->branch = names_add(&r->names, str_of(branch));
	line_walker_init(&r->loader->walker, &r->source);
	r->reader->begin(r);
	r->loader->begun = true;
	return STATUS_OK;
}

enum status recording_open(struct recording *r, const char *path, const char *from, struct error *e)
{
	return recording_open_branch(r, path, from, NULL, e);
}

static void report_line(struct recording *r, const struct source_line *line, enum json_status st)
{
	const struct json_scan *scan = &r->loader->scan;
	enum damage_kind kind = st == JSON_TOO_DEEP ? DAMAGE_TOO_DEEP : DAMAGE_NOT_JSON;
	uint64_t byte = line->at + scan->at;

	r->skipped++;
	if (line->torn && st == JSON_TORN)
		recording_damage(r, DAMAGE_TORN, line->number, byte, "the last line is not complete");
	else if (kind == DAMAGE_TOO_DEEP)
		recording_damage(r, kind, line->number, byte, "nested deeper than %d levels", (int)JSON_DEPTH_MAX);
	else
		recording_damage(r, kind, line->number, byte, "%s", scan->problem);
}

/* Reports the first byte of a line that is no UTF-8; the line is read all the same (ruling 18). */
static void check_utf8(struct recording *r, const struct source_line *line)
{
	size_t valid = text_utf8((struct str){line->p, line->n});

	if (valid < line->n)
		recording_damage(r, DAMAGE_NOT_UTF8, line->number, line->at + valid,
				 "not UTF-8; read as U+FFFD, here and in the rest of the line");
}

static bool is_blank(const struct source_line *line)
{
	size_t i;

	for (i = 0; i < line->n; i++)
		if (!pick_is_space(line->p[i]))
			return false;
	return true;
}

static void take_line(struct recording *r, struct source_line *line)
{
	struct loader *l = r->loader;
	struct arena_mark mark = arena_mark(&l->scratch);
	enum json_status st;

	r->lines = line->number;
	if (line->number == 1 && str_starts((struct str){line->p, line->n}, STR("\xEF\xBB\xBF"))) {
		line->p += 3;
		line->n -= 3;
		line->at += 3;
	}
	if (is_blank(line))
		return;
	if (line->cut) {
		r->skipped++;
		recording_damage(r, DAMAGE_TOO_LONG, line->number, line->at, "longer than %zu bytes", l->walker.max);
		return;
	}
	st = json_scan(line->p, line->n, &l->scan);
	if (st != JSON_OK) {
		report_line(r, line, st);
	} else if (l->scan.value.kind != JSON_OBJECT) {
		r->skipped++;
		recording_damage(r, DAMAGE_NOT_OBJECT, line->number, line->at + l->scan.value.at,
				 "JSON, but not an object");
	} else {
		l->objects++;
		check_utf8(r, line);
		r->reader->line(r, line, &l->scan);
		arena_release(&l->scratch, mark);
	}
}

/* False when every line was taken. */
static bool take_lines(struct recording *r, size_t budget)
{
	struct loader *l = r->loader;
	struct source_line line;
	uint64_t until = l->walker.at + budget;

	while (l->status == STATUS_OK && l->walker.at < until) {
		if (!line_walker_next(&l->walker, &line))
			return false;
		take_line(r, &line);
	}
	return true;
}

bool recording_load_step(struct recording *r, size_t budget, enum status *st, struct error *e)
{
	struct loader *l = r->loader;
	bool more;

	*st = STATUS_OK;
	if (!l)
		return false;
	if (l->unpacking) {
		if (recording_unpack(r, budget, st, e) || *st == STATUS_OK)
			return true;
		if (e)
			snprintf(e->file, sizeof e->file, "%s", r->source.path);
		recording_free(r);
		return false;
	}
	if (!l->finishing) {
		more = take_lines(r, budget);
		if (more && l->status == STATUS_OK)
			return true;
		l->finishing = true;
		if (l->status == STATUS_OK && l->walker.at < r->source.size)
			recording_damage(r, DAMAGE_OTHER, r->lines, l->walker.at, "the file was cut while it was read");
		if (l->objects == 0)
			recording_fail(r, STATUS_DATA, 0, 0, "holds no line that is a JSON object");
		if (r->source.fd >= 0) /* the reader may want its memory for the same lines again */
			line_walker_free(&l->walker);
	}
	if (l->status == STATUS_OK && r->reader->finish) {
		struct arena_mark mark = arena_mark(&l->scratch);

		more = r->reader->finish(r, budget);
		arena_release(&l->scratch, mark);
		if (more && l->status == STATUS_OK)
			return true;
	}
	*st = l->status;
	if (*st != STATUS_OK && e) {
		*e = l->error;
		snprintf(e->file, sizeof e->file, "%s", r->source.path);
	}
	if (*st == STATUS_OK)
		end_loading(r);
	else
		recording_free(r);
	return false;
}

double recording_progress(const struct recording *r)
{
	const struct loader *l = r->loader;
	double share, parts = 1;

	if (!l || r->source.size == 0)
		return 1;
	share = l->finishing ? 1 : (double)l->walker.at / (double)r->source.size;
	if (r->reader->finish) {
		share += l->finish_progress;
		parts++;
	}
	if (r->source.is_unpacked) {
		share += l->unpacking ? unpack_progress(&l->unpack) : 1;
		parts++;
	}
	return share / parts;
}

enum status recording_load(struct recording *r, const char *path, const char *from, struct error *e)
{
	enum status st = recording_open(r, path, from, e);

	while (st == STATUS_OK && recording_load_step(r, STEP_BYTES, &st, e))
		;
	return st;
}

void recording_free(struct recording *r)
{
	end_loading(r);
	vec_free(&r->records);
	vec_free(&r->messages);
	vec_free(&r->by_entry);
	vec_free(&r->compressions);
	vec_free(&r->turns);
	vec_free(&r->others);
	vec_free(&r->damages);
	vec_free(&r->notes);
	vec_free(&r->branches);
	vec_free(&r->dsh.row_of);
	vec_free(&r->dsh.message_of);
	vec_free(&r->dsh.events);
	vec_free(&r->dsh.beyond);
	vec_free(&r->dsh.landed);
	dsh_log_free(&r->dsh.log);
	names_free(&r->names);
	arena_free(&r->arena);
	source_close(&r->source);
	*r = (struct recording){.source.fd = -1};
}
