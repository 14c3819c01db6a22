/* Defaults, overrides, types and advice: kernel.md 1.4. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/kernel/config.h"
#include "tests/case_file.h"

/* The table of kernel.md 1.4, as text. */
static void test_defaults(void **state)
{
	(void)state;
	static const struct {
		const char *path, *value;
	} table[] = {
		{"tiers.enabled", "true"},
		{"tiers.tier2Trigger", "5"},
		{"tiers.tier3Trigger", "10"},
		{"nudge.maxContextLimitPct", "0.75"},
		{"nudge.minContextLimitPct", "0.45"},
		{"nudge.frequency", "5"},
		{"nudge.iterationThreshold", "15"},
		{"nudge.growthRatio", "0.05"},
		{"nudge.growthFloor", "50000"},
		{"nudge.growthCap", "50000"},
		{"nudge.minGrowthFloor", "20000"},
		{"nudge.minGrowthRatio", "0.45"},
		{"nudge.emergencyThresholdPct", "0.95"},
		{"nudge.tier2GrowthMultiplier", "1.5"},
		{"promotionThreshold", "5"},
		{"truncate.threshold", "0.95"},
		{"compress.minCompressRange", "5000"},
		{"compress.maxSummaryLength", "20000"},
		{"compress.minSummaryLength", "50"},
		{"protectedTools", ""},
		{"preserveRecentMessages", "5"},
		{"preserveRecentTokens", "5000"},
		{"modelContextLimit", "123456"},
	};
	size_t n = sizeof table / sizeof table[0];
	struct config c = config_default(123456);
	for (size_t i = 0; i < n; i++) {
		struct buf b = {0};
		int member = config_member_find(table[i].path);
		assert_int_equal(member, i);
		config_member_print(&c, member, &b);
		assert_string_equal(b.p ? b.p : "", table[i].value);
		buf_free(&b);
	}
	assert_null(config_members[n].path);
	assert_true(n <= CONFIG_MEMBERS_MAX);
	assert_int_equal(config_member_find("nudge"), -1);
	assert_int_equal(config_member_find("growthFloor"), -1);
	assert_int_equal(config_member_find(""), -1);
}

static void put_members(const struct config *c, const bool *touched, struct buf *b)
{
	for (int i = 0; config_members[i].path; i++) {
		if (!touched[i])
			continue;
		buf_text(b, b->n > 0 ? " " : "");
		buf_text(b, config_members[i].path);
		buf_char(b, '=');
		config_member_print(c, i, b);
	}
}

static void put_problems(const struct config *c, struct buf *b)
{
	const char *problems[CONFIG_PROBLEMS_MAX];
	size_t n = config_problems(c, problems);
	for (size_t i = 0; i < n; i++) {
		buf_text(b, i > 0 ? "; " : "");
		buf_text(b, problems[i]);
	}
}

/* Everything in the struct beside the tools: a refused merge must change none of it. */
static void expect_defaults(const cJSON *one, const struct config *c)
{
	struct config d = config_default(100000);
	for (int i = 0; config_members[i].path; i++) {
		struct buf got = {0}, want = {0};
		config_member_print(c, i, &got);
		config_member_print(&d, i, &want);
		case_expect_text(one, config_members[i].path, buf_view(&got), buf_view(&want));
		buf_free(&got);
		buf_free(&want);
	}
}

/* A case: config, or configs one after the other; want: the members touched; error: a part of the message; problems. */
static void run_case(const cJSON *one, void *ctx)
{
	(void)ctx;
	struct arena arena = {0};
	struct config c = config_default(100000);
	struct error e = {0};
	bool touched[CONFIG_MEMBERS_MAX] = {false};
	struct str error = json_str(json_get(one, "error"));
	const cJSON *want = json_get(one, "want"), *problems = json_get(one, "problems"), *more;
	struct buf got = {0};
	json_num(json_get(one, "limit"), &c.limit);
	enum status st = config_merge(&c, json_get(one, "config"), &arena, touched, &e);
	cJSON_ArrayForEach (more, json_get(one, "configs"))
		if (st == STATUS_OK)
			st = config_merge(&c, more, &arena, touched, &e);
	if ((st == STATUS_DATA) != (error.p != NULL))
		case_fail(one, "status %d, message \"%s\"", (int)st, e.message);
	if (error.p) {
		if (str_find(str_of(e.message), error, 0) == SIZE_MAX)
			case_fail(one, "the message is \"%s\"", e.message);
		expect_defaults(one, &c);
	}
	put_members(&c, touched, &got);
	case_expect_text(one, "members", buf_view(&got), want ? json_str(want) : STR(""));
	if (problems) {
		buf_cut(&got, 0);
		put_problems(&c, &got);
		case_expect_text(one, "problems", buf_view(&got), json_str(problems));
	}
	buf_free(&got);
	arena_free(&arena);
}

static void test_merge(void **state)
{
	(void)state;
	case_file_each("tests/cases/config.jsonl", run_case, NULL);
}

/* The lists of a config outlive the text they were read from; `touched` and the error are optional. */
static void test_ownership(void **state)
{
	(void)state;
	struct arena arena = {0}, text = {0};
	struct config c = config_default(1);
	const cJSON *node = json_tree(&text, STR("{\"protectedTools\":[\"skill*\",\"t\\u0061sk\"]}"), NULL, NULL);
	assert_int_equal(config_merge(&c, node, &arena, NULL, NULL), STATUS_OK);
	arena_free(&text);
	assert_int_equal(c.protected_n, 2);
	assert_true(str_eq(c.protected_tools[0], STR("skill*")));
	assert_true(str_eq(c.protected_tools[1], STR("task")));
	assert_int_equal(config_merge(&c, NULL, &arena, NULL, NULL), STATUS_OK);
	node = json_tree(&text, STR("{\"protectedTools\":3}"), NULL, NULL);
	assert_int_equal(config_merge(&c, node, &arena, NULL, NULL), STATUS_DATA);
	assert_int_equal(c.protected_n, 2);
	arena_free(&text);
	arena_free(&arena);
}

/* What JSON cannot spell: no number at all, or none that ends. */
static void test_limits(void **state)
{
	(void)state;
	static const double limits[] = {0, -1, (double)INFINITY, (double)NAN};
	const char *problems[CONFIG_PROBLEMS_MAX];
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		struct config c = config_default(limits[i]);
		assert_int_equal(config_problems(&c, problems), 1);
		assert_non_null(strstr(problems[0], "limit"));
	}
	struct config c = config_default(1);
	assert_int_equal(config_problems(&c, problems), 0);
}

/* kernel.md 4.1.1: the first entry of the list that names the tool. */
static size_t first_entry(const struct config *c, struct str tool)
{
	for (size_t i = 0; i < c->protected_n; i++) {
		struct str entry = c->protected_tools[i];
		bool star = entry.n > 0 && entry.p[entry.n - 1] == '*';
		if (star ? str_starts(tool, str_cut(entry, 0, entry.n - 1)) : str_eq(tool, entry))
			return i;
	}
	return SIZE_MAX;
}

static size_t draw(uint64_t *random, size_t n)
{
	*random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (size_t)((*random >> 33) % n);
}

/* Short names of few letters, so that many are equal or begin with one another; stars in them, too. */
static struct str draw_name(uint64_t *random, struct arena *a, size_t stars)
{
	size_t n = draw(random, 6);
	char *text = arena_alloc(a, n + 1);
	for (size_t i = 0; i < n; i++)
		text[i] = "ab*"[draw(random, 2 + (draw(random, 4) < stars))];
	return (struct str){text, n};
}

static void test_tool_entries(void **state)
{
	(void)state;
	uint64_t random = 5;
	size_t named = 0;
	for (int list = 0; list < 300; list++) {
		struct arena a = {0};
		struct buf b = {0};
		struct config c = config_default(1000);
		buf_text(&b, "{\"protectedTools\":[");
		for (size_t i = 0, n = draw(&random, 30); i < n; i++) {
			if (i > 0)
				buf_char(&b, ',');
			json_put_str(&b, draw_name(&random, &a, 2));
		}
		buf_text(&b, "]}");
		cJSON *overrides = json_tree(&a, buf_view(&b), NULL, NULL);
		assert_int_equal(config_merge(&c, overrides, &a, NULL, NULL), STATUS_OK);
		for (int i = 0; i < 200; i++) {
			struct str tool = draw_name(&random, &a, 1);
			assert_int_equal(config_tool_entry(&c, tool), first_entry(&c, tool));
			named += first_entry(&c, tool) != SIZE_MAX;
		}
		buf_free(&b);
		arena_free(&a);
	}
	assert_true(named > 10000 && named < 50000);
}

/* A negative number anywhere is said by its name. */
static void test_negative(void **state)
{
	(void)state;
	static const char *const paths[] = {
		"preserveRecentMessages",     "preserveRecentTokens", "nudge.growthRatio",
		"nudge.growthFloor",          "nudge.growthCap",      "nudge.minGrowthFloor",
		"nudge.minGrowthRatio",       "promotionThreshold",   "truncate.threshold",
		"nudge.minContextLimitPct",   "tiers.tier2Trigger",   "tiers.tier3Trigger",
		"nudge.tier2GrowthMultiplier"};
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		struct config c = config_default(1000);
		const char *problems[CONFIG_PROBLEMS_MAX];
		size_t named = 0;
		double below = -0.5;
		const struct config_member *m = &config_members[config_member_find(paths[i])];
		memcpy((char *)&c + m->offset, &below, sizeof below);
		for (size_t n = config_problems(&c, problems); n > 0; n--)
			named += strncmp(problems[n - 1], paths[i], strlen(paths[i])) == 0;
		assert_true(named >= 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_merge),    cmocka_unit_test(test_ownership),
		cmocka_unit_test(test_limits),   cmocka_unit_test(test_negative), cmocka_unit_test(test_tool_entries),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
