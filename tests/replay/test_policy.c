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

/* The three lines of a switch in the help: its values, what it is for, whose default is what. */
static struct str help_of(struct str help, const char *name)
{
	struct buf head = {0};
	buf_printf(&head, "\n  %s=", name);
	size_t at = str_find(help, buf_view(&head), 0);
	assert_true(at < help.n);
	buf_free(&head);
	size_t next = str_find(help, STR("\n  "), at + 1);
	while (next < help.n && help.p[next + 3] == ' ')
		next = str_find(help, STR("\n  "), next + 1);
	return str_cut(help, at, next);
}

/* In the part "VALUE: A, B" of the last line. */
static bool has_default(struct str lines, const char *value, const char *profile)
{
	struct buf head = {0};
	buf_printf(&head, "%s: ", value);
	size_t last = str_find(lines, STR("\n      "), str_find(lines, STR("\n      "), 0) + 1);
	size_t at = str_find(lines, buf_view(&head), last);
	buf_free(&head);
	if (at == SIZE_MAX)
		return false;
	size_t end = str_find(lines, STR(";"), at);
	return str_find(str_cut(lines, at, end), str_of(profile), 0) != SIZE_MAX;
}

/* Every switch is in the help, with a line of meaning, and every profile with the value that it has. */
static void test_help(void **state)
{
	(void)state;
	struct buf b = {0};
	struct error e = {0};
	struct policy p;
	policy_put_help(&b);
	for (unsigned s = 0; s < SWITCH_TOTAL; s++) {
		struct str lines = help_of(buf_view(&b), policy_switch_name(s));
		size_t breaks = 0;
		for (size_t i = 0; i < lines.n; i++)
			breaks += lines.p[i] == '\n';
		assert_true(breaks >= 3);
		assert_int_equal(str_find(lines, STR("(null)"), 0), SIZE_MAX);
		for (size_t i = 0; s < SWITCH_IN_PROFILES && policy_profile_at(i) != NULL; i++) {
			const char *profile = policy_profile_at(i);
			assert_int_equal(policy_profile(&p, str_of(profile), NULL), STATUS_OK);
			const char *value = policy_value_name(&p, s);
			if (strcmp(value, "-") != 0)
				assert_true(has_default(lines, value, profile));
			else
				assert_int_equal(str_find(lines, str_of(profile), 0), SIZE_MAX);
		}
	}
	for (size_t at = 0; at < b.n; at = str_find(buf_view(&b), STR("\n"), at) + 1)
		assert_true(str_find(buf_view(&b), STR("\n"), at) - at <= 120);
	assert_int_equal(policy_apply(&p, STR("hied=full"), &e), STATUS_USAGE);
	assert_non_null(strstr(e.message, "nearest: hide (`acpdbg help policy` lists them)"));
	buf_free(&b);
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
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_nearest),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
