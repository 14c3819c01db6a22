#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "replay/readers/pi.h"
#include "replay/readers/pi_estimate.h"
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

	if (cJSON_IsNull(json_get(want, name)) && !isnan(got))
		case_fail(one, "%s is %g, want none", name, got);
	if (json_num(json_get(want, name), &x) && got != x)
		case_fail(one, "%s is %g, want %g", name, got, x);
}

/* --- one record against its description --- */

static void check_message(const cJSON *one, struct recording *r, size_t i, const cJSON *want)
{
	const struct message_record *m = &r->messages.v[i];
	struct arena scratch = {0};
	struct str text = recording_text(r, m->text, &scratch);
	struct face face = face_of(text);

	expect_name(one, r, m->message.id, want, "id");
	case_expect_text(one, "role", role_name((enum role)m->message.role), member(want, "role"));
	case_expect_text(one, "type", content_name((enum content)m->message.content), member(want, "contentType"));
	case_expect_text(one, "text", text, member(want, "text"));
	expect_name(one, r, m->message.tool, want, "toolName");
	expect_name(one, r, m->message.call, want, "toolCallId");
	case_expect_count(one, "units", m->message.face.size.units, face.size.units);
	case_expect_count(one, "cjk", m->message.face.size.cjk, face.size.cjk);
	case_expect_count(one, "traits", m->message.face.traits, face.traits);
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
	expect_name(one, r, t->stop_reason, want, "stopReason");
	expect_number(one, t->user_turn, want, "userTurn");
	expect_number(one, t->time, want, "time");
	if (!isnan(t->token_count))
		case_fail(one, "there is a token count");
}

static void check_compress(const cJSON *one, struct recording *r, size_t i, const cJSON *want)
{
	const struct compress_record *c = &r->compressions.v[i];
	const cJSON *outcome = json_get(want, "outcome"), *blocks = json_get(outcome, "blocks");
	struct arena scratch = {0};
	struct buf got = {0}, expected = {0};

	expect_name(one, r, c->call, want, "callId");
	json_put_span(&got, &scratch,
		      c->args.place == SPAN_ABSENT ? STR("null") : recording_json(r, c->args, &scratch));
	json_put(&expected, json_get(want, "args"));
	case_expect_text(one, "args", buf_view(&got), buf_view(&expected));
	if (c->has_outcome != cJSON_IsObject(outcome))
		case_fail(one, "outcome is %s", c->has_outcome ? "there" : "not there");
	if (c->has_outcome && c->outcome_applied != cJSON_IsTrue(json_get(outcome, "applied")))
		case_fail(one, "applied is wrong");
	if (cJSON_IsNull(blocks) && !isnan(c->outcome_blocks))
		case_fail(one, "blocks are %g", c->outcome_blocks);
	expect_number(one, c->outcome_blocks, outcome, "blocks");
	buf_free(&got);
	buf_free(&expected);
	arena_free(&scratch);
}

static void check_keep(const cJSON *one, struct recording *r, size_t i, const cJSON *want)
{
	const cJSON *from = json_get(want, "from");
	struct str none = STR("(null)");

	case_expect_text(one, "from", r->others.v[i].name ? names_get(&r->names, r->others.v[i].name) : none,
			 cJSON_IsNull(from) ? none : json_str(from));
}

static void check_model(const cJSON *one, struct recording *r, size_t i, const cJSON *want)
{
	expect_name(one, r, r->others.v[i].name, want, "model");
}

static void (*const checks[RECORD_TYPE_COUNT])(const cJSON *one, struct recording *r, size_t i, const cJSON *want) = {
	[RECORD_MESSAGE] = check_message, [RECORD_TURN] = check_turn,   [RECORD_COMPRESS] = check_compress,
	[RECORD_KEEP] = check_keep,       [RECORD_MODEL] = check_model,
};

static bool is_rowless(const struct recording *r, size_t i)
{
	const struct record *rec = &r->records.v[i];

	return rec->type == RECORD_MESSAGE && r->messages.v[rec->index].rowless;
}

/* The messages without a row, where the case lists them. */
static void check_rowless(const cJSON *one, struct recording *r)
{
	const cJSON *list = json_get(one, "rowless");
	size_t i, silent = 0;

	for (i = 0; list && i < r->messages.n; i++) {
		const struct message_record *m = &r->messages.v[i];

		if (m->rowless)
			case_expect_text(one, "id of a message without a row", names_get(&r->names, m->message.id),
					 json_str(cJSON_GetArrayItem(list, (int)silent++)));
	}
	if (list)
		case_expect_count(one, "messages without a row", silent, (size_t)cJSON_GetArraySize(list));
}

/* The records; those of messages without a row are passed over. */
static void check_records(const cJSON *one, struct recording *r)
{
	const cJSON *want;
	size_t i = 0;

	cJSON_ArrayForEach (want, json_get(one, "records")) {
		while (i < r->records.n && is_rowless(r, i))
			i++;
		if (i == r->records.n)
			case_fail(one, "a %s record is missing at the end", member(want, "type").p);
		case_expect_text(one, "type", str_of(record_type_name((enum record_type)r->records.v[i].type)),
				 member(want, "type"));
		checks[r->records.v[i].type](one, r, r->records.v[i].index, want);
		i++;
	}
	while (i < r->records.n && is_rowless(r, i))
		i++;
	case_expect_count(one, "records", r->records.n, i);
}

/* What must be damaged; a case that lists none asks for nothing. */
static void check_damage(const cJSON *one, struct recording *r)
{
	const cJSON *list = json_get(one, "damage"), *want;
	size_t i = 0;

	if (!list)
		return;
	case_expect_count(one, "damages", recording_damages(r), (size_t)cJSON_GetArraySize(list));
	cJSON_ArrayForEach (want, list) {
		case_expect_text(one, "damage", str_of(damage_kind_name(r->damages.v[i].kind)),
				 json_str(cJSON_GetArrayItem(want, 0)));
		case_expect_count(one, "line of the damage", r->damages.v[i].line,
				  (size_t)cJSON_GetArrayItem(want, 1)->valuedouble);
		i++;
	}
}

/* Every text of `notes` is part of some note, and nothing unsafe is in any. */
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
	for (i = 0; i < r->notes.n; i++)
		if (memchr(r->notes.v[i].p, '\x1B', r->notes.v[i].n))
			case_fail(one, "a note holds an escape character");
	for (i = 0; i < r->damages.n; i++)
		if (strchr(r->damages.v[i].what, '\x1B'))
			case_fail(one, "a damage holds an escape character");
}

/* [id, entries, entries of its own, label, active or inside, time, the user's last words (may be left out)] */
static void check_branches(const cJSON *one, struct recording *r)
{
	const cJSON *list = json_get(one, "branches"), *want;
	size_t i = 0, active = 0;

	for (i = 0; i < r->branches.n; i++)
		active += r->branches.v[i].active;
	case_expect_count(one, "active branches", active, r->branches.n > 0);
	if (!list)
		return;
	case_expect_count(one, "branches", r->branches.n, (size_t)cJSON_GetArraySize(list));
	i = 0;
	cJSON_ArrayForEach (want, list) {
		const struct branch_tip *b = &r->branches.v[i++];
		double x;

		case_expect_text(one, "branch", names_get(&r->names, b->id), json_str(cJSON_GetArrayItem(want, 0)));
		if (!json_num(cJSON_GetArrayItem(want, 1), &x) || b->entries != x)
			case_fail(one, "branch %zu has %u entries", i, (unsigned)b->entries);
		if (!json_num(cJSON_GetArrayItem(want, 2), &x) || b->own != x)
			case_fail(one, "branch %zu has %u entries of its own", i, (unsigned)b->own);
		case_expect_text(one, "label", names_get(&r->names, b->label), json_str(cJSON_GetArrayItem(want, 3)));
		case_expect_text(one, "kind",
				 b->inside   ? STR("inside")
				 : b->active ? STR("active")
					     : STR(""),
				 json_str(cJSON_GetArrayItem(want, 4)));
		if (json_num(cJSON_GetArrayItem(want, 5), &x) ? b->time != x : !isnan(b->time))
			case_fail(one, "branch %zu ends at %g", i, b->time);
		if (cJSON_GetArraySize(want) > 6)
			case_expect_text(one, "said", b->said, json_str(cJSON_GetArrayItem(want, 6)));
	}
}

static void check_error(const cJSON *one, enum status st, const struct error *e)
{
	if (st != STATUS_USAGE)
		case_fail(one, "status is %d", (int)st);
	if (str_find(str_of(e->message), json_str(cJSON_GetArrayItem(json_get(one, "error"), 1)), 0) == SIZE_MAX)
		case_fail(one, "the message is: %s", e->message);
}

static void check_loaded(const cJSON *one, struct recording *r)
{
	case_expect_text(one, "format", str_of(r->reader->name), STR("pi"));
	case_expect_text(one, "host", r->host, STR("pi"));
	if (json_get(one, "model"))
		case_expect_text(one, "model", r->model, member(one, "model"));
	if (json_get(one, "id"))
		case_expect_text(one, "id", r->id, member(one, "id"));
	check_records(one, r);
	check_rowless(one, r);
	check_branches(one, r);
	check_damage(one, r);
	check_notes(one, r);
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
	st = recording_open_branch(&r, f.path, NULL, member(one, "branch").p, &e);
	while (st == STATUS_OK && recording_load_step(&r, 100, &st, &e))
		;
	if (json_get(one, "error"))
		check_error(one, st, &e);
	else if (st != STATUS_OK)
		case_fail(one, "does not load: %s", e.message);
	else
		check_loaded(one, &r);
	recording_free(&r);
	/* a branch that was asked for is not asked for again */
	if (st == STATUS_OK && !json_get(one, "branch"))
		session_check_convert(f.path, member(one, "name").p);
	temp_file_remove(&f);
	buf_free(&bytes);
}

/* Expected records worked out by hand from pi.md 1, 3.2 to 3.4, 8.3, 10 and the rulings. */
static void cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/recording_pi.jsonl", check_case, NULL);
}

/* Files and records of tests/oracle/pi.mjs, which reads the same specification on its own. */
static void generated_cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/recording_pi_generated.jsonl", check_case, NULL);
}

/*
 * Members that belong to another type of entry, or to the message inside, mean nothing: with each of them in an entry
 * of each type, a recording made of the file replays as the file does.
 */
static void impostor_members(void **state)
{
	static const char *const entries[] = {
		"\"type\":\"message\"%s,\"message\":{\"role\":\"user\",\"content\":\"ask\"}",
		"\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"ask\"%s}",
		"\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":"
		"\"x\"},"
		"{\"type\":\"toolCall\",\"id\":\"c\",\"name\":\"bash\",\"arguments\":{\"a\":1}}],"
		"\"usage\":{\"input\":900}%s}",
		"\"type\":\"message\",\"message\":{\"role\":\"toolResult\",\"toolCallId\":\"c\",\"toolName\":\"bash\","
		"\"content\":\"done\"%s}",
		"\"type\":\"message\",\"message\":{\"role\":\"bashExecution\",\"command\":\"ls\",\"output\":\"o\"%s}",
		"\"type\":\"message\",\"message\":{\"role\":\"custom\",\"content\":\"hook\"%s}",
		"\"type\":\"custom_message\"%s,\"customType\":\"note\",\"content\":[{\"type\":\"text\",\"text\":"
		"\"milk\"},"
		"{\"type\":\"toolCall\",\"name\":\"bash\",\"arguments\":\"aaaaaaaaaaaaaaaa\"}]",
		"\"type\":\"custom_message\",\"customType\":\"note\",\"content\":\"milk\"%s",
		"\"type\":\"branch_summary\",\"fromId\":\"root\",\"summary\":\"other\"%s",
		"\"type\":\"branch_summary\"%s,\"fromId\":\"root\",\"summary\":\"other\"",
		"\"type\":\"compaction\",\"summary\":\"s\",\"tokensBefore\":9,\"firstKeptEntryId\":\"p\"%s",
		"\"type\":\"model_change\",\"provider\":\"p\",\"modelId\":\"m2\"%s",
		"\"type\":\"thinking_level_change\",\"thinkingLevel\":\"off\"%s",
		"\"type\":\"custom\",\"customType\":\"x\",\"data\":1%s",
		"\"type\":\"label\",\"targetId\":\"p\",\"label\":\"l\"%s",
		"\"type\":\"session_info\",\"name\":\"n\"%s",
	};
	static const char *const members[] = {
		"",
		"\"message\":\"x\"",
		"\"message\":{\"role\":\"assistant\",\"content\":\"other words\"}",
		"\"message\":null",
		"\"summary\":\"a summary that is none\"",
		"\"summary\":5",
		"\"content\":\"more words than there were\"",
		"\"content\":[{\"type\":\"image\"}]",
		"\"content\":7",
		"\"entry\":{\"role\":\"user\",\"content\":\"no\"}",
		"\"entry\":\"x\"",
		"\"text\":\"t\"",
		"\"rows\":0",
		"\"role\":\"assistant\"",
		"\"role\":\"user\"",
		"\"output\":\"o\"",
		"\"command\":\"c\"",
		"\"from\":\"p\"",
		"\"entryId\":\"p\"",
		"\"tokenCount\":1",
		"\"modelId\":\"m9\"",
		"\"model\":\"m8\"",
		"\"retainedTail\":[]",
		"\"retainedTail\":[{\"role\":\"user\",\"content\":\"t\"}]",
		"\"outcome\":{}",
	};
	static const char rest[] = "{\"type\":\"message\",\"id\":\"z\",\"parentId\":\"e\",\"message\":{\"role\":"
				   "\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"end\"}]}}\n";
	struct buf b = {0};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof entries / sizeof *entries; i++)
		for (k = 0; k < sizeof members / sizeof *members; k++) {
			const char *hole = strstr(entries[i], "%s");
			char name[80];
			struct temp_file f;

			buf_cut(&b, 0);
			buf_text(&b, "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":"
				     "\"2026-09-20T08:00:00.000Z\",\"cwd\":\"/x\"}\n{\"type\":\"message\",\"id\":\"p\","
				     "\"parentId\":null,\"message\":{\"role\":\"user\",\"content\":\"first\"}}\n"
				     "{\"id\":\"e\",\"parentId\":\"p\",");
			buf_bytes(&b, entries[i], (size_t)(hole - entries[i]));
			buf_printf(&b, "%s%s%s}\n%s", members[k][0] ? "," : "", members[k], hole + 2, rest);
			snprintf(name, sizeof name, "entry %zu, member %zu", i, k);
			temp_file_write(&f, buf_view(&b));
			session_check_convert(f.path, name);
			temp_file_remove(&f);
		}
	buf_free(&b);
}

static void times(void **state)
{
	(void)state;
	assert_true(pi_time(STR("1970-01-01T00:00:00.000Z")) == 0);
	assert_true(pi_time(STR("2000-02-29T12:34:56.789Z")) == 951827696789.0);
	assert_true(pi_time(STR("2026-09-20T08:00:09.000Z")) == 1789891209000.0);
	assert_true(pi_time(STR("2026-09-20T08:00:09Z")) == 1789891209000.0);
	assert_true(pi_time(STR("1969-12-31T23:59:59.999Z")) == -1);
	assert_true(isnan(pi_time(STR(""))));
	assert_true(isnan(pi_time(STR("2026-09-20"))));
	assert_true(isnan(pi_time(STR("2026-09-20T08:00:09.000+02:00"))));
	assert_true(isnan(pi_time(STR("2026-13-20T08:00:09.000Z"))));
	assert_true(isnan(pi_time(STR("2026-09-20T08:00:09.000"))));
}

/* pi.md 1.10.1, ruling 3: ceil(chars / 4); the chars are counted by hand. */
static void host_estimates(void **state)
{
	static const struct {
		const char *message;
		uint32_t chars;
	} wanted[] = {
		{"{\"role\":\"user\",\"content\":\"hello\"}", 5},
		{"{\"role\":\"user\",\"content\":\"[m12] hello\"}", 11},
		{"{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"abcd\"},{\"type\":\"image\"}]}", 4},
		{"{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"two commands\"},"
		 "{\"type\":\"text\",\"text\":\"Looking.\"},{\"type\":\"toolCall\",\"id\":\"c1\",\"name\":\"bash\","
		 "\"arguments\":{\"command\" : \"ls\"}}]}",
		 12 + 8 + 4 + 16},
		{"{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"name\":\"t\",\"arguments\":\"{"
		 "\\\"a\\\": 1}\"}]}",
		 1 + 12},
		{"{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"name\":\"read\"}]}", 4},
		{"{\"role\":\"toolResult\",\"content\":[{\"type\":\"image\"},{\"type\":\"text\",\"text\":"
		 "\"\xE6\x96\x87\xF0\x9F\x98\x80\"}]}",
		 4800 + 3},
		{"{\"role\":\"bashExecution\",\"command\":\"pwd\",\"output\":\"/home/dev/demo\"}", 17},
		{"{\"role\":\"bashExecution\",\"command\":\"pwd\",\"excludeFromContext\":true}", 3},
		{"{\"role\":\"branchSummary\",\"summary\":\"12345\"}", 5},
		{"{\"role\":\"system\",\"content\":\"not counted\"}", 0},
		{"{\"type\":\"custom_message\",\"content\":\"status\"}", 6},
		{"{\"type\":\"branch_summary\",\"summary\":\"12345678\"}", 8},
		{"{}", 0},
		{"{\"role\":5,\"content\":{}}", 0},
	};
	struct arena scratch = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof wanted / sizeof *wanted; i++)
		assert_int_equal(pi_weigh(str_of(wanted[i].message), &scratch).tokens, (wanted[i].chars + 3) / 4);
	arena_free(&scratch);
}

/* The estimate stands on the first record of an entry; so does what a turn says of its answer. */
static void host_members(void **state)
{
	struct recording r;
	struct temp_file f;

	(void)state;
	session_load_bytes(&r, &f,
			   STR("{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"t\"}\n"
			       "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{\"role\":"
			       "\"assistant\",\"content\":["
			       "{\"type\":\"toolCall\",\"id\":\"1\",\"name\":\"ab\",\"arguments\":[]},"
			       "{\"type\":\"toolCall\",\"id\":\"2\",\"name\":\"abc\",\"arguments\":{}}],"
			       "\"usage\":{\"input\":1,\"output\":2,\"cacheRead\":3,\"cacheWrite\":4},\"stopReason\":"
			       "\"aborted\"}}\n"
			       "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"message\":{\"role\":"
			       "\"assistant\",\"content\":[],"
			       "\"usage\":{\"input\":1,\"totalTokens\":99},\"stopReason\":\"stop\"}}\n"),
			   "host members");
	assert_int_equal(r.messages.n, 3);
	assert_int_equal(r.messages.v[0].host_tokens, 3); /* 2 + 2 + 3 + 2 chars */
	assert_int_equal(r.messages.v[1].host_tokens, 0);
	assert_int_equal(r.messages.v[2].host_tokens, 0);
	assert_true(r.turns.v[0].usage.total == 10 && r.turns.v[0].failed);
	assert_true(r.turns.v[1].usage.total == 99 && !r.turns.v[1].failed);
	recording_free(&r);
	temp_file_remove(&f);
}

/* --- sessions of real life (ACPDBG_SHARED, else ../shared) --- */

static void real_sessions(void **state)
{
	/* requests = assistant entries on the branch, compactions, model changes, counted apart from this reader */
	static const struct {
		const char *name;
		size_t lines, turns, rows, keeps, models;
	} files[] = {
		{"real/pi-before-compaction.jsonl", 1003, 484, 992, 2, 5},
		{"real/pi-v3-small.jsonl", 9, 2, 4, 2, 1},
		{"real/pi-prompt-cache-replay.jsonl", 7, 3, 6, 0, 0},
		{"real/openclaw-v3-large.jsonl", 11, 3, 6, 0, 0},
		{"real/openclaw-v3-schema-drift.jsonl", 7, 1, 4, 0, 0},
	};
	char path[512];
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof files / sizeof *files; i++) {
		size_t rows = 0, count[RECORD_TYPE_COUNT] = {0};
		struct recording r;

		if (!session_shared(path, files[i].name)) {
			print_message("skipped: no %s\n", files[i].name);
			continue;
		}
		session_load(&r, path, files[i].name);
		for (k = 0; k < r.records.n; k++)
			count[r.records.v[k].type]++;
		for (k = 0; k < r.messages.n; k++)
			rows += !r.messages.v[k].rowless;
		assert_int_equal(r.lines, files[i].lines);
		assert_int_equal(count[RECORD_TURN], files[i].turns);
		assert_int_equal(rows, files[i].rows);
		assert_int_equal(count[RECORD_KEEP], files[i].keeps);
		assert_int_equal(count[RECORD_MODEL], files[i].models);
		assert_int_equal(recording_damages(&r), 0);
		recording_free(&r);
		session_check_convert(path, files[i].name);
	}
}

/* A format without a reader is refused by the name it goes by. */
static void real_sessions_of_others(void **state)
{
	static const struct {
		const char *name, *says;
	} files[] = {
		{"real/acp-kernel-root.acp.json", "kernel state"},
		{"real/cc-schema-drift.jsonl", "Claude Code"},
		{"real/codex-small-145k.jsonl", "Codex rollout"},
		{"real/gemini-pretty-not-jsonl.jsonl", "Gemini"},
	};
	char path[512];
	struct recording r;
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof files / sizeof *files; i++) {
		if (!session_shared(path, files[i].name)) {
			print_message("skipped: no %s\n", files[i].name);
			continue;
		}
		assert_int_equal(recording_load(&r, path, NULL, &e), STATUS_DATA);
		assert_non_null(strstr(e.message, files[i].says));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),
		cmocka_unit_test(generated_cases),
		cmocka_unit_test(impostor_members),
		cmocka_unit_test(times),
		cmocka_unit_test(host_estimates),
		cmocka_unit_test(host_members),
		cmocka_unit_test(real_sessions),
		cmocka_unit_test(real_sessions_of_others),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
