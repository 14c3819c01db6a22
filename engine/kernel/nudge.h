/*
 * nudge: whether the model is told to compress, and why (kernel.md 4.7).
 */
#ifndef ENGINE_KERNEL_NUDGE_H
#define ENGINE_KERNEL_NUDGE_H

#include "engine/kernel/recommend.h"

enum nudge_reason {
	NUDGE_PRESSURE_T1,
	NUDGE_PRESSURE_DISTILL,
	NUDGE_PRESSURE_SUPPRESSED,
	NUDGE_T1_READY,
	NUDGE_T2_READY,
	NUDGE_T3_READY,
	NUDGE_IDLE
};
const char *nudge_reason_name(enum nudge_reason r);

/* The conditions of 4.7.2 (the first three) and 4.7.3, in the order in which they are asked. */
enum nudge_gate {
	NUDGE_GATE_OVER_LIMIT, /* either of these two: the pressure band */
	NUDGE_GATE_EMERGENCY,
	NUDGE_GATE_PILE, /* something can be compressed at all */
	NUDGE_GATE_GROWTH,
	NUDGE_GATE_T1_PILE,
	NUDGE_GATE_TIERS,
	NUDGE_GATE_T2_PILE,
	NUDGE_GATE_T2_T1, /* P2 above P1 */
	NUDGE_GATE_T2_CADENCE,
	NUDGE_GATE_T3_PILE,
	NUDGE_GATE_T3_T2,
	NUDGE_GATE_T3_T1,
	NUDGE_GATE_T3_CADENCE,
	NUDGE_GATE_COUNT
};

/* Category totals of kernel.md 4.7.5, raw or calibrated as the counter says. */
struct nudge_context {
	double system, tool, summaries, code, text, total, growth;
};

/* The numbers of kernel.md 4.7.1 and 4.7.7; tokens unless said otherwise. */
struct nudge_numbers {
	double usage; /* share of the window, 0.. */
	double growth, reference;
	double effective_threshold; /* reported only */
	double threshold;           /* G */
	double floor;               /* F */
	double distill;             /* D */
	double pending[4];          /* P1..P3 at [1..3] */
	double largest;             /* of those that may be taken under pressure */
	bool has_pending, over_limit, emergency;
};

struct nudge_decision {
	bool inject;
	int tier; /* 1..3, 0 = none */
	enum nudge_reason reason;
	uint16_t passes, asked; /* bit per enum nudge_gate: it passes, asked or not; its answer was used */
	struct nudge_numbers n;
	struct nudge_context context;
	uint8_t ready, blocked;         /* idle: bit t (4.7.6) */
	VEC(uint32_t) targets;          /* blocks: targets of the injected tier */
	VEC(struct nudge_context) sums; /* the context of every so many rows from the top, to go on from */
	struct scalars before;          /* stamps the decision was taken on */
};

/* Decides, and stamps the state (4.7.4). `tokens` is the host's count of the whole context; `kept`: see recommend_run.
 */
void nudge_run(const struct surface *f, struct state *s, const struct counter *counter,
	       const struct recommendation *rec, size_t kept, double tokens, struct nudge_decision *out);
/* cadence(t) of 4.7.3. */
bool nudge_cadence(const struct scalars *stamps, int tier, double tokens, double floor);
/* G for a config (4.7.1). */
double nudge_threshold(const struct config *c);

#endif
