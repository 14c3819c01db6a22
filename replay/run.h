/*
 * run: a Recording stepped through the engine under a policy.
 *
 * The first pass (run_step, a job) executes every record once, fills the
 * Timeline and keeps a journal mark after every record. From then on the state
 * at any record is reached by undoing or redoing the journal (state_seek): no
 * record is executed twice, and a step back costs what the step changed.
 * The run owns everything but the recording.
 */
#ifndef REPLAY_RUN_H
#define REPLAY_RUN_H

#include "engine/kernel/compress.h"
#include "engine/kernel/turn.h"
#include "replay/policy.h"
#include "replay/recording.h"
#include "replay/timeline.h"

struct run;

/* One executed compress record, for traces and reports; lists are valid during the callback only. */
struct compress_event {
	uint32_t n;                 /* 1-based */
	uint32_t after_turn;
	uint32_t record;
	const struct compress_record *source;
	const struct parse_result *parse;
	const struct apply_result *result; /* NULL: there were no ranges */
	bool applied;
};

/* What a report may watch during the first pass; members may be NULL. The state stands right after the record. */
struct run_observer {
	void (*turn)(void *ctx, struct run *run, uint32_t n, const struct moment *m);
	void (*compress)(void *ctx, struct run *run, const struct compress_event *e);
	void *ctx;
};

/* What became of compress record i (kept for every one). */
struct compress_outcome {
	uint32_t record, after_turn;
	uint32_t blocks, ranges, invalid;
	double tokens;
	uint8_t parse;              /* enum parse_kind */
	uint8_t first_error;        /* enum compress_kind, COMPRESS_KIND_COUNT = none */
	bool applied;
};

struct run {
	struct recording *recording;
	struct policy policy;
	struct config config;
	bool config_touched[CONFIG_MEMBERS_MAX];
	bool limit_assumed;         /* the window is the policy's assumption */
	const char *limit_source;   /* "recording", "assumed", "--limit" */
	double system_tokens;
	bool system_tokens_assumed;
	enum render_tags tags;

	struct state state;
	struct alternatives alternatives;
	struct turn turn;           /* the turn executed last */
	struct compress_scratch compress_scratch;
	struct apply_result apply;
	struct arena scratch;

	struct timeline timeline;
	VEC(struct compress_outcome) compressions;
	VEC(uint32_t) marks;        /* journal mark before record i; [records.n] = at the end */
	size_t next;                /* records executed by the first pass */
	uint64_t hash;              /* chain so far */
	bool failed;                /* ref-capacity was reached */
	struct run_observer observer;
	bool want_digest;           /* default true */
};

/* Options of the command line that beat the recording; 0 / NAN = not given. */
struct run_options {
	double limit;               /* --limit, tokens; NAN = not given */
};

/* Prepares; loads session.config and session.state. The recording must be complete and outlive the run. */
enum status run_init(struct run *r, struct recording *rec, const struct policy *p, const struct run_options *o,
		     struct error *e);
/* Executes records until about `budget` visible rows were worked on; false when the last record is done. */
bool run_step(struct run *r, size_t budget);
double run_progress(const struct run *r);
void run_free(struct run *r);

/* tokenCount of a record (given, or counted as recording.md says); *counted tells which. State must stand before the record. */
double run_token_count(struct run *r, double given, bool *counted);
/* Moves the state to right before record i (0..records.n); first pass must have reached it. */
void run_seek(struct run *r, size_t record);

#endif
