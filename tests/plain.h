/*
 * plain: the rules of kernel.md 4.1.1, 4.3, 4.5.1, 4.6 and 5.6 worked out in the
 * plainest way, to compare with.
 *
 * What is taken from a run: the host's list, the texts, refs and blocks of the
 * state, the configuration. Everything else is loops over lists as the
 * specification says them, without an index. Only for small sessions.
 */
#ifndef TESTS_PLAIN_H
#define TESTS_PLAIN_H

#include "replay/frame.h"

/* What became of a row of the host's list before recommend. */
enum plain_fate { PLAIN_STAYS, PLAIN_COVERED, PLAIN_SHOWN_AGAIN, PLAIN_ORPHAN, PLAIN_HIDDEN };

struct plain_row {
	int32_t source; /* message, or ~block of a rendered summary */
	uint32_t id, ref, tool, call;
	uint8_t role, content;
	struct str text; /* as recommend sees it */
	bool covered;
};

struct plain_range {
	uint32_t first, last; /* rows of the view */
	uint32_t count;
	double tokens, chars;
};

struct plain {
	struct state *s;
	const struct config *c;
	struct arena arena;
	VEC(uint8_t) fates; /* by row of the host's list: enum plain_fate */
	VEC(struct plain_row) view;
	VEC(uint8_t) zone; /* by row of the view: enum zone_rule bits of its ref */
	VEC(double) newer; /* by row: recent rows after the one that put its ref into the zone */
	VEC(double) newer_tokens;
	VEC(int32_t) group; /* by row: the compressible group it belongs to, before groups are dropped; -1 = none */
	VEC(struct plain_range) groups;       /* all of them */
	VEC(struct plain_range) kept, merged; /* those with tokens; recommended ranges */
	VEC(uint32_t) kept_group;             /* by group: place among `kept`, UINT32_MAX = dropped */
	VEC(uint32_t) merged_of;              /* by kept group: recommended range */
};

/* The view and the ranges of a frame that stands at recommend. plain_free. */
void plain_build(struct plain *p, struct frame *f);
void plain_free(struct plain *p);

struct str plain_name(const struct plain *p, uint32_t name);
/* Tokens and units of a text (kernel.md 2.1, 2.3). */
double plain_tokens(struct str text);
double plain_units(struct str text);
bool plain_has_header(struct str text);
bool plain_skip(const struct plain_row *r);
/* Active blocks that list the id, in list order, into out (room for all); returns how many. */
size_t plain_covering(const struct plain *p, uint32_t id, uint32_t *out);
/* kernel.md 4.1.1 */
bool plain_protected(const struct plain *p, const struct plain_row *r);
bool plain_paired(const struct plain *p, const struct plain_row *rows, size_t n, const struct plain_row *r,
		  bool with_results);
bool plain_never_recent(const struct plain *p, const struct plain_row *r);
/* The entry of protectedTools a tool matches, or absent. */
struct str plain_entry(const struct plain *p, uint32_t tool);
/* A rendered summary (kernel.md 1.6). */
bool plain_is_summary(const struct plain *p, uint32_t id, uint8_t role, uint8_t content);
/* The row of the host's list with this id (the last one of several), SIZE_MAX = none. */
size_t plain_index(const struct plain *p, uint32_t id);
/* The row of the host's list a block's summary stands before (kernel.md 4.3.3). */
size_t plain_anchor(const struct plain *p, const struct block *k);
/* The recent zone of a list: bits by row (kernel.md 4.6.1). The vecs are filled for n rows. */
void plain_zone(struct plain *p, const struct plain_row *rows, size_t n);

#endif
