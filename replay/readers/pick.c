#include "replay/readers/pick.h"

#include <math.h>

enum { EXACT_DIGITS = 15 }; /* integers of so many digits are exact doubles */

/* Index of the name, looked for from `from` on and then from the start; `count` when there is none. */
static size_t find(struct str key, const struct str *names, size_t count, size_t from)
{
	size_t k;

	for (k = 0; k < count; k++) {
		size_t i = from + k < count ? from + k : from + k - count;

		if (str_eq(key, names[i]))
			return i;
	}
	return count;
}

void pick(const char *s, const struct json_scan *scan, const struct str *names, size_t count, struct json_span *out,
	  struct arena *scratch)
{
	size_t expected = 0, i, k;

	memset(out, 0, count * sizeof *out);
	for (i = 0; i < scan->members.n; i++) {
		const struct json_member *m = &scan->members.v[i];

		k = find(json_decode(scratch, s, m->key), names, count, expected);
		if (k == count)
			continue;
		out[k] = m->value;
		expected = k + 1 < count ? k + 1 : 0;
	}
}

double pick_num(struct arena *scratch, const char *s, struct json_span v)
{
	const char *p = s + v.at, *end = p + v.n;
	double x = 0;

	if (!pick_is(v, JSON_NUMBER))
		return NAN;
	if (v.n <= EXACT_DIGITS) {
		while (p < end && *p >= '0' && *p <= '9')
			x = x * 10 + (*p++ - '0');
		if (p == end)
			return x;
	}
	return json_num(json_tree(scratch, (struct str){s + v.at, v.n}, NULL, NULL), &x) ? x : NAN;
}
