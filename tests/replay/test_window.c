/*
 * An assumed window that a recorded prompt refutes: who says so, and when
 * nothing is said; answers that failed among the events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/events.h"
#include "replay/report/info.h"
#include "replay/report/trace.h"
#include "replay/view/view.h"
#include "replay/window.h"
#include "tests/replayed.h"

/*
 * Prompts of 100,001, 150,000 (not larger than what policy.md assumes for Pi), 150,001 + 9 and 160,000 tokens; the
 * second answer was aborted by the user, who then said something; the fifth and sixth failed, and the seventh is the
 * second retry.
 */
static const char session[] =
	"{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"pi\"}\n"
	"{\"type\":\"message\",\"id\":\"u1\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"a\"}\n"
	"{\"type\":\"turn\",\"usage\":{\"input\":1,\"cacheRead\":100000,\"cacheWrite\":0,\"output\":5}}\n"
	"{\"type\":\"turn\",\"usage\":{\"input\":150000,\"cacheRead\":0,\"cacheWrite\":0,\"output\":9},\"stopReason\":"
	"\"aborted\"}\n"
	"{\"type\":\"message\",\"id\":\"u2\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"b\"}\n"
	"{\"type\":\"turn\",\"usage\":{\"input\":150001,\"cacheRead\":0,\"cacheWrite\":9,\"output\":5}}\n"
	"{\"type\":\"turn\",\"usage\":{\"input\":10000,\"cacheRead\":150000,\"cacheWrite\":0,\"output\":5}}\n"
	"{\"type\":\"turn\",\"stopReason\":\"error\"}\n"
	"{\"type\":\"turn\",\"stopReason\":\"error\"}\n"
	"{\"type\":\"turn\",\"usage\":{\"input\":10000,\"cacheRead\":150000,\"cacheWrite\":0,\"output\":5}}\n";

static void start(struct replayed *s, const char *options)
{
	replayed_open(s, str_of(session));
	replayed_start_with(s, "P342", options != NULL ? str_of(options) : (struct str){NULL, 0});
	replayed_finish(s);
}

static const struct event *event_of(const struct events *e, enum event_kind kind, uint32_t turn)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->v[i].kind == kind && e->v[i].turn == turn)
			return &e->v[i];
	return NULL;
}

static void expect_part(const struct buf *b, const char *part)
{
	if (strstr(b->p, part) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", b->p, part);
}

static void view(struct replayed *s, struct frame *f, const struct view_ops *v, int width, struct buf *out)
{
	struct view_context c = {.run = &s->run, .frame = f, .width = width};
	buf_cut(out, 0);
	view_print(v, &c, out);
}

static void refuted(void **state)
{
	(void)state;
	struct replayed s;
	struct frame f = {0};
	struct buf b = {0};
	start(&s, NULL);
	assert_true(window_refuted(&s.run));
	assert_int_equal(s.run.refuted_turn, 3);
	assert_true(s.run.refuted_first == 150010);
	assert_int_equal(s.run.refuted_most_turn, 4);
	assert_true(s.run.refuted_most == 160000);
	assert_true(s.run.config.limit == 150000);
	for (size_t i = 0; i < s.run.timeline.turns.n; i++)
		assert_int_equal((s.run.timeline.turns.v[i].events & MOMENT_REFUTED) != 0, i == 2);
	info_print(&s.recording, &s.run, &b);
	expect_part(&b, "(assumed, refuted by turn 3: prompt 150,010, at most 160,000 at turn 4 (provider usage))");
	expect_part(&b, "--limit");
	assert_int_equal(frame_open(&f, &s.run, (struct position){.turn = 2, .node = NODE_RENDER}, NULL), STATUS_OK);
	assert_int_equal(events_of(&f)->of_kind[EVENT_REFUTED], 1);
	assert_non_null(event_of(events_of(&f), EVENT_REFUTED, 3));
	view(&s, &f, &events_view, 80, &b);
	expect_part(&b, "prompt 150,010 > assumed window 150,000: give --limit");
	view(&s, &f, &nudge_view, 80, &b);
	expect_part(&b, "of 150,000 (assumed, refuted)");
	view(&s, &f, &timeline_view, 120, &b);
	expect_part(&b, "(assumed, refuted)");
	view(&s, &f, &timeline_view, 30, &b);
	expect_part(&b, "(a!)");
	frame_close(&f);
	buf_free(&b);
	replayed_close(&s);
}

/* A window that was given is not judged, and one that nothing exceeds not refuted. */
static void not_refuted(void **state)
{
	(void)state;
	static const char *const options[] = {"limit=100", "limit=160000"};
	for (size_t i = 0; i < 2; i++) {
		struct replayed s;
		struct buf b = {0};
		start(&s, options[i]);
		assert_false(window_refuted(&s.run));
		info_print(&s.recording, &s.run, &b);
		assert_null(strstr(b.p, "refuted"));
		buf_free(&b);
		replayed_close(&s);
	}
}

/* What is kept free for the answer is no smaller window of the provider's. */
static void kept_free_is_part_of_the_window(void **state)
{
	(void)state;
	struct replayed s;
	start(&s, "maxOutput=20000");
	assert_true(s.run.config.limit == 130000);
	assert_int_equal(s.run.refuted_turn, 3);
	replayed_close(&s);
}

static void failed_answers(void **state)
{
	(void)state;
	struct replayed s;
	struct frame f = {0};
	struct buf b = {0};
	start(&s, NULL);
	assert_int_equal(frame_open(&f, &s.run, (struct position){.turn = 7, .node = NODE_RENDER}, NULL), STATUS_OK);
	const struct events *e = events_of(&f);
	assert_int_equal(e->of_kind[EVENT_FAILED], 3);
	assert_non_null(event_of(e, EVENT_FAILED, 2));
	assert_non_null(event_of(e, EVENT_FAILED, 5));
	assert_non_null(event_of(e, EVENT_FAILED, 6));
	view(&s, &f, &events_view, 160, &b);
	expect_part(&b, "answer aborted\n");
	expect_part(&b, "answer errored: error; asked again at turn 6");
	expect_part(&b, "answer errored: error, attempt 2; asked again at turn 7");
	frame_close(&f);
	buf_free(&b);
	replayed_close(&s);
}

/* None of it is in a trace: its events are those of trace.md. */
static void the_trace_is_as_it_was(void **state)
{
	(void)state;
	uint16_t all = 0, event;
	for (unsigned i = 0; i < MOMENT_TRACED && moment_event_at(i, &event) != NULL; i++)
		all |= event;
	assert_int_equal(all, 0x0fff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuted),
		cmocka_unit_test(not_refuted),
		cmocka_unit_test(kept_free_is_part_of_the_window),
		cmocka_unit_test(failed_answers),
		cmocka_unit_test(the_trace_is_as_it_was),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
