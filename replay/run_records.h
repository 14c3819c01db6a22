/*
 * run_records: what each kind of record does (recording.md, "How a recording is
 * replayed under K41 and K60"). Internal to run*.c.
 */
#ifndef REPLAY_RUN_RECORDS_H
#define REPLAY_RUN_RECORDS_H

#include "replay/run.h"

/* Executes record r->next of the first pass and steps over it; returns the work done, in visible rows. */
size_t run_record(struct run *r);
/* What record i does, without the book-keeping of the first pass. */
size_t run_execute(struct run *r, size_t i);

/* A new epoch begins after record i (a state record) and becomes the present one. STATUS_DATA: its state is none. */
enum status run_begin_epoch(struct run *r, size_t i, struct error *e);
/* Makes the state of this epoch the present one. */
void run_enter_epoch(struct run *r, size_t epoch);

#endif
