/* acpdbg diff: two policies on one session, or two sessions. */
#include <math.h>

#include "engine/base/num.h"
#include "replay/cli/run_commands.h"
#include "replay/report/diff_report.h"

/* What is needed of one side. Of one file the right has no recording of its own. */
struct side {
	struct recording own, *recording;
	struct arena arena;
	struct run run;
	struct diff_watch watch;
	bool loaded, prepared;
};

static const struct {
	const char *name;
	void (*put)(const struct diff_report *r, struct buf *b);
} outputs[] = {{"table", diff_text_put}, {"markdown", diff_markdown_put}, {"json", diff_json_put}};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

static const char *policy_of(const struct cli *c, int side)
{
	return side == DIFF_LEFT ? c->request.left : c->request.right;
}

static int choose_output(const struct cli_request *q, size_t *output)
{
	*output = 0;
	while (q->output != NULL && *output < OUTPUTS && strcmp(outputs[*output].name, q->output) != 0)
		++*output;
	if (*output < OUTPUTS)
		return CLI_FINE;
	cli_say(NULL, 0, "--output: diff gives table, markdown or json");
	return CLI_USAGE;
}

/* What can be refused before a large file is read. */
static int check_request(struct cli *c, size_t *output)
{
	struct policy policy;
	struct error e = {0};
	enum status st = STATUS_OK;
	int code = choose_output(&c->request, output);
	if (code != CLI_FINE)
		return code;
	if (c->words_n == 1 && c->request.left == NULL && c->request.right == NULL) {
		cli_say(NULL, 0, "diff of one file needs --left POLICY or --right POLICY");
		return CLI_USAGE;
	}
	if (c->words_n == 2 && strcmp(c->words[0], "-") == 0 && strcmp(c->words[1], "-") == 0) {
		cli_say(NULL, 0, "diff: only one of the files can be standard input");
		return CLI_USAGE;
	}
	for (int side = 0; side < DIFF_SIDES && st == STATUS_OK; side++) {
		c->request.side = policy_of(c, side);
		st = cli_policy(&c->request, NULL, &policy, &e);
	}
	return st == STATUS_OK ? CLI_FINE : cli_error(st, &e);
}

static int load_side(struct cli *c, struct side *s, int i, struct recording *shared)
{
	s->recording = shared;
	if (shared != NULL)
		return CLI_FINE;
	c->request.file = c->words[i];
	int code = cli_load(c, &s->own);
	s->loaded = code == CLI_FINE;
	s->recording = &s->own;
	return code;
}

static int run_side(struct cli *c, struct side *s, const char *policy)
{
	c->request.side = policy;
	int code = cli_prepare(c, s->recording, &s->arena, &s->run);
	s->prepared = code == CLI_FINE;
	if (code != CLI_FINE)
		return code;
	diff_watch_begin(&s->watch, &s->run);
	return cli_run(c, &s->run, false, NULL, NULL);
}

/* A policy that says how to follow is taken as it is. */
static bool says_how(const char *policy)
{
	static const char *const words[] = {"whatif", "follow", "reinject"};
	for (size_t i = 0; policy != NULL && i < sizeof words / sizeof *words; i++)
		if (strstr(policy, words[i]) != NULL)
			return true;
	return false;
}

/*
 * dsh-rulings 22: the barrier of the right side alone only comments on what was recorded. Against a side without it
 * the question is what it would have done: its policy in the arena, with whatif=on; NULL = it stays as it is.
 */
static const char *ask_what_if(struct cli *c, struct side sides[DIFF_SIDES])
{
	struct side *right = &sides[DIFF_RIGHT];
	struct policy p[DIFF_SIDES];
	struct buf b = {0};
	if (c->words_n != 1 || !str_eq(right->recording->host, STR("dsh")) || says_how(c->request.right) ||
	    says_how(c->request.policy))
		return NULL;
	for (int i = 0; i < DIFF_SIDES; i++) {
		c->request.side = policy_of(c, i);
		if (cli_policy(&c->request, right->recording, &p[i], NULL) != STATUS_OK)
			return NULL;
	}
	if (!policy_is(&p[DIFF_LEFT], SWITCH_BARRIER, "off") || !policy_is(&p[DIFF_RIGHT], SWITCH_BARRIER, "on"))
		return NULL;
	buf_printf(&b, "%s%swhatif=on", c->request.right != NULL ? c->request.right : "",
		   c->request.right != NULL ? "," : "");
	buf_char(&b, 0);
	const char *asked = arena_copy(&right->arena, b.p, b.n);
	buf_free(&b);
	return asked;
}

/* What else the sides were run with; texts live in the arena. */
static void take_options(const struct cli *c, struct arena *a, struct diff_report *report)
{
	const struct cli_request *q = &c->request;
	char limit[NUM_TEXT_MAX];
	size_t n = isnan(q->limit) ? 0 : num_print(limit, q->limit);
	const struct diff_option given[] = {
		{"profile", q->profile, false}, {"policy", q->policy, false},
		{"config", q->config, true},    {"limit", n > 0 ? arena_copy(a, limit, n) : NULL, false},
		{"from", q->from, false},       {"branch", q->branch, false},
		{"prices", q->prices, true},
	};
	for (size_t i = 0; i < sizeof given / sizeof *given; i++)
		if (given[i].value != NULL)
			report->options[report->options_n++] = given[i];
}

static int compare(struct cli *c, struct side sides[DIFF_SIDES], size_t output, bool what_if)
{
	struct diff d;
	diff_make(&d, &sides[DIFF_LEFT].watch, &sides[DIFF_RIGHT].watch);
	struct diff_report report = {.diff = &d, .ascii = cli_ascii(&c->request), .what_if = what_if};
	for (int side = 0; side < DIFF_SIDES; side++) {
		report.file[side] = c->words[c->words_n == 1 ? 0 : side];
		report.policy[side] = policy_of(c, side);
	}
	take_options(c, &sides[DIFF_LEFT].arena, &report);
	outputs[output].put(&report, &c->out.buf);
	int code = diff_same(&d) ? CLI_FINE : CLI_FOUND;
	diff_free(&d);
	return code;
}

static void free_side(struct side *s)
{
	if (s->prepared) {
		diff_watch_free(&s->watch);
		run_free(&s->run);
	}
	arena_free(&s->arena);
	if (s->loaded)
		recording_free(&s->own);
}

int cmd_diff(struct cli *c)
{
	struct side *sides = mem_alloc(DIFF_SIDES * sizeof *sides);
	size_t output;
	for (int i = 0; i < DIFF_SIDES; i++)
		sides[i] = (struct side){.loaded = false};
	int code = check_request(c, &output);
	for (int i = 0; i < DIFF_SIDES && code == CLI_FINE; i++)
		code = load_side(c, &sides[i], i, i > 0 && c->words_n == 1 ? &sides[DIFF_LEFT].own : NULL);
	const char *asked = code == CLI_FINE ? ask_what_if(c, sides) : NULL;
	for (int i = 0; i < DIFF_SIDES && code == CLI_FINE; i++) {
		c->quiet = c->quiet || (i > 0 && c->words_n == 1); /* it has been said */
		code = run_side(c, &sides[i], i == DIFF_RIGHT && asked != NULL ? asked : policy_of(c, i));
	}
	if (code == CLI_FINE)
		code = compare(c, sides, output, asked != NULL);
	for (int i = DIFF_SIDES; i-- > 0;)
		free_side(&sides[i]);
	free(sides);
	return code;
}
