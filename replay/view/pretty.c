#include "replay/view/pretty.h"

#include "replay/view/words.h"

/* ---- JSON ---- */

enum { STEP = 2, DEEPEST = 40 }; /* columns a level; levels that are indented */

static void break_line(struct buf *b, int depth)
{
	buf_char(b, '\n');
	for (int i = 0; i < (depth < DEEPEST ? depth : DEEPEST) * STEP; i++)
		buf_char(b, ' ');
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* The string at json.p[at], up to about `max`; where it ends. A line feed inside it ends a line, unless the string ends
 * there, too. */
static size_t put_string(struct buf *b, struct str json, size_t at, size_t max, int depth)
{
	size_t i = at + 1;
	uint32_t code;
	buf_char(b, '"');
	while (i < json.n && i < max && json.p[i] != '"') {
		size_t n = json.p[i] == '\\' && i + 1 < json.n ? 2 : text_decode(json, i, &code);
		buf_bytes(b, json.p + i, n);
		if (n == 2 && json.p[i + 1] == 'n' && i + 2 < json.n && json.p[i + 2] != '"')
			break_line(b, depth + 1);
		i += n;
	}
	if (i >= json.n || json.p[i] != '"')
		return i;
	buf_char(b, '"');
	return i + 1;
}

/* The next byte that is no blank; 0 at the end. */
static char peek(struct str json, size_t at)
{
	while (at < json.n && is_blank(json.p[at]))
		at++;
	return at < json.n ? json.p[at] : 0;
}

size_t pretty_json(struct buf *b, struct str json, size_t max)
{
	int depth = 0;
	bool empty = false; /* right after a bracket that has nothing in it */
	size_t at = 0;
	while (at < json.n && at < max) {
		char c = json.p[at];
		if (c == '"') {
			at = put_string(b, json, at, max, depth);
			continue;
		}
		at++;
		if (is_blank(c))
			continue;
		if ((c == '}' || c == ']') && depth > 0) {
			depth--;
			if (!empty)
				break_line(b, depth);
		}
		buf_char(b, c);
		empty = false;
		if (c == '{' || c == '[') {
			char next = peek(json, at);
			depth++;
			empty = next == '}' || next == ']';
			if (!empty)
				break_line(b, depth);
		} else if (c == ',') {
			break_line(b, depth);
		} else if (c == ':') {
			buf_char(b, ' ');
		}
	}
	return at;
}

/* ---- differences ---- */

enum {
	AROUND = 2,            /* lines shown around a difference */
	TABLE_MAX = 1 << 20,   /* lines times lines that are matched with each other */
	DIFFERENCE_MAX = 20000 /* lines put */
};

struct text_lines {
	VEC(struct str) list;
};

static void split(struct text_lines *out, struct str s)
{
	for (size_t at = 0; at <= s.n;) {
		size_t end = str_find(s, STR("\n"), at);
		if (end == SIZE_MAX)
			end = s.n;
		vec_push(&out->list, str_cut(s, at, end));
		at = end + 1;
	}
}

struct difference {
	struct detail *d;
	int indent;
	struct text_lines a, b;
	size_t head, tail; /* lines in common at both ends */
	uint32_t *table;   /* longest common sequence of what is left from (i, j) on */
	size_t put;        /* lines shown */
	bool begun;        /* a difference was shown */
};

static void put_line(struct difference *x, char sign, enum style style, struct str text)
{
	struct str copy;
	char *p;
	if (x->put++ >= DIFFERENCE_MAX)
		return;
	p = arena_alloc(&x->d->arena, text.n + 2);
	p[0] = sign;
	p[1] = ' ';
	if (text.n > 0)
		memcpy(p + 2, text.p, text.n);
	copy = (struct str){p, text.n + 2};
	detail_put(x->d, style, x->indent, copy);
}

/* Lines in common from `i` of a: some after the difference before them, some before the one that follows. */
static void put_common(struct difference *x, size_t i, size_t n, bool last)
{
	struct buf b = {0};
	size_t front = x->begun ? AROUND : 0, back = last ? 0 : AROUND;
	if (front > n)
		front = n;
	if (back > n - front)
		back = n - front;
	for (size_t k = 0; k < front; k++)
		put_line(x, ' ', STYLE_DIM, x->a.list.v[i + k]);
	if (n > front + back) {
		buf_char(&b, '@');
		buf_char(&b, ' ');
		words_plural(&b, (double)(n - front - back), "line in common", "lines in common");
		detail_words(x->d, STYLE_DIM, x->indent, &b);
	}
	for (size_t k = n - back; k < n; k++)
		put_line(x, ' ', STYLE_DIM, x->a.list.v[i + k]);
	buf_free(&b);
}

static void put_removed(struct difference *x, size_t i, size_t n)
{
	for (size_t k = 0; k < n; k++)
		put_line(x, '-', STYLE_REMOVED, x->a.list.v[i + k]);
	x->begun = x->begun || n > 0;
}

static void put_added(struct difference *x, size_t i, size_t n)
{
	for (size_t k = 0; k < n; k++)
		put_line(x, '+', STYLE_ADDED, x->b.list.v[i + k]);
	x->begun = x->begun || n > 0;
}

/* table[i][j]: of a[head + i ..], b[head + j ..]. */
static void fill_table(struct difference *x, size_t m, size_t n)
{
	for (size_t i = m; i-- > 0;)
		for (size_t j = n; j-- > 0;) {
			uint32_t *at = &x->table[i * (n + 1) + j];
			uint32_t down = at[n + 1], right = at[1];
			*at = str_eq(x->a.list.v[x->head + i], x->b.list.v[x->head + j]) ? at[n + 2] + 1
			      : down > right                                             ? down
											 : right;
		}
}

/* What lies between the common ends, by the table. */
static void put_matched(struct difference *x, size_t m, size_t n)
{
	size_t i = 0, j = 0, common = 0;
	while (i < m || j < n) {
		const uint32_t *at = &x->table[i * (n + 1) + j];
		if (i < m && j < n && str_eq(x->a.list.v[x->head + i], x->b.list.v[x->head + j])) {
			common++, i++, j++;
			continue;
		}
		if (common > 0)
			put_common(x, x->head + i - common, common, false);
		common = 0;
		if (i < m && (j == n || at[n + 1] >= at[1]))
			put_removed(x, x->head + i++, 1);
		else
			put_added(x, x->head + j++, 1);
	}
	/* the last lines of both are not the same, so nothing in common is left over */
}

static void put_middle(struct difference *x, struct arena *scratch)
{
	size_t m = x->a.list.n - x->head - x->tail, n = x->b.list.n - x->head - x->tail;
	if (m > 0 && n > 0 && m <= TABLE_MAX / n) {
		x->table = arena_zero(scratch, (m + 1) * (n + 1), sizeof *x->table);
		fill_table(x, m, n);
		put_matched(x, m, n);
	} else {
		put_removed(x, x->head, m);
		put_added(x, x->head, n);
	}
}

bool pretty_difference(struct detail *d, int indent, struct str before, struct str now)
{
	struct difference x = {.d = d, .indent = indent};
	struct arena scratch = {0};
	struct buf words = {0};
	if (str_eq(before, now))
		return false;
	split(&x.a, before);
	split(&x.b, now);
	size_t most = x.a.list.n < x.b.list.n ? x.a.list.n : x.b.list.n;
	while (x.head < most && str_eq(x.a.list.v[x.head], x.b.list.v[x.head]))
		x.head++;
	while (x.head + x.tail < most &&
	       str_eq(x.a.list.v[x.a.list.n - 1 - x.tail], x.b.list.v[x.b.list.n - 1 - x.tail]))
		x.tail++;
	if (x.head > 0)
		put_common(&x, 0, x.head, false);
	put_middle(&x, &scratch);
	if (x.tail > 0)
		put_common(&x, x.a.list.n - x.tail, x.tail, true);
	if (x.put > DIFFERENCE_MAX) {
		words_plural(&words, (double)(x.put - DIFFERENCE_MAX), "more line, not shown", "more lines, not shown");
		detail_words(d, STYLE_WARNING, indent, &words);
	}
	vec_free(&x.a.list);
	vec_free(&x.b.list);
	buf_free(&words);
	arena_free(&scratch);
	return true;
}
