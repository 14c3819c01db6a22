/* tui/theme: looks for every style, and the sequences for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "tui/grid.h"
#include "tui/theme.h"

static void looks_fit_the_terminal(void **state)
{
	static const int asked[] = {0, 2, 8, 16, 88, 256, 16777216}, got[] = {0, 0, 8, 8, 8, 256, 256};
	struct theme t;

	(void)state;
	for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
		for (int light = 0; light < 2; light++) {
			theme_init(&t, asked[i], light);
			assert_int_equal(t.colours, got[i]);
			for (int s = 0; s < STYLE_COUNT; s++) {
				struct look look = theme_look(&t, (uint8_t)s, 0);

				assert_in_range(look.fg + 1, 0, t.colours);
				assert_in_range(look.bg + 1, 0, t.colours);
				/* a row missing from the table would be black on black */
				assert_true(look.fg == -1 || look.fg != look.bg);
			}
		}
	}
	assert_int_equal(theme_look(&t, 250, 0).fg, -1);
}

/* Without colours and letters alike: what the user looks for must still stand out. */
static void attributes_carry_without_colours(void **state)
{
	static const uint8_t marked[] = {STYLE_MATCH, STYLE_TITLE_FOCUS, STYLE_BAR, STYLE_ERROR, STYLE_CURSOR};
	struct theme t;

	(void)state;
	theme_init(&t, 0, false);
	for (size_t i = 0; i < sizeof marked / sizeof marked[0]; i++)
		assert_int_not_equal(theme_look(&t, marked[i], 0).attrs, 0);
}

static void attributes_add_up(void **state)
{
	struct theme t;

	(void)state;
	theme_init(&t, 0, false);
	assert_int_equal(theme_look(&t, STYLE_PLAIN, GRID_REVERSE).attrs, THEME_REVERSE);
	assert_int_equal(theme_look(&t, STYLE_BAR, GRID_REVERSE).attrs, 0);
	assert_int_equal(theme_look(&t, STYLE_PLAIN, GRID_BOLD | GRID_UNDERLINE | GRID_DIM).attrs,
			 THEME_BOLD | THEME_UNDERLINE | THEME_DIM);
}

/* A bar of one look, whatever stands in the selected row. */
static void selected_rows_are_one_bar(void **state)
{
	static const uint8_t row[] = {STYLE_REF, STYLE_USER,       STYLE_TOOL,   STYLE_NUMBER,
				      STYLE_DIM, STYLE_SUBSTITUTE, STYLE_COVERED};
	struct theme t;

	(void)state;
	for (size_t i = 0; i < 3 * sizeof row; i++) {
		static const int colours[] = {0, 8, 256};
		theme_init(&t, colours[i % 3], false);
		struct look look = theme_look(&t, row[i / 3], GRID_REVERSE);

		assert_int_equal(look.bg, t.selected);
		assert_int_equal(look.attrs, t.selected < 0 ? THEME_REVERSE : 0);
		assert_int_equal(look.fg, -1);
	}
}

/* "ab  c" in three styles: which looks are sent. */
static void blanks_take_the_cheapest_look(void **state)
{
	struct theme t;
	struct grid g = {0};
	struct look last = {-1, -1, 0};

	(void)state;
	theme_init(&t, 256, false);
	grid_resize(&g, 1, 40);
	grid_put(&g, (struct rect){0, 0, 1, 40}, STYLE_REF, STR("ab"));
	grid_put(&g, (struct rect){0, 4, 1, 36}, STYLE_USER, STR("c"));
	struct look ref = theme_look(&t, STYLE_REF, 0), user = theme_look(&t, STYLE_USER, 0);
	for (int col = 0; col < 4; col++) {
		last = theme_cell_look(&t, &g, 0, col, last);
		assert_int_equal(last.fg, ref.fg);
	}
	last = theme_cell_look(&t, &g, 0, 4, last);
	assert_int_equal(last.fg, user.fg);
	/* nothing comes: plain, so that the rest can be cleared */
	last = theme_cell_look(&t, &g, 0, 5, last);
	assert_int_equal(last.fg, -1);
	assert_int_equal(last.attrs, 0);
	/* a blank that is seen keeps its look, and gives it to no other */
	grid_mark(&g, (struct rect){0, 2, 1, 1}, GRID_REVERSE);
	last = theme_cell_look(&t, &g, 0, 2, ref);
	assert_int_equal(last.bg, t.selected);
	last = theme_cell_look(&t, &g, 0, 3, last);
	assert_int_equal(last.bg, -1);
	theme_init(&t, 8, false);
	last = theme_cell_look(&t, &g, 0, 2, ref);
	assert_int_equal(last.attrs, THEME_REVERSE);
	last = theme_cell_look(&t, &g, 0, 3, last);
	assert_int_equal(last.attrs, 0);
	grid_free(&g);
}

/* WCAG 2.1: relative luminance of an sRGB colour, and the contrast of two. */
static double luminance(uint32_t rgb)
{
	static const double weights[] = {0.2126, 0.7152, 0.0722};
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double part = (double)(rgb >> (16 - 8 * i) & 0xff) / 255;

		sum += weights[i] * (part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double contrast(uint32_t a, uint32_t b)
{
	double x = luminance(a), y = luminance(b);

	return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

/* Text is read on black, on dark grey, on white and on cream; what is meant to stand back is still seen. */
static void looks_can_be_read(void **state)
{
	static const uint32_t plain[2][2] = {{0x000000, 0x1e1e1e}, {0xffffff, 0xfdf6e3}};
	struct theme t;

	(void)state;
	assert_true(fabs(contrast(0x000000, 0xffffff) - 21) < 1e-9);
	for (int i = 0; i < 4; i++) {
		theme_init(&t, 256, i / 2);
		for (int s = 0; s < 2 * STYLE_COUNT; s++) {
			/* as it is, and in the selected row */
			struct look look = theme_look(&t, (uint8_t)(s / 2), s % 2 ? GRID_REVERSE : 0);
			uint32_t bg = look.bg < 0 ? plain[i / 2][i % 2] : theme_rgb(look.bg);
			/* 3 is what WCAG asks of large text and signs; a rule is only decoration */
			double least = s / 2 == STYLE_RULE ? 1.4 : 3;

			if (look.fg >= 0 && contrast(theme_rgb(look.fg), bg) < least)
				fail_msg("%s on %06x: %.2f", style_name((enum style)(s / 2)), (unsigned)bg,
					 contrast(theme_rgb(look.fg), bg));
		}
	}
}

static void backgrounds(void **state)
{
	(void)state;
	assert_false(theme_background_is_light(NULL));
	assert_false(theme_background_is_light(""));
	assert_false(theme_background_is_light("15;0"));
	assert_true(theme_background_is_light("0;15"));
	assert_true(theme_background_is_light("0;default;7"));
	assert_false(theme_background_is_light("7;8"));
	assert_false(theme_background_is_light("0;default"));
	assert_false(theme_background_is_light("0;15x"));
	assert_false(theme_background_is_light("0;999999999999999999999"));
}

static void configured_looks(void **state)
{
	static const struct {
		const char *words;
		int colours, fg, bg, attrs;
	} good[] = {
		{"", 256, -1, -1, 0},
		{"red", 256, 1, -1, 0},
		{"bright-red on black", 256, 9, 0, 0},
		{"bold  reverse underline dim 208 on 17", 256, 208, 17,
		 THEME_BOLD | THEME_REVERSE | THEME_UNDERLINE | THEME_DIM},
		{"default on default bold", 256, -1, -1, THEME_BOLD},
		{"bright-white on 208", 8, 7, -1, 0},
		{"red on blue bold", 0, -1, -1, THEME_BOLD},
	};
	static const char *const bad[] = {"rot",        "on on red",      "256",           "-1",
					  "bright-256", "bright-default", "1000000000000", "Red"};
	struct theme t;
	struct look look = {5, 5, 5};

	(void)state;
	theme_init(&t, 256, false);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (theme_parse_look(&t, str_of(bad[i]), &look))
			fail_msg("%s is a look", bad[i]);
	assert_int_equal(look.fg, 5);
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		theme_init(&t, good[i].colours, false);
		assert_true(theme_parse_look(&t, str_of(good[i].words), &look));
		assert_int_equal(look.fg, good[i].fg);
		assert_int_equal(look.bg, good[i].bg);
		assert_int_equal(look.attrs, good[i].attrs);
	}
}

/* ECMA-48 SGR; 90-97 and 38;5;n as xterm has them. */
static void sequences(void **state)
{
	static const struct {
		struct look look;
		const char *want;
	} rows[] = {
		{{-1, -1, 0}, "\033[0m"},
		{{1, -1, THEME_BOLD}, "\033[0;1;31m"},
		{{12, 7, THEME_REVERSE | THEME_DIM}, "\033[0;2;7;94;47m"},
		{{208, 17, THEME_UNDERLINE}, "\033[0;4;38;5;208;48;5;17m"},
		{{-1, 15, 0}, "\033[0;107m"},
	};
	struct buf out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		buf_cut(&out, 0);
		theme_put_sgr(&out, rows[i].look);
		assert_string_equal(out.p, rows[i].want);
	}
	buf_free(&out);
	/* xterm's cube 16 + 36r + 6g + b of 0, 95, 135, .. 255, and greys 8 + 10n */
	assert_int_equal(theme_rgb(16), 0x000000);
	assert_int_equal(theme_rgb(231), 0xffffff);
	assert_int_equal(theme_rgb(208), 0xff8700);
	assert_int_equal(theme_rgb(17), 0x00005f);
	assert_int_equal(theme_rgb(232), 0x080808);
	assert_int_equal(theme_rgb(255), 0xeeeeee);
	assert_int_equal(theme_rgb(-1), 0);
	assert_int_equal(theme_rgb(256), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_fit_the_terminal),
		cmocka_unit_test(attributes_carry_without_colours),
		cmocka_unit_test(attributes_add_up),
		cmocka_unit_test(backgrounds),
		cmocka_unit_test(selected_rows_are_one_bar),
		cmocka_unit_test(blanks_take_the_cheapest_look),
		cmocka_unit_test(looks_can_be_read),
		cmocka_unit_test(configured_looks),
		cmocka_unit_test(sequences),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
