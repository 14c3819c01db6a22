/* The conformance driver (recording.md), and time travel: any record again gives the state it had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <math.h>

#include "engine/base/fnv.h"
#include "replay/report/trace.h"
#include "tests/generate.h"
#include "tests/replayed.h"

/* ---- cases ---- */

static void trace_on_turn(void *ctx, struct run *r, uint32_t n, const struct moment *m) { trace_turn(ctx, r, n, m); }
static void trace_on_compress(void *ctx, struct run *r, const struct compress_event *e) { trace_compress(ctx, r, e); }

static void expect_event(const cJSON *one, const cJSON *want, const cJSON *got, size_t number)
{
	const cJSON *member;
	struct buf a = {0}, b = {0};
	char what[64];
	cJSON_ArrayForEach (member, want) {
		if (strcmp(member->string, "only") == 0)
			continue;
		const cJSON *is = json_get(got, member->string);
		snprintf(what, sizeof what, "event %zu, %s", number, member->string);
		if (is == NULL)
			case_fail(one, "%s is missing", what);
		buf_cut(&a, 0);
		buf_cut(&b, 0);
		json_put(&a, is);
		json_put(&b, member);
		case_expect_text(one, what, buf_view(&a), buf_view(&b));
	}
	if (json_get(want, "only") != NULL)
		case_expect_count(one, "members of the event", (size_t)cJSON_GetArraySize(got),
				  (size_t)cJSON_GetArraySize(want) - 1);
	buf_free(&a);
	buf_free(&b);
}

static void run_case(const cJSON *one, void *ctx)
{
	struct replayed s;
	struct trace trace = {0};
	struct arena arena = {0};
	struct str profile = json_str(json_get(one, "profile")), policy = json_str(json_get(one, "policy"));
	size_t at = 0, number = 0;
	(void)ctx;
	replayed_open_case(&s, one);
	replayed_start_with(&s, profile.p, policy);
	s.run.observer = (struct run_observer){trace_on_turn, trace_on_compress, &trace};
	replayed_finish(&s);
	const cJSON *want = json_get(one, "want")->child;
	for (; at < trace.out.n; want = want->next) {
		struct str all = buf_view(&trace.out);
		size_t end = str_find(all, STR("\n"), at);
		number++;
		if (want == NULL)
			case_fail(one, "more events than the %zu wanted", number - 1);
		expect_event(one, want, json_tree(&arena, str_cut(all, at, end), NULL, NULL), number);
		at = end + 1;
	}
	if (want != NULL)
		case_fail(one, "only %zu events", number);
	arena_free(&arena);
	trace_free(&trace);
	replayed_close(&s);
}

static void test_cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/run.jsonl", run_case, NULL);
}

/* createdAt is the record's time, or 0 (recording.md). */
static void test_created_at(void **state)
{
	(void)state;
	struct replayed s;
	replayed_open(
		&s,
		STR("{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"renderTags\":\"none\","
		    "\"config\":{\"preserveRecentMessages\":0,\"preserveRecentTokens\":0,"
		    "\"compress\":{\"minCompressRange\":0,\"minSummaryLength\":0}}}\n"
		    "{\"type\":\"message\",\"id\":\"a\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"aa\"}\n"
		    "{\"type\":\"message\",\"id\":\"b\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"bb\"}\n"
		    "{\"type\":\"compress\",\"callId\":\"c\",\"time\":1700000000123,\"args\":{\"content\":"
		    "[{\"startId\":\"m00001\",\"endId\":\"m00001\",\"summary\":\"x\"}]}}\n"
		    "{\"type\":\"compress\",\"callId\":\"d\",\"args\":{\"content\":"
		    "[{\"startId\":\"m00002\",\"endId\":\"m00002\",\"summary\":\"x\"}]}}\n"));
	replayed_start(&s, "K60");
	replayed_finish(&s);
	assert_int_equal(s.run.state.blocks.n, 2);
	assert_true(s.run.state.blocks.v[0].created_at == 1700000000123.0);
	assert_true(s.run.state.blocks.v[1].created_at == 0);
	replayed_close(&s);
}

/* ---- configuration ---- */

/* policy.md: kernel defaults, session.config, --config; --limit beats contextLimit; an assumption where nothing tells.
 */
static void test_sources_of_configuration(void **state)
{
	(void)state;
	struct replayed s;
	struct policy p;
	struct arena arena = {0};
	struct error e = {0};
	replayed_open(&s, STR("{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"pi\","
			      "\"config\":{\"promotionThreshold\":3,\"preserveRecentMessages\":2}}\n"));
	policy_for_host(&p, s.recording.host);
	struct run_options o = {.limit = NAN, .config_name = "x.json"};
	assert_int_equal(run_init(&s.run, &s.recording, &p, &o, &e), STATUS_OK);
	assert_true(s.run.config.limit == 150000 && s.run.limit_assumed);
	assert_string_equal(s.run.limit_source, "assumed");
	assert_true(s.run.config.promotion_threshold == 3);
	assert_int_equal(s.run.config_source[config_member_find("promotionThreshold")], CONFIG_FROM_SESSION);
	assert_int_equal(s.run.config_source[config_member_find("nudge.growthFloor")], CONFIG_FROM_DEFAULT);
	run_free(&s.run);

	o.limit = 5000;
	o.config = json_tree(&arena, STR("{\"promotionThreshold\":4,\"nudge\":{\"growthFloor\":7}}"), NULL, NULL);
	assert_int_equal(run_init(&s.run, &s.recording, &p, &o, &e), STATUS_OK);
	assert_true(s.run.config.limit == 5000 && !s.run.limit_assumed);
	assert_string_equal(s.run.limit_source, "--limit");
	assert_true(s.run.config.promotion_threshold == 4 && s.run.config.growth_floor == 7);
	assert_true(s.run.config.preserve_messages == 2);
	assert_int_equal(s.run.config_source[config_member_find("promotionThreshold")], CONFIG_FROM_OPTION);
	assert_int_equal(s.run.config_source[config_member_find("preserveRecentMessages")], CONFIG_FROM_SESSION);
	run_free(&s.run);

	o.config = json_tree(&arena, STR("{\"promotionThreshold\":\"four\"}"), NULL, NULL);
	assert_int_equal(run_init(&s.run, &s.recording, &p, &o, &e), STATUS_DATA);
	assert_string_equal(e.file, "x.json");
	assert_non_null(strstr(e.message, "promotionThreshold"));
	arena_free(&arena);
	replayed_close(&s);
}

/* A config of a wrong type is an error that names file, line and member. */
static void test_wrong_config(void **state)
{
	(void)state;
	struct replayed s;
	struct policy p;
	struct error e = {0};
	replayed_open(&s, STR("{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"dsh\","
			      "\"config\":{\"nudge\":{\"growthFloor\":true}}}\n"));
	policy_for_host(&p, s.recording.host);
	assert_int_equal(run_init(&s.run, &s.recording, &p, &(struct run_options){.limit = NAN}, &e), STATUS_DATA);
	assert_string_equal(e.file, s.file.path);
	assert_int_equal(e.line, 1);
	assert_non_null(strstr(e.message, "nudge.growthFloor"));
	replayed_close(&s);
}

/* ---- time travel ---- */

static uint64_t state_hash(struct run *r)
{
	struct buf b = {0};
	state_write(&r->state, &b);
	buf_printf(&b, " %zu rows", r->state.rows.n);
	if (r->state.rows.n > 0)
		buf_printf(&b, ", last %u", r->state.rows.v[r->state.rows.n - 1]);
	uint64_t h = fnv_bytes(FNV_START, b.p, b.n);
	buf_free(&b);
	return h;
}

/* Splitmix, for places to go. */
static uint64_t next_random(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void open_generated(struct replayed *s, enum generate_shape shape, uint64_t seed, uint32_t turns)
{
	struct buf text = {0};
	generate_recording(&(struct generate_options){.shape = shape, .seed = seed, .turns = turns}, &text);
	replayed_open(s, buf_view(&text));
	buf_free(&text);
}

/*
 * The state before every record is noted while the first pass makes it, one
 * record a step, once straight and once with jumps between the steps; then any
 * order of seeks gives the same states, and the hashes of both passes agree.
 */
static void check_seeks(enum generate_shape shape, uint64_t seed, uint32_t turns)
{
	struct replayed s, t;
	open_generated(&s, shape, seed, turns);
	open_generated(&t, shape, seed, turns);
	replayed_start(&s, "K60");
	replayed_start(&t, "K60");
	VEC(uint64_t) hashes = {0};
	do
		vec_push(&hashes, state_hash(&s.run));
	while (run_step(&s.run, 1));
	size_t n = s.recording.records.n;
	assert_true(n > 50);
	vec_push(&hashes, state_hash(&s.run));
	assert_int_equal(hashes.n, n + 1);
	while (run_step(&t.run, 1 + next_random(&seed) % 200)) {
		size_t to = next_random(&seed) % (t.run.next + 1);
		run_seek(&t.run, to);
		assert_true(state_hash(&t.run) == hashes.v[to]);
	}
	for (int i = 0; i < 300; i++) {
		size_t to = next_random(&seed) % (n + 1);
		run_seek(&s.run, to);
		assert_true(state_hash(&s.run) == hashes.v[to]);
	}
	for (size_t to = n + 1; to-- > 0;) {
		run_seek(&s.run, to);
		assert_true(state_hash(&s.run) == hashes.v[to]);
	}
	assert_true(s.run.timeline.turns.n == t.run.timeline.turns.n);
	for (size_t i = 0; i < s.run.timeline.turns.n; i++)
		assert_true(s.run.timeline.turns.v[i].hash == t.run.timeline.turns.v[i].hash);
	assert_true(s.run.chain.hash == t.run.chain.hash);
	vec_free(&hashes);
	replayed_close(&s);
	replayed_close(&t);
}

static void test_seeks(void **state)
{
	(void)state;
	for (unsigned shape = 0; shape < GENERATE_SHAPES; shape++)
		for (uint64_t seed = 1; seed <= 3; seed++)
			check_seeks(shape, seed, 60);
}

/* More state records than epochs are kept: going back makes them again. */
static void test_many_epochs(void **state)
{
	(void)state;
	struct replayed s;
	struct buf text = {0};
	uint64_t seed = 7;
	buf_text(&text, "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"config\":{"
			"\"preserveRecentMessages\":0,\"preserveRecentTokens\":0,"
			"\"compress\":{\"minCompressRange\":0,\"minSummaryLength\":0}}}\n");
	for (int i = 0; i < 200; i++) {
		buf_printf(&text,
			   "{\"type\":\"message\",\"id\":\"i%d\",\"role\":\"%s\",\"contentType\":\"text\",\"text\":\"%"
			   "d\"}\n",
			   i, i % 3 ? "assistant" : "user", i * i);
		if (i % 10 == 9)
			buf_printf(&text,
				   "{\"type\":\"state\",\"state\":{\"stats\":{\"tokensCompressed\":%d,"
				   "\"compressionCount\":1},\"nextBlockId\":%d}}\n",
				   i, i);
		if (i % 10 == 5)
			buf_printf(&text,
				   "{\"type\":\"compress\",\"callId\":\"c%d\",\"args\":{\"content\":[{\"startId\":"
				   "\"m00002\",\"endId\":\"m00004\",\"summary\":\"s%d\"}]}}\n",
				   i, i);
		if (i % 50 == 33)
			buf_printf(&text, "{\"type\":\"rewind\",\"to\":\"i%d\"}\n", i - 3);
		if (i == 77 || i == 140)
			buf_text(&text, "{\"type\":\"rewind\",\"to\":null}\n");
		buf_text(&text, "{\"type\":\"turn\"}\n");
	}
	replayed_open(&s, buf_view(&text));
	replayed_start(&s, "K60");
	VEC(uint64_t) hashes = {0};
	do
		vec_push(&hashes, state_hash(&s.run));
	while (run_step(&s.run, 1));
	vec_push(&hashes, state_hash(&s.run));
	assert_int_equal(s.run.epochs.n, 21);
	assert_int_equal(s.run.problems, 0);
	assert_true(s.run.compressions.v[5].applied);
	for (int i = 0; i < 400; i++) {
		size_t to = next_random(&seed) % hashes.n;
		run_seek(&s.run, to);
		assert_true(state_hash(&s.run) == hashes.v[to]);
	}
	assert_int_equal(s.run.compressions.n, 20);
	assert_int_equal(s.run.timeline.turns.n, 200);
	vec_free(&hashes);
	buf_free(&text);
	replayed_close(&s);
}

/* A count that was given is taken; before the first record only the system's tokens count. */
static void test_token_count(void **state)
{
	(void)state;
	struct replayed s;
	enum count_scale counted;
	open_generated(&s, GENERATE_PLAIN, 5, 20);
	replayed_start(&s, "K60");
	replayed_finish(&s);
	assert_true(run_token_count(&s.run, 1234.5, &counted) == 1234.5);
	assert_int_equal(counted, COUNT_HOST);
	run_seek(&s.run, 0);
	assert_true(run_token_count(&s.run, NAN, &counted) == s.run.system_tokens);
	assert_int_equal(counted, COUNT_RAW);
	replayed_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_created_at),
		cmocka_unit_test(test_sources_of_configuration),
		cmocka_unit_test(test_wrong_config),
		cmocka_unit_test(test_seeks),
		cmocka_unit_test(test_many_epochs),
		cmocka_unit_test(test_token_count),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
