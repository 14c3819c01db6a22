/*
 * sent: what the host sends at each turn, and what that leaves of the
 * provider's prefix cache (pi.md 3.6, 3.8, 6.4 with pi-rulings 4, 8).
 *
 * A `struct sender` makes the requests of consecutive turns, each compared with
 * the one before, and says what the first difference is and why. The run has
 * one for its first pass (run.want_requests), a frame one for its position.
 * Only a recording that brings the host's own messages (`entry`) can be asked.
 *
 * The cause of the first difference is the first rule of pi-rulings 8 that
 * holds. What the list leaves open is ours: a compress row that comes back is
 * `hide`, too; rows that a rewind or a compaction of the host brought back are
 * `rewind` or `host`. Where nothing differs in the bytes, `model` says that the
 * model is another one (a cache belongs to one model), `system` that the
 * provider, which reports a cache elsewhere in the session, read nothing from
 * it: the system prompt or the tools changed, or the cache ran out of time.
 *
 * Figures: bytes are those of the request without the nudge at its tail; tokens
 * are raw estimates, but for prompt sizes and cache reads (provider usage).
 * A sender owns everything.
 */
#ifndef REPLAY_SENT_H
#define REPLAY_SENT_H

#include "engine/host/pi_egress.h"
#include "engine/kernel/turn.h"

enum sent_cause {
	SENT_NONE, /* append-only */
	SENT_FIRST,
	SENT_COMPRESS,
	SENT_DECOMPRESS,
	SENT_TAG,
	SENT_ANCHOR,
	SENT_HIDE,
	SENT_TRUNCATE,
	SENT_THINKING,
	SENT_HOST,
	SENT_REINJECT,
	SENT_PRUNE,
	SENT_MODEL,
	SENT_REWIND,
	SENT_SYSTEM,
	SENT_UNKNOWN,
	SENT_CAUSES
};
/* As trace.md lists them: "none", "first", "compress", .. */
const char *sent_cause_name(enum sent_cause c);
/* One sentence for people. */
const char *sent_cause_words(enum sent_cause c);

/* The nudge at the tail of a request; all 0 = none is sent. */
struct sent_tail {
	double bytes;        /* of its message */
	struct measure size; /* of its text */
	uint64_t hash;       /* FNV-1a of its text */
};

/* One request. */
struct sent {
	double bytes;         /* of the request; NAN = there was none (the turn could not run) */
	double before_bytes;  /* of the one before it */
	double common_bytes;  /* L */
	double tokens;        /* of all messages */
	double common_tokens; /* of the whole messages before the first difference */
	double lost_tokens;   /* of the messages of the request before from the first difference on: billed again, or
				 gone */
	double tail_bytes, tail_tokens; /* the nudge; 0 = none is sent */
	uint64_t tail_hash;             /* of its text */
	double predicted;               /* hit rate, 0..1; NAN = no prompt size is reported, or nothing to compare */
	double actual;                  /* the provider's; NAN = not reported */
	double anchor_tokens;           /* arguments of the calls of active blocks, as recorded .. */
	double slimmed_tokens;          /* .. and as sent */
	uint32_t anchors;               /* such calls in the request */
	uint32_t messages;              /* of the request */
	uint32_t same;                  /* whole messages in common */
	uint32_t break_message; /* message record of the first difference, + 1; 0 = none (summary, or nothing) */
	uint32_t break_ref;     /* its ref */
	uint32_t break_row; /* row of the surface (dsh: node) that stands at the first difference; their number: behind
			       the last */
	uint8_t cause;      /* enum sent_cause */
	bool append_only;
};

/* Share of the request before that is still a byte prefix, 0..1; NAN without one. */
double sent_ratio(const struct sent *s);
/* The provider's cache cannot be used from the first difference on: the prefix of the request before is lost. */
bool sent_rebuilds(const struct sent *s);
/* Does a cause, of a request that is not the first, mean that? */
bool sent_cause_rebuilds(enum sent_cause c);

/* What stands behind each row of a surface (struct surface_row, source), and names of blocks. */
struct sent_rows {
	int32_t *v;
	size_t n, cap;
};
struct sent_blocks {
	uint32_t *v;
	size_t n, cap;
};

/* Of the messages up to some place: bytes with the line feeds between them, tokens. */
struct sent_sum {
	double bytes, tokens;
};

struct sender {
	struct pi_egress egress;
	VEC(struct sent) sent;              /* of the first pass, by turn */
	struct sent_rows rows, rows_before; /* of the present request, and of the one before */
	size_t same_rows; /* so many of `rows`, from the start, are those of rows_before without a look at them */
	struct sent_blocks active, active_before; /* blocks active then, ascending */
	VEC(uint32_t) row_bytes;       /* dsh: by row of the log, bytes of its message + 1; 0 = not known yet */
	VEC(struct sent_sum) row_sums; /* dsh: of `rows` up to and with each; rows_before holds those that changed */
	uint32_t folded;               /* dsh: rows of the log that the fold had seen */
	uint32_t known;                /* messages of the recording at the request before */
	uint32_t record;               /* the record it was made before */
	size_t told;     /* sender_keeps since the request before, the least of all, + 1; 0 = nobody called it */
	uint32_t model;  /* name */
	unsigned events; /* enum moment_event, since the request before */
	bool started;
};

struct run;
struct moment;

/*
 * A turn that is going to be sent, or one between two requests, left so many rows of the surface as they were. Who does
 * not tell of every turn must not tell of any: a request then costs the whole view.
 */
void sender_keeps(struct sender *x, size_t rows);
/*
 * The request of a turn of `r` that has just been run in `t`; run->state is as
 * the turn left it. `m` is its moment (events since the turn before), `model`
 * the model it goes to, `tail` the nudge.
 */
struct sent sender_turn(struct sender *x, struct run *r, struct turn *t, const struct moment *m, uint32_t model,
			struct sent_tail tail);
/*
 * For those that make requests. judge: what follows of a comparison without its bytes; where it breaks the cause is
 * still UNKNOWN. done: the request is made, the next one is compared with it.
 */
void sender_judge(const struct sender *x, const struct run *r, const struct moment *m, uint32_t model, struct sent *s);
void sender_done(struct sender *x, const struct run *r, const struct moment *m, uint32_t model);
/* A turn without a request: what happened before it counts for the next one. */
void sender_skip(struct sender *x, const struct moment *m);
void sender_free(struct sender *x);

#endif
