#include "tui/app_parts.h"

#include <stdarg.h>
#include <stdio.h>

enum { COUNT_MAX = 999999999 };

enum status app_open(struct app *a, const struct cli_request *request, bool ascii, struct error *e)
{
	enum status st;

	*a = (struct app){.request = request, .ascii = ascii, .focus = PANE_ROWS, .opening = 1};
	app_layout_init(a);
	st = app_replay_open(a, request->branch, &a->now, e);
	if (st != STATUS_OK)
		return st;
	keymap_defaults(&a->keys);
	for (enum pane_id id = 0; id < PANE_COUNT; id++)
		pane_init(&a->panes[id], id);
	return STATUS_OK;
}

void app_free(struct app *a)
{
	/* the values of breakpoints are of a run */
	breaks_begin(&a->breaks.set, NULL);
	app_fork_forget(a);
	app_marks_free(a->compare.marks);
	app_what_if_free(a);
	vec_free(&a->what_if.menu);
	app_replay_free(a->now);
	app_replay_free(a->next);
	app_follow_stop(a);
	arena_free(&a->arena);
	keymap_free(&a->keys);
	prompt_free(&a->prompt);
	app_search_free(&a->search);
	breaks_free(&a->breaks.set);
	vec_free(&a->breaks.marks);
	vec_free(&a->marks);
	vec_free(&a->letters);
	vec_free(&a->jumps.list);
	buf_free(&a->copied);
	prompt_free(&a->ask.prompt);
	app_complete_end(a);
	buf_free(&a->completing.typed);
	session_state_free(&a->memory);
	help_free(&a->help);
	buf_free(&a->message);
	buf_free(&a->branch);
}

void app_say(struct app *a, enum style style, const char *format, ...)
{
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	buf_cut(&a->message, 0);
	buf_text(&a->message, text);
	a->message_style = style;
}

/* ---- places ---- */

struct layout_pane app_place(const struct app *a, enum pane_id pane)
{
	if (a->compare.on)
		return pane == a->focus ? a->compare.place[0] : (struct layout_pane){0};
	if (pane == PANE_ROWS)
		return a->layout.main;
	return pane == a->shown.side    ? a->layout.side
	       : pane == a->shown.third ? a->layout.third
					: (struct layout_pane){0};
}

struct view_context app_context(const struct app *a, enum pane_id pane)
{
	const struct pane *p = &a->panes[pane];

	/* views read run and frame, and keep in the frame's arena what they worked out */
	return (struct view_context){
		.run = (struct run *)&a->now->run,
		.frame = (struct frame *)&a->now->frame,
		.ascii = a->ascii,
		.width = app_place(a, pane).body.cols,
		.selected = p->key,
		.unfolded = p->open,
	};
}

void app_freshen(struct app *a)
{
	struct error e = {0};

	if (!a->now->has_frame || !a->now->stale)
		return;
	a->now->stale = false;
	a->opening++;
	if (frame_open(&a->now->frame, &a->now->run, a->now->frame.at, &e) != STATUS_OK)
		app_say(a, STYLE_ERROR, "%s", e.message);
}

/* Screen rows that Rows fills; 0 while it is not known, or a line of it is opened. */
static int wanted_rows(const struct app *a)
{
	const struct pane *p = &a->panes[PANE_ROWS];
	struct view_context c = app_context(a, PANE_ROWS);
	size_t n = a->now->has_frame && !p->open ? pane_count(p, &c) : 0;

	/* title and caption */
	return n == 0 ? 0 : n < (size_t)a->rows ? (int)n + 2 : a->rows;
}

void app_settle(struct app *a)
{
	app_freshen(a);
	app_search_refresh(a);
	a->layout = layout_of((struct layout_wish){
		.rows = a->rows,
		.cols = a->cols,
		.strip_rows = STRIP_LINES,
		.main_rows = wanted_rows(a),
		.has_side = a->panes[a->shown.side].view != NULL,
		.has_third = a->panes[a->shown.third].view != NULL,
		.side_focused = a->focus != PANE_ROWS,
		.side_hidden = a->shown.hidden,
		.zoom = a->shown.zoom,
		.shift = a->shown.shift,
	});
	/* where there is no third one it is the side pane that has the focus */
	if (a->focus == a->shown.third && a->layout.third.body.rows == 0) {
		a->shown.third = a->shown.side;
		a->shown.side = a->focus;
	}
	if (a->compare.on)
		app_compare_place(a);
	if (!a->now->has_frame)
		return;
	for (enum pane_id id = 0; id < PANE_COUNT; id++) {
		struct layout_pane place = app_place(a, id);
		struct view_context c = app_context(a, id);

		if (place.body.rows > 0 && a->panes[id].view)
			pane_settle(&a->panes[id], &c, pane_view_height(&a->panes[id], place.body));
	}
	if (a->compare.on)
		app_compare_settle(a);
}

void app_focus(struct app *a, enum pane_id pane)
{
	if (!a->panes[pane].view) {
		app_say(a, STYLE_WARNING, "%s is not built yet", pane_kinds[pane].title);
		return;
	}
	app_layout_focus(a, pane);
}

unsigned app_resize(struct app *a, int rows, int cols)
{
	a->rows = rows > 0 ? rows : 0;
	a->cols = cols > 0 ? cols : 0;
	app_layout_resized(a);
	if (a->helping)
		help_make(&a->help, &a->keys, a->focus, a->cols, a->ascii, run_is_dsh(&a->now->run));
	app_settle(a);
	return APP_DRAW;
}

/* ---- keys ---- */

static unsigned key_in_prompt(struct app *a, struct key k)
{
	enum action action = keymap_find(&a->keys, k);
	/* its words go */
	unsigned ends = a->completing.on ? APP_DRAW : 0;

	/* no text, and wanted everywhere */
	if ((action == ACTION_SUSPEND || action == ACTION_REPAINT) && k.code < KEYS_SPACE)
		return app_act(a, action, 0);
	if (k.code == KEYS_CLICK || k.code == KEYS_WHEEL_UP || k.code == KEYS_WHEEL_DOWN)
		return 0;
	if (app_complete_key(a, k))
		return APP_DRAW;
	if (a->search.prompt.active)
		return app_search_key(a, k);
	if (a->ask.prompt.active)
		return app_ask_key(a, k) | ends;
	if (prompt_key(&a->prompt, k) == PROMPT_ENTERED)
		return app_command(a, buf_view(&a->prompt.text)) | APP_DRAW;
	return APP_DRAW_BARS | ends;
}

/* Digits are counts; a 0 that starts none is a key like others. */
static bool take_digit(struct app *a, struct key k)
{
	uint64_t count;

	if (k.code < '0' || k.code > '9' || (k.code == '0' && !a->counting))
		return false;
	count = (uint64_t)a->count * 10 + (k.code - '0');
	a->count = count < COUNT_MAX ? (uint32_t)count : COUNT_MAX;
	a->counting = true;
	return true;
}

static void say_unknown(struct app *a, struct key k)
{
	struct buf name = {0};

	key_put_name(&name, k);
	app_say(a, STYLE_WARNING, "no such key: %s  (? for help)", name.p ? name.p : "");
	buf_free(&name);
}

unsigned app_key(struct app *a, struct key k)
{
	unsigned flags;
	enum action action;
	uint32_t count;
	bool counted = a->counting;

	buf_cut(&a->message, 0);
	if (a->search.running && !a->search.prompt.active) {
		app_search_stop(a);
		if (k.code == KEYS_ESCAPE)
			return APP_DRAW_BARS;
	}
	if (a->breaks.running) {
		app_break_stop(a);
		if (k.code == KEYS_ESCAPE)
			return APP_DRAW_BARS;
	}
	if (app_fork_busy(a) && k.code == KEYS_ESCAPE && !a->list && !a->prompt.active && !a->search.prompt.active &&
	    !a->ask.prompt.active) {
		app_fork_stop(a);
		return APP_DRAW_BARS;
	}
	if (a->prompt.active || a->search.prompt.active || a->ask.prompt.active) {
		app_freshen(a);
		flags = key_in_prompt(a, k);
		app_settle(a);
		return flags;
	}
	if (a->list && keymap_find(&a->keys, k) != ACTION_SUSPEND && keymap_find(&a->keys, k) != ACTION_REPAINT)
		return app_list_key(a, k);
	if (a->awaiting) {
		app_freshen(a);
		flags = APP_DRAW;
		if (a->awaited == ACTION_COPY)
			flags |= app_copy_key(a, k);
		else
			app_mark_key(a, k);
		app_settle(a);
		return flags;
	}
	if (take_digit(a, k))
		return APP_DRAW_BARS;
	count = a->count;
	a->count = 0;
	a->counting = false;
	if (counted && k.code == KEYS_ESCAPE)
		return APP_DRAW_BARS;
	action = keymap_find(&a->keys, k);
	a->key = k;
	a->argument = (struct str){0};
	if (action == ACTION_NONE) {
		say_unknown(a, k);
		return APP_DRAW_BARS;
	}
	app_freshen(a);
	flags = app_act(a, action, count);
	app_settle(a);
	return flags | APP_DRAW_BARS;
}
