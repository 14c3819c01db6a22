/*
 * utf8: strict UTF-8, as files must hold it (text.h has the extended form).
 * Internal to engine/base.
 */
#ifndef ENGINE_BASE_UTF8_H
#define ENGINE_BASE_UTF8_H

#include <stddef.h>

/* Range of the second byte after lead byte c (0xE0..0xF4). */
static inline unsigned char utf8_second_low(unsigned char c) { return c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80; }

static inline unsigned char utf8_second_high(unsigned char c) { return c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF; }

/*
 * Bytes of the sequence at p (p < end): its whole length when valid, *valid set;
 * else the length of the maximal subpart, for which a decoder writes one U+FFFD.
 */
static inline size_t utf8_length(const char *p, const char *end, _Bool *valid)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t room = (size_t)(end - p), want, i;
	unsigned char c = u[0];

	*valid = 1;
	if (c < 0x80)
		return 1;
	want = c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
	*valid = 0;
	if (want == 0 || room < 2 || u[1] < utf8_second_low(c) || u[1] > utf8_second_high(c))
		return 1;
	for (i = 2; i < want; i++)
		if (i == room || (u[i] & 0xC0) != 0x80)
			return i;
	*valid = 1;
	return want;
}

#endif
