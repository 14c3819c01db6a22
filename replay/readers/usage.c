#include <math.h>

#include "replay/readers/pick.h"
#include "replay/readers/reader.h"

const struct str recording_usage_names[USAGE_MEMBERS] = {
	[USAGE_INPUT] = STR("input"),          [USAGE_OUTPUT] = STR("output"),
	[USAGE_CACHE_READ] = STR("cacheRead"), [USAGE_CACHE_WRITE] = STR("cacheWrite"),
	[USAGE_TOTAL] = STR("totalTokens"),
};

struct usage recording_usage(struct recording *r, const char *s, const struct json_span *members, uint64_t line,
			     uint64_t at)
{
	double n[USAGE_MEMBERS], prompt;
	bool known = true;
	size_t i;

	for (i = 0; i < USAGE_MEMBERS; i++) {
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
			      .present = true};
}
