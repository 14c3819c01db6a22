/*
 * turn: the kernel's pipeline, node by node (kernel.md 4).
 *
 * struct turn owns the products of one turn (surface, ranges, decision) and is
 * reused for the next. The state is changed in place and journalled; a caller
 * that must not keep the changes rolls them back.
 *
 * A turn costs what changed: turn_run goes on from the surface of the turn
 * before. The rows that stand before every change (state_changed) are kept as
 * the last node left them, and each node starts at the first row that is not
 * kept. turn_step always works everything out.
 */
#ifndef ENGINE_KERNEL_TURN_H
#define ENGINE_KERNEL_TURN_H

#include "engine/kernel/anchors.h"
#include "engine/kernel/nudge.h"
#include "engine/kernel/sync.h"

enum turn_node {
	NODE_START, /* before the first node */
	NODE_ASSIGN_REFS,
	NODE_SYNC_BLOCKS,
	NODE_PRUNE,
	NODE_FILTER,
	NODE_HIDE,
	NODE_RECOMMEND,
	NODE_NUDGE,
	NODE_TRUNCATE,
	NODE_RENDER,
	NODE_COUNT
};
/* "assign-refs" .. "render-refs"; "start" for NODE_START. */
const char *turn_node_name(enum turn_node n);
/* A node's name or its number 1..9; false when it is neither. */
bool turn_node_parse(struct str s, enum turn_node *out);

enum render_tags { TAGS_ALL, TAGS_TEXT_ONLY, TAGS_NONE };

struct turn_input {
	double tokens; /* the host's count for the whole context; unused when `count` is there */
	/* For hosts that count what will be sent: called after hide-compress-calls, which no count has touched yet. */
	double (*count)(void *ctx, const struct surface *f, const struct state *s);
	void *count_ctx;
	enum render_tags tags;
	enum anchor_form hide;
	bool no_summaries; /* prune without injecting summaries (kernel.md 4.3, option inject) */
	bool no_snapshot;  /* tags are counted anew by every turn (policy.md, snapshot=off) */
	bool no_orphans;   /* compress calls that no block knows do not stay (policy.md, keepOrphans=0) */
	struct counter counter;
};

enum { ORPHANS_KEPT = 2 }; /* kernel.md 1.6: orphan compress calls that stay */
struct orphans {
	uint32_t message[ORPHANS_KEPT]; /* newest first */
	int n;
};

struct turn {
	struct turn_input in;
	struct surface surface; /* after the last node that ran */
	struct recommendation rec;
	struct nudge_decision nudge;
	uint32_t hidden, truncated;    /* rows hidden (of those not kept), results truncated */
	uint32_t peeled;               /* rows whose text had an own tag */
	double saved;                  /* tokens saved by truncation; can be negative */
	struct block_list deactivated; /* by sync (informational) */
	VEC(uint64_t) order;           /* active blocks by anchor: anchor << 32 | block; valid for the two below */
	uint32_t order_version, order_epoch;
	const struct state *order_for;
	VEC(uint64_t) chain; /* the digest up to and with each row, as far as it still holds */

	/* going on from the turn before */
	size_t kept;            /* rows of the surface that are those of the turn before */
	bool complete;          /* all nodes ran, and left the faces of the texts alone: can be gone on from */
	const struct state *of; /* the state the surface was taken of */
	struct orphans orphans; /* compress calls that no block knows, but stay (4.5.1 step 2) */
	struct buf text;        /* scratch */
	struct arena arena;     /* scratch, emptied by turn_begin */
};

/* Empties the products. */
void turn_begin(struct turn *t, const struct turn_input *in);
/* Runs one node (1..NODE_RENDER), which must be the next one. STATUS_LIMIT: ref-capacity, by assign-refs; nothing of
 * the turn may be kept then. */
enum status turn_step(struct turn *t, struct state *s, struct alternatives *alt, enum turn_node node);
/* All nodes. On STATUS_LIMIT the state is as before. */
enum status turn_run(struct turn *t, struct state *s, struct alternatives *alt, const struct turn_input *in);
/* view.digest of trace.md, over the surface. */
uint64_t turn_digest(struct turn *t, struct state *s, struct alternatives *alt);
void turn_free(struct turn *t);

#endif
