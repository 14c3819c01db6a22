/*
 * explain: every rule that has a say about one row, range, gate or block at a
 * frame's position, as data.
 *
 * The rules are the engine's; here they are asked again, one by one, about one
 * thing. A reason is a rule, whether it holds, the numbers behind it, and the
 * members of the configuration it compared with, with the source of their
 * values. Views put reasons into sentences; tests work them out on their own.
 * Lists and texts of a reason live in the arena of its explanation, in the run
 * or in the frame, whichever ends first.
 */
#ifndef REPLAY_EXPLAIN_H
#define REPLAY_EXPLAIN_H

#include "replay/frame_ranges.h"

/*
 * Rule, its name on the screen, and what its reasons carry: number[0..3], list.
 * Where nothing else is said, a reason is there because the rule holds.
 */
#define RULE_LIST(X)                                                                                                   \
	/* ranges: how the list came about (kernel.md 4.6) */                                                          \
	X(RANGE_START, "starts") /* variant enum range_start; [0] ref of the compressible row before */                \
	X(RANGE_SIZE,                                                                                                  \
	  "size") /* holds: large enough; variant enum frame_range_kind; [0] units, [1] least, [2] groups merged */    \
	X(RANGE_TOOLS, "protected") /* list: names of the tools */                                                     \
	X(RANGE_RECENT, "recent")   /* [0] rows */                                                                     \
	/* ranges: what applyCompression makes of one alone (kernel.md 5, 6), in its order */                          \
	X(ALONE_RESOLVES, "resolves") /* holds; variant enum resolve_status; [0], [1] first and last row of the        \
					 view, from 1, [2] ids between them */                                         \
	X(ALONE_SNAPPED, "snapped")   /* text: the ref that stands for the block it went into */                       \
	X(ALONE_GATE, "size-gate")    /* holds; [0] units counted, [1] minimum */                                      \
	X(ALONE_WIDENED, "pairs")     /* [0] rows added before, [1] behind (kernel.md 5.9) */                          \
	X(ALONE_NESTED, "nested")     /* list: blocks visible in it that it does not consume */                        \
	X(ALONE_CONSUMES, "consumes") /* [0] their tier; list: blocks that would go into its block */                  \
	X(ALONE_COVERED, "covered")   /* [0] rows that are no new content; list: rows of the view, from 0 */           \
	X(ALONE_GUARDED, "left-out-protected") /* [0] rows; list: rows of the view, from 0 */                          \
	X(ALONE_ZONE, "left-out-recent")       /* [0] rows; list: rows of the view, from 0 */                          \
	X(ALONE_CONTENT, "new-content")        /* holds: something is left to compress; [0] rows, [1] blocks */        \
	X(ALONE_SUMMARY, "summary") /* holds: a legal length exists; [0] units tried, [1] least, [2] most */           \
	X(ALONE_ANSWER, "answer")   /* holds: accepted; variant enum compress_kind of the refusal; [0] tier, [1]       \
				       compressedTokens of the block */                                                \
	X(ALONE_FREES, "frees")     /* tokens of [0] the rows that leave the view, [1] the consumed summaries that     \
				       leave it, [2] the first user row, which stays though covered */                 \
	/* blocks (kernel.md 4.2, 4.3) */                                                                              \
	X(BLOCK_CONSUMED, "consumed") /* holds; list: blocks made of it */                                             \
	X(BLOCK_PRESENT, "present")   /* holds: some of its messages are in the host's list; [0] how many, [1] of */   \
	X(BLOCK_FED, "fed-back")      /* holds: a message with its summary's id is in the host's list */               \
	X(BLOCK_ACTIVE, "active")     /* holds; variant 1: not what the three above say, sync-blocks did not run */    \
	X(BLOCK_OLD, "generation")    /* holds: old; [0] turns survived, [1] promotionThreshold */                     \
	X(BLOCK_ANCHOR, "anchor")     /* variant enum block_anchor; [0] message it stands before */                    \
	X(BLOCK_PILE, "pile")         /* holds: counted by the nudge; [0] tier that would distil it, [1] tokens */

enum rule {
#define RULE_ENUM(name, text) RULE_##name,
	RULE_LIST(RULE_ENUM)
#undef RULE_ENUM
		RULE_COUNT
};
const char *rule_name(enum rule r);

/* Why a compressible group starts where it does (kernel.md 4.6.2). */
enum range_start {
	RANGE_START_FIRST, /* nothing compressible before it */
	RANGE_START_GAP,   /* the rows between are not offered, or their refs are not in a row */
	RANGE_START_USER   /* a user row after a group of at least three */
};

/* Where a block's summary stands (kernel.md 4.3.3). */
enum block_anchor {
	BLOCK_ANCHOR_FED,     /* where the host's copy of the summary stands */
	BLOCK_ANCHOR_MESSAGE, /* before the first of its messages */
	BLOCK_ANCHOR_TOP,     /* none of them is there: at the top */
	BLOCK_ANCHOR_NONE     /* inactive: nowhere */
};

enum { REASON_NUMBERS = 4, REASON_VALUES = 4 };

/* A member of the configuration, and where its value is from: "default", "recording", "--config", "--limit", "assumed".
 */
struct reason_value {
	int member;
	const char *source;
};

struct reason {
	uint16_t rule; /* enum rule */
	uint8_t variant;
	bool holds;
	double number[REASON_NUMBERS]; /* NAN = none */
	const uint32_t *list;
	uint32_t list_n;
	struct str text; /* raw, may be session text */
	struct reason_value value[REASON_VALUES];
	uint8_t values;
};

/* `arena` is given by the caller; explanation_free gives the rest back. */
struct explanation {
	struct arena *arena;
	VEC(struct reason) reasons;
};

/* Range i of frame_ranges(f), as it came about and as it would fare alone. */
void explain_range(struct frame *f, size_t i, struct explanation *out);
/* A block of the state, by index. */
void explain_block(struct frame *f, uint32_t block, struct explanation *out);
void explanation_free(struct explanation *x);

/* ---- for who adds reasons ---- */

/* Appends a reason that holds, without numbers; valid until the next one. */
struct reason *explain_add(struct explanation *out, enum rule rule);
/* The member with this path stands behind the reason. */
void explain_value(struct reason *r, const struct run *run, const char *path);
/* Where a member's value is from. */
const char *explain_source(const struct run *run, int member);

#endif
