#include "replay/nearest.h"

enum { LONGEST = 32 }; /* bytes of a name looked at; all our names are shorter */

/* Edits (insert, delete, replace, swap of neighbours) between two short texts. */
static size_t edits(const char *a, size_t an, const char *b, size_t bn)
{
	size_t rows[3][LONGEST + 1];
	for (size_t j = 0; j <= bn; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= an; i++) {
		size_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *older = rows[(i + 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= bn; j++) {
			size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
			best = last[j] + 1 < best ? last[j] + 1 : best;
			best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && older[j - 2] + 1 < best)
				best = older[j - 2] + 1;
			now[j] = best;
		}
	}
	return rows[an % 3][bn];
}

void nearest_offer(struct nearest *best, struct str wanted, const char *name)
{
	size_t n = strlen(name);
	if (wanted.n == 0 || wanted.n > LONGEST || n > LONGEST)
		return;
	size_t distance = str_starts(str_of(name), wanted) ? 1 : edits(wanted.p, wanted.n, name, n);
	size_t longer = wanted.n > n ? wanted.n : n;
	if (distance > 1 + longer / 4 || distance >= longer)
		return;
	if (best->name == NULL || distance < best->distance)
		*best = (struct nearest){name, distance};
}
