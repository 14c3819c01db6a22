/* -f: turns that are written while the session is looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <unistd.h>

#include "tests/screened.h"
#include "tests/temp_file.h"

#define HEAD "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"model\":\"m\",\"config\":{}}\n"
#define TURN(id)                                                                                                       \
	"{\"type\":\"message\",\"id\":\"" id "\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"words of " id   \
	"\"}\n{\"type\":\"turn\"}\n"

static void append(const char *path, const char *bytes)
{
	FILE *f = fopen(path, "ab");

	assert_non_null(f);
	fputs(bytes, f);
	fclose(f);
}

/* As the loop does it when nothing comes for a while. */
static void look(struct screened *s)
{
	struct app *a = &s->script.app;

	app_follow_look(a);
	while (app_busy(a))
		app_job_step(a, 100);
}

static size_t turns(const struct screened *s) { return s->script.app.now->run.timeline.turns.n; }

static void open_followed(struct screened *s, struct temp_file *f, const char *text)
{
	temp_file_write(f, str_of(text));
	screened_open(s, f->path, 24, 80);
	s->request.follow = true;
}

static void test_grows(void **state)
{
	struct screened s;
	struct temp_file f = {0};

	(void)state;
	open_followed(&s, &f, HEAD TURN("r1") TURN("r2"));
	look(&s);
	assert_int_equal(turns(&s), 2);
	/* who stands at the end stays at the end */
	screened_press(&s, "$");
	append(f.path, TURN("r3"));
	assert_int_equal(turns(&s), 2);
	look(&s);
	assert_int_equal(turns(&s), 3);
	assert_int_equal(screened_turn(&s), 3);
	screened_expect(&s, "words of r3");
	/* and who stands elsewhere there, on the same row */
	screened_press(&s, "2gk");
	append(f.path, TURN("r4") TURN("r5"));
	look(&s);
	assert_int_equal(turns(&s), 5);
	assert_int_equal(screened_turn(&s), 2);
	assert_int_equal(s.script.app.panes[PANE_ROWS].at, 0);
	/* a line that is being written is read when it is there */
	screened_press(&s, "$");
	append(f.path, "{\"type\":\"message\",\"id\":\"r6\",\"role\":\"user\",\"contentTy");
	look(&s);
	assert_int_equal(turns(&s), 5);
	append(f.path, "pe\":\"text\",\"text\":\"words of r6\"}\n{\"type\":\"turn\"}\n");
	look(&s);
	assert_int_equal(screened_turn(&s), 6);
	screened_expect(&s, "words of r6");
	screened_close(&s);
	temp_file_remove(&f);
}

/* Breakpoints and marks hold on; a branch keeps what is shown until it is gone; a file that goes leaves it. */
static void test_what_stays(void **state)
{
	struct screened s;
	struct temp_file f = {0};

	(void)state;
	open_followed(&s, &f, HEAD TURN("r1") TURN("r2"));
	screened_press(&s, ":break<Space>turn=3<Enter>ma");
	append(f.path, TURN("r3"));
	look(&s);
	screened_press(&s, "c");
	assert_int_equal(screened_turn(&s), 3);
	screened_press(&s, "'a");
	assert_int_equal(screened_turn(&s), 1);
	screened_press(&s, "Dhide=full<Enter>");
	append(f.path, TURN("r4"));
	look(&s);
	assert_int_equal(turns(&s), 3);
	screened_press(&s, "q");
	assert_int_equal(truncate(f.path, 10), 0);
	look(&s);
	temp_file_remove(&f);
	look(&s);
	assert_int_equal(turns(&s), 3);
	screened_close(&s);
}

/* Without -f nothing is looked at. */
static void test_not_asked(void **state)
{
	struct screened s;
	struct temp_file f = {0};

	(void)state;
	open_followed(&s, &f, HEAD TURN("r1"));
	s.request.follow = false;
	append(f.path, TURN("r2"));
	look(&s);
	assert_int_equal(turns(&s), 1);
	screened_close(&s);
	temp_file_remove(&f);
}

/* A file that became none at all: what is shown stays, and it is said. */
static void test_becomes_unreadable(void **state)
{
	struct screened s;
	struct temp_file f = {0};

	(void)state;
	open_followed(&s, &f, HEAD TURN("r1"));
	assert_int_equal(truncate(f.path, 3), 0);
	look(&s);
	assert_int_equal(turns(&s), 1);
	screened_expect(&s, "cannot be read");
	screened_close(&s);
	temp_file_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows),
		cmocka_unit_test(test_what_stays),
		cmocka_unit_test(test_not_asked),
		cmocka_unit_test(test_becomes_unreadable),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
