#include "tui/app_parts.h"

/* Scroll of one turn of the wheel, in lines. */
enum { WHEEL_LINES = 3, MOVE_MAX = 1000000000 };

static uint32_t at_least_one(uint32_t count) { return count > 0 ? count : 1; }

/* ---- travel ---- */

static unsigned act_turns(struct app *a, enum action action, uint32_t count)
{
	app_go_turns(a, count, action == ACTION_NEXT_TURN);
	return APP_DRAW;
}

static unsigned act_nodes(struct app *a, enum action action, uint32_t count)
{
	app_go_nodes(a, count, action == ACTION_NEXT_NODE);
	return APP_DRAW;
}

static unsigned act_stop(struct app *a, enum action action, uint32_t count)
{
	bool forward = action == ACTION_NEXT_USER || action == ACTION_NEXT_EVENT || action == ACTION_NEXT_COMPRESSION;
	enum app_stop stop = action == ACTION_NEXT_USER || action == ACTION_PREVIOUS_USER     ? APP_STOP_USER
			     : action == ACTION_NEXT_EVENT || action == ACTION_PREVIOUS_EVENT ? APP_STOP_EVENT
											      : APP_STOP_COMPRESSION;

	if (a->compare.on && stop == APP_STOP_EVENT)
		app_compare_go(a, count, forward);
	else
		app_go_stop(a, stop, count, forward);
	return APP_DRAW;
}

static unsigned act_end(struct app *a, enum action action, uint32_t count)
{
	size_t n = a->now->has_run ? a->now->run.timeline.turns.n : 0;

	(void)count;
	app_go_turn(a, action == ACTION_LAST_TURN ? n : n > 0);
	return APP_DRAW;
}

/* ---- lines ---- */

/* Moves in whatever has the keys: help, an opened line, a list. */
static unsigned move(struct app *a, double by)
{
	long lines = (long)(by > MOVE_MAX ? MOVE_MAX : by < -MOVE_MAX ? -MOVE_MAX : by);
	struct view_context c = app_context(a, a->focus);

	if (a->helping)
		help_scroll(&a->help, lines);
	else if (a->now->has_frame)
		pane_move(&a->panes[a->focus], &c, lines);
	return APP_DRAW;
}

static size_t page(const struct app *a)
{
	if (!a->helping)
		return pane_page(&a->panes[a->focus]);
	return a->help.height > 1 ? a->help.height : 1;
}

static unsigned act_lines(struct app *a, enum action action, uint32_t count)
{
	double by = at_least_one(count);

	return move(a, action == ACTION_DOWN ? by : -by);
}

static unsigned act_half(struct app *a, enum action action, uint32_t count)
{
	size_t half = (page(a) + 1) / 2;
	double by = (double)at_least_one(count) * (double)half;

	return move(a, action == ACTION_HALF_DOWN ? by : -by);
}

static unsigned act_page(struct app *a, enum action action, uint32_t count)
{
	double by = (double)at_least_one(count) * (double)page(a);

	return move(a, action == ACTION_PAGE_DOWN ? by : -by);
}

static unsigned act_line(struct app *a, enum action action, uint32_t count)
{
	struct view_context c = app_context(a, a->focus);

	if (a->helping)
		return move(a, action == ACTION_FIRST_LINE ? -MOVE_MAX : MOVE_MAX);
	if (!a->now->has_frame)
		return APP_DRAW;
	if (action == ACTION_FIRST_LINE)
		pane_to_line(&a->panes[a->focus], &c, 0);
	else if (count > 0)
		pane_to_line(&a->panes[a->focus], &c, count - 1);
	else
		pane_to_last(&a->panes[a->focus], &c);
	return APP_DRAW;
}

static unsigned act_go(struct app *a, enum action action, uint32_t count)
{
	(void)action;
	if (count == 0)
		return act_line(a, ACTION_FIRST_LINE, 0);
	app_go_turn(a, count);
	return APP_DRAW;
}

static unsigned act_open(struct app *a, enum action action, uint32_t count)
{
	struct view_context c = app_context(a, a->focus);

	(void)action;
	(void)count;
	if (a->now->has_frame && !a->helping && !pane_toggle(&a->panes[a->focus], &c))
		app_say(a, STYLE_DIM, "this line has no more to show");
	return APP_DRAW;
}

static unsigned act_search(struct app *a, enum action action, uint32_t count)
{
	(void)count;
	if (action == ACTION_SEARCH_ALL)
		app_search_open_all(a);
	else
		app_search_open(a, action == ACTION_FILTER);
	return APP_DRAW;
}

static unsigned act_again(struct app *a, enum action action, uint32_t count)
{
	app_search_again(a, action == ACTION_SEARCH_PREVIOUS, at_least_one(count));
	return APP_DRAW;
}

/* ---- panes ---- */

static unsigned act_cycle(struct app *a, enum action action, uint32_t count)
{
	unsigned built = 0, step = action == ACTION_NEXT_PANE ? 1 : PANE_COUNT - 1, id = a->focus;

	for (unsigned i = 0; i < PANE_COUNT; i++)
		built += a->panes[i].view != NULL;
	if (built == 0)
		return 0;
	for (count = (at_least_one(count) - 1) % built + 1; count > 0; count--)
		do
			id = (id + step) % PANE_COUNT;
		while (!a->panes[id].view);
	app_focus(a, (enum pane_id)id);
	return APP_DRAW;
}

static unsigned act_focus(struct app *a, enum action action, uint32_t count)
{
	(void)count;
	app_focus(a, (enum pane_id)(action - ACTION_FOCUS_ROWS));
	return APP_DRAW;
}

static unsigned act_zoom(struct app *a, enum action action, uint32_t count)
{
	(void)count;
	if (action == ACTION_ZOOM_IN && a->shown.zoom < LAYOUT_ZOOM_STEPS)
		a->shown.zoom++;
	else if (action == ACTION_ZOOM_OUT && a->shown.zoom > 0)
		a->shown.zoom--;
	else
		app_say(a, STYLE_DIM, action == ACTION_ZOOM_IN ? "it has all the room" : "normal size");
	return APP_DRAW;
}

/* ---- other ---- */

static unsigned act_prompt(struct app *a, enum action action, uint32_t count)
{
	(void)action;
	(void)count;
	prompt_open(&a->prompt, ":");
	return APP_DRAW_BARS;
}

static unsigned act_help(struct app *a, enum action action, uint32_t count)
{
	(void)action;
	(void)count;
	a->helping = !a->helping;
	a->help.top = 0;
	if (a->helping)
		help_make(&a->help, &a->keys, a->focus, a->cols, a->ascii, run_is_dsh(&a->now->run));
	return APP_DRAW;
}

static unsigned act_close(struct app *a, enum action action, uint32_t count)
{
	struct pane *p = &a->panes[a->focus];

	(void)action;
	(void)count;
	if (a->helping) {
		a->helping = false;
	} else if (p->open) {
		p->open = false;
	} else if (a->compare.on) {
		app_compare_close(a);
	} else if (a->key.code == KEYS_ESCAPE && a->search.marking) {
		a->search.marking = false;
	} else if (a->key.code == KEYS_ESCAPE) {
		/* a key to get out of something does not end the program */
		app_say(a, STYLE_DIM, "q quits");
	} else {
		return APP_QUIT;
	}
	return APP_DRAW;
}

static unsigned act_quit(struct app *a, enum action action, uint32_t count)
{
	(void)a;
	(void)action;
	(void)count;
	return APP_QUIT;
}

static unsigned act_repaint(struct app *a, enum action action, uint32_t count)
{
	(void)a;
	(void)action;
	(void)count;
	return APP_DRAW | APP_REPAINT;
}

static unsigned act_suspend(struct app *a, enum action action, uint32_t count)
{
	(void)a;
	(void)action;
	(void)count;
	return APP_SUSPEND;
}

/* ---- mouse ---- */

/* The pane under the mouse; PANE_COUNT where there is none. */
static enum pane_id pane_under(const struct app *a)
{
	enum pane_id id = 0;

	for (; id < PANE_COUNT; id++) {
		struct layout_pane place = app_place(a, id);

		if (layout_hit(place.title, a->key.row, a->key.col) || layout_hit(place.body, a->key.row, a->key.col))
			break;
	}
	return id;
}

static unsigned act_click(struct app *a, enum action action, uint32_t count)
{
	app_compare_mouse(a);
	enum pane_id id = pane_under(a);
	uint32_t turn;

	(void)action;
	(void)count;
	if (a->helping || !a->now->has_frame)
		return 0;
	if (layout_hit(a->layout.strip, a->key.row, a->key.col)) {
		struct view_context c = app_context(a, a->focus);

		c.width = a->layout.strip.cols;
		turn = strip_turn_at(&c, a->key.col - a->layout.strip.col);
		if (turn > 0)
			app_go_turn(a, turn);
	} else if (id < PANE_COUNT) {
		struct view_context c = app_context(a, id);
		struct rect body = app_place(a, id).body;

		app_focus(a, id);
		pane_select_at(&a->panes[id], &c, body, a->key.row - body.row);
	}
	return APP_DRAW;
}

static unsigned act_wheel(struct app *a, enum action action, uint32_t count)
{
	app_compare_mouse(a);
	enum pane_id id = pane_under(a);
	long by = action == ACTION_WHEEL_DOWN ? WHEEL_LINES : -WHEEL_LINES;

	(void)count;
	if (a->helping) {
		help_scroll(&a->help, by);
	} else if (id < PANE_COUNT && a->now->has_frame) {
		struct view_context c = app_context(a, id);

		pane_scroll(&a->panes[id], &c, by);
	}
	return APP_DRAW;
}

static unsigned act_branch(struct app *a, enum action action, uint32_t count)
{
	(void)action;
	(void)count;
	app_choose_branch(a);
	return APP_DRAW;
}

static unsigned act_compare(struct app *a, enum action action, uint32_t count)
{
	(void)action;
	(void)count;
	app_compare_ask(a);
	return APP_DRAW;
}

static unsigned act_other_side(struct app *a, enum action action, uint32_t count)
{
	(void)action;
	(void)count;
	if (a->compare.on && !a->compare.both)
		a->compare.right_only = !a->compare.right_only;
	else
		app_say(a, STYLE_DIM, a->compare.on ? "both sides are shown" : "nothing is compared (D)");
	return APP_DRAW;
}

static unsigned act_what_if(struct app *a, enum action action, uint32_t count)
{
	(void)action;
	(void)count;
	app_what_if_open(a);
	return APP_DRAW;
}

static unsigned act_save_branch(struct app *a, enum action action, uint32_t count)
{
	(void)action;
	(void)count;
	app_what_if_save(a);
	return APP_DRAW;
}

/* b alone is their list; what is to be watched or probed has to be said. */
static unsigned act_add_break(struct app *a, enum action action, uint32_t count)
{
	(void)count;
	if (action == ACTION_BREAK && a->argument.n == 0)
		app_break_list(a);
	else
		app_break_add(a, action == ACTION_BREAK   ? BREAK_POINT
				 : action == ACTION_WATCH ? BREAK_WATCH
							  : BREAK_PROBE);
	return APP_DRAW;
}

static unsigned act_run(struct app *a, enum action action, uint32_t count)
{
	app_break_run(a, action == ACTION_RUN, count);
	return APP_DRAW;
}

static unsigned act_mark(struct app *a, enum action action, uint32_t count)
{
	(void)count;
	app_mark(a, action);
	return APP_DRAW;
}

static unsigned act_marks(struct app *a, enum action action, uint32_t count)
{
	(void)action;
	(void)count;
	app_mark_list(a);
	return APP_DRAW;
}

static unsigned act_jump(struct app *a, enum action action, uint32_t count)
{
	app_jump(a, action == ACTION_JUMP_BACK, count);
	return APP_DRAW;
}

static unsigned act_where(struct app *a, enum action action, uint32_t count)
{
	(void)action;
	(void)count;
	app_where(a);
	return APP_DRAW;
}

static unsigned act_copy(struct app *a, enum action action, uint32_t count)
{
	(void)action;
	(void)count;
	return app_copy(a);
}

static unsigned act_save(struct app *a, enum action action, uint32_t count)
{
	(void)action;
	(void)count;
	app_save(a);
	return APP_DRAW;
}

static unsigned act_shift(struct app *a, enum action action, uint32_t count)
{
	enum { STEP = 5 };
	int percent = (int)(count > LAYOUT_SHIFT_MAX ? LAYOUT_SHIFT_MAX : at_least_one(count)) * STEP;

	app_layout_shift(a, action == ACTION_MORE_ROWS ? percent : -percent);
	return APP_DRAW;
}

static unsigned act_hide(struct app *a, enum action action, uint32_t count)
{
	(void)action;
	(void)count;
	app_layout_hide(a);
	return APP_DRAW;
}

static unsigned (*const functions[ACTION_COUNT])(struct app *a, enum action action, uint32_t count) = {
#define ACTION_FUNCTION(number, function, name, argument, keys, group, help, headless)                                 \
	[ACTION_##number] = act_##function,
	ACTION_LIST(ACTION_FUNCTION)
#undef ACTION_FUNCTION
};

unsigned app_act(struct app *a, enum action action, uint32_t count) { return functions[action](a, action, count); }
