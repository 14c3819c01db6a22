#include "engine/host/pi_count.h"

void pi_usage_entry(struct pi_usage *u, double host_tokens) { u->after += host_tokens; }

void pi_usage_answer(struct pi_usage *u, double context_size) { *u = (struct pi_usage){.anchor = context_size}; }

void pi_usage_compressed(struct pi_usage *u) { u->stale = true; }

void pi_usage_compaction(struct pi_usage *u) { u->unknown = true; }

bool pi_usage_known(const struct pi_usage *u, double *tokens)
{
	*tokens = u->anchor + u->after;
	return !u->unknown;
}

double pi_sent_estimate(struct pi_sent_sums *sums, size_t kept, const struct surface *f, const struct state *s,
			bool summaries_emitted, double (*extra)(const void *ctx, uint32_t message), const void *ctx)
{
	if (sums->upto.n > kept)
		sums->upto.n = kept;
	double sum = sums->upto.n > 0 ? sums->upto.v[sums->upto.n - 1] : 0;
	for (size_t i = sums->upto.n; i < f->rows.n; i++) {
		const struct surface_row *r = &f->rows.v[i];
		bool summary = str_starts(names_get(s->names, r->id), STR(SUMMARY_ID_PREFIX));
		if (r->tool != s->compress_tool) {
			sum += summaries_emitted || !summary ? text_tokens(r->face.size) : 0;
			sum += extra != NULL && r->source >= 0 ? extra(ctx, (uint32_t)r->source) : 0;
		}
		vec_push(&sums->upto, sum);
	}
	return sum;
}

double pi_count_max(double sent, const struct pi_usage *u, bool *floored)
{
	double host;
	*floored = pi_usage_known(u, &host) && !(u->stale && u->anchor > 0) && host > sent;
	return *floored ? host : sent;
}
