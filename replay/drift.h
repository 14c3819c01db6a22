/*
 * drift: where two states that should be the same differ.
 *
 * "Here" is what the replay came to at its end, "there" is another account of
 * the same session: the sidecar a host stored (pi.md 8.6), or the state the
 * host's own fork recovery would make of the history (kernel.md 8.1). Refs never
 * change once given, so the two must agree on the ref of every id both know;
 * where they do not, the first such id is named.
 *
 * A `struct drift` owns its texts, until drift_free, and points at nothing else.
 */
#ifndef REPLAY_DRIFT_H
#define REPLAY_DRIFT_H

#include "engine/kernel/rebuild.h"
#include "replay/run.h"
#include "replay/sidecar.h"

enum { DRIFT_BLOCKS_NAMED = 5 }; /* blocks of a kind that are named; the rest is counted */

/* How two accounts of one block differ: the first of these that does. */
enum drift_of_block {
	DRIFT_SAME,
	DRIFT_ID,
	DRIFT_TIER,
	DRIFT_ACTIVE,
	DRIFT_MESSAGES, /* effectiveMessageIds */
	DRIFT_CHILDREN, /* directBlockIds */
	DRIFT_TOKENS,   /* compressedTokens */
	DRIFT_OF_BLOCK_COUNT
};

struct drift_block {
	struct str here, there;      /* ids; absent where there is none */
	struct str call, start, end; /* compressCallId, startRef, endRef; absent = it has none */
	enum drift_of_block what;
};

struct drift_blocks {
	uint32_t n; /* all of them */
	struct drift_block named[DRIFT_BLOCKS_NAMED];
};

enum drift_figure { DRIFT_COMPRESSED, DRIFT_COMPRESSIONS, DRIFT_NEXT_BLOCK, DRIFT_NEXT_RUN, DRIFT_FIGURES };
/* "stats.tokensCompressed", .. */
const char *drift_figure_name(enum drift_figure f);

enum drift_with { DRIFT_SIDECAR, DRIFT_RECOVERY };

struct drift {
	enum drift_with with; /* what the replay is compared with */

	/* byRaw, by id */
	uint32_t refs_same, refs_different, refs_here, refs_there; /* the last two: ids only one of them knows */
	struct str first;                   /* in the order refs were given here; refs_different > 0 */
	struct str first_here, first_there; /* its refs */
	uint32_t first_line;                /* line of its row in the recording; 0 = none */
	double shift; /* by which every different ref is higher there; NAN = not the same for all */

	/* blocks, by compressCallId, startRef and endRef */
	uint32_t blocks_same;
	struct drift_blocks different, only_here, only_there;

	struct {
		double here, there;
	} figures[DRIFT_FIGURES];

	/* a recovery only */
	enum rebuild_form form;
	size_t calls, rebuilt; /* compress calls in the history, blocks made of them */
	bool capacity;         /* it ran out of refs: the rest means nothing */

	struct arena arena;
};

/*
 * Both compare with the end of the replay: STATUS_USAGE when the first pass is not done. They move the run's state
 * there, an open frame must be opened again. d is overwritten.
 */
enum status drift_from_sidecar(struct drift *d, struct run *run, const struct sidecar *s, struct error *e);
/* The recovery is worked out from the recorded messages, rewound ones left out; cost: their number times the calls. */
enum status drift_from_recovery(struct drift *d, struct run *run, enum rebuild_form form, struct error *e);
/* Two states over the same names; `rows` (may be NULL) finds the line of an id. For the two above, and tests. */
void drift_compare(struct drift *d, const struct state *here, const struct state *there, const struct recording *rows);

/* Do all refs that both know agree? */
static inline bool drift_refs_agree(const struct drift *d) { return d->refs_different == 0; }
/*
 * Is there any difference that matters? Ids that only one of them knows do not (a sidecar knows other branches, too),
 * nor does nextRunId, nor a recovery's token counts (they are taken of texts without tags).
 */
bool drift_found(const struct drift *d);
/* Appends lines as `acpdbg info` prints them. */
void drift_print(const struct drift *d, struct buf *b);
/* Appends what an event says, one line without its end; nothing when drift_found is false. */
void drift_event(const struct drift *d, struct buf *b);
void drift_free(struct drift *d);

#endif
