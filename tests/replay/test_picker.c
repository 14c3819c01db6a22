/* view/picker: the list of sessions on the screen and as text (interface.md, `acpdbg`). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <time.h>

#include "replay/readers/reader.h"
#include "replay/view/picker.h"
#include "tests/home.h"

/* ---- words ---- */

/* Local time in the zone of the test. */
static int64_t local_time(const char *text)
{
	struct tm t = {.tm_isdst = -1};

	assert_non_null(strptime(text, "%Y-%m-%d %H:%M:%S", &t));
	return (int64_t)mktime(&t);
}

static const struct {
	const char *then, *now, *want;
} ages[] = {
	{"2026-09-21 12:00:00", "2026-09-21 12:00:00", "now"},
	{"2026-09-21 12:00:00", "2026-09-21 12:00:59", "now"},
	{"2026-09-21 12:00:00", "2026-09-21 12:01:00", "1 min"},
	{"2026-09-21 12:00:00", "2026-09-21 12:03:59", "3 min"},
	{"2026-09-21 12:00:00", "2026-09-21 12:59:59", "59 min"},
	{"2026-09-21 12:00:00", "2026-09-21 13:00:00", "1 h"},
	{"2026-09-21 00:00:00", "2026-09-21 23:59:59", "23 h"},
	/* across midnight: less than an hour stays in minutes, else it was yesterday */
	{"2026-09-20 23:30:00", "2026-09-21 00:29:59", "59 min"},
	{"2026-09-20 23:30:00", "2026-09-21 00:30:00", "yesterday"},
	{"2026-09-20 00:00:00", "2026-09-21 23:59:59", "yesterday"},
	{"2026-09-19 23:59:59", "2026-09-21 00:00:00", "2 days"},
	{"2026-09-09 18:00:00", "2026-09-21 09:00:00", "12 days"},
	/* the day that has 25 hours, and the one that has 23 */
	{"2026-10-24 23:00:00", "2026-10-25 23:30:00", "yesterday"},
	{"2026-10-25 00:30:00", "2026-10-25 23:59:00", "24 h"},
	{"2026-03-28 12:00:00", "2026-03-30 11:00:00", "2 days"},
	/* over the ends of months and years, with and without leap day */
	{"2025-12-31 12:00:00", "2026-01-01 12:00:00", "yesterday"},
	{"2024-02-28 12:00:00", "2024-03-01 12:00:00", "2 days"},
	{"2026-02-28 12:00:00", "2026-03-01 12:00:00", "yesterday"},
	{"2000-02-28 12:00:00", "2000-03-01 12:00:00", "2 days"},
	{"2026-07-23 12:00:00", "2026-09-21 12:00:00", "60 days"},
	{"2026-07-22 12:00:00", "2026-09-21 12:00:00", "2 months"},
	{"2025-09-21 12:00:00", "2026-09-22 12:00:00", "12 months"},
	{"2024-09-20 12:00:00", "2026-09-21 12:00:00", "2 years"},
	{"1970-01-02 12:00:00", "2026-09-21 12:00:00", "56 years"},
	/* ahead */
	{"2026-09-21 12:00:59", "2026-09-21 12:00:00", "now"},
	{"2026-09-21 12:01:00", "2026-09-21 12:00:00", "future"},
	{"2036-09-21 12:00:00", "2026-09-21 12:00:00", "future"},
};

static void tells_ages(void **state)
{
	struct buf b = {0};

	(void)state;
	/* Central Europe: the clock goes forward on 2026-03-29, back on 2026-10-25 */
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	for (size_t i = 0; i < sizeof ages / sizeof *ages; i++) {
		buf_cut(&b, 0);
		picker_put_age(&b, local_time(ages[i].then), local_time(ages[i].now));
		if (strcmp(b.p, ages[i].want) != 0)
			fail_msg("%s at %s: got %s, want %s", ages[i].then, ages[i].now, b.p, ages[i].want);
	}
	/* times no calendar has */
	buf_cut(&b, 0);
	picker_put_age(&b, INT64_MIN, HOME_NOW);
	assert_string_equal(b.p, "1000000 years");
	buf_cut(&b, 0);
	picker_put_age(&b, INT64_MAX, HOME_NOW);
	assert_string_equal(b.p, "future");
	/* every day of 60 years is one day after the day before */
	for (int64_t day = 0; day < 22000; day++) {
		buf_cut(&b, 0);
		picker_put_age(&b, day * 86400 + 43200, (day + 1) * 86400 + 43200);
		assert_string_equal(b.p, "yesterday");
	}
	setenv("TZ", "UTC0", 1);
	tzset();
	buf_free(&b);
}

static void tells_sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *want;
	} sizes[] = {{0, "0 B"},           {999, "999 B"},     {1000, "1.0 kB"},    {1049, "1.0 kB"},
		     {1050, "1.1 kB"},     {9949, "9.9 kB"},   {9950, "10 kB"},     {45000, "45 kB"},
		     {999499, "999 kB"},   {999500, "1.0 MB"}, {2370492, "2.4 MB"}, {37800000000, "38 GB"},
		     {UINT64_MAX, "18 EB"}};
	struct buf b = {0};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		buf_cut(&b, 0);
		picker_put_size(&b, sizes[i].bytes);
		assert_string_equal(b.p, sizes[i].want);
	}
	buf_free(&b);
}

/* ---- lines ---- */

#define LONG_DIRECTORY "/w/abcdefghijklmnopqrstuvwxyz/end"

static void put_samples(struct home *h)
{
	home_put_pi(h, "~/.pi/agent/sessions/--w-p--/1.jsonl", "/w/p", "Find out why it got slow", 180);
	home_put_claude(h, "~/.claude/projects/-w-q/2.jsonl", LONG_DIRECTORY, "hello", 86400);
	home_put_pi(h, "~/.omp/agent/sessions/-x/3.jsonl", home_path(h, "~/work/x"), "\u538B\u7F29\u4F1A\u8BDD",
		    12 * 86400);
}

static void prints_the_list(void **state)
{
	static const char want[] = "  changed   size host        session\n"
				   "This directory, /w/p\n"
				   "    3 min  %s Pi          Find out why it got slow\n"
				   "\n"
				   "Other directories\n"
				   "yesterday  %s Claude Code %shello\n"
				   "  12 days  %s OMP         \u538B\u7F29\u4F1A\u8BDD\n";
	bool has_reader = reader_find("claude") != NULL;
	struct home h;
	struct picker p;
	struct buf b = {0}, expected = {0};
	char sizes[3][16];

	(void)state;
	home_open(&h);
	put_samples(&h);
	home_scan(&h);
	for (size_t i = 0; i < 3; i++) /* below 1000 bytes; what larger ones look like: tells_sizes */
		snprintf(sizes[i], sizeof sizes[i], "%3llu B", (unsigned long long)h.sessions.list.v[i].size);
	picker_init(&p, &h.sessions, HOME_NOW, 0);
	picker_print(&p, 80, false, &b);
	buf_printf(&expected, want, sizes[0], sizes[1], has_reader ? "" : "[no reader] ", sizes[2]);
	assert_string_equal(b.p, expected.p);

	/* wide: where the others worked; without a limit: what to open */
	buf_cut(&b, 0);
	picker_print(&p, 120, false, &b);
	/* 29 columns before the name, 59 for it (8 are used), 2 blanks, 30 for the directory */
	buf_cut(&expected, 0);
	buf_printf(&expected, "  12 days  %s OMP         \u538B\u7F29\u4F1A\u8BDD%*s  ~/work/x\n", sizes[2], 51, "");
	assert_non_null(strstr(b.p, expected.p));
	buf_cut(&expected, 0);
	buf_printf(&expected, "yesterday  %s Claude Code %s%-*s  \u2026bcdefghijklmnopqrstuvwxyz/end\n", sizes[1],
		   has_reader ? "" : "[no reader] ", has_reader ? 59 : 47, "hello");
	assert_non_null(strstr(b.p, expected.p));
	assert_null(strstr(b.p, "jsonl"));
	buf_cut(&b, 0);
	picker_print(&p, 0, false, &b);
	for (size_t i = 0; i < 3; i++) {
		buf_cut(&expected, 0);
		buf_printf(&expected, "  %s\n", h.sessions.list.v[i].path);
		assert_non_null(strstr(b.p, expected.p));
	}
	picker_free(&p);

	/* only so many */
	buf_cut(&b, 0);
	picker_init(&p, &h.sessions, HOME_NOW, 1);
	picker_print(&p, 80, true, &b);
	assert_non_null(strstr(b.p, "slow\n2 more sessions\n"));
	assert_null(strstr(b.p, "Other"));
	picker_free(&p);
	buf_free(&b);
	buf_free(&expected);
	home_close(&h);
}

static void says_where_it_looked(void **state)
{
	static const char want[] = "No session found. Looked in:\n"
				   "  Pi          ~/.pi/agent/sessions: no session in it\n"
				   "  OMP         ~/.omp/agent/sessions: does not exist\n"
				   "  OMP         ~/.local/share/omp/sessions: does not exist\n"
				   "  DSH         ~/.dsh/sessions: does not exist\n"
				   "  Claude Code /cc/projects: does not exist\n"
				   "  Codex       ~/.codex/sessions: does not exist\n";
	struct home h;
	struct picker p;
	struct buf b = {0};

	(void)state;
	home_open(&h);
	home_directories(home_path(&h, "~/.pi/agent/sessions/--w-p--/"));
	h.variables[0][0] = "CLAUDE_CONFIG_DIR";
	h.variables[0][1] = "/cc";
	home_scan(&h);
	picker_init(&p, &h.sessions, HOME_NOW, 0);
	picker_print(&p, 0, true, &b);
	assert_string_equal(b.p, want);
	picker_free(&p);
	buf_free(&b);
	home_close(&h);
}

static void selects(void **state)
{
	struct home h;
	struct picker p;
	struct line line = {0};
	struct buf b = {0};
	uint64_t key;

	(void)state;
	home_open(&h);
	put_samples(&h);
	home_scan(&h);
	picker_init(&p, &h.sessions, HOME_NOW, 0);
	/* 0 heading, 1 session, 2 blank, 3 heading, 4 and 5 sessions */
	assert_int_equal(picker_count(&p), 6);
	for (size_t i = 0; i < 6; i++) {
		bool selectable = i == 1 || i > 3;

		assert_int_equal(picker_key(&p, i) != 0, selectable);
		assert_int_equal(picker_path(&p, i) != NULL, selectable);
	}
	assert_null(picker_path(&p, 6));
	assert_int_equal(picker_find(&p, 0), 1);
	assert_int_equal(picker_move(&p, 0, 1), 1);
	assert_int_equal(picker_move(&p, 1, 1), 4);
	assert_int_equal(picker_move(&p, 1, 100), 5);
	assert_int_equal(picker_move(&p, 5, -2), 1);
	assert_int_equal(picker_move(&p, 1, -1), 1);
	assert_int_equal(picker_move(&p, 4, 0), 4);
	picker_about(&p, 4, 0, &line);
	line_write(&line, &b);
	assert_non_null(strstr(b.p, "2026-09-20 14:13, ")); /* UTC, a day before */
	assert_non_null(strstr(b.p, "in " LONG_DIRECTORY ": ~/.claude/projects/-w-q/2.jsonl"));
	picker_about(&p, 3, 0, &line);
	assert_int_equal(line.width, 0);

	/* the selection stays on its session when another one comes */
	key = picker_key(&p, 5);
	picker_free(&p);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-z--/9.jsonl", "/w/z", "new", 1);
	home_scan(&h);
	picker_init(&p, &h.sessions, HOME_NOW, 0);
	assert_int_equal(picker_find(&p, key), 6);
	picker_free(&p);
	buf_free(&b);
	line_free(&line);
	home_close(&h);
}

/* Names on disk and texts in files are hostile: nothing of them reaches the terminal as a command. */
static void hostile_names(void **state)
{
	static const char *const names[] = {
		"a\nb.jsonl",
		"\x1B[2J\x1B]0;x\x07.jsonl",
		"\xFF\xFE\xC0\x80.jsonl",
		"\u202Egpj.jsonl",
		"\u538B\u7F29.jsonl",
		"-rf .jsonl",
		"\xC2\x9B[31m.jsonl",
		"\t\r.jsonl",
	};
	struct home h;
	struct picker p;
	struct line line = {0};
	struct buf b = {0}, path = {0};
	size_t lines = 0;

	(void)state;
	home_open(&h);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		buf_cut(&path, 0);
		buf_printf(&path, "~/.pi/agent/sessions/--\x1B[31m\n%zu--/%s", i, names[i]);
		home_put_text(&h, path.p, i % 2 ? "" : "\x1B[2J\n", (int64_t)i);
	}
	home_put_pi(&h, "~/.pi/agent/sessions/--w-z--/1.jsonl", "/w/\\u001b[2J", "\x1B]52;c;x\x07 evil\n\u202E", 1);
	home_scan(&h);
	assert_int_equal(h.sessions.list.n, 9);
	for (int ascii = 0; ascii < 2; ascii++)
		for (int width = 0; width <= 200; width++) {
			buf_cut(&b, 0);
			picker_init(&p, &h.sessions, HOME_NOW, 0);
			picker_print(&p, width, ascii, &b);
			lines = 1 + picker_count(&p);
			for (size_t i = 0; i < b.n; i++) {
				unsigned char c = (unsigned char)b.p[i];

				lines -= c == '\n';
				assert_true(c == '\n' || (c >= 0x20 && c != 0x7F));
				assert_false(ascii && c >= 0x80);
			}
			assert_int_equal(lines, 0);
			assert_null(strstr(b.p, "\u202E"));
			assert_null(strstr(b.p, "\xC2\x9B"));
			line.ascii = ascii;
			for (size_t i = 0; width > 0 && i < picker_count(&p); i++) {
				picker_line(&p, i, width, &line);
				assert_true(line.width <= width);
				picker_about(&p, i, width, &line);
				assert_true(line.width <= width);
			}
			picker_free(&p);
		}
	buf_free(&b);
	buf_free(&path);
	line_free(&line);
	home_close(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_ages),      cmocka_unit_test(tells_sizes),
		cmocka_unit_test(prints_the_list), cmocka_unit_test(says_where_it_looked),
		cmocka_unit_test(selects),         cmocka_unit_test(hostile_names),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
