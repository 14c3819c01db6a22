/*
 * pi_count: what the Pi adapter tells the kernel about the size of the context
 * (pi.md 1.10, 8.2 with pi-rulings 2, 3).
 *
 * `struct pi_usage` is the host's own number: the provider's count of the last
 * good answer plus the host's estimates of what followed. It is told of every
 * entry of the branch in order. `pi_count_max` is the rule of P258 and P342: the
 * adapter's estimate of what is sent, floored by the host's number unless that
 * number is older than the last successful compression.
 * Scales: sent estimates are raw estimates, provider counts are provider usage,
 * host estimates are chars/4; the result is what the host gives as tokenCount.
 */
#ifndef ENGINE_HOST_PI_COUNT_H
#define ENGINE_HOST_PI_COUNT_H

#include "engine/kernel/surface.h"

struct pi_usage {
	double anchor; /* provider: context size after the last good answer; 0 = there was none */
	double after;  /* host estimates of the entries since */
	bool unknown;  /* a compaction came and no good answer since (pi.md 1.10.3) */
	bool stale;    /* a compression succeeded since the anchor's answer (pi.md 8.2) */
};

/* An entry that is no good answer joined the branch; `host_tokens` is ceil(chars / 4) (pi.md 1.10.1). */
void pi_usage_entry(struct pi_usage *u, double host_tokens);
/* An answer that is neither errored nor aborted and whose context size is > 0. */
void pi_usage_answer(struct pi_usage *u, double context_size);
/* A compress result that made at least one block. */
void pi_usage_compressed(struct pi_usage *u);
/* A compaction of the host. */
void pi_usage_compaction(struct pi_usage *u);
/* The host's number; false when it is unknown. */
bool pi_usage_known(const struct pi_usage *u, double *tokens);

/* Sums of the estimate below by row, each up to and with it. Zero-initialise; vec_free(&upto). */
struct pi_sent_sums {
	VEC(double) upto;
};
/*
 * The adapter's estimate of what is sent (pi-rulings 2): raw estimates of the
 * rows of a surface after hide-compress-calls, without tags, without summaries
 * (unless they are emitted) and without tool `compress`. `extra` (may be NULL)
 * is what a message counts for beside its text. The first `kept` rows are those
 * of the call before with these sums; the others are summed up anew.
 */
double pi_sent_estimate(struct pi_sent_sums *sums, size_t kept, const struct surface *f, const struct state *s,
			bool summaries_emitted, double (*extra)(const void *ctx, uint32_t message), const void *ctx);
/* count=max (pi.md 8.2, P258). *floored: the host's number decided. */
double pi_count_max(double sent, const struct pi_usage *u, bool *floored);

#endif
