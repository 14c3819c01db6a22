/*
 * acp_log: what the adapter's own log says of a session's turns and compress
 * calls, beside what the replay says of them (pi.md 2.2, both eras).
 *
 * The file is read once, line by line. A line belongs to the session its `sid`
 * names; one without belongs to the session of the line before it that had one.
 * It is joined to a recording by time: a turn's lines are written before the
 * answer (turn_record.time) and after the answer before it (pi.md 8.4); those
 * of a compress call between its turn and its result (compress_record.time).
 * Where several fit (a request that was given up, a branch that was left), the
 * last one counts. What cannot be read is counted and named by line; the last
 * line without a line feed is torn and not used.
 *
 * A `struct acp_log` owns all it hands out, until acp_log_free; it needs the
 * recording only while it is loaded.
 */
#ifndef REPLAY_ACP_LOG_H
#define REPLAY_ACP_LOG_H

#include "replay/run.h"

enum {
	ACP_LOG_LINE_MAX = 1 << 24, /* bytes; a longer line is not used */
	ACP_LOG_REASON_MAX = 4096,  /* bytes of a reason that are kept */
	ACP_LOG_NOTES_MAX = 20      /* lines that are named; the rest is counted */
};

enum acp_log_nudge {
	ACP_LOG_NUDGE_UNKNOWN,
	ACP_LOG_NUDGE_IDLE,
	ACP_LOG_NUDGE_ACTIVE,
	ACP_LOG_NUDGE_EMERGENCY,
	ACP_LOG_NUDGE_DUE /* one of the last two: the log of P97 tells shouldInject only */
};
/* "idle", "active", "emergency", "injects"; "unknown". */
const char *acp_log_nudge_name(enum acp_log_nudge n);

/* What the log says of a turn; numbers NAN and texts absent where it says nothing. */
struct acp_log_turn {
	double time;         /* of its first line, Unix ms */
	double tokens;       /* tokenCount, tokens: as told to the kernel */
	double estimated;    /* estimatedTokens: the adapter's own estimate */
	double host;         /* realTokens, hostTokens: the host's number */
	double density;      /* in force before the turn */
	double limit;        /* tokens */
	double blocks;       /* after the turn, else as it came in */
	double active;       /* the same */
	struct str reason;   /* nudgeReason, as it stands (hostile) */
	uint64_t line;       /* its first line in the log, 1-based */
	uint8_t nudge;       /* enum acp_log_nudge */
	int8_t sent;         /* 1 = nudge-injected, 0 = nudge-suppressed, -1 = not told */
	uint8_t scopes;      /* bit per enum acp_log_scope; 0 = the log says nothing of it */
	uint32_t superseded; /* earlier accounts that were given up for this one */
};

struct acp_log_compression {
	double time;
	double created;    /* blocksCreated */
	double compressed; /* tokensCompressed, tokens as its counter has them */
	double errors;     /* how many */
	double density;
	uint64_t line;
	uint8_t scopes;
	uint32_t superseded;
};

enum acp_log_problem { ACP_LOG_FOREIGN, ACP_LOG_TORN, ACP_LOG_TOO_LONG, ACP_LOG_PROBLEMS };

struct acp_log_note {
	uint64_t line;
	enum acp_log_problem problem;
};

enum acp_log_what {
	ACP_LOG_TOKENS,
	ACP_LOG_ESTIMATE,
	ACP_LOG_HOST,
	ACP_LOG_DENSITY,
	ACP_LOG_LIMIT,
	ACP_LOG_NUDGE,
	ACP_LOG_REASON,
	ACP_LOG_SENT,
	ACP_LOG_BLOCKS,
	ACP_LOG_ACTIVE,
	ACP_LOG_CREATED,
	ACP_LOG_COMPRESSED,
	ACP_LOG_WHATS
};
/* "token count", .. */
const char *acp_log_what_name(enum acp_log_what w);

/* Where the log and the replay say different things. */
struct acp_log_difference {
	uint8_t what;                   /* enum acp_log_what */
	uint32_t turn;                  /* 1-based; of a compress call: the turn before it */
	uint32_t compression;           /* 1-based; 0 = it is about a turn */
	uint32_t record;                /* index of the turn's or compress call's record */
	uint64_t line;                  /* in the log */
	double log, ours;               /* numbers */
	struct str log_text, ours_text; /* words: nudge, reason, sent; else absent */
};

struct acp_log {
	const char *path;
	struct str session; /* the id its lines were looked for with; n = 0: every line counts */
	uint64_t lines;     /* all */
	uint64_t ours;      /* of this session */
	uint64_t others;    /* of other sessions */
	uint64_t unowned;   /* before any line with a sid */
	uint64_t loose;     /* of this session, of a turn or call that the recording does not have */
	uint64_t problems[ACP_LOG_PROBLEMS];
	bool old_era, new_era; /* lines of P97, and of the later form */
	VEC(struct acp_log_note) notes;

	VEC(struct acp_log_turn) turns;               /* by turn; one per turn record */
	VEC(struct acp_log_compression) compressions; /* by compress record */
	size_t turns_told, compressions_told;         /* those the log says something of */

	/* after acp_log_compare */
	VEC(struct acp_log_difference) differences; /* in order of the records */
	size_t compared[ACP_LOG_WHATS], agree[ACP_LOG_WHATS];
	bool is_compared;

	struct arena arena;
};

/*
 * Reads a log for a recording that is complete. log is overwritten. STATUS_NO_INPUT, STATUS_IO, STATUS_DATA (a
 * directory); then acp_log_free is allowed, not needed. A file without a single line of a log is STATUS_DATA too.
 */
enum status acp_log_load(struct acp_log *log, const char *path, const struct recording *rec, struct error *e);
/* What it says of turn n (1-based), or of compress record i (from 0); NULL = nothing. */
const struct acp_log_turn *acp_log_turn(const struct acp_log *log, uint32_t n);
const struct acp_log_compression *acp_log_compression(const struct acp_log *log, size_t i);

/* What a run knows of a turn beside its moment. */
struct acp_log_ours {
	double density; /* in force before the turn; NAN = not known */
	double host;    /* the host's number; NAN = not known */
	int reason;     /* enum nudge_reason; -1 = not known */
	int sent;       /* was the nudge sent: 1, 0; -1 = not known */
};
/*
 * Compares with a run whose first pass is done, as far as its records are followed; `ours` (may be NULL: nothing is
 * known) is asked once a turn. Counts and tokens must be the same, a density within ACP_LOG_DENSITY_WITHIN. A window is
 * reported where it begins to differ, not on every turn. A reason is compared by its kind, where the log names one of
 * kernel.md 4.7.6 at its start. Ours is an emergency when the kernel injects at emergencyThresholdPct or above.
 */
#define ACP_LOG_DENSITY_WITHIN 0.00005
void acp_log_compare(struct acp_log *log, const struct run *run,
		     struct acp_log_ours (*ours)(void *ctx, const struct run *run, uint32_t n), void *ctx);
/* `ours` from what the run keeps: the host's number where the driver knows it, the reason the numbers lead to, density
 * with density=on, and, where the adapter decides of a nudge that the kernel injects, whether it is sent. */
struct acp_log_ours acp_log_known(void *ctx, const struct run *run, uint32_t n);
/*
 * The median of what the log's estimates are above ours, raw estimate: the system prompt, where nothing else differs
 * (the adapter counts it, the session file does not have it). NAN = nothing to compare.
 */
double acp_log_system_tokens(const struct acp_log *log, const struct run *run);
/* Sums of compared and agree over all it was compared in; 0 before acp_log_compare. */
void acp_log_counts(const struct acp_log *log, size_t *agree, size_t *compared);

void acp_log_free(struct acp_log *log);

#endif
