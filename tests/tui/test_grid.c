/* tui/grid: cells, two-column characters, rectangles and dumps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tui/grid.h"

#define WIDE "\u4F1A" /* two columns */

static void assert_grid(const struct grid *g, const char *want)
{
	struct buf out = {0};

	grid_text(g, &out);
	if (!str_eq(buf_view(&out), str_of(want)))
		fail_msg("got\n%swant\n%s", out.p, want);
	buf_free(&out);
}

static void put(struct grid *g, int row, int col, const char *text)
{
	grid_put(g, (struct rect){row, col, 1, g->cols - col}, STYLE_PLAIN, str_of(text));
}

/* Every two-column cell has its right half, and every right half its cell. */
static void check_halves(const struct grid *g)
{
	for (int row = 0; row < g->rows; row++) {
		int columns = 0;

		for (int col = 0; col < g->cols; col++) {
			const struct cell *c = grid_cell(g, row, col), *next = grid_cell(g, row, col + 1);

			assert_in_range(c->columns, 0, 2);
			assert_int_equal(c->columns == 0, c->n == 0);
			assert_int_equal(c->columns == 2, next != NULL && next->columns == 0);
			columns += c->columns;
		}
		assert_int_equal(columns, g->cols);
	}
}

static void overwriting_takes_both_halves(void **state)
{
	static const struct {
		int col;
		const char *text, *want;
	} rows[] = {
		/* over "ab会cd": the character is in columns 2 and 3 */
		{2, "x", "abx cd\n"},        {3, "x", "ab xcd\n"},       {1, WIDE, "a" WIDE " cd\n"},
		{3, WIDE, "ab " WIDE "d\n"}, {2, "xy", "abxycd\n"},      {1, "xy", "axy cd\n"},
		{2, WIDE, "ab" WIDE "cd\n"}, {0, "x", "xb" WIDE "cd\n"}, {4, "x", "ab" WIDE "xd\n"},
	};
	struct grid g = {0};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		grid_resize(&g, 1, 6);
		put(&g, 0, 0, "ab" WIDE "cd");
		put(&g, 0, rows[i].col, rows[i].text);
		assert_grid(&g, rows[i].want);
		check_halves(&g);
	}
	grid_free(&g);
}

static void wide_characters_stay_inside(void **state)
{
	struct grid g = {0};
	struct line l = {0};

	(void)state;
	grid_resize(&g, 1, 5);
	put(&g, 0, 0, ".....");
	put(&g, 0, 0, WIDE WIDE WIDE);
	assert_grid(&g, WIDE WIDE "\n"); /* the third does not fit into the last column: blank */
	check_halves(&g);

	/* the same at the edge of a rectangle: what is right of it stays */
	put(&g, 0, 0, ".....");
	assert_int_equal(grid_put(&g, (struct rect){0, 1, 1, 3}, STYLE_PLAIN, STR(WIDE WIDE)), 3);
	assert_grid(&g, "." WIDE " .\n");

	/* a line that starts left of the grid: of a character cut in two, nothing */
	line_reset(&l, 0);
	line_puts(&l, STYLE_PLAIN, "a" WIDE "bcdef");
	put(&g, 0, 0, ".....");
	grid_put_line(&g, (struct rect){0, -2, 1, 6}, &l);
	assert_grid(&g, " bcd.\n");
	check_halves(&g);
	line_free(&l);
	grid_free(&g);
}

static void lines_fill_their_rectangle(void **state)
{
	struct grid g = {0};
	struct line l = {0};

	(void)state;
	grid_resize(&g, 3, 8);
	for (int row = 0; row < 3; row++)
		put(&g, row, 0, "........");
	line_reset(&l, 0);
	line_puts(&l, STYLE_REF, "b7");
	line_puts(&l, STYLE_PLAIN, " e\u0301" WIDE);
	l.fill = STYLE_BAR;
	grid_put_line(&g, (struct rect){1, 1, 1, 6}, &l);
	assert_grid(&g, "........\n.b7 e\u0301" WIDE ".\n........\n");
	grid_put_line(&g, (struct rect){2, 0, 5, 7}, &l); /* only its first row */
	assert_grid(&g, "........\n.b7 e\u0301" WIDE ".\nb7 e\u0301" WIDE " .\n");
	assert_int_equal(grid_cell(&g, 2, 6)->style, STYLE_BAR);
	assert_int_equal(grid_cell(&g, 2, 5)->style, STYLE_PLAIN);
	assert_int_equal(grid_cell(&g, 2, 0)->style, STYLE_REF);
	/* rows outside, empty and absurd rectangles: nothing happens */
	grid_put_line(&g, (struct rect){-1, 0, 2, 8}, &l);
	grid_put_line(&g, (struct rect){3, 0, 1, 8}, &l);
	grid_put_line(&g, (struct rect){0, 8, 1, 8}, &l);
	grid_put_line(&g, (struct rect){0, 0, 0, 8}, &l);
	grid_put_line(&g, (struct rect){0, 0, 1, -1}, &l);
	grid_put_line(&g, (struct rect){0, INT32_MIN, 1, INT32_MAX}, &l);
	grid_put_line(&g, (struct rect){INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}, &l);
	assert_grid(&g, "........\n.b7 e\u0301" WIDE ".\nb7 e\u0301" WIDE " .\n");
	grid_put_line(&g, (struct rect){0, 0, INT32_MAX, INT32_MAX}, &l);
	assert_grid(&g, "b7 e\u0301" WIDE "\n.b7 e\u0301" WIDE ".\nb7 e\u0301" WIDE " .\n");
	line_free(&l);
	grid_free(&g);
}

static void hostile_text_is_escaped(void **state)
{
	struct grid g = {0};

	(void)state;
	grid_resize(&g, 1, 20);
	put(&g, 0, 0, "\x1B[2J\n\u202Ex");
	assert_grid(&g, "\u241B[2J\u23CE<202E>x\n");
	g.ascii = true;
	grid_clear(&g);
	put(&g, 0, 0, "\x1B" WIDE "\u2500");
	assert_grid(&g, "^[<4F1A><2500>\n");
	grid_free(&g);
}

static void frames(void **state)
{
	struct grid g = {0};
	struct rect in;

	(void)state;
	grid_resize(&g, 4, 6);
	in = grid_box(&g, grid_all(&g), STYLE_RULE);
	assert_int_equal(in.row, 1);
	assert_int_equal(in.col, 1);
	assert_int_equal(in.rows, 2);
	assert_int_equal(in.cols, 4);
	grid_fill(&g, in, STYLE_BAR);
	grid_rule(&g, (struct rect){2, 1, 2, 4}, STYLE_RULE, GLYPH_BARRIER);
	assert_grid(&g, "\u250C\u2500\u2500\u2500\u2500\u2510\n\u2502    \u2502\n\u2502\u2550\u2550\u2550\u2550\u2502\n"
			"\u2514\u2500\u2500\u2500\u2500\u2518\n");
	g.ascii = true;
	grid_clear(&g);
	grid_box(&g, (struct rect){0, 0, 2, 2}, STYLE_RULE);
	grid_rule_down(&g, (struct rect){0, 4, 4, 3}, STYLE_RULE, GLYPH_VLINE);
	assert_grid(&g, "++  |\n++  |\n    |\n    |\n");
	in = grid_box(&g, (struct rect){0, 5, 4, 9}, STYLE_RULE); /* one column inside: too narrow */
	assert_int_equal(in.cols, 0);
	assert_grid(&g, "++  |\n++  |\n    |\n    |\n");
	grid_free(&g);
}

static void dumps_name_styles(void **state)
{
	struct grid g = {0};
	struct buf out = {0};

	(void)state;
	grid_resize(&g, 2, 8);
	grid_put(&g, (struct rect){0, 0, 1, 8}, STYLE_REF, STR("m1"));
	put(&g, 0, 3, "a" WIDE "b");
	put(&g, 1, 0, "plain");
	grid_mark(&g, (struct rect){0, 5, 1, 2}, GRID_REVERSE); /* from the right half of the character on */
	grid_mark(&g, (struct rect){0, 6, 1, 1}, GRID_BOLD);
	grid_mark(&g, (struct rect){0, 3, 1, 2}, GRID_UNDERLINE); /* up to its left half */
	grid_dump(&g, &out);
	assert_string_equal(out.p, "m1 a" WIDE "b\n"
				   "\t0-1 ref\n"
				   "\t3-3 plain underline\n"
				   "\t4-5 plain reverse underline\n"
				   "\t6-6 plain reverse bold\n"
				   "plain\n");
	buf_free(&out);
	grid_free(&g);
}

static void sizes(void **state)
{
	struct grid g = {0};
	struct buf out = {0};

	(void)state;
	grid_text(&g, &out);
	grid_clear(&g);
	grid_fill(&g, (struct rect){0, 0, 9, 9}, STYLE_BAR);
	grid_set_cursor(&g, 1, 1);
	assert_false(g.cursor_shown);
	assert_int_equal(out.n, 0);
	assert_null(grid_cell(&g, 0, 0));
	grid_resize(&g, 0, 5);
	grid_resize(&g, 3, 0);
	assert_grid(&g, "\n\n\n");
	grid_resize(&g, -1, INT32_MIN);
	assert_int_equal(g.rows, 0);
	grid_resize(&g, 1, 1);
	put(&g, 0, 0, WIDE);
	assert_grid(&g, "\n");
	grid_set_cursor(&g, 5, -5);
	assert_true(g.cursor_shown);
	assert_int_equal(g.cursor_row, 0);
	assert_int_equal(g.cursor_col, 0);
	grid_resize(&g, 100, 300);
	assert_false(g.cursor_shown);
	assert_null(grid_cell(&g, 100, 0));
	assert_null(grid_cell(&g, 0, -1));
	assert_non_null(grid_cell(&g, 99, 299));
	buf_free(&out);
	grid_free(&g);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static int random_between(uint32_t *seed, int low, int high)
{
	return low + (int)(next_random(seed) % (uint32_t)(high - low + 1));
}

/* Outside of the rectangle nothing changes but the other half of a character that the rectangle cuts. */
static void check_outside(const struct grid *g, const struct cell *before, struct rect r)
{
	for (int row = 0; row < g->rows; row++) {
		for (int col = 0; col < g->cols; col++) {
			const struct cell *now = grid_cell(g, row, col), *was = &before[row * g->cols + col];
			bool inside = row >= r.row && row < r.row + r.rows && col >= r.col && col < r.col + r.cols;

			if (inside || (now->n == was->n && memcmp(now->bytes, was->bytes, now->n) == 0 &&
				       now->columns == was->columns && now->style == was->style))
				continue;
			assert_int_not_equal(was->columns, 1);
			assert_int_equal(now->columns, 1);
			assert_int_equal(now->bytes[0], ' ');
		}
	}
}

static void anything_anywhere(void **state)
{
	static const char *const texts[] = {"a", WIDE, "a" WIDE "b", WIDE WIDE, "\u202E" WIDE, "e\u0301" WIDE "\n", ""};
	static struct cell before[5 * 9];
	struct grid g = {0};
	struct line l = {0};
	uint32_t seed = 7;

	(void)state;
	grid_resize(&g, 5, 9);
	for (int round = 0; round < 20000; round++) {
		struct rect r = {random_between(&seed, -2, 6), random_between(&seed, -3, 10),
				 random_between(&seed, -1, 7), random_between(&seed, -1, 12)};
		enum style style = (enum style)random_between(&seed, 0, STYLE_COUNT - 1);
		const char *text = texts[random_between(&seed, 0, 6)];

		memcpy(before, g.cells, sizeof before);
		switch (random_between(&seed, 0, 4)) {
		case 0:
			grid_fill(&g, r, style);
			break;
		case 1:
			grid_put(&g, r, style, str_of(text));
			break;
		case 2:
			line_reset(&l, 0);
			line_puts(&l, style, text);
			line_puts(&l, STYLE_PLAIN, text);
			grid_put_line(&g, r, &l);
			break;
		case 3:
			grid_rule_down(&g, r, style, GLYPH_VLINE);
			break;
		default:
			grid_box(&g, r, style);
		}
		check_outside(&g, before, r);
		check_halves(&g);
	}
	line_free(&l);
	grid_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overwriting_takes_both_halves),
		cmocka_unit_test(wide_characters_stay_inside),
		cmocka_unit_test(lines_fill_their_rectangle),
		cmocka_unit_test(hostile_text_is_escaped),
		cmocka_unit_test(frames),
		cmocka_unit_test(dumps_name_styles),
		cmocka_unit_test(sizes),
		cmocka_unit_test(anything_anywhere),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
