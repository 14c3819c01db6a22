/*
 * text: JavaScript's strings, held as bytes.
 *
 * A `struct str` is UTF-8 with two extensions, so that every string JSON can
 * carry is held without loss and never contains a zero byte:
 *   - an unpaired surrogate is its three-byte form ED A0..BF xx;
 *   - U+0000 is C0 80.
 * A high surrogate directly followed by a low one never occurs as two
 * three-byte forms: whoever joins texts joins them with text_join. Bytes that
 * are not valid UTF-8 in a file become U+FFFD (one per maximal subpart) while
 * they are decoded, so functions here may assume well-formed input, and must
 * still stay in bounds on any bytes.
 *
 * All lengths called "units" are UTF-16 code units (kernel.md 2.1).
 * A struct str does not own its bytes.
 */
#ifndef ENGINE_BASE_TEXT_H
#define ENGINE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"

struct str {
	const char *p; /* NULL = absent (measured and searched as empty) */
	size_t n;      /* bytes */
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
static inline struct str str_of(const char *c) { return (struct str){c, c ? strlen(c) : 0}; }
static inline bool str_eq(struct str a, struct str b) { return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0); }
static inline bool str_starts(struct str a, struct str prefix)
{
	return a.n >= prefix.n && (prefix.n == 0 || memcmp(a.p, prefix.p, prefix.n) == 0);
}
static inline bool str_ends(struct str a, struct str suffix)
{
	return a.n >= suffix.n && (suffix.n == 0 || memcmp(a.p + a.n - suffix.n, suffix.p, suffix.n) == 0);
}
/* Byte offset of the first / last occurrence of `what` at or after `from`; SIZE_MAX when there is none. */
size_t str_find(struct str s, struct str what, size_t from);
size_t str_find_last(struct str s, struct str what);
/* Bytes [from, to) of s, clipped to s. */
struct str str_cut(struct str s, size_t from, size_t to);

/* What the kernel measures of a text: kept from load, tokens are derived (kernel.md 2.3). */
struct measure {
	uint32_t units; /* UTF-16 units */
	uint32_t cjk;   /* units in U+4E00..9FFF, U+3040..30FF, U+AC00..D7AF */
};

struct measure text_measure(struct str s);
/* The default counter's raw estimate: cjk + ceil((units - cjk) / 4). */
static inline double text_tokens(struct measure m) { return (double)m.cjk + (double)((m.units - m.cjk + 3u) / 4u); }

/* The fast counter of kernel.md 2.3, which knows no CJK: ceil(units / 4). */
static inline double text_fast_tokens(struct measure m) { return (double)((m.units + 3u) / 4u); }

/* Units [from, to) (clipped). Points into s, or, where a cut splits a surrogate pair, at bytes in `a`. */
struct str text_slice(struct arena *a, struct str s, size_t from, size_t to);
/* a ++ b in the arena; a high surrogate at the end of a and a low one at the start of b become one code point. */
struct str text_join(struct arena *arena, struct str a, struct str b);

/* Decodes the code point at s.p[at]; returns its byte length (0 at the end). C0 80 decodes to 0, surrogate forms to
 * their value, a stray byte to U+FFFD (length 1). */
size_t text_decode(struct str s, size_t at, uint32_t *code);
/* Bytes before the first one that is no UTF-8 as files must hold it (RFC 3629: no U+0000 in two bytes, no surrogates).
 */
size_t text_utf8(struct str s);
/* Writes the bytes of a code point (surrogates and 0 in the forms above); returns 1..4. */
size_t text_encode(char out[4], uint32_t code);

/* kernel.md 2.2; not the class of the C library. */
bool text_is_space(uint32_t code);
struct str text_trim(struct str s);
struct str text_trim_end(struct str s);
/* ASCII letters lower-cased, in the arena (kernel.md 2.6). */
struct str text_lower_ascii(struct arena *a, struct str s);

#endif
