/* The adapter's log on the screen: --log (pi.md 8.5). The sample: tests/replay/test_acp_log.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "replay/events.h"
#include "tui/screen_script.h"

static void open_with(struct screen_script *s, const struct cli_request *request)
{
	struct error e = {0};

	if (screen_open(s, request, 24, 120, false, &e) != STATUS_OK)
		fail_msg("%s", e.message);
}

static void assert_shows(struct screen_script *s, const char *want)
{
	struct buf all = {0};

	screen_dump(s, &all);
	buf_char(&all, 0);
	if (!strstr(all.p, want))
		fail_msg("no '%s' on\n%s", want, all.p);
	buf_free(&all);
}

static void test_differences(void **state)
{
	struct screen_script s;
	struct error e = {0};
	struct cli_request request = {
		.file = "sample-sessions/pi-log.jsonl", .log = "sample-sessions/pi-log.acp.log", .limit = (double)NAN};

	(void)state;
	open_with(&s, &request);
	assert_non_null(strstr(s.app.message.p, "11 turns and 1 compress call told of, 67 of 69 figures agree"));
	assert_int_equal(events_of(&s.app.now->frame)->of_kind[EVENT_LOG], 2);
	assert_int_equal(screen_keys(&s, STR("<F7>+"), &e), STATUS_OK);
	assert_shows(&s, "context window: the log has 200000, the replay 150000");
	assert_shows(&s, "token count: the log has 8551, the replay 7101");
	assert_shows(&s, "l67/69");
	screen_close(&s);

	request.log = NULL;
	open_with(&s, &request);
	assert_int_equal(events_of(&s.app.now->frame)->of_kind[EVENT_LOG], 0);
	screen_close(&s);
}

/* A log that was named and cannot be read ends it, as a state does. */
static void test_no_log(void **state)
{
	struct screen_script s;
	struct error e = {0};
	struct cli_request request = {
		.file = "sample-sessions/pi-log.jsonl", .log = "sample-sessions/pi-log.jsonl", .limit = (double)NAN};

	(void)state;
	assert_int_equal(screen_open(&s, &request, 24, 80, false, &e), STATUS_DATA);
	assert_non_null(strstr(e.message, "no line of the adapter's log"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_no_log),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
