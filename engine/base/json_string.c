#include "json_string.h"

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t json_escape_length(const char *p, const char *end, const char **at)
{
	size_t room = (size_t)(end - p), i;

	*at = end;
	if (room < 2)
		return 0;
	if (p[1] != 'u') {
		*at = p + 1;
		return json_escape_letter(p[1]) ? 2 : 0;
	}
	for (i = 2; i < 6; i++) {
		if (i < room && hex_value(p[i]) >= 0)
			continue;
		*at = p + i;
		return 0;
	}
	return 6;
}

static uint32_t four_hex(const char *p)
{
	return (uint32_t)(hex_value(p[0]) << 12 | hex_value(p[1]) << 8 | hex_value(p[2]) << 4 | hex_value(p[3]));
}

/* Decodes the escape at *p and steps over it; a pair of surrogate escapes is one code point. */
static uint32_t take_escape(const char **p, const char *end)
{
	const char *at;
	size_t n = json_escape_length(*p, end, &at);
	uint32_t code, low;

	if (n == 0) { /* cannot be in scanned text */
		*p += 1;
		return 0xFFFD;
	}
	code = n == 2 ? (uint32_t)json_escape_letter((*p)[1]) : four_hex(*p + 2);
	*p += n;
	if (code < 0xD800 || code > 0xDBFF || end - *p < 6 || **p != '\\' || json_escape_length(*p, end, &at) != 6)
		return code;
	low = four_hex(*p + 2);
	if (low < 0xDC00 || low > 0xDFFF)
		return code;
	*p += 6;
	return 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
}

struct json_pieces json_pieces(const char *s, struct json_span span)
{
	if (span.kind != JSON_STRING || span.n < 2)
		return (struct json_pieces){s, s};
	return (struct json_pieces){s + span.at + 1, s + span.at + span.n - 1};
}

bool json_next_piece(struct json_pieces *it, struct json_piece *out)
{
	const char *clean;
	bool valid;

	if (it->p == it->end)
		return false;
	clean = json_clean_end(it->p, it->end);
	out->p = it->p;
	out->n = (size_t)(clean - it->p);
	it->p = clean;
	if (out->n)
		return true;
	out->p = out->code;
	if (*it->p == '\\') {
		out->n = text_encode(out->code, take_escape(&it->p, it->end));
	} else {
		out->n = text_encode(out->code, 0xFFFD);
		it->p += utf8_length(it->p, it->end, &valid);
	}
	return true;
}

struct str json_decode(struct arena *a, const char *s, struct json_span span)
{
	struct json_pieces it = json_pieces(s, span);
	struct json_piece piece;
	size_t cap = (size_t)(it.end - it.p), n = 0, left;
	char *out;

	if (span.kind != JSON_STRING)
		return (struct str){0};
	if (span.plain)
		return (struct str){it.p, cap};
	/* Escapes shrink, so that n + left <= cap; only U+FFFD for a stray byte grows, at most threefold. */
	out = arena_alloc(a, cap + 1);
	while ((left = (size_t)(it.end - it.p)) > 0) {
		if (left >= 8) {
			uint64_t stops = word_json_stops(word_load(it.p));
			unsigned plain = stops ? word_first(stops) : 8;

			memcpy(out + n, it.p, 8);
			n += plain;
			it.p += plain;
			if (plain == 8)
				continue;
			if (*it.p == '\\' && plain < 7 && it.p[1] != 'u') {
				out[n++] = json_escape_letter(it.p[1]);
				it.p += 2;
				continue;
			}
		}
		json_next_piece(&it, &piece);
		left = (size_t)(it.end - it.p);
		if (n + piece.n + left > cap) {
			char *larger;

			cap = n + piece.n + 3 * left;
			larger = arena_alloc(a, cap + 1);
			memcpy(larger, out, n);
			out = larger;
		}
		memcpy(out + n, piece.p, piece.n);
		n += piece.n;
	}
	out[n] = '\0';
	return (struct str){out, n};
}

struct measure json_measure(const char *s, struct json_span span)
{
	struct json_pieces it = json_pieces(s, span);
	struct measure total = {0, 0};
	struct json_piece piece;

	if (span.plain)
		return text_measure((struct str){it.p, (size_t)(it.end - it.p)});
	while (it.p < it.end) {
		struct measure m;

		if (it.end - it.p >= 8) {
			uint64_t stops = word_json_stops(word_load(it.p));
			unsigned plain = stops ? word_first(stops) : 8;

			total.units += plain;
			it.p += plain;
			if (plain == 8)
				continue;
			if (*it.p == '\\' && plain < 7 && it.p[1] != 'u') {
				total.units += 1;
				it.p += 2;
				continue;
			}
		}
		json_next_piece(&it, &piece);
		m = text_measure((struct str){piece.p, piece.n});
		total.units += m.units;
		total.cjk += m.cjk;
	}
	return total;
}

static bool key_equals(const char *s, struct json_span key, const char *name, size_t n)
{
	struct json_pieces it = json_pieces(s, key);
	struct json_piece piece;

	if (key.plain)
		return key.n - 2 == n && memcmp(it.p, name, n) == 0;
	while (json_next_piece(&it, &piece)) {
		if (piece.n > n || memcmp(piece.p, name, piece.n) != 0)
			return false;
		name += piece.n;
		n -= piece.n;
	}
	return n == 0;
}

const struct json_span *json_member(const char *s, const struct json_scan *sc, const char *name)
{
	size_t n = strlen(name), i;

	for (i = sc->members.n; i-- > 0;)
		if (key_equals(s, sc->members.v[i].key, name, n))
			return &sc->members.v[i].value;
	return NULL;
}
