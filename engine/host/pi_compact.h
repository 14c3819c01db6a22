/*
 * pi_compact: /compact through the compression pipeline (pi.md 7, C143), as
 * two steps with the model between them.
 *
 * pi_compact_prepare runs the turn, chooses a span and writes the prompt; the
 * host has a model answer it; pi_compact_finish makes the block. Whatever goes
 * wrong on the way is a named stop: the host then compacts by itself, as if
 * nobody had answered its event. Nothing is lost by a stop: the turn is kept
 * (7.2.3), blocks are as they were.
 *
 * Both steps change the state in place, journalled: a caller that only wants
 * to know what would happen opens a probe around them. Between the two steps
 * neither state nor turn may change.
 * A struct pi_compact owns its arena and bufs; texts it was given are borrowed.
 */
#ifndef ENGINE_HOST_PI_COMPACT_H
#define ENGINE_HOST_PI_COMPACT_H

#include "engine/host/pi_compact_prompt.h"
#include "engine/kernel/compress.h"
#include "engine/kernel/turn.h"

enum pi_compact_stop {
	PI_COMPACT_GOING,       /* prepared, or done once finished */
	PI_COMPACT_TURN_FAILED, /* the turn could not run (ref-capacity); the state is as before */
	PI_COMPACT_NO_NUDGE,    /* compactGate=shouldInject, and the decision does not inject */
	PI_COMPACT_NO_RANGES,
	PI_COMPACT_ONLY_DANGEROUS,
	PI_COMPACT_BELOW_MINIMUM, /* all ranges together stay below minCompressRange */
	PI_COMPACT_MODEL_UNKNOWN, /* compressModel is not in the registry; no fall-back to the session's */
	PI_COMPACT_NO_MODEL,      /* none configured and none in the session */
	PI_COMPACT_EMPTY_SLICE,
	PI_COMPACT_NO_CREDENTIALS,
	PI_COMPACT_NO_ANSWER,   /* the call failed, timed out or was aborted */
	PI_COMPACT_UNPARSEABLE, /* the answer is not what was asked for (pi_compact.reply) */
	PI_COMPACT_REFUSED,     /* applyCompression reported an error (pi_compact.applied) */
	PI_COMPACT_STOPS
};
/* "going", "turn-failed", .. */
const char *pi_compact_stop_name(enum pi_compact_stop s);
/* One sentence for people, without a full stop; of GOING: "". */
const char *pi_compact_stop_words(enum pi_compact_stop s);

struct pi_model {
	struct str provider, id;
	bool configured; /* by compressModel */
};

/* What the host has to say. */
struct pi_compact_host {
	struct str configured;      /* compressModel (pi_compact_configured); n = 0: not configured */
	struct str provider, model; /* of the session; model n = 0: none */
	/* The model registry, and whether there are credentials. NULL: every model with an id is known / there are. */
	bool (*known)(void *ctx, const struct pi_model *m);
	bool (*credentials)(void *ctx, const struct pi_model *m);
	void *ctx;
	struct pi_prompts prompts;
	bool gate; /* compactGate=shouldInject (pi-rulings 9) */
};
/* compressModel of an acp.json (NULL = none); empty unless it is a non-empty string. */
struct str pi_compact_configured(const cJSON *acp);
/* 7.4.1: the configured model, split at its first colon, else the session's; id n = 0: none. */
struct pi_model pi_compact_model(const struct pi_compact_host *h);

struct pi_compact {
	struct arena arena;
	enum pi_compact_stop stop;
	double tokens;    /* what the turn was given; raw estimate */
	size_t offered;   /* ranges of the decision that are not dangerous */
	size_t dangerous; /* and those that are */
	double minimum;   /* minCompressRange, units */
	bool has_span;    /* below the minimum it is the widest that could be had */
	struct pi_span span;
	struct pi_model model;
	struct buf prompt;
	size_t mark; /* of the state after the turn */
	enum pi_reply reply;
	struct str summary; /* as the model wrote it */
	struct apply_result applied;
	int64_t block; /* made, or -1 */
};

/* 7.2.2: raw estimate of the rows that are not covered, but for those of tool `compress`. */
double pi_compact_tokens(struct state *s);

/*
 * 7.3 selectRangeSpan: the largest range, widened over the smaller gap until it
 * has `minimum` units. Ranges that are dangerous are passed over. False: there
 * are none, or all of them are not enough (then *out is the widest window, or
 * as it was when there are none). Cost: rows and ranges, each times its
 * logarithm.
 */
bool pi_span_choose(const struct range *ranges, size_t n, const struct surface *f, const struct state *s,
		    double minimum, struct arena *scratch, struct pi_span *out);

/* 7.2.1 to 7.2.6 as far as the prompt. `in` is what any turn of the host is given; its tokens and count are not used.
 */
void pi_compact_prepare(struct pi_compact *c, struct turn *t, struct state *s, struct alternatives *alt,
			const struct turn_input *in, const struct pi_compact_host *h);
/* The part of it behind the turn: from the ranges of a decision to the prompt. */
void pi_compact_ask(struct pi_compact *c, const struct range *ranges, size_t n, const struct surface *f,
		    struct state *s, const struct alternatives *alt, const struct pi_compact_host *h);

struct pi_answer {
	bool failed;      /* there is no answer */
	struct str reply; /* text blocks joined with line feeds */
	double time;      /* createdAt of the block, Unix ms */
};
/* 7.4.6, 7.2.7. Does nothing unless prepare left `going`. `f` is the view that was prepared. */
void pi_compact_finish(struct pi_compact *c, const struct surface *f, struct state *s, const struct counter *counter,
		       const struct pi_answer *answer, struct compress_scratch *scratch);

/* What the host gave with its event: where IT would cut. */
struct pi_preparation {
	struct str first_kept; /* firstKeptEntryId; p NULL = unknown */
	double tokens_before;  /* NAN = unknown */
};
/* 7.2.8: {"summary","firstKeptEntryId","tokensBefore"}, the last two copied; only after a finish that kept going. */
void pi_compact_put_result(struct buf *b, const struct pi_compact *c, const struct pi_preparation *p);

/*
 * 7.5: active blocks all of whose entries lie before message `first_kept` and so
 * become inactive at the next sync. Their indexes go to `out` (room for s->live.n); returns how many.
 */
size_t pi_compact_cut_away(const struct state *s, uint32_t first_kept, uint32_t *out);

/* An entry of the host's context, for its own cut. */
struct pi_cut_entry {
	double tokens; /* host estimate (pi.md 1.10.1) */
	bool valid;    /* can be the first one kept: not a tool result */
};
/* 1.10.5 without its last step (entries that are no messages are not told of): index of the first entry kept, or n. */
size_t pi_native_cut(const struct pi_cut_entry *entries, size_t n, double keep_tokens);

/* Gives everything back; zero-initialise before the first use. */
void pi_compact_free(struct pi_compact *c);

#endif
