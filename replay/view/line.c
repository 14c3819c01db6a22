#include "replay/view/line.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "replay/view/text.h"

static const char *const style_names[STYLE_COUNT] = {
#define STYLE_NAME(name, text) [STYLE_##name] = text,
	STYLE_LIST(STYLE_NAME)
#undef STYLE_NAME
};

const char *style_name(enum style s) { return s < STYLE_COUNT ? style_names[s] : style_names[STYLE_PLAIN]; }

enum style style_find(struct str name)
{
	for (unsigned i = 0; i < STYLE_COUNT; i++)
		if (str_eq(name, str_of(style_names[i])))
			return (enum style)i;
	return STYLE_COUNT;
}

/* Only characters of one column that no terminal draws as an emoji. */
static const struct {
	const char *utf8, *ascii;
} glyphs[GLYPH_COUNT] = {
	[GLYPH_ELLIPSIS] = {"…", "~"},
	[GLYPH_HLINE] = {"─", "-"},
	[GLYPH_VLINE] = {"│", "|"},
	[GLYPH_CORNER_TOP_LEFT] = {"┌", "+"},
	[GLYPH_CORNER_TOP_RIGHT] = {"┐", "+"},
	[GLYPH_CORNER_BOTTOM_LEFT] = {"└", "+"},
	[GLYPH_CORNER_BOTTOM_RIGHT] = {"┘", "+"},
	[GLYPH_TEE_LEFT] = {"├", "+"},
	[GLYPH_TEE_RIGHT] = {"┤", "+"},
	[GLYPH_TEE_DOWN] = {"┬", "+"},
	[GLYPH_TEE_UP] = {"┴", "+"},
	[GLYPH_CROSS] = {"┼", "+"},
	[GLYPH_RANGE_TOP] = {"┏", "/"},
	[GLYPH_RANGE_MID] = {"┃", "|"},
	[GLYPH_RANGE_BOTTOM] = {"┗", "\\"},
	[GLYPH_RANGE_SINGLE] = {"[", "["},
	[GLYPH_BARRIER] = {"═", "="},
	[GLYPH_BREAK] = {"╌", "~"},
	[GLYPH_FOLDED] = {"▸", "+"},
	[GLYPH_OPEN] = {"▾", "-"},
	[GLYPH_TREE_BRANCH] = {"├", "|"},
	[GLYPH_TREE_LAST] = {"└", "`"},
	[GLYPH_TREE_LINE] = {"│", "|"},
	[GLYPH_SPARK_0] = {" ", " "},
	[GLYPH_SPARK_1] = {"▁", "."},
	[GLYPH_SPARK_2] = {"▂", ":"},
	[GLYPH_SPARK_3] = {"▃", "-"},
	[GLYPH_SPARK_4] = {"▄", "="},
	[GLYPH_SPARK_5] = {"▅", "+"},
	[GLYPH_SPARK_6] = {"▆", "*"},
	[GLYPH_SPARK_7] = {"▇", "#"},
	[GLYPH_SPARK_8] = {"█", "@"},
	[GLYPH_BAR_FULL] = {"█", "#"},
	[GLYPH_BAR_HALF] = {"▌", "="},
	[GLYPH_BAR_EMPTY] = {"░", "."},
	[GLYPH_POINT] = {"•", "o"},
	[GLYPH_CURSOR] = {"▲", "^"},
	[GLYPH_SELECTED] = {"›", ">"},
	[GLYPH_USER] = {"◦", "u"},
	[GLYPH_COMPRESS] = {"▼", "C"},
	[GLYPH_REJECTED] = {"✗", "x"},
	[GLYPH_DECOMPRESS] = {"△", "D"},
	[GLYPH_NUDGE] = {"!", "!"},
	[GLYPH_TRUNCATE] = {"╪", "T"},
	[GLYPH_RESTART] = {"↻", "R"},
	[GLYPH_MODEL] = {"◆", "M"},
	[GLYPH_STORM] = {"↯", "S"},
	[GLYPH_DIVERGED] = {"≠", "%"},
	[GLYPH_MARK] = {"◊", "'"},
	[GLYPH_PASS] = {"✓", "+"},
	[GLYPH_FAIL] = {"✗", "x"},
	[GLYPH_UNKNOWN] = {"?", "?"},
	[GLYPH_ARROW_RIGHT] = {"→", ">"},
	[GLYPH_ARROW_LEFT] = {"←", "<"},
	[GLYPH_UP] = {"↑", "^"},
	[GLYPH_DOWN] = {"↓", "v"},
	[GLYPH_DOT] = {"·", "-"},
};

const char *glyph(enum glyph g, bool ascii)
{
	if (g >= GLYPH_COUNT)
		g = GLYPH_UNKNOWN;
	return ascii ? glyphs[g].ascii : glyphs[g].utf8;
}

enum glyph glyph_spark(double value, double full)
{
	if (!(value > 0) || !(full > 0))
		return GLYPH_SPARK_0;
	if (value >= full)
		return GLYPH_SPARK_8;
	return (enum glyph)(GLYPH_SPARK_1 + (int)floor(value / full * 7));
}

void line_reset(struct line *l, int limit)
{
	l->segments.n = 0;
	buf_cut(&l->bytes, 0);
	l->width = 0;
	l->limit = limit > 0 ? limit : 0;
	l->cut = false;
	l->fill = STYLE_PLAIN;
}

void line_free(struct line *l)
{
	vec_free(&l->segments);
	buf_free(&l->bytes);
	*l = (struct line){.ascii = l->ascii};
}

int line_left(const struct line *l)
{
	if (l->limit == 0)
		return INT_MAX / 2;
	return l->limit > l->width ? l->limit - l->width : 0;
}

/* Appends bytes that are safe and `columns` wide. */
static void put_raw(struct line *l, enum style style, const char *bytes, size_t n, int columns)
{
	struct segment *last = l->segments.n ? &l->segments.v[l->segments.n - 1] : NULL;

	if (n == 0 || n > UINT32_MAX - l->bytes.n || columns > INT_MAX - l->width) {
		l->cut = l->cut || n > 0;
		return;
	}
	if (!last || last->style != style) {
		vec_push(&l->segments, (struct segment){.at = (uint32_t)l->bytes.n, .style = (uint8_t)style});
		last = &l->segments.v[l->segments.n - 1];
	}
	buf_bytes(&l->bytes, bytes, n);
	last->n += (uint32_t)n;
	last->columns += columns;
	l->width += columns;
}

static void put_blanks(struct line *l, enum style style, int columns)
{
	static const char blanks[] = "                                ";
	const int most = (int)sizeof blanks - 1;

	for (; columns > 0; columns -= most)
		put_raw(l, style, blanks, (size_t)(columns < most ? columns : most), columns < most ? columns : most);
}

static enum style substitute_style(enum style style)
{
	switch (style) {
	case STYLE_PLAIN:
	case STYLE_USER:
	case STYLE_ASSISTANT:
	case STYLE_TOOL:
	case STYLE_SYSTEM:
		return STYLE_SUBSTITUTE;
	default:
		return style;
	}
}

/* Puts a text that fits. */
static void put_fitting(struct line *l, enum style style, struct str s)
{
	struct text_cursor c = text_start(s, l->ascii);
	struct text_cell cell;

	while (text_next(&c, &cell))
		put_raw(l, cell.substitute ? substitute_style(style) : style, cell.bytes, cell.n, cell.columns);
}

void line_put(struct line *l, enum style style, struct str s)
{
	struct str fits = l->limit == 0 ? s : text_clip(s, line_left(l), l->ascii, NULL);

	l->cut = l->cut || fits.n < s.n;
	put_fitting(l, style, fits);
}

void line_printf(struct line *l, enum style style, const char *format, ...)
{
	char small[256], *big;
	va_list args, again;
	int n;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(small, sizeof small, format, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof small) {
		line_put(l, style, (struct str){small, (size_t)n});
	} else if (n > 0) {
		big = mem_alloc((size_t)n + 1);
		vsnprintf(big, (size_t)n + 1, format, again);
		line_put(l, style, (struct str){big, (size_t)n});
		free(big);
	}
	va_end(again);
}

void line_glyph(struct line *l, enum style style, enum glyph g) { line_puts(l, style, glyph(g, l->ascii)); }

void line_repeat(struct line *l, enum style style, enum glyph g, int columns)
{
	int left = line_left(l);
	const char *bytes = glyph(g, l->ascii);
	size_t n = strlen(bytes);

	l->cut = l->cut || columns > left;
	for (int i = 0; i < columns && i < left; i++)
		put_raw(l, style, bytes, n, 1);
}

void line_put_clipped(struct line *l, enum style style, struct str s, int columns, enum align align)
{
	int left = line_left(l), width;

	if (columns > left) {
		l->cut = true;
		columns = left;
	}
	if (columns <= 0)
		return;
	width = text_width_up_to(s, l->ascii, columns);
	if (width <= columns) {
		put_blanks(l, style, align == ALIGN_RIGHT ? columns - width : 0);
		put_fitting(l, style, s);
		put_blanks(l, style, align == ALIGN_LEFT ? columns - width : 0);
		return;
	}
	s = text_clip(s, columns - 1, l->ascii, &width);
	put_fitting(l, style, s);
	line_glyph(l, style, GLYPH_ELLIPSIS);
	put_blanks(l, style, columns - 1 - width);
}

void line_pad_to(struct line *l, int column)
{
	int wanted = column - l->width, left = line_left(l);

	put_blanks(l, STYLE_PLAIN, wanted < left ? wanted : left);
}

void line_put_right(struct line *l, enum style style, struct str s)
{
	int left = line_left(l), width = text_width_up_to(s, l->ascii, left);

	if (l->limit == 0) {
		put_blanks(l, STYLE_PLAIN, 1);
	} else if (width + (l->width > 0) > left) {
		l->cut = true;
		return;
	} else {
		put_blanks(l, STYLE_PLAIN, left - width);
	}
	put_fitting(l, style, s);
}

/* Bytes of the beginning of a segment that shows `columns`, rounded up to whole cells; *taken gets its columns. */
static uint32_t bytes_of_columns(const struct line *l, const struct segment *s, int columns, int *taken)
{
	struct text_cursor c = text_start(line_text(l, s), l->ascii);
	struct text_cell cell;

	*taken = 0;
	while (*taken < columns && text_next(&c, &cell))
		*taken += cell.columns;
	return (uint32_t)c.at;
}

/* Cuts the segment that covers `column`, so that one starts there; returns its index. */
static size_t split_at(struct line *l, int column)
{
	struct segment head, tail;
	int start = 0, taken;
	size_t i = 0;

	while (i < l->segments.n && start + l->segments.v[i].columns <= column)
		start += l->segments.v[i++].columns;
	if (i == l->segments.n || column <= start)
		return i;
	head = tail = l->segments.v[i];
	head.n = bytes_of_columns(l, &head, column - start, &taken);
	head.columns = taken;
	tail.at += head.n;
	tail.n -= head.n;
	tail.columns -= taken;
	l->segments.v[i] = head;
	if (tail.n == 0)
		return i + 1;
	vec_push(&l->segments, tail);
	memmove(&l->segments.v[i + 2], &l->segments.v[i + 1], (l->segments.n - i - 2) * sizeof tail);
	l->segments.v[i + 1] = tail;
	return i + 1;
}

void line_restyle(struct line *l, int from, int to, enum style style)
{
	size_t first, end;

	if (from < 0)
		from = 0;
	if (to > l->width)
		to = l->width;
	if (from >= to)
		return;
	first = split_at(l, from);
	end = split_at(l, to);
	for (; first < end; first++)
		l->segments.v[first].style = (uint8_t)style;
}

void line_write(const struct line *l, struct buf *out)
{
	size_t n = l->bytes.n;

	while (n > 0 && l->bytes.p[n - 1] == ' ')
		n--;
	if (n)
		buf_bytes(out, l->bytes.p, n);
}
