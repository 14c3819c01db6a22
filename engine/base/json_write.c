#include "json.h"

#include "json_string.h"
#include "num.h"

/* First byte at or after p that json_put_str must escape; else end. */
static const char *verbatim_end(const char *p, const char *end)
{
	while ((p = json_clean_end(p, end)) < end) {
		unsigned char c = (unsigned char)*p;

		/* C0 80 and surrogate forms are not UTF-8, so json_clean_end stops at them; so it does at broken bytes.
		 */
		if (c < 0x80 || c == 0xC0 || c == 0xED)
			break;
		p++;
	}
	return p;
}

void json_put_str(struct buf *b, struct str s)
{
	static const char letter[32] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
	size_t at = 0, length;
	uint32_t code;

	buf_char(b, '"');
	while (at < s.n) {
		size_t end = (size_t)(verbatim_end(s.p + at, s.p + s.n) - s.p);

		buf_bytes(b, s.p + at, end - at);
		at = end;
		length = text_decode(s, at, &code);
		if (length == 0)
			break;
		if (code == '"' || code == '\\' || (code < 0x20 && letter[code])) {
			buf_char(b, '\\');
			buf_char(b, code < 0x20 ? letter[code] : (char)code);
		} else if (code < 0x20 || (code >= 0xD800 && code <= 0xDFFF)) {
			buf_printf(b, "\\u%04x", (unsigned)code);
		} else {
			buf_bytes(b, s.p + at, length);
		}
		at += length;
	}
	buf_char(b, '"');
}

void json_put_num(struct buf *b, double x)
{
	char text[NUM_TEXT_MAX];

	buf_bytes(b, text, num_print(text, x));
}

static void put_children(struct buf *b, const cJSON *node, char open, char close)
{
	const cJSON *child;

	buf_char(b, open);
	cJSON_ArrayForEach (child, node) {
		if (child != node->child)
			buf_char(b, ',');
		if (open == '{') {
			json_put_str(b, str_of(child->string));
			buf_char(b, ':');
		}
		json_put(b, child);
	}
	buf_char(b, close);
}

/* Recursion is bounded: json_tree makes nothing deeper than JSON_DEPTH_MAX. */
void json_put(struct buf *b, const cJSON *node)
{
	if (cJSON_IsObject(node))
		put_children(b, node, '{', '}');
	else if (cJSON_IsArray(node))
		put_children(b, node, '[', ']');
	else if (cJSON_IsString(node))
		json_put_str(b, str_of(node->valuestring));
	else if (cJSON_IsNumber(node))
		json_put_num(b, node->valuedouble);
	else
		buf_text(b, cJSON_IsTrue(node) ? "true" : cJSON_IsFalse(node) ? "false" : "null");
}

/* What is_canonical keeps of the open brackets and their names; more than fits counts as not canonical. */
enum { CANON_DEPTH = 16, CANON_NAMES = 32, CANON_DIGITS = 15 };

struct canon {
	struct str name[CANON_NAMES]; /* of all open objects */
	size_t names, depth;
	size_t first[CANON_DEPTH]; /* where the names of each open bracket begin */
};

/* The end of a canonically escaped string whose inner bytes begin at p, or NULL. */
static const char *canon_string_end(const char *p, const char *end)
{
	while ((p = json_clean_end(p, end)) < end && *p != '"') {
		if (*p != '\\' || end - p < 2 || !memchr("\"\\bfnrt", p[1], 7))
			return NULL;
		p += 2;
	}
	return p < end ? p + 1 : NULL;
}

/* A name that needs no sorting and is new in its object? */
static bool canon_name(struct canon *c, struct str name)
{
	size_t i;

	if (c->depth == 0 || c->names == CANON_NAMES || (name.n && name.p[0] >= '0' && name.p[0] <= '9'))
		return false;
	for (i = c->first[c->depth - 1]; i < c->names; i++)
		if (str_eq(c->name[i], name))
			return false;
	c->name[c->names++] = name;
	return true;
}

/* The end of an integer that prints as it is written, or NULL. */
static const char *canon_integer_end(const char *p, const char *end)
{
	const char *digits = *p == '-' ? p + 1 : p;

	if (digits > p && digits < end && *digits == '0')
		return NULL;
	for (p = digits; p < end && *p >= '0' && *p <= '9'; p++)
		;
	return p - digits > CANON_DIGITS || (p < end && memchr(".eE", *p, 3)) ? NULL : p;
}

/*
 * Is the value certainly in canonical form already? Sessions are written by JSON.stringify, so most values are,
 * and a copy does.
 */
static bool is_canonical(struct str s)
{
	const char *p = s.p, *end = s.n > 0 ? s.p + s.n : p, *from;
	struct canon c;

	c.names = c.depth = 0;
	while (p && p < end) {
		from = p++;
		if (*from == '"') {
			p = canon_string_end(p, end);
			if (p && p < end && *p == ':' &&
			    !canon_name(&c, (struct str){from + 1, (size_t)(p - from) - 2}))
				return false;
		} else if (*from == '-' || (*from >= '0' && *from <= '9')) {
			p = canon_integer_end(from, end);
		} else if (*from == '{' || *from == '[') {
			if (c.depth == CANON_DEPTH)
				return false;
			c.first[c.depth++] = c.names;
		} else if (*from == '}' || *from == ']') {
			if (c.depth == 0)
				return false;
			c.names = c.first[--c.depth];
		} else if (*from <= ' ') {
			return false;
		}
	}
	return p != NULL;
}

void json_put_span(struct buf *b, struct arena *scratch, struct str value)
{
	struct arena_mark mark;

	if (is_canonical(value)) {
		buf_str(b, value);
		return;
	}
	mark = arena_mark(scratch);
	json_put(b, json_tree(scratch, value, NULL, NULL));
	arena_release(scratch, mark);
}
