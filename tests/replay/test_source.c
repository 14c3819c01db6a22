#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/buf.h"
#include "replay/source.h"
#include "tests/temp_file.h"

/* A source over these bytes: a file, or a pipe (which is held in memory). */
static void open_bytes(struct source *s, struct str bytes, bool pipe_wanted)
{
	struct temp_file f;
	struct error e;
	char path[32];
	int ends[2];

	if (!pipe_wanted) {
		temp_file_write(&f, bytes);
		assert_int_equal(source_open(s, f.path, &e), STATUS_OK);
		assert_int_equal(s->fd >= 0, bytes.n > 0); /* without bytes it could be one that has no size */
		temp_file_remove(&f);
		return;
	}
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes.p, bytes.n), bytes.n);
	close(ends[1]);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
	assert_int_equal(source_open(s, path, &e), STATUS_OK);
	assert_int_equal(s->fd, -1);
	close(ends[0]);
}

static void expect_line(struct line_walker *w, struct str text, uint64_t at, uint64_t number, bool torn)
{
	struct source_line line;

	assert_true(line_walker_next(w, &line));
	assert_int_equal(line.n, text.n);
	assert_memory_equal(line.p, text.p, text.n);
	assert_int_equal(line.at, at);
	assert_int_equal(line.number, number);
	assert_int_equal(line.torn, torn);
	assert_false(line.cut);
}

static void lines_and_offsets(void **state)
{
	static const char bytes[] = "one\n\r\nth\0ree\r\n\nlast";
	int way;

	(void)state;
	for (way = 0; way < 2; way++) {
		struct line_walker w;
		struct source_line line;
		struct source s;

		open_bytes(&s, (struct str){bytes, sizeof bytes - 1}, way);
		line_walker_init(&w, &s);
		expect_line(&w, STR("one"), 0, 1, false);
		expect_line(&w, STR("\r"), 4, 2, false);
		expect_line(&w, STR("th\0ree\r"), 6, 3, false);
		expect_line(&w, STR(""), 14, 4, false);
		expect_line(&w, STR("last"), 15, 5, true);
		assert_false(line_walker_next(&w, &line));
		assert_false(line_walker_next(&w, &line));
		line_walker_free(&w);
		source_close(&s);
	}
}

static void final_line_feed_makes_no_line(void **state)
{
	int way;

	(void)state;
	for (way = 0; way < 2; way++) {
		struct line_walker w;
		struct source_line line;
		struct source s;

		open_bytes(&s, STR("a\n"), way);
		line_walker_init(&w, &s);
		expect_line(&w, STR("a"), 0, 1, false);
		assert_false(line_walker_next(&w, &line));
		line_walker_free(&w);
		source_close(&s);
	}
}

static void empty_source(void **state)
{
	int way;

	(void)state;
	for (way = 0; way < 2; way++) {
		struct line_walker w;
		struct source_line line;
		struct source s;
		struct arena a = {0};

		open_bytes(&s, STR(""), way);
		assert_int_equal(s.size, 0);
		line_walker_init(&w, &s);
		assert_false(line_walker_next(&w, &line));
		assert_int_equal(source_read(&s, 0, 10, &a).n, 0);
		line_walker_free(&w);
		source_close(&s);
		arena_free(&a);
	}
}

/* Lines that are longer and shorter than what is read at once. */
static void long_lines(void **state)
{
	size_t lengths[] = {5, 3500000, 0, 1048576, 1048575, 1, 7000000, 2}, i, k;
	struct buf bytes = {0};
	struct line_walker w;
	struct source_line line;
	struct source s;
	uint64_t at = 0;

	(void)state;
	for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		for (k = 0; k < lengths[i]; k++)
			buf_char(&bytes, (char)('a' + (i + k) % 26));
		buf_char(&bytes, '\n');
	}
	open_bytes(&s, buf_view(&bytes), false);
	line_walker_init(&w, &s);
	for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		assert_true(line_walker_next(&w, &line));
		assert_int_equal(line.n, lengths[i]);
		assert_int_equal(line.at, at);
		assert_memory_equal(line.p, bytes.p + at, line.n);
		at += lengths[i] + 1;
	}
	assert_false(line_walker_next(&w, &line));
	line_walker_free(&w);
	source_close(&s);
	buf_free(&bytes);
}

/* A line beyond the limit is cut; the next one is whole. */
static void cut_lines(void **state)
{
	struct buf bytes = {0};
	int way, i;

	(void)state;
	buf_text(&bytes, "ab\n");
	for (i = 0; i < 5000; i++)
		buf_text(&bytes, "0123456789");
	buf_text(&bytes, "\nxyz\nlast line, too long, no LF");
	for (way = 0; way < 2; way++) {
		struct line_walker w;
		struct source_line line;
		struct source s;

		open_bytes(&s, buf_view(&bytes), way);
		line_walker_init(&w, &s);
		w.max = 8;
		expect_line(&w, STR("ab"), 0, 1, false);
		assert_true(line_walker_next(&w, &line));
		assert_true(line.cut);
		assert_int_equal(line.n, 8);
		assert_memory_equal(line.p, "01234567", 8);
		assert_int_equal(line.at, 3);
		assert_int_equal(line.number, 2);
		expect_line(&w, STR("xyz"), 50004, 3, false);
		assert_true(line_walker_next(&w, &line));
		assert_true(line.cut);
		assert_int_equal(line.at, 50008);
		assert_false(line_walker_next(&w, &line));
		line_walker_free(&w);
		source_close(&s);
	}
	buf_free(&bytes);
}

/* The same, where the line is also longer than what is read at once. */
static void cut_line_of_megabytes(void **state)
{
	struct buf bytes = {0};
	struct line_walker w;
	struct source_line line;
	struct source s;
	int i;

	(void)state;
	for (i = 0; i < 9000000; i++)
		buf_char(&bytes, 'x');
	buf_text(&bytes, "\nend\n");
	open_bytes(&s, buf_view(&bytes), false);
	line_walker_init(&w, &s);
	w.max = 100;
	assert_true(line_walker_next(&w, &line));
	assert_true(line.cut);
	assert_int_equal(line.n, 100);
	expect_line(&w, STR("end"), 9000001, 2, false);
	assert_false(line_walker_next(&w, &line));
	line_walker_free(&w);
	source_close(&s);
	buf_free(&bytes);
}

static void pieces(void **state)
{
	int way;

	(void)state;
	for (way = 0; way < 2; way++) {
		struct arena a = {0};
		struct source s;
		struct str piece;

		open_bytes(&s, STR("0123456789"), way);
		assert_int_equal(s.size, 10);
		piece = source_read(&s, 3, 4, &a);
		assert_int_equal(piece.n, 4);
		assert_memory_equal(piece.p, "3456", 4);
		assert_int_equal(source_read(&s, 8, 100, &a).n, 2);
		assert_int_equal(source_read(&s, 10, 1, &a).n, 0);
		assert_int_equal(source_read(&s, UINT64_MAX, SIZE_MAX, &a).n, 0);
		source_close(&s);
		arena_free(&a);
	}
}

/* The writer of the file cuts it while it is open here. */
static void file_cut_meanwhile(void **state)
{
	struct temp_file f;
	struct source s;
	struct error e;
	struct arena a = {0};
	struct line_walker w;
	struct source_line line;

	(void)state;
	temp_file_write(&f, STR("first\nsecond\n"));
	assert_int_equal(source_open(&s, f.path, &e), STATUS_OK);
	assert_int_equal(truncate(f.path, 8), 0);
	assert_int_equal(source_read(&s, 6, 6, &a).n, 2);
	line_walker_init(&w, &s);
	expect_line(&w, STR("first"), 0, 1, false);
	expect_line(&w, STR("se"), 6, 2, true);
	assert_false(line_walker_next(&w, &line));
	line_walker_free(&w);
	source_close(&s);
	arena_free(&a);
	temp_file_remove(&f);
}

static void what_cannot_be_opened(void **state)
{
	struct source s;
	struct error e;

	(void)state;
	assert_int_equal(source_open(&s, "/nowhere/at/all", &e), STATUS_NO_INPUT);
	assert_string_equal(e.file, "/nowhere/at/all");
	assert_int_equal(source_open(&s, "tests", &e), STATUS_DATA);
	assert_non_null(strstr(e.message, "directory"));
	assert_int_equal(source_open(&s, "/dev/null", &e), STATUS_DATA);
	assert_non_null(strstr(e.message, "is a device, not a session file"));
	assert_int_equal(source_open_as(&s, "tests", "a file of prices", &e), STATUS_DATA);
	assert_non_null(strstr(e.message, "is a directory, not a file of prices"));
	assert_int_equal(source_open(&s, "/nowhere", NULL), STATUS_NO_INPUT);
	source_close(&s); /* allowed after a failure */
}

/* A named pipe is not waited for but where that is wanted; what has a writer is read to its end. */
static void named_pipe(void **state)
{
	struct source s;
	struct error e;
	struct temp_file f;
	int fd;

	(void)state;
	temp_file_write(&f, STR("x"));
	unlink(f.path);
	assert_int_equal(mkfifo(f.path, 0600), 0);
	assert_false(source_can_reopen(f.path));
	assert_int_equal(source_open(&s, f.path, &e), STATUS_NO_INPUT);
	assert_non_null(strstr(e.message, "nobody writes"));
	for (int waiting = 0; waiting < 2; waiting++) {
		fd = open(f.path, O_RDWR);
		assert_int_equal(write(fd, "one\ntwo", 7), 7);
		if (fork() == 0) { /* the writer ends while it is read */
			usleep(50000);
			_exit(write(fd, "!", 1) != 1);
		}
		close(fd); /* the child has it still */
		assert_int_equal((waiting ? source_open_waiting : source_open)(&s, f.path, &e), STATUS_OK);
		assert_int_equal(s.size, 8);
		assert_memory_equal(s.bytes, "one\ntwo!", 8);
		assert_false(s.is_file);
		source_close(&s);
	}
	unlink(f.path);
}

/* ---- a file that changes behind the reader's back ---- */

enum { LINES = 5000, LINE_BYTES = 20 }; /* 100,000 bytes: several of the blocks that are watched */

static void write_at(const char *path, off_t at, const char *bytes)
{
	int fd = open(path, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, strlen(bytes), at), strlen(bytes));
	close(fd);
	usleep(20000); /* clocks of file systems are coarse */
}

static void load_lines(struct source *s, struct temp_file *f, bool passed)
{
	struct line_walker w;
	struct source_line line;
	struct buf b = {0};

	for (int i = 0; i < LINES; i++)
		buf_printf(&b, "line %014d\n", i);
	temp_file_write(f, buf_view(&b));
	buf_free(&b);
	usleep(20000);
	assert_int_equal(source_open(s, f->path, NULL), STATUS_OK);
	assert_true(s->is_file && source_can_reopen(f->path));
	line_walker_init(&w, s);
	while (passed && line_walker_next(&w, &line))
		;
	line_walker_free(&w);
}

/* Is line i read as it was written? */
static bool reads(const struct source *s, int i)
{
	struct arena a = {0};
	struct str got = source_read(s, (uint64_t)i * LINE_BYTES, LINE_BYTES, &a);
	char want[LINE_BYTES + 1];
	bool same;

	snprintf(want, sizeof want, "line %014d\n", i);
	same = str_eq(got, str_of(want));
	assert_true(same || got.n == 0); /* never other bytes */
	arena_free(&a);
	return same;
}

static void appended_file(void **state)
{
	struct source s;
	struct temp_file f;

	(void)state;
	load_lines(&s, &f, true);
	for (int round = 0; round < 3; round++) {
		write_at(f.path, LINES * LINE_BYTES + round, "+");
		assert_true(reads(&s, 0) && reads(&s, LINES / 2) && reads(&s, LINES - 1));
	}
	assert_false(source_changed(&s));
	source_close(&s);
	temp_file_remove(&f);
}

/* One byte of any line, however often, and put back again. */
static void rewritten_file(void **state)
{
	static const int lines[] = {0, 1, 818, 819, 2500, LINES - 1};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct source s;
		struct temp_file f;
		off_t at = (off_t)lines[i] * LINE_BYTES;

		load_lines(&s, &f, true);
		assert_true(reads(&s, lines[i]));
		write_at(f.path, at, "L");
		assert_false(source_changed(&s)); /* nobody has looked yet */
		assert_false(reads(&s, lines[i]));
		assert_true(source_changed(&s));
		assert_true(reads(&s, lines[i] < LINES / 2 ? LINES - 1000 : 0)); /* far away nothing changed */
		write_at(f.path, at, "l");
		assert_true(reads(&s, lines[i]));
		assert_true(source_changed(&s)); /* it was another one once */
		source_close(&s);
		temp_file_remove(&f);
	}
}

static void truncated_file(void **state)
{
	struct source s;
	struct temp_file f;

	(void)state;
	load_lines(&s, &f, true);
	assert_int_equal(truncate(f.path, 40000), 0);
	assert_true(reads(&s, 0));
	assert_false(reads(&s, 2000));
	assert_true(source_changed(&s));
	assert_false(reads(&s, LINES - 1));
	assert_int_equal(truncate(f.path, 0), 0);
	usleep(20000);
	assert_false(reads(&s, 0));
	source_close(&s);
	temp_file_remove(&f);
}

/* Nothing is ever opened for writing. */
static void descriptor_is_read_only(void **state)
{
	struct source s;

	(void)state;
	open_bytes(&s, STR("x"), false);
	assert_int_equal(fcntl(s.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	source_close(&s);
}

/* Files that the system makes up have bytes and no size; they are read like a pipe. */
static void file_without_size(void **state)
{
	struct source s;
	struct line_walker w;
	struct source_line line;
	struct error e;
	FILE *f = fopen("/proc/version", "r");
	char want[1024];
	(void)state;
	assert_non_null(f);
	assert_non_null(fgets(want, sizeof want, f));
	fclose(f);
	assert_int_equal(source_open(&s, "/proc/version", &e), STATUS_OK);
	assert_int_equal(s.size, strlen(want));
	line_walker_init(&w, &s);
	assert_true(line_walker_next(&w, &line));
	assert_memory_equal(line.p, want, strlen(want) - 1);
	line_walker_free(&w);
	source_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_offsets),
		cmocka_unit_test(final_line_feed_makes_no_line),
		cmocka_unit_test(empty_source),
		cmocka_unit_test(file_without_size),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(cut_lines),
		cmocka_unit_test(cut_line_of_megabytes),
		cmocka_unit_test(pieces),
		cmocka_unit_test(file_cut_meanwhile),
		cmocka_unit_test(what_cannot_be_opened),
		cmocka_unit_test(named_pipe),
		cmocka_unit_test(appended_file),
		cmocka_unit_test(rewritten_file),
		cmocka_unit_test(truncated_file),
		cmocka_unit_test(descriptor_is_read_only),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
