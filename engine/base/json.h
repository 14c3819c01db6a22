/*
 * json: strict JSON in, JavaScript's JSON out.
 *
 * One scanner validates a value in one pass without recursion and finds the
 * spans of its top-level members; cJSON builds the tree of a span when a tree
 * is needed. cJSON alone cuts strings at U+0000, refuses unpaired surrogates,
 * accepts what JSON does not, cuts number literals at 63 bytes and keeps
 * duplicate members; json_tree hands it a rewritten span instead, so the rest
 * of the program sees correct trees:
 *   - strings are in the form of text.h (C0 80 for U+0000, surrogate forms);
 *   - a repeated member keeps its first place and its last value;
 *   - integer-like keys come first, ascending, then the rest in order (kernel.md 2.5);
 *   - numbers are doubles, overflow is infinity.
 * Trees belong to the arena they were made in. Look members up with json_get,
 * never with cJSON_GetObjectItem (which ignores case).
 */
#ifndef ENGINE_BASE_JSON_H
#define ENGINE_BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buf.h"
#include "text.h"
#include "vec.h"

enum { JSON_DEPTH_MAX = 1000 }; /* cJSON's nesting limit; deeper is JSON_TOO_DEEP */

enum json_status {
	JSON_OK = 0,
	JSON_SYNTAX,  /* not JSON at json_scan.at */
	JSON_TORN,    /* the text ends inside or before a value (also: nothing but white space) */
	JSON_TOO_DEEP /* valid so far; json_scan.at is the first bracket deeper than JSON_DEPTH_MAX, the rest is unread
		       */
};

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* A piece of the scanned text. Strings include their quotes. */
struct json_span {
	size_t at, n; /* bytes */
	uint8_t kind; /* enum json_kind */
	bool plain;   /* string: no escape and only valid UTF-8, so its inner bytes are the text as it is */
	bool hex;     /* string: has a \u escape; if not, the other printable ASCII stands only for itself */
};

struct json_member {
	struct json_span key, value;
};

/* Result of a scan; keep one and reuse it for every line (its vec grows once). Free with json_scan_free. */
struct json_scan {
	struct json_span value;          /* the whole value; value.kind */
	size_t at;                       /* where the value ended, or where it went wrong */
	const char *problem;             /* static text naming the fault; NULL when JSON_OK */
	VEC(struct json_member) members; /* top-level members of an object, in text order, duplicates included */
	VEC(struct json_span) items;     /* top-level items of an array */
	VEC(uint8_t) stack;              /* scratch: open brackets */
};

/*
 * Scans exactly one value with optional JSON white space around it; anything
 * else after it is JSON_SYNTAX. A BOM is a syntax error. Invalid UTF-8 inside
 * strings is accepted (it decodes to U+FFFD), raw control characters are not.
 */
enum json_status json_scan(const char *s, size_t n, struct json_scan *out);
void json_scan_free(struct json_scan *sc);
/* The value span of the LAST top-level member named `name`, or NULL. Compares decoded keys. */
const struct json_span *json_member(const char *s, const struct json_scan *sc, const char *name);

/* Decodes a string span: points into s when plain, else at bytes in the arena. Not a string: absent. */
struct str json_decode(struct arena *a, const char *s, struct json_span span);
/* Measures a string span without keeping its decoded bytes. */
struct measure json_measure(const char *s, struct json_span span);

/* Strict parse of the whole of s into a tree; NULL with *st and *at (both may be NULL) set when it does not parse. */
cJSON *json_tree(struct arena *a, struct str s, enum json_status *st, size_t *at);

/* Member of an object (exact name), or NULL; object may be NULL or not an object. */
const cJSON *json_get(const cJSON *object, const char *name);
/* The string of a string node, else absent. */
struct str json_str(const cJSON *node);
/* A finite or infinite number in *x and true, or false. */
bool json_num(const cJSON *node, double *x);

/* Writers: kernel.md 2.5 (canon of pi.md 0.3). */
void json_put_str(struct buf *b, struct str s);
void json_put_num(struct buf *b, double x);
void json_put(struct buf *b, const cJSON *node);
/* Canonical form of a value given as text; the value must have been scanned JSON_OK. */
void json_put_span(struct buf *b, struct arena *scratch, struct str value);

#endif
