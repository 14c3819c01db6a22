#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <math.h>

#include "engine/base/json.h"
#include "tests/reasons.h"

struct reason *reasons_want(struct wanted *w, enum rule rule)
{
	vec_push(&w->list, (struct reason){.rule = (uint16_t)rule, .holds = true, .number = {NAN, NAN, NAN, NAN}});
	return &w->list.v[w->list.n - 1];
}

void reasons_want_list(struct wanted *w, struct reason *r, const uint32_t *items, size_t n)
{
	assert_true(w->stored + n <= sizeof w->store / sizeof w->store[0]);
	r->list = w->store + w->stored;
	r->list_n = (uint32_t)n;
	for (size_t i = 0; i < n; i++)
		w->store[w->stored++] = items[i];
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool same_list(const struct reason *a, const struct reason *b)
{
	for (uint32_t i = 0; i < a->list_n; i++) {
		bool found = false;
		for (uint32_t k = 0; k < b->list_n; k++)
			found = found || a->list[i] == b->list[k];
		if (!found)
			return false;
	}
	return a->list_n == b->list_n;
}

static bool same_reason(const struct reason *a, const struct reason *b)
{
	bool numbers = true;
	for (int i = 0; i < REASON_NUMBERS; i++)
		numbers = numbers && same_number(a->number[i], b->number[i]);
	return a->rule == b->rule && a->variant == b->variant && a->holds == b->holds && a->name == b->name &&
	       str_eq(a->text, b->text) && numbers && same_list(a, b);
}

static void print_reason(const char *what, const struct reason *r)
{
	print_error("  %s %s variant %d holds %d name %u text %.*s numbers %g %g %g %g list %u:", what,
		    rule_name((enum rule)r->rule), r->variant, r->holds, r->name, (int)r->text.n,
		    r->text.p ? r->text.p : "", r->number[0], r->number[1], r->number[2], r->number[3], r->list_n);
	for (uint32_t i = 0; i < r->list_n; i++)
		print_error(" %u", r->list[i]);
	print_error("\n");
}

/* Both say the same, in whatever order; `only` (may be NULL) chooses the rules that are compared. */
void reasons_compare(const struct wanted *w, const struct explanation *x, bool (*only)(enum rule), const char *what)
{
	size_t compared = 0;
	for (size_t i = 0; i < x->reasons.n; i++) {
		const struct reason *r = &x->reasons.v[i];
		size_t same = 0, times = 0;
		if (only != NULL && !only((enum rule)r->rule))
			continue;
		compared++;
		for (size_t k = 0; k < w->list.n; k++)
			same += same_reason(&w->list.v[k], r);
		for (size_t k = 0; k < x->reasons.n; k++)
			times += same_reason(&x->reasons.v[k], r);
		if (same == times)
			continue;
		print_error("%s: wanted\n", what);
		for (size_t k = 0; k < w->list.n; k++)
			print_reason("   ", &w->list.v[k]);
		print_error("got\n");
		for (size_t k = 0; k < x->reasons.n; k++)
			print_reason("   ", &x->reasons.v[k]);
		fail();
	}
	if (compared != w->list.n) {
		print_error("%s: %zu reasons, %zu wanted\n", what, compared, w->list.n);
		for (size_t k = 0; k < w->list.n; k++)
			print_reason("want", &w->list.v[k]);
		for (size_t k = 0; k < x->reasons.n; k++)
			print_reason("got ", &x->reasons.v[k]);
		fail();
	}
}

/* ---- configuration behind a rule ---- */

static const struct {
	enum rule rule;
	const char *paths[5];
} members[] = {
	{RULE_ROW_RECENT_MESSAGES, {"preserveRecentMessages"}},
	{RULE_ROW_RECENT_TOKENS, {"preserveRecentTokens"}},
	{RULE_ROW_LAST_USER, {"preserveRecentMessages"}},
	{RULE_ROW_BLOCKED, {"protectedTools"}},
	{RULE_ROW_TRUNCATED, {"truncate.threshold", "modelContextLimit", "preserveRecentMessages"}},
	{RULE_ROW_RANGE, {"compress.minCompressRange"}},
	{RULE_NUDGE_USAGE, {"modelContextLimit"}},
	{RULE_NUDGE_PILES, {"compress.minCompressRange"}},
	{RULE_NUDGE_G, {"modelContextLimit", "nudge.growthRatio", "nudge.growthFloor", "nudge.growthCap"}},
	{RULE_NUDGE_F, {"nudge.minGrowthFloor", "nudge.minGrowthRatio"}},
	{RULE_NUDGE_D, {"nudge.tier2GrowthMultiplier"}},
	{RULE_RANGE_SIZE, {"compress.minCompressRange"}},
	{RULE_RANGE_TOOLS, {"protectedTools"}},
	{RULE_RANGE_RECENT, {"preserveRecentMessages", "preserveRecentTokens"}},
	{RULE_ALONE_GATE, {"compress.minCompressRange"}},
	{RULE_ALONE_GUARDED, {"protectedTools"}},
	{RULE_ALONE_ZONE, {"preserveRecentMessages", "preserveRecentTokens"}},
	{RULE_ALONE_SUMMARY, {"compress.minSummaryLength", "compress.maxSummaryLength"}},
	{RULE_BLOCK_OLD, {"promotionThreshold"}},
};

/* The session's config has this member: "a" or "a.b". */
static bool in_session(const cJSON *config, const char *path)
{
	const char *dot = strchr(path, '.');
	char group[32];
	if (dot == NULL)
		return json_get(config, path) != NULL;
	snprintf(group, sizeof group, "%.*s", (int)(dot - path), path);
	return json_get(json_get(config, group), dot + 1) != NULL;
}

void reasons_check_values(const struct reason *r, const cJSON *config)
{
	for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
		if (members[i].rule != r->rule)
			continue;
		int n = 0;
		while (members[i].paths[n] != NULL)
			n++;
		assert_int_equal(r->values, n);
		for (int k = 0; k < n; k++)
			assert_string_equal(config_members[r->value[k].member].path, members[i].paths[k]);
	}
	for (int k = 0; k < r->values; k++) {
		if (r->value[k].member < 0)
			continue;
		const char *path = config_members[r->value[k].member].path;
		bool given = in_session(config, path) || strcmp(path, "modelContextLimit") == 0;
		assert_string_equal(r->value[k].source, given ? "recording" : "default");
	}
}
