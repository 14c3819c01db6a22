/* recording.md, Positions: n, n.node, n+k. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/position.h"
#include "tests/replayed.h"

static const char session_text[] =
	"{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\"}\n"
	"{\"type\":\"message\",\"id\":\"a\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"1\"}\n"
	"{\"type\":\"note\",\"text\":\"x\"}\n"
	"{\"type\":\"turn\"}\n"
	"{\"type\":\"message\",\"id\":\"b\",\"role\":\"assistant\",\"contentType\":\"text\",\"text\":\"2\"}\n"
	"{\"type\":\"note\",\"text\":\"x\"}\n"
	"{\"type\":\"turn\"}\n"
	"{\"type\":\"note\",\"text\":\"x\"}\n";

static void run_case(const cJSON *one, void *ctx)
{
	struct run *r = ctx;
	struct position p, again;
	struct error e = {0};
	struct buf b = {0};
	const cJSON *is = json_get(one, "is"), *error = json_get(one, "error");
	enum status st = position_parse(r, json_str(json_get(one, "text")), &p, &e);
	if (is == NULL && error == NULL)
		case_fail(one, "nothing is expected");
	if (error != NULL && (st != STATUS_USAGE || strstr(e.message, json_str(error).p) == NULL))
		case_fail(one, "status %d, message \"%s\"", (int)st, e.message);
	if (is == NULL)
		return;
	if (st != STATUS_OK)
		case_fail(one, "refused: %s", e.message);
	position_print(p, &b);
	case_expect_text(one, "position", buf_view(&b), json_str(is));
	if (position_parse(r, buf_view(&b), &again, &e) != STATUS_OK || !position_equal(p, again))
		case_fail(one, "what was printed is not read back");
	buf_free(&b);
}

static void test_cases(void **state)
{
	(void)state;
	struct replayed s;
	replayed_open(&s, str_of(session_text));
	replayed_start(&s, "K60");
	replayed_finish(&s);
	case_file_each("tests/cases/position.jsonl", run_case, &s.run);
	replayed_close(&s);
}

/* Records are counted from 0; a turn's position stands before its record, n+k behind the k-th record. */
static void test_records(void **state)
{
	(void)state;
	struct replayed s;
	replayed_open(&s, str_of(session_text));
	replayed_start(&s, "K60");
	replayed_finish(&s);
	const struct run *r = &s.run;
	assert_int_equal(position_records_after(r, 0), 2);
	assert_int_equal(position_records_after(r, 1), 2);
	assert_int_equal(position_records_after(r, 2), 1);
	assert_int_equal(position_record(r, (struct position){.turn = 0}), 0);
	assert_int_equal(position_record(r, (struct position){.turn = 0, .records = 1}), 1);
	assert_int_equal(position_record(r, (struct position){.turn = 1}), 2);
	assert_int_equal(position_record(r, (struct position){.turn = 1, .records = 2}), 5);
	assert_int_equal(position_record(r, (struct position){.turn = 2}), 5);
	assert_int_equal(position_record(r, (struct position){.turn = 2, .records = 1}), 7);
	replayed_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_records),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
