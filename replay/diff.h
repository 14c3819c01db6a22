/*
 * diff: two runs beside each other (interface.md, diff; policy.md).
 *
 * Two runs of one recording: turn n stands beside turn n, call n beside call n.
 * Two recordings: turns stand beside each other for what they are about, the
 * rows before them. The key of a turn is the id of the last message that became
 * a row before it. One walk over the turns on the right takes, for each, the
 * first turn on the left with the same key that comes after the last one taken;
 * a turn without a partner is a difference of its own. Calls are matched in the
 * same way by call id. Rows, refs and blocks are always matched by id.
 *
 * The comparison reads timelines and watches only, a step a turn. Frames are
 * opened for the first turn of each kind of difference, to say what it is; the
 * runs stand elsewhere afterwards. Steps, details and effects belong to the
 * diff; it borrows both watches, and names of their recordings.
 */
#ifndef REPLAY_DIFF_H
#define REPLAY_DIFF_H

#include "replay/diff_watch.h"

/* Kind, name, what differs. In the order in which one leads to the next. */
#define DIFF_LIST(X)                                                                                                   \
	X(TURNS, "turns", "turns that one side has alone")                                                             \
	X(CALLS, "compress calls", "what became of them before it")                                                    \
	X(EVENTS, "events", "what happened at or before it")                                                           \
	X(TOKENS, "token count", "what the kernel was told")                                                           \
	X(REFS, "refs", "whose they are")                                                                              \
	X(BLOCKS, "blocks", "made, active, age, tokens")                                                               \
	X(ROWS, "rows", "visible on one side, or their order")                                                         \
	X(TEXT, "row text", "texts of rows both sides show")                                                           \
	X(RECOMMENDED, "recommended ranges", "their ends and figures")                                                 \
	X(PROTECTED, "protected ranges", "their ends and figures")                                                     \
	X(NUDGE, "nudges", "injected, tier, target blocks")                                                            \
	X(FIGURES, "nudge figures", "numbers behind the decision")                                                     \
	X(TOTALS, "totals", "what the kernel keeps count of")                                                          \
	X(REQUEST, "requests", "bytes the host sends")                                                                 \
	X(PREFIX, "prefix cache", "what stays of it, and why not")

enum diff_kind {
#define DIFF_ENUM(name, text, what) DIFF_##name,
	DIFF_LIST(DIFF_ENUM)
#undef DIFF_ENUM
		DIFF_KINDS
};
const char *diff_kind_name(enum diff_kind k);
const char *diff_kind_what(enum diff_kind k);

enum diff_side { DIFF_LEFT, DIFF_RIGHT, DIFF_SIDES };

/* A turn of both sides, 1-based; 0 = this side has none, or, of the step after the last turns, none any more. */
struct diff_step {
	uint32_t turn[DIFF_SIDES];
	uint32_t kinds; /* bit per enum diff_kind */
};

/* A call that differs. */
struct diff_call {
	uint32_t call[DIFF_SIDES]; /* index into run.compressions + 1; 0 = this side has none */
	uint32_t step;             /* the turn after it; steps.n: it stands after the last one */
};

struct diff_count {
	uint32_t n;           /* turns; of CALLS, calls */
	uint32_t first, last; /* steps; steps.n: after the last turn */
};

/* A thing that differs. Texts are session text among others: they have to be made safe. */
struct diff_line {
	struct str name;              /* as people call it: "m00012", "pendingT1" */
	struct str id;                /* what both sides were matched by; may be the name */
	struct str value[DIFF_SIDES]; /* p NULL: it is not there on this side */
};

enum { DIFF_LINES_MAX = 20 };

/* The first turn (or call) of a kind of difference in full. */
struct diff_detail {
	enum diff_kind kind;
	uint32_t step, call;           /* call: its number, 1-based; 0 = no call */
	uint32_t turn[DIFF_SIDES];     /* of a call: the turn after which it stands; 0 = none */
	bool has[DIFF_SIDES];          /* the side has this turn or call */
	struct diff_line *lines;       /* the first DIFF_LINES_MAX of them */
	size_t n;                      /* lines kept */
	size_t only[DIFF_SIDES], both; /* all of them: there on one side only, there on both and different */
};

/* What a difference comes to over the session. Members without a value on both sides are not there. */
struct diff_effect {
	const char *name;              /* "nudges" */
	const char *key;               /* "nudges", "contextSum": in JSON */
	const char *scale[DIFF_SIDES]; /* of token figures ("raw estimate"), else NULL */
	bool percent;                  /* the values are percents */
	double value[DIFF_SIDES];      /* NAN = not known */
};
/* right - left, or NAN where one is not known or the scales differ. */
double diff_change(const struct diff_effect *e);

enum { DIFF_EFFECTS_MAX = 24 };

struct diff {
	struct diff_watch *side[DIFF_SIDES];
	struct arena arena;
	bool one_recording;
	VEC(struct diff_step) steps;
	VEC(struct diff_call) calls;
	uint32_t paired;      /* steps with a turn on both sides */
	uint32_t differing;   /* steps with a difference, the one after the last turns among them */
	uint32_t shown;       /* turns in which the model is sent something else: other bytes, else other rows, texts or
				 nudges */
	bool requests;        /* both sides know the bytes they send: REQUEST and PREFIX are compared */
	uint32_t first_shown; /* step of the first of `shown`, if there is one */
	struct diff_count count[DIFF_KINDS]; /* n = 0: no such difference */
	struct diff_detail
		details[DIFF_KINDS]; /* [0] is the first difference; those of the same step follow it, by kind */
	size_t details_n;            /* 0 = the runs are the same */
	struct diff_effect effects[DIFF_EFFECTS_MAX];
	size_t effects_n;
	/*
	 * First turn that is no longer what happened (run.counterfactual); turns + 1 when only what follows the last
	 * one is not. 0 = all is as recorded. Figures of that side are counterfactual from there on.
	 */
	uint32_t counterfactual[DIFF_SIDES];
};

/* Compares two runs whose first passes were watched and are done. d is overwritten. */
void diff_make(struct diff *d, struct diff_watch *left, struct diff_watch *right);
static inline bool diff_same(const struct diff *d) { return d->details_n == 0; }
/* The turn of a detail on this side is no longer what happened. */
bool diff_counterfactual(const struct diff *d, const struct diff_detail *t, enum diff_side side);
void diff_free(struct diff *d);

#endif
