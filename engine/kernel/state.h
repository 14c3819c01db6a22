/*
 * state: the kernel state, the host's message list beside it, and the indexes
 * that make a turn cost its visible rows plus what changed (kernel.md 1.2, 1.3, 9).
 *
 * Everything that changes goes through the functions below, which write a
 * journal. The journal is what makes time travel cheap: state_seek moves the
 * state to any earlier or later mark by undoing or redoing entries, without
 * running the kernel; a refused compression is undone the same way. A change
 * made while the state stands before the end of the journal throws the rest of
 * the journal away (state_probe_begin keeps it: see there).
 *
 * struct state owns its vecs and its arena; names and texts are borrowed.
 * Indexes called "name" are numbers of struct names, "message" are indexes into
 * `messages`, "block" are indexes into `blocks`. Ref numbers: refs.h.
 */
#ifndef ENGINE_KERNEL_STATE_H
#define ENGINE_KERNEL_STATE_H

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/vec.h"
#include "engine/kernel/config.h"
#include "engine/kernel/message.h"
#include "engine/kernel/refs.h"

struct block {
	uint32_t id;         /* name of "b7" */
	uint32_t summary_id; /* name of "acp_summary_b7" */
	uint32_t number;     /* of the id; 0 when it is not b + digits */
	uint8_t tier;
	bool active, old;   /* generation */
	uint32_t consumers; /* blocks that list it in directBlockIds: once > 0 it can never be active again */
	bool has_tokens, has_duration, has_topic;
	struct str run_id, topic, summary;
	struct str start_ref, end_ref;                 /* p NULL = absent */
	uint32_t call;                                 /* compressCallId, name */
	const uint32_t *direct, *effective, *children; /* names, in the state's arena */
	uint32_t direct_n, effective_n, children_n;
	double tokens;               /* compressedTokens, by the counter of the apply that made the block */
	double created_at, duration; /* ms */
	double survived;
	/* derived */
	struct measure summary_size; /* of the summary as stored: P2, P3 (kernel.md 4.7.1) */
	struct face face;            /* of the rendered summary message (kernel.md 4.3) */
	uint32_t present;            /* effective ids in the host's list */
	uint32_t anchor;             /* message the summary stands before; valid while anchor_epoch matches */
	uint32_t anchor_epoch;
	uint64_t hash; /* cached row hash of the rendered summary, for the two below */
	double hash_tag;
	uint32_t hash_ref;
};

/* Scalars of the state; each change stores a whole copy in the journal. */
struct scalars {
	double baseline, shown; /* nudge.lastPerMessageNudgeTokens, lastNudgeShownTokens (tokens as the host counts) */
	double tier_shown[4];   /* lastShownByTier, [1..3] */
	uint8_t tier_set;       /* bit t: tier_shown[t] is present */
	double tokens_compressed, compression_count;
	double next_block, next_run;
};

/* What is known of a name, whatever it names. */
struct name_info {
	uint32_t ref;     /* byRaw of a message id */
	uint32_t covers;  /* active blocks that list the id */
	uint32_t listed;  /* newest entry in state.listings, index + 1: blocks (active or not) that list the id */
	uint32_t present; /* rows of the host's list with this id */
	uint32_t last;    /* newest message with this id in the list, index + 1 */
	uint32_t calls, results;  /* of a call id: uncovered tool-calls / tool-results in the list */
	uint32_t compress_calls;  /* of a call id: those of calls that are compress calls, */
	uint32_t protected_calls; /* and those whose tool is protected */
	uint32_t call_blocks;     /* of a call id: newest entry in listings of blocks with this compressCallId */
	uint32_t first_call;      /* of a call id: first message that carries it, index + 1 */
	uint32_t block;           /* of a block id: first block with it, index + 1 */
	uint32_t parents;         /* of a block id: newest entry in listings of blocks that list it as child */
	uint8_t tool;             /* of a tool name: enum tool_bit, TOOL_KNOWN once computed */
};

enum tool_bit {
	TOOL_KNOWN = 1,
	TOOL_COMPRESS = 2,
	TOOL_PROTECTED = 4,   /* compress, or matches protectedTools */
	TOOL_NEVER_RECENT = 8 /* decompress, search_context, read, bash */
};

struct listing {
	uint32_t block;
	uint32_t next; /* index + 1 */
};

struct snapshot_entry {
	double tokens;
	uint32_t ref;
	bool alive;
};

enum change_kind {
	CHANGE_ROW,      /* a message joined the list */
	CHANGE_CUT,      /* a = rows before, b = rows after; the cut rows are in state.cut */
	CHANGE_REF,      /* a = name, b = ref */
	CHANGE_NAMED,    /* a = state.named before, b = after */
	CHANGE_BLOCK,    /* a = block, appended */
	CHANGE_ACTIVE,   /* a = block, toggled */
	CHANGE_OLD,      /* a = block, became old */
	CHANGE_RETIRE,   /* a = block, left `live` */
	CHANGE_SURVIVE,  /* every active block survived one turn */
	CHANGE_SNAPSHOT, /* a = snapshot entry, added */
	CHANGE_FORGET,   /* a = snapshot entry, dropped */
	CHANGE_SCALARS   /* a = before, b = after, indexes into scalars_log */
};

struct change {
	uint32_t kind : 8;   /* enum change_kind */
	uint32_t extra : 24; /* CHANGE_REF: ref_highest before */
	uint32_t a, b;
};

struct state {
	struct arena arena;
	struct names *names;
	struct texts texts;
	const struct config *config;

	VEC(struct message) messages; /* every message that ever joined, in order of joining */
	VEC(uint32_t) rows;           /* the host's list: messages, ascending */
	VEC(uint32_t) cut;            /* rows taken away by rewinds, for the journal */
	VEC(struct name_info) info;   /* by name */

	VEC(struct block) blocks;
	VEC(uint32_t) live; /* blocks that may be active, ascending */
	VEC(struct listing) listings;
	uint32_t covered_ids; /* ids with covers > 0 */

	VEC(uint32_t) by_ref;         /* ref -> name; 0 = none */
	VEC(struct str) foreign_refs; /* spelling of ref REF_MAX + 1 + i */
	VEC(uint32_t) raw_order;      /* names in the order they entered byRaw */
	VEC(uint32_t) ref_present;    /* ref -> ids in the list that carry it */
	uint32_t refs_n;              /* entries of byRef */
	uint32_t refs_present;        /* distinct refs in the list */
	uint32_t blocked_present;     /* ids in the list that are BLOCKED */
	uint32_t ref_highest;         /* highest used index */
	uint32_t named;               /* rows[0..named) have been through assign-refs */

	VEC(struct snapshot_entry) snapshot;
	VEC(uint32_t) snapshot_of; /* ref -> entry, index + 1 */
	uint32_t snapshot_n;       /* alive entries */
	uint32_t snapshot_stale;   /* alive entries whose ref is not in the list */

	struct scalars now;
	VEC(struct scalars) scalars_log;
	struct str kept_nudge, kept_stats; /* members of the stored ones as JSON text, for what no rule reads */

	VEC(struct change) journal;
	size_t at; /* entries applied: journal.v[0..at) */
	bool probing;
	VEC(struct change) side;              /* changes made by a probe */
	VEC(struct block) kept_blocks;        /* blocks of the undone part of the journal, kept from a probe */
	size_t blocks_made;                   /* blocks.v[0..blocks_made) hold what a redo needs */
	size_t probe_snapshot, probe_scalars; /* lengths of snapshot and scalars_log when the probe began */
	struct arena_mark probe_mark;

	uint32_t epoch;          /* grows when an anchor position may have changed */
	uint32_t version;        /* grows when a block was added, removed or toggled */
	uint32_t compress_tool;  /* name of "compress" */
	bool twins;              /* two blocks share an id (foreign states) */
	uint32_t first_user;     /* message of the first row with role user, index + 1 */
	VEC(uint32_t) uncovered; /* rows with covers = 0, and the first user row; ascending; see state_uncovered */
	double uncovered_tokens; /* raw estimate of those rows, compress calls and results left out */
	VEC(uint32_t) touched;   /* messages that may have to enter or leave `uncovered` */
	VEC(uint32_t) entering;  /* scratch of state_uncovered */
	const void *shown_to;    /* the turn that took its surface last */
	uint32_t changed;        /* see state_changed; since then */
	bool irregular;          /* ids or refs repeat in the list: changes reach farther than state_changed says */
};

void state_init(struct state *s, struct names *names, struct texts texts, const struct config *config);
void state_free(struct state *s);

/* ---- loading and writing (kernel.md 1.3) ---- */

/* Replaces the (empty) kernel state by a stored one, merged with defaults. STATUS_DATA names the member of a wrong
 * type. Call before any row joins. */
enum status state_load(struct state *s, const cJSON *stored, struct error *e);
/* Canonical JSON in the key order of kernel.md 1.3; members of nudge and stats that no rule reads are as loaded. */
void state_write(const struct state *s, struct buf *b);
/* A stored state (may be NULL) merged with the initial one, as a host writes it: kernel.md 1.3, in that key order. */
void state_merge(const cJSON *stored, struct buf *b);

/* ---- the host's list ---- */

/* Appends a message; returns its index. `m` needs id, tool, call, face, role, content. */
uint32_t state_message_add(struct state *s, struct message m);
/* Message `index` (added before, not in the list now, higher than every row of it) joins the list. */
void state_row_join(struct state *s, uint32_t index);
/* Only the first n rows stay. */
void state_rows_cut(struct state *s, size_t n);
/* The rows behind the last one with this id go: all when it is 0, none when no row has it. Costs the rows that go. */
void state_rows_rewind(struct state *s, uint32_t to);
/* Rows with coverage 0 and the first user row, in order, brought up to date: cost is rows in it plus what changed. */
void state_uncovered(struct state *s);

/* ---- changes of the kernel state; each is journalled ---- */

void state_ref_set(struct state *s, uint32_t name, uint32_t ref);
void state_named_set(struct state *s, uint32_t named);
/* Appends a block (copied; its lists and texts must live in s->arena), sets derived members and indexes; children are
 * marked consumed, not yet inactive. Returns its index. */
uint32_t state_block_add(struct state *s, struct block b);
void state_block_active(struct state *s, uint32_t block, bool active);
void state_block_old(struct state *s, uint32_t block);
/* Survival step of every active block: count + 1 (kernel.md 4.2.4); the caller marks old ones. */
void state_survive(struct state *s);
/* A consumed, inactive block leaves `live`. */
void state_block_retire(struct state *s, uint32_t block);
void state_snapshot_set(struct state *s, uint32_t ref, double tokens);
void state_snapshot_forget(struct state *s, uint32_t entry);
void state_scalars_set(struct state *s, struct scalars now);

/* What a turn shows from message `index` on, and of summaries that stand at it or later, may be another thing now. */
static inline void state_changed(struct state *s, uint32_t index)
{
	if (index < s->changed)
		s->changed = index;
}

/* ---- time travel ---- */

/* A mark is a length of the journal. */
static inline size_t state_mark(const struct state *s) { return s->at + s->side.n; }
/* Moves to a mark by undoing or redoing; mark <= journal.n. Ends a probe first. */
void state_seek(struct state *s, size_t mark);
/* Undoes back to the mark and forgets what was undone (a refused compression). */
void state_rollback(struct state *s, size_t mark);
/* Until state_probe_end, changes are made on the side: the end undoes them and the journal is as before. For looking at
 * one turn again. */
void state_probe_begin(struct state *s);
void state_probe_end(struct state *s);

/* ---- questions ---- */

static inline struct name_info *state_info(struct state *s, uint32_t name)
{
	if (name >= s->info.n)
		vec_fill(&s->info, s->names->list.n > name ? s->names->list.n : (size_t)name + 1);
	return &s->info.v[name];
}
/* The spelling of a ref ("m00042", a foreign one, "BLOCKED"); writes canonical ones to `out`. REF_NONE: absent. */
struct str state_ref_text(const struct state *s, uint32_t ref, char out[REF_TEXT_MAX]);
/* The ref number of a spelling, or REF_NONE when it is no canonical one and not known as foreign. */
uint32_t state_ref_find(const struct state *s, struct str spelling);
/* Number of the ref as kernel.md 4.6.2 wants it: 1.., or -1. */
double state_ref_number(const struct state *s, uint32_t ref);
/* Number of the ref as lists of ranges want it (kernel.md 4.7.8): its first run of digits, 0 when there is none. */
double state_ref_digits(const struct state *s, uint32_t ref);
/* First block with this id, or NULL. */
struct block *state_block_named(struct state *s, struct str id);
/* enum tool_bit of a tool name. */
uint8_t state_tool(struct state *s, uint32_t tool);
/* kernel.md 4.1.1, but for the host's isToolProtected: a call or result of a protected tool. */
bool state_tool_protected(struct state *s, uint8_t content, uint32_t tool);
/* kernel.md 1.6: a rendered summary, by id, role and content type. */
bool message_is_summary(const struct message *m);
/* Text of the rendered summary message of a block (kernel.md 4.3), appended to b. */
void block_summary_text(const struct block *k, struct buf *b);
/* Position in the host's list the summary stands before, as a message index (kernel.md 4.3.3). */
uint32_t state_block_anchor(struct state *s, uint32_t block);

#endif
