#include "engine/kernel/config.h"

#include <math.h>
#include <string.h>

#include "engine/base/num.h"

#define AT(member) offsetof(struct config, member)

/* In the order of kernel.md 1.4. */
const struct config_member config_members[] = {
	{"tiers.enabled", AT(tiers_enabled), CONFIG_SWITCH},
	{"tiers.tier2Trigger", AT(tier2_trigger), CONFIG_NUMBER},
	{"tiers.tier3Trigger", AT(tier3_trigger), CONFIG_NUMBER},
	{"nudge.maxContextLimitPct", AT(nudge_max_pct), CONFIG_NUMBER},
	{"nudge.minContextLimitPct", AT(nudge_min_pct), CONFIG_NUMBER},
	{"nudge.frequency", AT(nudge_frequency), CONFIG_NUMBER},
	{"nudge.iterationThreshold", AT(nudge_iterations), CONFIG_NUMBER},
	{"nudge.growthRatio", AT(growth_ratio), CONFIG_NUMBER},
	{"nudge.growthFloor", AT(growth_floor), CONFIG_NUMBER},
	{"nudge.growthCap", AT(growth_cap), CONFIG_NUMBER},
	{"nudge.minGrowthFloor", AT(min_growth_floor), CONFIG_NUMBER},
	{"nudge.minGrowthRatio", AT(min_growth_ratio), CONFIG_NUMBER},
	{"nudge.emergencyThresholdPct", AT(emergency_pct), CONFIG_NUMBER},
	{"nudge.tier2GrowthMultiplier", AT(tier2_multiplier), CONFIG_NUMBER},
	{"promotionThreshold", AT(promotion_threshold), CONFIG_NUMBER},
	{"truncate.threshold", AT(truncate_threshold), CONFIG_NUMBER},
	{"compress.minCompressRange", AT(min_range), CONFIG_NUMBER},
	{"compress.maxSummaryLength", AT(max_summary), CONFIG_NUMBER},
	{"compress.minSummaryLength", AT(min_summary), CONFIG_NUMBER},
	{"protectedTools", AT(protected_tools), CONFIG_TOOLS},
	{"preserveRecentMessages", AT(preserve_messages), CONFIG_NUMBER},
	{"preserveRecentTokens", AT(preserve_tokens), CONFIG_NUMBER},
	{"modelContextLimit", AT(limit), CONFIG_NUMBER}, /* to be shown; config_merge refuses it */
	{NULL, 0, CONFIG_NUMBER},
};

/* Members without a place here: only their type is checked. */
static const struct config_member unused_members[] = {
	{"nudge.force", 0, CONFIG_TEXT},
	{"messageFilters", 0, CONFIG_OBJECT}, /* filters are functions: no file can bring one */
	{NULL, 0, CONFIG_NUMBER},
};

static const char *const groups[] = {"tiers", "nudge", "truncate", "compress"};

/* The window belongs to the session; whoever wrote it here meant that (recording.md, session). */
static const char *const refused[] = {"modelContextLimit", "contextLimit"};

struct config config_default(double limit)
{
	return (struct config){
		.limit = limit,
		.tiers_enabled = true,
		.tier2_trigger = 5,
		.tier3_trigger = 10,
		.nudge_max_pct = 0.75,
		.nudge_min_pct = 0.45,
		.nudge_frequency = 5,
		.nudge_iterations = 15,
		.growth_ratio = 0.05,
		.growth_floor = 50000,
		.growth_cap = 50000,
		.min_growth_floor = 20000,
		.min_growth_ratio = 0.45,
		.emergency_pct = 0.95,
		.tier2_multiplier = 1.5,
		.promotion_threshold = 5,
		.truncate_threshold = 0.95,
		.min_range = 5000,
		.max_summary = 20000,
		.min_summary = 50,
		.preserve_messages = 5,
		.preserve_tokens = 5000,
	};
}

/* ---- merging ---- */

/* The node at "group.name" or "name", or NULL. */
static const cJSON *node_at(const cJSON *overrides, const char *path)
{
	const char *dot = strchr(path, '.');
	if (!dot)
		return json_get(overrides, path);
	char group[16] = "";
	memcpy(group, path, (size_t)(dot - path));
	return json_get(json_get(overrides, group), dot + 1);
}

static enum status wrong_type(struct error *e, const char *path, const char *wanted)
{
	return error_set(e, STATUS_DATA, "config member %s must be %s", path, wanted);
}

/* By bytes, then by place in the list. */
static int by_text(const void *a, const void *b)
{
	const struct tool_entry *x = a, *y = b;
	size_t least = x->text.n < y->text.n ? x->text.n : y->text.n;
	int order = least > 0 ? memcmp(x->text.p, y->text.p, least) : 0;
	if (order != 0)
		return order;
	if (x->text.n != y->text.n)
		return x->text.n < y->text.n ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static bool is_prefix(struct str entry) { return entry.n > 0 && entry.p[entry.n - 1] == '*'; }

/* Of sorted prefixes: whatever an entry begins with stands on the way up from the one before it. */
static void link_prefixes(struct tool_entry *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t up = i; /* place + 1 of the one before */
		while (up != 0 && !str_starts(v[i].text, v[up - 1].text))
			up = v[up - 1].shorter;
		v[i].shorter = up;
		v[i].best = up != 0 && v[up - 1].best < v[i].index ? v[up - 1].best : v[i].index;
	}
}

/* 100,000 entries and as many tools must not be compared each with each. */
static void order_tools(struct config *c, struct arena *a)
{
	struct tool_entry *v = arena_alloc(a, (c->protected_n + 1) * sizeof *v);
	size_t exact = 0, prefixes = c->protected_n;
	for (size_t i = 0; i < c->protected_n; i++) {
		struct str entry = c->protected_tools[i];
		if (is_prefix(entry))
			v[--prefixes] = (struct tool_entry){.text = str_cut(entry, 0, entry.n - 1), .index = i};
		else
			v[exact++] = (struct tool_entry){.text = entry, .index = i};
	}
	if (exact > 1)
		qsort(v, exact, sizeof *v, by_text);
	if (c->protected_n - exact > 1)
		qsort(v + exact, c->protected_n - exact, sizeof *v, by_text);
	link_prefixes(v + exact, c->protected_n - exact);
	c->tool_order = v;
	c->exact_n = exact;
}

static enum status merge_tools(struct config *c, const cJSON *list, struct arena *a, const char *path, struct error *e)
{
	if (!cJSON_IsArray(list))
		return wrong_type(e, path, "a list of tool names");
	size_t n = 0;
	const cJSON *item;
	cJSON_ArrayForEach (item, list) {
		if (!cJSON_IsString(item))
			return error_set(e, STATUS_DATA, "config member %s[%zu] must be a tool name", path, n);
		n++;
	}
	c->protected_tools = arena_alloc(a, n * sizeof *c->protected_tools);
	c->protected_n = 0;
	cJSON_ArrayForEach (item, list) {
		struct str name = json_str(item);
		c->protected_tools[c->protected_n++] = (struct str){arena_copy(a, name.p, name.n), name.n};
	}
	order_tools(c, a);
	return STATUS_OK;
}

static enum status merge_member(struct config *c, const struct config_member *m, const cJSON *node, struct arena *a,
				struct error *e)
{
	char *place = (char *)c + m->offset;
	switch (m->kind) {
	case CONFIG_NUMBER:
		if (!json_num(node, (double *)(void *)place))
			return wrong_type(e, m->path, "a number");
		return STATUS_OK;
	case CONFIG_SWITCH:
		if (!cJSON_IsBool(node))
			return wrong_type(e, m->path, "true or false");
		*(bool *)place = cJSON_IsTrue(node);
		return STATUS_OK;
	case CONFIG_TEXT:
		return cJSON_IsString(node) ? STATUS_OK : wrong_type(e, m->path, "a text");
	case CONFIG_OBJECT:
		return cJSON_IsObject(node) ? STATUS_OK : wrong_type(e, m->path, "an object");
	case CONFIG_TOOLS:
		return merge_tools(c, node, a, m->path, e);
	}
	return STATUS_OK;
}

static enum status merge_table(struct config *c, const struct config_member *table, const cJSON *overrides,
			       struct arena *a, bool *touched, struct error *e)
{
	for (size_t i = 0; table[i].path; i++) {
		const cJSON *node = node_at(overrides, table[i].path);
		if (!node)
			continue;
		enum status st = merge_member(c, &table[i], node, a, e);
		if (st != STATUS_OK)
			return st;
		if (touched)
			touched[i] = true;
	}
	return STATUS_OK;
}

static enum status check_shape(const cJSON *overrides, struct error *e)
{
	if (!cJSON_IsObject(overrides))
		return error_set(e, STATUS_DATA, "config must be an object");
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		if (json_get(overrides, refused[i]))
			return error_set(e, STATUS_DATA,
					 "config member %s is refused: the window is contextLimit of the session",
					 refused[i]);
	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		const cJSON *group = json_get(overrides, groups[i]);
		if (group && !cJSON_IsObject(group))
			return wrong_type(e, groups[i], "an object");
	}
	return STATUS_OK;
}

enum status config_merge(struct config *c, const cJSON *overrides, struct arena *a, bool touched[CONFIG_MEMBERS_MAX],
			 struct error *e)
{
	if (!overrides)
		return STATUS_OK;
	enum status st = check_shape(overrides, e);
	/* on the side: an error leaves the config as it was */
	struct config merged = *c;
	bool set[CONFIG_MEMBERS_MAX] = {false};
	if (st == STATUS_OK)
		st = merge_table(&merged, config_members, overrides, a, set, e);
	if (st == STATUS_OK)
		st = merge_table(&merged, unused_members, overrides, a, NULL, e);
	if (st != STATUS_OK)
		return st;
	*c = merged;
	for (size_t i = 0; touched && i < CONFIG_MEMBERS_MAX; i++)
		touched[i] = touched[i] || set[i];
	return STATUS_OK;
}

/* ---- advice ---- */

size_t config_problems(const struct config *c, const char *problems[CONFIG_PROBLEMS_MAX])
{
	const struct {
		bool wrong;
		const char *problem;
	} checks[] = {
		{!isfinite(c->limit) || c->limit <= 0, "the context limit is not a number above 0"},
		{c->nudge_min_pct > c->nudge_max_pct, "nudge.minContextLimitPct is above nudge.maxContextLimitPct"},
		{c->nudge_max_pct > c->emergency_pct, "nudge.maxContextLimitPct is above nudge.emergencyThresholdPct"},
		{c->promotion_threshold < 1, "promotionThreshold is below 1"},
		{!(c->truncate_threshold > 0 && c->truncate_threshold <= 1), "truncate.threshold is not in (0, 1]"},
		{c->tier2_trigger < 1, "tiers.tier2Trigger is below 1"},
		{c->tier3_trigger < 1, "tiers.tier3Trigger is below 1"},
		{c->tier3_trigger <= c->tier2_trigger, "tiers.tier3Trigger is not above tiers.tier2Trigger"},
		/* not in kernel.md 1.4, which checks no sign: they act as 0 or turn a rule around */
		{c->preserve_messages < 0, "preserveRecentMessages is below 0"},
		{c->preserve_tokens < 0, "preserveRecentTokens is below 0"},
		{c->growth_ratio < 0, "nudge.growthRatio is below 0"},
		{c->growth_floor < 0, "nudge.growthFloor is below 0"},
		{c->growth_cap < 0, "nudge.growthCap is below 0"},
		{c->min_growth_floor < 0, "nudge.minGrowthFloor is below 0"},
		{c->min_growth_ratio < 0, "nudge.minGrowthRatio is below 0"},
		{c->tier2_multiplier < 0, "nudge.tier2GrowthMultiplier is below 0"},
		{c->nudge_min_pct < 0, "nudge.minContextLimitPct is below 0"},
	};
	size_t n = 0;
	for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
		if (checks[i].wrong)
			problems[n++] = checks[i].problem;
	return n;
}

/* ---- protected tools ---- */

/* How many of the sorted entries are not behind the tool's name, those that are equal included. */
static size_t not_behind(const struct tool_entry *v, size_t n, struct str tool)
{
	const struct tool_entry key = {.text = tool, .index = SIZE_MAX};
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (by_text(&v[mid], &key) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

size_t config_tool_entry(const struct config *c, struct str tool)
{
	const struct tool_entry *exact = c->tool_order, *prefixes = exact + c->exact_n;
	size_t found = SIZE_MAX;
	if (c->protected_n == 0)
		return SIZE_MAX;
	size_t at = not_behind(exact, c->exact_n, tool);
	while (at > 0 && str_eq(exact[at - 1].text, tool))
		found = exact[--at].index; /* the first of equal ones */
	size_t up = not_behind(prefixes, c->protected_n - c->exact_n, tool);
	while (up != 0 && !str_starts(tool, prefixes[up - 1].text))
		up = prefixes[up - 1].shorter;
	return up != 0 && prefixes[up - 1].best < found ? prefixes[up - 1].best : found;
}

/* ---- members by name ---- */

int config_member_find(const char *path)
{
	for (int i = 0; config_members[i].path; i++)
		if (strcmp(config_members[i].path, path) == 0)
			return i;
	return -1;
}

static void print_number(double x, struct buf *b)
{
	char text[NUM_TEXT_MAX];
	if (isinf(x)) { /* JSON has no spelling for it, 1e999 reads as it */
		buf_text(b, x > 0 ? "Infinity" : "-Infinity");
		return;
	}
	buf_bytes(b, text, num_print(text, x));
}

void config_member_print(const struct config *c, int member, struct buf *b)
{
	const struct config_member *m = &config_members[member];
	const char *place = (const char *)c + m->offset;
	switch (m->kind) {
	case CONFIG_NUMBER:
		print_number(*(const double *)(const void *)place, b);
		return;
	case CONFIG_SWITCH:
		buf_text(b, *(const bool *)place ? "true" : "false");
		return;
	default:
		for (size_t i = 0; i < c->protected_n; i++) {
			buf_text(b, i > 0 ? ", " : "");
			buf_str(b, c->protected_tools[i]);
		}
	}
}
