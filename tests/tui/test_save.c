/* What s writes: screens and slices, under names of their own, and never over what is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/screened.h"

#define SESSION "sample-sessions/plain.acps.jsonl"

static void save(struct screened *s, const char *turns, const char *name)
{
	struct buf b = {0};

	buf_printf(&b, "save %s%s%s/%s", turns, *turns ? " " : "", screened_home, name);
	s->script.app.argument = (struct str){b.p + 5, b.n - 5};
	app_act(&s->script.app, ACTION_SAVE, 0);
	buf_free(&b);
}

static void read_back(const char *name, struct buf *b)
{
	char path[100];

	snprintf(path, sizeof path, "%s/%s", screened_home, name);
	screened_read_file(path, b);
}

static void test_screen(void **state)
{
	struct screened s;
	struct buf saved = {0}, again = {0}, shown = {0};

	(void)state;
	screened_open(&s, SESSION, 24, 80);
	screen_text(&s.script, &shown);
	save(&s, "", "one.txt");
	read_back("one.txt", &saved);
	assert_true(str_eq(buf_view(&saved), buf_view(&shown)));
	/* the second one of the name is not written */
	screened_press(&s, "...");
	save(&s, "", "one.txt");
	assert_non_null(strstr(s.script.app.message.p, "nothing is overwritten"));
	read_back("one.txt", &again);
	assert_true(str_eq(buf_view(&saved), buf_view(&again)));
	save(&s, "", "one.svg");
	buf_cut(&again, 0);
	read_back("one.svg", &again);
	assert_true(str_starts(buf_view(&again), STR("<svg ")));
	save(&s, "", "no-such-screened_home/one.txt");
	assert_non_null(strstr(s.script.app.message.p, "cannot be written"));
	/* a name that says no format is asked for again */
	save(&s, "", "one");
	assert_true(s.script.app.ask.prompt.active);
	screened_close(&s);
	buf_free(&saved);
	buf_free(&again);
	buf_free(&shown);
}

/* The screen of the slice's first turn is that of the turn in the whole, but for the numbers of turns. */
static void test_slice(void **state)
{
	struct screened s, part;
	char path[100];
	uint32_t rows;

	(void)state;
	screened_open(&s, SESSION, 24, 80);
	screened_press(&s, "9g");
	save(&s, "", "up-to-here.acps.jsonl");
	save(&s, "9..12", "some.acps.jsonl");
	assert_int_equal(s.script.app.now->frame.at.turn, 9);
	rows = s.script.app.now->frame.surface_rows;
	snprintf(path, sizeof path, "%s/up-to-here.acps.jsonl", screened_home);
	screened_open(&part, path, 24, 80);
	assert_int_equal(part.script.app.now->run.timeline.turns.n, 9);
	screened_close(&part);
	snprintf(path, sizeof path, "%s/some.acps.jsonl", screened_home);
	screened_open(&part, path, 24, 80);
	assert_int_equal(part.script.app.now->run.timeline.turns.n, 4);
	assert_int_equal(part.script.app.now->frame.surface_rows, rows);
	screened_close(&part);
	save(&s, "9..99", "bad.acps.jsonl");
	assert_true(s.script.app.ask.prompt.active && s.script.app.ask.faulty);
	screened_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_screen), cmocka_unit_test(test_slice)};

	return !!cmocka_run_group_tests(tests, screened_set_up_home, screened_tear_down_home);
}
