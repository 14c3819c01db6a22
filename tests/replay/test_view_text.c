/* view/text and view/line: what is shown of hostile text, and how wide it is (interface.md, Colours and glyphs). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <locale.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "replay/view/line.h"
#include "replay/view/text.h"

#define ZWJ   "\u200D"
#define VS16  "\uFE0F"
#define ACUTE "\u0301"
#define HIGH  "\xED\xA0\xBD" /* U+D83D, unpaired */
#define LOW   "\xED\xB8\x80" /* U+DE00, unpaired */
#define NUL   "\xC0\x80"
#define WOMAN "\U0001F469"

static void assert_text(struct str got, const char *want)
{
	if (!str_eq(got, str_of(want)))
		fail_msg("got \"%.*s\", want \"%s\"", (int)got.n, got.p, want);
}

static void safe(struct buf *out, struct str s, bool ascii)
{
	buf_cut(out, 0);
	text_put_safe(out, s, ascii);
}

/* Columns by UAX #11 (wide and fullwidth 2, marks 0), substitutes by their length. */
static const struct shown {
	const char *text, *utf8;
	int columns;
	const char *ascii; /* its columns are its bytes */
} shown[] = {
	{"", "", 0, ""},
	{"hello ~", "hello ~", 7, "hello ~"},
	/* CJK and other wide characters */
	{"\u538B\u7F29", "\u538B\u7F29", 4, "<538B><7F29>"},
	{"a\u4F1Ab", "a\u4F1Ab", 4, "a<4F1A>b"},
	{"\uFF21\uFF76", "\uFF21\uFF76", 3, "<FF21><FF76>"},
	{"\U00020000", "\U00020000", 2, "<20000>"},
	{"\u3000", "\u3000", 2, "<3000>"},
	/* combining marks: one column with their base, four at most, never without a base */
	{"e" ACUTE, "e" ACUTE, 1, "e<0301>"},
	{"\u00E9", "\u00E9", 1, "<00E9>"},
	{"e" ACUTE ACUTE ACUTE ACUTE, "e" ACUTE ACUTE ACUTE ACUTE, 1, "e<0301><0301><0301><0301>"},
	{"e" ACUTE ACUTE ACUTE ACUTE "\u0302x", "e" ACUTE ACUTE ACUTE ACUTE "x", 2, "e<0301><0301><0301><0301><0302>x"},
	{"\u4F1A" ACUTE, "\u4F1A" ACUTE, 2, "<4F1A><0301>"},
	{ACUTE "a", "\u25CC" ACUTE "a", 2, "<0301>a"},
	{"\n" ACUTE, "\u23CE\u25CC" ACUTE, 2, "\\n<0301>"},
	{" " ACUTE, " " ACUTE, 1, " <0301>"},
	/* emoji: what terminals disagree about is left out */
	{"\U0001F600", "\U0001F600", 2, "<1F600>"},
	{WOMAN ZWJ "\U0001F4BB", WOMAN, 2, "<1F469><200D><1F4BB>"},
	{WOMAN ZWJ WOMAN ZWJ WOMAN "!", WOMAN "!", 3, "<1F469><200D><1F469><200D><1F469>!"},
	{"\u2764" VS16 ZWJ "\U0001F525", "\u2764", 1, "<2764><FE0F><200D><1F525>"},
	{"\u2764" VS16 "x", "\u2764x", 2, "<2764><FE0F>x"},
	{"1" VS16 "\u20E3", "1\u20E3", 1, "1<FE0F><20E3>"},
	{"\U0001F44D\U0001F3FD", "\U0001F44D", 2, "<1F44D><1F3FD>"},
	{"a\U0001F3FD", "a<1F3FD>", 8, "a<1F3FD>"},
	{"\U0001F1E9\U0001F1EA", "<1F1E9><1F1EA>", 14, "<1F1E9><1F1EA>"},
	/* hidden text: tag characters, a row of variation selectors */
	{"\U0001F3F4\U000E0067\U000E007F", "\U0001F3F4<E0067><E007F>", 16, "<1F3F4><E0067><E007F>"},
	{"a\uFE00\uFE01", "a<FE01>", 7, "a<FE00><FE01>"},
	{"a\U000E0100\U000E0101", "a<E0101>", 8, "a<E0100><E0101>"},
	/* scripts written from right to left are letters, their marks are not */
	{"\u05E9\u05DC\u05D5\u05DD", "\u05E9\u05DC\u05D5\u05DD", 4, "<05E9><05DC><05D5><05DD>"},
	{"\u0633\u0644", "\u0633\u0644", 2, "<0633><0644>"},
	{"\u202Eabc\u202C", "<202E>abc<202C>", 15, "<202E>abc<202C>"},
	{"\u200E\u200F\u061C", "<200E><200F><061C>", 18, "<200E><200F><061C>"},
	{"\u202A\u202B\u202D", "<202A><202B><202D>", 18, "<202A><202B><202D>"},
	{"\u2066\u2067\u2068\u2069", "<2066><2067><2068><2069>", 24, "<2066><2067><2068><2069>"},
	/* controls */
	{"\t", "\u2192", 1, "^I"},
	{"a\r\nb", "a\u240D\u23CEb", 4, "a^M\\nb"},
	{"\x1B[31m", "\u241B[31m", 5, "^[[31m"},
	{NUL "\x01\x1F\x7F", "\u2400\u2401\u241F\u2421", 4, "^@^A^_^?"},
	{"\xC2\x80\xC2\x9B\xC2\x9F", "<0080><009B><009F>", 18, "<0080><009B><009F>"},
	/* zero width, invisible, not characters */
	{"\uFEFFx", "<FEFF>x", 7, "<FEFF>x"},
	{"a" ZWJ "b", "a<200D>b", 8, "a<200D>b"},
	{"\u200B\u200C\u2060", "<200B><200C><2060>", 18, "<200B><200C><2060>"},
	{"\u00AD\u034F\u180E", "<00AD><034F><180E>", 18, "<00AD><034F><180E>"},
	{"\u115F\u1160\u3164\uFFA0", "<115F><1160><3164><FFA0>", 24, "<115F><1160><3164><FFA0>"},
	{"\u2028\u2029", "<2028><2029>", 12, "<2028><2029>"},
	{"\uE000\U0010FFFD", "<E000><10FFFD>", 14, "<E000><10FFFD>"},
	{"\u0378\uFFFF\U0010FFFF", "<0378><FFFF><10FFFF>", 20, "<0378><FFFF><10FFFF>"},
	{HIGH "x" LOW, "<D83D>x<DE00>", 13, "<D83D>x<DE00>"},
	{"\xFF\xE4\xBD", "\uFFFD\uFFFD\uFFFD", 3, "<FFFD><FFFD><FFFD>"},
	/* spaces */
	{"a\u00A0\u2003b", "a  b", 4, "a<00A0><2003>b"},
	/* widths that differ between terminals */
	{"\u0939\u093F", "\u0939<093F>", 7, "<0939><093F>"},
	{"\u4DC0", "<4DC0>", 6, "<4DC0>"},
	{"\u0E01\u0E33", "\u0E01\u0E33", 2, "<0E01><0E33>"},
	/* Hangul: the syllable (The Unicode Standard 3.12), or the jamo by number */
	{"\u1112\u1161\u11ABx", "\uD55Cx", 3, "<1112><1161><11AB>x"},
	{"\uD558\u11AB", "\uD55C", 2, "<D558><11AB>"},
	{"\uD55C\u11AB", "\uD55C<11AB>", 8, "<D55C><11AB>"},
	{"\u1161", "<1161>", 6, "<1161>"},
};

static void shows_the_corpus(void **state)
{
	struct buf out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
		struct str s = str_of(shown[i].text);

		safe(&out, s, false);
		assert_text(buf_view(&out), shown[i].utf8);
		if (text_width(s, false) != shown[i].columns)
			fail_msg("\"%s\" is %d columns", shown[i].utf8, text_width(s, false));
		safe(&out, s, true);
		assert_text(buf_view(&out), shown[i].ascii);
		assert_int_equal(text_width(s, true), strlen(shown[i].ascii));
	}
	assert_int_equal(text_width((struct str){0}, false), 0);
	safe(&out, (struct str){0}, false);
	assert_int_equal(out.n, 0);
	buf_free(&out);
}

/* Wherever a cell begins with a character itself, the C library, by which curses goes, gives it the same width. */
static void agrees_with_the_c_library(void **state)
{
	int itself = 0;

	(void)state;
	assert_int_equal(wcwidth(0x4f1a), 2);
	for (uint32_t code = 0; code <= 0x10ffff; code++) {
		char bytes[4];
		struct str s = {bytes, text_encode(bytes, code)};
		struct text_cursor c = text_start(s, false);
		struct text_cell cell;
		int width;

		assert_true(text_next(&c, &cell));
		assert_in_range(cell.columns, 1, 2);
		if (cell.substitute)
			continue;
		assert_false(cell.more);
		assert_int_equal(cell.n, s.n);
		assert_memory_equal(cell.bytes, s.p, s.n);
		width = wcwidth((wchar_t)code);
		if (width != -1 && width != cell.columns)
			fail_msg("U+%04X: %d columns, wcwidth %d", (unsigned)code, cell.columns, width);
		itself++;
	}
	/* ASCII, 20,992 + 6,592 ideographs, 11,172 syllables and 42,720 ideographs of extension B are surely among them
	 */
	assert_true(itself > 95 + 20992 + 6592 + 11172 + 42720);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Pieces that mean something to the rules, and raw bytes. */
static size_t random_text(char *out, size_t most, uint32_t *seed)
{
	static const char *const pieces[] = {
		"a",          " ",      "\u4F1A",     ACUTE,    ZWJ,      VS16,     WOMAN,    "\n",     "\x1B",
		"\u202E",     HIGH,     LOW,          NUL,      "\u1112", "\u1161", "\u11AB", "\u093F", "\uFE00",
		"\U0001F3FD", "\u2764", "\U000E0067", "\uD558", "\u3000", "\u00A0", "\xFF",   "\xE4",   "\U0001F1E9"};
	const size_t count = sizeof pieces / sizeof pieces[0];
	size_t n = 0;

	while (n + 4 < most) {
		uint32_t r = next_random(seed);

		if (r % 16 == 0) {
			out[n++] = (char)(next_random(seed) & 0xff);
		} else {
			const char *piece = pieces[r % count];

			memcpy(out + n, piece, strlen(piece));
			n += strlen(piece);
		}
	}
	return n;
}

static bool is_harmless(struct str s)
{
	uint32_t code;
	size_t length;

	for (size_t at = 0; (length = text_decode(s, at, &code)) > 0; at += length)
		if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
		    (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
		    (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code >= 0xd800 && code <= 0xf8ff) ||
		    code >= 0xe0000)
			return false;
	return true;
}

static void check_cells(struct str s, bool ascii)
{
	struct text_cursor c = text_start(s, ascii);
	struct text_cell cell;
	size_t at = 0;
	bool inside = false;

	/* cells follow each other without gaps; all cells of a substitute stand for the same bytes */
	while (text_next(&c, &cell)) {
		assert_int_equal(cell.from, at);
		assert_true(cell.to > cell.from && cell.to <= s.n);
		assert_in_range(cell.n, 1, TEXT_CELL_BYTES);
		assert_true(is_harmless((struct str){cell.bytes, cell.n}));
		assert_false(inside && !cell.substitute);
		inside = cell.more;
		at = cell.more ? at : cell.to;
	}
	assert_int_equal(at, s.n);
}

static void check_clip(struct str s, bool ascii)
{
	int width = text_width(s, ascii), used;

	for (int columns = -1; columns <= width + 1; columns += 1 + columns / 8) {
		struct str head = text_clip(s, columns, ascii, &used);

		assert_true(head.n <= s.n);
		assert_true(used <= columns || used == 0);
		assert_int_equal(text_width(head, ascii), used);
		assert_int_equal(head.n<s.n, width> columns);
		assert_int_equal(text_column(s, head.n, ascii), used);
		if (columns >= 0)
			assert_int_equal(text_width_up_to(s, ascii, columns), width > columns ? columns + 1 : width);
	}
}

static void check_wrap(struct str s, int columns, bool ascii)
{
	struct text_wrap w = text_wrap_start(s, columns, ascii);
	const char *end = s.p;
	struct str line;

	while (text_wrap_next(&w, &line)) {
		int width = text_width(line, ascii);

		/* between two lines nothing is left out but one line feed, blank or tab */
		assert_true(line.p == end || (line.p == end + 1 && (*end == '\n' || *end == ' ' || *end == '\t')));
		assert_true(width <= columns || width <= 8); /* 8: the longest substitute */
		end = line.p + line.n;
	}
	assert_true(end == s.p + s.n || (end + 1 == s.p + s.n && (*end == ' ' || *end == '\t')));
}

static void survives_anything(void **state)
{
	char text[120];
	struct buf once = {0}, twice = {0};
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct str s = {text, random_text(text, 8 + next_random(&seed) % 100, &seed)};

		for (int ascii = 0; ascii < 2; ascii++) {
			check_cells(s, ascii);
			check_clip(s, ascii);
			check_wrap(s, 1 + (int)(next_random(&seed) % 20), ascii);
			safe(&once, s, ascii);
			safe(&twice, buf_view(&once), ascii);
			assert_true(str_eq(buf_view(&once), buf_view(&twice)));
			assert_int_equal(text_width(buf_view(&once), ascii), text_width(s, ascii));
		}
	}
	buf_free(&once);
	buf_free(&twice);
}

static void clips_whole_substitutes(void **state)
{
	int used;

	(void)state;
	assert_text(text_clip(STR("ab\u4F1Ac"), 3, false, &used), "ab");
	assert_int_equal(used, 2);
	assert_text(text_clip(STR("ab\u4F1Ac"), 4, false, &used), "ab\u4F1A");
	assert_text(text_clip(STR("a\u202Eb"), 6, false, &used), "a");
	assert_int_equal(used, 1);
	assert_text(text_clip(STR("a\u202Eb"), 7, false, &used), "a\u202E");
	assert_text(text_clip(STR("e" ACUTE "x"), 1, false, &used), "e" ACUTE);
	assert_text(text_clip(STR("\n\n"), 3, true, &used), "\n");
	assert_int_equal(text_column(STR("a\u4F1A\u202Ex"), 7, false), 9);
	assert_int_equal(text_column(STR("a\u4F1A\u202Ex"), 2, false), 1);
}

/* Pages of text that end where reading ends the program: nothing may look beyond what it shows. */
static void reads_only_what_it_shows(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room = 4 * page;
	char *text = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct str endless = {text, SIZE_MAX / 4}, head;
	struct text_wrap w = text_wrap_start(endless, 80, false);
	struct line l = {0};
	int used;

	(void)state;
	assert_true(text != MAP_FAILED);
	assert_int_equal(mprotect(text + room, page, PROT_NONE), 0);
	memset(text, 'x', room);
	assert_int_equal(text_clip(endless, 80, false, &used).n, 80);
	assert_int_equal(text_width_up_to(endless, false, 80), 81);
	line_reset(&l, 80);
	line_put(&l, STYLE_PLAIN, endless);
	assert_int_equal(l.width, 80);
	line_reset(&l, 80);
	line_put_clipped(&l, STYLE_PLAIN, endless, 80, ALIGN_RIGHT);
	assert_int_equal(l.width, 80);
	assert_true(text_wrap_next(&w, &head));
	assert_int_equal(head.n, 80);
	/* a base with endless marks: a cell looks at TEXT_CLUSTER_MAX code points and no further */
	for (size_t i = 1; i + 1 < room; i += 2)
		memcpy(text + i, ACUTE, 2);
	assert_int_equal(text_clip(endless, 80, false, &used).n, 1 + 2 * (80 * TEXT_CLUSTER_MAX - 1));
	assert_int_equal(used, 80);
	line_free(&l);
	munmap(text, room + page);
}

static void wraps(void **state)
{
	static const struct {
		const char *text;
		int columns;
		const char *lines[6];
	} rows[] = {
		{"", 5, {""}},
		{"\n", 5, {"", ""}},
		{"a\n\nb", 5, {"a", "", "b"}},
		{"hello", 5, {"hello"}},
		{"hello world", 5, {"hello", "world"}},
		{"hello world", 8, {"hello ", "world"}},
		{"hello world", 11, {"hello world"}},
		{"abcdefgh", 3, {"abc", "def", "gh"}},
		{"a bcdefgh", 4, {"a ", "bcde", "fgh"}},
		{"one two\nthree", 20, {"one two", "three"}},
		{"\u538B\u7F29\u4F1A\u8BDD", 5, {"\u538B\u7F29", "\u4F1A\u8BDD"}},
		{"x \u538B\u7F29\u4F1A", 6, {"x \u538B\u7F29", "\u4F1A"}},
		{"\u538Babcd", 4, {"\u538B", "abcd"}},
		{"\u538B", 1, {"\u538B"}},
		{"a\u202Eb", 3, {"a", "\u202E", "b"}},
		{"hello world", 0, {"hello world"}},
		{"a b\nc", 0, {"a b", "c"}},
		{"ends ", 4, {"ends"}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct text_wrap w = text_wrap_start(str_of(rows[i].text), rows[i].columns, false);
		struct str line;

		for (size_t k = 0; rows[i].lines[k]; k++) {
			assert_true(text_wrap_next(&w, &line));
			assert_text(line, rows[i].lines[k]);
		}
		assert_false(text_wrap_next(&w, &line));
		assert_false(text_wrap_next(&w, &line));
	}
}

static void prints_whole_texts(void **state)
{
	struct buf out = {0};

	(void)state;
	text_put_lines(&out, STR("a\x1B\n\n\u202Eb\n"), false);
	assert_text(buf_view(&out), "a\u241B\n\n<202E>b\n");
	buf_free(&out);
}

static void assert_line(const struct line *l, const char *want)
{
	struct buf out = {0};

	line_write(l, &out);
	assert_text(buf_view(&out), want);
	buf_free(&out);
}

static void lines_keep_to_their_columns(void **state)
{
	struct line l = {0};

	(void)state;
	line_reset(&l, 10);
	line_puts(&l, STYLE_REF, "m00001");
	line_pad_to(&l, 8);
	assert_int_equal(line_left(&l), 2);
	line_puts(&l, STYLE_PLAIN, "\u4F1A\u8BDD");
	assert_int_equal(l.width, 10);
	assert_true(l.cut);
	assert_line(&l, "m00001  \u4F1A");
	line_pad_to(&l, 99);
	assert_int_equal(l.width, 10);

	line_reset(&l, 0);
	assert_false(l.cut);
	line_put_clipped(&l, STYLE_PLAIN, STR("short"), 7, ALIGN_LEFT);
	line_put_clipped(&l, STYLE_NUMBER, STR("42"), 4, ALIGN_RIGHT);
	line_put_clipped(&l, STYLE_PLAIN, STR("too long"), 5, ALIGN_RIGHT);
	line_put_clipped(&l, STYLE_PLAIN, STR("\u538B\u7F29\u4F1A"), 4, ALIGN_LEFT); /* half a character is no good */
	line_puts(&l, STYLE_PLAIN, "|");
	assert_line(&l, "short    42too \u2026\u538B\u2026 |");
	assert_int_equal(l.width, 7 + 4 + 5 + 4 + 1);

	line_reset(&l, 12);
	line_puts(&l, STYLE_PLAIN, "left");
	line_put_right(&l, STYLE_DIM, STR("right"));
	assert_line(&l, "left   right");
	line_reset(&l, 9);
	line_puts(&l, STYLE_PLAIN, "left");
	line_put_right(&l, STYLE_DIM, STR("right")); /* no room for the blank between them */
	assert_line(&l, "left");
	assert_true(l.cut);

	line_reset(&l, 3);
	line_repeat(&l, STYLE_BARRIER, GLYPH_BARRIER, 5);
	assert_line(&l, "\u2550\u2550\u2550");
	line_free(&l);
	l.ascii = true;
	line_reset(&l, 40);
	line_printf(&l, STYLE_PLAIN, "%s %d", "\u4F1A\n", 7);
	line_repeat(&l, STYLE_BARRIER, GLYPH_BARRIER, 2);
	assert_line(&l, "<4F1A>\\n 7==");
	line_free(&l);
}

static void assert_styles(const struct line *l, const char *want)
{
	struct buf out = {0};
	int width = 0;

	for (size_t i = 0; i < l->segments.n; i++) {
		const struct segment *s = &l->segments.v[i];
		struct str text = line_text(l, s);

		buf_printf(&out, "%s:%.*s|", style_name((enum style)s->style), (int)text.n, text.p);
		assert_int_equal(s->columns, text_width(text, l->ascii));
		width += s->columns;
	}
	assert_int_equal(width, l->width);
	assert_text(buf_view(&out), want);
	buf_free(&out);
}

static void lines_carry_styles(void **state)
{
	struct line l = {0};

	(void)state;
	line_reset(&l, 0);
	line_puts(&l, STYLE_USER, "a\tb");
	line_puts(&l, STYLE_USER, "c");
	line_puts(&l, STYLE_BAR, "\t");
	assert_styles(&l, "user:a|substitute:\u2192|user:bc|bar:\u2192|");

	line_reset(&l, 0);
	line_puts(&l, STYLE_PLAIN, "one\u4F1Atwo");
	line_puts(&l, STYLE_DIM, "three");
	line_restyle(&l, 5, 10, STYLE_MATCH);
	assert_styles(&l, "plain:one\u4F1A|match:two|match:th|dim:ree|");
	line_restyle(&l, 0, 1, STYLE_MATCH);
	assert_styles(&l, "match:o|plain:ne\u4F1A|match:two|match:th|dim:ree|");
	line_restyle(&l, -3, 99, STYLE_BOLD);
	assert_styles(&l, "bold:o|bold:ne\u4F1A|bold:two|bold:th|bold:ree|");
	line_restyle(&l, 13, 13, STYLE_DIM);
	line_restyle(&l, 99, 100, STYLE_DIM);
	assert_styles(&l, "bold:o|bold:ne\u4F1A|bold:two|bold:th|bold:ree|");
	line_free(&l);

	assert_int_equal(style_find(STR("covered")), STYLE_COVERED);
	assert_int_equal(style_find(STR("Covered")), STYLE_COUNT);
	for (int i = 0; i < STYLE_COUNT; i++)
		assert_int_equal(style_find(str_of(style_name((enum style)i))), i);
}

static void glyphs_are_one_column(void **state)
{
	(void)state;
	for (int i = 0; i < GLYPH_COUNT; i++) {
		struct str utf8 = str_of(glyph((enum glyph)i, false)), ascii = str_of(glyph((enum glyph)i, true));
		struct text_cursor c = text_start(utf8, false);
		struct text_cell cell;

		assert_true(text_next(&c, &cell));
		assert_int_equal(cell.columns, 1);
		assert_false(cell.substitute);
		assert_int_equal(cell.to, utf8.n);
		assert_int_equal(ascii.n, 1);
		assert_in_range(ascii.p[0], 0x20, 0x7e);
	}
	assert_int_equal(glyph_spark(0, 10), GLYPH_SPARK_0);
	assert_int_equal(glyph_spark(0.001, 10), GLYPH_SPARK_1);
	assert_int_equal(glyph_spark(5, 10), GLYPH_SPARK_4); /* floor(0.5 * 7) = 3 above the lowest */
	assert_int_equal(glyph_spark(9.999, 10), GLYPH_SPARK_7);
	assert_int_equal(glyph_spark(10, 10), GLYPH_SPARK_8);
	assert_int_equal(glyph_spark(99, 10), GLYPH_SPARK_8);
	assert_int_equal(glyph_spark(-1, 10), GLYPH_SPARK_0);
	assert_int_equal(glyph_spark(1, 0), GLYPH_SPARK_0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_the_corpus),         cmocka_unit_test(agrees_with_the_c_library),
		cmocka_unit_test(survives_anything),        cmocka_unit_test(clips_whole_substitutes),
		cmocka_unit_test(reads_only_what_it_shows), cmocka_unit_test(wraps),
		cmocka_unit_test(prints_whole_texts),       cmocka_unit_test(lines_keep_to_their_columns),
		cmocka_unit_test(lines_carry_styles),       cmocka_unit_test(glyphs_are_one_column),
	};

	/* for wcwidth */
	setlocale(LC_CTYPE, "C.UTF-8");
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
