/*
 * why: every rule that had a say about one row, with its numbers.
 *
 * The rules themselves are the engine's; here they are asked again, one by one,
 * about a single row, and put into words together with the config value behind
 * them and where that value is from. The texts live in the caller's arena and
 * are raw: names of the session stand among them.
 */
#ifndef REPLAY_VIEW_WHY_H
#define REPLAY_VIEW_WHY_H

#include "replay/frame.h"

/* Rule and its name on the screen. */
#define WHY_LIST(X)                                                                                                    \
	X(NO_REF, "no-ref")                   /* the row has no ref, and why */                                        \
	X(BLOCKED, "blocked")                 /* its ref is BLOCKED */                                                 \
	X(HEADER, "summary-header")           /* its text reads like a summary: skipped (kernel.md 4.6) */             \
	X(PROTECTED_TOOL, "protected-tool")   /* kernel.md 4.1.1 */                                                    \
	X(PROTECTED_PAIR, "protected-pair")   /* result of a protected call */                                         \
	X(RECENT_MESSAGES, "recent-messages") /* kernel.md 4.6.1, rule 1 */                                            \
	X(RECENT_TOKENS, "recent-tokens")     /* rule 2 */                                                             \
	X(LAST_USER, "last-user")             /* rule 3 */                                                             \
	X(NEVER_RECENT, "never-recent")       /* its tool is not counted by rules 1 and 2 */                           \
	X(COVERED, "covered")                 /* one for each active block that covers it */                           \
	X(FIRST_USER, "first-user")           /* kept although covered (kernel.md 4.3.4) */                            \
	X(SHOWN_AGAIN, "summary-shown-again") /* a summary the host fed back stands at its anchor */                   \
	X(ORPHAN, "orphan")                   /* removed by prune: its other half is gone (kernel.md 4.3.5) */         \
	X(HIDDEN_CALL, "hidden-call")         /* kernel.md 4.5.1 */                                                    \
	X(HIDDEN_RESULT, "hidden-result")                                                                              \
	X(KEPT_CALL, "kept-call")      /* a compress call that stays, and why */                                       \
	X(REWRITTEN, "rewritten-call") /* kernel.md 4.5.2, 4.5.3 */                                                    \
	X(TRUNCATED, "truncated")      /* kernel.md 4.8 */                                                             \
	X(GROUP, "compressible")       /* the group it lies in (kernel.md 4.6.2) */                                    \
	X(RANGE, "recommended")        /* the merged range around that group (kernel.md 4.6.3) */                      \
	X(EMPTY_GROUP, "no-tokens")    /* its group had no tokens and was dropped */

enum why_rule {
#define WHY_ENUM(name, text) WHY_##name,
	WHY_LIST(WHY_ENUM)
#undef WHY_ENUM
		WHY_COUNT
};
const char *why_rule_name(enum why_rule r);

struct why {
	enum why_rule rule;
	struct str text;   /* one sentence with the numbers */
	struct str config; /* "member = value (source)", several separated by line feeds; n = 0 when no value decides */
};

struct why_list {
	struct arena *arena; /* given by the caller */
	VEC(struct why) items;
};

/* Every rule that protects, covers, hides, cuts or offers a row of f->rows at the frame's position. */
void why_row(struct frame *f, const struct frame_row *row, struct why_list *out);
void why_list_free(struct why_list *l);

#endif
