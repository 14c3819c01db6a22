/*
 * pick: the members a reader wants of a scanned object, found in one pass.
 */
#ifndef REPLAY_READERS_PICK_H
#define REPLAY_READERS_PICK_H

#include "engine/base/json.h"

/*
 * out[i] = the value of the last member named names[i]; n = 0 when there is none. Objects whose members come in the
 * order of `names` are the fastest. scratch holds decoded keys.
 */
void pick(const char *s, const struct json_scan *scan, const struct str *names, size_t count, struct json_span *out,
	  struct arena *scratch);

static inline bool pick_is(struct json_span v, enum json_kind kind) { return v.n > 0 && v.kind == kind; }
/* White space between the tokens of JSON. */
static inline bool pick_is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
/* Absent or null: for members that may be left out. */
static inline bool pick_missing(struct json_span v) { return v.n == 0 || v.kind == JSON_NULL; }
/* The decoded string; absent when it is none. */
static inline struct str pick_str(struct arena *scratch, const char *s, struct json_span v)
{
	return pick_is(v, JSON_STRING) ? json_decode(scratch, s, v) : (struct str){0};
}
/* A number, else NAN. */
double pick_num(struct arena *scratch, const char *s, struct json_span v);

#endif
