/*
 * run_records: what each kind of record does (recording.md, "How a recording is
 * replayed under K41 and K60"). Internal to run*.c.
 */
#ifndef REPLAY_RUN_RECORDS_H
#define REPLAY_RUN_RECORDS_H

#include "replay/run.h"

/* Work of a record that runs no turn, in visible rows. */
enum { WORK_SMALL = 1 };

/*
 * Where hosts differ in what a record does. Members may be NULL: nothing to do.
 */
struct run_driver {
	/* The token count of the turn or compress record i: fills in->tokens or in->count. */
	void (*count)(struct run *r, size_t i, double given, struct turn_input *in);
	/* The same where no turn ran before record i and nothing is recorded. */
	void (*count_here)(struct run *r, size_t i, struct turn_input *in);
	/* Turn record i is about to be executed; only in the first pass. */
	void (*before)(struct run *r, size_t i, const struct turn_record *t);
	/* The ranges of a call on r->turn.surface; `mark` is before its turn. Leaves the outcome in r->apply; true when
	 * it stands. */
	bool (*apply)(struct run *r, size_t i, const struct parse_result *parse, size_t mark, enum follow *follow);
	/* What the arguments of a call are before they are parsed; the tree may be NULL. */
	const cJSON *(*arguments)(struct arena *a, const cJSON *value);
	/* Makes of the ranges as parsed those that the kernel is given; the turn before compress record i has run. */
	void (*ranges)(struct run *r, size_t i, struct parse_result *parse);
	/* Does message record i, which is a row, join the host's list? Also when an epoch is made again. */
	bool (*joins)(struct run *r, size_t i);
	/* An event record. */
	void (*event)(struct run *r, size_t i);
	/* The state was moved to before record i. */
	void (*seek)(struct run *r, size_t i);
	/* The first pass is done. */
	void (*finished)(struct run *r);
	/* A compress record was executed; only in the first pass. */
	void (*compressed)(struct run *r, bool applied, enum follow follow);
	/* A message record joined (or was found rowless); only in the first pass. */
	void (*message)(struct run *r, const struct message_record *m);
	/* Turn record i was executed, the state is as the turn left it; only in the first pass. What the host makes of
	 * the turn may change m->events. */
	void (*turn)(struct run *r, size_t i, const struct turn_record *t, struct moment *m);
	/* /compact was called, or a compaction that an extension supplied is about to be the host's. */
	void (*compact)(struct run *r, size_t i);
	/* The host compacted by itself. */
	void (*keep)(struct run *r, size_t i);
	void (*rewind)(struct run *r, size_t i);
	/* The session switched model; the host process restarted. Only in the first pass. */
	void (*model)(struct run *r, size_t i);
	void (*restart)(struct run *r, size_t i);
};
/* recording.md, the conformance driver (K41, K60). */
extern const struct run_driver driver_conformance;
/* The Pi adapter (pi.md 8 with pi-rulings). */
extern const struct run_driver driver_pi;
/* The DSH plugin (dsh.md with dsh-rulings). */
extern const struct run_driver driver_dsh;

/*
 * compress_apply on the surface of r->turn into r->apply, and what the policy
 * makes of it (recording.md, Recorded against replayed outcome). `accepts` is
 * the host's opinion of a result. True when the compression stands; otherwise
 * the state is back at `mark`.
 */
bool run_apply(struct run *r, size_t i, const struct parse_result *parse, size_t mark,
	       bool (*accepts)(const struct apply_result *), enum follow *follow);
/*
 * Its steps, for a host whose ranges have outcomes of their own. run_try leaves the engine's answer in r->apply and
 * touches nothing else; `left_out` (NULL = none) has for each range that is not given to it the kind of its verdict +
 * 1, else 0.
 */
void run_try(struct run *r, const struct compress_record *c, const struct parse_result *parse, const uint8_t *left_out,
	     bool no_gates);
/* Keeps the verdicts of r->apply behind those kept before; only in the first pass. */
void run_keep_verdicts(struct run *r);
/*
 * What the policy makes of the engine's decision before anything is tried again: FOLLOW_RECORDED_YES only says that
 * the recorded outcome is a success and the engine's is not.
 */
enum follow run_compare_outcome(struct run *r, size_t i, bool applied);
/* From record i on the run is no longer what happened. */
void run_leave_recording(struct run *r, size_t i);
/* Number of the compression that compress record i is; the first pass has executed it. */
size_t run_compression_at(const struct run *r, size_t i);
/* What a record of this type is to the next turn, whatever comes of it (enum moment_event); 0 = nothing. */
uint16_t run_event_of(uint8_t type);
/* A rewind as the kernel alone knows it (recording.md). */
void run_rewind_rows(struct run *r, size_t i);
/* The count of recording.md for a turn: the recording's, else the sum over the rows. For drivers. */
void run_count(struct run *r, size_t i, double given, struct turn_input *in);
/* The host's list as messages, rewinds and (under a host driver) keeps make it. */
struct host_list {
	uint32_t *rows; /* message records; room for all of them */
	size_t n;
	size_t messages; /* message records so far */
	struct kept_rows kept;
};
/* As it is after record `end` - 1; list->rows is the caller's. Costs the records. */
void run_list_rows(const struct run *r, size_t end, struct host_list *list);
/* A rewind record's effect on the list of a host that can compact. */
void run_rewind(struct run *r, size_t i, uint32_t to);
/* Makes the state's list what run_list_rows says for the records up to and with i. */
void run_relist(struct run *r, size_t i);

/* Executes record r->next of the first pass and steps over it; returns the work done, in visible rows. */
size_t run_record(struct run *r);
/* What record i does, without the book-keeping of the first pass. */
size_t run_execute(struct run *r, size_t i);

/* A new epoch begins after record i (a state record) and becomes the present one. STATUS_DATA: its state is none. */
enum status run_begin_epoch(struct run *r, size_t i, struct error *e);
/* Makes the state of this epoch the present one. */
void run_enter_epoch(struct run *r, size_t epoch);

#endif
