/*
 * acp_log_line: one line of the adapter's log (pi.md 2.2), taken apart.
 *
 *   P97:    <ISO time> [<scope>] k=v k=v ...
 *   later:  <ISO time> [<level>] [<scope>] k=v k=v ...
 *
 * Values are raw and may hold blanks: a value ends where ` key=` follows with
 * a key known of the scope. A value that begins with a bracket is JSON and ends
 * with it, whatever its strings hold; one whose JSON is cut ends like any other.
 * A key that comes twice counts with its last value. Internal to acp_log*.c;
 * owns nothing: values point into the line.
 */
#ifndef REPLAY_ACP_LOG_LINE_H
#define REPLAY_ACP_LOG_LINE_H

#include "engine/base/text.h"

enum acp_log_scope {
	LOG_CONTEXT_IN,
	LOG_PROCESS_TURN,
	LOG_NUDGE_INJECTED,
	LOG_NUDGE_SUPPRESSED,
	LOG_COMPRESS_IN,
	LOG_COMPRESS_OUT,
	LOG_TURN,
	LOG_COMPRESS,
	LOG_OTHER /* a line of the log that says nothing of a turn or a compress call */
};

enum acp_log_field {
	LOG_SID,
	LOG_EVENT,
	LOG_DENSITY,
	LOG_TOKENS,
	LOG_ESTIMATED,
	LOG_REAL,
	LOG_LIMIT,
	LOG_INJECT, /* true, false */
	LOG_NUDGE,  /* idle, active, emergency */
	LOG_REASON,
	LOG_BLOCKS_BEFORE,
	LOG_ACTIVE_BEFORE,
	LOG_BLOCKS,
	LOG_ACTIVE,
	LOG_CREATED,
	LOG_COMPRESSED,
	LOG_ERRORS,
	LOG_FIELDS
};

struct acp_log_line {
	double time;  /* Unix ms */
	bool leveled; /* of the later era */
	enum acp_log_scope scope;
	struct str v[LOG_FIELDS]; /* absent: p NULL */
};

/* False when it is no line of the log. */
bool acp_log_line_read(struct str line, struct acp_log_line *out);
/* The number a value begins with (what follows a blank is not read); NAN when it is none, or absent. */
double acp_log_number(struct str value);
/* How many errors `errors` tells of: a number, or the items of a list; NAN when it is neither. */
double acp_log_errors(struct str value);

#endif
