#include "tui/app.h"

static unsigned fail(struct app *a, enum status st)
{
	a->phase = APP_FAILED;
	a->status = st;
	return APP_QUIT;
}

static unsigned start_pass(struct app *a)
{
	struct policy policy;
	struct run_options options = {0};
	enum status st = cli_policy(a->request, &a->recording, &policy, &a->error);

	if (st == STATUS_OK)
		st = cli_run_options(a->request, &a->arena, &options, &a->error);
	if (st == STATUS_OK)
		st = run_init(&a->run, &a->recording, &policy, &options, &a->error);
	if (st != STATUS_OK)
		return fail(a, st);
	/* chain and digests are for traces */
	a->run.want_digest = false;
	a->has_run = true;
	a->phase = APP_PASSING;
	return APP_DRAW;
}

static unsigned load(struct app *a, size_t budget)
{
	enum status st = STATUS_OK;

	if (recording_load_step(&a->recording, budget, &st, &a->error))
		return APP_DRAW_BARS;
	return st == STATUS_OK ? start_pass(a) : fail(a, st);
}

/* What the user should know once everything is there. */
static void say_done(struct app *a)
{
	uint64_t damages = recording_damages(&a->recording);

	if (a->message.n > 0)
		return;
	if (a->run.timeline.turns.n == 0)
		app_say(a, STYLE_WARNING, "this session has no turn");
	else if (a->run.failed)
		app_say(a, STYLE_ERROR, "refs ran out (ref-capacity): some turns could not run");
	else if (damages > 0)
		app_say(a, STYLE_WARNING, "%llu damaged %s (acpdbg info names them)", (unsigned long long)damages,
			damages == 1 ? "place" : "places");
	else if (a->run.problems > 0)
		app_say(a, STYLE_WARNING, "%s", a->run.problem.message);
}

static unsigned pass(struct app *a, size_t budget)
{
	bool more = run_step(&a->run, budget), first;

	a->stale = a->has_frame;
	if (!more)
		a->phase = APP_READY;
	first = !a->has_frame && app_go_first(a, !more);
	if (more && !first)
		return APP_DRAW_BARS;
	if (!more)
		say_done(a);
	app_settle(a);
	return APP_DRAW;
}

bool app_busy(const struct app *a) { return a->phase == APP_LOADING || a->phase == APP_PASSING; }

unsigned app_job_step(struct app *a, size_t budget)
{
	switch (a->phase) {
	case APP_LOADING:
		return load(a, budget);
	case APP_PASSING:
		return pass(a, budget);
	case APP_READY:
	case APP_FAILED:
		break;
	}
	return 0;
}
