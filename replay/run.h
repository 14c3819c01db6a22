/*
 * run: a Recording stepped through the engine under a policy.
 *
 * The first pass (run_step, a job) executes every record once, fills the
 * Timeline and keeps a journal mark after every record. From then on the state
 * at any record is reached by undoing or redoing the journal (state_seek): no
 * record is executed twice, and a step back costs what the step changed. A
 * state record replaces the kernel state, which the journal cannot undo; it
 * begins a new epoch with a state of its own. Only some of them are kept: going
 * back across several state records executes one epoch again.
 * The run owns everything but the recording. It must stay where it is.
 */
#ifndef REPLAY_RUN_H
#define REPLAY_RUN_H

#include "engine/host/pi_count.h"
#include "engine/host/pi_density.h"
#include "engine/host/pi_nudge.h"
#include "replay/chain.h"
#include "replay/policy.h"
#include "replay/recording.h"
#include "replay/run_dsh.h"
#include "replay/sent.h"
#include "replay/timeline.h"

struct run;
struct prices;

/* One executed compress record, for traces and reports; lists are valid during the callback only. */
struct compress_event {
	uint32_t n; /* 1-based */
	uint32_t after_turn;
	uint32_t record;
	const struct compress_record *source;
	const struct parse_result *parse;
	const struct parse_result *asked;  /* the ranges that the kernel was given: verdicts are of these */
	const struct apply_result *result; /* NULL: there were none, or the turn before could not run */
	bool applied;
};

/* What a report may watch during the first pass; members may be NULL. The state stands right after the record. */
struct run_observer {
	void (*turn)(void *ctx, struct run *run, uint32_t n, const struct moment *m);
	void (*compress)(void *ctx, struct run *run, const struct compress_event *e);
	void *ctx;
};

/* What the engine said to one range of a compress record. */
struct range_outcome {
	double units;                        /* counted by the size gate; 0 when the range does not resolve */
	uint32_t direct, consumed, excluded; /* as in range_verdict */
	uint32_t block;                      /* name of the block that was made, 0 = none */
	uint8_t status;                      /* enum range_status */
	uint8_t kind;                        /* enum compress_kind, COMPRESS_KIND_COUNT = none */
	bool at_end;                         /* the ref that did not resolve is the second one */
};

/* What became of compress record i (kept for every one). */
struct compress_outcome {
	uint32_t record, after_turn;
	uint32_t verdicts; /* first of its `ranges` in run.verdicts, if `tried`; followed as recorded with the gates
			      off, as many again stand behind them */
	uint32_t blocks, ranges, invalid;
	double tokens;         /* that went into the blocks, with tags; turn's counter */
	double summary_tokens; /* of the summaries of the blocks, raw estimate */
	double token_count;    /* what the turn before it was given; NAN = there was none */
	uint8_t parse;         /* enum parse_kind */
	uint8_t first_error;   /* enum compress_kind, COMPRESS_KIND_COUNT = none */
	uint8_t follow;        /* enum follow */
	bool tried;            /* there were ranges, and the turn before could run */
	bool applied;
	bool lenient; /* args=strict, and yet read leniently (run_parse_args) */
};

/* How a recorded outcome stands to the engine's (recording.md, Recorded against replayed outcome). */
enum follow {
	FOLLOW_NONE, /* nothing was recorded, or the policy is follow=engine */
	FOLLOW_AGREES,
	FOLLOW_RECORDED_NO,  /* recorded as refused, the engine would accept: the state stays */
	FOLLOW_RECORDED_YES, /* recorded as applied, the engine refuses: applied with the gates off; dsh: or it takes
				other ranges, those that landed are applied */
	FOLLOW_CANNOT        /* recorded as applied, its refs do not resolve: all that follows is counterfactual */
};
/* "none", "agrees", "recorded-refused", "recorded-applied", "cannot-follow". */
const char *follow_name(enum follow f);

/*
 * A stretch of records on one kernel state. That of the present epoch is in run.state; some others are parked here,
 * and those that are not are made again when they are wanted.
 */
struct epoch {
	size_t first; /* record it begins before */
	bool parked;
	struct state state;
	struct alternatives alternatives;
};

/* What the last compaction of the host left of its list, as long as it counts. */
struct kept_rows {
	bool compacted;
	size_t n; /* rows of the list that are from before it: a rewind among them takes it back */
};

enum config_source { CONFIG_FROM_DEFAULT, CONFIG_FROM_SESSION, CONFIG_FROM_OPTION };

struct run_driver;

/* Texts that the policy makes of messages in place of the recording's own (multiCallText=first). */
struct run_text {
	uint32_t message;
	struct str text;
	struct face face;
};
struct run_texts {
	VEC(struct run_text) list; /* ascending */
};

/* What a message of the host left behind it, for rewinds. */
struct pi_after {
	struct pi_usage usage;
	uint32_t user;      /* entry of the last user message, name */
	uint32_t compacted; /* record of the host's compaction that stands right behind it, + 1; 0 = none */
};

/* From this record on another density is in force. */
struct pi_density_change {
	uint32_t record;
	double value;
};

/* What a count of the adapter is made from. */
struct pi_counting {
	struct pi_usage usage;
	double given;    /* what the recording gives; NAN = nothing */
	double density;  /* in force */
	double est;      /* what the density is measured with; raw estimate */
	double est_rows; /* the rule of P97 for it (pi.md 5.5), taken before the turn */
};

/* A /compact that was run (policy compact=pipeline), and what came of it. */
struct pi_compacted {
	uint32_t record;
	uint32_t block;        /* name of the block it made, 0 = none .. */
	double tokens;         /* .. what went into it, with tags; turn's counter */
	double summary_tokens; /* .. its summary, raw estimate */
	uint8_t stop;          /* enum pi_compact_stop */
};

/* What the pi driver keeps while the first pass runs, and what it found for who asks later. */
struct run_pi {
	struct pi_usage usage;
	VEC(struct pi_after) after; /* by message */
	VEC(uint32_t) newest;       /* by name of an id: newest row with it, + 1 */
	struct pi_counting counting;
	struct pi_sent_sums sums; /* of the turn counted last, run.turn */
	bool due;                 /* the rows of the answer are still to come .. */
	bool good;                /* .. and it is one whose usage counts */
	bool in_answer;           /* the message that joined last belongs to a good answer */

	uint32_t model; /* in force, name; 0 = that of the session */
	uint32_t user;  /* entry of the last user message, name */
	bool extras;    /* images or thinking count (policy) */
	bool measures;  /* density=on */
	bool folded;    /* a block became active before the turn being run */
	struct pi_density density;
	struct pi_folds folds;
	VEC(struct pi_density_change) changes;
	VEC(struct pi_density_sample)
	samples; /* by turn, density=on; one that could not run: effect NO_USAGE, est NAN */
	struct pi_nudge_memory nudge;
	VEC(uint8_t) nudges;                  /* by turn: enum pi_nudge_verdict */
	VEC(struct pi_nudge_memory) memories; /* by turn: what the adapter remembered behind it */
	VEC(struct pi_compacted) compacted;
	struct turn compact_turn; /* of /compact: run.turn is only that of turn and compress records */
};

struct run {
	struct recording *recording;
	const struct run_driver *driver;
	struct run_pi pi;
	struct run_dsh dsh;
	struct run_texts texts;
	struct sender sender;  /* of the first pass; sender.sent by turn when want_requests */
	double raw, own, host; /* of the turn executed last: as in struct moment */
	size_t counterfactual; /* first record whose effects are, or SIZE_MAX */
	bool branched; /* .. for it is a branch that differs from the session since; else a call could not be followed
			*/
	struct policy policy;
	struct config config;
	bool config_touched[CONFIG_MEMBERS_MAX];   /* set by session.config or --config */
	uint8_t config_source[CONFIG_MEMBERS_MAX]; /* enum config_source */

	const char *limit_source; /* "recording", "assumed", "--config", "--policy", "--limit", "assumed, refuted" */
	double reserved;          /* kept free of the window for the answer: already taken off config.limit */
	double limit_fallback;    /* what is assumed where nothing tells it */
	/* window.h: the first turn whose recorded prompt is larger than an assumed window, and the one with the largest
	 * (0 = none); their prompts, provider usage */
	double refuted_first, refuted_most;
	uint32_t refuted_turn, refuted_most_turn;

	double system_tokens;
	const char *system_source; /* "recording", "assumed", "--policy", "fit" */
	struct run *fitting;       /* systemTokens=fit: the pass that finds them out; NULL = done, or none */

	struct state state;
	struct alternatives alternatives;
	struct turn turn; /* the turn executed last */
	struct compress_scratch compress_scratch;
	struct apply_result apply;
	struct arena arena;   /* as long as the run */
	struct arena scratch; /* emptied after every record */

	struct kept_rows kept_rows; /* of the host's list as it stands in `state` */

	VEC(struct epoch) epochs;
	size_t epoch; /* the one in `state` */

	struct timeline timeline;
	VEC(struct compress_outcome) compressions;
	VEC(struct range_outcome) verdicts; /* of all of them, in order */
	VEC(uint32_t) marks;                /* journal mark before record i, in its epoch; [records.n] = at the end */
	size_t next;                        /* records executed by the first pass */
	struct chain chain;                 /* as far as the first pass has come */
	struct error problem;               /* the first of `problems` */
	struct run_observer observer;
	const struct prices *prices; /* for who shows money; NULL = none are known */

	uint32_t problems;        /* records that could not be obeyed (a state record that is none) */
	enum count_scale counted; /* of the turn executed last */
	enum render_tags tags;
	enum anchor_form hide;

	uint32_t applied, refused, user_turn; /* gathered since the last turn, .. */
	uint16_t events;                      /* .. enum moment_event */

	bool fitted;
	bool limit_assumed; /* the window is the policy's assumption */
	bool limit_given;   /* by an option: nothing that a log tells changes it */
	bool system_tokens_assumed;
	bool again;          /* an epoch is being made again: records change the state and nothing else */
	bool failed;         /* ref-capacity was reached */
	bool cache_reported; /* somewhere the provider read from its cache */
	bool want_requests;  /* what is sent is worked out, too: run.sender; set it before the first step */
	bool want_digest;    /* default true; without it digests and hashes are meaningless */
};

/* Options of the command line that beat the recording. Zero-initialise and set limit to NAN for none. */
struct run_options {
	double limit;                /* --limit, tokens; NAN = not given */
	double config_limit;         /* window of the --config file, tokens; 0 = it has none */
	double headroom;             /* its outputHeadroomMaxPct, a share; 0 = it has none */
	const cJSON *config;         /* --config: overrides on top of session.config, or NULL */
	const char *config_name;     /* its file, for errors */
	const char *config_ignored;  /* names of its members that nothing knows, or NULL; for who reports them */
	const struct prices *prices; /* --prices (prices.h), or NULL; must outlive the run */
};

/*
 * Prepares; loads session.config and session.state. The recording must be
 * complete and outlive the run. STATUS_DATA names the file, line and member
 * that cannot be used.
 */
enum status run_init(struct run *r, struct recording *rec, const struct policy *p, const struct run_options *o,
		     struct error *e);
/*
 * The first pass (with systemTokens=fit a pass that finds them out goes before it): executes records until about
 * `budget` visible rows were worked on; false when the last record is done. Moves the state to where the
 * pass stands: an open frame must be opened again afterwards.
 */
bool run_step(struct run *r, size_t budget);
/* Share of the records executed, 0..1. */
double run_progress(const struct run *r);
void run_free(struct run *r);

/*
 * tokenCount of a record (given, or counted as recording.md says); *scale (may
 * be NULL) tells which. State must stand before the record.
 */
double run_token_count(struct run *r, double given, enum count_scale *scale);
/*
 * Does the recorded outcome agree with what the engine decided: applied or not, and in how many blocks? 1 yes, 0 no,
 * -1 nothing is recorded.
 */
int run_outcome_agrees(const struct run *r, const struct compress_outcome *o);
/* dsh: recorded and engine both make blocks, but of other ranges; those that landed were followed. */
bool run_took_other(const struct run *r, const struct compress_outcome *o);
/*
 * The ranges of a compress record as this run reads them, in the arena. True: args=strict, but the call is recorded as
 * a success and followed, and read leniently it has other ranges: these are taken (pi-rulings 1).
 */
bool run_parse_args(const struct run *r, const struct compress_record *c, struct arena *a, struct parse_result *out);
/* What a turn of this run is given when it is run for record i (or where record i would stand). */
struct turn_input run_turn_input(const struct run *r, size_t i, double tokens);
/*
 * The token count that a turn would be given before record i, where none is recorded; *scale (may be NULL) tells who
 * counted. The state must stand before the record; `scratch` is used up.
 */
double run_count_here(struct run *r, size_t i, struct turn *scratch, enum count_scale *scale);
/* The adapter keeps the nudge of turn n to itself although the kernel wants it; NULL = it does not, or no adapter
 * decides. Else why, for people. */
const char *run_nudge_withheld(const struct run *r, uint32_t n);
/* Density in force for record i (1 = none is measured). */
double run_density_at(const struct run *r, size_t i);
/* A message as this run has it, and the texts of all of them. */
struct message run_message(const struct run *r, uint32_t index);
struct texts run_texts(struct run *r);

/* Moves the state to right before record i (0..records.n); the first pass must have reached it. Ends a probe. */
void run_seek(struct run *r, size_t record);

#endif
