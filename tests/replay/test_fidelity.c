/* systemTokens=fit and limit=N (policy.md), and how far a replay is what happened (interface.md, info). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "engine/base/json.h"
#include "replay/fidelity.h"
#include "replay/report/info.h"
#include "tests/replayed.h"

#define SESSION(host)                                                                                                  \
	"{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"" host "\",\"config\":{"                          \
	"\"preserveRecentMessages\":0,\"preserveRecentTokens\":0,"                                                     \
	"\"compress\":{\"minCompressRange\":0,\"minSummaryLength\":0}}}\n"
/* 16 characters: 4 tokens, raw estimate and host's */
#define ROW(id, role)                                                                                                  \
	"{\"type\":\"message\",\"id\":\"" id "\",\"role\":\"" role                                                     \
	"\",\"contentType\":\"text\",\"text\":\"1234567890123456\"}\n"
/* prompt size = the sum of input and cacheRead */
#define TURN(input, read)                                                                                              \
	"{\"type\":\"turn\",\"usage\":{\"input\":" #input ",\"output\":0,\"cacheRead\":" #read ",\"cacheWrite\":0}}\n"
#define FOLD(call, ref, outcome)                                                                                       \
	"{\"type\":\"compress\",\"callId\":\"" call "\",\"args\":{\"content\":[{\"startId\":\"" ref                    \
	"\",\"endId\":\"" ref "\",\"summary\":\"x\"}]}" outcome "}\n"

static void start(struct replayed *s, const char *text, const char *switches, const struct run_options *o)
{
	struct policy policy;
	struct error e = {0};
	replayed_open(s, str_of(text));
	policy_for_host(&policy, s->recording.host);
	if (switches != NULL)
		assert_int_equal(policy_apply(&policy, str_of(switches), &e), STATUS_OK);
	assert_int_equal(run_init(&s->run, &s->recording, &policy, o ? o : &(struct run_options){.limit = NAN}, &e),
			 STATUS_OK);
	s->has_run = true;
}

static void replay(struct replayed *s, const char *text, const char *switches)
{
	start(s, text, switches, NULL);
	replayed_finish(s);
}

/*
 * Counted: u 4; u, a 8; u, b, c 12, as a is folded (and the turn follows a fold: left out); with d 16; with e 20.
 * Actual: 104, 118, 1000, 132, 111. Less counted: 100, 110, -, 116, 91. The median of 91, 100, 110, 116 is 105.
 */
static const char folded[] = SESSION("pi") ROW("u", "user") TURN(4, 100) ROW("a", "assistant") TURN(118, 0)
	ROW("b", "assistant") FOLD("k", "m00002", "") ROW("c", "assistant") TURN(1000, 0) ROW("d", "assistant")
		TURN(32, 100) ROW("e", "assistant") TURN(111, 0);

static void test_fit(void **state)
{
	static const double raw[] = {4, 8, 12, 16, 20};
	struct replayed s;
	(void)state;
	replay(&s, folded, NULL);
	assert_true(s.run.compressions.v[0].applied);
	for (size_t i = 0; i < 5; i++)
		assert_true(s.run.timeline.turns.v[i].raw == raw[i]);
	struct fit fit = fit_system_tokens(&s.run);
	assert_int_equal(fit.turns, 4);
	assert_true(fit.tokens == 105);
	assert_true(s.run.system_tokens == 0 && s.run.system_tokens_assumed);
	assert_string_equal(s.run.system_source, "assumed");
	replayed_close(&s);
}

/* Rest: -5, 5, 1000 - 12 - 105 = 883, 11, -14; within 10 % of 104, 118, 1000, 132, 111: all but the third and the last.
 */
static void test_rest(void **state)
{
	static const double rest[] = {-5, 5, 883, 11, -14};
	struct replayed s;
	(void)state;
	replay(&s, folded, NULL);
	struct fidelity f = fidelity_of(&s.run, NULL);
	for (size_t i = 0; i < 5; i++)
		assert_true(fidelity_rest(&s.run, &s.run.timeline.turns.v[i], f.fit.tokens) == rest[i]);
	assert_int_equal(f.prompts, 5);
	assert_int_equal(f.prompts_agree, 3);
	assert_true(f.rest == 11); /* the median of 5, 5, 11, 14, 883 */
	assert_true(f.worst == 883);
	assert_int_equal(f.worst_turn, 3);
	assert_int_equal(f.outcomes + f.counts + f.refs, 0);
	assert_false(f.has_sidecar);
	replayed_close(&s);
}

/* An odd number: the one in the middle. 10 - 4, 30 - 4, 21 - 4. No prompt: nothing to go by. */
static void test_odd(void **state)
{
	struct replayed s;
	double v[] = {3, -1, 2};
	(void)state;
	assert_true(fit_median(v, 1) == 3);
	assert_true(fit_median(v, 3) == 2);
	replay(&s,
	       SESSION("other") ROW("u", "user") TURN(10, 0) TURN(30, 0) TURN(21, 0) "{\"type\":\"turn\"}\n" TURN(0, 0),
	       NULL);
	struct fit fit = fit_system_tokens(&s.run);
	assert_int_equal(fit.turns, 3);
	assert_true(fit.tokens == 17);
	replayed_close(&s);
	replay(&s, SESSION("other") ROW("u", "user") "{\"type\":\"turn\"}\n", NULL);
	fit = fit_system_tokens(&s.run);
	assert_int_equal(fit.turns, 0);
	assert_true(fit.tokens == 0);
	replayed_close(&s);
}

/* What no number can hold is no size, and nothing is worked out from it. */
static void test_huge(void **state)
{
	struct replayed s;
	struct buf b = {0};
	(void)state;
	replay(&s, SESSION("other") ROW("u", "user") TURN(10, 0) TURN(1e308, 1e308) TURN(1e999, 0) TURN(-3, 90), NULL);
	struct fidelity f = fidelity_of(&s.run, NULL);
	assert_int_equal(f.prompts, 1);
	assert_true(f.fit.turns == 1 && f.fit.tokens == 6);
	assert_true(isnan(s.run.timeline.turns.v[2].prompt) && isnan(s.run.timeline.turns.v[3].prompt));
	assert_true(isnan(s.run.timeline.turns.v[3].cache_read));
	assert_int_equal(s.recording.damage_count[DAMAGE_BAD_MEMBER], 2);
	fidelity_put(&f, &b);
	assert_true(str_find(buf_view(&b), STR("null"), 0) == SIZE_MAX);
	buf_free(&b);
	replayed_close(&s);
}

/* Under the switch the fit is part of every count of ours; it is the same as that of a run without it. */
static void test_fit_switch(void **state)
{
	struct replayed s;
	(void)state;
	start(&s, folded, "systemTokens=fit", NULL);
	assert_non_null(s.run.fitting);
	double progress = 0;
	while (run_step(&s.run, 1)) {
		assert_true(run_progress(&s.run) >= progress);
		progress = run_progress(&s.run);
		if (s.run.fitting != NULL)
			assert_true(s.run.timeline.turns.n == 0 && progress <= 0.5);
	}
	assert_true(run_progress(&s.run) == 1);
	assert_true(s.run.system_tokens == 105);
	assert_string_equal(s.run.system_source, "fit");
	assert_int_equal(s.run.timeline.turns.n, 5);
	/* turn 1: 4 + 105 against the host's 4; turn 2: 8 + 105 against 104 */
	assert_true(s.run.timeline.turns.v[0].tokens == 109);
	assert_true(s.run.timeline.turns.v[1].tokens == 113);
	replayed_close(&s);
	/* a run that is given up in the middle of it */
	start(&s, folded, "systemTokens=fit", NULL);
	(void)run_step(&s.run, 1);
	replayed_close(&s);
	/* nothing to fit to: what is known without it stays */
	replay(&s, SESSION("other") ROW("u", "user") "{\"type\":\"turn\"}\n", "systemTokens=fit");
	assert_true(s.run.system_tokens == 0 && s.run.system_tokens_assumed);
	assert_string_equal(s.run.system_source, "assumed");
	replayed_close(&s);
}

static void test_numbers(void **state)
{
	struct replayed s;
	struct run_options o = {.limit = NAN, .config_limit = 7000};
	(void)state;
	replay(&s, folded, "systemTokens=1000,limit=9000");
	assert_true(s.run.system_tokens == 1000 && !s.run.system_tokens_assumed);
	assert_string_equal(s.run.system_source, "--policy");
	assert_true(s.run.timeline.turns.v[0].tokens == 1004);
	assert_true(s.run.config.limit == 9000 && !s.run.limit_assumed);
	assert_string_equal(s.run.limit_source, "--policy");
	replayed_close(&s);
	/* --config beats the assumption, --policy beats it, --limit beats all */
	start(&s, folded, NULL, &o);
	assert_true(s.run.config.limit == 7000);
	assert_string_equal(s.run.limit_source, "--config");
	replayed_close(&s);
	start(&s, folded, "limit=9000", &o);
	assert_true(s.run.config.limit == 9000);
	replayed_close(&s);
	o.limit = 5000;
	start(&s, folded, "limit=9000", &o);
	assert_true(s.run.config.limit == 5000);
	assert_string_equal(s.run.limit_source, "--limit");
	replayed_close(&s);
}

/* ---- outcomes, counts, refs ---- */

/* k: both apply; l: the engine would, the host did not; m: both refuse; n: nothing is recorded; o: other blocks. */
static void test_outcomes(void **state)
{
	struct replayed s;
	(void)state;
	replay(&s,
	       SESSION("pi") ROW("u", "user") ROW("a", "assistant") ROW("b", "assistant") ROW("c", "assistant")
		       ROW("d", "assistant") FOLD("k", "m00002", ",\"outcome\":{\"applied\":true,\"blocksCreated\":1}")
			       FOLD("l", "m00003", ",\"outcome\":{\"applied\":false}") FOLD(
				       "m", "m00009", ",\"outcome\":{\"applied\":false}") FOLD("n", "m00004", "")
				       FOLD("o", "m00005", ",\"outcome\":{\"applied\":true,\"blocksCreated\":2}"),
	       NULL);
	struct fidelity f = fidelity_of(&s.run, NULL);
	assert_int_equal(f.outcomes, 4);
	assert_int_equal(f.outcomes_agree, 2);
	assert_int_equal(s.run.counterfactual, SIZE_MAX);
	replayed_close(&s);
}

/* What follows a record that could not be followed is no evidence; that record itself disagrees. */
static void test_counterfactual(void **state)
{
	struct replayed s;
	(void)state;
	replay(&s,
	       SESSION("pi") ROW("u", "user") TURN(104, 0) ROW("a", "assistant")
		       FOLD("k", "m00009", ",\"outcome\":{\"applied\":true}")
			       FOLD("l", "m00009", ",\"outcome\":{\"applied\":false}")
				       TURN(9999, 0) "{\"type\":\"turn\",\"tokenCount\":77}\n",
	       NULL);
	struct fidelity f = fidelity_of(&s.run, NULL);
	assert_int_equal(f.outcomes, 1);
	assert_int_equal(f.outcomes_agree, 0);
	assert_int_equal(f.outcomes_behind, 1);
	struct buf b = {0};
	fidelity_put(&f, &b);
	assert_true(str_starts(buf_view(&b), STR("outcomes 0 of 1 agree (1 more behind the point that could not be "
						 "followed); refs: no sidecar; ")));
	buf_cut(&b, 0);
	f.sidecar_unreadable = true;
	fidelity_put(&f, &b);
	assert_true(str_find(buf_view(&b), STR("refs: the sidecar is unreadable;"), 0) != SIZE_MAX);
	buf_free(&b);
	assert_int_equal(f.prompts, 1);
	assert_true(f.fit.tokens == 100);
	assert_int_equal(f.counts, 0);
	replayed_close(&s);
}

/* Ours: 4, 8, 12. Exactly, or not at all. */
static void test_counts(void **state)
{
	struct replayed s;
	static const char text[] = SESSION("other") ROW("u", "user") "{\"type\":\"turn\",\"tokenCount\":4}\n" ROW(
		"a", "assistant") "{\"type\":\"turn\",\"tokenCount\":8.5}\n" ROW("b",
										 "assistant") "{\"type\":\"turn\","
											      "\"tokenCount\":12}\n{"
											      "\"type\":\"turn\"}\n";
	(void)state;
	replay(&s, text, NULL);
	struct fidelity f = fidelity_of(&s.run, NULL);
	assert_int_equal(f.counts, 3);
	assert_int_equal(f.counts_agree, 2);
	assert_true(s.run.timeline.turns.v[1].own == 8 && s.run.timeline.turns.v[1].tokens == 8.5);
	replayed_close(&s);
}

static void test_refs(void **state)
{
	struct replayed s;
	struct drift d = {.with = DRIFT_SIDECAR, .refs_same = 7, .refs_different = 2, .refs_there = 5};
	struct buf b = {0};
	(void)state;
	replay(&s, folded, NULL);
	struct fidelity f = fidelity_of(&s.run, &d);
	assert_true(f.has_sidecar);
	assert_int_equal(f.refs, 9);
	assert_int_equal(f.refs_agree, 7);
	fidelity_put(&f, &b);
	buf_char(&b, 0);
	assert_string_equal(b.p,
			    "outcomes none recorded; refs 7 of 9 agree with the sidecar; token counts none recorded; "
			    "prompt sizes 3 of 5 within 10 % (unexplained: median 11, most 883 at turn 3; provider "
			    "usage less raw estimate less systemTokens=fit)");
	buf_cut(&b, 0);
	fidelity_put_short(&f, &b);
	buf_char(&b, 0);
	assert_string_equal(b.p, "refs 7/9 prompts 3/5");
	buf_free(&b);
	replayed_close(&s);
}

static void test_log(void **state)
{
	static const struct {
		struct fidelity f;
		const char *line, *shorter;
	} cases[] = {
		{{.has_log = true, .logged = 58, .logged_agree = 56},
		 "; figures of the log 56 of 58 agree",
		 "log 56/58"},
		{{.has_log = true}, "; log: nothing in it to compare", ""},
		{{.hits = 459, .hits_agree = 429},
		 "; hits 429 of 459 within 10 points of the prompt of what our requests keep",
		 "hits 429/459"},
		{{.has_log = false}, "prompt sizes none recorded", ""},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf b = {0};
		fidelity_put(&cases[i].f, &b);
		size_t n = strlen(cases[i].line);
		assert_true(b.n > n);
		assert_memory_equal(b.p + b.n - n, cases[i].line, n);
		buf_cut(&b, 0);
		fidelity_put_short(&cases[i].f, &b);
		assert_true(str_eq(buf_view(&b), str_of(cases[i].shorter)));
		buf_free(&b);
	}
}

/* ---- info ---- */

static void test_info(void **state)
{
	struct replayed s;
	struct buf b = {0};
	(void)state;
	replay(&s, folded, NULL);
	info_print(&s.recording, &s.run, &b);
	info_print_checks(&(struct info_checks){.run = &s.run}, &b);
	struct str all = buf_view(&b);
	assert_true(str_find(all, STR("\nwindow        150000 tokens (assumed)\n"), 0) != SIZE_MAX);
	assert_true(str_find(all,
			     STR("\nsystem prompt 0 tokens (assumed; systemTokens=fit: 105, the median of 4 turns)\n"),
			     0) != SIZE_MAX);
	assert_true(str_find(all, STR("\nfidelity      outcomes none recorded; refs: no sidecar; "), 0) != SIZE_MAX);
	assert_true(str_find(all, STR("counterfactual"), 0) == SIZE_MAX);
	buf_cut(&b, 0);
	replayed_close(&s);
	replay(&s, folded, "systemTokens=fit");
	info_print(&s.recording, &s.run, &b);
	assert_true(str_find(buf_view(&b), STR("\nsystem prompt 105 tokens (fit, the median of 4 turns)\n"), 0) !=
		    SIZE_MAX);
	buf_free(&b);
	replayed_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fit),     cmocka_unit_test(test_rest),
		cmocka_unit_test(test_odd),     cmocka_unit_test(test_fit_switch),
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_outcomes),
		cmocka_unit_test(test_huge),    cmocka_unit_test(test_counterfactual),
		cmocka_unit_test(test_counts),  cmocka_unit_test(test_refs),
		cmocka_unit_test(test_log),     cmocka_unit_test(test_info),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
