/*
 * What is sent at a position: from the lines of a session file to the bytes of
 * its requests, the request of a frame against the first pass and against one
 * built from nothing, and the Request view.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/json.h"
#include "engine/host/pi_draft.h"
#include "replay/request_lines.h"
#include "replay/run_pi.h"
#include "replay/view/view.h"
#include "tests/generate_pi.h"
#include "tests/replayed.h"
#include "tests/view_screens.h"

static void open_at(struct replayed *s, struct frame *f, uint32_t turn)
{
	struct position p = {.turn = turn, .node = NODE_RENDER};
	assert_int_equal(frame_open(f, &s->run, p, NULL), STATUS_OK);
}

/* ---- expected bytes ---- */

static void check_request(const cJSON *one, struct replayed *s, const cJSON *want)
{
	struct frame f = {0};
	struct buf got = {0}, expected = {0};
	const cJSON *line;
	open_at(s, &f, (uint32_t)strtoul(want->string, NULL, 10));
	frame_request_write(frame_request(&f), &got);
	cJSON_ArrayForEach (line, want) {
		if (expected.n > 0)
			buf_char(&expected, '\n');
		buf_str(&expected, json_str(line));
	}
	case_expect_text(one, want->string, buf_view(&got), buf_view(&expected));
	if (frame_request(&f)->sent.bytes != (double)expected.n)
		case_fail(one, "turn %s: %g bytes", want->string, frame_request(&f)->sent.bytes);
	frame_close(&f);
	buf_free(&got);
	buf_free(&expected);
}

static void check_holds(const cJSON *one, struct replayed *s, const cJSON *want)
{
	struct frame f = {0};
	size_t found = 0;
	open_at(s, &f, (uint32_t)strtoul(want->string, NULL, 10));
	const struct pi_egress *e = &frame_request(&f)->sender.egress;
	for (size_t i = 0; i < e->now.messages.n; i++)
		found += str_eq(pi_egress_bytes(e, &e->now.messages.v[i]), json_str(want));
	if (found != 1)
		case_fail(one, "turn %s: the line is there %zu times", want->string, found);
	frame_close(&f);
}

static double number_at(const cJSON *list, int i)
{
	double x = NAN;
	json_num(cJSON_GetArrayItem(list, i), &x);
	return x;
}

/* Units and bytes of the arguments of the one call of a message, as text. */
static void check_arguments(const cJSON *one, struct str message, const cJSON *want)
{
	struct arena a = {0};
	struct buf b = {0};
	const cJSON *arguments = json_get(json_get(json_tree(&a, message, NULL, NULL), "content")->child, "arguments");
	struct str text = json_str(arguments);
	if (text.p == NULL) {
		json_put(&b, arguments);
		text = buf_view(&b);
	}
	case_expect_count(one, "units", text_measure(text).units, (size_t)number_at(want, 3));
	case_expect_count(one, "bytes", text.n, (size_t)number_at(want, 4));
	buf_free(&b);
	arena_free(&a);
}

static void check_anchor(const cJSON *one, struct replayed *s, const cJSON *want)
{
	struct frame f = {0};
	size_t anchors = 0;
	open_at(s, &f, (uint32_t)number_at(want, 0));
	const struct frame_request *q = frame_request(&f);
	const struct pi_egress *e = &q->sender.egress;
	for (size_t i = 0; i < e->now.messages.n; i++) {
		const struct pi_message *m = &e->now.messages.v[i];
		if (m->recorded_tokens == 0)
			continue;
		anchors++;
		case_expect_count(one, "recorded", (size_t)m->recorded_tokens, (size_t)number_at(want, 1));
		case_expect_count(one, "sent", (size_t)m->anchor_tokens, (size_t)number_at(want, 2));
		check_arguments(one, pi_egress_bytes(e, m), want);
	}
	case_expect_count(one, "anchors", anchors, 1);
	case_expect_count(one, "anchors of the request", q->sent.anchors, 1);
	case_expect_count(one, "anchor tokens", (size_t)q->sent.anchor_tokens, (size_t)number_at(want, 1));
	case_expect_count(one, "slimmed tokens", (size_t)q->sent.slimmed_tokens, (size_t)number_at(want, 2));
	frame_close(&f);
}

static void check_host(const cJSON *one, struct replayed *s, const cJSON *want)
{
	struct frame f = {0};
	struct arena a = {0};
	open_at(s, &f, (uint32_t)strtoul(want->string, NULL, 10));
	struct request_lines l = request_lines_of(&f, frame_request(&f), &a);
	case_expect_count(one, "dropped by the host", l.host_drops, (size_t)number_at(want, 0));
	case_expect_count(one, "bytes without them", (size_t)l.host_bytes, (size_t)number_at(want, 1));
	arena_free(&a);
	frame_close(&f);
}

static void bytes_case(const cJSON *one, void *ctx)
{
	struct replayed s;
	const cJSON *want;
	(void)ctx;
	replayed_open_case(&s, one);
	replayed_start(&s, json_str(json_get(one, "profile")).p);
	replayed_finish(&s);
	cJSON_ArrayForEach (want, json_get(one, "requests"))
		check_request(one, &s, want);
	cJSON_ArrayForEach (want, json_get(one, "holds"))
		check_holds(one, &s, want);
	cJSON_ArrayForEach (want, json_get(one, "host"))
		check_host(one, &s, want);
	if (json_get(one, "anchor") != NULL)
		check_anchor(one, &s, json_get(one, "anchor"));
	replayed_close(&s);
}

static void bytes_from_session_files(void **state)
{
	(void)state;
	case_file_each("tests/cases/request.jsonl", bytes_case, NULL);
}

static void screens(void **state)
{
	(void)state;
	view_screens_file("tests/cases/request_views.jsonl");
}

/* ---- a frame's request, the first pass, and one built from nothing ---- */

struct passes {
	const char *name;
	VEC(struct buf) requests; /* by turn, built from nothing; without the nudge */
	size_t folds, retries, synced;
};

static void take_turn(void *ctx, struct run *r, uint32_t n, const struct moment *m)
{
	struct passes *x = ctx;
	struct sender alone = {0};
	struct buf bytes = {0};
	assert_int_equal(x->requests.n + 1, n);
	if (!(m->events & MOMENT_CAPACITY)) {
		sender_turn(&alone, r, &r->turn, m, pi_model_at(r, m->record), (struct sent_tail){0});
		pi_egress_write(&alone.egress, &alone.egress.now, &bytes);
	}
	vec_push(&x->requests, bytes);
	sender_free(&alone);
}

static void expect_number(const struct passes *x, uint32_t turn, const char *what, double pass, double frame)
{
	if (pass == frame || (isnan(pass) && isnan(frame)))
		return;
	print_error("%s, turn %u: %s is %g in the first pass, %g at the position\n", x->name, (unsigned)turn, what,
		    pass, frame);
	fail();
}

static void expect_sent(const struct passes *x, uint32_t turn, const struct sent *a, const struct sent *b)
{
#define MEMBER(m) expect_number(x, turn, #m, (double)a->m, (double)b->m)
	MEMBER(bytes);
	MEMBER(before_bytes);
	MEMBER(common_bytes);
	MEMBER(tokens);
	MEMBER(common_tokens);
	MEMBER(lost_tokens);
	MEMBER(tail_bytes);
	MEMBER(tail_tokens);
	MEMBER(predicted);
	MEMBER(actual);
	MEMBER(anchor_tokens);
	MEMBER(slimmed_tokens);
	MEMBER(anchors);
	MEMBER(messages);
	MEMBER(same);
	MEMBER(break_message);
	MEMBER(break_ref);
	MEMBER(cause);
	MEMBER(append_only);
#undef MEMBER
}

/* The lines of a request stand for its messages and those gone, each once, in order; what is the same is the same. */
static void check_lines(struct passes *x, struct frame *f, const struct frame_request *q)
{
	struct arena a = {0};
	struct request_lines l = request_lines_of(f, q, &a);
	const struct pi_egress *e = &q->sender.egress;
	uint32_t now = 0, states[REQUEST_STATES] = {0};
	size_t before = 0;
	for (size_t i = 0; i < l.n; i++) {
		const struct request_line *one = &l.v[i];
		states[one->state]++;
		if (one->now != 0)
			assert_int_equal(one->now, ++now);
		before += one->before != 0;
		assert_int_equal(one->state == REQUEST_REMOVED, one->now == 0);
		assert_int_equal(one->state == REQUEST_NEW, one->before == 0);
		if (one->now == 0 || one->before == 0)
			continue;
		bool same = str_eq(pi_egress_bytes(e, &e->now.messages.v[one->now - 1]),
				   pi_egress_bytes(e, &e->before.messages.v[one->before - 1]));
		assert_int_equal(one->state == REQUEST_SAME, same);
	}
	assert_int_equal(now, e->now.messages.n);
	assert_int_equal(before, e->before.messages.n);
	for (int k = 0; k < REQUEST_STATES; k++)
		assert_int_equal(states[k], l.of_state[k]);
	assert_int_equal(l.first_difference != SIZE_MAX, q->before != 0 && !q->sent.append_only);
	x->folds += q->sent.cause == SENT_COMPRESS;
	x->retries += l.host_drops;
	arena_free(&a);
}

static void check_turn(struct passes *x, struct replayed *s, struct frame *f, uint32_t turn)
{
	struct buf got = {0}, want = {0};
	open_at(s, f, turn);
	const struct frame_request *q = frame_request(f);
	if (s->run.timeline.turns.v[turn - 1].events & MOMENT_CAPACITY) {
		assert_int_equal(q->lack, REQUEST_CAPACITY);
		return;
	}
	assert_int_equal(q->lack, REQUEST_THERE);
	expect_sent(x, turn, &s->run.sender.sent.v[turn - 1], &q->sent);
	buf_str(&want, buf_view(&x->requests.v[turn - 1]));
	if (q->tail.n > 0) {
		if (want.n > 0)
			buf_char(&want, '\n');
		pi_draft_write_user(&want, buf_view(&q->tail));
	}
	frame_request_write(q, &got);
	if (!str_eq(buf_view(&got), buf_view(&want))) {
		print_error("%s, turn %u: another request\n", x->name, (unsigned)turn);
		fail();
	}
	x->synced += q->sent.slimmed_tokens < q->sent.anchor_tokens;
	check_lines(x, f, q);
	buf_free(&got);
	buf_free(&want);
}

/* Turns in an order that goes back and forth. */
static void check_session(struct passes *x, struct replayed *s)
{
	struct frame f = {0};
	s->run.want_requests = true;
	s->run.observer = (struct run_observer){.turn = take_turn, .ctx = x};
	replayed_finish(s);
	uint32_t n = (uint32_t)s->run.timeline.turns.n;
	assert_int_equal(s->run.sender.sent.n, n);
	for (uint32_t i = 0; i < n; i++)
		check_turn(x, s, &f, 1 + (i % 2 == 0 ? i / 2 : n - 1 - i / 2));
	frame_close(&f);
	for (size_t i = 0; i < x->requests.n; i++)
		buf_free(&x->requests.v[i]);
	x->requests.n = 0;
}

/* The last line of the view. */
static struct str last_line(const struct buf *b)
{
	size_t at = b->n - 1;
	while (at > 0 && b->p[at - 1] != '\n')
		at--;
	return str_cut(buf_view(b), at, b->n - 1);
}

/* The nudge stands at the end: its cost and why it is sent, or why it is not; shown once a user turn. */
static void nudges_at_the_tail(void **state)
{
	static const char *const words[PI_NUDGE_VERDICTS] = {
		[PI_NUDGE_NOT_INJECTED] = "  no nudge: the kernel does not inject (not-injected)",
		[PI_NUDGE_SENT_FIRST] = "nudge sent (sent-first-of-turn)",
		[PI_NUDGE_SENT_EMERGENCY] = "nudge sent (sent-emergency)",
		[PI_NUDGE_SENT_GROWTH] = "nudge sent (sent-growth-repeat)",
		[PI_NUDGE_SUPPRESSED_SHOWN] = "  nudge suppressed: shown already (suppressed-shown)",
		[PI_NUDGE_SUPPRESSED_RETRIES] = "  nudge suppressed: too many attempts failed (suppressed-retries)"};
	size_t seen[PI_NUDGE_VERDICTS] = {0};
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct replayed s;
		struct frame f = {0};
		struct buf text = {0};
		generate_pi(seed, 24, &text);
		replayed_open(&s, buf_view(&text));
		replayed_start_with(&s, "P342", STR("limit=20000"));
		replayed_finish(&s);
		for (uint32_t turn = 1; turn <= s.run.timeline.turns.n; turn++) {
			struct buf view = {0};
			enum pi_nudge_verdict v = (enum pi_nudge_verdict)s.run.pi.nudges.v[turn - 1];
			open_at(&s, &f, turn);
			struct view_context c = {.run = &s.run, .frame = &f, .width = 160};
			view_print(&request_view, &c, &view);
			struct str line = last_line(&view);
			seen[v]++;
			assert_true(str_find(line, str_of(words[v]), 0) != SIZE_MAX);
			assert_int_equal(str_find(line, STR("end user"), 0) != SIZE_MAX, pi_nudge_sent(v));
			assert_int_equal(frame_request(&f)->tail.n > 0, pi_nudge_sent(v));
			buf_free(&view);
		}
		frame_close(&f);
		replayed_close(&s);
		buf_free(&text);
	}
	assert_true(seen[PI_NUDGE_NOT_INJECTED] > 0 && seen[PI_NUDGE_SENT_FIRST] > 0 &&
		    seen[PI_NUDGE_SUPPRESSED_SHOWN] > 0);
}

/* Every line of the view opened, in windows narrow and wide: nothing is wider than the window. */
static void every_line_opens(void **state)
{
	static const int columns[] = {10, 33, 80};
	size_t opened = 0;
	(void)state;
	for (uint64_t seed = 21; seed <= 24; seed++) {
		struct replayed s;
		struct frame f = {0};
		struct buf text = {0};
		struct line l = {0};
		generate_pi(seed, 14, &text);
		replayed_open(&s, buf_view(&text));
		replayed_start_with(&s, "P342", STR("limit=9000,summaries=emit"));
		replayed_finish(&s);
		for (uint32_t turn = 1; turn <= s.run.timeline.turns.n; turn++) {
			open_at(&s, &f, turn);
			struct view_context c = {.run = &s.run, .frame = &f, .width = columns[turn % 3]};
			for (size_t i = 0; i < request_view.count(&c); i++) {
				uint64_t key = request_view.key(&c, i);
				request_view.line(&c, i, &l);
				assert_true(l.width > 0 && l.width <= c.width);
				for (size_t k = 0; key != 0 && k < request_view.detail_count(&c, key); k++) {
					request_view.detail_line(&c, key, k, &l);
					assert_true(l.width <= c.width);
					opened++;
				}
			}
		}
		line_free(&l);
		frame_close(&f);
		replayed_close(&s);
		buf_free(&text);
	}
	assert_true(opened > 1000);
}

static void frames_of_generated_sessions(void **state)
{
	static const struct {
		const char *profile, *policy;
	} policies[] = {{"P342", "limit=20000"},
			{"P258", "limit=20000"},
			{"P97", "limit=20000"},
			{"P173", ""},
			{"P342", "limit=9000,summaries=emit,reasoningDrop=2048"},
			{"P155", "limit=12000,snapshot=off"}};
	struct passes x = {0};
	char name[64];
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct replayed s;
		struct buf text = {0};
		size_t k = seed % (sizeof policies / sizeof *policies);
		generate_pi(seed, 12 + (uint32_t)seed % 20, &text);
		snprintf(name, sizeof name, "seed %u, %s", (unsigned)seed, policies[k].profile);
		x.name = name;
		replayed_open(&s, buf_view(&text));
		replayed_start_with(&s, policies[k].profile, str_of(policies[k].policy));
		check_session(&x, &s);
		replayed_close(&s);
		buf_free(&text);
	}
	vec_free(&x.requests);
	assert_true(x.folds > 20 && x.retries > 20 && x.synced > 20);
}

static void frames_of_the_samples(void **state)
{
	DIR *open = opendir("sample-sessions");
	const struct dirent *entry;
	struct passes x = {0};
	size_t files = 0;
	(void)state;
	assert_non_null(open);
	while ((entry = readdir(open)) != NULL) {
		struct replayed s = {0};
		char path[300];
		size_t n = strlen(entry->d_name);
		if (strncmp(entry->d_name, "pi-", 3) != 0 || n < 6 || strcmp(entry->d_name + n - 6, ".jsonl") != 0)
			continue;
		snprintf(path, sizeof path, "sample-sessions/%s", entry->d_name);
		x.name = path;
		assert_int_equal(recording_load(&s.recording, path, NULL, NULL), STATUS_OK);
		replayed_start(&s, "P342");
		check_session(&x, &s);
		replayed_close(&s);
		files++;
	}
	closedir(open);
	vec_free(&x.requests);
	assert_true(files > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_from_session_files),     cmocka_unit_test(screens),
		cmocka_unit_test(nudges_at_the_tail),           cmocka_unit_test(every_line_opens),
		cmocka_unit_test(frames_of_generated_sessions), cmocka_unit_test(frames_of_the_samples),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
