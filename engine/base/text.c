#include "text.h"

#include "utf8.h"
#include "word.h"

enum { REPLACEMENT = 0xFFFD };

size_t str_find(struct str s, struct str what, size_t from)
{
	const char *p, *last;

	if (from > s.n || what.n > s.n - from)
		return SIZE_MAX;
	if (what.n == 0)
		return from;
	p = s.p + from;
	last = s.p + s.n - what.n;
	while (p <= last && (p = memchr(p, what.p[0], (size_t)(last - p) + 1))) {
		if (memcmp(p, what.p, what.n) == 0)
			return (size_t)(p - s.p);
		p++;
	}
	return SIZE_MAX;
}

size_t str_find_last(struct str s, struct str what)
{
	size_t at;

	if (what.n > s.n)
		return SIZE_MAX;
	if (what.n == 0)
		return s.n;
	for (at = s.n - what.n + 1; at-- > 0;)
		if (s.p[at] == what.p[0] && memcmp(s.p + at, what.p, what.n) == 0)
			return at;
	return SIZE_MAX;
}

struct str str_cut(struct str s, size_t from, size_t to)
{
	if (to > s.n)
		to = s.n;
	if (from > to)
		from = to;
	return (struct str){s.p ? s.p + from : NULL, to - from};
}

static bool is_tail(char c) { return ((unsigned char)c & 0xC0) == 0x80; }
size_t text_utf8(struct str s)
{
	size_t at = 0, n;
	uint64_t eight;
	bool valid;

	while (at < s.n) {
		if (s.n - at >= sizeof eight) {
			memcpy(&eight, s.p + at, sizeof eight);
			if ((eight & UINT64_C(0x8080808080808080)) == 0) { /* ASCII */
				at += sizeof eight;
				continue;
			}
		}
		n = utf8_length(s.p + at, s.p + s.n, &valid);
		if (!valid)
			return at;
		at += n;
	}
	return s.n;
}

static uint32_t tail(char c) { return (unsigned char)c & 0x3Fu; }

size_t text_decode(struct str s, size_t at, uint32_t *code)
{
	const char *p;
	size_t room;
	uint32_t c;

	*code = REPLACEMENT;
	if (at >= s.n)
		return 0;
	p = s.p + at;
	room = s.n - at;
	c = (unsigned char)p[0];
	if (c < 0x80) {
		*code = c;
		return 1;
	}
	if (c < 0xE0) {
		if (room < 2 || !is_tail(p[1]) || (c < 0xC2 && !(c == 0xC0 && tail(p[1]) == 0)) || c < 0xC0)
			return 1;
		*code = (c & 0x1F) << 6 | tail(p[1]);
		return 2;
	}
	if (c < 0xF0) {
		if (room < 3 || !is_tail(p[1]) || !is_tail(p[2]) || (c == 0xE0 && tail(p[1]) < 0x20))
			return 1;
		*code = (c & 0x0F) << 12 | tail(p[1]) << 6 | tail(p[2]);
		return 3;
	}
	if (c > 0xF4 || room < 4 || !is_tail(p[1]) || !is_tail(p[2]) || !is_tail(p[3]))
		return 1;
	c = (c & 0x07) << 18 | tail(p[1]) << 12 | tail(p[2]) << 6 | tail(p[3]);
	if (c < 0x10000 || c > 0x10FFFF)
		return 1;
	*code = c;
	return 4;
}

size_t text_encode(char out[4], uint32_t code)
{
	if (code > 0x10FFFF)
		code = REPLACEMENT;
	if (code != 0 && code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xC0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3F));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xE0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3F));
		out[2] = (char)(0x80 | (code & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3F));
	out[2] = (char)(0x80 | (code >> 6 & 0x3F));
	out[3] = (char)(0x80 | (code & 0x3F));
	return 4;
}

/* kernel.md 2.3; code below U+10000 or not, surrogates are outside all three. */
static uint32_t is_cjk(uint32_t code)
{
	return (code - 0x4E00u <= 0x9FFFu - 0x4E00u) | (code - 0x3040u <= 0x30FFu - 0x3040u) |
	       (code - 0xAC00u <= 0xD7AFu - 0xAC00u);
}

struct measure text_measure(struct str s)
{
	size_t at = 0, units = 0, cjk = 0;

	while (at < s.n) {
		uint32_t code;

		if (s.n - at >= 8) {
			uint64_t w = word_load(s.p + at);
			uint64_t high = w & WORD_HIGHS;
			unsigned plain = high ? word_first(high) : 8;

			if (plain) {
				at += plain;
				units += plain;
				continue;
			}
			if (word_two_threes(w)) {
				cjk += is_cjk(word_three(w)) + is_cjk(word_three(w >> 24));
				units += 2;
				at += 6;
				continue;
			}
		}
		at += text_decode(s, at, &code);
		units += code < 0x10000 ? 1 : 2;
		cjk += is_cjk(code);
	}
	return (struct measure){(uint32_t)units, (uint32_t)cjk};
}

/*
 * Walks from byte *at until `units` more units are passed or the text ends. Returns how many were passed: one too
 * many when the last step went over a surrogate pair.
 */
static size_t skip_units(struct str s, size_t *at, size_t units)
{
	size_t done = 0;

	while (done < units && *at < s.n) {
		uint32_t code;

		if (units - done >= 8 && s.n - *at >= 8) {
			uint64_t high = word_load(s.p + *at) & WORD_HIGHS;
			unsigned plain = high ? word_first(high) : 8;

			if (plain) {
				*at += plain;
				done += plain;
				continue;
			}
		}
		*at += text_decode(s, *at, &code);
		done += code < 0x10000 ? 1 : 2;
	}
	return done;
}

/* Writes one half of the pair at byte `at` as a surrogate form; returns its 3 bytes. */
static size_t put_half(char *out, struct str s, size_t at, bool low)
{
	uint32_t code;

	text_decode(s, at, &code);
	code -= 0x10000;
	return text_encode(out, low ? 0xDC00 | (code & 0x3FF) : 0xD800 | code >> 10);
}

struct str text_slice(struct arena *a, struct str s, size_t from, size_t to)
{
	size_t start = 0, end, passed, n = 0;
	bool split_start, split_end;
	char *p;

	if (from >= to)
		return STR("");
	passed = skip_units(s, &start, from);
	if (passed < from)
		return STR("");
	split_start = passed > from;
	end = start;
	passed += skip_units(s, &end, to - passed);
	split_end = passed > to;
	if (!split_start && !split_end)
		return end > start ? str_cut(s, start, end) : STR("");
	p = arena_alloc(a, end - start + 4);
	if (split_start)
		n += put_half(p, s, start - 4, true);
	if (split_end)
		end -= 4;
	memcpy(p + n, s.p + start, end - start);
	n += end - start;
	if (split_end)
		n += put_half(p + n, s, end, false);
	return (struct str){p, n};
}

/* Is there a three-byte surrogate form at byte `at` whose second byte is in [low, low + 15]? */
static bool surrogate_at(struct str s, size_t at, unsigned char low)
{
	return s.n >= 3 && at <= s.n - 3 && (unsigned char)s.p[at] == 0xED &&
	       ((unsigned char)s.p[at + 1] & 0xF0) == low && is_tail(s.p[at + 2]);
}

struct str text_join(struct arena *arena, struct str a, struct str b)
{
	char *p = arena_alloc(arena, a.n + b.n + 1);
	size_t n = a.n;

	if (a.n)
		memcpy(p, a.p, a.n);
	if (a.n >= 3 && surrogate_at(a, a.n - 3, 0xA0) && surrogate_at(b, 0, 0xB0)) {
		uint32_t high = (tail(a.p[n - 2]) & 0x0F) << 6 | tail(a.p[n - 1]);
		uint32_t low = (tail(b.p[1]) & 0x0F) << 6 | tail(b.p[2]);
		char pair[4];

		text_encode(pair, 0x10000 + (high << 10 | low));
		memcpy(p + n - 3, pair, 4);
		n += 1;
		b = str_cut(b, 3, b.n);
	}
	if (b.n)
		memcpy(p + n, b.p, b.n);
	n += b.n;
	p[n] = '\0';
	return (struct str){p, n};
}

bool text_is_space(uint32_t code)
{
	if (code < 0x80)
		return code == ' ' || (code >= 0x09 && code <= 0x0D);
	return code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
	       code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000 || code == 0xFEFF;
}

struct str text_trim_end(struct str s)
{
	while (s.n > 0) {
		size_t start = s.n - 1;
		uint32_t code;

		while (start > 0 && s.n - start < 4 && is_tail(s.p[start]))
			start--;
		if (start + text_decode(s, start, &code) != s.n || !text_is_space(code))
			break;
		s.n = start;
	}
	return s;
}

struct str text_trim(struct str s)
{
	size_t at = 0, length;
	uint32_t code;

	while ((length = text_decode(s, at, &code)) && text_is_space(code))
		at += length;
	return text_trim_end(str_cut(s, at, s.n));
}

struct str text_lower_ascii(struct arena *a, struct str s)
{
	char *p = arena_copy(a, s.p, s.n);
	size_t i;

	for (i = 0; i < s.n; i++)
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] = (char)(p[i] + 32);
	return (struct str){p, s.n};
}
