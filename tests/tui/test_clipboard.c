/* What goes to the clipboard, and how: by a command, or as OSC 52 (base64: the vectors of RFC 4648, 10). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "tests/temp_file.h"
#include "tui/clipboard.h"
#include "tui/screen_script.h"

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

static void read_back(const char *path, struct buf *b)
{
	char chunk[4096];
	size_t n;
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
		buf_bytes(b, chunk, n);
	fclose(f);
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
	read_back(f.path, &got);
	assert_true(str_eq(buf_view(&got), buf_view(&big)));
	/* one that fails, one that does not read, one that is none */
	assert_int_equal(clipboard_run("exit 3", buf_view(&big), &e), STATUS_IO);
	assert_non_null(strstr(e.message, "exit code 3"));
	assert_int_equal(clipboard_run("true", STR("x"), &e), STATUS_OK);
	assert_int_equal(clipboard_run("no-such-command-anywhere", STR("x"), &e), STATUS_IO);
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
	struct cli_request request = {.limit = (double)NAN};
	struct screen_script s;
	struct error e = {0};

	(void)state;
	temp_file_write(&f, STR("{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"model\":\"m\","
				"\"config\":{}}\n{\"type\":\"message\",\"id\":\"r1\",\"role\":\"user\",\"contentType\":"
				"\"text\",\"text\":\"Hello.\"}\n" SECOND "\n{\"type\":\"turn\"}\n"));
	request.file = f.path;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(screen_open(&s, &request, 24, 80, false, &e), STATUS_OK);
		assert_int_equal(screen_keys(&s, str_of(cases[i].keys), &e), STATUS_OK);
		assert_true(s.flags & APP_COPY);
		assert_true(str_eq(buf_view(&s.app.copied), str_of(cases[i].copied)));
		screen_close(&s);
	}
	/* the kernel alone sends no request, and a wrong key copies nothing */
	assert_int_equal(screen_open(&s, &request, 24, 80, false, &e), STATUS_OK);
	assert_int_equal(screen_keys(&s, STR("ybyzy<Esc>"), &e), STATUS_OK);
	assert_false(s.flags & APP_COPY);
	screen_close(&s);
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
