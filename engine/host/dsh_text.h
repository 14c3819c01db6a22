/*
 * dsh_text: the kernel's messages that a row of a DSH log is projected to
 * (dsh.md 3.2).
 *
 * Pure functions on JSON trees. What they return is a piece of what they were
 * given, or lies in the arena they were given.
 */
#ifndef ENGINE_HOST_DSH_TEXT_H
#define ENGINE_HOST_DSH_TEXT_H

#include "engine/host/dsh_row.h"

/* What is read of the message of a row, wherever its type keeps it. Texts are absent where there is no string. */
struct dsh_message {
	const cJSON *content;
	struct str tool_call_id;   /* message.toolCallId (format 4) */
	struct str source_call_id; /* message.source.callId */
	bool is_error;             /* of the message; that of a tool-result block comes out of the projection */
};
/* From the data of an event, or NULL: data itself for user rows, else data.message. */
struct dsh_message dsh_message_of(enum dsh_type type, const cJSON *data);

/* One message for the kernel. Its id is the seq, with "#" and `call` behind it when the row gives several. */
struct dsh_core {
	uint8_t role, content; /* enum role, enum content */
	struct str tool;       /* name of a call; that of a result is known by `key` when the whole log was read */
	struct str call;       /* id of a call, toolCallId of a result; may be empty */
	struct str text;
};

/* Zero-initialised = empty; one may be used again and again. Free with dsh_projection_free. */
struct dsh_projection {
	VEC(struct dsh_core) cores;
	bool several;   /* two calls or more: ids carry the call's */
	bool is_error;  /* tool rows */
	struct str key; /* tool rows: under which the call's name is looked up; absent = none */
};
/* Rows without a projection (system and developer rows, empty ones) leave no cores. */
void dsh_project(struct arena *a, enum dsh_type type, const struct dsh_message *m, struct dsh_projection *out);
void dsh_projection_free(struct dsh_projection *p);

#endif
