#include <math.h>

#include "replay/readers/pick.h"
#include "replay/readers/reader.h"

const struct str recording_usage_names[USAGE_MEMBERS] = {
	[USAGE_INPUT] = STR("input"),          [USAGE_OUTPUT] = STR("output"),
	[USAGE_CACHE_READ] = STR("cacheRead"), [USAGE_CACHE_WRITE] = STR("cacheWrite"),
	[USAGE_TOTAL] = STR("totalTokens"),    [USAGE_COST] = STR("cost"),
};

/* `total` of the object, or the number it is. What is neither, or cannot be a price, is 0. */
static double cost_of(struct arena *scratch, const char *s, struct json_span cost)
{
	static const struct str name[1] = {STR("total")};
	struct json_scan scan = {0};
	struct json_span total = cost;
	const char *at = s;
	double x;

	if (pick_is(cost, JSON_OBJECT) && json_scan(s + cost.at, cost.n, &scan) == JSON_OK) {
		at = s + cost.at;
		pick(at, &scan, name, 1, &total, scratch);
	}
	x = pick_num(scratch, at, total);
	json_scan_free(&scan);
	return x >= 0 && isfinite(x) ? x : 0;
}

struct usage recording_usage(struct recording *r, const char *s, const struct json_span *members, uint64_t line,
			     uint64_t at)
{
	double n[USAGE_COUNTS], prompt;
	bool known = true;
	size_t i;

	for (i = 0; i < USAGE_COUNTS; i++) {
		n[i] = pick_num(&r->loader->scratch, s, members[i]);
		if (n[i] >= 0 && isfinite(n[i]))
			continue;
		if (!isnan(n[i])) {
			recording_damage(r, DAMAGE_BAD_MEMBER, line, at + members[i].at,
					 "usage.%s is no number of tokens; it is not used", recording_usage_names[i].p);
			known = known && (i == USAGE_OUTPUT || i == USAGE_TOTAL);
		}
		n[i] = 0;
	}
	prompt = n[USAGE_INPUT] + n[USAGE_CACHE_READ] + n[USAGE_CACHE_WRITE];
	if (n[USAGE_TOTAL] == 0)
		n[USAGE_TOTAL] = prompt + n[USAGE_OUTPUT];
	if (prompt == 0)
		known = false;
	return (struct usage){.input = known ? n[USAGE_INPUT] : NAN,
			      .output = n[USAGE_OUTPUT],
			      .cache_read = known ? n[USAGE_CACHE_READ] : NAN,
			      .cache_write = known ? n[USAGE_CACHE_WRITE] : NAN,
			      .total = n[USAGE_TOTAL],
			      .cost = cost_of(&r->loader->scratch, s, members[USAGE_COST]),
			      .present = true};
}
