/* acpdbg info: what a session file is, what is assumed about it, and how far the replay is what happened. */
#include "replay/checks.h"
#include "replay/cli/run_commands.h"
#include "replay/frame_request.h"
#include "replay/report/info.h"
#include "replay/report/settings.h"
#include "replay/view/text.h"

/* The run's first pass is done. */
static struct info_checks check(struct checks *k, struct run *run)
{
	while (checks_step(k, run, true))
		;
	return (struct info_checks){.run = run,
				    .sidecar = &k->sidecar,
				    .drift = k->has_drift ? &k->drift : NULL,
				    .recovery = k->recovery,
				    .recoveries = k->recoveries,
				    .log = k->has_log ? &k->log : NULL,
				    .requests = k->has_requests ? &k->requests : NULL};
}

/* The lines in ASCII, where the place they go to has nothing else. */
static void put_lines(struct buf *to, struct str text, bool ascii)
{
	for (size_t at = 0; ascii && at < text.n;) {
		size_t end = str_find(text, STR("\n"), at);
		text_put_safe(to, str_cut(text, at, end), true);
		buf_char(to, '\n');
		at = end == SIZE_MAX ? text.n : end + 1;
	}
	if (!ascii)
		buf_str(to, text);
}

static int print_info(struct cli *c, struct recording *rec, struct run *run, struct checks *k)
{
	struct info_checks checks;
	struct buf text = {0};
	run->want_digest = false;
	run->want_requests = request_figures(run); /* for hits */
	int code = cli_run(c, run, false, NULL, NULL);
	if (code == CLI_FINE) {
		checks = check(k, run);
		info_print(rec, run, &text);
		info_print_checks(&checks, &text);
		settings_print(run, &text, false);
		put_lines(&c->out.buf, buf_view(&text), cli_ascii(&c->request));
	}
	buf_free(&text);
	return code;
}

int cmd_info(struct cli *c)
{
	struct recording rec;
	struct run run;
	struct checks k;
	struct arena arena = {0};
	c->quiet = true; /* damage and oddities are what the text tells */
	int code = cli_load(c, &rec);
	if (code != CLI_FINE)
		return code;
	code = cli_checks(c, &rec, &k);
	if (code == CLI_FINE)
		code = cli_prepare(c, &rec, &arena, &run);
	if (code == CLI_FINE) {
		code = print_info(c, &rec, &run, &k);
		run_free(&run);
	}
	checks_free(&k);
	arena_free(&arena);
	recording_free(&rec);
	return code;
}
