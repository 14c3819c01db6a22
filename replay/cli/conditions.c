#include "replay/cli/conditions.h"

#include <stdio.h>

#include "replay/frame_request.h"

const struct expr *cli_expr(struct arena *a, const char *text, bool condition)
{
	struct expr_fault fault;
	struct buf b = {0};
	const struct expr *e = (condition ? expr_parse_condition : expr_parse)(str_of(text), a, &fault);
	if (e != NULL)
		return e;
	cli_say(NULL, 0, "%s", fault.message);
	expr_put_caret(&b, str_of(text), &fault, true);
	fwrite(b.p, 1, b.n, stderr);
	buf_free(&b);
	return NULL;
}

static int run_all(struct cli *c, unsigned needs, struct cli_scene *s)
{
	int code = cli_prepare(c, &s->recording, &s->arena, &s->run);
	if (code != CLI_FINE)
		return code;
	if (needs & EXPR_NEEDS_REQUESTS) {
		s->run.want_requests = request_figures(&s->run);
		if (!s->run.want_requests)
			cli_say(c->request.file, 0, "prefix, anchors and rebuilds are not known: %s",
				request_lack_words(request_lacks(&s->run)));
	}
	code = cli_run(c, &s->run, false, NULL, NULL);
	if (code == CLI_FINE)
		expr_begin(&s->scene, &s->run);
	else
		run_free(&s->run);
	return code;
}

int cli_scene_open(struct cli *c, const struct expr *const *e, size_t n, struct cli_scene *s)
{
	unsigned needs = 0;
	for (size_t i = 0; i < n; i++)
		needs |= expr_needs(e[i]);
	s->arena = (struct arena){0};
	int code = cli_load(c, &s->recording);
	if (code != CLI_FINE)
		return code;
	code = run_all(c, needs, s);
	if (code != CLI_FINE) {
		arena_free(&s->arena);
		recording_free(&s->recording);
	}
	return code;
}

void cli_scene_close(struct cli_scene *s)
{
	const struct expr_scene *x = &s->scene;
	if (x->given_up > 0)
		cli_say(s->recording.source.path, 0,
			"a pattern was given up after %d steps, in %llu of %llu matches: not known there",
			EXPR_MATCH_LIMIT, (unsigned long long)x->given_up, (unsigned long long)x->matches);
	expr_end(&s->scene);
	run_free(&s->run);
	arena_free(&s->arena);
	recording_free(&s->recording);
}

int cli_table_or_json(const struct cli_request *q, const char *command, bool *json)
{
	static const char *const planned[] = {"jsonl", "markdown", "html", "junit", "tap"};
	*json = q->json || (q->output != NULL && strcmp(q->output, "json") == 0);
	if (q->output == NULL || strcmp(q->output, "json") == 0 || (strcmp(q->output, "table") == 0 && !q->json))
		return CLI_FINE;
	for (size_t i = 0; i < sizeof planned / sizeof *planned; i++)
		if (strcmp(q->output, planned[i]) == 0) {
			cli_say(NULL, 0, "%s --output %s is not built yet (table, json)", command, planned[i]);
			return CLI_USAGE;
		}
	cli_say(NULL, 0, q->json ? "--output contradicts --json" : "--output: expected table or json");
	return CLI_USAGE;
}
