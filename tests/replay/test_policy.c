/* policy.md: profiles, switches, and what is refused by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "replay/nearest.h"
#include "replay/policy.h"
#include "tests/case_file.h"

static void expect_written(const cJSON *one, const struct policy *p)
{
	const cJSON *want = json_get(one, "want");
	struct buf got = {0}, text = {0};
	if (want == NULL)
		return;
	policy_write(p, &got);
	json_put(&text, want);
	case_expect_text(one, "policy", buf_view(&got), buf_view(&text));
	buf_free(&got);
	buf_free(&text);
}

static void expect_error(const cJSON *one, enum status st, const struct error *e)
{
	const cJSON *error = json_get(one, "error"), *part;
	if (error == NULL && st != STATUS_OK)
		case_fail(one, "refused: %s", e->message);
	if (error != NULL && st != STATUS_USAGE)
		case_fail(one, "status %d, want a usage error", (int)st);
	cJSON_ArrayForEach (part, error) {
		if (str_find(str_of(e->message), json_str(part), 0) == SIZE_MAX)
			case_fail(one, "\"%s\" does not say \"%s\"", e->message, json_str(part).p);
	}
}

static void run_case(const cJSON *one, void *ctx)
{
	struct policy p;
	struct error e = {0};
	struct str host = json_str(json_get(one, "host")), profile = json_str(json_get(one, "profile"));
	struct str apply = json_str(json_get(one, "apply"));
	size_t *cases = ctx;
	++*cases;
	policy_for_host(&p, host.p ? host : STR("other"));
	if (host.p != NULL) {
		case_expect_text(one, "profile", str_of(p.profile), json_str(json_get(one, "is")));
	}
	enum status st = profile.p != NULL ? policy_profile(&p, profile, &e) : STATUS_OK;
	if (st == STATUS_OK && apply.p != NULL)
		st = policy_apply(&p, apply, &e);
	expect_error(one, st, &e);
	expect_written(one, &p);
}

static void test_cases(void **state)
{
	(void)state;
	size_t cases = 0;
	case_file_each("tests/cases/policy.jsonl", run_case, &cases);
	assert_true(cases > 20);
}

/* Where a value comes from, and that "-" is neither a value nor written. */
static void test_sources(void **state)
{
	(void)state;
	struct policy p;
	assert_int_equal(policy_profile(&p, STR("K60"), NULL), STATUS_OK);
	assert_int_equal(p.source[SWITCH_HIDE], POLICY_FROM_PROFILE);
	assert_string_equal(policy_value_name(&p, SWITCH_BARRIER), "-");
	assert_true(policy_is(&p, SWITCH_HIDE, "slim"));
	assert_false(policy_is(&p, SWITCH_HIDE, "full"));
	assert_int_equal(policy_apply(&p, STR("hide=full"), NULL), STATUS_OK);
	assert_int_equal(p.source[SWITCH_HIDE], POLICY_FROM_OPTION);
	assert_int_equal(p.source[SWITCH_ARGS], POLICY_FROM_PROFILE);
	assert_true(policy_is(&p, SWITCH_HIDE, "full"));
}

static const char *nearest(const char *wanted)
{
	static const char *const names[] = {"replay", "redact", "report", "info"};
	struct nearest best = {0};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		nearest_offer(&best, str_of(wanted), names[i]);
	return best.name;
}

/* An edit or two away, a swap, a beginning; nothing far. */
static void test_nearest(void **state)
{
	(void)state;
	assert_string_equal(nearest("repaly"), "replay");
	assert_string_equal(nearest("replya"), "replay");
	assert_string_equal(nearest("rep"), "replay");
	assert_string_equal(nearest("inof"), "info");
	assert_string_equal(nearest("reprot"), "report");
	assert_null(nearest("xyzzy"));
	assert_null(nearest(""));
	assert_null(nearest("a word that is longer than any of our names can ever be, by far"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_nearest),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
