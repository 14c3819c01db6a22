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

double pi_sent_estimate(const struct surface *f, const struct state *s, bool summaries_emitted)
{
	double sum = 0;
	for (size_t i = 0; i < f->rows.n; i++) {
		const struct surface_row *r = &f->rows.v[i];
		bool summary = str_starts(names_get(s->names, r->id), STR(SUMMARY_ID_PREFIX));
		if (r->tool != s->compress_tool && (summaries_emitted || !summary))
			sum += text_tokens(r->face.size);
	}
	return sum;
}

double pi_count_max(double sent, const struct pi_usage *u, bool *floored)
{
	double host;
	*floored = pi_usage_known(u, &host) && !(u->stale && u->anchor > 0) && host > sent;
	return *floored ? host : sent;
}
