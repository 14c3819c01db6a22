/*
 * word: eight bytes at a time, for the loops every byte of a session passes
 * through. Internal to engine/base. Byte 0 of the text is the lowest byte of a
 * word, on any machine.
 */
#ifndef ENGINE_BASE_WORD_H
#define ENGINE_BASE_WORD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define WORD_ONES  UINT64_C(0x0101010101010101)
#define WORD_HIGHS UINT64_C(0x8080808080808080)

static inline uint64_t word_load(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/* Index of the first byte marked in a word of high bits; marks must not be 0. */
static inline unsigned word_first(uint64_t marks) { return (unsigned)__builtin_ctzll(marks) >> 3; }

/*
 * High bits set at bytes that are '"', '\\', below 0x20 or above 0x7F. Exact up to the first marked byte (a borrow
 * can only mark bytes after it), which is all that word_first reads.
 */
static inline uint64_t word_json_stops(uint64_t w)
{
	uint64_t quote = w ^ (WORD_ONES * '"');
	uint64_t slash = w ^ (WORD_ONES * '\\');

	return ((quote - WORD_ONES) | (slash - WORD_ONES) | (w - WORD_ONES * 0x20) | w) & WORD_HIGHS;
}

/*
 * Two three-byte sequences at the start of w, neither beginning with E0 or ED (whose second byte is restricted)?
 * They are valid UTF-8 then. This is what Chinese, Japanese and most other non-Latin prose looks like.
 */
static inline bool word_two_threes(uint64_t w)
{
	return (w & UINT64_C(0xC0C0F0C0C0F0)) == UINT64_C(0x8080E08080E0) &&
	       (0xDFFEu >> (w & 0x0F) & 0xDFFEu >> (w >> 24 & 0x0F) & 1u);
}

/* The code point of the three-byte sequence in the low bytes of w. */
static inline uint32_t word_three(uint64_t w)
{
	return (uint32_t)((w & 0x0F) << 12 | (w >> 8 & 0x3F) << 6 | (w >> 16 & 0x3F));
}

#endif
