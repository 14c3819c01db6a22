/*
 * density (view): what the files of the Density view share: density.c (head and
 * list), density_chart.c, density_detail.c. Internal to it.
 *
 * What needs all samples is worked out once for a run, a width and the model
 * of the position (density_page), and stays with the frame; a line then costs
 * what it shows.
 */
#ifndef REPLAY_VIEW_DENSITY_H
#define REPLAY_VIEW_DENSITY_H

#include "replay/density.h"
#include "replay/view/detail.h"

/* Keys: of the line of a turn the turn; of the verdict on a model this and its name. */
#define DENSITY_KEY_MODEL    (UINT64_C(1) << 40)
#define DENSITY_KEY_POSITION (UINT64_C(1) << 41) /* the sample of the position */

enum {
	DENSITY_MODELS = 8,     /* verdicts that are shown */
	DENSITY_RULE_FROM = 44, /* columns from which a verdict brings its rule, and the chart its legend */
	DENSITY_CHART_ROWS = 5,
	DENSITY_LABEL = 5
};

struct density_cell {
	uint8_t braille; /* dots of the adopted value: bits of U+2800 */
	uint8_t pending; /* the candidate passes here */
	uint8_t mark;    /* enum density_mark */
};
enum density_mark { DENSITY_MARK_NONE, DENSITY_MARK_INSTANT, DENSITY_MARK_REJECTED };

struct density_head {
	uint64_t key;
	uint8_t style;
	struct str words;
};

struct density_page {
	size_t samples;
	int width;
	bool ascii;
	uint32_t model; /* of the chart */
	struct density_links links;
	struct density_cell *cells; /* DENSITY_CHART_ROWS lines of `columns` */
	int columns;
	VEC(struct density_head) head;
};

/* NULL: nothing is measured. */
const struct density_page *density_page(const struct view_context *c);
/* The samples of a turn's run, and how they are judged. */
const struct pi_density_sample *density_samples(const struct view_context *c, size_t *n);

/* "1.8812", "2.1": four decimals at most; "-" for none. */
void density_put(struct buf *b, double x);
/* What a sample came to, with its numbers. */
void density_reason(const struct run *r, const struct density_page *p, size_t i, struct buf *b);
/* The deltas of sample i against its anchor; false when there are none. */
bool density_deltas(const struct run *r, const struct density_page *p, size_t i, double *real, double *est);
/* How far the instant value is from the candidate before; NAN = there was none. */
double density_off(const struct run *r, const struct density_page *p, size_t i);
/* The rule of a verdict in words (pi_density.h). */
const char *density_verdict_rule(enum pi_density_verdict v);
/* "oscillating: 1.6, 5 changes .." */
void density_verdict_words(const struct pi_density_finding *f, struct buf *b);
const char *density_cut_words(enum density_cut cut);

/* Fills cells and columns; everything lives in the arena. */
void density_chart_build(const struct run *r, struct arena *a, struct density_page *p);
/* Chart line i: upper bound, rows, lower bound, turns. */
enum { DENSITY_CHART_LINES = DENSITY_CHART_ROWS + 3 };
void density_chart_line(const struct view_context *c, const struct density_page *p, size_t i, struct line *out);

size_t density_detail_count(const struct view_context *c, uint64_t key);
void density_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out);

#endif
