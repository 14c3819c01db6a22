#include "json.h"

#include "json_string.h"
#include "num.h"

/* First byte at or after p that json_put_str must escape; else end. */
static const char *verbatim_end(const char *p, const char *end)
{
	while ((p = json_clean_end(p, end)) < end) {
		unsigned char c = (unsigned char)*p;

		/* C0 80 and surrogate forms are not UTF-8, so json_clean_end stops at them; so it does at broken bytes. */
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
	cJSON_ArrayForEach(child, node)
	{
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

void json_put_span(struct buf *b, struct arena *scratch, struct str value)
{
	struct arena_mark mark = arena_mark(scratch);

	json_put(b, json_tree(scratch, value, NULL, NULL));
	arena_release(scratch, mark);
}
