/* What is remembered of a session: kept, void for another content, damaged, nowhere to write; and only below XDG. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/session_state.h"
#include "replay/xdg.h"
#include "tests/temp_file.h"

#define ID STR("session-1")

static char home[64];

static int set_up(void **state)
{
	(void)state;
	snprintf(home, sizeof home, "/tmp/acpdbg-test-XXXXXX");
	if (!mkdtemp(home))
		return 1;
	return setenv("XDG_STATE_HOME", home, 1) || setenv("XDG_CONFIG_HOME", home, 1);
}

static int tear_down(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", home);
	return system(command);
}

static void remember(const char *file, const char *json)
{
	struct session_state s;
	struct error e = {0};

	session_state_open(&s, file, ID, &e);
	session_state_set(&s, "marks", str_of(json));
	assert_int_equal(session_state_save(&s, &e), STATUS_OK);
	session_state_free(&s);
}

static void expect(const char *file, struct str id, enum status st, const char *json)
{
	struct session_state s;
	struct error e = {0};

	assert_int_equal(session_state_open(&s, file, id, &e), st);
	assert_true(str_eq(session_state_get(&s, "marks"), str_of(json)));
	assert_int_equal(e.file[0] != '\0', st != STATUS_OK);
	session_state_free(&s);
}

static void append(const char *file, const char *bytes)
{
	int fd = open(file, O_WRONLY | O_APPEND);

	assert_true(fd >= 0 && write(fd, bytes, strlen(bytes)) == (ssize_t)strlen(bytes));
	close(fd);
}

/* Other bytes of the same length at the start or the end, and the same time again. */
static void rewrite(const char *file, bool at_start, bool keep_time)
{
	struct stat st;
	struct timespec times[2];
	int fd = open(file, O_WRONLY);

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	assert_int_equal(pwrite(fd, "#", 1, at_start ? 0 : st.st_size - 1), 1);
	times[0] = times[1] = st.st_mtim;
	if (keep_time)
		assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static void test_kept(void **state)
{
	struct temp_file f = {0};
	struct buf big = {0};

	(void)state;
	temp_file_write(&f, STR("{}\n"));
	expect(f.path, ID, STATUS_OK, "");
	remember(f.path, "{\"a\":12}");
	expect(f.path, ID, STATUS_OK, "{\"a\":12}");
	/* another session in the same file has its own memory */
	expect(f.path, STR("session-2"), STATUS_OK, "");
	/* a file that grows is the same session, however small it was */
	append(f.path, "{\"type\":\"turn\"}\n");
	expect(f.path, ID, STATUS_OK, "{\"a\":12}");
	remember(f.path, "");
	expect(f.path, ID, STATUS_OK, "");
	temp_file_remove(&f);

	for (int i = 0; i < 3 * SESSION_STATE_EDGE; i++)
		buf_char(&big, (char)('a' + i % 26));
	temp_file_write(&f, buf_view(&big));
	remember(f.path, "[1]");
	append(f.path, "more");
	expect(f.path, ID, STATUS_OK, "[1]");
	rewrite(f.path, false, false);
	/* what was added since is not looked at */
	expect(f.path, ID, STATUS_OK, "[1]");
	temp_file_remove(&f);
	buf_free(&big);
}

static void test_other_content(void **state)
{
	(void)state;
	for (int way = 0; way < 4; way++) {
		struct temp_file f = {0};

		temp_file_write(&f, STR("{\"type\":\"session\"}\n"));
		remember(f.path, "[1]");
		if (way < 3)
			rewrite(f.path, way == 0, way < 2);
		else
			assert_int_equal(truncate(f.path, 5), 0);
		expect(f.path, ID, STATUS_DATA, "");
		/* and what is remembered now takes its place */
		remember(f.path, "[2]");
		expect(f.path, ID, STATUS_OK, "[2]");
		temp_file_remove(&f);
	}
}

static void test_damaged(void **state)
{
	static const char *const texts[] = {"",
					    "{",
					    "[]",
					    "{}",
					    "{\"version\":2}",
					    "{\"version\":1}",
					    "\xff\xfe",
					    "{\"version\":1,\"session\":\"session-1\",\"file\":{\"size\":\"9x\"}}"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct temp_file f = {0};
		struct session_state s;
		struct error e = {0};
		FILE *out;

		temp_file_write(&f, STR("{}\n"));
		remember(f.path, "[1]");
		session_state_open(&s, f.path, ID, &e);
		out = fopen(s.path.p, "wb");
		assert_non_null(out);
		fputs(texts[i], out);
		fclose(out);
		session_state_free(&s);
		expect(f.path, ID, STATUS_DATA, "");
		temp_file_remove(&f);
	}
}

/* The file is the user's alone, and the session's directory gets nothing. */
static void test_place(void **state)
{
	struct temp_file f = {0};
	struct session_state s;
	struct error e = {0};
	struct stat st;

	(void)state;
	temp_file_write(&f, STR("{}\n"));
	remember(f.path, "[1]");
	assert_int_equal(session_state_open(&s, f.path, ID, &e), STATUS_OK);
	assert_int_equal(strncmp(s.path.p, home, strlen(home)), 0);
	assert_int_equal(stat(s.path.p, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	session_state_free(&s);
	temp_file_remove(&f);
}

static void test_nowhere(void **state)
{
	struct session_state s;
	struct error e = {0};
	struct temp_file f = {0}, blocker = {0};

	(void)state;
	/* no file, no memory, no fault */
	assert_int_equal(session_state_open(&s, "-", ID, &e), STATUS_OK);
	session_state_set(&s, "marks", STR("[1]"));
	assert_int_equal(session_state_save(&s, &e), STATUS_OK);
	session_state_free(&s);
	/* a state directory that cannot be made */
	temp_file_write(&f, STR("{}\n"));
	temp_file_write(&blocker, STR(""));
	setenv("XDG_STATE_HOME", blocker.path, 1);
	session_state_open(&s, f.path, ID, &e);
	session_state_set(&s, "marks", STR("[1]"));
	assert_int_equal(session_state_save(&s, &e), STATUS_IO);
	assert_true(s.changed);
	session_state_free(&s);
	setenv("XDG_STATE_HOME", home, 1);
	temp_file_remove(&f);
	temp_file_remove(&blocker);
}

static void test_paths(void **state)
{
	struct buf b = {0};

	(void)state;
	setenv("XDG_CONFIG_HOME", "relative", 1);
	setenv("HOME", "/home/someone", 1);
	assert_true(xdg_path(XDG_CONFIG, "config.json", &b));
	assert_string_equal(b.p, "/home/someone/.config/acpdbg/config.json");
	buf_cut(&b, 0);
	setenv("XDG_CONFIG_HOME", "/etc/x", 1);
	assert_true(xdg_path(XDG_CONFIG, "config.json", &b));
	assert_string_equal(b.p, "/etc/x/acpdbg/config.json");
	buf_cut(&b, 0);
	unsetenv("XDG_STATE_HOME");
	assert_true(xdg_path(XDG_STATE, "layout.json", &b));
	assert_string_equal(b.p, "/home/someone/.local/state/acpdbg/layout.json");
	setenv("XDG_STATE_HOME", home, 1);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),  cmocka_unit_test(test_other_content), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_place), cmocka_unit_test(test_nowhere),       cmocka_unit_test(test_paths),
	};

	return !!cmocka_run_group_tests(tests, set_up, tear_down);
}
