/*
 * Search and filters. Both are jobs: a key only says what to look for, and does
 * a first piece so that short lists need no second painting; the rest is done
 * between keys, one piece of one text at a time.
 */
#include <stdio.h>

#include "replay/view/words.h"
#include "tui/app_parts.h"

/* Of the first piece: a few milliseconds. */
enum { FIRST_BUDGET = 100000, SKIP_COST = 16, STATUS_LEAVES = 16 };

/* The number of lines of these depends on the width they are made for. */

static struct search_place list_of(const struct app *a, enum pane_id id)
{
	struct view_context c = app_context(a, id);

	c.unfolded = false;
	return (struct search_place){.view = a->panes[id].view, .context = search_context(c, a->panes[id].view)};
}

/* What is searched. */
static struct search_place place_of(const struct app *a)
{
	const struct pane *p = &a->panes[a->search.pane];
	struct search_place in = list_of(a, a->search.pane);

	if (a->search.all) {
		in.view = &app_search_all_view;
	} else if (p->open) {
		in.context = app_context(a, a->search.pane);
		in.detail = p->key;
	}
	return in;
}

static size_t lines_of(const struct app *a)
{
	struct view_context c = app_context(a, a->search.pane);

	return a->search.all ? app_search_all_view.count(&c) : pane_lines(&a->panes[a->search.pane], &c);
}

/* What is typed is searched at every letter. */
static bool is_live(const struct app_search *s) { return s->prompt.active && !s->filtering && !s->typing_all; }

/* ---- filters ---- */

static bool filter_counts(const struct app *a, enum pane_id id)
{
	return a->search.filters[id].pattern &&
	       (id == PANE_ROWS || id == a->shown.side || id == a->shown.third || id == a->focus);
}

static void restart_filter(struct app_filter *f)
{
	search_line_drop(&f->line);
	f->found.lines.n = f->next = 0;
	f->tally = (struct search_tally){0};
	f->running = true;
}

static void step_filter(struct app *a, enum pane_id id, size_t budget)
{
	struct app_filter *f = &a->search.filters[id];
	struct search_place in = list_of(a, id);
	size_t n = in.view->count(&in.context), cost = 0;
	enum search_answer answer;

	while (f->next < n && cost < budget) {
		/* rules and captions stay out */
		if (in.view->key(&in.context, f->next) == 0) {
			cost += SKIP_COST;
			f->next++;
			continue;
		}
		answer = search_line_step(&f->line, f->pattern, &in, f->next, &f->tally, &cost);
		if (answer == SEARCH_MORE)
			continue;
		if (answer == SEARCH_FOUND)
			vec_push(&f->found.lines, (uint32_t)f->next);
		f->next++;
	}
	f->running = f->next < n;
}

static enum pane_id running_filter(const struct app *a)
{
	enum pane_id id = 0;

	while (id < PANE_COUNT && !(filter_counts(a, id) && a->search.filters[id].running))
		id++;
	return id;
}

/* "error (34 %)": what the title says of a filter. */
static void put_filter_words(struct app *a, enum pane_id id)
{
	struct app_filter *f = &a->search.filters[id];
	struct search_place in = list_of(a, id);
	size_t n = in.view->count(&in.context);

	buf_cut(&f->words, 0);
	buf_str(&f->words, search_pattern(f->pattern));
	if (f->running)
		buf_printf(&f->words, " (%d %%)", n > 0 ? (int)(100 * (f->next < n ? f->next : n) / n) : 0);
	else if (f->tally.gave_up > 0)
		buf_printf(&f->words, " (gave up on %zu)", f->tally.gave_up);
}

static void refresh_filter(struct app *a, enum pane_id id)
{
	struct app_filter *f = &a->search.filters[id];
	int width = a->panes[id].view->wraps ? app_place(a, id).body.cols : 0;

	if (f->opening != a->opening || f->width != width) {
		f->opening = a->opening;
		f->width = width;
		restart_filter(f);
		step_filter(a, id, FIRST_BUDGET);
	}
	put_filter_words(a, id);
}

static struct search *marked(const struct app *a)
{
	const struct app_search *s = &a->search;

	return is_live(s) ? s->trial : s->pattern;
}

void app_search_refresh(struct app *a)
{
	for (enum pane_id id = 0; a->now->has_frame && id < PANE_COUNT; id++) {
		struct app_filter *f = &a->search.filters[id];
		struct pane *p = &a->panes[id];

		if (filter_counts(a, id))
			refresh_filter(a, id);
		p->only = f->pattern ? &f->found : NULL;
		p->filter = f->words.p;
		p->marks = a->search.marking && id == a->search.pane ? marked(a) : NULL;
	}
}

static void set_filter(struct app *a, struct search *pattern)
{
	struct app_filter *f = &a->search.filters[a->search.pane];
	struct pane *p = &a->panes[a->search.pane];
	struct search_place in = list_of(a, a->search.pane);

	/* the last line of a filter is not the end of the list */
	if (p->only && p->at < pane_count(p, &in.context))
		p->tail = p->tail && pane_view_line(p, p->at) + 1 == in.view->count(&in.context);
	search_free(f->pattern);
	f->pattern = pattern;
	f->opening = 0;
	f->found.lines.n = 0;
	f->running = false;
	p->open = false;
	app_search_refresh(a);
	if (!pattern)
		app_say(a, STYLE_DIM, "all lines");
}

/* ---- the search ---- */

/* The pattern, where it is not on the same line anyhow. */
static void add_pattern(const struct app_search *s, struct buf *b)
{
	enum { SHOWN = 60 };
	struct str pattern = s->prompt.active ? STR("it") : search_pattern(s->pattern);
	struct str shown = text_clip(pattern, SHOWN, false, NULL);

	buf_str(b, shown);
	if (shown.n < pattern.n)
		buf_text(b, "...");
}

static const char *searched_name(const struct app *a)
{
	if (a->search.all)
		return app_search_all_view.title;
	return a->panes[a->search.pane].open ? "this" : pane_kinds[a->search.pane].title;
}

/* How the search ended; nothing when there is nothing to say of a match. */
static enum style put_end(const struct app *a, struct buf *b)
{
	const struct app_search *s = &a->search;

	if (!s->found) {
		buf_printf(b, "nothing in %s has ", searched_name(a));
		add_pattern(s, b);
	} else if (s->around) {
		buf_text(b, s->backward ? "from the end again" : "from the start again");
	}
	if (b->n > 0 && (s->tally.gave_up > 0 || s->tally.cut > 0))
		buf_text(b, "; ");
	search_tally_words(&s->tally, b);
	return s->found && s->tally.gave_up == 0 ? STYLE_DIM : STYLE_WARNING;
}

static void say_end(struct app *a)
{
	struct buf b = {0};

	enum style style = put_end(a, &b);
	if (b.n > 0)
		app_say(a, style, "%s", b.p);
	buf_free(&b);
}

/* Where the pane stands: the selected line, or the first in its window. */
static size_t standing(const struct pane *p) { return p->open ? p->detail_top : p->key != 0 ? p->at : p->top; }

static void end_search(struct app *a, bool found)
{
	struct app_search *s = &a->search;

	s->running = false;
	s->found = found;
	search_line_drop(&s->line);
	if (!s->prompt.active)
		say_end(a);
}

static void hit(struct app *a)
{
	struct app_search *s = &a->search;
	struct pane *p = &a->panes[s->pane];
	struct view_context c = app_context(a, s->pane);

	s->visited = 0;
	if (--s->wanted > 0)
		return;
	if (s->all)
		app_search_all_go(a, s->at);
	else
		pane_show(p, &c, s->at);
	s->hit = s->at;
	s->hit_open = p->open;
	s->hit_pane = s->pane;
	s->stood = standing(p);
	end_search(a, true);
}

/* To the next line; the end of the search when all have been looked at. */
static void go_on(struct app *a, size_t n)
{
	struct app_search *s = &a->search;

	if (++s->visited > n) {
		end_search(a, false);
		return;
	}
	if (s->backward ? s->at == 0 : s->at + 1 >= n) {
		s->around = true;
		s->at = s->backward ? n - 1 : 0;
	} else {
		s->at += s->backward ? (size_t)-1 : 1;
	}
}

static void step_search(struct app *a, size_t budget)
{
	struct app_search *s = &a->search;
	const struct pane *p = &a->panes[s->pane];
	struct search_place in = place_of(a);
	size_t n = lines_of(a), cost = 0;
	enum search_answer answer;

	while (s->running && cost < budget) {
		if (s->at >= n) {
			end_search(a, false);
			break;
		}
		answer = search_line_step(&s->line, marked(a), &in,
					  s->all || p->open ? s->at : pane_view_line(p, s->at), &s->tally, &cost);
		if (answer == SEARCH_MORE)
			continue;
		if (answer == SEARCH_FOUND)
			hit(a);
		if (s->running)
			go_on(a, n);
	}
}

/* Looks for the wanted-th match from line `from` on, which counts. */
static void start(struct app *a, size_t from, bool backward, uint32_t wanted)
{
	struct app_search *s = &a->search;
	size_t n = lines_of(a);

	search_line_drop(&s->line);
	s->tally = (struct search_tally){0};
	s->running = s->marking = true;
	s->backward = backward;
	s->found = s->around = false;
	s->wanted = wanted;
	s->visited = 1;
	s->at = from < n ? from : 0;
	if (running_filter(a) == PANE_COUNT)
		step_search(a, FIRST_BUDGET);
}

void app_search_again(struct app *a, bool backward, uint32_t count)
{
	struct app_search *s = &a->search;
	const struct pane *p = &a->panes[a->focus];
	size_t n, from;

	s->pane = a->focus;
	s->all = s->all && s->pane == PANE_ROWS;
	n = a->now->has_frame ? lines_of(a) : 0;
	if (a->helping || !s->pattern || n == 0) {
		app_say(a, STYLE_WARNING,
			a->helping   ? "close the help first"
			: s->pattern ? "there is nothing to search"
				     : "nothing was searched for yet");
		return;
	}
	from = s->all ? app_search_all_from(a, true) : standing(p);
	if (!s->all && s->hit_pane == s->pane && s->hit_open == p->open && s->stood == from && s->hit < n)
		from = s->hit;
	from = from < n ? from : n - 1;
	if (backward)
		from = from > 0 ? from - 1 : n - 1;
	else
		from = from + 1 < n ? from + 1 : 0;
	bool around = backward ? from == n - 1 : from == 0;
	start(a, from, backward, count);
	/* the first step was one over the end */
	s->around = s->around || around;
	if (!s->running && s->found && around)
		say_end(a);
}

static int percent(const struct app *a)
{
	const struct app_search *s = &a->search;
	size_t n = lines_of(a);

	return n > 0 ? (int)(100 * s->visited / (n + 1)) : 0;
}

void app_search_stop(struct app *a)
{
	struct app_search *s = &a->search;

	search_line_drop(&s->line);
	s->running = false;
	app_say(a, STYLE_WARNING, "the search was stopped at %d %%", percent(a));
}

void app_search_forget(struct app *a)
{
	search_line_drop(&a->search.line);
	a->search.running = false;
	for (enum pane_id id = 0; id < PANE_COUNT; id++) {
		struct app_filter *f = &a->search.filters[id];

		restart_filter(f);
		f->running = false;
		f->opening = 0;
	}
}

bool app_search_busy(const struct app *a)
{
	return a->now->has_frame && (a->search.running || running_filter(a) < PANE_COUNT);
}

unsigned app_search_step(struct app *a, size_t budget)
{
	app_freshen(a);
	enum pane_id filter = running_filter(a);
	if (filter < PANE_COUNT)
		step_filter(a, filter, budget);
	else
		step_search(a, budget);
	if (app_search_busy(a) && running_filter(a) == filter)
		return APP_DRAW_BARS;
	app_settle(a);
	return APP_DRAW;
}

/* ---- the prompt ---- */

void app_search_open(struct app *a, bool filtering)
{
	struct app_search *s = &a->search;

	if (!a->now->has_frame || a->helping) {
		app_say(a, STYLE_WARNING, a->helping ? "close the help first" : "nothing is loaded yet");
		return;
	}
	prompt_open(&s->prompt, filtering ? "&" : "/");
	buf_cut(&s->typed, 0);
	s->filtering = filtering;
	s->typing_all = false;
	s->faulty = s->running = s->found = false;
	s->pane = a->focus;
	s->before = a->panes[a->focus];
}

void app_search_open_all(struct app *a)
{
	if (a->now->has_frame && !a->helping)
		app_focus(a, PANE_ROWS);
	app_search_open(a, false);
	a->search.typing_all = a->search.prompt.active;
	a->search.prompt.lead = "\\";
}

/* The pane as / found it. */
static void go_back(struct app *a)
{
	struct app_search *s = &a->search;
	struct pane *p = &a->panes[s->pane];
	size_t height = p->height;

	*p = s->before;
	p->height = height;
	s->running = false;
	search_line_drop(&s->line);
}

/* Another text: what it finds from where / was pressed. */
static void try_text(struct app *a)
{
	struct app_search *s = &a->search;
	struct str text = buf_view(&s->prompt.text);

	if (str_eq(text, buf_view(&s->typed)))
		return;
	buf_cut(&s->typed, 0);
	buf_str(&s->typed, text);
	if (is_live(s)) {
		s->all = false;
		go_back(a);
	}
	search_free(s->trial);
	s->trial = text.n > 0 ? search_make(text, &s->fault) : NULL;
	s->faulty = text.n > 0 && !s->trial;
	s->found = false;
	if (s->trial && is_live(s))
		start(a, standing(&a->panes[s->pane]), false, 1);
}

static void put_fault(const struct app_search *s, struct buf *b)
{
	buf_printf(b, "after %zu characters: %s", s->fault.letters, s->fault.message);
}

static void enter(struct app *a)
{
	struct app_search *s = &a->search;
	struct search *typed = s->trial;

	s->trial = NULL;
	if (s->faulty) {
		struct buf b = {0};

		put_fault(s, &b);
		app_say(a, STYLE_ERROR, "bad pattern, %s", b.p);
		buf_free(&b);
	} else if (s->filtering) {
		set_filter(a, typed);
	} else if (!typed) {
		s->all = s->typing_all;
		app_search_again(a, false, 1);
	} else {
		search_free(s->pattern);
		s->pattern = typed;
		s->all = s->typing_all;
		if (s->all)
			start(a, app_search_all_from(a, false), false, 1);
		else if (!s->running)
			say_end(a);
	}
}

unsigned app_search_key(struct app *a, struct key k)
{
	struct app_search *s = &a->search;

	switch (prompt_key(&s->prompt, k)) {
	case PROMPT_GOES_ON:
		try_text(a);
		break;
	case PROMPT_ENTERED:
		enter(a);
		break;
	case PROMPT_CANCELLED:
		if (!s->filtering && !s->typing_all)
			go_back(a);
		search_free(s->trial);
		s->trial = NULL;
		s->marking = s->marking && s->pattern;
		break;
	}
	return APP_DRAW;
}

/* ---- painting ---- */

static enum style put_status(const struct app *a, struct buf *b)
{
	const struct app_search *s = &a->search;

	if (s->faulty) {
		put_fault(s, b);
		return STYLE_WARNING;
	}
	if (!is_live(s) || !s->trial || s->prompt.text.n == 0)
		return STYLE_DIM;
	if (s->running) {
		buf_printf(b, "searching %d %%", percent(a));
		return STYLE_DIM;
	}
	return put_end(a, b);
}

void app_search_draw_prompt(const struct app *a, struct grid *g, struct rect r)
{
	struct buf b = {0};
	enum style style = put_status(a, &b);
	int room = r.cols - STATUS_LEAVES, used = 0;
	struct str words = text_clip(buf_view(&b), room > 0 ? room : 0, g->ascii, &used);
	struct rect left = r, right = r;

	/* the pattern has the left part; a frame too narrow for both has the pattern only */
	if (used > 0) {
		left.cols = r.cols - used - 1;
		right.col = r.col + left.cols;
		right.cols = used + 1;
		grid_fill(g, right, STYLE_PLAIN);
		right.col++;
		right.cols--;
		grid_put(g, right, style, words);
	}
	prompt_draw(&a->search.prompt, g, left);
	buf_free(&b);
}

void app_search_put_progress(const struct app *a, struct line *l)
{
	enum pane_id filter = running_filter(a);

	if (filter < PANE_COUNT)
		line_printf(l, STYLE_PLAIN, "filtering %s", pane_kinds[filter].title);
	else
		line_printf(l, STYLE_PLAIN, "searching %s %3d %%  any key stops it", searched_name(a), percent(a));
}

void app_search_free(struct app_search *s)
{
	prompt_free(&s->prompt);
	buf_free(&s->typed);
	search_free(s->trial);
	search_free(s->pattern);
	search_line_free(&s->line);
	for (enum pane_id id = 0; id < PANE_COUNT; id++) {
		struct app_filter *f = &s->filters[id];

		search_free(f->pattern);
		vec_free(&f->found.lines);
		search_line_free(&f->line);
		buf_free(&f->words);
	}
}
