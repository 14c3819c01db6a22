#include "tui/theme.h"

#include <stdlib.h>
#include <string.h>

#include "tui/grid.h"

enum { B = THEME_BOLD, R = THEME_REVERSE, U = THEME_UNDERLINE, D = THEME_DIM };

enum variant { NO_COLOURS, BASIC_DARK, BASIC_LIGHT, FULL_DARK, FULL_LIGHT, VARIANTS };

/*
 * One row a style: without colours; 8 colours on dark and on light; 256 colours
 * on dark and on light. Yellow and cyan are unreadable on white, blue on black.
 */
#define PLAIN                                                                                                          \
	{                                                                                                              \
		-1, -1, 0                                                                                              \
	}
static const struct look table[STYLE_COUNT][VARIANTS] = {
	[STYLE_PLAIN] = {PLAIN, PLAIN, PLAIN, PLAIN, PLAIN},
	[STYLE_DIM] = {{-1, -1, D}, {-1, -1, D}, {-1, -1, D}, {244, -1, 0}, {244, -1, 0}},
	[STYLE_BOLD] = {{-1, -1, B}, {-1, -1, B}, {-1, -1, B}, {-1, -1, B}, {-1, -1, B}},
	[STYLE_HEADING] = {{-1, -1, U}, {-1, -1, U}, {-1, -1, U}, {250, -1, U}, {240, -1, U}},
	[STYLE_REF] = {PLAIN, {6, -1, 0}, {4, -1, 0}, {80, -1, 0}, {25, -1, 0}},
	[STYLE_NUMBER] = {PLAIN, PLAIN, PLAIN, {252, -1, 0}, {238, -1, 0}},
	[STYLE_USER] = {{-1, -1, B}, {2, -1, B}, {2, -1, B}, {114, -1, B}, {28, -1, B}},
	[STYLE_ASSISTANT] = {PLAIN, {6, -1, 0}, {4, -1, 0}, {111, -1, 0}, {26, -1, 0}},
	[STYLE_TOOL] = {PLAIN, {5, -1, 0}, {5, -1, 0}, {176, -1, 0}, {90, -1, 0}},
	[STYLE_SYSTEM] = {{-1, -1, D}, {3, -1, 0}, {1, -1, 0}, {180, -1, 0}, {94, -1, 0}},
	[STYLE_METADATA] = {{-1, -1, D}, {-1, -1, D}, {-1, -1, D}, {246, -1, 0}, {242, -1, 0}},
	[STYLE_CHECKPOINT] = {{-1, -1, B}, {5, -1, B}, {5, -1, B}, {213, -1, B}, {127, -1, B}},
	[STYLE_INSTRUCTION] = {{-1, -1, U}, {3, -1, 0}, {1, -1, 0}, {222, -1, 0}, {94, -1, 0}},
	[STYLE_ADDED] = {{-1, -1, B}, {2, -1, 0}, {2, -1, 0}, {114, -1, 0}, {28, -1, 0}},
	[STYLE_CHANGED] = {{-1, -1, U}, {3, -1, 0}, {5, -1, 0}, {221, -1, 0}, {130, -1, 0}},
	[STYLE_REMOVED] = {{-1, -1, D}, {1, -1, 0}, {1, -1, 0}, {203, -1, 0}, {160, -1, 0}},
	[STYLE_PROTECTED] = {PLAIN, {3, -1, 0}, {5, -1, 0}, {179, -1, 0}, {130, -1, 0}},
	[STYLE_RANGE] = {{-1, -1, B}, {2, -1, 0}, {2, -1, 0}, {71, -1, 0}, {28, -1, 0}},
	[STYLE_BARRIER] = {{-1, -1, B}, {1, -1, B}, {1, -1, B}, {209, -1, B}, {166, -1, B}},
	[STYLE_BREAK] = {{-1, -1, B}, {1, -1, 0}, {1, -1, 0}, {203, -1, 0}, {160, -1, 0}},
	[STYLE_COVERED] = {{-1, -1, D}, {-1, -1, D}, {-1, -1, D}, {242, -1, 0}, {245, -1, 0}},
	[STYLE_GOOD] = {PLAIN, {2, -1, 0}, {2, -1, 0}, {114, -1, 0}, {28, -1, 0}},
	[STYLE_WARNING] = {{-1, -1, B}, {3, -1, B}, {5, -1, B}, {221, -1, B}, {130, -1, B}},
	[STYLE_ERROR] = {{-1, -1, B}, {1, -1, B}, {1, -1, B}, {203, -1, B}, {160, -1, B}},
	[STYLE_CHART] = {PLAIN, {6, -1, 0}, {4, -1, 0}, {74, -1, 0}, {25, -1, 0}},
	[STYLE_CHART_ALT] = {{-1, -1, D}, {5, -1, 0}, {5, -1, 0}, {139, -1, 0}, {96, -1, 0}},
	[STYLE_MATCH] = {{-1, -1, R | U}, {0, 3, 0}, {0, 3, 0}, {16, 221, 0}, {16, 221, 0}},
	[STYLE_SUBSTITUTE] = {{-1, -1, D}, {5, -1, D}, {5, -1, D}, {138, -1, 0}, {131, -1, 0}},
	[STYLE_RULE] = {{-1, -1, D}, {-1, -1, D}, {-1, -1, D}, {239, -1, 0}, {250, -1, 0}},
	[STYLE_TITLE] = {PLAIN, PLAIN, PLAIN, {248, -1, 0}, {241, -1, 0}},
	[STYLE_TITLE_FOCUS] = {{-1, -1, B | R}, {6, -1, B | R}, {4, -1, B | R}, {16, 80, B}, {231, 25, B}},
	[STYLE_BAR] = {{-1, -1, R}, {-1, -1, R}, {-1, -1, R}, {253, 236, 0}, {235, 254, 0}},
	[STYLE_BAR_DIM] = {{-1, -1, R}, {-1, -1, R}, {-1, -1, R}, {247, 236, 0}, {241, 254, 0}},
	[STYLE_BAR_ALERT] = {{-1, -1, R | B}, {1, -1, R | B}, {1, -1, R | B}, {231, 124, B}, {231, 160, B}},
	[STYLE_KEY] = {{-1, -1, B}, {6, -1, B}, {4, -1, B}, {80, -1, B}, {25, -1, B}},
	[STYLE_CURSOR] = {{-1, -1, B}, {-1, -1, B}, {-1, -1, B}, {231, -1, B}, {16, -1, B}},
	[STYLE_MARK] = {{-1, -1, B}, {3, -1, B}, {5, -1, B}, {221, -1, B}, {130, -1, B}},
};

void theme_init(struct theme *t, int colours, bool light)
{
	enum variant v = NO_COLOURS;

	t->colours = colours >= 256 ? 256 : colours >= 8 ? 8 : 0;
	if (t->colours == 256)
		v = light ? FULL_LIGHT : FULL_DARK;
	else if (t->colours == 8)
		v = light ? BASIC_LIGHT : BASIC_DARK;
	t->selected = v == FULL_DARK ? 238 : v == FULL_LIGHT ? 253 : -1;
	for (size_t i = 0; i < STYLE_COUNT; i++)
		t->looks[i] = table[i][v];
}

bool theme_background_is_light(const char *colorfgbg)
{
	const char *last = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
	char *end;
	long background;

	if (!last || last[1] < '0' || last[1] > '9')
		return false;
	background = strtol(last + 1, &end, 10);
	/* the light ones of the 16: white, and the bright ones but grey */
	return *end == '\0' && (background == 7 || (background >= 9 && background <= 15));
}

/* -1 for `default`, -2 when it is no colour. */
static int parse_colour(struct str word)
{
	static const char *const names[8] = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};
	int bright = 0, number = 0;

	if (str_eq(word, STR("default")))
		return -1;
	if (str_starts(word, STR("bright-"))) {
		bright = 8;
		word = str_cut(word, strlen("bright-"), word.n);
	}
	for (int i = 0; i < 8; i++)
		if (str_eq(word, str_of(names[i])))
			return bright + i;
	if (bright || word.n == 0 || word.n > 3)
		return -2;
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] < '0' || word.p[i] > '9')
			return -2;
		number = number * 10 + (word.p[i] - '0');
	}
	return number < 256 ? number : -2;
}

static uint8_t parse_attr(struct str word)
{
	static const struct {
		const char *name;
		uint8_t attr;
	} attrs[] = {{"bold", B}, {"reverse", R}, {"underline", U}, {"dim", D}};

	for (size_t i = 0; i < sizeof attrs / sizeof attrs[0]; i++)
		if (str_eq(word, str_of(attrs[i].name)))
			return attrs[i].attr;
	return 0;
}

/* What the terminal can do of a colour: bright ones become plain ones, others the default. */
static int16_t fit_colour(const struct theme *t, int colour)
{
	if (t->colours == 0 || (t->colours == 8 && colour >= 16))
		return -1;
	if (t->colours == 8 && colour >= 8)
		return (int16_t)(colour - 8);
	return (int16_t)colour;
}

bool theme_parse_look(const struct theme *t, struct str words, struct look *out)
{
	struct look look = PLAIN;
	bool background = false;
	size_t at = 0;

	while (at < words.n) {
		struct str word;
		size_t end = str_find(words, STR(" "), at);
		int colour;

		word = str_cut(words, at, end);
		at = end < words.n ? end + 1 : words.n;
		if (word.n == 0)
			continue;
		if (!background && str_eq(word, STR("on"))) {
			background = true;
		} else if (parse_attr(word)) {
			look.attrs |= parse_attr(word);
		} else if ((colour = parse_colour(word)) != -2) {
			*(background ? &look.bg : &look.fg) = fit_colour(t, colour);
		} else {
			return false;
		}
	}
	*out = look;
	return true;
}

struct look theme_look(const struct theme *t, uint8_t style, uint8_t grid_attrs)
{
	struct look look = t->looks[style < STYLE_COUNT ? style : STYLE_PLAIN];

	if ((grid_attrs & GRID_REVERSE) && look.bg < 0 && !(look.attrs & R))
		look = (struct look){-1, t->selected, (uint8_t)((look.attrs & U) | (t->selected < 0 ? R : 0))};
	else if (grid_attrs & GRID_REVERSE)
		look.attrs ^= R;
	if (grid_attrs & GRID_BOLD)
		look.attrs |= B;
	if (grid_attrs & GRID_UNDERLINE)
		look.attrs |= U;
	if (grid_attrs & GRID_DIM)
		look.attrs |= D;
	return look;
}

/* Of a blank only its background is seen. */
static bool is_bare(struct look look) { return !(look.attrs & (R | U)); }

static bool is_blank(const struct cell *c) { return c->n == 1 && c->bytes[0] == ' '; }

/* Something follows soon: farther away terminals have cheaper ways to get there, or to clear the rest of the row. */
static bool goes_on(const struct grid *g, int row, int col)
{
	enum { SOON = 8 };

	for (int i = 1; i <= SOON; i++) {
		const struct cell *c = grid_cell(g, row, col + i);

		if (c && !is_blank(c))
			return true;
	}
	return false;
}

struct look theme_cell_look(const struct theme *t, const struct grid *g, int row, int col, struct look last)
{
	const struct cell *cell = grid_cell(g, row, col);
	struct look look = theme_look(t, cell->style, cell->attrs);

	if (!is_blank(cell) || !is_bare(look))
		return look;
	return is_bare(last) && last.bg == look.bg && goes_on(g, row, col) ? last : (struct look){-1, look.bg, 0};
}

/* Base 30 for the foreground, 40 for the background. */
static void put_colour(struct buf *out, int colour, int base)
{
	if (colour < 0)
		return;
	if (colour < 8)
		buf_printf(out, ";%d", base + colour);
	else if (colour < 16)
		buf_printf(out, ";%d", base + 60 + colour - 8);
	else
		buf_printf(out, ";%d;5;%d", base + 8, colour);
}

void theme_put_sgr(struct buf *out, struct look look)
{
	static const struct {
		uint8_t attr;
		const char *code;
	} codes[] = {{B, ";1"}, {D, ";2"}, {U, ";4"}, {R, ";7"}};

	buf_text(out, "\033[0");
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (look.attrs & codes[i].attr)
			buf_text(out, codes[i].code);
	put_colour(out, look.fg, 30);
	put_colour(out, look.bg, 40);
	buf_char(out, 'm');
}

uint32_t theme_rgb(int colour)
{
	/* xterm's own values for the first 16; the cube and the greys are the same everywhere */
	static const uint32_t first[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
					   0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
					   0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
	static const uint32_t step[6] = {0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff};
	uint32_t n = (uint32_t)colour;

	if (n >= 256)
		return 0;
	if (n < 16)
		return first[n];
	if (n >= 232)
		return (8 + (n - 232) * 10) * 0x010101u;
	n -= 16;
	return step[n / 36] << 16 | step[n / 6 % 6] << 8 | step[n % 6];
}
