/*
 * What is sent at a position: from the lines of a session file to the bytes of
 * its requests, the request of a frame against the first pass and against one
 * built from nothing, the Request view, recorded requests beside ours.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/json.h"
#include "engine/host/pi_draft.h"
#include "replay/request_dump.h"
#include "replay/request_lines.h"
#include "replay/requests.h"
#include "replay/view/view.h"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_from_session_files),
		cmocka_unit_test(screens),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
