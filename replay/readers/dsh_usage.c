#include "replay/readers/dsh.h"

/*
 * The forms of usage that providers have (formats.md 10). `inside` = input counts the cached tokens, too. Names not
 * used by a form are NULL; the first form that has its input member counts.
 */
static const struct form {
	const char *input, *output, *cache_read, *cache_write;
	const char *nested; /* object that holds cache_read */
	bool inside;
} forms[] = {
	{"input", "output", "cacheRead", "cacheWrite", NULL, false},
	{"prompt_cache_miss_tokens", "completion_tokens", "prompt_cache_hit_tokens", NULL, NULL, false},
	{"prompt_tokens", "completion_tokens", "cached_tokens", NULL, "prompt_tokens_details", true},
	{"input_tokens", "output_tokens", "cached_input_tokens", NULL, NULL, true},
	{"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", NULL, false},
	{"inputTokens", "outputTokens", "cachedInputTokens", NULL, NULL, true},
	{"inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", NULL, false},
};

static double count_of(const cJSON *object, const char *name)
{
	double x;

	return name && json_num(json_get(object, name), &x) && x >= 0 ? x : 0;
}

/* Its input is there; of two forms with the same name for it, the one whose cache members are there comes first. */
static bool fits(const cJSON *usage, const struct form *f, bool with_cache)
{
	double x;

	if (!json_num(json_get(usage, f->input), &x))
		return false;
	return !with_cache || json_get(f->nested ? json_get(usage, f->nested) : usage, f->cache_read) ||
	       (f->cache_write && json_get(usage, f->cache_write));
}

struct usage dsh_usage(const cJSON *usage)
{
	size_t n = sizeof forms / sizeof *forms, i;

	for (i = 0; i < 2 * n; i++) {
		const struct form *f = &forms[i % n];
		struct usage u = {.present = true};

		if (!fits(usage, f, i < n))
			continue;
		u.input = count_of(usage, f->input);
		u.output = count_of(usage, f->output);
		u.cache_read = count_of(f->nested ? json_get(usage, f->nested) : usage, f->cache_read);
		u.cache_write = count_of(usage, f->cache_write);
		if (f->inside)
			u.input = u.input > u.cache_read ? u.input - u.cache_read : 0;
		u.total = u.input + u.output + u.cache_read + u.cache_write;
		return u;
	}
	return (struct usage){0};
}
