#include "engine/host/pi_text.h"

#include "engine/base/num.h"

/* m and five digits, and the shortest tag around them: space, attributes of no length, closing tag. */
enum { REF_BYTES = 6, CLOSED_REF_BYTES = 12, TAG_BYTES_MIN = 18, REF_DIGITS = 5 };

static bool is_digit(struct str s, size_t at) { return at < s.n && s.p[at] >= '0' && s.p[at] <= '9'; }

/* Bytes of one space-class character at s.p[at]; 0 = there is none. */
static size_t space_at(struct str s, size_t at)
{
	uint32_t code;
	size_t n = text_decode(s, at, &code);
	return n > 0 && text_is_space(code) ? n : 0;
}

/* `m`, five digits and the closing tag at s.p[at]. */
static bool closes_at(struct str s, size_t at)
{
	if (s.n - at < CLOSED_REF_BYTES || s.p[at] != 'm')
		return false;
	for (size_t i = 1; i <= REF_DIGITS; i++)
		if (!is_digit(s, at + i))
			return false;
	return memcmp(s.p + at + REF_BYTES, "</acp>", 6) == 0;
}

/* `<acp` and a space-class character at s.p[at]: where the attributes begin; 0 = it is none. */
static size_t opens_at(struct str s, size_t at)
{
	if (s.n - at < 5 || memcmp(s.p + at, "<acp", 4) != 0)
		return 0;
	size_t space = space_at(s, at + 4);
	return space ? at + 4 + space : 0;
}

static size_t tag_length(struct str s)
{
	size_t at = opens_at(s, 0), digits = 0;
	if (at) {
		const char *close = memchr(s.p + at, '>', s.n - at);
		at = close ? (size_t)(close - s.p) + 1 : s.n;
		return closes_at(s, at) ? at + CLOSED_REF_BYTES : 0;
	}
	if (!str_starts(s, STR("[m")))
		return 0;
	while (digits < REF_DIGITS && is_digit(s, 2 + digits))
		digits++;
	at = 2 + digits;
	return digits && at < s.n && s.p[at] == ']' ? at + 1 : 0;
}

struct pi_tag pi_tag_leading(struct str t)
{
	struct pi_tag tag = {.tag = tag_length(t)};
	if (tag.tag == 0)
		return tag;
	tag.all = tag.tag + space_at(t, tag.tag);
	if (tag.all < t.n && t.p[tag.all] == '\n')
		tag.all++;
	return tag;
}

/* Where the TAG that s ends with begins, the leftmost (longest) one (pi-rulings 20); SIZE_MAX = none. */
static size_t trailing_tag(struct str s)
{
	size_t at, digits = 0;
	if (s.n >= 4 && s.p[s.n - 1] == ']') {
		while (digits < REF_DIGITS && s.n - 2 > digits && is_digit(s, s.n - 2 - digits))
			digits++;
		at = s.n - 1 - digits;
		return digits && at >= 2 && memcmp(s.p + at - 2, "[m", 2) == 0 ? at - 2 : SIZE_MAX;
	}
	if (s.n < TAG_BYTES_MIN || s.p[s.n - CLOSED_REF_BYTES - 1] != '>' || !closes_at(s, s.n - CLOSED_REF_BYTES))
		return SIZE_MAX;
	size_t close = s.n - CLOSED_REF_BYTES - 1;
	for (at = close; at > 0 && s.p[at - 1] != '>'; at--)
		;
	for (; at < close; at++) {
		size_t attributes = opens_at(s, at);
		if (attributes && attributes <= close)
			return at;
	}
	return SIZE_MAX;
}

struct str pi_strip(struct str t)
{
	t = str_cut(t, pi_tag_leading(t).all, t.n);
	size_t at = trailing_tag(text_trim_end(t));
	if (at == SIZE_MAX)
		return t;
	while (at > 0 && t.p[at - 1] == '\n')
		at--;
	return str_cut(t, 0, at);
}

void pi_tag_renumber(struct buf *b, struct str tag, double tokens)
{
	char label[NUM_TEXT_MAX];
	struct str opening = STR("tokens=\"");
	size_t from = str_find(tag, opening, 0), to = SIZE_MAX;
	if (from != SIZE_MAX) {
		from += opening.n;
		to = str_find(tag, STR("\""), from);
	}
	if (to == SIZE_MAX) {
		buf_str(b, tag);
		return;
	}
	buf_str(b, str_cut(tag, 0, from));
	buf_bytes(b, label, num_label_tag(label, tokens));
	buf_str(b, str_cut(tag, to, tag.n));
}

static bool has_type(const cJSON *block, struct str type) { return str_eq(json_str(json_get(block, "type")), type); }

bool pi_is_text(const cJSON *block) { return has_type(block, STR("text")) && json_str(json_get(block, "text")).p; }

bool pi_is_call(const cJSON *block) { return has_type(block, STR("toolCall")) && json_str(json_get(block, "name")).n; }

static struct str kept(struct arena *a, struct buf *b)
{
	struct str s = {arena_copy(a, b->p ? b->p : "", b->n), b->n};
	buf_free(b);
	return s;
}

struct str pi_content_text(struct arena *a, const cJSON *content)
{
	if (cJSON_IsString(content))
		return pi_strip(json_str(content));
	struct buf b = {0};
	size_t texts = 0;
	const cJSON *block;
	if (cJSON_IsArray(content)) {
		cJSON_ArrayForEach (block, content) {
			if (!pi_is_text(block))
				continue;
			if (texts++ > 0)
				buf_char(&b, '\n');
			buf_str(&b, pi_strip(json_str(json_get(block, "text"))));
		}
	}
	return kept(a, &b);
}

struct str pi_arguments_text(struct arena *a, const cJSON *arguments)
{
	double number;
	if (cJSON_IsString(arguments))
		return json_str(arguments);
	if (arguments == NULL || cJSON_IsNull(arguments) || cJSON_IsFalse(arguments) ||
	    (json_num(arguments, &number) && number == 0))
		return STR("");
	struct buf b = {0};
	json_put(&b, arguments);
	return kept(a, &b);
}

struct str pi_call_text(struct arena *a, struct str x, struct str arguments)
{
	if (x.n == 0)
		return arguments;
	if (arguments.n == 0)
		return x;
	struct buf b = {0};
	buf_str(&b, x);
	buf_char(&b, '\n');
	buf_str(&b, arguments);
	return kept(a, &b);
}

struct pi_extras pi_extras_of(struct arena *a, const cJSON *content)
{
	struct pi_extras extras = {0};
	struct buf thinking = {0};
	size_t blocks = 0;
	const cJSON *block;
	if (!cJSON_IsArray(content))
		return extras;
	cJSON_ArrayForEach (block, content) {
		extras.images += has_type(block, STR("image"));
		struct str text = json_str(json_get(block, "thinking"));
		if (!has_type(block, STR("thinking")) || !text.p)
			continue;
		if (blocks++ > 0)
			buf_char(&thinking, '\n');
		buf_str(&thinking, text);
	}
	extras.thinking = text_tokens(text_measure(kept(a, &thinking)));
	return extras;
}
