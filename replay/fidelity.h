/*
 * fidelity: how far a replay is what really happened, as far as the recorded
 * run says (interface.md, info): outcomes of compress calls, refs, token counts,
 * prompt sizes, and figures of the adapter's log.
 *
 * Counted over a run whose first pass is done; what comes after a record that
 * could not be followed is no evidence and is left out. Reads a run, owns
 * nothing.
 */
#ifndef REPLAY_FIDELITY_H
#define REPLAY_FIDELITY_H

#include "replay/acp_log.h"
#include "replay/drift.h"
#include "replay/fit.h"
#include "replay/hits.h"

/* A prompt size agrees when what stays unexplained is at most this share of it, in percent. */
enum { FIDELITY_PERCENT = 10 };

struct fidelity {
	const char *scale; /* of what is counted */
	/*
	 * compress records with a recorded outcome: applied or not, and in how many blocks; those behind a record that
	 * could not be followed are counted apart
	 */
	size_t outcomes, outcomes_agree, outcomes_behind;
	/* ids that the replay and a sidecar both gave a ref; without a sidecar there is nothing to compare */
	bool has_sidecar, sidecar_unreadable; /* the latter: there is one, which cannot be used (for whom it is set) */
	size_t refs, refs_agree;
	/* turns with a recorded tokenCount, and those where ours is exactly the same */
	size_t counts, counts_agree;
	/*
	 * Turns with a recorded prompt size. Counted is (in `scale`) what was sent plus the fitted system
	 * tokens; rest = actual (provider usage) - counted.
	 */
	struct fit fit;
	size_t prompts, prompts_agree;
	double rest;         /* median of its absolute value, tokens */
	double worst;        /* the largest one, with its sign */
	uint32_t worst_turn; /* 1-based; 0 = there is none */
	/* turns whose recorded hit can be compared, and those where it is what our requests keep (hits.h); none where
	 * the requests were not worked out */
	size_t hits, hits_agree;
	/* figures and words of the adapter's log that the replay has, too (acp_log_compare) */
	bool has_log;
	size_t logged, logged_agree;
};

/* `sidecar` (may be NULL): what drift_from_sidecar found. */
struct fidelity fidelity_of(const struct run *r, const struct drift *sidecar);
/* Adds a log that was compared with the run. */
void fidelity_take_log(struct fidelity *f, const struct acp_log *log);
/* What a turn's prompt leaves unexplained with so many system tokens; NAN when that cannot be told. */
double fidelity_rest(const struct run *r, const struct moment *m, double system_tokens);
/* Appends one line without its end; what nothing is recorded of is said so. */
void fidelity_put(const struct fidelity *f, struct buf *b);
/* The same in a few columns, "outcomes 3/4 refs 99/99 prompts 40/41"; only what something is recorded of. */
void fidelity_put_short(const struct fidelity *f, struct buf *b);

#endif
