/*
 * dsh_row: the events of a DSH log, each parsed once into what the host's rules
 * ask of it (dsh.md 1).
 *
 * A `struct dsh_log` owns its rows and all they point at: lists lie in its
 * arena, ids, scopes, digests and names are numbers of its name table (0 =
 * absent or empty). It only grows, in ascending seq; texts are not kept, only
 * their measures. Events that no rule reads need not be added: a seq between
 * two rows is an event of the log all the same. What a log means at some
 * moment (surface, newest copies, blocks) is told row by row to the modules
 * dsh_surface, dsh_scopes, dsh_meter and dsh_ledger.
 */
#ifndef ENGINE_HOST_DSH_ROW_H
#define ENGINE_HOST_DSH_ROW_H

#include "engine/base/json.h"
#include "engine/base/names.h"

#define DSH_NONE UINT32_MAX /* no row */

/* The surface types come first (dsh.md 1.1). */
enum dsh_type {
	DSH_USER,
	DSH_ASSISTANT,
	DSH_TOOL,
	DSH_SYSTEM,
	DSH_DEVELOPER,
	DSH_TURN_START,
	DSH_TURN_END,
	DSH_TOOL_CALL,
	DSH_START, /* compaction/start, and so on */
	DSH_SUMMARY,
	DSH_PRUNE,
	DSH_END,
	DSH_END_SEED,
	DSH_OTHER
};
static inline bool dsh_type_is_surface(uint8_t type) { return type <= DSH_DEVELOPER; }
/* "user/message" and so on; what is not listed is DSH_OTHER. */
enum dsh_type dsh_type_of(struct str name);
const char *dsh_type_name(enum dsh_type type);

enum dsh_op { DSH_NO_OP, DSH_APPEND, DSH_REPLACE, DSH_BAD_OP };

/* What is odd about surfaceOp and sourceEventSeqs as written; bits of dsh_row.notes. */
enum {
	DSH_NOTE_OLD_KEYS = 1,       /* replace with start, end */
	DSH_NOTE_NEW_KEYS = 2,       /* replace with startSeq, endSeq */
	DSH_NOTE_EXTRA_KEY = 4,      /* a key no host knows */
	DSH_NOTE_CITES = 8,          /* sourceEventSeqs is there */
	DSH_NOTE_CITES_EMPTY = 16,   /* and is an empty list */
	DSH_NOTE_CITES_BROKEN = 32,  /* and is no list, or holds what is no seq */
	DSH_NOTE_CITES_DOUBLE = 64,  /* and names a seq twice */
	DSH_NOTE_CITES_LATER = 128,  /* and names the event itself or a later one */
	DSH_NOTE_KIND_NOT_TEXT = 256 /* source.kind is there and no string */
};

/* One element of source.changes[] that names a scope (dsh.md 1.6). */
struct dsh_change {
	uint32_t scope;  /* never 0 */
	uint32_t digest; /* 0 = missing: equal to nothing */
	bool remove;
};

struct dsh_call {
	uint32_t id, name;
};

/* Consecutive seqs, both included: a run of sourceEventSeqs. */
struct dsh_run {
	int64_t first, last;
};

/* data of a compaction event (dsh.md 1.5); members its type does not have are 0. */
struct dsh_compaction {
	uint32_t id, command; /* compactionId, sourceCommandId */
	int64_t turn;         /* -1 = null */
	bool has_error;
	bool has_range;
	int64_t start, end; /* shadowedRange */
	const int64_t *shadowed;
	size_t shadowed_n;
	double tokens;          /* shadowedTokenCount, price; missing = 0 */
	struct measure summary; /* of its extracted text */
	/* the plugin's extras, rawOutput first */
	uint8_t tier;       /* 2 or 3 if recorded so, else 1 */
	bool plugin_made;   /* has tier, kernelBlockId or a rawOutput ledger (dsh-rulings 20) */
	bool extra_members; /* they stand in the event itself (#141) */
	uint32_t kernel;    /* kernelBlockId */
	uint32_t topic;
	const uint32_t *parents, *direct, *effective; /* NULL = not recorded */
	size_t parents_n, direct_n, effective_n;
};

struct dsh_row {
	int64_t seq;
	double time;                 /* ms; display only */
	uint8_t type;                /* enum dsh_type */
	uint8_t op;                  /* enum dsh_op */
	uint16_t notes;              /* DSH_NOTE_ */
	int64_t start, end;          /* DSH_REPLACE */
	const struct dsh_run *cites; /* ascending, joined */
	uint32_t cites_n;

	bool has_source, has_kind; /* source is an object; kind is a string */
	bool has_plugin;           /* plugin is a string */
	bool baseline;
	bool bare;              /* the source has no member at all */
	uint32_t kind, plugin;  /* source.kind, source.plugin */
	uint32_t compaction_id; /* source.compactionId */
	uint32_t identity;      /* canonical text of baselineIdentity */
	uint32_t changes_n;
	const struct dsh_change *changes;

	const struct dsh_call *calls; /* assistant: tool-call blocks in content order. tool/call: the one */
	uint32_t calls_n;
	uint32_t result;     /* tool: id of the call it answers */
	bool derives;        /* it derives to a message (dsh.md 2.3) */
	bool blank;          /* nothing but white space in `text` */
	struct measure text; /* of the extraction of its content (dsh.md 3.1) */
	double price;        /* host price (dsh.md 8.2) */
	int64_t turn;        /* turn/start, turn/end: the number, -1 = none */
	const struct dsh_compaction *compaction;
};

/* An event as a file has it. Trees may be NULL; nothing of it is kept. */
struct dsh_event {
	struct str type;
	int64_t seq;
	double time;
	const cJSON *data, *op, *cites; /* surfaceOp, sourceEventSeqs */
};

struct dsh_log {
	struct arena arena;
	struct names names;
	int version; /* of the header; unknown = the newest known (dsh-rulings 7) */
	VEC(struct dsh_row) rows;
};

void dsh_log_init(struct dsh_log *log, int version);
void dsh_log_free(struct dsh_log *log);
/* Parses an event into *out; what it points at lives as long as the log. Never fails: what is missing is 0. */
void dsh_row_parse(struct dsh_log *log, const struct dsh_event *e, struct dsh_row *out);
/* Adds an event; returns its row, or DSH_NONE when its seq is not greater than that of the row before. */
uint32_t dsh_log_add(struct dsh_log *log, const struct dsh_event *e);
/* The row of a seq, or DSH_NONE. */
uint32_t dsh_log_find(const struct dsh_log *log, int64_t seq);
static inline const struct dsh_row *dsh_log_row(const struct dsh_log *log, uint32_t row) { return &log->rows.v[row]; }
static inline int64_t dsh_log_seq(const struct dsh_log *log, uint32_t row) { return log->rows.v[row].seq; }

/* Display tokens of a row's text (dsh.md 5.1): never a price. */
static inline double dsh_row_display(const struct dsh_row *r) { return text_tokens(r->text); }
/* A call id the row carries? Linear. */
bool dsh_row_has_call(const struct dsh_row *r, uint32_t id);
/* Does the row cite this seq? */
bool dsh_row_cites(const struct dsh_row *r, int64_t seq);

/* A seq in a tree: an integer from 0 to 2^53. */
bool dsh_seq_of(const cJSON *node, int64_t *seq);

/* For the dsh_row_*.c files. */
void dsh_compaction_parse(struct dsh_log *log, const cJSON *data, uint8_t type, struct dsh_row *out);
void dsh_content_parse(struct dsh_log *log, const cJSON *data, struct dsh_row *out);

#endif
