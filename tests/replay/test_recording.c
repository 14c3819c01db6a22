#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/base/fnv.h"
#include "replay/readers/reader.h"
#include "replay/report/info.h"
#include "tests/case_file.h"
#include "tests/generate.h"
#include "tests/session_check.h"

#define SESSION "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"pi\"}\n"

static struct str case_str(const cJSON *one, const char *member) { return json_str(json_get(one, member)); }

/* --- cases: tests/cases/recording.jsonl --- */

static void check_error(const cJSON *one, enum status st, const struct error *e)
{
	const cJSON *error = json_get(one, "error"), *line = json_get(one, "errorLine");
	struct str want = json_str(cJSON_GetArrayItem(error, 1));

	if (st != STATUS_DATA)
		case_fail(one, "status is %d", (int)st);
	if (str_find(str_of(e->message), want, 0) == SIZE_MAX)
		case_fail(one, "the message is: %s", e->message);
	if (e->file[0] == '\0')
		case_fail(one, "the error names no file");
	if (line)
		case_expect_count(one, "line of the error", e->line, (size_t)line->valuedouble);
}

static bool same_damage(const struct damage *d, const cJSON *want)
{
	return str_eq(str_of(damage_kind_name(d->kind)), json_str(cJSON_GetArrayItem(want, 0))) &&
	       (double)d->line == cJSON_GetArrayItem(want, 1)->valuedouble &&
	       (double)d->byte == cJSON_GetArrayItem(want, 2)->valuedouble;
}

/* `damage` lists them in file order; `damageSet`, where one line has several, in any. */
static void check_damage(const cJSON *one, const struct recording *r)
{
	const cJSON *list = json_get(one, "damage"), *set = json_get(one, "damageSet"), *want;
	size_t i = 0, k;

	if (!list && !set)
		return;
	case_expect_count(one, "damages told of", r->damages.n, (size_t)cJSON_GetArraySize(list ? list : set));
	/* "counted": where more were met than are told of */
	double counted = (double)r->damages.n;
	json_num(json_get(one, "counted"), &counted);
	case_expect_count(one, "damages", recording_damages(r), (size_t)counted);
	cJSON_ArrayForEach (want, list) {
		const struct damage *d = &r->damages.v[i++];

		if (!same_damage(d, want))
			case_fail(one, "damage %zu is %s, line %llu, byte %llu (%s)", i, damage_kind_name(d->kind),
				  (unsigned long long)d->line, (unsigned long long)d->byte, d->what);
	}
	cJSON_ArrayForEach (want, set) {
		for (k = 0; k < r->damages.n && !same_damage(&r->damages.v[k], want); k++)
			;
		if (k == r->damages.n)
			case_fail(one, "damage at byte %.0f is missing", cJSON_GetArrayItem(want, 2)->valuedouble);
	}
}

static void check_traits(const cJSON *one, const cJSON *want, uint8_t traits)
{
	static const char *const names[] = {"header", "tag", "fence", "truncated"};
	const cJSON *item;
	uint8_t expected = 0;
	size_t i;

	if (!want)
		return;
	cJSON_ArrayForEach (item, want)
		for (i = 0; i < 4; i++)
			if (str_eq(json_str(item), str_of(names[i])))
				expected = (uint8_t)(expected | 1u << i);
	case_expect_count(one, "traits", traits, expected);
}

static void expect_name(const cJSON *one, const cJSON *row, const char *member, struct str got)
{
	if (json_get(row, member))
		case_expect_text(one, member, got, case_str(row, member));
}

static void expect_number(const cJSON *one, const cJSON *row, const char *member, size_t got)
{
	double want;

	if (json_num(json_get(row, member), &want))
		case_expect_count(one, member, got, (size_t)want);
}

static void check_row(const cJSON *one, const cJSON *row, struct recording *r, size_t i)
{
	const struct message_record *m = &r->messages.v[i];
	struct texts texts = recording_texts(r);
	struct arena scratch = {0};
	struct str text = texts.get(texts.owner, (uint32_t)i, &scratch);
	struct face face = face_of(text);

	expect_name(one, row, "id", names_get(&r->names, m->message.id));
	expect_name(one, row, "role", role_name((enum role)m->message.role));
	expect_name(one, row, "contentType", content_name((enum content)m->message.content));
	expect_name(one, row, "tool", names_get(&r->names, m->message.tool));
	expect_name(one, row, "call", names_get(&r->names, m->message.call));
	expect_name(one, row, "entry", names_get(&r->names, m->entry));
	expect_name(one, row, "text", text);
	expect_number(one, row, "units", m->message.face.size.units);
	expect_number(one, row, "cjk", m->message.face.size.cjk);
	check_traits(one, json_get(row, "traits"), m->message.face.traits);
	/* what is measured on the literal is what is measured on the text */
	case_expect_count(one, "units of the text", face.size.units, m->message.face.size.units);
	case_expect_count(one, "cjk of the text", face.size.cjk, m->message.face.size.cjk);
	case_expect_count(one, "traits of the text", face.traits, m->message.face.traits);
	if (json_get(row, "rowless"))
		case_expect_count(one, "rowless", m->rowless, cJSON_IsTrue(json_get(row, "rowless")) != 0);
	if (json_get(row, "isError"))
		case_expect_count(one, "isError", m->is_error, cJSON_IsTrue(json_get(row, "isError")) != 0);
	arena_free(&scratch);
}

static void check_records(const cJSON *one, struct recording *r)
{
	const cJSON *types = json_get(one, "records"), *rows = json_get(one, "rows"), *item;
	size_t i = 0;

	if (types)
		case_expect_count(one, "records", r->records.n, (size_t)cJSON_GetArraySize(types));
	cJSON_ArrayForEach (item, types)
		case_expect_text(one, "type", str_of(record_type_name((enum record_type)r->records.v[i++].type)),
				 json_str(item));
	if (rows)
		case_expect_count(one, "rows", r->messages.n, (size_t)cJSON_GetArraySize(rows));
	i = 0;
	cJSON_ArrayForEach (item, rows)
		check_row(one, item, r, i++);
}

static void check_object(const cJSON *one, const char *member, const struct recording *r, struct span s)
{
	struct arena scratch = {0};

	if (json_get(one, member))
		case_expect_text(one, member, recording_json(r, s, &scratch), case_str(one, member));
	arena_free(&scratch);
}

static void check_session(const cJSON *one, const struct recording *r)
{
	const cJSON *limit = json_get(one, "limit");
	double system;

	expect_name(one, one, "format", str_of(r->reader->name));
	expect_name(one, one, "id", r->id);
	expect_name(one, one, "host", r->host);
	expect_name(one, one, "model", r->model);
	expect_name(one, one, "tags", r->render_tags);
	expect_number(one, one, "skipped", r->skipped);
	expect_number(one, one, "lines", r->lines);
	if (cJSON_IsNull(limit) ? !isnan(r->context_limit) : limit && r->context_limit != limit->valuedouble)
		case_fail(one, "limit is %g", r->context_limit);
	if (json_num(json_get(one, "system"), &system) && r->system_tokens != system)
		case_fail(one, "system tokens are %g", r->system_tokens);
	check_object(one, "config", r, r->config);
	check_object(one, "state", r, r->state);
	check_object(one, "hostState", r, r->host_state);
	check_object(one, "expect", r, r->expect);
	if (json_get(one, "note")) {
		if (r->notes.n == 0)
			case_fail(one, "there is no note");
		if (str_find(r->notes.v[0], case_str(one, "note"), 0) == SIZE_MAX)
			case_fail(one, "the note is: %s", r->notes.v[0].p);
	}
}

static void check_written(const cJSON *one, struct recording *r)
{
	const cJSON *written = json_get(one, "written");
	struct buf got = {0}, want = {0};

	if (!written)
		return;
	session_write(r, &got, "case");
	temp_file_bytes(&want, written);
	case_expect_text(one, "what is written", buf_view(&got), buf_view(&want));
	buf_free(&got);
	buf_free(&want);
}

static void check_case(const cJSON *one, void *ctx)
{
	struct error e = {{0}, {0}, 0, 0};
	struct buf bytes = {0};
	struct recording r;
	struct temp_file f;
	enum status st;

	(void)ctx;
	temp_file_bytes(&bytes, json_get(one, "file"));
	temp_file_write(&f, buf_view(&bytes));
	st = recording_load(&r, f.path, NULL, &e);
	temp_file_remove(&f); /* the source stays open */
	if (json_get(one, "error")) {
		check_error(one, st, &e);
	} else if (st != STATUS_OK) {
		case_fail(one, "does not load: %s", e.message);
	} else {
		check_session(one, &r);
		check_damage(one, &r);
		check_records(one, &r);
		check_written(one, &r);
	}
	recording_free(&r);
	buf_free(&bytes);
}

static void cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/recording.jsonl", check_case, NULL);
}

/* --- members of single records --- */

static void load(struct recording *r, const char *lines)
{
	struct temp_file f;

	session_load_bytes(r, &f, str_of(lines), "test");
	temp_file_remove(&f);
}

static void compress_members(void **state)
{
	struct recording r;
	struct arena a = {0};
	const struct compress_record *c;

	(void)state;
	load(&r, SESSION
	     "{\"type\":\"compress\",\"callId\":\"c1\",\"args\":{\"content\": []},\"by\":\"user\",\"tokenCount\":12.5,"
	     "\"outcome\":{\"applied\":true,\"blocksCreated\":2,\"tokensCompressed\":900},\"time\":5}\n"
	     "{\"type\":\"compress\",\"callId\":\"c2\",\"args\":\"a\\u0062\",\"outcome\":{\"applied\":false}}\n"
	     "{\"type\":\"compress\",\"callId\":\"c3\"}\n{\"type\":\"compress\",\"args\":null}\n");
	assert_int_equal(r.compressions.n, 4);
	c = r.compressions.v;
	assert_string_equal(names_get(&r.names, c[0].call).p, "c1");
	assert_true(c[0].by_user && c[0].has_outcome && c[0].outcome_applied);
	assert_true(c[0].token_count == 12.5 && c[0].outcome_blocks == 2 && c[0].outcome_tokens == 900 &&
		    c[0].time == 5);
	assert_int_equal(c[0].args.place, SPAN_JSON);
	assert_true(str_eq(recording_json(&r, c[0].args, &a), STR("{\"content\": []}")));
	assert_true(!c[1].by_user && c[1].has_outcome && !c[1].outcome_applied);
	assert_true(isnan(c[1].token_count) && isnan(c[1].outcome_blocks) && isnan(c[1].time));
	assert_int_equal(c[1].args.place, SPAN_LITERAL);
	assert_true(str_eq(recording_text(&r, c[1].args, &a), STR("ab")));
	assert_true(str_eq(recording_json(&r, c[1].args, &a), STR("\"a\\u0062\"")));
	assert_false(c[2].has_outcome);
	assert_int_equal(c[2].args.place, SPAN_ABSENT);
	assert_int_equal(c[3].args.place, SPAN_JSON);
	assert_int_equal(c[3].call, 0);
	assert_int_equal(recording_damages(&r), 0);
	arena_free(&a);
	recording_free(&r);
}

static void turn_members(void **state)
{
	struct recording r;
	const struct turn_record *t;

	(void)state;
	load(&r, SESSION "{\"type\":\"turn\",\"tokenCount\":7,\"usage\":{\"input\":1,\"output\":2,\"cacheRead\":3,"
			 "\"cacheWrite\":4},"
			 "\"model\":\"m\",\"stopReason\":\"stop\",\"userTurn\":4,\"time\":6}\n"
			 "{\"type\":\"turn\"}\n{\"type\":\"turn\",\"usage\":{}}\n");
	assert_int_equal(r.turns.n, 3);
	t = r.turns.v;
	assert_true(t[0].token_count == 7 && t[0].time == 6 && t[0].user_turn == 4 && t[0].usage.present);
	assert_true(t[0].usage.input == 1 && t[0].usage.output == 2);
	assert_true(t[0].usage.cache_read == 3 && t[0].usage.cache_write == 4);
	assert_string_equal(names_get(&r.names, t[0].model).p, "m");
	assert_string_equal(names_get(&r.names, t[0].stop_reason).p, "stop");
	assert_true(isnan(t[1].token_count) && isnan(t[1].time) && !t[1].usage.present);
	assert_int_equal(t[1].model + t[1].stop_reason + t[1].user_turn, 0);
	assert_true(t[2].usage.present && isnan(t[2].usage.input) && isnan(t[2].usage.cache_write));
	recording_free(&r);
}

static void expect_other(const struct recording *r, size_t i, const char *name, bool flag)
{
	const struct other_record *o = &r->others.v[r->records.v[i].index];

	assert_string_equal(names_get(&r->names, o->name).p, name);
	assert_int_equal(o->flag, flag);
}

static void other_members(void **state)
{
	struct recording r;
	struct arena a = {0};

	(void)state;
	load(&r, SESSION
	     "{\"type\":\"keep\",\"from\":\"a\"}\n{\"type\":\"keep\"}\n{\"type\":\"rewind\",\"to\":null}\n"
	     "{\"type\":\"rewind\",\"to\":\"b\"}\n{\"type\":\"decompress\",\"blockId\":\"b7\",\"deactivate\":true}\n"
	     "{\"type\":\"decompress\",\"blockId\":\"b8\",\"deactivate\":1}\n{\"type\":\"model\",\"model\":\"m2\"}\n"
	     "{\"type\":\"restart\"}\n{\"type\":\"state\",\"state\":{\"x\":1}}\n{\"type\":\"note\",\"text\":\"n\"}\n");
	assert_int_equal(r.records.n, 10);
	expect_other(&r, 0, "a", false);
	expect_other(&r, 1, "", false);
	expect_other(&r, 2, "", false);
	expect_other(&r, 3, "b", false);
	expect_other(&r, 4, "b7", true);
	expect_other(&r, 5, "b8", false);
	expect_other(&r, 6, "m2", false);
	assert_true(str_eq(recording_json(&r, r.others.v[r.records.v[8].index].value, &a), STR("{\"x\":1}")));
	assert_true(str_eq(recording_text(&r, r.others.v[r.records.v[9].index].value, &a), STR("n")));
	arena_free(&a);
	recording_free(&r);
}

/* --- loading as a job --- */

/* However small the steps, the result is the same, and progress only grows. */
static void small_steps(void **state)
{
	struct recording whole, r;
	struct buf bytes = {0};
	struct temp_file f;
	struct error e;
	enum status st;
	double before = 0;
	size_t steps = 0;
	int i;

	(void)state;
	buf_text(&bytes, SESSION);
	for (i = 0; i < 500; i++)
		buf_printf(&bytes,
			   "{\"type\":\"message\",\"id\":\"e%d\",\"role\":\"user\",\"contentType\":\"text\",\"text\":"
			   "\"%d\"}\n",
			   i, i);
	session_load_bytes(&whole, &f, buf_view(&bytes), "small steps");
	assert_int_equal(recording_open(&r, f.path, NULL, &e), STATUS_OK);
	while (recording_load_step(&r, 1, &st, &e)) {
		double progress = recording_progress(&r);

		assert_true(progress >= before && progress <= 1);
		before = progress;
		steps++;
	}
	assert_int_equal(st, STATUS_OK);
	assert_true(steps >= 500);
	assert_true(recording_progress(&r) == 1);
	assert_false(recording_load_step(&r, 1, &st, &e));
	assert_int_equal(whole.messages.n, 500);
	session_expect_same(&whole, &r, true, "small steps");
	recording_free(&whole);
	recording_free(&r);
	temp_file_remove(&f);
	buf_free(&bytes);
}

static void freed_before_the_end(void **state)
{
	struct recording r;
	struct temp_file f;
	struct error e;
	enum status st;

	(void)state;
	temp_file_write(&f, STR(SESSION "{\"type\":\"turn\"}\n{\"type\":\"turn\"}\n"));
	assert_int_equal(recording_open(&r, f.path, NULL, &e), STATUS_OK);
	assert_true(recording_load_step(&r, 1, &st, &e));
	recording_free(&r);
	recording_free(&r); /* allowed twice */
	temp_file_remove(&f);
}

/* A 100 MB line loads like any other. */
static void hundred_megabytes_in_a_line(void **state)
{
	static const char unit[] = "0123456789abcdef\\n\xE5\x8E\x8B"; /* 18 units, 1 of them cjk */
	enum { UNITS = 18, TIMES = 4800000 };
	struct buf bytes = {0};
	struct recording r;
	struct temp_file f;
	const struct message_record *m;
	int i;

	(void)state;
	buf_text(&bytes,
		 SESSION "{\"type\":\"message\",\"id\":\"a\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"");
	for (i = 0; i < TIMES; i++)
		buf_bytes(&bytes, unit, sizeof unit - 1);
	buf_text(
		&bytes,
		"\"}\n{\"type\":\"message\",\"id\":\"b\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"x\"}\n");
	assert_true(bytes.n > 100000000);
	session_load_bytes(&r, &f, buf_view(&bytes), "100 MB");
	buf_free(&bytes);
	assert_int_equal(recording_damages(&r), 0);
	assert_int_equal(r.messages.n, 2);
	m = r.messages.v;
	assert_int_equal(m[0].message.face.size.units, UNITS * TIMES);
	assert_int_equal(m[0].message.face.size.cjk, TIMES);
	assert_int_equal(m[1].message.face.size.units, 1);
	recording_free(&r);
	temp_file_remove(&f);
}

/* A line beyond what a span can hold is damage; its neighbours load. (The limit is lowered here.) */
static void line_beyond_the_limit(void **state)
{
	struct recording r;
	struct temp_file f;
	struct error e;
	enum status st;

	(void)state;
	temp_file_write(
		&f, STR(SESSION
			"{\"type\":\"turn\"}\n{\"type\":\"note\",\"text\":\"0123456789012345678901234567890123456789"
			"0123456789012345678901234567890123456789\"}\n{\"type\":\"turn\"}\n"));
	assert_int_equal(recording_open(&r, f.path, NULL, &e), STATUS_OK);
	r.loader->walker.max = 64;
	while (recording_load_step(&r, 1 << 20, &st, &e))
		;
	assert_int_equal(st, STATUS_OK);
	assert_int_equal(r.turns.n, 2);
	assert_int_equal(recording_damages(&r), 1);
	assert_int_equal(r.damages.v[0].kind, DAMAGE_TOO_LONG);
	assert_int_equal(r.damages.v[0].line, 3);
	assert_int_equal(r.damages.v[0].byte, sizeof SESSION - 1 + sizeof "{\"type\":\"turn\"}\n" - 1);
	recording_free(&r);
	temp_file_remove(&f);
}

/* More damage than is kept is still counted. */
static void endless_damage(void **state)
{
	struct buf bytes = {0};
	struct recording r;
	struct temp_file f;
	int i;

	(void)state;
	buf_text(&bytes, SESSION);
	for (i = 0; i < DAMAGE_KEPT_MAX + 50; i++)
		buf_text(&bytes, "x\n");
	session_load_bytes(&r, &f, buf_view(&bytes), "endless damage");
	assert_int_equal(r.damages.n, DAMAGE_KEPT_MAX);
	assert_int_equal(r.damage_count[DAMAGE_NOT_JSON], DAMAGE_KEPT_MAX + 50);
	assert_int_equal(recording_damages(&r), DAMAGE_KEPT_MAX + 50);
	recording_free(&r);
	temp_file_remove(&f);
	buf_free(&bytes);
}

static void formats_by_name(void **state)
{
	struct recording r;
	struct temp_file f;
	struct error e;

	(void)state;
	temp_file_write(&f, STR(SESSION));
	assert_int_equal(recording_load(&r, f.path, "acps", &e), STATUS_OK);
	assert_string_equal(r.reader->name, "acps");
	recording_free(&r);
	assert_int_equal(recording_load(&r, f.path, "pi", &e), STATUS_OK);
	assert_string_equal(r.reader->name, "pi");
	recording_free(&r);
	assert_int_equal(recording_load(&r, f.path, "word\x1B[2J", &e), STATUS_USAGE);
	assert_non_null(strstr(e.message, "acps, pi"));
	assert_null(strchr(e.message, '\x1B'));
	assert_int_equal(recording_open_branch(&r, f.path, NULL, "x", &e), STATUS_USAGE);
	temp_file_remove(&f);
	temp_file_write(&f, STR("{\"type\":\"turn\"}\n" SESSION));
	assert_int_equal(recording_load(&r, f.path, "acps", &e), STATUS_DATA);
	assert_int_equal(e.line, 1);
	temp_file_remove(&f);
	temp_file_write(&f, STR("x\n\ny"));
	assert_int_equal(recording_load(&r, f.path, "acps", &e), STATUS_DATA);
	temp_file_remove(&f);
	assert_int_equal(recording_load(&r, "tests", NULL, &e), STATUS_DATA);
	assert_int_equal(recording_load(&r, "nowhere.jsonl", NULL, &e), STATUS_NO_INPUT);
	assert_string_equal(e.file, "nowhere.jsonl");
}

/* The file is cut after it was loaded: texts are empty or short, nothing crashes. */
static void file_cut_after_the_load(void **state)
{
	struct recording r;
	struct temp_file f;
	struct arena a = {0};
	struct error e;
	struct buf b = {0};
	struct texts texts;
	FILE *again;

	(void)state;
	session_load_bytes(&r, &f,
			   STR(SESSION "{\"type\":\"message\",\"id\":\"a\",\"role\":\"user\",\"contentType\":\"text\","
				       "\"text\":\"some \\u0041\\n\\n\\n\\n\\ntext\"}\n"),
			   "cut");
	again = fopen(f.path, "w");
	assert_non_null(again);
	fclose(again);
	texts = recording_texts(&r);
	assert_true(str_eq(texts.get(texts.owner, 0, &a), STR("(the file changed on disk)")));
	assert_true(source_changed(&r.source));
	assert_int_equal(recording_write(&r, (struct recording_writer){NULL, NULL}, &e), STATUS_IO);
	recording_free(&r);
	temp_file_remove(&f);
	arena_free(&a);
	buf_free(&b);
}

static void digest_of_the_file(void **state)
{
	struct recording r;
	struct temp_file f;

	(void)state;
	session_load_bytes(&r, &f, STR(SESSION), "digest");
	assert_true(recording_digest(&r) == fnv_bytes(FNV_START, SESSION, sizeof SESSION - 1));
	recording_free(&r);
	temp_file_remove(&f);
}

static void info_text(void **state)
{
	struct recording r;
	struct buf b = {0};

	(void)state;
	load(&r, "{\"type\":\"session\",\"version\":1,\"id\":\"s\\u001b[2J\",\"host\":\"pi\",\"contextLimit\":90000}\n"
		 "{\"type\":\"turn\"}\n{\"type\":\"turn\"}\nbroken\n{\"type\":\"message\",\"id\":\"a\",\"rows\":0}\n");
	info_print(&r, NULL, &b);
	assert_non_null(strstr(b.p, "acpdbg recording (acps)"));
	assert_non_null(strstr(b.p, "  turn        2\n"));
	assert_non_null(strstr(b.p, "  message     1 (1 without a row)\n"));
	assert_non_null(strstr(b.p, "90000 tokens (recording)"));
	assert_non_null(strstr(b.p, "0 tokens (assumed)"));
	assert_non_null(strstr(b.p, "line 4, byte 114: not-json"));
	assert_null(strchr(b.p, '\x1B'));
	buf_free(&b);
	recording_free(&r);
}

/* --- what is written loads as the same --- */

static void convert_vectors(void **state)
{
	struct dirent *d;
	char dir[512], path[1024];
	size_t checked = 0;
	DIR *list;

	(void)state;
	if (!session_shared(dir, "vectors") || !(list = opendir(dir))) {
		print_message("skipped: no vectors\n");
		return;
	}
	while ((d = readdir(list))) {
		size_t n = strlen(d->d_name);
		struct recording r;
		struct buf b = {0};
		struct str bytes;
		struct arena a = {0};

		if (n < 6 || strcmp(d->d_name + n - 6, ".jsonl") != 0 || strstr(d->d_name, "parse"))
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, d->d_name);
		session_check_convert(path, d->d_name);
		/* these files have no white space to lose: they come back byte for byte */
		session_load(&r, path, d->d_name);
		session_write(&r, &b, d->d_name);
		bytes = source_read(&r.source, 0, r.source.size, &a);
		assert_true(str_eq(buf_view(&b), bytes));
		assert_int_equal(recording_damages(&r), 0);
		buf_free(&b);
		arena_free(&a);
		recording_free(&r);
		checked++;
	}
	closedir(list);
	assert_true(checked > 0);
}

/* Generated recordings of every shape, every other one with lines that cannot be read. */
static void convert_generated(void **state)
{
	struct generate_options o = {.turns = 25};

	(void)state;
	for (o.seed = 1; o.seed <= 60; o.seed++) {
		struct buf bytes = {0};
		struct temp_file f;
		char name[64];

		o.shape = (enum generate_shape)(o.seed % GENERATE_SHAPES);
		o.damaged = o.seed / GENERATE_SHAPES % 2;
		snprintf(name, sizeof name, "%s %d", generate_shape_name(o.shape), (int)o.seed);
		generate_recording(&o, &bytes);
		temp_file_write(&f, buf_view(&bytes));
		session_check_convert(f.path, name);
		temp_file_remove(&f);
		buf_free(&bytes);
	}
}

/* However often an id comes: told of once, counted every time (recording.md, message). */
static void every_duplicate_counts(void **state)
{
	struct recording r;
	struct buf b = {0};
	size_t told = 0;
	(void)state;
	buf_text(&b, SESSION);
	for (int i = 0; i < 20000; i++)
		buf_text(&b, "{\"type\":\"message\",\"id\":\"a\",\"role\":\"user\",\"contentType\":\"text\","
			     "\"text\":\"x\"}\n");
	buf_char(&b, 0);
	load(&r, b.p);
	assert_int_equal(r.damage_count[DAMAGE_DUPLICATE_ID], 19999);
	assert_int_equal(recording_damages(&r), 19999);
	for (size_t i = 0; i < r.damages.n; i++)
		told += r.damages.v[i].kind == DAMAGE_DUPLICATE_ID;
	assert_int_equal(told, 1);
	assert_int_equal(r.messages.n, 20000);
	recording_free(&r);
	buf_free(&b);
}

/* README lists every kind of damage that a file can have. */
static void kinds_in_readme(void **state)
{
	struct buf text = {0}, want = {0};
	char part[4096];
	size_t n;
	FILE *f = fopen("README.md", "rb");
	(void)state;
	assert_non_null(f);
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		buf_str(&text, (struct str){part, n});
	assert_int_equal(fclose(f), 0);
	for (int k = 0; k < DAMAGE_KIND_COUNT; k++) {
		buf_cut(&want, 0);
		buf_printf(&want, "\n| `%s` | ", damage_kind_name((enum damage_kind)k));
		if (str_find(buf_view(&text), buf_view(&want), 0) >= text.n)
			fail_msg("README has no line for the damage %s", damage_kind_name((enum damage_kind)k));
	}
	buf_free(&text);
	buf_free(&want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_duplicate_counts), cmocka_unit_test(cases),
		cmocka_unit_test(compress_members),       cmocka_unit_test(turn_members),
		cmocka_unit_test(other_members),          cmocka_unit_test(small_steps),
		cmocka_unit_test(freed_before_the_end),   cmocka_unit_test(hundred_megabytes_in_a_line),
		cmocka_unit_test(line_beyond_the_limit),  cmocka_unit_test(endless_damage),
		cmocka_unit_test(formats_by_name),        cmocka_unit_test(file_cut_after_the_load),
		cmocka_unit_test(digest_of_the_file),     cmocka_unit_test(info_text),
		cmocka_unit_test(convert_vectors),        cmocka_unit_test(convert_generated),
		cmocka_unit_test(kinds_in_readme),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
