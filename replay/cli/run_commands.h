/* run_commands: the commands that are built; each returns the exit code of the program. */
#ifndef REPLAY_CLI_RUN_COMMANDS_H
#define REPLAY_CLI_RUN_COMMANDS_H

#include "replay/checks.h"
#include "replay/cli/options.h"
#include "replay/view/view.h"

int cmd_open(struct cli *c);
int cmd_last(struct cli *c);
int cmd_replay(struct cli *c);
int cmd_screen(struct cli *c);
int cmd_man(struct cli *c);
int cmd_completion(struct cli *c);
int cmd_info(struct cli *c);
int cmd_convert(struct cli *c);
int cmd_compact(struct cli *c);
int cmd_diff(struct cli *c);
int cmd_probe(struct cli *c);
int cmd_check(struct cli *c);
int cmd_parse_args(struct cli *c);
int cmd_help(struct cli *c);
int cmd_version(struct cli *c);

/* Loads request.file with a progress bar and reports its damage on standard error. On failure the code, and nothing to
 * free. */
int cli_load(struct cli *c, struct recording *rec);
/* Policy, configuration and run of a loaded recording; reports what is odd about the configuration. `a` outlives the
 * run. */
int cli_prepare(struct cli *c, struct recording *rec, struct arena *a, struct run *run);
/*
 * The state the host stored (that of --state, else the one found beside the session) and the log of --log. They are
 * only compared with, never replayed from. On failure the code; checks_free is allowed then, not needed.
 */
int cli_checks(struct cli *c, struct recording *rec, struct checks *k);
/* Says on standard error what is odd about it, and in what the end of the replay differs; the first pass is done. */
void cli_report_checks(struct run *run, struct checks *k);
/* The whole first pass with a progress bar; `flush` (may be NULL) is called now and then and says whether to go on. */
int cli_run(struct cli *c, struct run *run, bool quiet, bool (*flush)(void *ctx), void *ctx);
/* Appends what --pane prints of an open frame to c->out.buf; the exit code. */
int cli_print_pane(struct cli *c, struct frame *f, const struct view_ops *pane);
/* It shows something of the requests: run.want_requests, where there are any. */
bool cli_pane_wants_requests(const struct view_ops *pane);

#endif
