#include <stdlib.h>

#include "replay/frame_request.h"
#include "tui/app_parts.h"

static struct app_replay *replay_of(struct app_file *file)
{
	struct app_replay *r = mem_alloc(sizeof *r);

	*r = (struct app_replay){.phase = APP_LOADING, .file = file, .recording = &file->recording};
	file->users++;
	return r;
}

enum status app_replay_open(const struct app *a, const char *branch, struct app_replay **out, struct error *e)
{
	struct app_file *file = mem_alloc(sizeof *file);
	enum status st;

	*file = (struct app_file){.users = 0};
	st = recording_open_branch(&file->recording, a->request->file, a->request->from, branch, e);
	if (st != STATUS_OK)
		free(file);
	*out = st == STATUS_OK ? replay_of(file) : NULL;
	return st;
}

enum status app_replay_open_edited(const char *path, struct app_replay **out, struct error *e)
{
	struct app_file *file = mem_alloc(sizeof *file);
	enum status st;

	*file = (struct app_file){.users = 0};
	st = recording_open(&file->recording, path, NULL, e);
	if (st != STATUS_OK)
		free(file);
	*out = st == STATUS_OK ? replay_of(file) : NULL;
	return st;
}

struct app_replay *app_replay_share(const struct app_replay *r) { return replay_of(r->file); }

enum status app_replay_start(struct app *a, struct app_replay *r, struct error *e)
{
	struct policy policy;
	enum status st = cli_policy(a->request, r->recording, &policy, e);

	if (st == STATUS_OK)
		st = run_init(&r->run, r->recording, &policy, &a->options, e);
	if (st != STATUS_OK)
		return st;
	/* chain and digests are for traces */
	r->run.want_digest = false;
	/* what is sent at each turn, for Prefix and the top line */
	r->run.want_requests = request_figures(&r->run);
	r->has_run = true;
	return STATUS_OK;
}

void app_replay_free(struct app_replay *r)
{
	if (!r)
		return;
	if (r->has_frame)
		frame_close(&r->frame);
	if (r->has_run)
		run_free(&r->run);
	checks_free(&r->checks);
	if (--r->file->users == 0) {
		recording_free(&r->file->recording);
		free(r->file);
	}
	buf_free(&r->change);
	buf_free(&r->side);
	vec_free(&r->steps);
	free(r);
}

enum status app_replay_go(struct app_replay *r, struct position p, struct error *e)
{
	enum status st = frame_open(&r->frame, &r->run, p, e);

	/* a frame that was opened for the first time knows of none */
	if (st == STATUS_OK && r->checks.done)
		r->frame.checks = &r->checks;
	return st;
}
