#include "engine/host/dsh_price.h"

static double quarter(uint32_t units) { return (double)((units + 3u) / 4u); }

static double text_price(const cJSON *node) { return quarter(text_measure(json_str(node)).units); }

static double json_price(const cJSON *node)
{
	struct buf b = {0};
	json_put(&b, node);
	double price = quarter(text_measure(buf_view(&b)).units);
	buf_free(&b);
	return price;
}

/* Raw text as it is; what is no text as compact JSON; nothing when it is missing or null. */
static double arguments_price(const cJSON *node)
{
	if (!node || cJSON_IsNull(node))
		return 0;
	return cJSON_IsString(node) ? text_price(node) : json_price(node);
}

static bool is_type(struct str type, const char *name) { return str_eq(type, str_of(name)); }

/* Recursion of this and dsh_content_price is bounded: json_tree makes nothing deeper than JSON_DEPTH_MAX. */
static double block_price(const cJSON *block)
{
	struct str type = json_str(json_get(block, "type"));
	if (is_type(type, "text") || is_type(type, "reasoning"))
		return text_price(json_get(block, "text")) + DSH_BLOCK_PRICE;
	if (is_type(type, "tool-call"))
		return text_price(json_get(block, "name")) + arguments_price(json_get(block, "arguments")) +
		       DSH_BLOCK_PRICE;
	if (is_type(type, "tool-result"))
		return dsh_content_price(json_get(block, "content")) + DSH_BLOCK_PRICE;
	return json_price(block) + DSH_BLOCK_PRICE;
}

/* Units of the JSON string of one code point, quotes included (JavaScript's serialiser). */
static uint32_t quoted_units(uint32_t code)
{
	if (code == '"' || code == '\\' || code == '\b' || code == '\t' || code == '\n' || code == '\f' || code == '\r')
		return 4;
	if (code < 0x20 || (code >= 0xD800 && code <= 0xDFFF))
		return 8;
	return code > 0xFFFF ? 4 : 3;
}

/* A string is priced as if it were a list of its code points. */
static double string_price(struct str s)
{
	double sum = 0;
	uint32_t code;
	for (size_t at = 0, n; (n = text_decode(s, at, &code)) > 0; at += n)
		sum += DSH_BLOCK_PRICE + quarter(quoted_units(code));
	return sum;
}

double dsh_content_price(const cJSON *content)
{
	double sum = 0;
	if (cJSON_IsString(content))
		return string_price(json_str(content));
	if (cJSON_IsArray(content))
		for (const cJSON *block = content->child; block; block = block->next)
			sum += block_price(block);
	return sum;
}

/* One part of the text, or nothing; *parts counts them. */
static void put_parts(struct buf *b, const cJSON *list)
{
	size_t parts = 0;
	for (const cJSON *one = list->child; one; one = one->next) {
		const cJSON *text = json_get(one, "text"), *content = json_get(one, "content");
		bool is_text = is_type(json_str(json_get(one, "type")), "text") && cJSON_IsString(text);
		if (!is_text && !cJSON_IsArray(content))
			continue;
		if (parts++)
			buf_char(b, '\n');
		if (is_text)
			buf_str(b, json_str(text));
		else
			put_parts(b, content);
	}
}

void dsh_content_text(struct buf *b, const cJSON *content)
{
	if (cJSON_IsString(content))
		buf_str(b, json_str(content));
	else if (cJSON_IsArray(content))
		put_parts(b, content);
}
