/* What s writes: screens and slices, under names of their own, and never over what is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <unistd.h>

#include "tests/temp_file.h"
#include "tui/app_parts.h"
#include "tui/screen_script.h"

#define SESSION "sample-sessions/plain.acps.jsonl"

static char folder[] = "/tmp/acpdbg-test-XXXXXX";
static struct cli_request request;

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static int tear_down(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

static void open_file(struct screen_script *s, const char *file)
{
	struct error e = {0};

	request = (struct cli_request){.file = file, .limit = (double)NAN};
	if (screen_open(s, &request, 24, 80, false, &e) != STATUS_OK)
		fail_msg("%s: %s", file, e.message);
}

static void save(struct screen_script *s, const char *turns, const char *name)
{
	struct buf b = {0};

	buf_printf(&b, "save %s%s%s/%s", turns, *turns ? " " : "", folder, name);
	s->app.argument = (struct str){b.p + 5, b.n - 5};
	app_act(&s->app, ACTION_SAVE, 0);
	buf_free(&b);
}

static void read_back(const char *name, struct buf *b)
{
	char path[100], chunk[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
		buf_bytes(b, chunk, n);
	fclose(f);
}

static void test_screen(void **state)
{
	struct screen_script s;
	struct buf saved = {0}, again = {0}, shown = {0};

	(void)state;
	open_file(&s, SESSION);
	screen_text(&s, &shown);
	save(&s, "", "one.txt");
	read_back("one.txt", &saved);
	assert_true(str_eq(buf_view(&saved), buf_view(&shown)));
	/* the second one of the name is not written */
	screen_keys(&s, STR("..."), NULL);
	save(&s, "", "one.txt");
	assert_non_null(strstr(s.app.message.p, "nothing is overwritten"));
	read_back("one.txt", &again);
	assert_true(str_eq(buf_view(&saved), buf_view(&again)));
	save(&s, "", "one.svg");
	buf_cut(&again, 0);
	read_back("one.svg", &again);
	assert_true(str_starts(buf_view(&again), STR("<svg ")));
	save(&s, "", "no-such-folder/one.txt");
	assert_non_null(strstr(s.app.message.p, "cannot be written"));
	/* a name that says no format is asked for again */
	save(&s, "", "one");
	assert_true(s.app.ask.prompt.active);
	screen_close(&s);
	buf_free(&saved);
	buf_free(&again);
	buf_free(&shown);
}

/* The screen of the slice's first turn is that of the turn in the whole, but for the numbers of turns. */
static void test_slice(void **state)
{
	struct screen_script s, part;
	char path[100];
	uint32_t rows;

	(void)state;
	open_file(&s, SESSION);
	screen_keys(&s, STR("9g"), NULL);
	save(&s, "", "up-to-here.acps.jsonl");
	save(&s, "9..12", "some.acps.jsonl");
	assert_int_equal(s.app.now->frame.at.turn, 9);
	rows = s.app.now->frame.surface_rows;
	snprintf(path, sizeof path, "%s/up-to-here.acps.jsonl", folder);
	open_file(&part, path);
	assert_int_equal(part.app.now->run.timeline.turns.n, 9);
	screen_close(&part);
	snprintf(path, sizeof path, "%s/some.acps.jsonl", folder);
	open_file(&part, path);
	assert_int_equal(part.app.now->run.timeline.turns.n, 4);
	assert_int_equal(part.app.now->frame.surface_rows, rows);
	screen_close(&part);
	save(&s, "9..99", "bad.acps.jsonl");
	assert_true(s.app.ask.prompt.active && s.app.ask.faulty);
	screen_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_screen), cmocka_unit_test(test_slice)};

	return !!cmocka_run_group_tests(tests, set_up, tear_down);
}
