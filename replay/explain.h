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
#include "replay/gates.h"

/*
 * Rule, its name on the screen, and what its reasons carry: number[0..3], list.
 * Where nothing else is said, a reason is there because the rule holds.
 */
#define RULE_LIST(X)                                                                                                   \
	/* rows */                                                                                                     \
	X(ROW_COVERED, "covered")       /* one for each active block that covers it; list: that block; variant         \
					   enum row_dropped */                                                         \
	X(ROW_FIRST_USER, "first-user") /* kept although covered (kernel.md 4.3.4) */                                  \
	X(ROW_SHOWN_AGAIN, "summary-shown-again") /* a summary the host fed back stands at its anchor */               \
	X(ROW_ORPHAN, "orphan")           /* removed by prune: its other half is gone (4.3.5); variant enum content */ \
	X(ROW_HIDDEN_CALL, "hidden-call") /* kernel.md 4.5.1; variant enum row_hidden; list: its blocks */             \
	X(ROW_HIDDEN_RESULT, "hidden-result")     /* name: the hidden call */                                          \
	X(ROW_KEPT_CALL, "kept-call")             /* list: its active blocks; none = among the newest without */       \
	X(ROW_REWRITTEN, "rewritten-call")        /* kernel.md 4.5.2, 4.5.3; [0] units before, [1] now */              \
	X(ROW_NO_REF, "no-ref")                   /* variant enum row_no_ref */                                        \
	X(ROW_BLOCKED, "blocked")                 /* its ref is BLOCKED; variant enum row_guard */                     \
	X(ROW_PROTECTED_TOOL, "protected-tool")   /* kernel.md 4.1.1; variant enum row_guard; name: the tool; text:    \
						     the entry of protectedTools */                                    \
	X(ROW_PROTECTED_PAIR, "protected-pair")   /* result of a protected call; name: the call */                     \
	X(ROW_HEADER, "summary-header")           /* its text reads like a summary: skipped (kernel.md 4.6) */         \
	X(ROW_RECENT_MESSAGES, "recent-messages") /* kernel.md 4.6.1, rule 1; [0] recent rows that are newer */        \
	X(ROW_RECENT_TOKENS, "recent-tokens")     /* rule 2; [0] tokens of the recent rows that are newer */           \
	X(ROW_LAST_USER, "last-user")             /* rule 3 */                                                         \
	X(ROW_NEVER_RECENT, "never-recent")       /* its tool is not counted by rules 1 and 2; name: the tool */       \
	X(ROW_TRUNCATED, "truncated")             /* kernel.md 4.8; [0] tokens before, [1] now, [2] of the context,    \
						     [3] share of the window */                                        \
	X(ROW_GROUP, "compressible")              /* the group it lies in (kernel.md 4.6.2): [0] its index */          \
	X(ROW_RANGE, "recommended")               /* the merged range around that group (4.6.3); holds: large enough;  \
						     [0] its index, [1] units, [2] minimum */                          \
	X(ROW_EMPTY_GROUP, "no-tokens")           /* its group had no tokens and was dropped */                        \
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
	X(BLOCK_PILE, "pile")         /* holds: counted by the nudge; [0] tier that would distil it, [1] tokens */     \
	/* gates of the nudge decision and their formulas (kernel.md 4.7.1 to 4.7.3) */                                \
	X(GATE, "gate")           /* variant enum nudge_gate; holds: it passes; [0] has, [1] needs, [2] 1 = asked */   \
	X(NUDGE_USAGE, "usage")   /* [0] tokenCount, [1] window, [2] their share */                                    \
	X(NUDGE_COUNTED, "count") /* tokenCount was worked out here; variant enum count_scale; [0] systemTokens in     \
				     it */                                                                             \
	X(NUDGE_PILES, "piles")   /* [0] P1, [1] P2, [2] P3 */                                                         \
	X(NUDGE_G, "G")           /* [0] G; variant 1: without a window */                                             \
	X(NUDGE_F, "F")           /* [0] F, [1] G */                                                                   \
	X(NUDGE_D, "D")           /* [0] D, [1] G */                                                                   \
	X(NUDGE_GROWTH, "growth") /* [0] growth = [1] tokenCount - [2] reference; variant enum growth_since */         \
	X(NUDGE_HALF, "half")     /* [0] effectiveThreshold: a nudge is pending, and it decides nothing */

enum rule {
#define RULE_ENUM(name, text) RULE_##name,
	RULE_LIST(RULE_ENUM)
#undef RULE_ENUM
		RULE_COUNT
};
const char *rule_name(enum rule r);

/* What prune does to a covered row. */
enum row_dropped { ROW_DROPPED_HERE, ROW_DROPPED_NOT, ROW_DROPPED_LATER };
/* Why a row has no ref. */
enum row_no_ref { NO_REF_SUMMARY, NO_REF_EMPTY_ID, NO_REF_CAPACITY, NO_REF_YET };
/* Why a compress call is hidden. */
enum row_hidden { HIDDEN_NO_ID, HIDDEN_ORPHAN, HIDDEN_INACTIVE };
/* What protects a row, or once did. */
enum row_guard {
	GUARD_COMPRESS, /* the compress tool always is */
	GUARD_ENTRY,    /* an entry of protectedTools */
	GUARD_HOST,     /* isToolProtected */
	GUARD_BEFORE    /* nothing now */
};

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

/* What growth is counted from (kernel.md 4.7.1). */
enum growth_since { GROWTH_SINCE_SHOWN, GROWTH_SINCE_BASELINE, GROWTH_SINCE_NOTHING };

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
	uint32_t name;   /* of a tool or a call, 0 = none */
	struct str text; /* raw, may be session text */
	struct reason_value value[REASON_VALUES];
	uint8_t values;
};

/* `arena` is given by the caller; explanation_free gives the rest back. */
struct explanation {
	struct arena *arena;
	VEC(struct reason) reasons;
};

/* Every rule that protects, covers, hides, cuts or offers a row of f->rows at the frame's position. */
void explain_row(struct frame *f, const struct frame_row *row, struct explanation *out);
/* Range i of frame_ranges(f), as it came about and as it would fare alone. */
void explain_range(struct frame *f, size_t i, struct explanation *out);
/* The gate, then the formulas of what it compares; only when the decision was taken (gates_decided). */
void explain_gate(const struct frame *f, enum nudge_gate id, struct explanation *out);
/* A block of the state, by index. */
void explain_block(struct frame *f, uint32_t block, struct explanation *out);
void explanation_free(struct explanation *x);

/* ---- for who adds reasons ---- */

/* Appends a reason that holds, without numbers; valid until the next one. */
struct reason *explain_add(struct explanation *out, enum rule rule);
/* The member with this path stands behind the reason. */
void explain_value(struct reason *r, const struct run *run, const char *path);
/* So does the switch of the policy. */
void explain_switch(struct reason *r, const struct run *run, enum policy_switch which);
/* Where a member's value is from. */
const char *explain_source(const struct run *run, int member);

#endif
