/*
 * compress: applyCompression (kernel.md 5).
 *
 * Works on the surface the model saw (full or pruned, tagged or not) and on the
 * state in place; every change is journalled, so a caller that refuses the
 * result rolls back to its mark. Errors and warnings are kinds with data.
 */
#ifndef ENGINE_KERNEL_COMPRESS_H
#define ENGINE_KERNEL_COMPRESS_H

#include "engine/kernel/boundary.h"
#include "engine/kernel/parse_args.h"
#include "engine/kernel/protect.h"

/* Names as trace.md spells them, in its order; see compress_kind_name. */
enum compress_kind {
	COMPRESS_NONE_RESOLVED,
	COMPRESS_ALL_CONSUMED,
	COMPRESS_BELOW_MIN_RANGE,
	COMPRESS_INVALID_REF,
	COMPRESS_UNKNOWN_REF,
	COMPRESS_CONSUMED_REF,
	COMPRESS_SUMMARY_EMPTY,
	COMPRESS_SUMMARY_TOO_SHORT,
	COMPRESS_SUMMARY_TOO_LONG,
	COMPRESS_PROTECTED_ZONE,
	COMPRESS_NO_NEW_CONTENT,
	COMPRESS_NOTHING_COMPRESSIBLE,
	/* warnings */
	COMPRESS_OVERLAP_SKIPPED,
	COMPRESS_CONSUMED_SKIPPED,
	COMPRESS_SNAPPED,
	COMPRESS_PROTECTED_EXCLUDED,
	COMPRESS_KIND_COUNT
};
const char *compress_kind_name(enum compress_kind k);

/* One error or warning with the data kernel.md 5.1 lists for its kind; unused members are 0. Lists live in the result's
 * arena. */
struct compress_note {
	enum compress_kind kind;
	size_t range;          /* index into the request; SIZE_MAX for gate errors */
	struct str start, end; /* refs as written; gate-already-compressed: of the first consumed range */
	bool at_end;           /* endpoint: false = start */
	struct str ref;        /* normalised */
	enum consumed_kind consumed;
	bool snapped_block;
	double length, minimum, maximum; /* units: summary length and limits, or counted chars and minimum range */
	size_t count;                    /* number of ranges (gates), or of protected refs */
	const uint32_t *refs;            /* protected refs */
	size_t refs_n;
	const uint32_t *blocks; /* consumed blocks (no-new-content) */
	size_t blocks_n;
	int64_t first, last; /* first and last live (or consumed) block, -1 = none */
	double preserve;     /* preserveRecentMessages */
};

/* What became of one requested range; for verdicts (trace.md compress.verdicts). */
enum range_status { RANGE_APPLIED, RANGE_SKIPPED, RANGE_REFUSED, RANGE_GATED };
/* "applied", "skipped", "refused", "gated". */
const char *range_status_name(enum range_status s);
struct range_verdict {
	enum range_status status;
	enum compress_kind kind;   /* of the error or skip warning, when not applied; COMPRESS_KIND_COUNT = none */
	double chars;              /* units of its resolved ids (gate); 0 when not resolved or skipped */
	uint32_t direct, consumed; /* messages and blocks that went into the block */
	uint32_t excluded;         /* messages left out: protected tools (5.6 step 8) and the recent zone (step 9) */
	int64_t block;             /* made, or -1 */
};

struct apply_options {
	const struct mark_set *zone; /* explicit protected refs, or NULL = computed (5.2.2) */
	bool no_gates;               /* follow=recorded: size gate, protected zones and summary limits off */
	double created_at;           /* ms; the record's time */
	struct counter counter;
};

struct apply_result {
	struct arena arena; /* owns the lists below */
	size_t blocks_created;
	double tokens_compressed; /* by the counter */
	VEC(struct compress_note) errors, warnings;
	VEC(struct range_verdict) verdicts; /* one per requested range */
};

/* Scratch kept between calls. Zero-initialise; compress_scratch_free. */
struct compress_scratch {
	struct positions positions;
	struct mark_set calls, zone, names;
	struct mark_set known, covered; /* ids whose coverage this batch changed, and those of them covered before it */
};

/* kernel.md 5.2 to 5.8. `out` is emptied first; zero-initialise it once. */
void compress_apply(const struct range_request *ranges, size_t n, const struct surface *f, struct state *s,
		    const struct apply_options *o, struct compress_scratch *scratch, struct apply_result *out);
void apply_result_free(struct apply_result *r);
void compress_scratch_free(struct compress_scratch *c);

#endif
