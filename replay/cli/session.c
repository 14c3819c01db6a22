/* Loading and running a session for a command: progress, damage, oddities of the configuration. */
#include "replay/cli/job.h"
#include "replay/cli/run_commands.h"
#include "replay/view/acp_log_words.h"
#include "replay/view/requests_words.h"
#include "replay/view/window_words.h"

enum {
	DAMAGE_SHOWN = 10,     /* lines reported one by one */
	LOAD_BUDGET = 1 << 20, /* bytes a step */
	RUN_BUDGET = 20000     /* visible rows a step */
};

static void report_damage(const struct recording *rec)
{
	uint64_t all = recording_damages(rec);
	for (size_t i = 0; i < rec->damages.n && i < DAMAGE_SHOWN; i++) {
		const struct damage *d = &rec->damages.v[i];
		cli_say(rec->source.path, d->line, "%s at byte %llu: %s", damage_kind_name(d->kind),
			(unsigned long long)d->byte, d->what);
	}
	if (all > DAMAGE_SHOWN)
		cli_say(rec->source.path, 0, "%llu more damaged places", (unsigned long long)(all - DAMAGE_SHOWN));
}

int cli_load(struct cli *c, struct recording *rec)
{
	struct job job;
	struct error e = {0};
	const struct cli_request *q = &c->request;
	enum status st = recording_open_branch(rec, q->file, q->from, q->branch, &e);
	if (st != STATUS_OK)
		return cli_error(st, &e);
	bool going = true;
	double size = (double)rec->source.size;
	job_begin(&job, "loading", NULL, false);
	while (recording_load_step(rec, LOAD_BUDGET, &st, &e) && going)
		going = job_step(&job, recording_progress(rec) * size, size);
	job_end(&job);
	if (st == STATUS_OK && going) {
		if (!c->quiet)
			report_damage(rec);
		return CLI_FINE;
	}
	recording_free(rec);
	return going ? cli_error(st, &e) : CLI_INTERRUPTED;
}

static void report_config(const struct run *run)
{
	const char *problems[CONFIG_PROBLEMS_MAX];
	size_t n = config_problems(&run->config, problems);
	for (size_t i = 0; i < n; i++)
		cli_say(run->recording->source.path, 1, "warning: config: %s", problems[i]);
}

int cli_prepare(struct cli *c, struct recording *rec, struct arena *a, struct run *run)
{
	struct error e = {0};
	struct policy policy;
	struct run_options o;
	enum status st = cli_policy(&c->request, rec, &policy, &e);
	if (st == STATUS_OK)
		st = cli_run_options(&c->request, a, &o, &e);
	if (st == STATUS_OK)
		st = run_init(run, rec, &policy, &o, &e);
	if (st != STATUS_OK)
		return cli_error(st, &e);
	if (o.config_ignored != NULL && !c->told)
		cli_say(o.config_name, 0, "note: members that are not used here: %s", o.config_ignored);
	c->told = true;
	if (!c->quiet)
		report_config(run);
	return CLI_FINE;
}

int cli_checks(struct cli *c, struct recording *rec, struct checks *k)
{
	struct error e = {0};
	enum status st = checks_find(k, rec, c->request.state, &e);
	if (st == STATUS_OK)
		st = checks_log(k, rec, c->request.log, &e);
	if (st == STATUS_OK)
		st = checks_requests(k, c->request.requests, &e);
	return st == STATUS_OK ? CLI_FINE : cli_error(st, &e);
}

/* What makes the replay another session than the recorded one. */
static void report_window(const struct cli *c, const struct run *run)
{
	struct buf text = {0};
	/* info has it in its text, and a second run of the same file has it said already */
	if (window_refuted(run) && !c->quiet) {
		window_put_refuted(run, &text);
		cli_say(run->recording->source.path, 0, "%.*s", (int)text.n, text.p);
	}
	buf_free(&text);
}

void cli_report_checks(struct run *run, struct checks *k)
{
	struct buf text = {0};
	for (size_t i = 0; i < k->sidecar.notes.n && (k->sidecar.file.source != SIDECAR_NONE || k->sidecar.unreadable);
	     i++)
		cli_say(NULL, 0, "sidecar: %.*s", (int)k->sidecar.notes.v[i].n, k->sidecar.notes.v[i].p);
	while (checks_step(k, run, false))
		;
	if (checks_drift_found(k))
		drift_event(&k->drift, &text);
	if (text.n > 0)
		cli_say(k->sidecar.file.path, 0, "%.*s", (int)text.n, text.p);
	buf_cut(&text, 0);
	if (k->has_log)
		acp_log_words_summary(&k->log, &text);
	if (text.n > 0)
		cli_say(k->log.path, 0, "%.*s", (int)text.n, text.p);
	buf_cut(&text, 0);
	if (k->has_requests)
		requests_words_summary(&k->requests, &text);
	if (text.n > 0)
		cli_say(k->requests.path, 0, "%.*s", (int)text.n, text.p);
	buf_free(&text);
}

int cli_run(struct cli *c, struct run *run, bool quiet, bool (*flush)(void *ctx), void *ctx)
{
	struct job job;
	bool going = true, wanted = true;
	double turns = (double)run->recording->turns.n;
	job_begin(&job, "replaying", "turns", quiet);
	while (going && wanted && run_step(run, RUN_BUDGET)) {
		wanted = flush == NULL || flush(ctx);
		going = job_step(&job, run_progress(run) * turns, turns);
	}
	job_end(&job);
	report_window(c, run);
	if (run->problems > 0)
		cli_say(run->problem.file, run->problem.line, "%s%s", run->problem.message,
			run->problems > 1 ? " (and more like it)" : "");
	if (going && source_changed(&run->recording->source)) {
		cli_say(run->recording->source.path, 0, "the file changed on disk while it was replayed");
		return CLI_DATA;
	}
	return going ? CLI_FINE : CLI_INTERRUPTED;
}
