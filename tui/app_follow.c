/*
 * -f: a session that is still being written. When its file has another size, it is loaded and replayed again beside
 * what is shown, and takes its place when it is complete: who stood at the last turn stands at the new last one, who
 * stood elsewhere stays there.
 */
#include <sys/stat.h>

#include "tui/app_parts.h"

/* Bytes the file has now; what is known of it when it cannot be looked at. */
static uint64_t size_now(const struct app *a)
{
	struct stat st;

	return stat(a->request->file, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : a->follow.size;
}

static unsigned give_up(struct app *a, const struct error *e)
{
	app_follow_stop(a);
	app_say(a, STYLE_WARNING, "the file grew, and cannot be read: %s", e->message);
	return APP_DRAW_BARS;
}

void app_follow_stop(struct app *a)
{
	app_replay_free(a->follow.fresh);
	a->follow.fresh = NULL;
}

unsigned app_follow_look(struct app *a)
{
	struct app_follow *f = &a->follow;
	struct error e = {0};

	/* branches are of what is shown: it stays until they are gone */
	if (!a->request->follow || a->now->phase != APP_READY || app_busy(a) || a->forks.list.n > 0)
		return 0;
	if (f->size == 0)
		f->size = a->now->recording->source.is_unpacked ? a->now->recording->source.packed_size
								: a->now->recording->source.size;
	if (size_now(a) == f->size)
		return 0;
	f->size = size_now(a);
	f->stage = APP_LOADING;
	if (app_replay_open(a, a->branch.n > 0 ? a->branch.p : a->request->branch, &f->fresh, &e) != STATUS_OK)
		return give_up(a, &e);
	return APP_DRAW_BARS;
}

bool app_follow_busy(const struct app *a) { return a->follow.fresh != NULL; }

static unsigned take_over(struct app *a)
{
	struct app_replay *old = a->now;
	struct position p = old->frame.at;
	uint32_t turns = (uint32_t)a->follow.fresh->run.timeline.turns.n;

	if (!old->has_frame || p.turn >= old->run.timeline.turns.n || p.turn > turns)
		p = (struct position){.turn = turns, .node = NODE_RENDER};
	app_search_forget(a);
	breaks_begin(&a->breaks.set, NULL);
	a->now = a->follow.fresh;
	a->follow.fresh = NULL;
	a->now->phase = APP_READY;
	app_replay_free(old);
	app_break_begin(a);
	a->jumps.travelling = true; /* nobody jumped */
	app_go(a, p);
	a->jumps.travelling = false;
	app_settle(a);
	return APP_DRAW;
}

unsigned app_follow_step(struct app *a, size_t budget)
{
	struct app_follow *f = &a->follow;
	struct error e = {0};
	enum status st = STATUS_OK;

	switch (f->stage) {
	case APP_LOADING:
		if (recording_load_step(f->fresh->recording, budget, &st, &e))
			return 0;
		if (st == STATUS_OK)
			st = app_replay_start(a, f->fresh, &e);
		if (st != STATUS_OK)
			return give_up(a, &e);
		app_find_checks(a, f->fresh, true);
		f->stage = APP_PASSING;
		return 0;
	case APP_PASSING:
		if (!run_step(&f->fresh->run, budget))
			f->stage = APP_CHECKING;
		return 0;
	default:
		return checks_step(&f->fresh->checks, &f->fresh->run, false) ? 0 : take_over(a);
	}
}
