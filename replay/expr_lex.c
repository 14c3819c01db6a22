#include "replay/expr_lex.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "replay/view/text.h"

void *expr_fail(struct expr_lex *l, size_t at, size_t n, const char *format, ...)
{
	va_list args;
	if (!l->failed) {
		va_start(args, format);
		vsnprintf(l->fault->message, sizeof l->fault->message, format, args);
		va_end(args);
		l->fault->at = at;
		l->fault->n = n;
	}
	l->failed = true;
	l->token = (struct expr_token){.kind = TOKEN_END, .at = l->text.n};
	l->next = l->text.n;
	return NULL;
}

const char *expr_quote(struct expr_lex *l, struct str s)
{
	enum { COLUMNS = 40 };
	struct buf b = {0};
	struct str shown = text_clip(s, COLUMNS, true, NULL);
	text_put_safe(&b, shown, true);
	buf_text(&b, shown.n < s.n ? ".." : "");
	const char *quoted = arena_copy(l->arena, b.p, b.n);
	buf_free(&b);
	return quoted;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static char peek(const struct expr_lex *l, size_t at) { return at < l->text.n ? l->text.p[at] : 0; }

static void take_number(struct expr_lex *l, size_t at)
{
	enum { DIGITS = 100 };
	char digits[DIGITS + 1], *end;
	size_t to = at;
	while (is_digit(peek(l, to)) || is_letter(peek(l, to)) || peek(l, to) == '.' ||
	       ((peek(l, to) == '+' || peek(l, to) == '-') && (peek(l, to - 1) | 0x20) == 'e'))
		to++;
	struct str text = str_cut(l->text, at, to);
	size_t n = text.n < DIGITS ? text.n : DIGITS;
	memcpy(digits, text.p, n);
	digits[n] = 0;
	double x = strtod(digits, &end);
	if (n < text.n || *end != 0 || strspn(digits, "0123456789.eE+-") != n) {
		expr_fail(l, at, to - at, "'%s' is no number", expr_quote(l, text));
		return;
	}
	if (!isfinite(x)) {
		expr_fail(l, at, to - at, "'%s' is too large", expr_quote(l, text));
		return;
	}
	l->next = to;
	l->token = (struct expr_token){TOKEN_NUMBER, at, to - at, x, text};
}

static void take_text(struct expr_lex *l, size_t at)
{
	size_t to = at + 1, n = 0;
	while (to < l->text.n && l->text.p[to] != '"')
		to += l->text.p[to] == '\\' ? 2 : 1;
	if (to >= l->text.n) {
		expr_fail(l, at, 1, "this text does not end: a \" is missing");
		return;
	}
	char *out = arena_alloc(l->arena, to - at);
	for (size_t i = at + 1; i < to; i++) {
		if (l->text.p[i] == '\\' && l->text.p[++i] != '"' && l->text.p[i] != '\\') {
			expr_fail(l, i - 1, 1, "in a text \\ stands before \" or \\ only; write \\\\");
			return;
		}
		out[n++] = l->text.p[i];
	}
	l->next = to + 1;
	l->token = (struct expr_token){TOKEN_TEXT, at, to + 1 - at, 0, {out, n}};
}

/* What other languages write, and what this one does. */
static void refuse_sign(struct expr_lex *l, size_t at)
{
	static const struct {
		const char *sign, *words;
	} known[] = {{"&&", "write and"},
		     {"||", "write or"},
		     {"&", "write and"},
		     {"|", "write or"},
		     {"!", "write not"},
		     {"'", "a text stands between double quotes"},
		     {"%", "a share is written as 0.8"},
		     {"^", NULL}};
	uint32_t code;
	size_t n = text_decode(l->text, at, &code), i = 0;
	while (known[i].words != NULL && !str_starts(str_cut(l->text, at, l->text.n), str_of(known[i].sign)))
		i++;
	if (known[i].words != NULL)
		expr_fail(l, at, strlen(known[i].sign), "there is no %s here: %s", known[i].sign, known[i].words);
	else
		expr_fail(l, at, n, "'%s' means nothing here", expr_quote(l, str_cut(l->text, at, at + n)));
}

static void take_sign(struct expr_lex *l, size_t at)
{
	static const char *const signs[] = {"==", "!=", "<=", ">=", "=", "<", ">", "~",
					    "+",  "-",  "*",  "/",  "(", ")", ",", "."};
	struct str rest = str_cut(l->text, at, l->text.n);
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (str_starts(rest, str_of(signs[i]))) {
			size_t n = strlen(signs[i]);
			l->next = at + n;
			l->token = (struct expr_token){TOKEN_SIGN, at, n, 0, i == 0 ? STR("=") : str_of(signs[i])};
			return;
		}
	refuse_sign(l, at);
}

void expr_next(struct expr_lex *l)
{
	size_t at = l->next, to;
	while (is_blank(peek(l, at)))
		at++;
	char c = peek(l, at);
	if (l->failed || at >= l->text.n) {
		l->next = l->text.n;
		l->token = (struct expr_token){.kind = TOKEN_END, .at = l->text.n};
	} else if (is_digit(c) || (c == '.' && is_digit(peek(l, at + 1)))) {
		take_number(l, at);
	} else if (c == '"') {
		take_text(l, at);
	} else if (is_letter(c)) {
		for (to = at; is_letter(peek(l, to)) || is_digit(peek(l, to)) || peek(l, to) == '.';)
			to++;
		l->next = to;
		l->token = (struct expr_token){TOKEN_WORD, at, to - at, 0, str_cut(l->text, at, to)};
	} else {
		take_sign(l, at);
	}
}

bool expr_next_pattern(struct expr_lex *l, struct str *pattern, size_t *at, bool *caseless)
{
	size_t from = l->next, to;
	while (is_blank(peek(l, from)))
		from++;
	if (peek(l, from) != '/') {
		expr_fail(l, from, from < l->text.n, "behind ~ stands a /pattern/");
		return false;
	}
	for (to = ++from; to < l->text.n && l->text.p[to] != '/'; to++)
		to += l->text.p[to] == '\\' && to + 1 < l->text.n;
	if (to >= l->text.n) {
		expr_fail(l, from - 1, 1, "this pattern does not end: a / is missing");
		return false;
	}
	*pattern = str_cut(l->text, from, to);
	*at = from;
	*caseless = peek(l, to + 1) == 'i';
	l->next = to + 1 + *caseless;
	if (is_letter(peek(l, l->next)) || is_digit(peek(l, l->next))) {
		expr_fail(l, to + 1, 1, "behind a pattern only i may stand: /pattern/i is without case");
		return false;
	}
	return true;
}
