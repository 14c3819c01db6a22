#include "replay/view/text.h"

#include <limits.h>
#include <stdio.h>
#include <utf8proc.h>

enum {
	CODE_ZWJ = 0x200d,
	CODE_DOTTED_CIRCLE = 0x25cc,
	CODE_WIDE_SPACE = 0x3000,
	CODE_RETURN_SYMBOL = 0x23ce,
	CODE_TAB_SYMBOL = 0x2192,
	CODE_CONTROL_PICTURES = 0x2400,
	CODE_DELETE_PICTURE = 0x2421,
};

/* Hangul composition (The Unicode Standard, 3.12). */
enum { HANGUL_S = 0xac00, HANGUL_L = 0x1100, HANGUL_V = 0x1161, HANGUL_T = 0x11a7 };
enum { HANGUL_LS = 19, HANGUL_VS = 21, HANGUL_TS = 28, HANGUL_SS = HANGUL_LS * HANGUL_VS * HANGUL_TS };

/* Letters and symbols to which common width tables (glibc, utf8proc, terminals' own) give different widths. */
static const struct {
	uint32_t first, last;
} unsure_width[] = {
	{0x1160, 0x11ff},   /* Hangul jamo V and T: 0 or 1 */
	{0x3248, 0x324f},   /* circled numbers on black squares: 1 or 2 */
	{0x4dc0, 0x4dff},   /* hexagrams: 1 or 2 */
	{0xd7b0, 0xd7ff},   /* Hangul jamo extended B: 0 or 1 */
	{0x1f1e6, 0x1f1ff}, /* regional indicators: a pair is 2, or 4 */
	{0x1f3fb, 0x1f3ff}, /* skin tones: 2, or nothing after a character that takes them */
};

static bool is_unsure(uint32_t code)
{
	for (size_t i = 0; i < sizeof unsure_width / sizeof unsure_width[0]; i++)
		if (code >= unsure_width[i].first && code <= unsure_width[i].last)
			return true;
	return false;
}

static const utf8proc_property_t *property(uint32_t code) { return utf8proc_get_property((utf8proc_int32_t)code); }

/* Drawn onto its base by every terminal. */
static bool is_mark(uint32_t code)
{
	const utf8proc_property_t *p = property(code);

	return (p->category == UTF8PROC_CATEGORY_MN || p->category == UTF8PROC_CATEGORY_ME) && !p->ignorable;
}

static bool is_variation_selector(uint32_t code)
{
	return (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef) ||
	       (code >= 0x180b && code <= 0x180d) || code == 0x180f;
}

static bool is_skin_tone(uint32_t code) { return code >= 0x1f3fb && code <= 0x1f3ff; }

static bool is_pictograph(uint32_t code)
{
	return property(code)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

/* Columns of a code point that may be shown as itself at the start of a cell; 0 = it may not. */
static int own_columns(uint32_t code)
{
	const utf8proc_property_t *p = property(code);
	int columns;

	switch (p->category) {
	case UTF8PROC_CATEGORY_CN:
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CF:
	case UTF8PROC_CATEGORY_CS:
	case UTF8PROC_CATEGORY_CO:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_ME:
	case UTF8PROC_CATEGORY_MC: /* 0 columns in some terminals, 1 in others */
		return 0;
	default:
		break;
	}
	if (p->ignorable || is_unsure(code))
		return 0;
	columns = utf8proc_charwidth((utf8proc_int32_t)code);
	return columns == 1 || columns == 2 ? columns : 0;
}

struct text_cursor text_start(struct str s, bool ascii)
{
	struct text_cursor c = {.s = s, .ascii = ascii};

	if (!s.p)
		c.s.n = 0;
	return c;
}

static void cell_add(struct text_cell *cell, uint32_t code)
{
	char bytes[4];
	size_t n = text_encode(bytes, code);

	if (cell->n + n <= TEXT_CELL_BYTES) {
		memcpy(cell->bytes + cell->n, bytes, n);
		cell->n = (uint8_t)(cell->n + n);
	}
}

/* Hands out the substitute in c->rest one character at a time. */
static void next_of_rest(struct text_cursor *c, struct text_cell *cell)
{
	*cell = (struct text_cell){.n = 1, .columns = 1, .substitute = true, .from = c->rest_from, .to = c->at};
	cell->bytes[0] = c->rest[c->rest_at++];
	cell->more = c->rest_at < c->rest_n;
}

static void start_rest(struct text_cursor *c, struct text_cell *cell, size_t length, uint32_t code)
{
	int n;

	if (code == '\n')
		n = snprintf(c->rest, sizeof c->rest, "\\n");
	else if (code < 0x20 || code == 0x7f)
		n = snprintf(c->rest, sizeof c->rest, "^%c", (char)(code ^ 0x40));
	else
		n = snprintf(c->rest, sizeof c->rest, "<%04X>", (unsigned)(code & 0x1fffff));
	c->rest_n = (uint8_t)n;
	c->rest_at = 0;
	c->rest_from = c->at;
	c->at += length;
	next_of_rest(c, cell);
}

/* L V and LV T become one syllable, whose width is certain. */
static uint32_t hangul_compose(uint32_t a, uint32_t b)
{
	if (a >= HANGUL_L && a < HANGUL_L + HANGUL_LS && b >= HANGUL_V && b < HANGUL_V + HANGUL_VS)
		return HANGUL_S + ((a - HANGUL_L) * HANGUL_VS + (b - HANGUL_V)) * HANGUL_TS;
	if (a >= HANGUL_S && a < HANGUL_S + HANGUL_SS && (a - HANGUL_S) % HANGUL_TS == 0 && b > HANGUL_T &&
	    b < HANGUL_T + HANGUL_TS)
		return a + (b - HANGUL_T);
	return 0;
}

/* Takes the jamo that follow into *base; returns the code points taken. */
static int take_jamo(struct text_cursor *c, uint32_t *base)
{
	int taken = 0;
	uint32_t code, whole;
	size_t length;

	while (taken < 2 && (length = text_decode(c->s, c->at, &code)) > 0 && (whole = hangul_compose(*base, code))) {
		*base = whole;
		c->at += length;
		taken++;
	}
	return taken;
}

/* ZWJ and another pictograph after a pictograph: their bytes, else 0. */
static size_t joined_pictograph(const struct text_cursor *c, size_t zwj_length)
{
	uint32_t code;
	size_t length = text_decode(c->s, c->at + zwj_length, &code);

	return length > 0 && is_pictograph(code) ? zwj_length + length : 0;
}

/* Takes what belongs to the cell after its base: marks into the cell, what is not shown off the text. */
static void take_cluster(struct text_cursor *c, struct text_cell *cell, uint32_t base, int seen, int marks)
{
	bool pictograph = is_pictograph(base), after_base = seen == 1 && marks == 0;
	uint32_t code;
	size_t length, joined;

	for (; seen < TEXT_CLUSTER_MAX && (length = text_decode(c->s, c->at, &code)) > 0; seen++) {
		if (code < 0x80)
			return;
		if (is_mark(code)) {
			if (marks++ < TEXT_CELL_MARKS)
				cell_add(cell, code);
			after_base = false;
		} else if (after_base && is_variation_selector(code)) {
			after_base = false;
		} else if (pictograph && is_skin_tone(code)) {
			after_base = false;
		} else if (pictograph && code == CODE_ZWJ && (joined = joined_pictograph(c, length)) > 0) {
			length = joined;
			seen++;
			after_base = true;
		} else {
			return;
		}
		c->at += length;
	}
}

/* A code point beyond ASCII, UTF-8 mode. */
static void next_wide(struct text_cursor *c, struct text_cell *cell, size_t length, uint32_t code)
{
	int columns = own_columns(code), seen = 1, marks = 0;

	if (columns == 0 && !is_mark(code)) {
		start_rest(c, cell, length, code);
		return;
	}
	c->at += length;
	if (columns == 0) {
		cell_add(cell, CODE_DOTTED_CIRCLE);
		cell_add(cell, code);
		cell->substitute = true;
		columns = marks = 1;
	} else if (property(code)->category == UTF8PROC_CATEGORY_ZS && code != CODE_WIDE_SPACE) {
		cell_add(cell, ' ');
		cell->substitute = true;
	} else {
		seen += take_jamo(c, &code);
		cell_add(cell, code);
	}
	cell->columns = (uint8_t)columns;
	take_cluster(c, cell, code, seen, marks);
}

static uint32_t control_symbol(uint32_t code)
{
	if (code == '\n')
		return CODE_RETURN_SYMBOL;
	if (code == '\t')
		return CODE_TAB_SYMBOL;
	return code == 0x7f ? CODE_DELETE_PICTURE : CODE_CONTROL_PICTURES + code;
}

bool text_next(struct text_cursor *c, struct text_cell *cell)
{
	uint32_t code;
	size_t length;

	if (c->rest_at < c->rest_n) {
		next_of_rest(c, cell);
		return true;
	}
	length = text_decode(c->s, c->at, &code);
	if (length == 0)
		return false;
	*cell = (struct text_cell){.columns = 1, .from = c->at};
	if (code >= 0x20 && code < 0x7f) {
		c->at += length;
		cell->bytes[0] = (char)code;
		cell->n = 1;
		if (!c->ascii && c->at < c->s.n && (unsigned char)c->s.p[c->at] >= 0x80)
			take_cluster(c, cell, code, 1, 0);
	} else if (c->ascii) {
		start_rest(c, cell, length, code);
	} else if (code < 0x20 || code == 0x7f) {
		c->at += length;
		cell_add(cell, control_symbol(code));
		cell->substitute = true;
	} else {
		next_wide(c, cell, length, code);
	}
	cell->to = c->at;
	return true;
}

/* Bytes from the cursor on that are cells of their own: printable ASCII to which no mark can belong. */
static size_t plain_run(const struct text_cursor *c)
{
	size_t at = c->at;

	if (c->rest_at < c->rest_n)
		return 0;
	while (at < c->s.n && c->s.p[at] >= 0x20 && c->s.p[at] < 0x7f)
		at++;
	if (at > c->at && at < c->s.n && (unsigned char)c->s.p[at] >= 0x80)
		at--;
	return at - c->at;
}

int text_width_up_to(struct str s, bool ascii, int limit)
{
	struct text_cursor c = text_start(s, ascii);
	struct text_cell cell;
	int columns = 0;

	while (columns <= limit && text_next(&c, &cell))
		columns += cell.columns;
	return columns > limit ? limit + 1 : columns;
}

int text_width(struct str s, bool ascii) { return text_width_up_to(s, ascii, INT_MAX - 2); }

struct str text_clip(struct str s, int columns, bool ascii, int *used)
{
	struct text_cursor c = text_start(s, ascii);
	struct text_cell cell;
	size_t end = 0;
	int seen = 0, fits = 0;

	while (seen < columns && text_next(&c, &cell) && cell.columns <= columns - seen) {
		seen += cell.columns;
		if (!cell.more) {
			end = cell.to;
			fits = seen;
		}
	}
	if (used)
		*used = fits;
	return (struct str){s.p, end};
}

int text_column(struct str s, size_t at, bool ascii)
{
	struct text_cursor c = text_start(s, ascii);
	struct text_cell cell;
	int columns = 0;

	while (text_next(&c, &cell) && cell.to <= at && columns < INT_MAX - 2)
		columns += cell.columns;
	return columns;
}

void text_put_safe(struct buf *b, struct str s, bool ascii)
{
	struct text_cursor c = text_start(s, ascii);
	struct text_cell cell;
	size_t plain;

	do {
		plain = plain_run(&c);
		if (plain)
			buf_bytes(b, c.s.p + c.at, plain);
		c.at += plain;
		cell.n = 0;
		if (text_next(&c, &cell))
			buf_bytes(b, cell.bytes, cell.n);
	} while (cell.n);
}

void text_put_lines(struct buf *b, struct str s, bool ascii)
{
	struct text_wrap w = text_wrap_start(s, 0, ascii);
	struct str line;
	bool first = true;

	while (text_wrap_next(&w, &line)) {
		if (!first)
			buf_char(b, '\n');
		first = false;
		text_put_safe(b, line, ascii);
	}
}

struct text_wrap text_wrap_start(struct str s, int columns, bool ascii)
{
	struct text_wrap w = {.s = s, .columns = columns, .ascii = ascii};

	if (!s.p)
		w.s.n = 0;
	return w;
}

/* The next line is bytes [at, end); the one after it starts at `next`, unless the text is over. */
static bool wrap_end(struct text_wrap *w, struct str *line, size_t end, size_t next, bool line_feed)
{
	*line = w->s.p ? (struct str){w->s.p + w->at, end - w->at} : STR("");
	w->at = line_feed || next < w->s.n ? next : SIZE_MAX;
	return true;
}

static bool wrap_at_line_feed(struct text_wrap *w, struct str *line)
{
	const char *start = w->s.p ? w->s.p + w->at : NULL;
	const char *found = w->at < w->s.n ? memchr(start, '\n', w->s.n - w->at) : NULL;
	size_t end = found ? (size_t)(found - w->s.p) : w->s.n;

	return wrap_end(w, line, end, end + 1, found != NULL);
}

bool text_wrap_next(struct text_wrap *w, struct str *line)
{
	struct text_cursor c = text_start(w->s, w->ascii);
	struct text_cell cell;
	size_t good = 0; /* where the line may end */
	int columns = 0;

	if (w->at > w->s.n)
		return false;
	if (w->columns <= 0)
		return wrap_at_line_feed(w, line);
	c.at = w->at;
	while (text_next(&c, &cell)) {
		char first = w->s.p[cell.from];
		bool blank = (first == ' ' || first == '\t') && cell.to == cell.from + 1; /* no mark on it */

		if (first == '\n')
			return wrap_end(w, line, cell.from, cell.to, true);
		if (cell.columns == 2 && cell.from > w->at && columns <= w->columns)
			good = cell.from;
		columns += cell.columns;
		if (columns > w->columns && cell.from > w->at) {
			if (blank)
				return wrap_end(w, line, cell.from, cell.to, false);
			good = good ? good : cell.from;
			return wrap_end(w, line, good, good, false);
		}
		if (!cell.more && (blank || cell.columns == 2 || cell.substitute))
			good = cell.to;
	}
	return wrap_end(w, line, w->s.n, w->s.n, false);
}
