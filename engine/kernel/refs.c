#include "engine/kernel/refs.h"

enum { REF_DIGITS = 5, BLOCK_DIGITS = 9 };

/* Byte offset of the first byte at or after `at` that is no decimal digit. */
static size_t digits_end(struct str s, size_t at)
{
	while (at < s.n && s.p[at] >= '0' && s.p[at] <= '9')
		at++;
	return at;
}

static size_t zeros_end(struct str s, size_t at)
{
	while (at < s.n && s.p[at] == '0')
		at++;
	return at;
}

static uint32_t decimal(struct str s, size_t from, size_t to)
{
	uint32_t value = 0;
	for (size_t i = from; i < to; i++)
		value = value * 10 + (uint32_t)(s.p[i] - '0');
	return value;
}

/* `letter` (either case) and digits up to the end of s, at least one. */
static bool is_spelled(struct str s, char letter)
{
	return s.n >= 2 && (s.p[0] | 0x20) == letter && digits_end(s, 1) == s.n;
}

bool ref_format(char out[REF_TEXT_MAX], double index)
{
	if (!(index >= 1 && index <= REF_MAX) || index != (double)(uint32_t)index)
		return false;
	uint32_t n = (uint32_t)index;
	out[0] = 'm';
	for (int i = REF_DIGITS; i > 0; i--, n /= 10)
		out[i] = (char)('0' + n % 10);
	out[REF_DIGITS + 1] = '\0';
	return true;
}

/* Of a trimmed text. Only zeros: one of them is the digit, its value is none. */
static uint32_t read_trimmed(struct str t)
{
	if (!is_spelled(t, 'm'))
		return REF_NONE;
	size_t at = zeros_end(t, 1);
	return t.n - at > REF_DIGITS ? REF_NONE : decimal(t, at, t.n);
}

uint32_t ref_read(struct str s) { return read_trimmed(text_trim(s)); }

struct boundary_ref boundary_read(struct arena *a, struct str s)
{
	struct str t = text_trim(s);
	struct boundary_ref out = {.kind = BOUNDARY_NONE, .number = read_trimmed(t)};
	if (out.number != REF_NONE) {
		out.kind = BOUNDARY_MESSAGE;
	} else if (is_spelled(t, 'b') && t.n <= 1 + BLOCK_DIGITS) {
		out.number = decimal(t, 1, t.n);
		if (out.number > 0)
			out.kind = BOUNDARY_BLOCK;
	}
	if (out.kind != BOUNDARY_NONE)
		out.spelling = text_lower_ascii(a, t);
	return out;
}

double ref_number(struct str s)
{
	if (s.n < 2 || s.p[0] != 'm' || digits_end(s, 1) != s.n)
		return -1;
	double value = 0;
	for (size_t i = 1; i < s.n; i++)
		value = value * 10 + (s.p[i] - '0');
	return value;
}

struct str block_id_argument(struct arena *a, struct str s)
{
	struct str t = text_trim(s);
	size_t digits = 0;
	if (is_spelled(t, 'b'))
		/* b005 is block 5, but 005 alone is b005: kernel.md 11, 54 */
		digits = zeros_end(t, 1) < t.n ? zeros_end(t, 1) : t.n - 1;
	else if (t.n == 0 || digits_end(t, 0) != t.n)
		return (struct str){NULL, 0};
	struct str number = str_cut(t, digits, t.n);
	char *out = arena_alloc(a, number.n + 2);
	out[0] = 'b';
	memcpy(out + 1, number.p, number.n);
	out[number.n + 1] = '\0';
	return (struct str){out, number.n + 1};
}
