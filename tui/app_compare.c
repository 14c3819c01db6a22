#include <stdio.h>

#include "replay/view/words.h"
#include "tui/app_parts.h"

enum {
	SIDES = 2,
	WIDE = 100,      /* columns from which both stand beside each other */
	STACK_ROWS = 12, /* rows from which one stands below the other; else one is shown */
	WORDS_ROWS = 5   /* from which a line tells what differs */
};

static struct app_replay *replay_of(const struct app *a, int side) { return side ? a->compare.other : a->now; }

struct view_context app_compare_context(const struct app *a, int side)
{
	const struct pane *p = side ? &a->compare.panes[a->focus] : &a->panes[a->focus];
	struct app_replay *r = replay_of(a, side);

	return (struct view_context){.run = &r->run,
				     .frame = &r->frame,
				     .ascii = a->ascii,
				     .width = a->compare.place[side].body.cols,
				     .selected = p->key,
				     .unfolded = p->open};
}

/* ---- on and off ---- */

void app_compare_open(struct app *a, struct app_replay *other)
{
	struct app_compare *c = &a->compare;

	c->back = a->now;
	app_fork_show(a, a->forks.list.v[0]);
	c->other = other;
	c->on = true;
	c->right_only = false;
	for (enum pane_id id = 0; id < PANE_COUNT; id++)
		pane_init(&c->panes[id], id);
}

void app_compare_close(struct app *a)
{
	struct app_compare *c = &a->compare;
	struct app_replay *back = c->back;

	if (!c->on)
		return;
	c->on = false;
	c->other = c->back = NULL;
	app_fork_show(a, back);
}

/* ---- asking ---- */

static bool is_wrong(struct app *a, struct str text, struct expr_fault *fault)
{
	struct policy p = (a->forks.list.n > 0 ? a->forks.list.v[0] : a->now)->run.policy;
	struct error e = {0};

	if (policy_apply(&p, text, &e) == STATUS_OK)
		return false;
	snprintf(fault->message, sizeof fault->message, "%s", e.message);
	fault->at = text.n;
	return true;
}

static unsigned answer(struct app *a, struct str text)
{
	struct buf words = {0};

	for (size_t i = 1; i < a->forks.list.n; i++)
		if (str_eq(buf_view(&a->forks.list.v[i]->side), text) &&
		    a->forks.list.v[i]->recording == a->forks.list.v[0]->recording) {
			app_compare_open(a, a->forks.list.v[i]);
			return APP_DRAW;
		}
	buf_str(&words, text);
	app_fork_begin(a, &(struct app_fork_wish){.change = words.p, .policy = text, .compares = true});
	buf_free(&words);
	return APP_DRAW;
}

static const struct app_question question = {
	.lead = "compare with policy: ", .wrong = is_wrong, .answer = answer, .completes = COMPLETE_POLICY};

void app_compare_ask(struct app *a)
{
	struct expr_fault fault = {0};

	if (a->compare.on && a->argument.n == 0)
		app_compare_close(a);
	else if (a->now->phase != APP_READY)
		app_say(a, STYLE_WARNING, "not before all turns are replayed");
	else if (a->argument.n > 0 && is_wrong(a, a->argument, &fault))
		app_say(a, STYLE_ERROR, "%s", fault.message);
	else if (a->argument.n > 0) {
		app_compare_close(a);
		answer(a, a->argument);
	} else if (a->forks.list.n > 0 && a->now != a->forks.list.v[0])
		app_compare_open(a, a->now);
	else
		app_ask(a, &question, (struct str){NULL, 0});
}

/* ---- where and what ---- */

static const struct diff_step *step_at(const struct app *a, uint32_t turn)
{
	const struct app_replay *r = a->compare.other;

	for (size_t i = 0; turn > 0 && i < r->steps.n; i++)
		if (r->steps.v[i].turn[DIFF_LEFT] == turn)
			return &r->steps.v[i];
	return NULL;
}

void app_compare_go(struct app *a, uint32_t count, bool forward)
{
	const struct app_replay *r = a->compare.other;
	uint32_t from = a->now->frame.at.turn, found = 0, steps = count > 0 ? count : 1;

	for (size_t k = 0; k < r->steps.n && steps > 0; k++) {
		const struct diff_step *s = &r->steps.v[forward ? k : r->steps.n - 1 - k];
		uint32_t turn = s->turn[DIFF_LEFT];

		if (s->kinds == 0 || turn == 0 || (forward ? turn <= from : turn >= from))
			continue;
		found = turn;
		steps--;
	}
	if (found > 0)
		app_go(a, (struct position){.turn = found, .node = NODE_RENDER});
	if (steps > 0)
		app_say(a, STYLE_DIM, "no %sturn that differs %s this one", found ? "further " : "",
			forward ? "after" : "before");
}

static struct rect take_rows(struct rect *area, int rows)
{
	struct rect r = {area->row, area->col, rows < area->rows ? rows : area->rows, area->cols};

	area->row += r.rows;
	area->rows -= r.rows;
	return r;
}

/* A side: its top line, the title, and the body behind a column for marks. */
static void place_side(struct app_compare *c, int side, struct rect area)
{
	c->status[side] = take_rows(&area, area.rows > 2);
	c->place[side].title = take_rows(&area, area.rows > 1);
	c->gutter[side] = (struct rect){area.row, area.col, area.rows, area.cols > 2};
	area.col += c->gutter[side].cols;
	area.cols -= c->gutter[side].cols;
	c->place[side].body = area;
}

void app_compare_place(struct app *a)
{
	struct app_compare *c = &a->compare;
	const struct layout *l = &a->layout;
	struct rect area = {0, 0, l->strip.rows > 0 ? l->strip.row : l->bottom.row, a->cols}, left;

	if (area.rows <= 0)
		area = (struct rect){0, 0, 0, 0};
	c->words = c->divider = (struct rect){0, 0, 0, 0};
	if (area.rows >= WORDS_ROWS || area.rows == 4) {
		area.rows--;
		c->words = (struct rect){area.rows, 0, 1, area.cols};
	}
	left = area;
	c->both = area.cols >= WIDE || area.rows >= STACK_ROWS;
	if (area.cols >= WIDE) {
		left.cols = (area.cols - 1) / 2;
		c->divider = (struct rect){area.row, left.cols, area.rows, 1};
		area.col = left.cols + 1;
		area.cols = left.cols;
	} else if (area.rows >= STACK_ROWS) {
		left = take_rows(&area, area.rows / 2);
	}
	place_side(c, 0, left);
	place_side(c, 1, area);
}

/* The other side stands at the turn beside this one, the same line selected in the same row of the window. */
static void follow(struct app *a)
{
	struct app_replay *r = a->compare.other;
	const struct frame *f = &a->now->frame;
	struct pane *left = &a->panes[a->focus], *right = &a->compare.panes[a->focus];
	struct position p = f->at;
	struct error e = {0};

	p.turn = app_fork_turn(a, a->now, r, p.turn);
	if (r->recording != a->now->recording)
		p.records = 0;
	if (!r->has_frame || !position_equal(r->frame.at, p))
		r->has_frame = app_replay_go(r, p, &e) == STATUS_OK;
	right->open = left->open;
	right->tail = false;
}

/* What is selected there, whatever line of its own stands for the position. */
static void select_same(struct app *a)
{
	struct pane *left = &a->panes[a->focus], *right = &a->compare.panes[a->focus];
	struct view_context c = app_compare_context(a, 1);
	size_t height = pane_view_height(right, a->compare.place[1].body), above = left->at - left->top;

	/* which may have moved it */
	pane_settle(right, &c, height);
	if (left->key != 0)
		right->wanted = right->key = left->key;
	right->at = left->at;
	right->top = left->top;
	right->detail_top = left->detail_top;
	pane_settle(right, &c, height);
	if (left->key == 0 || right->open || left->at < left->top)
		return;
	right->top = right->at > above ? right->at - above : 0;
	pane_settle(right, &c, height);
}

void app_compare_settle(struct app *a)
{
	if (!a->now->has_frame || !a->panes[a->focus].view)
		return;
	follow(a);
	if (a->compare.other->has_frame)
		select_same(a);
}

void app_compare_mouse(struct app *a)
{
	struct rect from = a->compare.place[1].body, to = a->compare.place[0].body;

	if (!a->compare.on || !layout_hit(from, a->key.row, a->key.col) || a->list || a->helping)
		return;
	a->key.row += to.row - from.row;
	a->key.col += to.col - from.col;
}

/* ---- drawing ---- */

static void draw_status(const struct app *a, int side, struct grid *g)
{
	struct view_context c = app_compare_context(a, side);
	struct rect r = a->compare.status[side];
	struct line l = {.ascii = a->ascii};

	if (r.rows == 0)
		return;
	grid_put(g, (struct rect){r.row, r.col, 1, r.cols < 2 ? r.cols : 2}, STYLE_BAR_ALERT,
		 side ? STR("R ") : STR("L "));
	r.col += 2;
	r.cols -= 2;
	if (r.cols <= 0)
		return;
	line_reset(&l, r.cols);
	l.fill = STYLE_BAR;
	c.width = r.cols;
	status_line(&c, &l);
	grid_put_line(g, r, &l);
	line_free(&l);
}

static void draw_marks(struct app *a, int side, struct grid *g)
{
	static const struct {
		const char *sign, *ascii;
		enum style style;
	} signs[] = {[APP_STANDS_OTHER] = {"≠", "!", STYLE_CHANGED}, [APP_STANDS_ALONE] = {"*", "*", STYLE_ADDED}};
	const struct pane *p = side ? &a->compare.panes[a->focus] : &a->panes[a->focus];
	struct view_context c = app_compare_context(a, side);
	struct rect body = a->compare.place[side].body, gutter = a->compare.gutter[side];
	size_t n = pane_count(p, &c);
	int head = body.rows - (int)pane_view_height(p, body);

	for (int i = head; !p->open && i < body.rows && p->top + (size_t)(i - head) < n; i++) {
		enum app_standing m = app_compare_standing(a, side, pane_view_line(p, p->top + (size_t)(i - head)));

		if (m != APP_STANDS_SAME)
			grid_put(g, (struct rect){gutter.row + i, gutter.col, gutter.cols > 0, gutter.cols},
				 signs[m].style, str_of(a->ascii ? signs[m].ascii : signs[m].sign));
	}
}

static void put_kinds(uint32_t set, struct line *l)
{
	bool first = true;

	for (int k = 0; k < DIFF_KINDS; k++)
		if (set >> k & 1) {
			line_puts(l, STYLE_CHANGED, first ? "" : ", ");
			line_puts(l, STYLE_CHANGED, diff_kind_name((enum diff_kind)k));
			first = false;
		}
}

static void draw_words(const struct app *a, struct grid *g)
{
	const struct app_replay *r = a->compare.other;
	const struct diff_step *s = step_at(a, a->now->frame.at.turn);
	struct line l = {.ascii = a->ascii};

	if (a->compare.words.rows == 0)
		return;
	line_reset(&l, a->compare.words.cols);
	line_printf(&l, STYLE_BOLD, "%u/%zu turns differ  ", (unsigned)r->differing, r->steps.n);
	if (!s || s->kinds == 0)
		line_puts(&l, STYLE_GOOD, "= this turn is the same  ");
	else
		line_puts(&l, STYLE_CHANGED, a->ascii ? "! here  " : "≠ here  ");
	if (!a->compare.both)
		line_puts(&l, STYLE_KEY, "= other side  ");
	/* the kinds may be many: they come last */
	line_puts(&l, STYLE_DIM, "R: ");
	line_put(&l, STYLE_DIM, buf_view(&r->change));
	line_puts(&l, STYLE_PLAIN, "  ");
	put_kinds(s ? s->kinds : 0, &l);
	grid_put_line(g, a->compare.words, &l);
	line_free(&l);
}

static void draw_side(struct app *a, int side, struct grid *g)
{
	struct view_context c = app_compare_context(a, side);
	const struct pane *p = side ? &a->compare.panes[a->focus] : &a->panes[a->focus];

	draw_status(a, side, g);
	pane_draw(p, &c, g, a->compare.place[side], true);
	draw_marks(a, side, g);
}

void app_compare_draw(struct app *a, struct grid *g)
{
	if (!a->compare.other->has_frame)
		return;
	for (int side = 0; side < SIDES; side++)
		if (a->compare.both || side == a->compare.right_only)
			draw_side(a, side, g);
	grid_rule_down(g, a->compare.divider, STYLE_RULE, GLYPH_VLINE);
	draw_words(a, g);
}
