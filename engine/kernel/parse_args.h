/*
 * parse_args: the arguments of a compress call, in whatever shape a model or a
 * host left them, as range requests with a diagnosis (kernel.md 7).
 *
 * Never fails. Everything a result points at lives in the arena given to the
 * call and is independent of the input. Time and memory are linear in the
 * input. JSON nested deeper than JSON_DEPTH_MAX counts as not parsed.
 */
#ifndef ENGINE_KERNEL_PARSE_ARGS_H
#define ENGINE_KERNEL_PARSE_ARGS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/base/text.h"

enum { RAW_PREFIX_UNITS = 800 };

/* kernel.md 7.1 */
enum parse_kind {
	PARSE_OK = 0,
	PARSE_EMPTY_INPUT,
	PARSE_NOT_OBJECT,
	PARSE_MISSING_CONTENT,
	PARSE_CONTENT_NOT_ARRAY,
	PARSE_NO_VALID_RANGES,
	PARSE_TRUNCATED,
	PARSE_MALFORMED_JSON
};

/*
 * One range as written: nothing is trimmed, refs are not checked. Where a topic
 * or a limit comes from, the entry or the top level, makes no difference.
 */
struct range_request {
	struct str start, end, summary; /* never empty */
	struct str topic;               /* never empty when has_topic */
	struct str call;                /* compressCallId */
	double max_chars;               /* summaryMaxChars in units: finite, may be 0 or negative */
	bool has_topic, has_max, has_call;
};

struct parse_result {
	struct range_request *ranges;
	size_t n; /* 0 = not ok, whatever the kind */
	enum parse_kind kind;
	size_t invalid_items;  /* entries refused by kernel.md 7.5 */
	bool has_text;         /* the input was text: length and raw_prefix are set */
	size_t length;         /* units of the whole text, before trimming */
	struct str raw_prefix; /* its first RAW_PREFIX_UNITS units; may end in half a surrogate pair */
	bool has_keys;         /* an object was reached: its keys in the order of kernel.md 2.5 */
	struct str *keys;
	size_t keys_n;
};

/* The spelling of kernel.md 7.1. */
const char *parse_kind_name(enum parse_kind kind);

/* Arguments given as text (kernel.md 7.3); absent text is absent input. `call` is the call id, absent = none. */
void parse_args_text(struct arena *a, struct str text, struct str call, struct parse_result *out);

/* Arguments given as a decoded value, NULL = absent (kernel.md 7.2). A JSON string is text input. */
void parse_args_value(struct arena *a, const cJSON *value, struct str call, struct parse_result *out);

/*
 * One JSON object: {"ranges":[{startRef,endRef,summary,topic?,summaryMaxChars?,
 * compressCallId?}],"kind","invalidItems","length"?,"rawPrefix"?,"keys"?}, the
 * answer of `parse-args`. Members always come in this order, inherited or not.
 */
void parse_args_write(struct buf *b, const struct parse_result *r);

#endif
