/* tui/layout: rectangles for screens from 0x0 to 300x100. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tui/layout.h"

enum { STRIP = 3, PARTS = 10 };

static struct layout layout_for(int rows, int cols, bool side_focused, int zoom)
{
	return layout_of((struct layout_wish){.rows = rows,
					      .cols = cols,
					      .strip_rows = STRIP,
					      .has_side = true,
					      .side_focused = side_focused,
					      .zoom = zoom});
}

static void parts_of(const struct layout *l, struct rect out[PARTS])
{
	const struct rect parts[PARTS] = {l->status,    l->main.title,  l->main.body,  l->divider, l->side.title,
					  l->side.body, l->third.title, l->third.body, l->strip,   l->bottom};

	memcpy(out, parts, sizeof parts);
}

static bool overlap(struct rect a, struct rect b)
{
	return a.row < b.row + b.rows && b.row < a.row + a.rows && a.col < b.col + b.cols && b.col < a.col + a.cols;
}

/* Whatever the size: the parts lie on the screen, do not overlap, and leave no cell out. */
static void check(struct layout_wish w)
{
	int rows = w.rows, cols = w.cols, zoom = w.zoom;
	bool side_focused = w.side_focused;
	struct layout l = layout_of(w);
	struct layout_pane focused = side_focused ? l.side : l.main;
	struct rect parts[PARTS];
	long covered = 0;

	parts_of(&l, parts);
	for (int i = 0; i < PARTS; i++) {
		struct rect r = parts[i];

		if (r.rows <= 0 || r.cols <= 0)
			continue;
		if (r.row < 0 || r.col < 0 || r.row + r.rows > rows || r.col + r.cols > cols)
			fail_msg("%dx%d zoom %d: part %d leaves the screen", cols, rows, zoom, i);
		for (int k = 0; k < i; k++)
			if (parts[k].rows > 0 && parts[k].cols > 0 && overlap(r, parts[k]))
				fail_msg("%dx%d zoom %d: parts %d and %d overlap", cols, rows, zoom, k, i);
		covered += (long)r.rows * r.cols;
	}
	if (covered != (long)rows * cols)
		fail_msg("%dx%d zoom %d: %ld cells of %ld are in use", cols, rows, zoom, covered, (long)rows * cols);
	if (rows >= 3 && cols >= 1 && focused.body.rows < 1)
		fail_msg("%dx%d zoom %d: the focused pane is not there", cols, rows, zoom);
}

static void every_size(void **state)
{
	(void)state;
	for (int rows = 0; rows <= 100; rows++)
		for (int cols = 0; cols <= 300; cols++)
			for (int bits = 0; bits < 8; bits++) {
				struct layout_wish w = {.rows = rows,
							.cols = cols,
							.strip_rows = STRIP,
							.has_side = true,
							.has_third = bits & 1,
							.side_focused = bits & 2,
							.side_hidden = bits & 4};

				for (w.zoom = 0; w.zoom <= LAYOUT_ZOOM_STEPS; w.zoom++)
					for (w.shift = -LAYOUT_SHIFT_MAX; w.shift <= LAYOUT_SHIFT_MAX; w.shift += 20)
						check(w);
			}
}

static void assert_rect(struct rect got, int row, int col, int rows, int cols)
{
	if (got.row != row || got.col != col || got.rows != rows || got.cols != cols)
		fail_msg("got %d,%d %dx%d, wanted %d,%d %dx%d", got.row, got.col, got.rows, got.cols, row, col, rows,
			 cols);
}

/* 80x24: one line above, strip of three and one line below leave 19; the side pane gets 30 % of them. */
static void usual_size(void **state)
{
	struct layout l = layout_for(24, 80, false, 0);

	(void)state;
	assert_rect(l.status, 0, 0, 1, 80);
	assert_rect(l.main.title, 1, 0, 1, 80);
	assert_rect(l.main.body, 2, 0, 13, 80);
	assert_rect(l.side.title, 15, 0, 1, 80);
	assert_rect(l.side.body, 16, 0, 4, 80);
	assert_rect(l.strip, 20, 0, 3, 80);
	assert_rect(l.bottom, 23, 0, 1, 80);
}

/* Lines that the main pane would leave empty go to the side pane below it; 19 are for both, the main pane keeps 5. */
static void side_pane_takes_what_is_left(void **state)
{
	static const struct {
		int wanted, main, side, zoom;
		bool side_focused;
	} cases[] = {
		{0, 14, 5, 0, false}, /* not known: its share */
		{100, 14, 5, 0, false},
		{14, 14, 5, 0, false},
		{13, 13, 6, 0, false},
		{7, 7, 12, 0, true},
		{5, 5, 14, 0, false},
		{3, 5, 14, 0, false},
		/* 25 % and 75 % */
		{3, 15, 4, 1, false},
		{3, 5, 14, 1, true},
		{19, 5, 14, 1, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct layout l = layout_of((struct layout_wish){.rows = 24,
								 .cols = 80,
								 .strip_rows = STRIP,
								 .main_rows = cases[i].wanted,
								 .has_side = true,
								 .side_focused = cases[i].side_focused,
								 .zoom = cases[i].zoom});

		assert_int_equal(l.main.title.rows + l.main.body.rows, cases[i].main);
		assert_int_equal(l.side.title.rows + l.side.body.rows, cases[i].side);
	}
}

static void wide_screen_has_panes_beside_each_other(void **state)
{
	struct layout l = layout_for(60, 200, false, 0);

	(void)state;
	assert_rect(l.main.title, 1, 0, 1, 119);
	assert_rect(l.divider, 1, 119, 55, 1);
	assert_rect(l.side.title, 1, 120, 1, 80);
	assert_rect(l.side.body, 2, 120, 54, 80);
	assert_rect(l.strip, 56, 0, 3, 200);
}

static void small_screens_keep_the_focused_pane(void **state)
{
	struct layout l = layout_for(5, 20, false, 0);

	(void)state;
	assert_rect(l.status, 0, 0, 1, 20);
	assert_rect(l.main.title, 1, 0, 1, 20);
	assert_rect(l.main.body, 2, 0, 2, 20);
	assert_rect(l.bottom, 4, 0, 1, 20);
	assert_int_equal(l.side.body.rows, 0);
	assert_int_equal(l.strip.rows, 0);
	l = layout_for(5, 20, true, 0);
	assert_rect(l.side.body, 2, 0, 2, 20);
	assert_int_equal(l.main.body.rows, 0);
	l = layout_for(1, 1, false, 0);
	assert_rect(l.bottom, 0, 0, 1, 1);
	assert_int_equal(l.status.rows, 0);
}

static void zoom_gives_room_to_the_focused_pane(void **state)
{
	struct layout l;

	(void)state;
	for (int focused = 0; focused < 2; focused++) {
		int before = 0;

		for (int zoom = 0; zoom <= LAYOUT_ZOOM_STEPS; zoom++) {
			int rows;

			l = layout_for(40, 100, focused, zoom);
			rows = (focused ? l.side : l.main).body.rows;
			assert_true(rows > before);
			before = rows;
		}
		/* everything between the lines: 40 - 1 - 3 - 1, and a title */
		assert_int_equal(before, 34);
	}
}

static void hits(void **state)
{
	struct rect r = {2, 3, 4, 5};

	(void)state;
	assert_true(layout_hit(r, 2, 3));
	assert_true(layout_hit(r, 5, 7));
	assert_false(layout_hit(r, 6, 7));
	assert_false(layout_hit(r, 5, 8));
	assert_false(layout_hit(r, 1, 3));
	assert_false(layout_hit((struct rect){0}, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size),
		cmocka_unit_test(usual_size),
		cmocka_unit_test(side_pane_takes_what_is_left),
		cmocka_unit_test(wide_screen_has_panes_beside_each_other),
		cmocka_unit_test(small_screens_keep_the_focused_pane),
		cmocka_unit_test(zoom_gives_room_to_the_focused_pane),
		cmocka_unit_test(hits),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
