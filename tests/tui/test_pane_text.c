/* What a pane shows on a screen large enough for all of it is what `replay --pane` prints. */
#include <dirent.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "replay/cli/run_commands.h"
#include "replay/frame_request.h"
#include "tui/app_parts.h"
#include "tui/screen_script.h"

enum { ROWS = 900, COLS = 130 };

/* The same session without a screen, as the command loads and runs it. */
struct printed {
	struct cli cli;
	struct recording recording;
	struct checks checks;
	struct arena arena;
	struct run run;
	struct frame frame;
};

static void print_open(struct printed *p, const char *file, bool requests)
{
	*p = (struct printed){.cli = {.request = {.file = file, .limit = (double)NAN, .width = COLS}, .quiet = true}};
	assert_int_equal(cli_load(&p->cli, &p->recording), CLI_FINE);
	assert_int_equal(cli_checks(&p->cli, &p->recording, &p->checks), CLI_FINE);
	assert_int_equal(cli_prepare(&p->cli, &p->recording, &p->arena, &p->run), CLI_FINE);
	p->run.want_requests = requests && request_figures(&p->run);
	assert_int_equal(cli_run(&p->cli, &p->run, true, NULL, NULL), CLI_FINE);
	while (checks_step(&p->checks, &p->run, false))
		;
}

static struct str print_pane(struct printed *p, const struct view_ops *view, uint32_t turn)
{
	struct error e = {0};
	struct position at = {.turn = turn, .node = NODE_RENDER};

	if (p->frame.run == NULL || p->frame.at.turn != turn)
		assert_int_equal(frame_open(&p->frame, &p->run, at, &e), STATUS_OK);
	p->frame.checks = &p->checks;
	buf_cut(&p->cli.out.buf, 0);
	assert_int_equal(cli_print_pane(&p->cli, &p->frame, view), CLI_FINE);
	return buf_view(&p->cli.out.buf);
}

static void print_close(struct printed *p)
{
	frame_close(&p->frame);
	run_free(&p->run);
	checks_free(&p->checks);
	arena_free(&p->arena);
	recording_free(&p->recording);
	buf_free(&p->cli.out.buf);
}

/* Appends rows of the grid as view_print does; `selected`: the row whose first cell may bear the mark of selection. */
static void put_rows(const struct grid *g, struct rect r, int n, int selected, struct buf *b)
{
	for (int row = r.row; row < r.row + n; row++) {
		size_t from = b->n;

		for (int col = r.col; col < r.col + r.cols; col++) {
			const struct cell *c = grid_cell(g, row, col);

			if (row == selected && col == r.col &&
			    str_eq((struct str){c->bytes, c->n}, str_of(glyph(GLYPH_SELECTED, g->ascii))))
				buf_char(b, ' ');
			else
				buf_bytes(b, c->bytes, c->n);
		}
		while (b->n > from && b->p[b->n - 1] == ' ')
			buf_cut(b, b->n - 1);
		buf_char(b, '\n');
	}
}

static void expect_same(const char *what, uint32_t turn, struct str screen, struct str print)
{
	size_t i = 0, from;

	if (str_eq(screen, print))
		return;
	while (i < screen.n && i < print.n && screen.p[i] == print.p[i])
		i++;
	for (from = i; from > 0 && screen.p[from - 1] != '\n'; from--)
		;
	print_error("screen: %.*s\nprint:  %.*s\n", (int)(screen.n - from < 300 ? screen.n - from : 300),
		    screen.p + from, (int)(print.n - from < 300 ? print.n - from : 300), print.p + from);
	fail_msg("%s at turn %u: the screen shows something else", what, (unsigned)turn);
}

static size_t lines_of(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

static void press(struct screen_script *s, const char *keys)
{
	struct error e = {0};

	if (screen_keys(s, str_of(keys), &e) != STATUS_OK)
		fail_msg("%s: %s", keys, e.message);
}

static void compare_pane(struct screen_script *s, struct printed *p, enum pane_id id, uint32_t turn)
{
	struct buf screen = {0};
	struct str print = print_pane(p, s->app.panes[id].view, turn);
	const struct pane *pane = &s->app.panes[id];
	size_t n = lines_of(print);
	struct rect body;
	char key[8];

	snprintf(key, sizeof key, "<F%d>", (int)id + 1);
	press(s, key);
	app_draw(&s->app, &s->grid);
	body = app_place(&s->app, id).body;
	assert_true(n > 0);
	assert_in_range(n, 1, body.rows);
	put_rows(&s->grid, body, (int)n, body.row + (pane->view->caption != NULL) + (int)(pane->at - pane->top),
		 &screen);
	expect_same(pane_kinds[id].name, turn, buf_view(&screen), print);
	buf_cut(&screen, 0);
	/* and nothing below */
	put_rows(&s->grid, (struct rect){body.row + (int)n, body.col, body.rows - (int)n, body.cols},
		 body.rows - (int)n, -1, &screen);
	for (size_t i = 0; i < screen.n; i++)
		assert_int_equal(screen.p[i], '\n');
	buf_free(&screen);
}

static void compare_timeline(struct screen_script *s, struct printed *p, uint32_t turn)
{
	struct buf screen = {0};
	struct str print = print_pane(p, &timeline_view, turn);

	put_rows(&s->grid, s->app.layout.status, s->app.layout.status.rows, -1, &screen);
	put_rows(&s->grid, s->app.layout.strip, s->app.layout.strip.rows, -1, &screen);
	expect_same("timeline", turn, buf_view(&screen), print);
	buf_free(&screen);
}

static void compare_session(const char *file)
{
	struct screen_script s;
	struct cli_request request = {.file = file, .limit = (double)NAN};
	struct error e = {0};
	struct printed plain, sent;
	char keys[32];

	print_open(&plain, file, false);
	print_open(&sent, file, true);
	assert_int_equal(screen_open(&s, &request, ROWS, COLS, false, &e), STATUS_OK);
	press(&s, "++"); /* the pane with the focus gets everything */
	for (uint32_t turn = 1; turn <= plain.run.timeline.turns.n; turn++) {
		snprintf(keys, sizeof keys, ":%u<Enter>", (unsigned)turn);
		press(&s, keys);
		for (enum pane_id id = 0; id < PANE_COUNT; id++)
			compare_pane(&s, cli_pane_wants_requests(s.app.panes[id].view) ? &sent : &plain, id, turn);
		compare_timeline(&s, &sent, turn);
	}
	screen_close(&s);
	print_close(&plain);
	print_close(&sent);
}

static bool is_session(const char *name)
{
	struct str s = str_of(name);

	return str_find(s, STR(".jsonl"), 0) != SIZE_MAX && str_find(s, STR(".acp."), 0) == SIZE_MAX;
}

static void every_pane_of_every_sample(void **state)
{
	DIR *dir = opendir("sample-sessions");
	size_t sessions = 0;
	char path[300];

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		if (!is_session(entry->d_name))
			continue;
		snprintf(path, sizeof path, "sample-sessions/%s", entry->d_name);
		compare_session(path);
		sessions++;
	}
	closedir(dir);
	assert_true(sessions >= 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_pane_of_every_sample)};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
