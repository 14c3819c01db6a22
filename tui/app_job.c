#include "tui/app_parts.h"

#include "replay/frame_request.h"
#include "replay/view/acp_log_words.h"
#include "replay/view/requests_words.h"
#include "replay/view/window_words.h"

static unsigned fail(struct app *a, enum status st)
{
	a->now->phase = APP_FAILED;
	a->status = st;
	return APP_QUIT;
}

/* What is read once, for every branch. */
static enum status read_options(struct app *a)
{
	enum status st = a->has_options ? STATUS_OK : cli_run_options(a->request, &a->arena, &a->options, &a->error);

	a->has_options = st == STATUS_OK;
	return st;
}

/*
 * What the run is compared with. As without a screen, a state, a log or requests that were named and cannot be read end
 * it; of another branch they are told of, and left out.
 */
enum status app_find_checks(struct app *a, struct app_replay *r, bool again)
{
	enum status st[] = {checks_find(&r->checks, r->recording, a->request->state, &a->error), STATUS_OK, STATUS_OK};

	if (st[0] == STATUS_OK || again)
		st[1] = checks_log(&r->checks, r->recording, a->request->log, &a->error);
	if (st[1] == STATUS_OK || again)
		st[2] = checks_requests(&r->checks, a->request->requests, &a->error);
	for (size_t i = 0; i < sizeof st / sizeof *st; i++) {
		if (st[i] != STATUS_OK && !again)
			return st[i];
		if (st[i] != STATUS_OK)
			app_say(a, STYLE_WARNING, "not compared: %s", a->error.message);
	}
	return STATUS_OK;
}

unsigned app_start_pass(struct app *a)
{
	enum status st = app_find_checks(a, a->now, a->has_options);

	if (st == STATUS_OK)
		st = read_options(a);
	if (st == STATUS_OK)
		st = app_replay_start(a, a->now, &a->error);
	if (st != STATUS_OK)
		return fail(a, st);
	a->now->phase = APP_PASSING;
	app_break_begin(a);
	return APP_DRAW;
}

static unsigned load(struct app *a, size_t budget)
{
	enum status st = STATUS_OK;

	if (recording_load_step(a->now->recording, budget, &st, &a->error))
		return APP_DRAW_BARS;
	return st == STATUS_OK ? app_start_pass(a) : fail(a, st);
}

/* What the comparison with the host's state says; false when that is nothing. */
static bool say_checks(struct app *a)
{
	const struct checks *c = &a->now->checks;
	struct buf words = {0};

	if (checks_drift_found(c) && c->drift.refs_different > 0)
		buf_printf(&words, "%u of %u refs are not those of the sidecar", (unsigned)c->drift.refs_different,
			   (unsigned)(c->drift.refs_same + c->drift.refs_different));
	else if (checks_drift_found(c))
		drift_event(&c->drift, &words);
	else if (sidecar_worth_a_line(&c->sidecar))
		buf_str(&words, c->sidecar.notes.v[0]);
	else if (c->has_log && (c->log.differences.n > 0 || c->log.ours == 0))
		acp_log_words_summary(&c->log, &words);
	const char *where = words.n > 0 ? "Events (F7)" : "Request (F8)";
	if (words.n == 0 && c->has_requests && requests_differ(&c->requests))
		requests_words_summary(&c->requests, &words);
	if (words.n > 0)
		app_say(a, STYLE_WARNING, "%s: %s", where, words.p);
	buf_free(&words);
	return words.n > 0;
}

static bool say_window(struct app *a)
{
	struct buf words = {0};

	if (!window_refuted(&a->now->run))
		return false;
	window_put_proof(&a->now->run, &words);
	app_say(a, STYLE_ERROR, "assumed window %s: give --limit", words.p);
	buf_free(&words);
	return true;
}

/* What the user should know once everything is there. */
static void say_done(struct app *a)
{
	uint64_t damages = recording_damages(a->now->recording);

	if (a->message.n > 0 || say_window(a) || say_checks(a))
		return;
	if (a->now->run.timeline.turns.n == 0)
		app_say(a, STYLE_WARNING, "this session has no turn");
	else if (a->now->run.failed)
		app_say(a, STYLE_ERROR, "refs ran out (ref-capacity): some turns could not run");
	else if (damages > 0)
		app_say(a, STYLE_WARNING, "%llu damaged %s (acpdbg info names them)", (unsigned long long)damages,
			damages == 1 ? "place" : "places");
	else if (a->now->run.problems > 0)
		app_say(a, STYLE_WARNING, "%s", a->now->run.problem.message);
}

static unsigned pass(struct app *a, size_t budget)
{
	bool more = run_step(&a->now->run, budget), first;

	a->now->stale = a->now->has_frame;
	if (!more)
		a->now->phase = APP_CHECKING;
	first = !a->now->has_frame && app_go_first(a, !more);
	if (more && !first)
		return APP_DRAW_BARS;
	app_settle(a);
	return APP_DRAW;
}

static unsigned check(struct app *a)
{
	bool more = checks_step(&a->now->checks, &a->now->run, false);

	a->now->stale = a->now->has_frame;
	if (more)
		return APP_DRAW_BARS;
	a->now->phase = APP_READY;
	a->opening++;
	if (a->now->has_frame)
		a->now->frame.checks = &a->now->checks;
	say_done(a);
	app_settle(a);
	return APP_DRAW;
}

void app_tell_change(struct app *a)
{
	/* what a key has been answered comes first */
	if (a->now->told_change || a->message.n > 0 || !source_changed(&a->now->recording->source))
		return;
	a->now->told_change = true;
	app_say(a, STYLE_ERROR, "file changed on disk: reopen it");
}

bool app_busy(const struct app *a)
{
	return a->now->phase < APP_READY || a->next || app_search_busy(a) || app_break_busy(a) || app_fork_busy(a) ||
	       app_follow_busy(a);
}

bool app_has_all_turns(const struct app *a) { return a->now->phase == APP_CHECKING || a->now->phase == APP_READY; }

unsigned app_job_step(struct app *a, size_t budget)
{
	/* what a key asked for comes first */
	if (app_search_busy(a))
		return app_search_step(a, budget);
	if (a->breaks.running)
		return app_break_step(a, budget);
	if (a->next)
		return app_load_branch(a, budget);
	switch (a->now->phase) {
	case APP_LOADING:
		return load(a, budget);
	case APP_PASSING:
		return pass(a, budget);
	case APP_CHECKING:
		return check(a);
	case APP_READY:
		return app_fork_busy(a)     ? app_fork_step(a, budget)
		       : app_follow_busy(a) ? app_follow_step(a, budget)
					    : app_break_step(a, budget);
	case APP_FAILED:
		break;
	}
	return 0;
}
