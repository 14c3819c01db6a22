/* Places of /compact in a run: what is recorded there, the model in use, and where the host itself would cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "replay/compact.h"
#include "tests/replayed.h"

/* ---- a session ---- */

static void put_row(struct buf *b, const char *id, const char *role, size_t units)
{
	buf_printf(b, "{\"type\":\"message\",\"id\":\"%s\",\"role\":\"%s\",\"contentType\":\"%s\",\"text\":\"", id,
		   role, strcmp(role, "tool") == 0 ? "tool-result" : "text");
	for (size_t i = 0; i < units; i++)
		buf_char(b, 'x');
	buf_text(b, "\"}\n");
}

/*
 * 0 r1 user 10,000 host tokens, 1 model, 2 turn (provider: 5,000), 3 r2 assistant 10,000, 4 r3 result 10,000,
 * 5 r4 assistant 9,000, 6 compact, 7 note, 8 keep from r3 (a hook's), 9 r5 user 100, 10 turn, 11 r6 result 30,000,
 * 12 rewind to r2, 13 keep (the host's own), 14 compact without anything
 */
static void open_session(struct replayed *s)
{
	struct buf b = {0};
	buf_text(&b, "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"pi\",\"model\":\"first\"}\n");
	put_row(&b, "r1", "user", 40000);
	buf_text(&b, "{\"type\":\"model\",\"model\":\"second\",\"provider\":\"vllm\"}\n");
	buf_text(&b,
		 "{\"type\":\"turn\",\"usage\":{\"input\":4000,\"output\":1000,\"cacheRead\":0,\"cacheWrite\":0}}\n");
	put_row(&b, "r2", "assistant", 40000);
	put_row(&b, "r3", "tool", 39997); /* rounded up */
	put_row(&b, "r4", "assistant", 36000);
	buf_text(&b, "{\"type\":\"compact\",\"reply\":\"R\",\"model\":\"M\",\"time\":17,\"outcome\":{\"a\":1},"
		     "\"preparation\":{\"firstKeptEntryId\":\"E\",\"tokensBefore\":7}}\n");
	buf_text(&b, "{\"type\":\"note\",\"text\":\"n\"}\n");
	buf_text(&b, "{\"type\":\"keep\",\"from\":\"r3\",\"summary\":\"a "
		     "\\\"b\\\"\",\"tokensBefore\":9,\"fromHook\":true}\n");
	put_row(&b, "r5", "user", 400);
	buf_text(&b, "{\"type\":\"turn\",\"model\":\"third\"}\n");
	put_row(&b, "r6", "tool", 120000);
	buf_text(&b, "{\"type\":\"rewind\",\"to\":\"r2\"}\n");
	buf_text(&b, "{\"type\":\"keep\",\"from\":\"r2\",\"summary\":\"s\",\"tokensBefore\":9}\n");
	buf_text(&b, "{\"type\":\"compact\"}\n");
	replayed_open(s, buf_view(&b));
	buf_free(&b);
	replayed_start(s, NULL);
	replayed_finish(s);
	assert_int_equal(s->recording.records.n, 15);
}

static void expect_str(struct str got, const char *want)
{
	if (want == NULL ? got.p == NULL : str_eq(got, str_of(want)))
		return;
	print_error("'%.*s', want '%s'\n", (int)got.n, got.p ? got.p : "", want ? want : "(nothing)");
	fail();
}

static void test_recorded(void **state)
{
	struct replayed s;
	struct arena a = {0};
	struct compact_recorded r;
	(void)state;
	open_session(&s);
	assert_true(compact_read(&s.run, 6, &a, &r));
	assert_false(r.hook);
	expect_str(r.reply, "R");
	expect_str(r.model, "M");
	expect_str(r.error, NULL);
	expect_str(r.preparation.first_kept, "E");
	assert_true(r.preparation.tokens_before == 7 && r.time == 17);
	assert_true(json_get(r.outcome, "a") != NULL);
	/* pi-rulings 12: the stored summary is the reply; the recording knows the row, not the entry */
	assert_true(compact_read(&s.run, 8, &a, &r));
	assert_true(r.hook);
	expect_str(r.reply, "{\"summary\":\"a \\\"b\\\"\"}");
	expect_str(r.preparation.first_kept, "r3");
	assert_true(r.preparation.tokens_before == 9);
	assert_true(compact_read(&s.run, 14, &a, &r));
	expect_str(r.reply, NULL);
	assert_true(isnan(r.preparation.tokens_before) && r.preparation.first_kept.p == NULL && r.time == 0);
	assert_false(compact_read(&s.run, 13, &a, &r)); /* the host's own */
	assert_false(compact_read(&s.run, 7, &a, &r));
	assert_false(compact_read(&s.run, 15, &a, &r)); /* behind the end */
	arena_free(&a);
	replayed_close(&s);
}

static void test_find(void **state)
{
	static const struct {
		size_t from, want;
	} cases[] = {{0, SIZE_MAX}, {3, 6}, {6, 6}, {7, 8}, {9, SIZE_MAX}, {11, 14}, {15, SIZE_MAX}};
	struct replayed s;
	(void)state;
	open_session(&s);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(compact_find(&s.run, cases[i].from), cases[i].want);
	replayed_close(&s);
}

static void test_model(void **state)
{
	static const struct {
		size_t record;
		const char *provider, *model;
	} cases[] = {{0, NULL, "first"},
		     {1, NULL, "first"},
		     {2, "vllm", "second"},
		     {10, "vllm", "second"},
		     {11, NULL, "third"}};
	struct replayed s;
	struct arena a = {0};
	(void)state;
	open_session(&s);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct str provider, model;
		compact_session_model(&s.run, cases[i].record, &a, &provider, &model);
		expect_str(model, cases[i].model);
		expect_str(provider, cases[i].provider);
	}
	arena_free(&a);
	replayed_close(&s);
}

/* pi.md 1.10.5 with 20,000 tokens to keep, and 1.10.2. */
static void test_host_cut(void **state)
{
	static const struct {
		size_t record;
		const char *first;
		double tokens;
	} cases[] = {
		{0, NULL, NAN},    /* nothing there */
		{1, "r1", 10000},  /* no answer yet: the sum of the estimates */
		{4, "r1", 5000},   /* r2 10,000, with r1 20,000: reached */
		{5, "r2", 15000},  /* 10,000 + 10,000: reached at r2 */
		{6, "r2", 24000},  /* 9,000 + 10,000 + 10,000: reached at r2 */
		{9, "r4", 24000},  /* begins at r3, is never reached: the first that can be, no result */
		{10, "r4", 24100}, /* the same with 100 more */
		{12, "r4", 54100}, /* reached at a result with nothing behind it: as if never reached */
		{13, "r1", 5000},  /* back at r2: the answer's own count */
		{14, "r2", 5000},  /* begins at r2 */
	};
	struct replayed s;
	(void)state;
	open_session(&s);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pi_preparation p = compact_assume_preparation(&s.run, cases[i].record);
		if (isnan(cases[i].tokens) ? !isnan(p.tokens_before) : p.tokens_before != cases[i].tokens) {
			print_error("before record %zu: %g tokens\n", cases[i].record, p.tokens_before);
			fail();
		}
		expect_str(p.first_kept, cases[i].first);
	}
	replayed_close(&s);
}

static void test_first_row(void **state)
{
	struct replayed s;
	(void)state;
	open_session(&s);
	assert_int_equal(compact_first_row(&s.run, 15, STR("r3")), 2);
	assert_int_equal(compact_first_row(&s.run, 5, STR("r4")), UINT32_MAX); /* not there yet */
	assert_int_equal(compact_first_row(&s.run, 6, STR("r4")), 3);
	assert_int_equal(compact_first_row(&s.run, 15, STR("E")), UINT32_MAX);
	assert_int_equal(compact_first_row(&s.run, 15, (struct str){NULL, 0}), UINT32_MAX);
	replayed_close(&s);
}

/* Rows of one entry are one entry: its estimate counts once, and its id is what the host knows. */
static void test_entries(void **state)
{
	struct replayed s;
	(void)state;
	replayed_open(
		&s,
		STR("{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-09-20T08:00:00.000Z\","
		    "\"cwd\":\"/\"}\n"
		    "{\"type\":\"message\",\"id\":\"e1\",\"parentId\":null,\"timestamp\":\"2026-09-20T08:00:00.000Z\","
		    "\"message\":{\"role\":\"user\",\"content\":\"hi\",\"timestamp\":1}}\n"
		    "{\"type\":\"message\",\"id\":\"e2\",\"parentId\":\"e1\",\"timestamp\":\"2026-09-20T08:00:00."
		    "000Z\","
		    "\"message\":{\"role\":\"assistant\",\"timestamp\":1,\"stopReason\":\"toolUse\",\"content\":["
		    "{\"type\":\"toolCall\",\"id\":\"c1\",\"name\":\"bash\",\"arguments\":{\"x\":1}},"
		    "{\"type\":\"toolCall\",\"id\":\"c2\",\"name\":\"bash\",\"arguments\":{\"y\":2}}]}}\n"));
	replayed_start(&s, NULL);
	replayed_finish(&s);
	assert_int_equal(s.recording.messages.n, 3);
	size_t n = s.recording.records.n;
	assert_int_equal(compact_first_row(&s.run, n, STR("e2")), 1);
	assert_int_equal(compact_first_row(&s.run, n, STR("e2#c2")), 2);
	struct pi_preparation p = compact_assume_preparation(&s.run, n);
	expect_str(p.first_kept, "e1");
	/* "hi" is 1; two times "bash" and {"x":1} are 22 units, 6 */
	assert_true(p.tokens_before == 7);
	replayed_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded), cmocka_unit_test(test_find),      cmocka_unit_test(test_model),
		cmocka_unit_test(test_host_cut), cmocka_unit_test(test_first_row), cmocka_unit_test(test_entries),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
