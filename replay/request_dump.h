/*
 * request_dump: what a file with a recorded provider request says was sent, as
 * lines that can be compared with the lines of a request of ours.
 *
 * Read are
 *   - our own form: JSON lines, each a message {role, content, ..} (none = a
 *     request without messages);
 *   - a JSON array of such messages, or an object that has one in `messages`,
 *     or holds such an object in `request`, `body`, `payload` or `context`
 *     (the context a Pi host gives to its provider is one).
 * A message becomes canon() of its {role, content[, toolCallId, toolName,
 * isError]}, so that the bytes are those of pi-rulings 4.
 *
 * Requests of the chat APIs of other makers (`tool_calls`, `tool_use`, roles
 * like system and tool) have another shape: they are flattened, and so is what
 * they are compared with: one line for each text, call and image, thinking left
 * out. Messages of the roles system and developer are left out everywhere.
 *
 * Files are hostile. Lines live in the arena given.
 */
#ifndef REPLAY_REQUEST_DUMP_H
#define REPLAY_REQUEST_DUMP_H

#include "engine/base/json.h"

enum { REQUEST_DUMP_MAX = 1 << 26 }; /* bytes of a file */

struct dump_lines {
	VEC(struct str) list; /* malloc */
	bool flat;            /* of another maker's API: flattened */
	uint32_t system;      /* messages left out */
};

/* NULL, or why it is no request. */
const char *request_dump_read(struct str file, struct arena *a, struct dump_lines *out);
/* Appends one message of ours (JSON), as it is or flattened as `out->flat` says. */
void request_dump_add(struct str message, struct arena *a, struct dump_lines *out);
void dump_lines_free(struct dump_lines *l);

#endif
