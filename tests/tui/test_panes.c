/* tui/panes: scrolling and a selection that follows the key of a line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tui/panes.h"

/* A list given by the keys of its lines; a line reads "line KEY", its detail has KEY lines. */
static struct {
	uint64_t keys[64];
	size_t n;
} list;

static size_t fake_count(const struct view_context *c)
{
	(void)c;
	return list.n;
}

static uint64_t fake_key(const struct view_context *c, size_t i)
{
	(void)c;
	assert_true(i < list.n);
	return list.keys[i];
}

static void fake_line(const struct view_context *c, size_t i, struct line *out)
{
	line_printf(out, STYLE_PLAIN, " line %u", (unsigned)fake_key(c, i));
}

static size_t fake_detail_count(const struct view_context *c, uint64_t key)
{
	(void)c;
	return (size_t)key;
}

static void fake_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out)
{
	(void)c;
	assert_true(i < key);
	line_printf(out, STYLE_PLAIN, " detail %u of %u", (unsigned)i, (unsigned)key);
}

static const struct view_ops fake = {
	.name = "fake",
	.title = "Fake",
	.count = fake_count,
	.line = fake_line,
	.key = fake_key,
	.detail_count = fake_detail_count,
	.detail_line = fake_detail_line,
};

static const struct view_context context = {.width = 40};

/* "1 2 - 3": keys, - for a line that cannot be selected. */
static void set_list(const char *keys)
{
	list.n = 0;
	for (const char *at = keys; *at;) {
		char *end = (char *)at + 1;

		if (*at == ' ') {
			at++;
			continue;
		}
		list.keys[list.n++] = *at == '-' ? 0 : (uint64_t)strtoul(at, &end, 10);
		at = end;
	}
}

static void set_range(uint64_t from, uint64_t to)
{
	list.n = 0;
	for (uint64_t k = from; k <= to; k++)
		list.keys[list.n++] = k;
}

static struct pane new_pane(enum pane_id id, const char *keys, size_t height)
{
	struct pane p = {.id = id, .view = &fake, .tail = pane_kinds[id].tail};

	set_list(keys);
	pane_settle(&p, &context, height);
	return p;
}

/* The selected line is in the window and the window is full where it can be. */
static void check(const struct pane *p)
{
	if (list.n == 0)
		return;
	assert_true(p->at < list.n);
	assert_int_equal(p->key, list.keys[p->at]);
	if (p->open || p->height == 0)
		return;
	assert_true(p->top == 0 || p->top + p->height <= list.n);
	if (p->key != 0)
		assert_true(p->at >= p->top && p->at < p->top + p->height);
}

static void starts_on_the_first_line_that_can_be_selected(void **state)
{
	struct pane p = new_pane(PANE_NUDGE, "- - 7 8 9", 3);

	(void)state;
	assert_int_equal(p.key, 7);
	assert_int_equal(p.top, 0);
	check(&p);
}

static void the_rows_pane_starts_at_its_end(void **state)
{
	struct pane p = new_pane(PANE_ROWS, "1 2 3 4 5 6 -", 4);

	(void)state;
	assert_int_equal(p.key, 6);
	/* the rule behind the last row is in sight, too: lines 3..6 */
	assert_int_equal(p.top, 3);
}

static void selection_follows_its_key(void **state)
{
	struct pane p = new_pane(PANE_NUDGE, "1 2 3 4 5 6", 4);

	(void)state;
	pane_move(&p, &context, 2);
	assert_int_equal(p.key, 3);
	/* lines come and go before it */
	set_list("9 8 - 1 2 3 4");
	pane_settle(&p, &context, 4);
	assert_int_equal(p.key, 3);
	assert_int_equal(p.at, 5);
	check(&p);
	set_list("3 4");
	pane_settle(&p, &context, 4);
	assert_int_equal(p.at, 0);
	assert_int_equal(p.key, 3);
}

static void a_line_that_is_gone_is_selected_again_when_it_comes_back(void **state)
{
	struct pane p = new_pane(PANE_NUDGE, "1 2 3 4 5 6", 4);

	(void)state;
	pane_move(&p, &context, 3);
	assert_int_equal(p.key, 4);
	set_list("1 2 5 6");
	pane_settle(&p, &context, 4);
	assert_int_not_equal(p.key, 4);
	check(&p);
	set_list("1 2 3 4 5 6");
	pane_settle(&p, &context, 4);
	assert_int_equal(p.key, 4);
	/* once the user has moved on, it is forgotten */
	set_list("1 2 5 6");
	pane_settle(&p, &context, 4);
	pane_move(&p, &context, -1);
	uint64_t chosen = p.key;
	set_list("1 2 3 4 5 6");
	pane_settle(&p, &context, 4);
	assert_int_equal(p.key, chosen);
}

static void the_last_row_stays_the_last_row(void **state)
{
	struct pane p = new_pane(PANE_ROWS, "1 2 3", 4);

	(void)state;
	set_list("1 2 3 4 5 6");
	pane_settle(&p, &context, 4);
	assert_int_equal(p.key, 6);
	check(&p);
	/* above the end the key counts */
	pane_move(&p, &context, -1);
	assert_int_equal(p.key, 5);
	set_list("1 2 3 4 5 6 7 8");
	pane_settle(&p, &context, 4);
	assert_int_equal(p.key, 5);
	/* and back at the end new rows come into sight again */
	pane_to_last(&p, &context);
	assert_int_equal(p.key, 8);
	set_range(1, 12);
	pane_settle(&p, &context, 4);
	assert_int_equal(p.key, 12);
}

static void moves_skip_what_cannot_be_selected(void **state)
{
	struct pane p = new_pane(PANE_NUDGE, "1 - - 2 - 3 -", 7);

	(void)state;
	assert_true(pane_move(&p, &context, 1));
	assert_int_equal(p.key, 2);
	assert_true(pane_move(&p, &context, 1));
	assert_int_equal(p.key, 3);
	assert_false(pane_move(&p, &context, 1));
	assert_int_equal(p.key, 3);
	assert_true(pane_move(&p, &context, -5));
	assert_int_equal(p.key, 1);
	assert_false(pane_move(&p, &context, -1));
}

static void window_follows_the_selection(void **state)
{
	struct pane p = new_pane(PANE_NUDGE, "1", 5);

	(void)state;
	set_range(1, 20);
	pane_settle(&p, &context, 5);
	pane_move(&p, &context, 4);
	assert_int_equal(p.top, 0);
	pane_move(&p, &context, 1);
	assert_int_equal(p.top, 1);
	pane_to_line(&p, &context, 10);
	assert_int_equal(p.key, 11);
	check(&p);
	pane_to_last(&p, &context);
	assert_int_equal(p.key, 20);
	assert_int_equal(p.top, 15);
	pane_to_line(&p, &context, 0);
	assert_int_equal(p.key, 1);
	assert_int_equal(p.top, 0);
	/* a smaller window keeps the selection in sight */
	pane_to_line(&p, &context, 12);
	pane_settle(&p, &context, 2);
	assert_int_equal(p.key, 13);
	check(&p);
	pane_settle(&p, &context, 0);
	assert_int_equal(p.key, 13);
	pane_settle(&p, &context, 50);
	assert_int_equal(p.top, 0);
}

static void the_wheel_scrolls_and_takes_the_selection_along(void **state)
{
	struct pane p = new_pane(PANE_NUDGE, "1", 5);

	(void)state;
	set_range(1, 20);
	pane_settle(&p, &context, 5);
	pane_move(&p, &context, 2);
	pane_scroll(&p, &context, 2);
	assert_int_equal(p.top, 2);
	assert_int_equal(p.key, 3);
	pane_scroll(&p, &context, 3);
	assert_int_equal(p.top, 5);
	assert_int_equal(p.key, 6);
	pane_scroll(&p, &context, -100);
	assert_int_equal(p.top, 0);
	assert_int_equal(p.key, 5);
	pane_scroll(&p, &context, 100);
	assert_int_equal(p.top, 15);
	check(&p);
}

static void lists_without_a_selection_scroll(void **state)
{
	struct pane p = new_pane(PANE_NUDGE, "- - - - - -", 4);

	(void)state;
	assert_int_equal(p.key, 0);
	assert_true(pane_move(&p, &context, 1));
	assert_int_equal(p.top, 1);
	assert_true(pane_move(&p, &context, 9));
	assert_int_equal(p.top, 2);
	assert_false(pane_move(&p, &context, 1));
	assert_false(pane_toggle(&p, &context));
	pane_to_line(&p, &context, 0);
	assert_int_equal(p.top, 0);
}

static void an_opened_line_scrolls_and_stays_open(void **state)
{
	struct pane p = new_pane(PANE_NUDGE, "1 2 30", 5);

	(void)state;
	pane_to_last(&p, &context);
	assert_true(pane_toggle(&p, &context));
	assert_true(pane_move(&p, &context, 3));
	assert_int_equal(p.detail_top, 3);
	pane_to_last(&p, &context);
	assert_int_equal(p.detail_top, 25); /* 30 lines, 5 in the window */
	assert_false(pane_move(&p, &context, 1));
	/* another position, the same line */
	set_list("8 9 30 31");
	pane_settle(&p, &context, 5);
	assert_true(p.open);
	assert_int_equal(p.key, 30);
	assert_int_equal(p.detail_top, 25);
	/* gone: the detail of no other line is shown in its place */
	set_list("8 9");
	pane_settle(&p, &context, 5);
	assert_true(p.open);
	assert_false(pane_move(&p, &context, 1));
	assert_true(pane_toggle(&p, &context));
	assert_false(p.open);
}

static void clicks_select_the_line_under_them(void **state)
{
	struct pane p = new_pane(PANE_NUDGE, "1 - 3 4 5 6", 4);
	struct rect body = {0, 0, 4, 40};

	(void)state;
	assert_true(pane_select_at(&p, &context, body, 2));
	assert_int_equal(p.key, 3);
	assert_false(pane_select_at(&p, &context, body, 1));
	assert_int_equal(p.key, 3);
	pane_to_last(&p, &context);
	assert_true(pane_select_at(&p, &context, body, 0));
	assert_int_equal(p.key, 3); /* the window starts at the third line */
	assert_false(pane_select_at(&p, &context, body, 9));
	assert_false(pane_select_at(&p, &context, body, -1));
}

static void empty_lists_do_nothing(void **state)
{
	struct pane p = new_pane(PANE_ROWS, "", 4);

	(void)state;
	assert_int_equal(p.key, 0);
	assert_false(pane_move(&p, &context, 1));
	assert_false(pane_toggle(&p, &context));
	pane_to_last(&p, &context);
	pane_scroll(&p, &context, 3);
	set_list("1 2");
	pane_settle(&p, &context, 4);
	assert_int_equal(p.key, 2);
}

static void assert_screen(const struct pane *p, int rows, bool focused, const char *want)
{
	struct grid g = {.ascii = true};
	struct buf out = {0};
	struct view_context c = context;
	struct layout_pane where = {{0, 0, 1, 24}, {1, 0, rows - 1, 24}};

	c.ascii = true;
	c.width = 24;
	grid_resize(&g, rows, 24);
	pane_draw(p, &c, &g, where, focused);
	grid_dump(&g, &out);
	if (!str_eq(buf_view(&out), str_of(want)))
		fail_msg("got\n%swant\n%s", out.p, want);
	buf_free(&out);
	grid_free(&g);
}

/* The selected line is reversed and carries a glyph: no colour is needed to see it, or to see which pane has the focus.
 */
static void painting(void **state)
{
	struct pane p = new_pane(PANE_NUDGE, "1 2 3 4 5 6", 3);

	(void)state;
	pane_move(&p, &context, 1);
	assert_screen(&p, 4, true,
		      ">F6 Nudge            2/6\n"
		      "\t0-23 title-focus\n"
		      " line 1\n"
		      ">line 2\n"
		      "\t0-0 bold reverse\n"
		      "\t1-23 plain reverse\n"
		      " line 3\n");
	assert_screen(&p, 4, false,
		      " F6 Nudge ---------- 2/6\n"
		      "\t0-9 title\n"
		      "\t10-19 rule\n"
		      "\t21-23 title\n"
		      " line 1\n"
		      ">line 2\n"
		      "\t0-0 bold\n"
		      " line 3\n");
	assert_true(pane_toggle(&p, &context));
	pane_settle(&p, &context, 2);
	/* the opened line stands above its detail */
	assert_screen(&p, 4, true,
		      ">F6 Nudge > opened line\n"
		      "\t0-23 title-focus\n"
		      ">line 2\n"
		      "\t0-0 bold reverse\n"
		      "\t1-23 plain reverse\n"
		      " detail 0 of 2\n"
		      " detail 1 of 2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_on_the_first_line_that_can_be_selected),
		cmocka_unit_test(the_rows_pane_starts_at_its_end),
		cmocka_unit_test(selection_follows_its_key),
		cmocka_unit_test(a_line_that_is_gone_is_selected_again_when_it_comes_back),
		cmocka_unit_test(the_last_row_stays_the_last_row),
		cmocka_unit_test(moves_skip_what_cannot_be_selected),
		cmocka_unit_test(window_follows_the_selection),
		cmocka_unit_test(the_wheel_scrolls_and_takes_the_selection_along),
		cmocka_unit_test(lists_without_a_selection_scroll),
		cmocka_unit_test(an_opened_line_scrolls_and_stays_open),
		cmocka_unit_test(clicks_select_the_line_under_them),
		cmocka_unit_test(empty_lists_do_nothing),
		cmocka_unit_test(painting),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
