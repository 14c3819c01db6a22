/*
 * dsh_parts: what a DSH log and a recording of one are read alike by: rows for
 * the host's rules, events, and which compactions a compress call made.
 *
 * A `struct dsh_follow` hangs on the reader's own state and lives while the
 * recording is loaded. Call ids and compaction ids are names of dsh.log.
 */
#ifndef REPLAY_READERS_DSH_PARTS_H
#define REPLAY_READERS_DSH_PARTS_H

#include "replay/readers/reader.h"

/* The version whose rules count where the header tells none, or one that is not known (dsh-rulings 7). */
enum { DSH_VERSION_MAX = 4 };

/* The type of what lies behind a gap, in our own format: a type no reader knows, so that nobody folds it. */
#define DSH_BEYOND_TYPE "beyond"

/* A compress call that has no result yet. */
struct dsh_open_call {
	uint32_t call;
	uint32_t compress; /* index of its record */
	bool closed;
};

struct dsh_follow {
	VEC(struct dsh_open_call) calls;
	size_t oldest; /* all calls before it are closed */
	size_t live;   /* all calls before it are closed, or of a turn that is over: they will make nothing more */
	bool inside;   /* a compaction has begun and not ended */
	VEC(uint32_t) summary_of; /* by compaction id: row of its summary + 1, 0 = none that waits for its checkpoint */
};

/* Makes r a recording of host dsh; version as in struct dsh_recording. */
void dsh_parts_begin(struct recording *r, int version);
void dsh_follow_free(struct dsh_follow *f);

/* Adds an event to dsh.log; DSH_NONE when no rule reads its type or its seq is not ascending. */
uint32_t dsh_parts_row(struct recording *r, const struct dsh_event *e);
/* Is anything read of the data of this type: by a rule, or to know the window, the model or the next seq? */
bool dsh_parts_reads(struct str type);

/* Adds a row's message and what belongs to it; `row` may be DSH_NONE. */
void dsh_parts_message(struct recording *r, struct record rec, struct message_record m, uint32_t row);
/* Adds an event record; `row` = what dsh_parts_row said of it. */
void dsh_parts_event(struct recording *r, struct record rec, const struct dsh_event *e, uint32_t count, uint32_t row);
/* Adds what lies behind the gap as an opaque record. */
void dsh_parts_beyond(struct recording *r, struct record rec, const struct dsh_event *e, uint32_t count);

/* A row was added whose first message is `message`; returns the compress call that it answers, index + 1, or 0. */
uint32_t dsh_follow_row(struct recording *r, struct dsh_follow *f, uint32_t row, uint32_t message);
void dsh_follow_event(struct recording *r, struct dsh_follow *f, uint32_t row);
/* Compress record number `compress` was made for this call. */
void dsh_follow_call(struct recording *r, struct dsh_follow *f, struct str call, uint32_t compress);

/* Types of packed streaming chunks. */
bool dsh_is_packed(struct str type);
/* Events that a line of packed streaming chunks stands for; 0 = it is none, or it cannot be told (dsh.md 1.7). */
uint32_t dsh_packed(struct str type, const cJSON *data);
/* The type of a row as its data tells: which of the five it looks like. */
enum dsh_type dsh_type_by_data(const cJSON *data);

#endif
