/*
 * dsh_ledger: the plugin's blocks and transactions, rebuilt from a log (dsh.md
 * 2.2, 8.1, 9, dsh-rulings 19, 20).
 *
 * Told every row of a log before the fold is. Entries stand in log order and
 * stay for ever, so the same ledger answers for any moment: `at` is the seq of
 * the last event that had happened. It borrows the log, owns its lists;
 * dsh_ledger_free.
 */
#ifndef ENGINE_HOST_DSH_LEDGER_H
#define ENGINE_HOST_DSH_LEDGER_H

#include "engine/host/dsh_fold.h"

enum dsh_maker { DSH_BY_HOST, DSH_BY_CALL, DSH_BY_HUMAN, DSH_BY_PLUGIN };
const char *dsh_maker_name(enum dsh_maker m);

/* One per compaction/summary. Rows, DSH_NONE = none. */
struct dsh_block {
	uint32_t summary, start, end;
	uint32_t call;       /* the compress tool/call it was made in */
	uint8_t maker;       /* enum dsh_maker */
	uint8_t tier;        /* as recorded, else 1 */
	bool differs;        /* its shadowedSeqs were not the live slice (2.2, #201) */
	bool tokens_display; /* `tokens` was recorded as 0 and is worked out (9.1): display tokens, not a price */
	double tokens;       /* shadowedTokenCount, price */
	uint32_t id;         /* compactionId */
	uint32_t kernel;     /* recorded kernel id as text, 0 = given by order */
	int64_t number;      /* its number */
};

/* What is wrong with a transaction, in the order of dsh.md. */
enum dsh_finding_kind {
	DSH_OPEN_TRANSACTION, /* a compaction/start while another was open: B0 and F1 refuse (8.1); other = that start
			       */
	DSH_END_WITHOUT_START,
	DSH_NO_END,              /* found when the log ends */
	DSH_NO_CHECKPOINT,       /* summary without checkpoint; found when the log ends */
	DSH_SECOND_SUMMARY,      /* of the same compaction; other = the first */
	DSH_SUMMARY_OUTSIDE,     /* not between start and end */
	DSH_SLICE_DIFFERS,       /* shadowedSeqs are not the live slice (#201) */
	DSH_TURN_DIFFERS,        /* compaction/start names another turn than the open one */
	DSH_TURN_END_INSIDE,     /* other = the start */
	DSH_VOID,                /* open when session/end-seed came; other = the start */
	DSH_DUPLICATE_KERNEL_ID, /* other = the summary that had it first */
	DSH_PARENT_FOR_NOTHING,  /* found when the log ends: a block that never landed lists it; other = that summary */
	DSH_FINDINGS
};
const char *dsh_finding_name(enum dsh_finding_kind k);
struct dsh_finding {
	uint8_t kind;
	int64_t seq, other; /* other: -1 = none */
};

struct dsh_ledger {
	const struct dsh_log *log;
	VEC(struct dsh_block) blocks;
	VEC(struct dsh_finding) findings;
	int64_t next;                /* kernel number */
	VEC(uint32_t) checkpoint_of; /* by compaction id: first checkpoint row + 1 */
	VEC(uint32_t) block_of;      /* by compaction id: first block + 1 */
	VEC(uint32_t) kernel_of;     /* by recorded kernel id: first block + 1 */
	VEC(uint32_t) parent_of;     /* by compaction id: first summary's row that lists it + 1 */
	VEC(uint32_t) open_calls;    /* compress tool/call rows of this turn without a result, oldest first */
	uint32_t open;               /* compaction/start row, DSH_NONE */
	int64_t turn;                /* the open turn, -1 = none */
	struct dsh_rows scratch;
};

void dsh_ledger_init(struct dsh_ledger *l, const struct dsh_log *log);
void dsh_ledger_free(struct dsh_ledger *l);
/* Before `row` is told to the fold. */
void dsh_ledger_tell(struct dsh_ledger *l, const struct dsh_fold *f, uint32_t row);
/* The log ends here: what never came is found. Once. */
void dsh_ledger_finish(struct dsh_ledger *l);

/* Blocks there were at a moment: the first so many. */
size_t dsh_ledger_count(const struct dsh_ledger *l, int64_t at);
/* No summary lists it as a parent. */
bool dsh_block_active(const struct dsh_ledger *l, const struct dsh_block *b, int64_t at);
/* First checkpoint row of a block at a moment, or DSH_NONE (summarySeq). */
uint32_t dsh_ledger_checkpoint(const struct dsh_ledger *l, const struct dsh_block *b, int64_t at);
/* Appends the kernel's id of a block: as recorded, or b and its number. */
void dsh_block_ref(const struct dsh_ledger *l, const struct dsh_block *b, struct buf *out);
/* The block with this kernel id, by exact text (`b07` is not `b7`), or NULL. */
const struct dsh_block *dsh_ledger_by_ref(const struct dsh_ledger *l, struct str ref, int64_t at);
/* The argument of decompress: a ref, else the beginning of a compaction id; NULL = none. */
const struct dsh_block *dsh_ledger_by_argument(const struct dsh_ledger *l, struct str text, int64_t at);
/* The block a row is the checkpoint of, active or not; NULL = none. */
const struct dsh_block *dsh_ledger_by_row(const struct dsh_ledger *l, const struct dsh_fold *f, uint32_t row,
					  int64_t at);
/* Blocks with a shadowed seq in the numeric interval, in log order (6.5); numbers of blocks. */
void dsh_ledger_touching(const struct dsh_ledger *l, int64_t start, int64_t end, int64_t at, struct dsh_rows *blocks);

struct dsh_originals {
	VEC(int64_t) seqs;
};
/* The rows a block stands for, checkpoints of known blocks opened up (9.3); each block once. */
void dsh_ledger_originals(const struct dsh_ledger *l, const struct dsh_fold *f, const struct dsh_block *b, int64_t at,
			  struct dsh_originals *out);

/*
 * What the plugin would have hidden after a result (8.4): the call row carries
 * this call only, and both stand side by side. False = nothing.
 */
bool dsh_pair_hides(const struct dsh_fold *f, uint32_t result, uint32_t *call);

#endif
