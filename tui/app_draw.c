#include <stdio.h>

#include "replay/view/words.h"
#include "tui/app_parts.h"

enum { PROGRESS_BAR = 20 };

static void new_line(struct line *l, const struct app *a, int cols, enum style fill)
{
	*l = (struct line){.ascii = a->ascii};
	line_reset(l, cols);
	l->fill = (uint8_t)fill;
}

/* ---- progress ---- */

static double progress(const struct app *a)
{
	double p = a->next                        ? recording_progress(a->next->recording)
		   : a->now->phase == APP_LOADING ? recording_progress(a->now->recording)
		   : a->now->has_run              ? run_progress(&a->now->run)
						  : 1;

	return p < 0 ? 0 : p > 1 ? 1 : p;
}

static void put_amount(const struct app *a, struct line *l, double done)
{
	double all = (double)(a->next ? a->next : a->now)->recording->source.size;

	if (a->now->phase == APP_PASSING && !a->next)
		line_printf(l, STYLE_PLAIN, "replaying  turn %zu  ", a->now->run.timeline.turns.n);
	else if (a->now->phase == APP_CHECKING && !a->next)
		line_puts(l, STYLE_PLAIN, "comparing with what was recorded  ");
	else if (all > 0)
		line_printf(l, STYLE_PLAIN, "loading  %.1f of %.1f MB  ", done * all / 1e6, all / 1e6);
	else
		line_puts(l, STYLE_PLAIN, "loading  ");
}

static void put_progress(const struct app *a, struct line *l)
{
	double done = progress(a);
	int full = (int)(done * PROGRESS_BAR);

	put_amount(a, l, done);
	line_printf(l, STYLE_NUMBER, "%3d %%  ", (int)(done * 100));
	if (line_left(l) > PROGRESS_BAR + 2) {
		line_repeat(l, STYLE_CHART, GLYPH_BAR_FULL, full);
		line_repeat(l, STYLE_DIM, GLYPH_BAR_EMPTY, PROGRESS_BAR - full);
		line_puts(l, STYLE_PLAIN, "  ");
	}
	/* below a second the rate says nothing */
	if (a->elapsed >= 1 && done > 0 && done < 1)
		line_printf(l, STYLE_DIM, "%.0f s left", a->elapsed * (1 - done) / done);
}

/* ---- bars ---- */

static void draw_status(const struct app *a, struct grid *g)
{
	struct rect r = a->layout.status;
	struct line l;

	if (r.rows == 0)
		return;
	new_line(&l, a, r.cols, STYLE_BAR);
	if (a->now->has_frame) {
		struct view_context c = app_context(a, a->focus);

		c.width = r.cols;
		status_line(&c, &l);
	} else {
		line_puts(&l, STYLE_BAR, " acpdbg  ");
		line_puts(&l, STYLE_BAR, a->now->recording->source.path ? a->now->recording->source.path : "");
	}
	grid_put_line(g, r, &l);
	line_free(&l);
}

static void draw_strip(struct app *a, struct grid *g)
{
	struct rect r = a->layout.strip;
	struct view_context c = app_context(a, a->focus);
	struct line l;

	if (!a->now->has_frame)
		return;
	c.width = r.cols;
	c.marks = app_break_marks(a, &c.marks_n);
	app_mark_letters(a);
	c.letters = a->letters.v;
	c.letters_n = a->letters.n;
	for (int i = 0; i < r.rows; i++) {
		new_line(&l, a, r.cols, STYLE_PLAIN);
		strip_line(&c, i, &l);
		grid_put_line(g, (struct rect){r.row + i, r.col, 1, r.cols}, &l);
		line_free(&l);
	}
}

/* On a screen of one row it stands for the status line, too. */
static void put_short_status(const struct app *a, struct line *l)
{
	struct buf at = {0};

	position_print(a->now->frame.at, &at);
	line_printf(l, STYLE_PLAIN, "turn %s/%zu  ", at.p ? at.p : "", a->now->run.timeline.turns.n);
	buf_free(&at);
}

static void draw_bottom(struct app *a, struct grid *g)
{
	struct rect r = a->layout.bottom;
	char count[24];
	struct line l;

	if (r.rows == 0)
		return;
	if (a->prompt.active) {
		prompt_draw(&a->prompt, g, r);
		app_complete_draw(a, g, r);
		return;
	}
	if (a->search.prompt.active) {
		app_search_draw_prompt(a, g, r);
		return;
	}
	if (a->ask.prompt.active) {
		app_ask_draw(a, g, r);
		return;
	}
	new_line(&l, a, r.cols, STYLE_PLAIN);
	if (a->message.n > 0) {
		words_put(&l, a->message_style, buf_view(&a->message));
	} else if (app_search_busy(a)) {
		app_search_put_progress(a, &l);
	} else if (a->breaks.running) {
		app_break_put_progress(a, &l);
	} else if (app_fork_busy(a)) {
		app_fork_put_progress(a, &l);
	} else if (app_busy(a) && !app_break_busy(a) && !app_follow_busy(a)) {
		put_progress(a, &l);
	} else {
		if (a->layout.status.rows == 0 && a->now->has_frame)
			put_short_status(a, &l);
		app_fork_put_name(a, &l);
		app_break_put_values(a, &l);
		/* a list has keys of its own, and says them */
		if (!a->list)
			help_hints(&a->keys, a->helping || a->panes[a->focus].open || a->compare.on, &l);
	}
	if (a->counting) {
		snprintf(count, sizeof count, "%u", (unsigned)a->count);
		line_put_right(&l, STYLE_BOLD, str_of(count));
	}
	grid_put_line(g, r, &l);
	line_free(&l);
}

void app_draw_bars(struct app *a, struct grid *g)
{
	app_tell_change(a);
	g->cursor_shown = false;
	if (!a->now->stale) {
		if (!a->compare.on || a->list || a->helping)
			draw_status(a, g);
		draw_strip(a, g);
	}
	draw_bottom(a, g);
}

/* ---- everything ---- */

static void draw_panes(struct app *a, struct grid *g)
{
	for (enum pane_id id = 0; id < PANE_COUNT; id++) {
		struct layout_pane place = app_place(a, id);
		struct view_context c = app_context(a, id);

		if (place.body.rows > 0)
			pane_draw(&a->panes[id], &c, g, place, id == a->focus);
	}
	grid_rule_down(g, a->layout.divider, STYLE_RULE, GLYPH_VLINE);
}

/* From below the status line down to the strip. */
static struct rect middle(const struct app *a)
{
	const struct layout *l = &a->layout;
	int from = l->status.rows, to = l->strip.rows > 0 ? l->strip.row : l->bottom.row;

	return (struct rect){from, 0, to - from, a->cols};
}

void app_draw(struct app *a, struct grid *g)
{
	if (g->rows != a->rows || g->cols != a->cols)
		grid_resize(g, a->rows, a->cols);
	g->ascii = a->ascii;
	grid_clear(g);
	app_settle(a);
	if (a->list)
		chooser_draw(&a->chooser, g, middle(a));
	else if (a->helping)
		help_draw(&a->help, a->focus, g, middle(a));
	else if (a->now->has_frame && a->compare.on)
		app_compare_draw(a, g);
	else if (a->now->has_frame)
		draw_panes(a, g);
	app_draw_bars(a, g);
}
