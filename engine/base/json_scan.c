#include "json.h"

#include "json_string.h"

/* What the scanner looks for next. */
enum want { WANT_VALUE, WANT_KEY, WANT_SEPARATOR, WANT_END };

struct cursor {
	const char *s, *p, *end;
	struct json_scan *out;
	struct json_span key;  /* of the top-level member being read */
	const char *opened[2]; /* the open brackets of depth 1 and 2 */
	enum want want;
};

/* A fault at the very end of the text is a torn text: more bytes could have mended it. */
static enum json_status fault(struct cursor *c, const char *at, const char *problem)
{
	c->out->at = (size_t)(at - c->s);
	c->out->problem = at == c->end ? "the text ends inside a value" : problem;
	return at == c->end ? JSON_TORN : JSON_SYNTAX;
}

static void skip_space(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\r' || *c->p == '\t'))
		c->p++;
}

static struct json_span span_from(const struct cursor *c, const char *start, enum json_kind kind, bool plain)
{
	return (struct json_span){(size_t)(start - c->s), (size_t)(c->p - start), (uint8_t)kind, plain, false};
}

/* c->p is at the opening quote; leaves it behind the closing one. */
static enum json_status scan_string(struct cursor *c, struct json_span *span)
{
	const char *start = c->p, *p = start + 1, *at;
	bool plain = true, hex = false;

	for (;;) {
		p = json_clean_end(p, c->end);
		if (p == c->end)
			return fault(c, p, NULL);
		if (*p == '"')
			break;
		plain = false;
		if (*p == '\\') {
			size_t n = c->end - p > 1 && json_escape_letter(p[1]) ? 2 : json_escape_length(p, c->end, &at);

			if (n == 0)
				return fault(c, at, "bad escape in a string");
			hex |= n > 2;
			p += n;
		} else if ((unsigned char)*p < 0x20) {
			return fault(c, p, "raw control character in a string");
		} else {
			p++;
		}
	}
	c->p = p + 1;
	*span = span_from(c, start, JSON_STRING, plain);
	span->hex = hex;
	return JSON_OK;
}

static bool is_digit(const struct cursor *c, const char *p) { return p < c->end && *p >= '0' && *p <= '9'; }

static enum json_status scan_number(struct cursor *c, struct json_span *span)
{
	static const char problem[] = "bad number";
	const char *start = c->p, *p = start;

	if (*p == '-')
		p++;
	if (!is_digit(c, p))
		return fault(c, p, problem);
	if (*p++ != '0')
		while (is_digit(c, p))
			p++;
	if (p < c->end && *p == '.') {
		if (!is_digit(c, ++p))
			return fault(c, p, problem);
		while (is_digit(c, p))
			p++;
	}
	if (p < c->end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < c->end && (*p == '+' || *p == '-'))
			p++;
		if (!is_digit(c, p))
			return fault(c, p, problem);
		while (is_digit(c, p))
			p++;
	}
	c->p = p;
	*span = span_from(c, start, JSON_NUMBER, false);
	return JSON_OK;
}

static enum json_status scan_word(struct cursor *c, struct json_span *span)
{
	static const struct {
		const char *word;
		enum json_kind kind;
	} words[] = {{"true", JSON_TRUE}, {"false", JSON_FALSE}, {"null", JSON_NULL}};
	const char *start = c->p, *w;
	size_t i;

	for (i = 0; i < sizeof words / sizeof *words; i++) {
		if (*start != words[i].word[0])
			continue;
		for (w = words[i].word; *w; w++, c->p++)
			if (c->p == c->end || *c->p != *w)
				return fault(c, c->p, "not a value");
		*span = span_from(c, start, words[i].kind, false);
		return JSON_OK;
	}
	return fault(c, start, "not a value");
}

/* A value ended; the brackets still open are those around it. */
static void finish(struct cursor *c, struct json_span span)
{
	struct json_scan *out = c->out;

	c->want = WANT_SEPARATOR;
	if (out->stack.n == 0) {
		out->value = span;
		c->want = WANT_END;
	} else if (out->stack.n == 1 && out->stack.v[0] == JSON_OBJECT) {
		vec_push(&out->members, (struct json_member){c->key, span});
	} else if (out->stack.n == 1) {
		vec_push(&out->items, span);
	}
}

static void close_bracket(struct cursor *c)
{
	struct json_scan *out = c->out;
	enum json_kind kind = out->stack.v[--out->stack.n];

	c->p++;
	if (out->stack.n < 2)
		finish(c, span_from(c, c->opened[out->stack.n], kind, false));
	else
		c->want = WANT_SEPARATOR;
}

static enum json_status open_bracket(struct cursor *c, enum json_kind kind)
{
	struct json_scan *out = c->out;

	if (out->stack.n == JSON_DEPTH_MAX) {
		out->at = (size_t)(c->p - c->s);
		out->problem = "nested too deep";
		return JSON_TOO_DEEP;
	}
	if (out->stack.n < 2)
		c->opened[out->stack.n] = c->p;
	vec_push(&out->stack, (uint8_t)kind);
	c->p++;
	skip_space(c);
	if (c->p < c->end && *c->p == (kind == JSON_OBJECT ? '}' : ']'))
		close_bracket(c);
	else
		c->want = kind == JSON_OBJECT ? WANT_KEY : WANT_VALUE;
	return JSON_OK;
}

static enum json_status scan_value(struct cursor *c)
{
	struct json_span span;
	enum json_status st;

	switch (*c->p) {
	case '{':
		return open_bracket(c, JSON_OBJECT);
	case '[':
		return open_bracket(c, JSON_ARRAY);
	case '"':
		st = scan_string(c, &span);
		break;
	default:
		st = *c->p == '-' || is_digit(c, c->p) ? scan_number(c, &span) : scan_word(c, &span);
		break;
	}
	if (st == JSON_OK)
		finish(c, span);
	return st;
}

static enum json_status scan_key(struct cursor *c)
{
	struct json_span key;
	enum json_status st;

	if (*c->p != '"')
		return fault(c, c->p, "a member name was expected");
	st = scan_string(c, &key);
	if (st != JSON_OK)
		return st;
	if (c->out->stack.n == 1)
		c->key = key;
	skip_space(c);
	if (c->p == c->end || *c->p != ':')
		return fault(c, c->p, "a colon was expected");
	c->p++;
	c->want = WANT_VALUE;
	return JSON_OK;
}

static enum json_status scan_separator(struct cursor *c)
{
	bool object = c->out->stack.v[c->out->stack.n - 1] == JSON_OBJECT;

	if (*c->p == ',') {
		c->p++;
		c->want = object ? WANT_KEY : WANT_VALUE;
		return JSON_OK;
	}
	if (*c->p != (object ? '}' : ']'))
		return fault(c, c->p, "a comma or the closing bracket was expected");
	close_bracket(c);
	return JSON_OK;
}

enum json_status json_scan(const char *s, size_t n, struct json_scan *out)
{
	struct cursor c = {s, s, s + n, out, {0}, {s, s}, WANT_VALUE};
	enum json_status st = JSON_OK;

	out->value = (struct json_span){0};
	out->problem = NULL;
	out->members.n = out->items.n = out->stack.n = 0;
	while (st == JSON_OK) {
		skip_space(&c);
		if (c.want == WANT_END)
			break;
		if (c.p == c.end)
			return fault(&c, c.p, NULL);
		st = c.want == WANT_VALUE ? scan_value(&c) : c.want == WANT_KEY ? scan_key(&c) : scan_separator(&c);
	}
	if (st != JSON_OK)
		return st;
	out->at = (size_t)(c.p - s);
	if (c.p == c.end)
		return JSON_OK;
	out->problem = "more after the value";
	return JSON_SYNTAX;
}

void json_scan_free(struct json_scan *sc)
{
	vec_free(&sc->members);
	vec_free(&sc->items);
	vec_free(&sc->stack);
}
