/* acpdbg replay: the same replay without a screen. */
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/base/fnv.h"
#include "replay/cli/run_commands.h"
#include "replay/frame_request.h"
#include "replay/report/readable.h"
#include "replay/report/table.h"
#include "replay/report/trace.h"
#include "replay/search_line.h"
#include "replay/view/text.h"
#include "replay/view/view.h"
#include "replay/where.h"

enum { PANE_COLUMNS = 80 };

/* What a replay prints while it runs. */
struct printing {
	struct out *out;
	struct trace trace;
	struct table table;
};

static void trace_on_turn(void *ctx, struct run *run, uint32_t n, const struct moment *m)
{
	trace_turn(&((struct printing *)ctx)->trace, run, n, m);
}

static void trace_on_compress(void *ctx, struct run *run, const struct compress_event *e)
{
	trace_compress(&((struct printing *)ctx)->trace, run, e);
}

static void table_on_turn(void *ctx, struct run *run, uint32_t n, const struct moment *m)
{
	(void)run;
	table_turn(&((struct printing *)ctx)->table, n, m);
}

static void table_on_compress(void *ctx, struct run *run, const struct compress_event *e)
{
	table_compress(&((struct printing *)ctx)->table, run, e);
}

static bool take_lines(void *ctx)
{
	struct printing *p = ctx;
	return out_take(p->out, p->trace.out.n > 0 ? &p->trace.out : &p->table.out);
}

static int print_all(struct cli *c, struct run *run, bool json)
{
	struct printing p = {
		.out = &c->out, .trace = {.changes = c->request.changes}, .table = {.ascii = cli_ascii(&c->request)}};
	run->observer = (struct run_observer){json ? trace_on_turn : table_on_turn,
					      json ? trace_on_compress : table_on_compress, &p};
	run->want_requests = json && request_figures(run);
	if (json)
		trace_header(&p.trace, run);
	else
		table_begin(&p.table, run);
	int code = cli_run(c, run, isatty(STDOUT_FILENO) != 0, take_lines, &p);
	if (code == CLI_FINE && json)
		trace_end(&p.trace, run);
	else if (code == CLI_FINE)
		table_end(&p.table, run);
	take_lines(&p);
	trace_free(&p.trace);
	table_free(&p.table);
	return code;
}

/* The position asked for, the last turn by default. */
static int find_position(struct cli *c, struct run *run, struct position *p)
{
	struct error e = {0};
	enum status st = position_parse(run, str_of(c->request.turn ? c->request.turn : "$"), p, &e);
	return st == STATUS_OK ? CLI_FINE : cli_error(st, &e);
}

static int print_hash(struct cli *c, struct run *run)
{
	struct position p;
	char hex[17];
	int code = cli_run(c, run, false, NULL, NULL);
	if (code == CLI_FINE)
		code = find_position(c, run, &p);
	if (code != CLI_FINE)
		return code;
	if (p.records > 0 || p.node != NODE_RENDER) {
		cli_say(NULL, 0, "--hash: only whole turns have one");
		return CLI_USAGE;
	}
	chain_hex(&run->chain, hex);
	if (c->request.turn != NULL && p.turn > 0)
		fnv_hex(hex, run->timeline.turns.v[p.turn - 1].hash);
	else if (p.turn == 0)
		hex[0] = 0;
	buf_printf(&c->out.buf, "%s\n", hex);
	return CLI_FINE;
}

static void print_position(struct cli *c, struct frame *f, bool json)
{
	struct trace trace = {0};
	struct buf *b = &c->out.buf;
	trace_position(&trace, f);
	if (json) {
		buf_str(b, buf_view(&trace.out));
		buf_char(b, '\n');
	} else {
		cJSON *object = json_tree(&f->arena, buf_view(&trace.out), NULL, NULL);
		buf_text(b, "position    ");
		position_print(f->at, b);
		buf_printf(
			b, " of %zu%s\n", f->run->timeline.turns.n,
			f->counterfactual_tokens
				? ": no turn ran here, this is what one would find (counterfactual: not in the session)"
			: f->counted == COUNT_USAGE   ? ", token count: provider usage and host estimates since"
			: f->counted == COUNT_DISPLAY ? ", token count: display"
			: f->counted != COUNT_HOST    ? ", token count: raw estimate"
						      : "");
		readable_put(b, object, cli_ascii(&c->request));
	}
	trace_free(&trace);
}

static int pane_width(const struct cli_request *q)
{
	struct winsize size;
	if (q->width > 0)
		return (int)q->width; /* up to OPTION_COLUMNS_MAX */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return PANE_COLUMNS;
}

static int unknown_pane(void)
{
	struct buf known = {0};
	for (size_t i = 0; views[i] != NULL; i++)
		buf_printf(&known, "%s%s", i > 0 ? ", " : "", views[i]->name);
	cli_say(NULL, 0, "there is no such pane (%s)", known.p);
	buf_free(&known);
	return CLI_USAGE;
}

/* A bad pattern is told with its place. */
static int find_pattern(const char *pattern, struct search **out)
{
	struct search_fault fault;
	struct buf safe = {0};
	*out = search_make(str_of(pattern), &fault);
	if (*out != NULL)
		return CLI_FINE;
	text_put_safe(&safe, str_cut(str_of(pattern), 0, fault.at), false);
	cli_say(NULL, 0, "--grep: %s, behind '%s'", fault.message, safe.p != NULL ? safe.p : "");
	buf_free(&safe);
	return CLI_USAGE;
}

/* --grep */
static int print_matching(struct cli *c, const struct view_ops *pane, const struct view_context *context)
{
	struct search *s;
	struct search_tally tally = {0};
	struct buf words = {0};
	int code = find_pattern(c->request.grep, &s);
	if (code != CLI_FINE)
		return code;
	search_line_print(s, pane, context, &tally, &c->out.buf);
	search_tally_words(&tally, &words);
	if (words.n > 0)
		cli_say(c->request.file, 0, "--grep: %s", words.p);
	buf_free(&words);
	search_free(s);
	return CLI_FINE;
}

int cli_print_pane(struct cli *c, struct frame *f, const struct view_ops *pane)
{
	struct view_context context = {
		.run = f->run, .frame = f, .ascii = cli_ascii(&c->request), .width = pane_width(&c->request)};
	if (c->request.grep != NULL)
		return print_matching(c, pane, &context);
	view_print(pane, &context, &c->out.buf);
	return CLI_FINE;
}

bool cli_pane_wants_requests(const struct view_ops *pane)
{
	return pane == &rows_view || pane == &prefix_view || pane == &changes_view || pane == &timeline_view;
}

/* --ref; CLI_FOUND: it lives nowhere. */
static int print_where(struct cli *c, struct frame *f)
{
	struct buf b = {0};
	struct where w = where_is(f, str_of(c->request.ref), &b);
	if (w.kind == WHERE_NOTHING) {
		cli_say(NULL, 0, "--ref: %s", b.p);
	} else {
		text_put_safe(&c->out.buf, buf_view(&b), cli_ascii(&c->request));
		buf_char(&c->out.buf, '\n');
	}
	buf_free(&b);
	return w.kind == WHERE_NOTHING                             ? CLI_USAGE
	       : w.kind == WHERE_NEVER || w.kind == WHERE_DANGLING ? CLI_FOUND
								   : CLI_FINE;
}

/* --turn, --pane, --ref */
static int print_frame(struct cli *c, struct run *run, struct checks *checks, const struct view_ops *pane, bool json)
{
	struct position p;
	struct frame frame = {0};
	struct error e = {0};
	if (pane != NULL && cli_pane_wants_requests(pane) && request_figures(run))
		run->want_requests = true;
	int code = cli_run(c, run, false, NULL, NULL);
	if (code == CLI_FINE)
		code = find_position(c, run, &p);
	if (code != CLI_FINE)
		return code;
	while (pane != NULL && checks_step(checks, run, false))
		;
	enum status st = frame_open(&frame, run, p, &e);
	if (st != STATUS_OK)
		return cli_error(st, &e);
	if (pane != NULL) {
		frame.checks = checks;
		code = cli_print_pane(c, &frame, pane);
	} else if (c->request.ref != NULL) {
		code = print_where(c, &frame);
	} else {
		print_position(c, &frame, json);
	}
	frame_close(&frame);
	return code;
}

/* --request: the bytes themselves, nothing before or behind them. */
static int print_request(struct cli *c, struct run *run)
{
	struct position p;
	struct frame frame = {0};
	struct error e = {0};
	int code = cli_run(c, run, false, NULL, NULL);
	if (code == CLI_FINE)
		code = find_position(c, run, &p);
	if (code != CLI_FINE)
		return code;
	enum status st = frame_open(&frame, run, p, &e);
	if (st == STATUS_OK) {
		const struct frame_request *request = frame_request(&frame);
		if (request->lack == REQUEST_THERE)
			frame_request_write(request, &c->out.buf);
		else
			st = error_set(&e, STATUS_DATA, "%s", request_lack_words(request->lack));
	}
	frame_close(&frame);
	return st == STATUS_OK ? CLI_FINE : cli_error(st, &e);
}

static int choose_output(const struct cli_request *q, bool *json)
{
	static const char *const planned[] = {"jsonl", "markdown", "html", "junit", "tap"};
	*json = q->json || q->changes || (q->output != NULL && strcmp(q->output, "json") == 0);
	if (q->output == NULL || strcmp(q->output, "json") == 0)
		return CLI_FINE;
	if (strcmp(q->output, "table") == 0 && !*json)
		return CLI_FINE;
	for (size_t i = 0; i < sizeof planned / sizeof *planned; i++)
		if (strcmp(q->output, planned[i]) == 0) {
			cli_say(NULL, 0, "replay --output %s is not built yet (table, json)", planned[i]);
			return CLI_USAGE;
		}
	cli_say(NULL, 0, *json ? "--output contradicts --json or --changes" : "--output: expected table or json");
	return CLI_USAGE;
}

/* What can be refused before a large file is read. */
static int check_request(const struct cli_request *q, bool *json, const struct view_ops **pane)
{
	struct policy policy;
	struct error e = {0};
	int code = choose_output(q, json);
	if (code != CLI_FINE)
		return code;
	if (q->pane != NULL && (*pane = view_named(str_of(q->pane))) == NULL)
		return unknown_pane();
	if ((q->pane != NULL) + (q->ref != NULL) + q->hash + q->request + *json > 1) {
		cli_say(NULL, 0, "--pane, --ref, --hash, --request and --json exclude each other");
		return CLI_USAGE;
	}
	if (q->pane == NULL && (q->width > 0 || q->grep != NULL)) {
		cli_say(NULL, 0, "%s belongs to --pane", q->width > 0 ? "--width" : "--grep");
		return CLI_USAGE;
	}
	struct search *pattern = NULL;
	if (q->grep != NULL && (code = find_pattern(q->grep, &pattern)) != CLI_FINE)
		return code;
	search_free(pattern);
	enum status st = cli_policy(q, NULL, &policy, &e);
	return st == STATUS_OK ? CLI_FINE : cli_error(st, &e);
}

int cmd_replay(struct cli *c)
{
	const struct cli_request *q = &c->request;
	const struct view_ops *pane = NULL;
	struct recording rec;
	struct checks checks;
	struct arena arena = {0};
	struct run run;
	bool json;
	int code = check_request(q, &json, &pane);
	if (code == CLI_FINE)
		code = cli_load(c, &rec);
	if (code != CLI_FINE)
		return code;
	code = cli_checks(c, &rec, &checks);
	if (code == CLI_FINE)
		code = cli_prepare(c, &rec, &arena, &run);
	if (code == CLI_FINE) {
		if (q->hash)
			code = print_hash(c, &run);
		else if (q->request)
			code = print_request(c, &run);
		else if (q->turn != NULL || pane != NULL || q->ref != NULL)
			code = print_frame(c, &run, &checks, pane, json);
		else
			code = print_all(c, &run, json);
		if (code == CLI_FINE)
			cli_report_checks(&run, &checks);
		if (code == CLI_FINE && checks.has_requests && requests_differ(&checks.requests))
			code = CLI_FOUND;
		run_free(&run);
	}
	checks_free(&checks);
	arena_free(&arena);
	recording_free(&rec);
	return code;
}
