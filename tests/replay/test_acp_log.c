/* acp_log: pi.md 2.2, 8.4, 8.5. Cases: tests/cases/acp_log.jsonl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "replay/acp_log.h"
#include "replay/acp_log_line.h"
#include "replay/events.h"
#include "replay/view/acp_log_words.h"
#include "replay/view/view.h"
#include "tests/replayed.h"

/* ---- what was read, as text ---- */

static void put_number(struct buf *b, const char *name, double x)
{
	if (isnan(x))
		return;
	buf_text(b, name);
	json_put_num(b, x);
}

static void put_turn(struct buf *b, uint32_t n, const struct acp_log_turn *t)
{
	buf_printf(b, "turn %u line %u:", (unsigned)n, (unsigned)t->line);
	put_number(b, " tokens=", t->tokens);
	put_number(b, " estimated=", t->estimated);
	put_number(b, " host=", t->host);
	put_number(b, " density=", t->density);
	put_number(b, " limit=", t->limit);
	put_number(b, " blocks=", t->blocks);
	put_number(b, " active=", t->active);
	if (t->nudge != ACP_LOG_NUDGE_UNKNOWN)
		buf_printf(b, " nudge=%s", acp_log_nudge_name((enum acp_log_nudge)t->nudge));
	if (t->sent >= 0)
		buf_printf(b, " sent=%d", t->sent);
	if (t->superseded > 0)
		buf_printf(b, " superseded=%u", (unsigned)t->superseded);
	if (t->reason.p != NULL) {
		buf_text(b, " reason=");
		buf_str(b, t->reason);
	}
}

static void put_compression(struct buf *b, size_t i, const struct acp_log_compression *c)
{
	buf_printf(b, "call %zu line %u:", i + 1, (unsigned)c->line);
	put_number(b, " created=", c->created);
	put_number(b, " compressed=", c->compressed);
	put_number(b, " errors=", c->errors);
	put_number(b, " density=", c->density);
	if (c->superseded > 0)
		buf_printf(b, " superseded=%u", (unsigned)c->superseded);
}

/* The items of a list of texts, a line each. */
static void put_list(struct buf *b, const cJSON *list)
{
	const cJSON *item;
	cJSON_ArrayForEach (item, list) {
		buf_str(b, json_str(item));
		buf_char(b, '\n');
	}
}

static void expect_list(const cJSON *one, const char *member, const struct buf *got)
{
	struct buf want = {0};
	if (!json_get(one, member))
		return;
	put_list(&want, json_get(one, member));
	case_expect_text(one, member, buf_view(got), buf_view(&want));
	buf_free(&want);
}

static void expect_told(const cJSON *one, const struct acp_log *log)
{
	struct buf b = {0};
	for (uint32_t n = 1; n <= log->turns.n; n++) {
		const struct acp_log_turn *t = acp_log_turn(log, n);
		if (t == NULL)
			continue;
		put_turn(&b, n, t);
		buf_char(&b, '\n');
	}
	for (size_t i = 0; i < log->compressions.n; i++) {
		const struct acp_log_compression *c = acp_log_compression(log, i);
		if (c == NULL)
			continue;
		put_compression(&b, i, c);
		buf_char(&b, '\n');
	}
	expect_list(one, "told", &b);
	buf_free(&b);
}

static void expect_counts(const cJSON *one, const struct acp_log *log)
{
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {
		{"lines", log->lines},
		{"ours", log->ours},
		{"others", log->others},
		{"unowned", log->unowned},
		{"loose", log->loose},
		{"foreign", log->problems[ACP_LOG_FOREIGN]},
		{"torn", log->problems[ACP_LOG_TORN]},
		{"long", log->problems[ACP_LOG_TOO_LONG]},
		{"oldEra", log->old_era},
		{"newEra", log->new_era},
	};
	const cJSON *want;
	cJSON_ArrayForEach (want, json_get(one, "counts")) {
		size_t i = 0;
		while (i < sizeof counts / sizeof *counts && strcmp(counts[i].name, want->string) != 0)
			i++;
		if (i == sizeof counts / sizeof *counts)
			case_fail(one, "no such count: %s", want->string);
		case_expect_count(one, want->string, counts[i].n, (size_t)want->valuedouble);
	}
	const cJSON *notes = json_get(one, "notes");
	if (notes)
		case_expect_count(one, "notes", log->notes.n, (size_t)cJSON_GetArraySize(notes));
	for (int i = 0; i < cJSON_GetArraySize(notes); i++)
		case_expect_count(one, "line of a note", log->notes.v[i].line,
				  (size_t)cJSON_GetArrayItem(notes, i)->valuedouble);
}

/* ---- against the replay ---- */

static double member_of(const cJSON *object, const char *name, double otherwise)
{
	double x = otherwise;
	json_num(json_get(object, name), &x);
	return x;
}

static struct acp_log_ours ours_of(void *ctx, const struct run *run, uint32_t n)
{
	const cJSON *all = ctx, *one = cJSON_GetArrayItem(all, (int)n - 1);
	(void)run;
	return (struct acp_log_ours){.density = member_of(one, "density", NAN),
				     .host = member_of(one, "host", NAN),
				     .reason = (int)member_of(one, "reason", -1),
				     .sent = (int)member_of(one, "sent", -1)};
}

static void expect_differences(const cJSON *one, struct acp_log *log, struct replayed *s)
{
	struct buf b = {0};
	const cJSON *known = json_get(one, "known");
	size_t agree, compared;
	acp_log_compare(log, &s->run, known ? ours_of : NULL, (void *)(uintptr_t)known);
	acp_log_counts(log, &agree, &compared);
	for (size_t i = 0; i < log->differences.n; i++) {
		const struct acp_log_difference *d = &log->differences.v[i];
		buf_printf(&b, "%s %u line %u ", d->compression ? "call" : "turn",
			   (unsigned)(d->compression ? d->compression : d->turn), (unsigned)d->line);
		acp_log_words_difference(d, &b);
		buf_char(&b, '\n');
	}
	expect_list(one, "differences", &b);
	if (json_get(one, "agree")) {
		case_expect_count(one, "agree", agree, (size_t)member_of(one, "agree", 0));
		case_expect_count(one, "compared", compared, agree + log->differences.n);
	}
	buf_free(&b);
}

/* ---- a case ---- */

/* "@1.500 x" is "1970-01-01T00:00:01.500Z x". */
static void put_log(struct buf *b, const cJSON *lines)
{
	const cJSON *line;
	cJSON_ArrayForEach (line, lines) {
		struct str s = json_str(line);
		size_t blank = str_find(s, STR(" "), 0);
		if (str_starts(s, STR("@"))) {
			buf_text(b, "1970-01-01T00:00:0");
			buf_str(b, str_cut(s, 1, blank));
			buf_char(b, 'Z');
			s = str_cut(s, blank, s.n);
		}
		buf_str(b, s);
		buf_char(b, '\n');
	}
}

static void log_one(const cJSON *one, void *ctx)
{
	struct replayed s;
	struct temp_file file;
	struct acp_log log;
	struct buf text = {0};
	struct error e = {0};
	(void)ctx;
	replayed_open_case(&s, one);
	put_log(&text, json_get(one, "log"));
	if (json_get(one, "tail"))
		buf_str(&text, json_str(json_get(one, "tail")));
	temp_file_write(&file, buf_view(&text));
	if (acp_log_load(&log, file.path, &s.recording, &e) != STATUS_OK)
		case_fail(one, "%s", e.message);
	temp_file_remove(&file);
	expect_told(one, &log);
	expect_counts(one, &log);
	if (json_get(one, "differences")) {
		replayed_start(&s, NULL);
		replayed_finish(&s);
		expect_differences(one, &log, &s);
	}
	buf_cut(&text, 0);
	acp_log_words_lines(&log, &text);
	assert_true(str_starts(buf_view(&text), STR("log ")));
	buf_free(&text);
	acp_log_free(&log);
	replayed_close(&s);
}

static void test_cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/acp_log.jsonl", log_one, NULL);
}

/* ---- lines ---- */

static void test_values(void **state)
{
	(void)state;
	assert_true(acp_log_number(STR("12.5")) == 12.5);
	assert_true(acp_log_number(STR("-3 more")) == -3);
	assert_true(acp_log_number(STR("1e3")) == 1000);
	static const char *const none[] = {"", "null", "NaN", "Infinity", "0x10", "12px", "1e999", "[1]", "true", " 1"};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_true(isnan(acp_log_number(str_of(none[i]))));
	assert_true(isnan(acp_log_number((struct str){NULL, 0})));
	assert_true(acp_log_errors(STR("0")) == 0);
	assert_true(acp_log_errors(STR("[\"a, b\",{\"c\":[1]}]")) == 2);
	assert_true(acp_log_errors(STR("[]")) == 0);
	assert_true(isnan(acp_log_errors(STR("[\"a"))));
	assert_true(isnan(acp_log_errors((struct str){NULL, 0})));
}

/* Every beginning and every one-byte change of a line is read or refused, never more than that. */
static void test_hostile(void **state)
{
	static const char line[] =
		"2026-10-01T10:00:00.000Z [info] [compress] event=applied ranges=[\"m1 \\\"errors=7\"] "
		"blocksCreated=1 tokensCompressed=12 errors=[\"a]\"] newBlockIds=[\"b1\"]";
	struct acp_log_line l;
	size_t n = sizeof line - 1, read = 0;
	(void)state;
	for (size_t cut = 0; cut <= n; cut++) {
		char *copy = mem_alloc(cut + 1);
		memcpy(copy, line, cut);
		bool ok = acp_log_line_read((struct str){copy, cut}, &l);
		/* the scope ends at byte 42 */
		assert_int_equal(ok, cut >= 42);
		read += ok;
		for (int i = 0; i < LOG_FIELDS; i++)
			assert_true(l.v[i].p == NULL || (l.v[i].p >= copy && l.v[i].p + l.v[i].n <= copy + cut));
		for (size_t at = 0; at < cut; at += 3) {
			static const char bytes[] = {0, '[', '"', '=', ' ', '\\', (char)0xff};
			copy[at] = bytes[(at + cut) % sizeof bytes];
			(void)acp_log_line_read((struct str){copy, cut}, &l);
			copy[at] = line[at];
		}
		free(copy);
	}
	assert_int_equal(read, n - 41);
	assert_true(acp_log_line_read((struct str){line, n}, &l));
	assert_true(acp_log_number(l.v[LOG_CREATED]) == 1 && acp_log_errors(l.v[LOG_ERRORS]) == 1);
}

static void test_files(void **state)
{
	struct replayed s;
	struct temp_file file;
	struct acp_log log;
	struct error e = {0};
	(void)state;
	replayed_open(&s, STR("{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"pi\"}\n"));
	assert_int_equal(acp_log_load(&log, "tests/cases/no-such-file", &s.recording, &e), STATUS_NO_INPUT);
	assert_int_equal(acp_log_load(&log, "tests/cases", &s.recording, &e), STATUS_DATA);
	temp_file_write(&file, STR("some\nother\nfile\n"));
	assert_int_equal(acp_log_load(&log, file.path, &s.recording, &e), STATUS_DATA);
	temp_file_remove(&file);
	replayed_close(&s);
}

/* ---- the sample ---- */

/*
 * Its figures were worked out by a program of its own (texts / 4, what the provider reports, what the host estimates),
 * and are those of the replay but for two: the window that the file does not tell, and after the compression the
 * system prompt, 1450 tokens, that it does not have either: 7101 and 8551.
 */
struct sample {
	struct recording recording;
	struct run run;
	struct checks checks;
};

static void open_sample(struct sample *s, const char *profile)
{
	struct policy policy;
	struct error e = {0};
	assert_int_equal(recording_load(&s->recording, "sample-sessions/pi-log.jsonl", NULL, &e), STATUS_OK);
	policy_for_host(&policy, s->recording.host);
	if (profile != NULL)
		assert_int_equal(policy_profile(&policy, str_of(profile), &e), STATUS_OK);
	assert_int_equal(run_init(&s->run, &s->recording, &policy, &(struct run_options){.limit = NAN}, &e), STATUS_OK);
	assert_int_equal(checks_find(&s->checks, &s->recording, NULL, &e), STATUS_OK);
	assert_int_equal(checks_log(&s->checks, &s->recording, "sample-sessions/pi-log.acp.log", &e), STATUS_OK);
	while (run_step(&s->run, 1000))
		;
	while (checks_step(&s->checks, &s->run, false))
		;
}

static void close_sample(struct sample *s)
{
	checks_free(&s->checks);
	run_free(&s->run);
	recording_free(&s->recording);
}

static void test_sample(void **state)
{
	struct sample s;
	struct buf b = {0};
	(void)state;
	open_sample(&s, NULL);
	const struct acp_log *log = &s.checks.log;
	assert_int_equal(s.run.timeline.turns.n, 12);
	assert_int_equal(log->turns_told, 11);
	assert_null(acp_log_turn(log, 1));
	assert_int_equal(log->compressions_told, 1);
	assert_true(acp_log_compression(log, 0)->compressed == 3862);
	assert_int_equal(log->differences.n, 2);
	const struct acp_log_difference *d = log->differences.v;
	assert_true(d[0].what == ACP_LOG_LIMIT && d[0].turn == 2 && d[0].log == 200000 && d[0].ours == 150000);
	assert_true(d[1].what == ACP_LOG_TOKENS && d[1].turn == 9 && d[1].log == 8551 && d[1].ours == 7101);
	/* token counts, the host's numbers, nudges, reasons, blocks, active ones of 11 turns, the window, two figures
	   of the compression */
	const struct fidelity *f = &s.checks.fidelity;
	assert_true(f->has_log);
	assert_int_equal(f->logged, 69);
	assert_int_equal(f->logged_agree, 67);
	acp_log_words_summary(log, &b);
	buf_char(&b, 0);
	assert_string_equal(b.p, "11 turns and 1 compress call told of, 67 of 69 figures agree; 1 line that is none of "
				 "a log; first difference: turn 2 (line 3 of the log), context window: the log has "
				 "200000, the replay 150000");
	buf_free(&b);
	close_sample(&s);
}

/* The host's own number is known under every profile; the first one is the estimate of the first user entry. */
static void test_known(void **state)
{
	struct sample s;
	(void)state;
	open_sample(&s, "P155");
	assert_int_equal(s.checks.log.compared[ACP_LOG_HOST], 11);
	assert_int_equal(s.checks.log.agree[ACP_LOG_HOST], 11);
	assert_true(acp_log_known(NULL, &s.run, 1).density == 1);
	close_sample(&s);
	open_sample(&s, NULL);
	struct acp_log_ours o = acp_log_known(NULL, &s.run, 1);
	assert_true(isnan(o.density) && !isnan(o.host) && o.sent == -1 && o.reason == NUDGE_IDLE);
	/* kernel.md 4.7.6, at 75 and 95 % of the window */
	static const struct {
		double usage;
		uint8_t tier;
		int reason;
	} kinds[] = {{0.7, 0, NUDGE_IDLE},
		     {0.7, 1, NUDGE_T1_READY},
		     {0.7, 2, NUDGE_T2_READY},
		     {0.7, 3, NUDGE_T3_READY},
		     {0.75, 0, NUDGE_PRESSURE_SUPPRESSED},
		     {0.75, 1, NUDGE_PRESSURE_T1},
		     {0.75, 2, NUDGE_PRESSURE_DISTILL},
		     {0.96, 3, NUDGE_PRESSURE_DISTILL}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		s.run.timeline.turns.v[0].usage = kinds[i].usage;
		s.run.timeline.turns.v[0].nudge_tier = kinds[i].tier;
		assert_int_equal(acp_log_known(NULL, &s.run, 1).reason, kinds[i].reason);
	}
	close_sample(&s);
}

/* Each difference is an event, at the turn it is about. */
static void test_events(void **state)
{
	struct sample s;
	struct frame f = {0};
	struct buf b = {0};
	(void)state;
	open_sample(&s, NULL);
	assert_int_equal(frame_open(&f, &s.run, (struct position){.turn = 2, .node = NODE_RENDER}, NULL), STATUS_OK);
	assert_int_equal(events_of(&f)->of_kind[EVENT_LOG], 0);
	f.checks = &s.checks;
	const struct events *e = events_of(&f);
	assert_int_equal(e->of_kind[EVENT_LOG], 2);
	const struct event *at = &e->v[events_before(e, f.at) - 1];
	assert_int_equal(at->kind, EVENT_LOG);
	assert_int_equal(at->turn, 2);
	struct view_context c = {.run = &s.run, .frame = &f, .width = 200, .selected = at->key, .unfolded = true};
	view_print(&events_view, &c, &b);
	buf_char(&b, 0);
	assert_non_null(strstr(b.p, "context window: the log has 200000, the replay 150000"));
	assert_non_null(strstr(b.p, "token count: the log has 8551, the replay 7101"));
	assert_non_null(strstr(b.p, "tells of 11 turns of 12 and 1 compress call of 1"));
	buf_free(&b);
	frame_close(&f);
	close_sample(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),  cmocka_unit_test(test_values), cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_files),  cmocka_unit_test(test_sample), cmocka_unit_test(test_known),
		cmocka_unit_test(test_events),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
