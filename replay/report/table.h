/*
 * table: a replay as a table for people, one line a turn and one a compress call.
 *
 * Appends to a buffer of the caller. Fits 80 columns as long as the figures are
 * ordinary; wider ones push the rest of their line to the right.
 */
#ifndef REPLAY_REPORT_TABLE_H
#define REPLAY_REPORT_TABLE_H

#include "replay/run.h"

struct table {
	struct buf out; /* lines not yet taken by the caller */
	bool ascii;     /* session text in ASCII only */
};

/* What is replayed and how, then the captions. */
void table_begin(struct table *t, const struct run *r);
/* From run_observer. */
void table_turn(struct table *t, uint32_t n, const struct moment *m);
void table_compress(struct table *t, const struct run *r, const struct compress_event *e);
void table_end(struct table *t, const struct run *r);
void table_free(struct table *t);

#endif
