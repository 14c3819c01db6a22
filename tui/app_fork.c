#include <stdlib.h>
#include <unistd.h>

#include "tui/app_parts.h"

enum { FORKS_MAX = 8 };

static struct app_replay *base_of(const struct app *a) { return a->forks.list.n > 0 ? a->forks.list.v[0] : a->now; }

/* ---- making one ---- */

/* Ends the job; the branch goes unless it was taken over. */
static void end(struct app *a)
{
	struct app_forks *f = &a->forks;

	if (f->watching) {
		diff_watch_free(&f->left);
		diff_watch_free(&f->right);
	}
	f->watching = false;
	app_replay_free(f->pass);
	app_replay_free(f->making);
	f->pass = f->making = NULL;
	f->stage = FORK_IDLE;
}

static unsigned fail(struct app *a, const struct error *e)
{
	end(a);
	app_say(a, STYLE_ERROR, "no branch: %s", e->message);
	return APP_DRAW;
}

/*
 * dsh-rulings 22, as `diff` does: the barrier of a branch alone only comments on what was recorded. Against a base
 * without it the question is what it would have done.
 */
static void ask_what_if(const struct policy *base, struct app_replay *r, struct policy *p)
{
	static const char *const how[] = {"whatif", "follow", "reinject"};

	if (!str_eq(r->recording->host, STR("dsh")) || !policy_is(base, SWITCH_BARRIER, "off") ||
	    !policy_is(p, SWITCH_BARRIER, "on"))
		return;
	for (size_t i = 0; i < sizeof how / sizeof *how; i++)
		if (str_find(buf_view(&r->side), str_of(how[i]), 0) != SIZE_MAX)
			return;
	if (policy_apply(p, STR("whatif=on"), NULL) == STATUS_OK)
		buf_text(&r->side, r->side.n > 0 ? ",whatif=on" : "whatif=on");
}

static enum status make_run(struct app *a, struct app_replay *r, struct error *e)
{
	struct cli_request q = *a->request;
	struct policy policy;
	enum status st;

	q.side = r->side.n > 0 ? r->side.p : NULL;
	st = cli_policy(&q, r->recording, &policy, e);
	if (st == STATUS_OK && r == a->forks.making)
		ask_what_if(&base_of(a)->run.policy, r, &policy);
	if (st == STATUS_OK)
		st = run_init(&r->run, r->recording, &policy, &a->options, e);
	r->has_run = st == STATUS_OK;
	return st;
}

static unsigned begin_passes(struct app *a)
{
	struct app_forks *f = &a->forks;
	struct error e = {0};

	f->pass = app_replay_share(base_of(a));
	if (make_run(a, f->pass, &e) != STATUS_OK || make_run(a, f->making, &e) != STATUS_OK)
		return fail(a, &e);
	/* what was recorded is of the session, not of an edited one */
	if (f->making->file == base_of(a)->file)
		app_find_checks(a, f->making, true);
	diff_watch_begin(&f->left, &f->pass->run);
	diff_watch_begin(&f->right, &f->making->run);
	f->watching = true;
	f->stage = FORK_BASE;
	return APP_DRAW_BARS;
}

/* Everything from the first difference on is not what happened. */
static void mark_counterfactual(struct app_replay *r)
{
	for (size_t i = 0; i < r->steps.n && r->first == 0; i++)
		if (r->steps.v[i].kinds != 0)
			r->first = r->steps.v[i].turn[DIFF_RIGHT] + (r->steps.v[i].turn[DIFF_RIGHT] == 0);
	if (r->first == 0)
		return;
	/* of a position in a turn the record counts that makes it */
	size_t record = r->run.timeline.turns.n >= r->first ? r->run.timeline.turns.v[r->first - 1].record : 0;

	record -= record > 0;
	if (r->run.counterfactual > record) {
		r->run.counterfactual = record;
		r->run.branched = true;
	}
}

static unsigned finish(struct app *a)
{
	struct app_forks *f = &a->forks;
	struct app_replay *r = f->making;
	bool compares = f->compares;
	struct diff d;

	diff_make(&d, &f->left, &f->right);
	r->steps.v = d.steps.v;
	r->steps.n = d.steps.n;
	r->steps.cap = d.steps.cap;
	r->differing = d.differing;
	d.steps.v = NULL;
	d.steps.n = d.steps.cap = 0;
	diff_free(&d);
	r->run.observer = (struct run_observer){0};
	r->phase = APP_READY;
	mark_counterfactual(r);
	if (f->list.n == 0)
		vec_push(&f->list, a->now);
	vec_push(&f->list, r);
	f->making = NULL;
	end(a);
	if (compares)
		app_compare_open(a, r);
	else
		app_fork_show(a, r);
	app_say(a, r->differing > 0 ? STYLE_WARNING : STYLE_GOOD, "branch %zu, %s: %u of %zu turns differ",
		f->list.n - 1, r->change.p, (unsigned)r->differing, r->steps.n);
	app_settle(a);
	return APP_DRAW;
}

/* The branch of the base that has this policy already, or NULL. */
static struct app_replay *find_policy(const struct app *a, struct str policy)
{
	const struct app_forks *f = &a->forks;

	for (size_t i = 1; i < f->list.n; i++)
		if (f->list.v[i]->file == base_of(a)->file && str_eq(buf_view(&f->list.v[i]->side), policy))
			return f->list.v[i];
	return NULL;
}

void app_fork_begin(struct app *a, const struct app_fork_wish *wish)
{
	struct app_forks *f = &a->forks;
	struct app_replay *parent = wish->compares ? base_of(a) : a->now;
	struct app_replay *same = wish->compares ? find_policy(a, wish->policy) : NULL;
	struct error e = {0};

	end(a);
	app_follow_stop(a);
	if (same) {
		app_compare_open(a, same);
		return;
	}
	/* each has a whole run of its own in memory */
	if (f->list.n > FORKS_MAX) {
		if (wish->file)
			unlink(wish->file);
		app_say(a, STYLE_WARNING, "%d branches are kept: delete one first (w, then x)", (int)FORKS_MAX);
		return;
	}
	if (wish->file && app_replay_open_edited(wish->file, &f->making, &e) != STATUS_OK) {
		unlink(wish->file);
		fail(a, &e);
		return;
	}
	if (!wish->file)
		f->making = app_replay_share(parent);
	if (parent->change.n > 0)
		buf_printf(&f->making->change, "%s; ", parent->change.p);
	buf_text(&f->making->change, wish->change);
	if (parent->side.n > 0)
		buf_printf(&f->making->side, "%s%s", parent->side.p, wish->policy.n > 0 ? "," : "");
	buf_str(&f->making->side, wish->policy);
	f->making->forked = a->now->frame.at.turn;
	f->compares = wish->compares;
	f->stage = FORK_LOADING;
	/* it stays open, and nobody else needs its name */
	if (wish->file)
		unlink(wish->file);
}

bool app_fork_busy(const struct app *a) { return a->forks.stage != FORK_IDLE; }

void app_fork_stop(struct app *a)
{
	end(a);
	app_say(a, STYLE_DIM, "no branch was made");
}

unsigned app_fork_step(struct app *a, size_t budget)
{
	struct app_forks *f = &a->forks;
	struct error e = {0};
	enum status st = STATUS_OK;

	switch (f->stage) {
	case FORK_LOADING:
		if (f->making->file->users == 1 && recording_load_step(f->making->recording, budget, &st, &e))
			return APP_DRAW_BARS;
		return st == STATUS_OK ? begin_passes(a) : fail(a, &e);
	case FORK_BASE:
		if (!run_step(&f->pass->run, budget))
			f->stage = FORK_BRANCH;
		return APP_DRAW_BARS;
	case FORK_BRANCH:
		if (!run_step(&f->making->run, budget))
			f->stage = FORK_CHECKS;
		return APP_DRAW_BARS;
	case FORK_CHECKS:
		if (f->making->file == base_of(a)->file && checks_step(&f->making->checks, &f->making->run, false))
			return APP_DRAW_BARS;
		return finish(a);
	case FORK_IDLE:
		break;
	}
	return 0;
}

void app_fork_put_progress(const struct app *a, struct line *l)
{
	const struct app_forks *f = &a->forks;
	double done = f->stage == FORK_LOADING  ? recording_progress(f->making->recording)
		      : f->stage == FORK_BASE   ? run_progress(&f->pass->run)
		      : f->stage == FORK_BRANCH ? run_progress(&f->making->run)
						: 1;
	static const char *const words[] = {"", "loading", "replaying the base", "replaying", "comparing"};

	line_printf(l, STYLE_PLAIN, "%s  ", words[f->stage]);
	line_printf(l, STYLE_NUMBER, "%3d %%  ", (int)(done * 100));
	line_puts(l, STYLE_KEY, "<Esc>");
	line_puts(l, STYLE_DIM, " stops  ");
	line_put(l, STYLE_DIM, buf_view(&f->making->change));
}

/* ---- showing one ---- */

/* Of a branch's turn the one of the base, or the other way round. */
static uint32_t beside(const struct app_replay *r, int from, uint32_t turn)
{
	uint32_t last = 0;

	for (size_t i = 0; i < r->steps.n && (r->steps.v[i].turn[from] == 0 || r->steps.v[i].turn[from] <= turn); i++)
		if (r->steps.v[i].turn[!from] > 0)
			last = r->steps.v[i].turn[!from];
	return last;
}

uint32_t app_fork_turn(const struct app *a, const struct app_replay *from, const struct app_replay *to, uint32_t turn)
{
	if (from != base_of(a) && from != to)
		turn = beside(from, DIFF_RIGHT, turn);
	if (to != base_of(a) && from != to)
		turn = beside(to, DIFF_LEFT, turn);
	return turn;
}

void app_fork_show(struct app *a, struct app_replay *r)
{
	struct position p = a->now->frame.at;

	if (r == a->now)
		return;
	p.turn = app_fork_turn(a, a->now, r, p.turn);
	if (r->recording != a->now->recording)
		p.records = 0;
	app_search_forget(a);
	breaks_begin(&a->breaks.set, NULL);
	a->now = r;
	app_break_begin(a);
	app_go(a, p);
}

void app_fork_put_name(const struct app *a, struct line *l)
{
	const struct app_forks *f = &a->forks;

	for (size_t i = 1; i < f->list.n; i++)
		if (f->list.v[i] == a->now) {
			line_printf(l, STYLE_WARNING, "branch %zu: ", i);
			line_put(l, STYLE_WARNING, buf_view(&a->now->change));
			line_puts(l, STYLE_PLAIN, "  ");
		}
}

/* ---- the list ---- */

void app_fork_delete(struct app *a, size_t i)
{
	struct app_forks *f = &a->forks;
	struct app_replay *r = f->list.v[i];

	if (i == 0)
		return;
	if (a->compare.other == r || a->compare.back == r)
		app_compare_close(a);
	if (a->now == r)
		app_fork_show(a, base_of(a));
	for (size_t k = i; k + 1 < f->list.n; k++)
		f->list.v[k] = f->list.v[k + 1];
	f->list.n--;
	app_replay_free(r);
}

void app_fork_forget(struct app *a)
{
	struct app_forks *f = &a->forks;

	end(a);
	a->compare.on = false;
	a->compare.other = a->compare.back = NULL;
	for (size_t i = 0; i < f->list.n; i++)
		if (f->list.v[i] != a->now)
			app_replay_free(f->list.v[i]);
	vec_free(&f->list);
}
