/*
 * fixture: a kernel state with its host list, built from a test case.
 *
 * Members of a case that are read here, all optional:
 *   config    overrides over the config of kernel.md 10: limit 100000, minimum
 *             range 0, no summary limits, nothing preserved
 *   limit     a context limit of its own
 *   predicate {tool, contains}: isToolProtected is true for that tool when the text contains that
 *   state     a stored state (kernel.md 1.3)
 *   blocks    blocks in the shorthand of kernel.md 10: id, eff, direct (= eff),
 *             kids, tok (= 1), tier (= 1), active (= true), and any stored
 *             member under its own name (summary is "sum"), texts through
 *             case_expand. They stand in for state.blocks; the block counter
 *             follows the highest number unless state.nextBlockId says otherwise
 *   messages  [{id, role = "user", type = "text", text, repeat = 1, tool, call}];
 *             texts go through case_expand. A row of a pruned view that is a
 *             rendered summary is a message too: id acp_summary_bN, role system
 *   refs      "auto": m00001.. in list order; a list of ids: m00001.. in its
 *             order; absent: what state.messageRefs says
 *
 * A fixture owns everything it builds; fixture_free gives it back. Bad case data
 * fails the running test.
 */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include "engine/kernel/surface.h"
#include "tests/case_file.h"

struct fixture {
	struct arena arena; /* expanded texts, config lists */
	struct names names;
	struct config config;
	struct alternatives alternatives;
	struct state state;
	VEC(struct str) texts; /* by message */
	struct surface surface;
};

/* Builds everything but the surface. f need not be initialised; it must stay where it is. */
void fixture_build(struct fixture *f, const cJSON *one);
/* The unpruned list as surface, as the state is now; valid until the next call. */
const struct surface *fixture_surface(struct fixture *f);
void fixture_free(struct fixture *f);

/* The name of an id of the case; fails when nothing carries it. */
uint32_t fixture_name(const struct fixture *f, const cJSON *one, const char *id);
/* Appends names as "a,b". */
void fixture_put_names(const struct fixture *f, const uint32_t *names, size_t n, struct buf *b);
/* Appends all blocks as kernel.md 10 prints them: "b1{T1 active eff=[a,b] direct=[a,b] kids=[] tok=3} b2{..}", or
 * "none". */
void fixture_put_blocks(const struct fixture *f, struct buf *b);

#endif
