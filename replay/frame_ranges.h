/*
 * frame_ranges: the ranges of a frame's position in one list, oldest first, and
 * what applyCompression answers to each of them alone (kernel.md 4.6, 5).
 *
 * An answer is measured, not predicted: the range with a legal summary is
 * applied, in the frame's open probe, to the view the model sees at the end of
 * the turn (tags and truncation included), and taken back. That costs the
 * length of the view, so it is done for the ranges asked about only, once a
 * frame. Everything here belongs to the frame's arena.
 */
#ifndef REPLAY_FRAME_RANGES_H
#define REPLAY_FRAME_RANGES_H

#include "engine/kernel/compress.h"
#include "replay/frame.h"

/* In the order in which ranges that begin at the same row are listed. */
enum frame_range_kind {
	FRAME_RANGE_RECOMMENDED, /* kernel.md 4.6.3, large enough */
	FRAME_RANGE_SMALL,       /* the last recommended one, when it is below compress.minCompressRange */
	FRAME_RANGE_GROUP,       /* a compressible group (4.6.2) that a range above it was merged of */
	FRAME_RANGE_PROTECTED,   /* rows of protected tools (4.6.2) */
	FRAME_RANGE_RECENT,      /* rows one after the other that only the recent zone keeps (4.6.1) */
	FRAME_RANGE_KINDS
};
/* "recommended", "too small", "group", "protected", "recent" */
const char *frame_range_kind_name(enum frame_range_kind k);

struct range_answer {
	bool accepted;           /* a block was made and nothing was refused */
	enum compress_kind kind; /* why not; COMPRESS_KIND_COUNT when accepted */
	double units;            /* UTF-16 units counted by the size gate; 0 when the range does not resolve */
	uint32_t direct;         /* rows that would go into the block, by themselves */
	uint32_t excluded;       /* rows of protected tools or of the recent zone, left out */
	uint32_t consumed;       /* blocks that would go into it */
	uint8_t tier;            /* of the block */
	double tokens;           /* compressedTokens of the block (5.7), turn's counter on the tagged view */
};

struct frame_range {
	uint8_t kind;          /* enum frame_range_kind */
	uint32_t start, end;   /* refs */
	uint32_t first, last;  /* rows of frame.rows */
	uint32_t count;        /* rows */
	double tokens;         /* turn's counter, as recommend counted */
	double chars;          /* UTF-16 units, as recommend counted; NAN for protected ranges: nobody counts them */
	int tool_pct;          /* calls and results, 0..100; -1 = not known */
	uint32_t groups;       /* recommended and too small: compressible groups in it, from `group` on */
	uint32_t group;        /* first of them, or this group: index into turn.rec.compressible */
	bool last_of_its_kind; /* a group: the last one of the range it was merged into */
	uint32_t tools_at, tools_n;        /* protected: into turn.rec.tools */
	uint64_t key;                      /* the same range keeps it from turn to turn: kind and first ref */
	const struct range_answer *answer; /* NULL until asked */
};

struct frame_ranges {
	struct frame_range *v;
	size_t n;
	uint32_t of_kind[FRAME_RANGE_KINDS];
	uint32_t groups;       /* all compressible groups */
	struct surface tagged; /* the view at the end of the turn */
	struct str summary;    /* the one tried */
	bool legal;            /* its length is allowed; false: no length is */
	struct compress_scratch scratch;
	struct apply_result result;
	struct positions positions;
};

/* NULL: recommend has not run at this position. */
struct frame_ranges *frame_ranges(struct frame *f);
/* The answer to range i. */
const struct range_answer *frame_range_answer(struct frame *f, size_t i);
/* The answer to any range of refs; only where frame_ranges is there. Costs the length of the view. */
void frame_range_ask(struct frame *f, uint32_t start, uint32_t end, struct range_answer *out);
/*
 * Applies range i in the frame's probe and leaves it applied, for who wants to see what was made; the caller rolls the
 * state back to the mark it took before. The result is in frame_ranges(f)->result.
 */
void frame_range_apply(struct frame *f, size_t i);
/* How far a range falls short of compress.minCompressRange by recommend's measure, in units; 0 = it does not. */
double frame_range_short(const struct frame *f, const struct frame_range *r);
/* A row as recommend saw it: before truncation and tags. */
struct surface_row frame_row_before_cuts(const struct frame *f, const struct frame_row *row);

#endif
