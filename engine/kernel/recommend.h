/*
 * recommend: compressible and protected ranges of a surface (kernel.md 4.6).
 */
#ifndef ENGINE_KERNEL_RECOMMEND_H
#define ENGINE_KERNEL_RECOMMEND_H

#include "engine/kernel/protect.h"

struct range {
	uint32_t start, end;  /* refs */
	uint32_t first, last; /* surface rows of start and end */
	uint32_t count;
	double tokens; /* by the turn's counter */
	double chars;  /* UTF-16 units */
	int tool_pct;  /* 0..100; text_pct = 100 - tool_pct */
	bool has_chars, dangerous;
};

struct protected_range {
	uint32_t start, end;
	uint32_t first, last;
	uint32_t count;
	double tokens;
	uint32_t tools_at, tools_n; /* into recommendation.tools: ordered unique names */
};

struct recommendation {
	VEC(struct range) compressible;
	VEC(struct range) recommended; /* merged to the minimum size (4.6.3) */
	VEC(struct protected_range) protected_ranges;
	VEC(uint32_t) tools;
	struct mark_set zone; /* refs of the recent zone */
	struct zone_rows zone_rows;
};

/* For a pruned surface: which calls are protected is taken from the counts of the state (S of kernel.md 4.1.1). */
/* `out` holds the ranges of a surface that began with the same `kept` rows (0: it need not hold anything). */
void recommend_run(const struct surface *f, struct state *s, const struct counter *counter, size_t kept,
		   struct recommendation *out);
/* 4.6.3 alone: merges `n` ranges to at least min_range units (<= 0: copied). */
void recommend_merge(const struct range *in, size_t n, double min_range, struct recommendation *out);
void recommend_free(struct recommendation *r);

#endif
