/*
 * run_records: what each kind of record does (recording.md, "How a recording is
 * replayed under K41 and K60"). Internal to run*.c.
 */
#ifndef REPLAY_RUN_RECORDS_H
#define REPLAY_RUN_RECORDS_H

#include "replay/run.h"

/* Executes record r->next of the first pass and steps over it; returns the work done, in visible rows. */
size_t run_record(struct run *r);
/* Makes the state of this epoch the present one. */
void run_enter_epoch(struct run *r, size_t epoch);

#endif
