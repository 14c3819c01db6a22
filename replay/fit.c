#include "replay/fit.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

double fit_median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, by_size);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

bool fit_counts(const struct run *r, const struct moment *m, bool folds)
{
	return m->prompt > 0 && isfinite(m->prompt) && !isnan(m->raw) && m->record < r->counterfactual &&
	       (folds || m->applied == 0);
}

struct fit fit_system_tokens(const struct run *r)
{
	VEC(double) rest = {0};
	struct fit fit = {0};
	for (size_t i = 0; i < r->timeline.turns.n; i++) {
		const struct moment *m = &r->timeline.turns.v[i];
		if (fit_counts(r, m, false))
			vec_push(&rest, m->prompt - m->raw);
	}
	fit.turns = rest.n;
	if (rest.n > 0)
		fit.tokens = fit_median(rest.v, rest.n);
	vec_free(&rest);
	return fit;
}
