/*
 * The screens that key scripts must give (tests/screens), without a terminal.
 *
 * A file NAME.screen has one command a line; empty lines and lines that start
 * with # are skipped. Rows count from 0, from the end when negative (-1 is the
 * bottom line); texts go to the end of the line.
 *
 *   open FILE [+TURN]      a session, at 80x24; the first command
 *   size COLUMNSxROWS      resizes
 *   ascii                  ASCII glyphs; before open
 *   profile NAME           --profile; before open
 *   prices JSON            a --prices file that holds this; before open
 *   keys SCRIPT            presses keys (tui/keys)
 *   row N TEXT             row N is exactly TEXT
 *   has N TEXT             row N contains TEXT
 *   lacks N TEXT           row N does not
 *   any TEXT               some row contains TEXT
 *   none TEXT              no row does
 *   quits                  the keys so far have ended the program
 *   stays                  they have not
 *   screen                 the whole screen, one line a row, up to a line `end`
 *   session                a session that follows, one record a line, up to `end`; in place of a FILE
 *   why NUMBER REASON      where this number of the screens comes from
 *   in FILE                the whole screen stands in FILE, between two lines of ```
 *
 * Files whose name starts with snapshot- only guard against change; what the
 * others ask for follows from their session and the specification. Files whose
 * name starts with derived- hold their session and ask for whole screens: each
 * number on them (digits behind a letter or < are names: m00001, T1, <5185>) has its `why`,
 * and each `why` its number. `open` may stand again in them: with other glyphs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>

#include "tests/temp_file.h"
#include "tui/screen_script.h"

#define FOLDER "tests/screens"

enum { SCREENS_MAX = 200, PATH_BYTES = 300 };

struct why {
	struct str number;
	bool seen; /* on a screen */
};

struct player {
	const char *path;
	size_t line;
	struct str text, args; /* of the file; of the present command */
	size_t at;
	struct cli_request request;
	struct screen_script screen;
	char file[PATH_BYTES], turn[40], profile[40];
	struct temp_file prices, session;
	bool open, ascii, derived;
	VEC(struct why) whys;
	struct buf shown;
	size_t checks;
};

static void fail_at(struct player *p, const char *what)
{
	buf_cut(&p->shown, 0);
	if (p->open)
		screen_text(&p->screen, &p->shown);
	/* the whole of it: cmocka cuts long messages */
	fprintf(stderr, "%s", p->shown.p ? p->shown.p : "");
	fail_msg("%s:%zu: %s: %.*s", p->path, p->line, what, (int)p->args.n, p->args.p);
}

static bool next_line(struct player *p, struct str *out)
{
	size_t end;

	if (p->at >= p->text.n)
		return false;
	end = str_find(p->text, STR("\n"), p->at);
	*out = str_cut(p->text, p->at, end < p->text.n ? end : p->text.n);
	p->at += out->n + 1;
	p->line++;
	return true;
}

/* Up to the next blank; the rest without that blank goes back into *s. */
static struct str take_word(struct str *s)
{
	size_t end = str_find(*s, STR(" "), 0);
	struct str word = str_cut(*s, 0, end);

	*s = str_cut(*s, word.n + 1, s->n);
	return word;
}

static int take_int(struct player *p, struct str *s, char until)
{
	char digits[16] = "", *end;
	size_t n = s->n < sizeof digits - 1 ? s->n : sizeof digits - 1;
	long value;

	memcpy(digits, s->p, n);
	value = strtol(digits, &end, 10);
	if (end == digits || (*end != '\0' && *end != until))
		fail_at(p, "a number was expected");
	*s = str_cut(*s, (size_t)(end - digits) + 1, s->n);
	return (int)value;
}

/* ---- numbers and their reasons ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* The number at or behind *at: `12`, `1,024`, `21.0`, `4.2K`. False when there is none. */
static bool next_number(struct str s, size_t *at, struct str *out)
{
	size_t i = *at, end;

	for (; i < s.n; i = end) {
		for (; i < s.n && !is_digit(s.p[i]); i++)
			;
		for (end = i; end < s.n && (is_digit(s.p[end]) || ((s.p[end] == '.' || s.p[end] == ',') &&
								   end + 1 < s.n && is_digit(s.p[end + 1])));
		     end++)
			;
		if (i < s.n && !(i > 0 && (is_letter(s.p[i - 1]) || s.p[i - 1] == '<')))
			break;
	}
	if (i >= s.n)
		return false;
	if (end < s.n && (s.p[end] == 'K' || s.p[end] == 'M'))
		end++;
	*out = str_cut(s, i, end);
	*at = end;
	return true;
}

static bool explain_number(struct player *p, struct str number)
{
	bool any = false;

	for (size_t i = 0; i < p->whys.n; i++)
		if (str_eq(p->whys.v[i].number, number))
			any = p->whys.v[i].seen = true;
	return any;
}

static void check_numbers(struct player *p)
{
	struct str number;
	size_t at = 0;

	while (next_number(buf_view(&p->shown), &at, &number)) {
		if (explain_number(p, number))
			continue;
		p->args = number;
		fail_at(p, "no why says where this number comes from");
	}
}

static void check_whys(struct player *p)
{
	for (size_t i = 0; i < p->whys.n; i++) {
		p->args = p->whys.v[i].number;
		if (!p->whys.v[i].seen)
			fail_at(p, "a why for a number that is on no screen");
	}
}

/* ---- commands ---- */

/* What follows up to a line `end`. */
static void take_block(struct player *p, struct buf *out)
{
	struct str line;

	while (next_line(p, &line) && !str_eq(line, STR("end"))) {
		buf_str(out, line);
		buf_char(out, '\n');
	}
}

static void close_session(struct player *p)
{
	if (p->open)
		screen_close(&p->screen);
	p->open = false;
}

static void do_open(struct player *p)
{
	struct str args = p->args, file = take_word(&args);
	struct error e = {0};

	close_session(p);
	if (p->session.path[0])
		file = str_of(p->session.path);
	snprintf(p->file, sizeof p->file, "%.*s", (int)file.n, file.p);
	snprintf(p->turn, sizeof p->turn, "%.*s", (int)args.n, args.p);
	p->request.file = p->file;
	p->request.limit = (double)NAN;
	if (args.n > 1 && args.p[0] == '+')
		p->request.turn = p->turn + 1;
	if (screen_open(&p->screen, &p->request, 24, 80, p->ascii, &e) != STATUS_OK)
		fail_at(p, e.message);
	p->open = true;
}

static void do_size(struct player *p)
{
	struct str args = p->args;
	int cols = take_int(p, &args, 'x'), rows = take_int(p, &args, 'x');

	screen_resize(&p->screen, rows, cols);
}

static void do_keys(struct player *p)
{
	struct error e = {0};

	if (screen_keys(&p->screen, p->args, &e) != STATUS_OK)
		fail_at(p, e.message);
}

/* Row n of what is shown; false when there is no such row. */
static bool row_of(struct player *p, int n, struct str *out)
{
	struct str all;
	size_t at = 0;

	buf_cut(&p->shown, 0);
	screen_text(&p->screen, &p->shown);
	all = buf_view(&p->shown);
	if (n < 0)
		n += p->screen.grid.rows;
	for (int i = 0; i <= n && at < all.n; i++) {
		size_t end = str_find(all, STR("\n"), at);

		*out = str_cut(all, at, end);
		at = end + 1;
		if (i == n)
			return true;
	}
	return false;
}

static bool contains(struct str s, struct str what) { return str_find(s, what, 0) != SIZE_MAX; }

static void check_row(struct player *p, bool whole, bool wanted)
{
	struct str args = p->args, row;
	int n = take_int(p, &args, ' ');

	if (!row_of(p, n, &row))
		fail_at(p, "there is no such row");
	if ((whole ? str_eq(row, args) : contains(row, args)) != wanted)
		fail_at(p, whole ? "the row is another one" : wanted ? "the row lacks it" : "the row has it");
}

static void do_row(struct player *p) { check_row(p, true, true); }
static void do_has(struct player *p) { check_row(p, false, true); }
static void do_lacks(struct player *p) { check_row(p, false, false); }

static bool anywhere(struct player *p)
{
	buf_cut(&p->shown, 0);
	screen_text(&p->screen, &p->shown);
	return contains(buf_view(&p->shown), p->args);
}

static void do_any(struct player *p)
{
	if (!anywhere(p))
		fail_at(p, "no row has it");
}

static void do_none(struct player *p)
{
	if (anywhere(p))
		fail_at(p, "a row has it");
}

static void do_quits(struct player *p)
{
	if (!p->screen.quit)
		fail_at(p, "it goes on");
}

static void do_stays(struct player *p)
{
	if (p->screen.quit)
		fail_at(p, "it has quit");
}

static void do_screen(struct player *p)
{
	struct buf want = {0};
	bool same;

	take_block(p, &want);
	buf_cut(&p->shown, 0);
	screen_text(&p->screen, &p->shown);
	same = str_eq(buf_view(&p->shown), buf_view(&want));
	buf_free(&want);
	if (!same)
		fail_at(p, "the screen is another one");
	if (p->derived)
		check_numbers(p);
}

static void read_file(struct player *p, const char *path, struct buf *text)
{
	char chunk[4096];
	size_t n;
	FILE *f = fopen(path, "rb");

	if (f == NULL)
		fail_at(p, "the file cannot be read");
	while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
		buf_bytes(text, chunk, n);
	fclose(f);
}

static void do_in(struct player *p)
{
	struct buf text = {0}, fenced = {0};
	char path[PATH_BYTES];
	bool stands;

	snprintf(path, sizeof path, "%.*s", (int)p->args.n, p->args.p);
	read_file(p, path, &text);
	buf_cut(&p->shown, 0);
	screen_text(&p->screen, &p->shown);
	buf_text(&fenced, "\n```\n");
	buf_str(&fenced, buf_view(&p->shown));
	buf_text(&fenced, "```\n");
	stands = contains(buf_view(&text), buf_view(&fenced));
	buf_free(&text);
	buf_free(&fenced);
	if (!stands)
		fail_at(p, "this screen does not stand in the file");
}

static const struct {
	const char *name;
	void (*run)(struct player *p);
	bool check; /* asserts something */
} commands[] = {
	{"open", do_open, false},  {"size", do_size, false},  {"keys", do_keys, false},    {"row", do_row, true},
	{"has", do_has, true},     {"lacks", do_lacks, true}, {"any", do_any, true},       {"none", do_none, true},
	{"quits", do_quits, true}, {"stays", do_stays, true}, {"screen", do_screen, true}, {"in", do_in, true},
};

static void take_session(struct player *p)
{
	struct buf text = {0};

	take_block(p, &text);
	temp_file_write(&p->session, buf_view(&text));
	buf_free(&text);
}

/* Commands of the time before a session is open. */
static bool prepare(struct player *p, struct str word)
{
	if (str_eq(word, STR("ascii"))) {
		p->ascii = true;
	} else if (str_eq(word, STR("utf-8"))) {
		p->ascii = false;
	} else if (str_eq(word, STR("session"))) {
		take_session(p);
	} else if (str_eq(word, STR("why"))) {
		vec_push(&p->whys, (struct why){.number = take_word(&p->args)});
	} else if (str_eq(word, STR("profile"))) {
		snprintf(p->profile, sizeof p->profile, "%.*s", (int)p->args.n, p->args.p);
		p->request.profile = p->profile;
	} else if (str_eq(word, STR("prices"))) {
		temp_file_write(&p->prices, p->args);
		p->request.prices = p->prices.path;
	} else {
		return false;
	}
	if (p->open && !p->derived)
		fail_at(p, "this stands before open");
	return true;
}

static void obey(struct player *p, struct str line)
{
	struct str word;

	p->args = line;
	word = take_word(&p->args);
	if (prepare(p, word))
		return;
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		if (!str_eq(word, str_of(commands[i].name)))
			continue;
		if (!p->open && commands[i].run != do_open)
			fail_at(p, "nothing is open");
		p->checks += commands[i].check;
		commands[i].run(p);
		return;
	}
	fail_at(p, "no such command");
}

static void play(void **state)
{
	struct player p = {.path = *state, .derived = strstr(*state, "/derived-") != NULL};
	struct buf text = {0};
	struct str line;

	read_file(&p, p.path, &text);
	p.text = buf_view(&text);
	while (next_line(&p, &line))
		if (line.n > 0 && line.p[0] != '#')
			obey(&p, line);
	if (p.request.prices != NULL)
		temp_file_remove(&p.prices);
	/* a script that asks for nothing proves nothing */
	assert_true(p.checks > 0);
	check_whys(&p);
	close_session(&p);
	if (p.session.path[0])
		temp_file_remove(&p.session);
	vec_free(&p.whys);
	buf_free(&p.shown);
	buf_free(&text);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int main(void)
{
	static struct CMUnitTest tests[SCREENS_MAX];
	static char *paths[SCREENS_MAX];
	size_t n = 0;
	struct dirent *entry;
	DIR *folder = opendir(FOLDER);

	while (folder && (entry = readdir(folder)) && n < SCREENS_MAX) {
		size_t length = strlen(entry->d_name);

		if (length < 7 || strcmp(entry->d_name + length - 7, ".screen") != 0)
			continue;
		paths[n] = mem_alloc(PATH_BYTES);
		snprintf(paths[n++], PATH_BYTES, FOLDER "/%s", entry->d_name);
	}
	if (folder)
		closedir(folder);
	if (n == 0) {
		fprintf(stderr, "no screens in " FOLDER "\n");
		return 1;
	}
	qsort(paths, n, sizeof paths[0], by_name);
	for (size_t i = 0; i < n; i++)
		tests[i] = (struct CMUnitTest){.name = paths[i], .test_func = play, .initial_state = paths[i]};
	int code = !!_cmocka_run_group_tests("screens", tests, n, NULL, NULL);
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	return code;
}
