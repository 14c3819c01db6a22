#include <stdlib.h>

#include "tui/app.h"

enum status app_replay_open(const struct app *a, const char *branch, struct app_replay **out, struct error *e)
{
	struct app_replay *r = mem_alloc(sizeof *r);
	enum status st;

	*r = (struct app_replay){.phase = APP_LOADING};
	st = recording_open_branch(&r->recording, a->request->file, a->request->from, branch, e);
	if (st != STATUS_OK)
		free(r);
	*out = st == STATUS_OK ? r : NULL;
	return st;
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
	recording_free(&r->recording);
	free(r);
}
