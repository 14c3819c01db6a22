/*
 * run_dsh_call: a compress call under the DSH host (dsh.md 8.7): edges,
 * resolver, guard, what the kernel is given, and which recorded rows of its
 * transactions land (dsh-rulings 4, 20, 21). Internal to run_dsh*.c.
 */
#ifndef REPLAY_RUN_DSH_CALL_H
#define REPLAY_RUN_DSH_CALL_H

#include "replay/run_records.h"

/* Makes of the ranges as parsed those that the kernel is given; the turn inside the call has run. */
void dsh_call_ranges(struct run *r, size_t i, struct parse_result *parse);
bool dsh_call_apply(struct run *r, size_t i, const struct parse_result *parse, size_t mark, enum follow *follow);
/* In the first pass, before the row is told: a summary of the plugin that no call made is shown to the guard.
 * `refused`: it will not be told. */
void dsh_probe_outside(struct run *r, uint32_t row, bool refused);
/* In the first pass: recorded transactions are matched to ranges, and what does not land is left out. */
void dsh_call_done(struct run *r, bool applied, enum follow follow);

/* run_dsh_fate.c: rows that are not in the log for the policy. */

/* Once, before the first row is told. */
void dsh_fate_index(struct run_dsh *d, const struct dsh_log *log);
/* Of a row to come; of one that was told it says nothing. */
void dsh_fate_set(struct run_dsh *d, uint32_t row, enum dsh_fate fate);
/* A compaction goes: start, summary, checkpoint, end. */
void dsh_fate_drop(struct run_dsh *d, uint32_t summary, uint32_t checkpoint);
/* The prune of a call and this result of it goes, and the stub that takes their place. */
void dsh_fate_drop_pair(struct run_dsh *d, uint32_t result);
/* follow=engine: a compaction outside a compress call begins with this row. */
void dsh_decide_outside(struct run *r, size_t i, uint32_t row);

#endif
