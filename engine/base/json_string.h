/*
 * json_string: the inside of a JSON string, for the three json_*.c files.
 * Internal to engine/base.
 */
#ifndef ENGINE_BASE_JSON_STRING_H
#define ENGINE_BASE_JSON_STRING_H

#include "json.h"
#include "utf8.h"
#include "word.h"

/* First byte at or after p that is '"', '\\', a control character or not part of a valid UTF-8 sequence; else end. */
static inline const char *json_clean_end(const char *p, const char *end)
{
	while (p < end) {
		unsigned char c;
		bool valid;

		if (end - p >= 8) {
			uint64_t stops = word_json_stops(word_load(p));

			if (!stops) {
				p += 8;
				continue;
			}
			p += word_first(stops);
		}
		c = (unsigned char)*p;
		if (c < 0x80) {
			if (c == '"' || c == '\\' || c < 0x20)
				break;
			p++;
			continue;
		}
		while (end - p >= 8 && word_two_threes(word_load(p)))
			p += 6;
		while (p < end && (unsigned char)*p >= 0x80) {
			size_t n = utf8_length(p, end, &valid);

			if (!valid)
				return p;
			p += n;
		}
	}
	return p;
}

/*
 * Walks the inner bytes of a scanned string: runs of bytes that stand for themselves, and single code points that
 * do not (escapes, and U+FFFD for what is not UTF-8).
 */
struct json_pieces {
	const char *p, *end;
};

struct json_piece {
	const char *p; /* bytes in the form of text.h: in the source, or in `code` */
	size_t n;
	char code[4];
};

/* The pieces of a string span (quotes left out). */
struct json_pieces json_pieces(const char *s, struct json_span span);
/* False at the end. */
bool json_next_piece(struct json_pieces *it, struct json_piece *out);
/* What a one-letter escape stands for; 0 = no such escape. */
static inline char json_escape_letter(char letter)
{
	static const char table[128] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
					['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};

	return (unsigned char)letter < 128 ? table[(unsigned char)letter] : 0;
}
/* Length of the escape at p (which is a backslash), or 0 with *at = the offending byte (or end). */
size_t json_escape_length(const char *p, const char *end, const char **at);

#endif
