#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "engine/host/dsh_surface.h"
#include "engine/host/dsh_text.h"
#include "replay/readers/reader.h"
#include "tests/case_file.h"
#include "tests/session_check.h"

static struct str member(const cJSON *object, const char *name) { return json_str(json_get(object, name)); }

static void expect_name(const cJSON *one, struct recording *r, uint32_t got, const cJSON *want, const char *name)
{
	if (json_get(want, name))
		case_expect_text(one, name, names_get(&r->names, got), member(want, name));
}

static void expect_number(const cJSON *one, double got, const cJSON *want, const char *name)
{
	double x;

	if (json_num(json_get(want, name), &x) && got != x)
		case_fail(one, "%s is %.17g, want %.17g", name, got, x);
}

/* The bytes and the tree are the same value; null = absent. */
static void expect_json(const cJSON *one, const char *what, struct str got, const cJSON *want)
{
	struct arena scratch = {0};
	struct buf a = {0}, b = {0};

	json_put_span(&a, &scratch, got.p ? got : STR("null"));
	json_put(&b, want);
	case_expect_text(one, what, buf_view(&a), buf_view(&b));
	buf_free(&a);
	buf_free(&b);
	arena_free(&scratch);
}

/* --- one record against its description --- */

static void check_op(const cJSON *one, const struct dsh_row *d, const cJSON *want)
{
	static const char *const words[] = {[DSH_NO_OP] = "none", [DSH_APPEND] = "append", [DSH_BAD_OP] = "bad"};

	if (cJSON_IsArray(want)) {
		case_expect_count(one, "op", d->op, DSH_REPLACE);
		case_expect_count(one, "start", (size_t)d->start, (size_t)want->child->valuedouble);
		case_expect_count(one, "end", (size_t)d->end, (size_t)want->child->next->valuedouble);
		return;
	}
	if (d->op == DSH_REPLACE)
		case_fail(one, "the op is a replace");
	case_expect_text(one, "op", str_of(words[d->op]), json_str(want));
}

/* The cited seqs, expanded. */
static void check_cites(const cJSON *one, const struct dsh_row *d, const cJSON *want)
{
	const cJSON *next = want ? want->child : NULL;
	uint32_t i;

	for (i = 0; i < d->cites_n; i++) {
		int64_t seq;

		for (seq = d->cites[i].first; seq <= d->cites[i].last; seq++) {
			if (!next || next->valuedouble != (double)seq)
				case_fail(one, "seq %lld cites %lld", (long long)d->seq, (long long)seq);
			next = next->next;
		}
	}
	if (next)
		case_fail(one, "seq %lld does not cite %g", (long long)d->seq, next->valuedouble);
}

static void check_node(const cJSON *one, struct recording *r, size_t i, const cJSON *want)
{
	const cJSON *node = json_get(want, "node");
	uint32_t row = r->dsh.row_of.v[i];
	const struct dsh_row *d;
	struct arena scratch = {0};

	if (row == DSH_NONE)
		case_fail(one, "message %zu is no node", i);
	d = &r->dsh.log.rows.v[row];
	expect_number(one, (double)d->seq, want, "seq");
	case_expect_count(one, "first message of a node", r->dsh.message_of.v[row] == i, node != NULL);
	if (node) {
		case_expect_text(one, "type of a row", str_of(dsh_type_name((enum dsh_type)d->type)),
				 member(node, "type"));
		check_op(one, d, json_get(node, "op"));
		check_cites(one, d, json_get(node, "cites"));
		expect_json(one, "entry", recording_json(r, r->messages.v[i].host, &scratch), json_get(want, "entry"));
	}
	arena_free(&scratch);
}

static void check_message(const cJSON *one, struct recording *r, size_t i, const cJSON *want)
{
	const struct message_record *m = &r->messages.v[i];
	struct arena scratch = {0};
	struct str text = recording_text(r, m->text, &scratch);
	struct face face = face_of(text);

	expect_name(one, r, m->message.id, want, "id");
	case_expect_count(one, "rows is 0", m->rowless, json_get(want, "rows") != NULL);
	if (!m->rowless) {
		case_expect_text(one, "role", role_name((enum role)m->message.role), member(want, "role"));
		case_expect_text(one, "type", content_name((enum content)m->message.content),
				 member(want, "contentType"));
		case_expect_text(one, "text", text, member(want, "text"));
		expect_name(one, r, m->message.tool, want, "toolName");
		expect_name(one, r, m->message.call, want, "toolCallId");
		case_expect_count(one, "isError", m->is_error, cJSON_IsTrue(json_get(want, "isError")) != 0);
	}
	case_expect_count(one, "units", m->message.face.size.units, face.size.units);
	case_expect_count(one, "traits", m->message.face.traits, face.traits);
	check_node(one, r, i, want);
	arena_free(&scratch);
}

static void check_turn(const cJSON *one, struct recording *r, size_t i, const cJSON *want)
{
	const struct turn_record *t = &r->turns.v[i];
	const cJSON *usage = json_get(want, "usage");

	if (t->usage.present != cJSON_IsObject(usage))
		case_fail(one, "usage is %s", t->usage.present ? "there" : "not there");
	expect_number(one, t->usage.input, usage, "input");
	expect_number(one, t->usage.output, usage, "output");
	expect_number(one, t->usage.cache_read, usage, "cacheRead");
	expect_number(one, t->usage.cache_write, usage, "cacheWrite");
	expect_name(one, r, t->model, want, "model");
	expect_number(one, t->user_turn, want, "userTurn");
	expect_number(one, t->window, want, "window");
	expect_number(one, t->time, want, "time");
	if (!isnan(t->token_count))
		case_fail(one, "there is a token count");
}

static void check_landing(const cJSON *one, struct recording *r, const struct dsh_landing *l, const cJSON *want)
{
	const struct dsh_log *log = &r->dsh.log;
	const struct dsh_row *row = &log->rows.v[l->checkpoint];
	const struct dsh_compaction *c = log->rows.v[l->summary].compaction;
	const cJSON *seq = json_get(want, "shadowedSeqs");
	size_t i;

	expect_number(one, (double)row->seq, want, "seq");
	expect_number(one, (double)row->start, want, "start");
	expect_number(one, (double)row->end, want, "end");
	expect_number(one, c->tier, want, "tier");
	case_expect_text(one, "compactionId", names_get(&log->names, c->id), member(want, "compactionId"));
	case_expect_text(one, "kernelBlockId", names_get(&log->names, c->kernel), member(want, "kernelBlockId"));
	case_expect_text(one, "topic", names_get(&log->names, c->topic), member(want, "topic"));
	case_expect_count(one, "shadowedSeqs", c->shadowed_n, (size_t)cJSON_GetArraySize(seq));
	for (i = 0; i < c->shadowed_n; i++)
		case_expect_count(one, "a shadowed seq", (size_t)c->shadowed[i],
				  (size_t)cJSON_GetArrayItem(seq, (int)i)->valuedouble);
}

static void check_outcome(const cJSON *one, struct recording *r, const struct compress_record *c, const cJSON *want)
{
	const cJSON *list = json_get(want, "checkpoints");
	struct arena scratch = {0};
	uint32_t i;

	if (c->has_outcome != cJSON_IsObject(want))
		case_fail(one, "outcome is %s", c->has_outcome ? "there" : "not there");
	case_expect_count(one, "applied", c->outcome_applied, cJSON_IsTrue(json_get(want, "applied")) != 0);
	expect_number(one, c->outcome_blocks, want, "blocksCreated");
	case_expect_count(one, "checkpoints", c->landed_n, (size_t)cJSON_GetArraySize(list));
	for (i = 0; i < c->landed_n; i++)
		check_landing(one, r, &r->dsh.landed.v[c->landed + i], cJSON_GetArrayItem(list, (int)i));
	case_expect_count(one, "there is a result", c->result > 0, json_get(want, "text") != NULL);
	if (c->result)
		case_expect_text(one, "text of the result",
				 recording_text(r, r->messages.v[c->result - 1].text, &scratch), member(want, "text"));
	arena_free(&scratch);
}

static void check_compress(const cJSON *one, struct recording *r, size_t i, const cJSON *want)
{
	const struct compress_record *c = &r->compressions.v[i];
	struct arena scratch = {0};

	expect_name(one, r, c->call, want, "callId");
	expect_json(one, "args", recording_json(r, c->args, &scratch), json_get(want, "args"));
	check_outcome(one, r, c, json_get(want, "outcome"));
	arena_free(&scratch);
}

static void check_model(const cJSON *one, struct recording *r, size_t i, const cJSON *want)
{
	expect_name(one, r, r->others.v[i].name, want, "model");
}

static void check_event_record(const cJSON *one, struct recording *r, const struct dsh_event_record *e,
			       const cJSON *want)
{
	struct arena scratch = {0};
	const cJSON *time;
	uint32_t k = 0;

	expect_number(one, (double)e->seq, want, "seq");
	expect_number(one, e->count, want, "count");
	expect_name(one, r, e->name, want, "name");
	if (json_get(want, "data"))
		expect_json(one, "data", recording_event_data(r, e, &scratch), json_get(want, "data"));
	if (json_get(want, "time"))
		expect_number(one, recording_event_time(r, e, 0, &scratch), want, "time");
	cJSON_ArrayForEach (time, json_get(want, "times")) {
		double got = recording_event_time(r, e, k++, &scratch);

		if (got != time->valuedouble)
			case_fail(one, "event %u of the chunks has time %g", (unsigned)k, got);
	}
	arena_free(&scratch);
}

static void check_event(const cJSON *one, struct recording *r, size_t i, const cJSON *want)
{
	check_event_record(one, r, &r->dsh.events.v[i], want);
}

static void check_beyond(const cJSON *one, struct recording *r, size_t i, const cJSON *want)
{
	check_event_record(one, r, &r->dsh.beyond.v[i], want);
}

static void (*const checks[RECORD_TYPE_COUNT])(const cJSON *one, struct recording *r, size_t i, const cJSON *want) = {
	[RECORD_MESSAGE] = check_message, [RECORD_TURN] = check_turn,   [RECORD_COMPRESS] = check_compress,
	[RECORD_MODEL] = check_model,     [RECORD_EVENT] = check_event, [RECORD_UNKNOWN] = check_beyond,
};

static void check_records(const cJSON *one, struct recording *r)
{
	const cJSON *want;
	size_t i = 0;

	cJSON_ArrayForEach (want, json_get(one, "records")) {
		if (i == r->records.n)
			case_fail(one, "a %s record is missing at the end", member(want, "type").p);
		case_expect_text(one, "type", str_of(record_type_name((enum record_type)r->records.v[i].type)),
				 member(want, "type"));
		checks[r->records.v[i].type](one, r, r->records.v[i].index, want);
		i++;
	}
	/* notes of a converted log come at the end */
	while (i < r->records.n && r->records.v[i].type == RECORD_NOTE)
		i++;
	case_expect_count(one, "records", r->records.n, i);
}

/* [kind, line]; a part of its text may follow. */
static void check_damage(const cJSON *one, struct recording *r)
{
	const cJSON *list = json_get(one, "damage"), *want;
	size_t i = 0;

	case_expect_count(one, "damages", r->damages.n, (size_t)cJSON_GetArraySize(list));
	cJSON_ArrayForEach (want, list) {
		const struct damage *d = &r->damages.v[i++];
		struct str words = json_str(cJSON_GetArrayItem(want, 2));

		case_expect_text(one, "damage", str_of(damage_kind_name(d->kind)),
				 json_str(cJSON_GetArrayItem(want, 0)));
		case_expect_count(one, "line of the damage", d->line, (size_t)cJSON_GetArrayItem(want, 1)->valuedouble);
		if (words.p && str_find(str_of(d->what), words, 0) == SIZE_MAX)
			case_fail(one, "the damage is: %s", d->what);
		if (d->kind == DAMAGE_GAP && json_get(one, "gapBeforeEnd"))
			case_expect_count(one, "gap before a later turn/end",
					  str_find(str_of(d->what), STR("gap before a later turn/end"), 0) != SIZE_MAX,
					  cJSON_IsTrue(json_get(one, "gapBeforeEnd")) != 0);
	}
}

static void check_notes(const cJSON *one, struct recording *r)
{
	const cJSON *want;
	size_t i;

	cJSON_ArrayForEach (want, json_get(one, "notes")) {
		for (i = 0; i < r->notes.n && str_find(r->notes.v[i], json_str(want), 0) == SIZE_MAX; i++)
			;
		if (i == r->notes.n)
			case_fail(one, "no note says: %s", want->valuestring);
	}
}

/* The nodes after the last event, as the host's rules fold what the reader gave (dsh.md 2.1). */
static void check_surface(const cJSON *one, struct recording *r)
{
	const cJSON *want = json_get(one, "nodes"), *next = want ? want->child : NULL;
	struct dsh_surface s;
	uint32_t row;

	if (!want)
		return;
	dsh_surface_init(&s, &r->dsh.log);
	for (row = 0; row < r->dsh.log.rows.n; row++)
		dsh_surface_tell(&s, row);
	for (row = dsh_surface_first(&s); row != DSH_NONE; row = dsh_surface_next(&s, row)) {
		int64_t seq = r->dsh.log.rows.v[row].seq;

		if (!next || next->valuedouble != (double)seq)
			case_fail(one, "the surface holds %lld", (long long)seq);
		next = next->next;
	}
	if (next)
		case_fail(one, "the surface does not hold %g", next->valuedouble);
	dsh_surface_free(&s);
}

static void check_loaded(const cJSON *one, struct recording *r)
{
	double version;

	case_expect_text(one, "host", r->host, STR("dsh"));
	if (json_num(json_get(one, "version"), &version) && r->dsh.version != (int)version)
		case_fail(one, "the version is %d", r->dsh.version);
	if (json_get(one, "model"))
		case_expect_text(one, "model", r->model, member(one, "model"));
	if (json_get(one, "id"))
		case_expect_text(one, "id", r->id, member(one, "id"));
	if (json_get(one, "records"))
		check_records(one, r);
	check_surface(one, r);
}

/* Loads in small steps. */
static void load(const cJSON *one, struct recording *r, const char *path, size_t step)
{
	struct error e = {{0}, {0}, 0, 0};
	enum status st = recording_open(r, path, NULL, &e);
	double before = 0;

	while (st == STATUS_OK && recording_load_step(r, step, &st, &e)) {
		double now = recording_progress(r);

		if (now < before || now > 1)
			case_fail(one, "progress goes from %g to %g", before, now);
		before = now;
	}
	if (st != STATUS_OK)
		case_fail(one, "does not load: %s", e.message);
}

/* What is written reads as the same session. */
static void check_converted(const cJSON *one, const char *path)
{
	struct recording r, again;
	struct temp_file f;
	struct buf written = {0};

	load(one, &r, path, 1 << 20);
	session_write(&r, &written, member(one, "name").p);
	temp_file_write(&f, buf_view(&written));
	load(one, &again, f.path, 100);
	case_expect_text(one, "format", str_of(again.reader->name), STR("acps"));
	case_expect_count(one, "lines that were not used", again.skipped, 0);
	check_loaded(one, &again);
	recording_free(&again);
	recording_free(&r);
	temp_file_remove(&f);
	buf_free(&written);
	session_check_convert(path, member(one, "name").p);
}

static void put_frame(struct buf *b, struct str bytes)
{
	size_t room = ZSTD_compressBound(bytes.n), n;
	char *packed = malloc(room);

	assert_non_null(packed);
	n = ZSTD_compress(packed, room, bytes.p, bytes.n, 3);
	assert_false(ZSTD_isError(n));
	buf_bytes(b, packed, n);
	free(packed);
}

/* The header, then `lines` lines a frame, as a host writes them. */
static void put_frames(struct buf *b, struct str bytes, size_t lines)
{
	size_t from = 0, at, left = 1;

	for (at = 0; at < bytes.n; at++) {
		if (bytes.p[at] != '\n' && at + 1 < bytes.n)
			continue;
		if (--left > 0 && at + 1 < bytes.n)
			continue;
		put_frame(b, str_cut(bytes, from, at + 1));
		from = at + 1;
		left = lines;
	}
}

/* The same log in zstd frames gives the same records and the same damage. */
static void check_packed(const cJSON *one, struct str bytes)
{
	struct recording r;
	struct temp_file f;
	struct buf packed = {0};

	put_frames(&packed, bytes, 3);
	temp_file_write(&f, buf_view(&packed));
	load(one, &r, f.path, 64);
	case_expect_text(one, "format", str_of(r.reader->name), STR("dsh"));
	check_loaded(one, &r);
	check_damage(one, &r);
	case_expect_count(one, "size of the file", (size_t)r.source.packed_size, packed.n);
	recording_free(&r);
	check_converted(one, f.path);
	temp_file_remove(&f);
	buf_free(&packed);
}

static void check_case(const cJSON *one, void *ctx)
{
	struct buf bytes = {0};
	struct recording r;
	struct temp_file f;

	(void)ctx;
	temp_file_bytes(&bytes, json_get(one, "file"));
	temp_file_write(&f, buf_view(&bytes));
	load(one, &r, f.path, 100);
	case_expect_text(one, "format", str_of(r.reader->name), STR("dsh"));
	check_loaded(one, &r);
	check_damage(one, &r);
	check_notes(one, &r);
	recording_free(&r);
	check_converted(one, f.path);
	check_packed(one, buf_view(&bytes));
	temp_file_remove(&f);
	buf_free(&bytes);
}

/* Expected records worked out by hand from dsh.md 1, 3, 11 and the rulings. */
static void cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/recording_dsh.jsonl", check_case, NULL);
}

/* Files and records of tests/oracle/dsh_reader.mjs, which reads the same specification on its own. */
static void generated_cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/recording_dsh_generated.jsonl", check_case, NULL);
}

/* The files of the host's own encoder: nothing is lost when they are converted, packed or not. */
static void real_files(void **state)
{
	static const struct {
		const char *name;
		enum damage_kind damage;
		size_t records; /* events, four messages, one turn */
	} files[] = {{"real/dsh-v3-torn-tail.jsonl", DAMAGE_TORN, 6 + 4 + 1},
		     {"real/dsh-v3-unknown-required.jsonl", DAMAGE_UNKNOWN_EVENT, 8 + 4 + 1}};
	char path[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof files / sizeof *files; i++) {
		struct arena arena = {0};
		struct buf packed = {0};
		struct recording r;
		struct temp_file f;

		if (!session_shared(path, files[i].name)) {
			print_message("skipped: no %s\n", files[i].name);
			continue;
		}
		session_load(&r, path, files[i].name);
		assert_int_equal(r.dsh.version, 3);
		assert_int_equal(recording_damages(&r), 1);
		assert_int_equal(r.damages.v[0].kind, files[i].damage);
		assert_int_equal(r.records.n, files[i].records);
		assert_true(str_eq(r.model, STR("synthetic-model")));
		put_frames(&packed, source_read(&r.source, 0, r.source.size, &arena), 2);
		recording_free(&r);
		session_check_convert(path, files[i].name);
		temp_file_write(&f, buf_view(&packed));
		session_check_convert(f.path, files[i].name);
		temp_file_remove(&f);
		buf_free(&packed);
		arena_free(&arena);
	}
}

/* How sure a reader is decides, whatever the file is called: a Pi session starts alike (formats.md 0). */
static void told_from_others(void **state)
{
	static const struct {
		const char *text, *reader;
	} files[] = {
		{"{\"type\":\"session\",\"version\":3,\"id\":\"a\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":"
		 "\"/\"}\n",
		 "pi"},
		{"{\"type\":\"session\",\"version\":3,\"id\":\"a\",\"createdAt\":1,\"cwd\":\"/\",\"isSeeded\":false}\n",
		 "dsh"},
		{"{\"type\":\"session\",\"version\":1,\"id\":\"a\",\"createdAt\":1,\"cwd\":\"/\"}\n", "dsh"},
		{"{\"type\":\"session\",\"id\":\"a\"}\n{\"type\":\"turn/start\",\"seq\":0,\"data\":{}}\n", "dsh"},
		{"{\"type\":\"turn/start\",\"seq\":7,\"data\":{}}\n", "dsh"},
		{"{\"type\":\"session\",\"version\":1,\"id\":\"a\",\"host\":\"dsh\"}\n{\"type\":\"event\",\"seq\":0,"
		 "\"name\":\"turn/start\",\"data\":{}}\n",
		 "acps"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof files / sizeof *files; i++) {
		struct recording r;
		struct temp_file f;
		struct buf packed = {0};

		session_load_bytes(&r, &f, str_of(files[i].text), files[i].text);
		assert_string_equal(r.reader->name, files[i].reader);
		recording_free(&r);
		temp_file_remove(&f);
		put_frame(&packed, str_of(files[i].text));
		session_load_bytes(&r, &f, buf_view(&packed), files[i].text);
		assert_string_equal(r.reader->name, files[i].reader);
		recording_free(&r);
		temp_file_remove(&f);
		buf_free(&packed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),
		cmocka_unit_test(generated_cases),
		cmocka_unit_test(real_files),
		cmocka_unit_test(told_from_others),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
