/*
 * dsh_acps: what a recording of host dsh has beside the records of all hosts
 * (recording.md: seq, surfaceOp, cites, entry, event), for acps.c.
 */
#ifndef REPLAY_READERS_DSH_ACPS_H
#define REPLAY_READERS_DSH_ACPS_H

#include "replay/readers/dsh_parts.h"

enum dsh_field {
	DSH_FIELD_SEQ,
	DSH_FIELD_OP,    /* surfaceOp; absent = append, null = the event had none */
	DSH_FIELD_CITES, /* sourceEventSeqs */
	DSH_FIELD_ENTRY, /* data of a row */
	DSH_FIELD_EVENT, /* type of a row, where its data does not tell it */
	DSH_FIELD_NAME,  /* type of an event that is no row */
	DSH_FIELD_DATA,
	DSH_FIELD_TIME,
	DSH_FIELD_TIME0, /* of packed chunks */
	DSH_FIELD_COUNT
};

/* Members of one line; n = 0 where there is none. */
struct dsh_fields {
	const struct source_line *line;
	struct arena *scratch;
	struct json_span v[DSH_FIELD_COUNT];
};

/* The session line was read; `source` is its member. The result is for loader->own. */
struct dsh_follow *dsh_acps_begin(struct recording *r, const struct source_line *line, struct json_span source);
/* Frees loader->own, if there is one. */
void dsh_acps_end(struct recording *r);
void dsh_acps_message(struct recording *r, struct dsh_follow *f, struct record rec, struct message_record m,
		      struct dsh_fields v);
/* An event; `beyond` = it lies behind the log's gap. */
void dsh_acps_event(struct recording *r, struct dsh_follow *f, struct record rec, struct dsh_fields v, bool beyond);

#endif
