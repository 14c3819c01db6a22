/*
 * status: the data of the reports a host gives of itself: status report, core
 * status, recap and panel (kernel.md 8.6, 8.7). The words are the host's.
 *
 * Who makes a report owns its lists and gives them back with status_free. All
 * counts of texts are raw estimates: no density enters a report (pi.md 5.4).
 */
#ifndef ENGINE_KERNEL_STATUS_H
#define ENGINE_KERNEL_STATUS_H

#include "engine/kernel/nudge.h"

enum {
	STATUS_LIMIT_ROWS = 30,   /* rows of a list of a report */
	STATUS_TOP_TOOLS = 3,     /* named by the overview */
	STATUS_TIERS = 4,         /* [1..3]; [0] = any other */
	STATUS_RECAP_UNITS = 200, /* of a summary, in the recap of all */
	STATUS_TOPIC_UNITS = 30,  /* of a summary that stands for a topic */
	STATUS_BAR_CELLS = 20,    /* of a category of the panel */
	STATUS_TOOL_TEXT = 0      /* what has no tool's name counts as the tool `text` */
};

/* A message that no block covers and that has a ref, or is BLOCKED. */
struct status_message {
	uint32_t message, ref;
	uint32_t tool; /* name, or STATUS_TOOL_TEXT */
	double tokens; /* > 0 */
};

/* Such messages with refs one after the other. */
struct status_span {
	uint32_t start, end; /* refs */
	uint32_t count;
	uint32_t tool; /* of the first */
	double tokens;
};

struct status_tool {
	uint32_t tool;
	double tokens;
};

struct status_block {
	uint32_t block;
	double compressed, summary; /* tokens */
};

struct status_report {
	VEC(struct status_message) messages; /* as they stand in the list */
	VEC(struct status_span) spans;
	VEC(struct status_tool) tools;   /* by tokens, most first */
	VEC(struct status_block) blocks; /* active ones, by number */
	double tool, text, summaries;    /* totals of the overview */
	double compressed;               /* compressedTokens of the active blocks */
	double tiers[STATUS_TIERS];      /* their summaries, by tier; all 0 when there is only one */
};

/* The report of a state and the host's list as they are; `out` is zero-initialised. */
void status_make(struct state *s, struct status_report *out);
void status_free(struct status_report *r);
/* Indexes of r->messages by tokens, most first; of r->blocks by compressedTokens, then the newest first. */
uint32_t *status_by_tokens(const struct status_report *r, struct arena *a);
uint32_t *status_by_size(const struct status_report *r, const struct state *s, struct arena *a);
/* Whole percent: 0 for nothing, else at least 1. */
double status_percent(double n, double total);
/* Tokens of a message of a span, on average. */
double status_average(const struct status_span *p);

struct status_core {
	double usage; /* share of the window; 0 without one */
	double tokens, limit;
	uint32_t active, total; /* blocks */
	double compressed;      /* stats.tokensCompressed */
};
struct status_core status_core(const struct state *s, double tokens);

/* ---- recap ---- */

enum status_recap { STATUS_RECAP_FOUND, STATUS_RECAP_INACTIVE, STATUS_RECAP_MISSING, STATUS_RECAP_NONE };
/* Of a block id, or (id.p NULL) of all blocks; *block is set when it is found or inactive. */
enum status_recap status_recap(struct state *s, struct str id, uint32_t *block);
/* The summary as the recap of all shows it. */
struct str status_recap_text(const struct block *k, struct arena *a);

/* ---- panel ---- */

enum status_part { STATUS_PART_TOOL, STATUS_PART_SYSTEM, STATUS_PART_TEXT, STATUS_PART_CODE, STATUS_PART_SUMMARIES };
enum { STATUS_PARTS = STATUS_PART_SUMMARIES + 1 };

struct status_panel {
	double classified, sent;
	double session_only;           /* NAN: not known */
	double host_pct, sent_pct;     /* 0 without a window */
	double part[STATUS_PARTS];     /* in the panel's order; shown when > 0 */
	double part_pct[STATUS_PARTS]; /* of `sent` */
	int part_cells[STATUS_PARTS];  /* full ones of STATUS_BAR_CELLS */
};
/* `context` NULL: there was no nudge decision; `unpruned` NAN: not given. All numbers are tokens. */
struct status_panel status_panel(const struct nudge_context *context, double tokens, double system_tokens, double limit,
				 double unpruned);
/* Tokens that a block of the panel came from: compressedTokens, or those of its summary when there is no such number.
 */
double status_origin(const struct block *k);
/* The topic, or what stands for it; lives in `a` or as long as the block. */
struct str status_topic(const struct block *k, struct arena *a);

#endif
