/*
 * Pi files from the line to the request: rows and host messages as the reader
 * gives them (tests/cases/pi_projection.jsonl), and the requests of whole runs,
 * built step by step, from nothing, and from the converted recording.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/base/fnv.h"
#include "engine/host/pi_egress.h"
#include "engine/host/pi_text.h"
#include "tests/replayed.h"
#include "tests/session_check.h"

/* ---- rows and entries ---- */

static void open_lines(struct replayed *s, const cJSON *one)
{
	struct buf text = {0};
	struct arena a = {0};
	const cJSON *line;
	buf_text(&text, "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-09-20T08:00:00.000Z\","
			"\"cwd\":\"/home/dev\"}\n");
	cJSON_ArrayForEach (line, json_get(one, "lines")) {
		buf_str(&text, case_expand(&a, json_str(line)));
		buf_char(&text, '\n');
	}
	replayed_open(s, buf_view(&text));
	buf_free(&text);
	arena_free(&a);
}

static void expect_name(const cJSON *one, const struct recording *r, const cJSON *row, const char *member, uint32_t got)
{
	struct str want = json_str(json_get(row, member));
	case_expect_text(one, member, names_get(&r->names, got), want.p ? want : STR(""));
}

static void check_rows(const cJSON *one, struct recording *r)
{
	const cJSON *row = json_get(one, "rows")->child;
	struct arena a = {0};
	for (size_t i = 0; i < r->messages.n; i++) {
		const struct message_record *m = &r->messages.v[i];
		if (m->rowless)
			continue;
		if (!row)
			case_fail(one, "more rows than wanted");
		expect_name(one, r, row, "id", m->message.id);
		expect_name(one, r, row, "toolName", m->message.tool);
		expect_name(one, r, row, "toolCallId", m->message.call);
		case_expect_text(one, "role", role_name((enum role)m->message.role), json_str(json_get(row, "role")));
		case_expect_text(one, "type", content_name((enum content)m->message.content),
				 json_str(json_get(row, "contentType")));
		case_expect_text(one, "text", recording_text(r, m->text, &a), json_str(json_get(row, "text")));
		row = row->next;
	}
	if (row)
		case_fail(one, "fewer rows than wanted");
	arena_free(&a);
}

/* By name, and through every record of the entry. */
static void check_entries(const cJSON *one, const struct recording *r)
{
	const cJSON *entry;
	struct arena a = {0};
	cJSON_ArrayForEach (entry, json_get(one, "entries")) {
		uint32_t name = names_find(&r->names, str_of(entry->string));
		size_t records = 0;
		case_expect_text(one, "entry", recording_entry_named(r, name, &a), json_str(entry));
		for (uint32_t i = 0; i < r->messages.n; i++) {
			if (r->messages.v[i].entry != name)
				continue;
			case_expect_text(one, "entry of a row", recording_entry(r, i, &a), json_str(entry));
			records++;
		}
		if (records == 0)
			case_fail(one, "no record of %s", entry->string);
	}
	if (recording_entry_named(r, 0, &a).p || recording_entry_named(r, UINT32_MAX, &a).p)
		case_fail(one, "an entry of no name");
	arena_free(&a);
}

static const cJSON *content_of(const cJSON *one, const struct recording *r, const char *entry, struct arena *a)
{
	struct str json = recording_entry_named(r, names_find(&r->names, str_of(entry)), a);
	if (!json.p)
		case_fail(one, "no entry %s", entry);
	return json_get(json_tree(a, json, NULL, NULL), "content");
}

static void check_extras(const cJSON *one, const struct recording *r)
{
	const cJSON *want, *block;
	struct arena a = {0};
	cJSON_ArrayForEach (want, json_get(one, "extras")) {
		struct pi_extras x = pi_extras_of(&a, content_of(one, r, want->string, &a));
		case_expect_count(one, "images", x.images, (size_t)want->child->valuedouble);
		if (x.thinking != want->child->next->valuedouble)
			case_fail(one, "%g thinking tokens", x.thinking);
	}
	cJSON_ArrayForEach (want, json_get(one, "first")) {
		const cJSON *content = content_of(one, r, want->string, &a), *call = NULL;
		cJSON_ArrayForEach (block, content)
			if (!call && pi_is_call(block))
				call = block;
		case_expect_text(one, "first call",
				 pi_call_text(&a, pi_content_text(&a, content),
					      pi_arguments_text(&a, json_get(call, "arguments"))),
				 json_str(want));
	}
	arena_free(&a);
}

static void check_refs(const cJSON *one, struct replayed *s)
{
	const cJSON *want;
	struct turn_input in;
	struct turn turn = {0};
	if (!json_get(one, "refs"))
		return;
	replayed_start(s, NULL);
	replayed_finish(s);
	in = run_turn_input(&s->run, 0, 0);
	assert_int_equal(turn_run(&turn, &s->run.state, &s->run.alternatives, &in), STATUS_OK);
	cJSON_ArrayForEach (want, json_get(one, "refs")) {
		char text[REF_TEXT_MAX];
		uint32_t name = names_find(&s->recording.names, str_of(want->string));
		case_expect_text(one, want->string,
				 state_ref_text(&s->run.state, state_info(&s->run.state, name)->ref, text),
				 json_str(want));
	}
	turn_free(&turn);
}

static void project_case(const cJSON *one, void *ctx)
{
	struct replayed s;
	(void)ctx;
	open_lines(&s, one);
	check_rows(one, &s.recording);
	check_entries(one, &s.recording);
	check_extras(one, &s.recording);
	check_refs(one, &s);
	replayed_close(&s);
}

static void rows_of_the_specification(void **state)
{
	(void)state;
	case_file_each("tests/cases/pi_projection.jsonl", project_case, NULL);
}

/* ---- requests of whole runs ---- */

struct requests {
	const cJSON *one;
	struct run *run;
	struct pi_egress egress;
	struct pi_egress_rules rules;
	VEC(uint64_t) hashes; /* of each request */
	size_t written, reused;
};

static struct str entry_json(void *ctx, uint32_t entry, struct arena *a)
{
	return recording_entry_named(ctx, entry, a);
}

static void compare_prefix(const struct requests *q, struct str now)
{
	struct buf before = {0};
	struct pi_prefix p = pi_egress_prefix(&q->egress);
	size_t n = 0;
	pi_egress_write(&q->egress, &q->egress.before, &before);
	while (n < before.n && n < now.n && before.p[n] == now.p[n])
		n++;
	case_expect_count(q->one, "common bytes", p.bytes, n);
	if (p.append_only != (n == before.n))
		case_fail(q->one, "append-only is %d", p.append_only);
	buf_free(&before);
}

static void take_turn(void *ctx, struct run *run, uint32_t n, const struct moment *m)
{
	struct requests *q = ctx;
	struct pi_egress alone = {0};
	struct buf got = {0}, want = {0};
	struct pi_egress_input in = {.surface = &run->turn.surface,
				     .state = &run->state,
				     .alternatives = &run->alternatives,
				     .entries = {entry_json, run->recording},
				     .rules = q->rules,
				     .model = STR("m")};
	(void)m;
	pi_egress_build(&q->egress, &in);
	pi_egress_build(&alone, &in);
	pi_egress_write(&q->egress, &q->egress.now, &got);
	pi_egress_write(&alone, &alone.now, &want);
	if (!str_eq(buf_view(&got), buf_view(&want)))
		case_fail(q->one, "turn %u: the request built on the one before is another one", (unsigned)n);
	case_expect_count(q->one, "bytes", q->egress.now.bytes, got.n);
	compare_prefix(q, buf_view(&got));
	for (size_t i = 0; i < q->egress.now.messages.n; i++)
		*(q->egress.now.messages.v[i].before ? &q->reused : &q->written) += 1;
	vec_push(&q->hashes, fnv_bytes(FNV_START, buf_view(&got).p, got.n));
	buf_free(&got);
	buf_free(&want);
	pi_egress_free(&alone);
}

/* Runs a session file and keeps what every request hashes to. */
static void run_requests(struct requests *q, struct replayed *s, struct str text)
{
	replayed_open(s, text);
	replayed_start(s, NULL);
	s->run.observer = (struct run_observer){.turn = take_turn, .ctx = q};
	q->run = &s->run;
	replayed_finish(s);
}

static void session_case(const cJSON *one, void *ctx)
{
	static const struct pi_egress_rules rules[] = {
		{PI_SYNC_ON, false, true, false, 0},
		{PI_SYNC_OFF, false, false, false, 0},
		{PI_SYNC_MERGED, true, true, true, 0},
	};
	size_t *totals = ctx;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		struct requests first = {.one = one, .rules = rules[i]}, second = first;
		struct replayed pi, own;
		struct buf converted = {0};
		run_requests(&first, &pi, json_str(json_get(one, "file")));
		session_write(&pi.recording, &converted, "converted");
		run_requests(&second, &own, buf_view(&converted));
		case_expect_count(one, "requests", second.hashes.n, first.hashes.n);
		for (size_t k = 0; k < first.hashes.n; k++)
			if (first.hashes.v[k] != second.hashes.v[k])
				case_fail(one, "request %zu of the converted recording is another one", k + 1);
		totals[0] += first.reused;
		totals[1] += first.written;
		replayed_close(&pi);
		replayed_close(&own);
		pi_egress_free(&first.egress);
		pi_egress_free(&second.egress);
		vec_free(&first.hashes);
		vec_free(&second.hashes);
		buf_free(&converted);
	}
}

static void requests_of_generated_sessions(void **state)
{
	size_t totals[2] = {0};
	(void)state;
	case_file_each("tests/cases/recording_pi_generated.jsonl", session_case, totals);
	assert_true(totals[0] > 0 && totals[1] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_the_specification),
		cmocka_unit_test(requests_of_generated_sessions),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
