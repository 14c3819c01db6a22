/* What goes to the clipboard, and how: by a command, or as OSC 52 (base64: the vectors of RFC 4648, 10). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/screened.h"
#include "tests/temp_file.h"
#include "tui/clipboard.h"

static void test_osc(void **state)
{
	static const char *const vectors[][2] = {{"", ""},
						 {"f", "Zg=="},
						 {"fo", "Zm8="},
						 {"foo", "Zm9v"},
						 {"foob", "Zm9vYg=="},
						 {"fooba", "Zm9vYmE="},
						 {"foobar", "Zm9vYmFy"},
						 {"\xff\xfe\xfd", "//79"}};

	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		struct buf b = {0}, want = {0};

		clipboard_put_osc(&b, str_of(vectors[i][0]));
		buf_printf(&want, "\033]52;c;%s\a", vectors[i][1]);
		assert_string_equal(b.p, want.p);
		buf_free(&b);
		buf_free(&want);
	}
}

static void test_command(void **state)
{
	struct temp_file f = {0};
	struct buf command = {0}, big = {0}, got = {0};
	struct error e = {0};

	(void)state;
	temp_file_write(&f, STR(""));
	for (int i = 0; i < 300000; i++)
		buf_char(&big, (char)('a' + i % 26));
	buf_printf(&command, "cat > '%s'", f.path);
	assert_int_equal(clipboard_run(command.p, buf_view(&big), &e), STATUS_OK);
	screened_read_file(f.path, &got);
	assert_true(str_eq(buf_view(&got), buf_view(&big)));
	/* one that fails, one that does not read, one that is none */
	assert_int_equal(clipboard_run("exit 3", buf_view(&big), &e), STATUS_IO);
	assert_non_null(strstr(e.message, "exit code 3"));
	assert_int_equal(clipboard_run("true", STR("x"), &e), STATUS_OK);
	assert_int_equal(clipboard_run("no-such-command-anywhere", STR("x"), &e), STATUS_IO);
	/* one that never ends, whether it reads or not, does not hold the screen up; what it started ends, too */
	assert_int_equal(clipboard_run("cat >/dev/null; sleep 1000 & sleep 1000", STR("x"), &e), STATUS_IO);
	assert_non_null(strstr(e.message, "took longer than 3 s"));
	assert_int_equal(clipboard_run("sleep 1000", buf_view(&big), &e), STATUS_IO);
	/* one that goes on behind it (xclip does) may */
	assert_int_equal(clipboard_run("cat >/dev/null; sleep 1 &", buf_view(&big), &e), STATUS_OK);
	temp_file_remove(&f);
	buf_free(&command);
	buf_free(&big);
	buf_free(&got);
}

/* The session: two rows and a turn; the second row has a line feed and an escape sequence in its text. */
#define SECOND                                                                                                         \
	"{\"type\":\"message\",\"id\":\"r2\",\"role\":\"assistant\",\"contentType\":\"text\",\"text\":\"a\\n\\u001b["  \
	"31mb\"}"

static void test_what(void **state)
{
	static const struct {
		const char *keys, *copied;
	} cases[] = {
		{"Gyr", "m00002"},      {"Gyt", "a\n\033[31mb"}, {"Gyj", SECOND},
		{"<Home>yr", "m00001"}, {"<Home>yt", "Hello."},  {":copy<Space>ref<Enter>", "m00002"},
	};
	struct temp_file f = {0};
	struct screened s;

	(void)state;
	temp_file_write(&f, STR("{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"model\":\"m\","
				"\"config\":{}}\n{\"type\":\"message\",\"id\":\"r1\",\"role\":\"user\",\"contentType\":"
				"\"text\",\"text\":\"Hello.\"}\n" SECOND "\n{\"type\":\"turn\"}\n"));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		screened_open(&s, f.path, 24, 80);
		screened_press(&s, cases[i].keys);
		assert_true(s.script.flags & APP_COPY);
		assert_true(str_eq(buf_view(&s.script.app.copied), str_of(cases[i].copied)));
		screened_close(&s);
	}
	/* the kernel alone sends no request, and a wrong key copies nothing */
	screened_open(&s, f.path, 24, 80);
	screened_press(&s, "ybyzy<Esc>");
	assert_false(s.script.flags & APP_COPY);
	screened_close(&s);
	temp_file_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_osc),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_what),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
