#include "tui/screen_script.h"

#include <stdio.h>

#include "tui/app_parts.h"
#include "tui/editor.h"

enum { JOB_BUDGET = 1 << 20 };

static void finish_jobs(struct screen_script *s)
{
	while (app_busy(&s->app))
		s->flags |= app_job_step(&s->app, JOB_BUDGET);
}

enum status screen_open(struct screen_script *s, const struct cli_request *request, int rows, int cols, bool ascii,
			struct error *e)
{
	enum status st;

	*s = (struct screen_script){0};
	st = app_open(&s->app, request, ascii, e);
	if (st != STATUS_OK)
		return st;
	s->flags = app_resize(&s->app, rows, cols);
	finish_jobs(s);
	if (s->app.now->phase != APP_FAILED)
		return STATUS_OK;
	st = s->app.status;
	if (e)
		*e = s->app.error;
	screen_close(s);
	return st;
}

void screen_resize(struct screen_script *s, int rows, int cols) { s->flags |= app_resize(&s->app, rows, cols); }

void screen_key(struct screen_script *s, struct key k)
{
	if (s->quit)
		return;
	s->flags |= app_key(&s->app, k);
	if (s->flags & APP_EDIT) {
		s->flags &= ~(unsigned)APP_EDIT;
		s->flags |= app_edited(&s->app, editor_run(s->app.what_if.path));
	}
	/* another branch is loaded anew */
	finish_jobs(s);
	s->quit = s->flags & APP_QUIT;
}

enum status screen_keys(struct screen_script *s, struct str script, struct error *e)
{
	struct key_list list = {0};
	enum status st = key_script(script, &list, e);

	for (size_t i = 0; st == STATUS_OK && i < list.keys.n; i++)
		screen_key(s, list.keys.v[i]);
	key_list_free(&list);
	return st;
}

void screen_text(struct screen_script *s, struct buf *out)
{
	app_draw(&s->app, &s->grid);
	grid_text(&s->grid, out);
}

void screen_dump(struct screen_script *s, struct buf *out)
{
	app_draw(&s->app, &s->grid);
	grid_dump(&s->grid, out);
}

void screen_close(struct screen_script *s)
{
	app_free(&s->app);
	grid_free(&s->grid);
}

int screen_print(const struct cli_request *request, const struct cli_screen *wish, struct buf *out)
{
	struct screen_script s;
	struct error e = {0};
	char name[16];
	enum status st = screen_open(&s, request, wish->rows, wish->columns, cli_ascii(request), &e);

	if (st != STATUS_OK)
		return cli_error(st, &e);
	st = screen_keys(&s, str_of(wish->keys), &e);
	/* the formats are those of the names that `s` takes */
	snprintf(name, sizeof name, ".%s", strcmp(wish->format, "ansi") == 0 ? "ans" : wish->format);
	if (st == STATUS_OK)
		app_save_picture(&s.app, str_of(name), out);
	screen_close(&s);
	return st == STATUS_OK ? CLI_FINE : cli_error(st, &e);
}
