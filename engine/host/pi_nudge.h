/*
 * pi_nudge: what the Pi adapter puts at the tail of a request (pi.md 3.8): a
 * user message that tells the model to compress, or nothing.
 *
 * The kernel decides whether a nudge is due; the adapter keeps it from being
 * repeated on every step of a tool loop. `struct pi_nudge_memory` is all it
 * remembers between turns; it is told of user entries, compress attempts and
 * restarts, may be copied at will (to come back to an earlier point of the
 * branch) and owns nothing.
 * Tokens are the turn's tokenCount, as the adapter counts it.
 * pi.md fixes figures, order and layout of the text; the wording, the labels
 * and the order of the parts of the `Compressed blocks:` line are ours.
 */
#ifndef ENGINE_HOST_PI_NUDGE_H
#define ENGINE_HOST_PI_NUDGE_H

#include "engine/host/pi_prompts.h"
#include "engine/kernel/nudge_text.h"

enum {
	PI_NUDGE_ATTEMPTS = 3,        /* failed or empty compress calls of a user turn that silence it */
	PI_NUDGE_LISTED_TOKENS = 200, /* a line of the range list below this is left out (lines, not what they were
					 put together from: our reading) */
	PI_NUDGE_IDS = 10             /* block ids that are named */
};

enum pi_nudge_verdict {
	PI_NUDGE_NOT_INJECTED,       /* the kernel does not inject */
	PI_NUDGE_SENT_FIRST,         /* first of the user turn */
	PI_NUDGE_SENT_EMERGENCY,     /* shown already, but usage has reached the emergency threshold */
	PI_NUDGE_SENT_GROWTH,        /* shown already, but the context has grown by pi_nudge_repeat since */
	PI_NUDGE_SUPPRESSED_SHOWN,   /* shown already */
	PI_NUDGE_SUPPRESSED_RETRIES, /* too many attempts came to nothing; holds in an emergency, too */
	PI_NUDGE_VERDICTS
};
/* "not-injected", "sent-first-of-turn", "sent-emergency", "sent-growth-repeat", "suppressed-shown",
 * "suppressed-retries". */
const char *pi_nudge_verdict_name(enum pi_nudge_verdict v);
static inline bool pi_nudge_sent(enum pi_nudge_verdict v)
{
	return v >= PI_NUDGE_SENT_FIRST && v <= PI_NUDGE_SENT_GROWTH;
}

/* Zero-initialise: a session that has not seen a user entry. */
struct pi_nudge_memory {
	double tokens;   /* when it was shown, lowered by every later turn of the same user turn that has fewer */
	uint32_t key;    /* name of the last user entry of the branch; 0 = none: the session's id stands for it */
	uint32_t shown;  /* key under which it was shown last, if `any` */
	uint32_t failed; /* attempts that failed or made no block, since the last user entry */
	bool any;
};

/* What became of a compress call. */
enum pi_nudge_attempt { PI_NUDGE_APPLIED, PI_NUDGE_FAILED /* or it made no block */ };

/* A user entry joined; also for the last one left on the branch after a step back (0 = none left). */
void pi_nudge_user(struct pi_nudge_memory *n, uint32_t entry);
void pi_nudge_attempt(struct pi_nudge_memory *n, enum pi_nudge_attempt what);
/* The host process restarted (pi-rulings 15): only the key stays, which is read off the branch. */
void pi_nudge_forget(struct pi_nudge_memory *n);

/* Growth since it was shown that lets it be shown again in the same user turn: max(minGrowthFloor, minGrowthRatio x
 * growthCap), the adapter's nudgeGrowthTokens being the latter; 22500 by default. */
double pi_nudge_repeat(const struct config *c);
/*
 * What the adapter does with the decision of a turn; remembers it. `usage` is the share of the window that is compared
 * with emergencyThresholdPct. The first rule that holds: not injected, retries, first of the turn, emergency, growth,
 * shown. Where the context has become smaller than when the nudge was shown, growth counts from there (the adapter's
 * `drop-reanchor`, pi.md 2.2; that any drop counts is our choice).
 */
enum pi_nudge_verdict pi_nudge_decide(struct pi_nudge_memory *n, const struct nudge_decision *d, double usage,
				      double tokens, const struct config *c);

/* What the text is made from; all borrowed. The state is that after the turn. */
struct pi_nudge_source {
	const struct nudge_decision *decision;
	const struct recommendation *recommendation;
	const struct state *state;
	const struct pi_prompts *prompts;
	bool blocks; /* with the `Compressed blocks:` line */
};
/* Appends the text of the message (kernel.md 4.7.8 and pi.md 3.8). Costs the ranges, targets and active blocks. */
void pi_nudge_put(const struct pi_nudge_source *s, struct buf *b);
/*
 * Appends "Compressed blocks: 12 active (T1 10, T2 2), summaries 1.9K tokens, originals 120.0K tokens: b1, .., b10 +2
 * more" without a line feed; nothing when no block is active. Summaries are ceil(units / 4), originals the blocks'
 * compressedTokens; blocks stand in order of their making.
 */
void pi_nudge_put_blocks(const struct state *s, struct buf *b);

#endif
