#include <math.h>
#include <time.h>

#include "tui/app_parts.h"

static const struct branch_tip *tip(const struct app *a, size_t i) { return &a->now->recording->branches.v[i]; }

static size_t count_tips(void *ctx) { return ((const struct app *)ctx)->now->recording->branches.n; }

static void put_time(struct line *out, double ms)
{
	time_t seconds = isfinite(ms) && fabs(ms) < 1e15 ? (time_t)(ms / 1000) : 0;
	struct tm tm;
	char text[32] = "no time";

	if (seconds != 0 && gmtime_r(&seconds, &tm))
		strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &tm);
	line_printf(out, STYLE_DIM, "%-20s  ", text);
}

static void put_tip(void *ctx, size_t i, struct line *out)
{
	const struct app *a = ctx;
	const struct branch_tip *t = tip(a, i);

	line_puts(out, STYLE_MARK, t->active ? "* " : "  ");
	put_time(out, t->time);
	line_printf(out, STYLE_NUMBER, "%7u %7u  ", (unsigned)t->entries, (unsigned)t->own);
	line_put(out, STYLE_REF, names_get(&a->now->recording->names, t->id));
	if (t->label != 0) {
		line_puts(out, STYLE_PLAIN, "  ");
		line_put(out, STYLE_BOLD, names_get(&a->now->recording->names, t->label));
	}
	if (t->said.n > 0) {
		line_puts(out, STYLE_PLAIN, "  ");
		line_put(out, STYLE_USER, t->said);
	}
}

static void put_caption(void *ctx, struct line *out)
{
	(void)ctx;
	line_printf(out, STYLE_HEADING, "  %-20s  %7s %7s  %s", "last entry", "entries", "its own",
		    "end, label, what the user said last");
}

/* The branch that was loaded takes the place of the one shown; panes, keys and size stay. */
static unsigned show_next(struct app *a)
{
	app_fork_forget(a);
	app_search_forget(a);
	breaks_begin(&a->breaks.set, NULL);
	app_replay_free(a->now);
	a->now = a->next; /* complete */
	a->next = NULL;
	return app_start_pass(a);
}

static unsigned stay(struct app *a, const struct error *e)
{
	app_replay_free(a->next);
	a->next = NULL;
	app_say(a, STYLE_WARNING, "this branch stays: %s", e->message);
	return APP_DRAW;
}

/* The same file again, on the branch in a->branch. */
static unsigned load_next(struct app *a)
{
	struct error e = {0};

	app_replay_free(a->next);
	app_follow_stop(a);
	a->follow.size = 0;
	return app_replay_open(a, a->branch.p, &a->next, &e) == STATUS_OK ? APP_DRAW : stay(a, &e);
}

unsigned app_load_branch(struct app *a, size_t budget)
{
	struct error e = {0};
	enum status st = STATUS_OK;

	if (recording_load_step(a->next->recording, budget, &st, &e))
		return APP_DRAW_BARS;
	return st == STATUS_OK ? show_next(a) : stay(a, &e);
}

/* The one of the list that was chosen. */
static unsigned choose(struct app *a)
{
	const struct branch_tip *t = tip(a, a->chooser.at);

	if (t->active)
		return APP_DRAW;
	if (strcmp(a->request->file, "-") == 0 || !a->now->recording->source.is_file ||
	    !source_can_reopen(a->request->file)) {
		app_say(a, STYLE_WARNING, "%s cannot be read again: use --branch",
			strcmp(a->request->file, "-") == 0 ? "standard input" : "this file");
		return APP_DRAW;
	}
	buf_cut(&a->branch, 0);
	buf_str(&a->branch, names_get(&a->now->recording->names, t->id));
	return load_next(a);
}

static const struct app_list branches = {.chosen = choose};

void app_choose_branch(struct app *a)
{
	if (a->now->recording->branches.n < 2) {
		app_say(a, STYLE_WARNING, "this session has %s",
			a->now->recording->branches.n == 1 ? "one branch only" : "no branches");
		return;
	}
	app_list_open(a, &branches,
		      (struct chooser_list){.title = "Branches, in the order of the file; * is shown now",
					    .count = count_tips,
					    .line = put_tip,
					    .caption = put_caption,
					    .ctx = a});
	for (size_t i = 0; i < a->now->recording->branches.n; i++)
		if (tip(a, i)->active)
			a->chooser.at = i;
}
