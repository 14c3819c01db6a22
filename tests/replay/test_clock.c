/* Times and lengths of time, as they are written; gaps of a recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "replay/view/clock.h"
#include "replay/view/view.h"
#include "tests/replayed.h"

static void expect(void (*put)(struct buf *, double), double ms, const char *want)
{
	struct buf b = {0};
	put(&b, ms);
	assert_string_equal(b.p, want);
	buf_free(&b);
}

static void words(void **state)
{
	(void)state;
	/* 20430 days after the epoch is 2025-12-08 */
	double noon = (20430.0 * 86400 + 12 * 3600 + 34 * 60 + 56) * 1000;
	expect(clock_put, noon + 999, "12:34:56");
	expect(clock_put_full, noon, "2025-12-08 12:34:56 UTC");
	expect(clock_put, NAN, "-");
	expect(clock_put, 1e300, "-");
	expect(clock_put_gap, 0, "0s");
	expect(clock_put_gap, 59999, "59s");
	expect(clock_put_gap, 60000, "1m00s");
	expect(clock_put_gap, 382000, "6m22s");
	expect(clock_put_gap, (3 * 3600 + 5 * 60 + 59) * 1000.0, "3h05m");
	expect(clock_put_gap, (12 * 24 + 4) * 3600e3, "12d04h");
	expect(clock_put_gap, 1e300, "0s");
	expect(clock_put_gap_words, 382000, "6 min 22 s");
	expect(clock_put_gap_words, 4000, "4 s");
}

static const char session[] =
	"{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"contextLimit\":1000}\n"
	"{\"type\":\"message\",\"id\":\"u1\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"a\"}\n"
	"{\"type\":\"turn\",\"time\":1000}\n"
	"{\"type\":\"turn\",\"time\":383000}\n"
	"{\"type\":\"turn\"}\n"
	"{\"type\":\"turn\",\"time\":2000}\n"
	"{\"type\":\"turn\",\"time\":1500}\n";

static void gaps(void **state)
{
	(void)state;
	struct replayed s;
	replayed_open(&s, str_of(session));
	replayed_start(&s, "K60");
	replayed_finish(&s);
	assert_true(clock_known(&s.run));
	assert_true(isnan(clock_turn(&s.run, 0)));
	assert_true(clock_turn(&s.run, 2) == 383000);
	assert_true(isnan(clock_turn(&s.run, 3)));
	assert_true(isnan(clock_turn(&s.run, 6)));
	assert_true(isnan(clock_gap(&s.run, 1)));
	assert_true(clock_gap(&s.run, 2) == 382000);
	assert_true(isnan(clock_gap(&s.run, 3)));
	assert_true(isnan(clock_gap(&s.run, 4)));
	assert_true(isnan(clock_gap(&s.run, 5))); /* time went back */
	replayed_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(gaps)};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
