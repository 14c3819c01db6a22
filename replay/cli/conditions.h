/* conditions: what the commands share that evaluate expressions (replay/expr.h). */
#ifndef REPLAY_CLI_CONDITIONS_H
#define REPLAY_CLI_CONDITIONS_H

#include "replay/cli/run_commands.h"
#include "replay/expr.h"

/* Parses one, in the arena; NULL: it said on standard error why, with the place. `condition`: only a bool will do. */
const struct expr *cli_expr(struct arena *a, const char *text, bool condition);

/* A loaded and replayed session whose turns can be evaluated; it must stay where it is. */
struct cli_scene {
	struct recording recording;
	struct arena arena;
	struct run run;
	struct expr_scene scene;
};
/*
 * Loads c->request.file and runs it with what the expressions need; says once a name can be known nowhere. On failure
 * the code of the program, and nothing to close.
 */
int cli_scene_open(struct cli *c, const struct expr *const *e, size_t n, struct cli_scene *s);
/* Says how many matches were given up. */
void cli_scene_close(struct cli_scene *s);

/* --json or --output table|json, into *json; what else there will be is refused by name. CLI_USAGE. */
int cli_table_or_json(const struct cli_request *q, const char *command, bool *json);

#endif
