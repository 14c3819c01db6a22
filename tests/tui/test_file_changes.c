/*
 * The screen while the session file is changed, moved or a pipe: never a wrong
 * text, never an end, never a wait.
 */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/temp_file.h"
#include "tui/screen_script.h"

enum { TURNS = 40, CLOCK_STEP = 20000 /* us; clocks of file systems are coarse */ };

/* A tree: TURNS questions and answers, and a second branch from the first answer. */
static void put_session(struct buf *b)
{
	const char *parent = "null";
	char name[16];

	buf_text(b,
		 "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-09-20T08:00:00.000Z\",\"cwd\":"
		 "\"/x\"}\n");
	for (int i = 0; i < TURNS; i++) {
		buf_printf(b,
			   "{\"type\":\"message\",\"id\":\"u%d\",\"parentId\":%s,\"message\":{\"role\":\"user\","
			   "\"content\":\"question %d\"}}\n",
			   i, parent, i);
		buf_printf(
			b,
			"{\"type\":\"message\",\"id\":\"a%d\",\"parentId\":\"u%d\",\"message\":{\"role\":\"assistant\","
			"\"content\":[{\"type\":\"text\",\"text\":\"answer %d\"}]}}\n",
			i, i, i);
		snprintf(name, sizeof name, "\"a%d\"", i);
		parent = name;
	}
	buf_text(b, "{\"type\":\"message\",\"id\":\"u\",\"parentId\":\"a0\",\"message\":{\"role\":\"user\",\"content\":"
		    "\"the other way\"}}\n{\"type\":\"message\",\"id\":\"a\",\"parentId\":\"u\",\"message\":{\"role\":"
		    "\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"other answer\"}]}}\n");
}

struct open_session {
	struct temp_file file;
	struct cli_request request;
	struct screen_script s;
	struct buf screen;
};

static void open_session(struct open_session *o, const char *branch)
{
	struct buf b = {0};
	struct error e = {0};

	*o = (struct open_session){0};
	put_session(&b);
	temp_file_write(&o->file, buf_view(&b));
	buf_free(&b);
	usleep(CLOCK_STEP);
	o->request = (struct cli_request){.file = o->file.path, .branch = branch, .limit = (double)NAN};
	if (screen_open(&o->s, &o->request, 24, 100, false, &e) != STATUS_OK)
		fail_msg("%s", e.message);
}

static void close_session(struct open_session *o)
{
	screen_close(&o->s);
	buf_free(&o->screen);
	unlink(o->file.path);
}

static void press(struct open_session *o, const char *keys)
{
	struct error e = {0};

	assert_int_equal(screen_keys(&o->s, str_of(keys), &e), STATUS_OK);
	assert_false(o->s.quit);
	buf_cut(&o->screen, 0);
	screen_text(&o->s, &o->screen);
}

static bool shows(const struct open_session *o, const char *what) { return strstr(o->screen.p, what) != NULL; }

/* Every 'w' of an "answer" becomes another letter: the file is as long as it was, and read at the same offsets. */
static void rewrite(const char *path)
{
	FILE *f = fopen(path, "r+");
	int before = 0, c;

	assert_non_null(f);
	while ((c = fgetc(f)) != EOF) {
		if (before == 's' && c == 'w') {
			fseek(f, -1, SEEK_CUR);
			fputc('W', f);
			fseek(f, 0, SEEK_CUR);
		}
		before = c;
	}
	fclose(f);
	usleep(CLOCK_STEP);
}

static void rewritten(void **state)
{
	struct open_session o;

	(void)state;
	open_session(&o, "a39");
	press(&o, "$");
	assert_true(shows(&o, "answer 38") && !shows(&o, "changed on disk"));
	rewrite(o.file.path);
	press(&o, "3g");
	assert_false(shows(&o, "ansWer"));
	assert_true(shows(&o, "(the file changed on disk)"));
	assert_true(shows(&o, "file changed on disk: reopen it"));
	press(&o, "j"); /* told once */
	assert_false(shows(&o, "reopen it"));
	assert_false(shows(&o, "ansWer"));
	press(&o, "$");
	assert_false(shows(&o, "ansWer"));
	close_session(&o);
}

static void truncated(void **state)
{
	struct open_session o;

	(void)state;
	open_session(&o, "a39");
	press(&o, "$");
	assert_int_equal(truncate(o.file.path, 0), 0);
	usleep(CLOCK_STEP);
	press(&o, "3g");
	assert_true(shows(&o, "(the file changed on disk)") && shows(&o, "reopen it"));
	close_session(&o);
}

/* Its writer goes on: nothing to tell. */
static void appended(void **state)
{
	struct open_session o;
	FILE *f;

	(void)state;
	open_session(&o, "a39");
	f = fopen(o.file.path, "a");
	assert_non_null(f);
	fputs("{\"type\":\"message\",\"id\":\"z\",\"parentId\":\"a\",\"message\":{}}\n", f);
	fclose(f);
	usleep(CLOCK_STEP);
	press(&o, "$");
	assert_true(shows(&o, "answer 38") && !shows(&o, "changed on disk"));
	press(&o, "3g");
	assert_true(shows(&o, "answer 1") && !shows(&o, "changed on disk"));
	close_session(&o);
}

/* The list, and the branch above the one shown, which is the last. */
#define OTHER_BRANCH "Bk^M"

static void branch_of_file(void **state)
{
	struct open_session o;

	(void)state;
	open_session(&o, NULL);
	press(&o, "$");
	assert_true(shows(&o, "the other way"));
	press(&o, OTHER_BRANCH);
	press(&o, "$");
	assert_true(shows(&o, "answer 38") && !shows(&o, "the other way"));
	close_session(&o);
}

/* What cannot be opened again is told; the branch that is shown stays, with its turns. */
static void branch_of_lost_file(void **state)
{
	static const char *const losses[] = {"gone", "cut", "other", "folder", "pipe"};

	(void)state;
	for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
		struct open_session o;

		open_session(&o, NULL);
		press(&o, "$");
		switch (i) {
		case 1:
			assert_int_equal(truncate(o.file.path, 0), 0);
			break;
		case 2:
			assert_int_equal(truncate(o.file.path, 150), 0);
			break;
		default:
			unlink(o.file.path);
			assert_int_equal(i == 3 ? mkdir(o.file.path, 0700) : i == 4 ? mkfifo(o.file.path, 0600) : 0, 0);
		}
		press(&o, OTHER_BRANCH);
		assert_true(shows(&o, i == 0 || i > 2 ? "cannot be read again: use --branch" : "this branch stays"));
		assert_true(o.s.app.now->phase == APP_READY && o.s.app.now->has_frame);
		if (i == 0 || i > 2) {
			press(&o, "$");
			assert_true(shows(&o, "the other way"));
		}
		press(&o, "1g");
		if (i == 3)
			rmdir(o.file.path);
		close_session(&o);
	}
}

/* A session that came through a pipe has no second time. */
static void branch_of_pipe(void **state)
{
	struct open_session o = {0};
	struct buf b = {0};
	struct error e = {0};
	char path[32];
	int ends[2];

	(void)state;
	put_session(&b);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], b.p, b.n), b.n);
	close(ends[1]);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
	o.request = (struct cli_request){.file = path, .limit = (double)NAN};
	assert_int_equal(screen_open(&o.s, &o.request, 24, 100, false, &e), STATUS_OK);
	close(ends[0]);
	press(&o, "$" OTHER_BRANCH);
	assert_true(shows(&o, "cannot be read again: use --branch"));
	assert_true(shows(&o, "the other way"));
	screen_close(&o.s);
	buf_free(&o.screen);
	buf_free(&b);
}

/* Whatever is named beside the session may be a pipe without a writer: told, never waited for. */
static void named_pipes(void **state)
{
	struct temp_file f;
	struct buf b = {0};
	char pipe_path[600];

	(void)state;
	put_session(&b);
	temp_file_write(&f, buf_view(&b));
	snprintf(pipe_path, sizeof pipe_path, "%s.pipe", f.path);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	for (int i = 0; i < 4; i++) {
		struct cli_request request = {.file = f.path, .limit = (double)NAN};
		struct screen_script s;
		struct error e = {0};

		*(i == 0   ? &request.state
		  : i == 1 ? &request.log
		  : i == 2 ? &request.config
			   : &request.prices) = pipe_path;
		alarm(20);
		assert_int_not_equal(screen_open(&s, &request, 24, 100, false, &e), STATUS_OK);
		alarm(0);
		assert_non_null(strstr(e.message, "nobody writes"));
	}
	unlink(pipe_path);
	temp_file_remove(&f);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rewritten),
		cmocka_unit_test(truncated),
		cmocka_unit_test(appended),
		cmocka_unit_test(branch_of_file),
		cmocka_unit_test(branch_of_lost_file),
		cmocka_unit_test(branch_of_pipe),
		cmocka_unit_test(named_pipes),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
