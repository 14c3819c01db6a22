/* acpdbg info: what a session file is, what is assumed about it, and how far the replay is what happened. */
#include "replay/cli/run_commands.h"
#include "replay/report/info.h"
#include "replay/report/settings.h"
#include "replay/view/text.h"

/* What the replay is compared with. */
struct checks {
	struct sidecar sidecar;
	struct drift drift, recovery[2];
	bool has_drift;
	size_t recoveries;
};

/* The run's first pass is done. */
static int check(struct checks *k, struct run *run, struct info_checks *out)
{
	static const enum rebuild_form forms[] = {REBUILD_STRICT, REBUILD_LENIENT};
	struct error e = {0};
	enum status st = STATUS_OK;
	if (k->sidecar.file.source != SIDECAR_NONE) {
		st = drift_from_sidecar(&k->drift, run, &k->sidecar, &e);
		k->has_drift = st == STATUS_OK;
	}
	/* without calls there is nothing to recover */
	for (size_t i = 0; st == STATUS_OK && run->compressions.n > 0 && i < 2; i++) {
		st = drift_from_recovery(&k->recovery[i], run, forms[i], &e);
		k->recoveries += st == STATUS_OK;
	}
	*out = (struct info_checks){.run = run,
				    .sidecar = &k->sidecar,
				    .drift = k->has_drift ? &k->drift : NULL,
				    .recovery = k->recovery,
				    .recoveries = k->recoveries};
	return st == STATUS_OK ? CLI_FINE : cli_error(st, &e);
}

static void checks_free(struct checks *k)
{
	if (k->has_drift)
		drift_free(&k->drift);
	for (size_t i = 0; i < k->recoveries; i++)
		drift_free(&k->recovery[i]);
	sidecar_free(&k->sidecar);
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
	int code = cli_run(c, run, false, NULL, NULL);
	if (code == CLI_FINE)
		code = check(k, run, &checks);
	if (code == CLI_FINE) {
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
	struct checks k = {.sidecar = {.file = {.source = SIDECAR_NONE}}};
	struct arena arena = {0};
	c->quiet = true; /* damage and oddities are what the text tells */
	int code = cli_load(c, &rec);
	if (code != CLI_FINE)
		return code;
	code = cli_sidecar(c, &rec, &k.sidecar);
	if (code == CLI_FINE)
		code = cli_prepare(c, &rec, &arena, &run);
	if (code == CLI_FINE) {
		code = print_info(c, &rec, &run, &k);
		checks_free(&k);
		run_free(&run);
	} else {
		sidecar_free(&k.sidecar);
	}
	arena_free(&arena);
	recording_free(&rec);
	return code;
}
