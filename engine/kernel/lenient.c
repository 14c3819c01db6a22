#include "engine/kernel/lenient.h"

#include <stdint.h>
#include <stdio.h>

#include "engine/base/json.h"
#include "engine/base/vec.h"

#define FENCE STR("```")

/* Where a scan stands with respect to string literals. */
struct literal {
	bool open, escaped; /* escaped: a backslash inside the literal protects the next unit */
};

/*
 * Takes one byte; true when it lies outside literals. Quotes and everything
 * between them are not outside. A unit of several bytes is protected by its
 * first byte: the others are never a quote or a backslash.
 */
static bool literal_outside(struct literal *l, char c)
{
	if (l->escaped) {
		l->escaped = false;
		return false;
	}
	if (c == '"') {
		l->open = !l->open;
		return false;
	}
	l->escaped = l->open && c == '\\';
	return !l->open;
}

/* The bytes of the surrogate form or of U+0000 at s.p[at] (text.h), which JSON bytes cannot hold, or 0. */
static size_t form_length(struct str s, size_t at)
{
	unsigned char c = (unsigned char)s.p[at];
	if (c == 0xC0 && s.n - at >= 2)
		return 2;
	return c == 0xED && s.n - at >= 3 && (unsigned char)s.p[at + 1] >= 0xA0 ? 3 : 0;
}

/*
 * A text as bytes for json_tree, which takes the bytes of a file: half a
 * surrogate pair in a literal becomes its escape (behind a backslash it stays
 * what it is, a bad escape), U+0000 becomes the control character that it is.
 */
static struct str json_bytes(struct arena *a, struct str s)
{
	size_t at = 0, n = 0;
	while (at < s.n && form_length(s, at) == 0)
		at++;
	if (at == s.n)
		return s;
	char *out = arena_alloc(a, 2 * s.n + 1); /* 3 bytes become 6, and a final NUL */
	struct literal literal = {0};
	for (at = 0; at < s.n;) {
		size_t length = form_length(s, at);
		uint32_t code;
		if (length == 2) {
			out[n++] = '\0';
		} else if (length == 3 && !literal.escaped && text_decode(s, at, &code) == 3) {
			n += (size_t)snprintf(out + n, 7, "\\u%04x", (unsigned)code);
		} else {
			out[n++] = s.p[at];
			length = 1;
		}
		(void)literal_outside(&literal, s.p[at]);
		at += length;
	}
	return (struct str){out, n};
}

cJSON *lenient_strict(struct arena *a, struct str s) { return json_tree(a, json_bytes(a, s), NULL, NULL); }

/* True when only white space of JSON lies between `at` and a closing bracket. */
static bool closes_next(struct str s, size_t at)
{
	while (at < s.n && (s.p[at] == ' ' || s.p[at] == '\t' || s.p[at] == '\n' || s.p[at] == '\r'))
		at++;
	return at < s.n && (s.p[at] == '}' || s.p[at] == ']');
}

/* s without its trailing commas; s itself when there are none. One pass: the look-ahead stops at the next comma. */
static struct str drop_commas(struct arena *a, struct str s)
{
	struct literal literal = {0};
	char *out = NULL;
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (literal_outside(&literal, s.p[i]) && s.p[i] == ',' && closes_next(s, i + 1)) {
			if (!out) {
				out = arena_alloc(a, s.n);
				memcpy(out, s.p, i);
				n = i;
			}
		} else if (out) {
			out[n++] = s.p[i];
		}
	}
	return out ? (struct str){out, n} : s;
}

/* The letter of the escape of a raw line break or tab, or 0. */
static char break_letter(char c) { return c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\t' ? 't' : '\0'; }

/*
 * One pass over the raw breaks inside literals: counts them, and writes the
 * escaped text to `out` if given (room for s.n plus the count).
 */
static size_t escape_pass(struct str s, char *out)
{
	struct literal literal = {0};
	size_t count = 0, n = 0;
	for (size_t i = 0; i < s.n; i++) {
		bool bare = literal.open && !literal.escaped;
		char letter = bare ? break_letter(s.p[i]) : '\0';
		count += letter != '\0';
		if (out && letter)
			out[n++] = '\\';
		if (out)
			out[n++] = letter ? letter : s.p[i];
		(void)literal_outside(&literal, s.p[i]);
	}
	return count;
}

/* s with raw line breaks and tabs in literals escaped; s itself when there are none. */
static struct str escape_breaks(struct arena *a, struct str s)
{
	size_t count = escape_pass(s, NULL);
	if (count == 0)
		return s;
	char *out = arena_alloc(a, s.n + count);
	escape_pass(s, out);
	return (struct str){out, s.n + count};
}

cJSON *lenient_parse(struct arena *a, struct str s)
{
	if (s.n == 0)
		return NULL;
	/* copies that did not help are given back; a tree keeps everything it was made from */
	struct arena_mark start = arena_mark(a);
	cJSON *tree = lenient_strict(a, s);
	if (tree)
		return tree;
	struct str bare = drop_commas(a, s);
	if (bare.p != s.p)
		tree = lenient_strict(a, bare);
	if (!tree) {
		struct str escaped = escape_breaks(a, bare);
		if (escaped.p != bare.p)
			tree = lenient_strict(a, escaped);
	}
	if (!tree)
		arena_release(a, start);
	return tree;
}

struct str lenient_unfence(struct str s)
{
	if (!str_starts(s, FENCE))
		return s;
	size_t body = str_find(s, STR("\n"), 0);
	if (body == SIZE_MAX)
		return s;
	body++;
	size_t end = str_find_last(s, FENCE);
	/* with no closing fence the last one is the opening one, or one inside a summary: mirrored, P57 */
	return text_trim(str_cut(s, body, end > body ? end : s.n));
}

bool lenient_looks_truncated(struct str s)
{
	struct literal literal = {0};
	int64_t depth = 0;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (!literal_outside(&literal, c))
			continue;
		if (c == '{' || c == '[')
			depth++;
		else if (c == '}' || c == ']')
			depth--;
	}
	return depth > 0 || literal.open;
}

static size_t skip_space(struct str s, size_t at)
{
	uint32_t code;
	size_t n;
	while ((n = text_decode(s, at, &code)) > 0 && text_is_space(code))
		at += n;
	return at;
}

/* Offset behind the `[` of the first `"content" : [`, whether in a string or not; SIZE_MAX when there is none. */
static size_t content_start(struct str s)
{
	struct str word = STR("\"content\"");
	/* the closing quote of one occurrence may be the opening quote of the next */
	for (size_t at = 0; (at = str_find(s, word, at)) != SIZE_MAX; at += word.n - 1) {
		size_t colon = skip_space(s, at + word.n);
		if (colon >= s.n || s.p[colon] != ':')
			continue;
		size_t bracket = skip_space(s, colon + 1);
		if (bracket < s.n && s.p[bracket] == '[')
			return bracket + 1;
	}
	return SIZE_MAX;
}

struct lenient_list lenient_salvage(struct arena *a, struct str s)
{
	VEC(const cJSON *) found = {0};
	struct literal literal = {0};
	size_t depth = 0, entry = SIZE_MAX;
	for (size_t i = content_start(s); i < s.n; i++) {
		char c = s.p[i];
		if (!literal_outside(&literal, c))
			continue;
		if (c == '{' || c == '[') {
			if (depth == 0 && c == '{')
				entry = i;
			depth++;
		} else if (c == '}' || c == ']') {
			if (depth == 0)
				break; /* the array closed */
			if (--depth == 0 && entry != SIZE_MAX) {
				cJSON *value = lenient_parse(a, str_cut(s, entry, i + 1));
				if (value)
					vec_push(&found, value);
				entry = SIZE_MAX;
			}
		}
	}
	struct lenient_list list = {arena_alloc(a, found.n * sizeof *list.v), found.n};
	if (found.n > 0)
		memcpy(list.v, found.v, found.n * sizeof *list.v);
	vec_free(&found);
	return list;
}
