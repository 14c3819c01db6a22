/* acpdbg compact: what /compact would do at a position, with a recorded answer or that of a command. */
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "replay/cli/job.h"
#include "replay/cli/run_commands.h"
#include "replay/compact.h"
#include "replay/position.h"
#include "replay/report/readable.h"
#include "replay/summarizer.h"
#include "replay/view/text.h"

/* One /compact being tried. Texts live in `arena`; the run's state is in a probe. */
struct trial {
	struct cli *c;
	struct run *run;
	struct arena arena;
	const cJSON *acp; /* --config, or NULL */
	struct position at;
	size_t record; /* the state stands before it */
	bool is_recorded;
	struct compact_recorded recorded;
	struct pi_preparation preparation;
	bool preparation_recorded;

	struct turn turn;
	struct pi_compact compact;
	struct pi_compact_host host;
	struct compress_scratch scratch;
	size_t active_before;
	const char *answer_from; /* "recorded", "summarizer"; NULL = nobody answered */
	struct summarizer summarizer;
	struct summarizer_result result;
	bool asked; /* of the summarizer */
};

/* ---- where ---- */

static struct position position_of(const struct run *r, uint32_t turn, size_t record)
{
	size_t first = turn > 0 ? (size_t)r->timeline.turns.v[turn - 1].record + 1 : 0;
	return (struct position){.turn = turn, .node = NODE_RENDER, .records = (uint32_t)(record - first)};
}

/* A whole turn stands for the /compact recorded behind it, if there is one; no position for the end. */
static int choose_place(struct trial *t)
{
	const char *text = t->c->request.turn;
	struct run *r = t->run;
	struct error e = {0};
	uint32_t last = (uint32_t)r->timeline.turns.n;
	if (text == NULL) {
		t->record = r->recording->records.n;
		t->at = position_of(r, last, t->record);
		return CLI_FINE;
	}
	enum status st = position_parse(r, str_of(text), &t->at, &e);
	if (st != STATUS_OK)
		return cli_error(st, &e);
	if (t->at.node != NODE_RENDER) {
		cli_say(NULL, 0, "compact: /compact does not run inside a turn; expected a turn, like 42, 42+3 or $");
		return CLI_USAGE;
	}
	t->record = position_record(r, t->at);
	if (t->at.records > 0)
		return CLI_FINE;
	t->record += t->at.turn > 0; /* the turn itself has run */
	size_t found = compact_find(r, t->record);
	if (found != SIZE_MAX) {
		t->record = found;
		t->at = position_of(r, t->at.turn, found);
	}
	return CLI_FINE;
}

/* ---- what the host knows ---- */

static void take_host(struct trial *t)
{
	struct pi_compact_host *h = &t->host;
	h->prompts = pi_prompts_in_force(t->acp);
	h->configured = pi_compact_configured(t->acp);
	compact_session_model(t->run, t->record, &t->arena, &h->provider, &h->model);
	if (t->recorded.model.p != NULL) {
		h->provider = (struct str){NULL, 0};
		h->model = t->recorded.model;
	}
	if (h->prompts.unacknowledged && !t->c->quiet)
		cli_say(t->c->request.config, 0, "prompts are not used without acknowledgePromptsRisk: true");
}

/* Member by member: a recording may tell only one of the two. */
static void take_preparation(struct trial *t)
{
	struct pi_preparation *p = &t->preparation;
	*p = t->recorded.preparation;
	t->preparation_recorded = t->is_recorded && p->first_kept.p != NULL && !isnan(p->tokens_before);
	if (t->preparation_recorded)
		return;
	struct pi_preparation assumed = compact_assume_preparation(t->run, t->record);
	if (p->first_kept.p == NULL)
		p->first_kept = assumed.first_kept;
	if (!t->is_recorded || isnan(p->tokens_before))
		p->tokens_before = assumed.tokens_before;
}

/* ---- the answer ---- */

static bool still_waiting(void *job, double spent) { return job_step(job, spent, PI_SUMMARY_SECONDS); }

/* False: interrupted. */
static bool ask_summarizer(struct trial *t, struct pi_answer *answer)
{
	struct job job;
	t->asked = true;
	t->answer_from = "summarizer";
	t->summarizer = (struct summarizer){.command = t->c->request.summarizer,
					    .model = t->compact.model.id,
					    .prompt = buf_view(&t->compact.prompt),
					    .seconds = PI_SUMMARY_SECONDS,
					    .going = still_waiting,
					    .ctx = &job};
	job_begin(&job, "waiting", "s", t->c->quiet);
	summarizer_run(&t->summarizer, &t->result);
	job_end(&job);
	if (t->result.end == SUMMARIZER_INTERRUPTED && t->result.code != 0)
		raise(t->result.code); /* nothing of ours is in the way any more: this process ends by it */
	answer->failed = t->result.end != SUMMARIZER_ANSWERED;
	answer->reply = buf_view(&t->result.answer);
	return t->result.end != SUMMARIZER_INTERRUPTED;
}

/* Somebody answers, or nobody can and the prompt is what is wanted. False: interrupted. */
static bool get_answer(struct trial *t)
{
	struct pi_answer answer = {.time = t->recorded.time};
	const struct compact_recorded *r = &t->recorded;
	if (t->compact.stop != PI_COMPACT_GOING)
		return true;
	if (t->c->request.summarizer != NULL) {
		if (!ask_summarizer(t, &answer))
			return false;
	} else if (t->is_recorded && (r->reply.p != NULL || r->error.p != NULL)) {
		t->answer_from = "recorded";
		answer.failed = r->reply.p == NULL;
		answer.reply = r->reply;
	} else {
		return true;
	}
	pi_compact_finish(&t->compact, &t->turn.surface, &t->run->state, &t->turn.in.counter, &answer, &t->scratch);
	return true;
}

/* ---- what came of it, as a JSON object ---- */

static void put_key(struct buf *b, const char *name)
{
	buf_printf(b, "%s\"%s\":", b->p[b->n - 1] == '{' ? "" : ",", name);
}

static void put_text(struct buf *b, const char *name, struct str text)
{
	put_key(b, name);
	if (text.p != NULL)
		json_put_str(b, text);
	else
		buf_text(b, "null");
}

static void put_number(struct buf *b, const char *name, double x)
{
	put_key(b, name);
	json_put_num(b, x);
}

static void put_bool(struct buf *b, const char *name, bool x)
{
	put_key(b, name);
	buf_text(b, x ? "true" : "false");
}

/* The kernel's counter: of ranges and of what goes into a block. */
static const char *counter_scale(const struct trial *t)
{
	return t->turn.in.counter.density != 1 ? "calibrated" : "raw estimate";
}

static size_t count_active(const struct state *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->live.n; i++)
		n += s->blocks.v[s->live.v[i]].active;
	return n;
}

static void put_span(struct buf *b, const struct trial *t)
{
	const struct pi_span *span = &t->compact.span;
	char start[REF_TEXT_MAX], end[REF_TEXT_MAX];
	if (!t->compact.has_span)
		return;
	put_key(b, "span");
	buf_char(b, '{');
	put_text(b, "start", state_ref_text(&t->run->state, span->start, start));
	put_text(b, "end", state_ref_text(&t->run->state, span->end, end));
	put_number(b, "units", span->units);
	put_number(b, "tokens", span->tokens);
	put_text(b, "tokensScale", str_of(counter_scale(t)));
	if (span->messages > 0) {
		put_number(b, "messages", (double)span->messages);
		put_number(b, "shown", (double)span->shown);
	}
	buf_char(b, '}');
}

static void put_model(struct buf *b, const struct trial *t)
{
	const struct pi_model *m = &t->compact.model;
	put_key(b, "model");
	buf_char(b, '{');
	put_text(b, "provider", m->provider);
	put_text(b, "id", m->id);
	put_text(b, "from",
		 str_of(m->configured                 ? "compressModel"
			: t->recorded.model.p != NULL ? "recorded"
						      : "session"));
	buf_char(b, '}');
}

/* Rule texts that are not our own. */
static void put_prompts(struct buf *b, const struct trial *t)
{
	bool any = false;
	for (unsigned i = 0; i < PI_PROMPT_COUNT; i++) {
		if (!t->host.prompts.overridden[i])
			continue;
		if (!any)
			put_key(b, "prompts");
		buf_printf(b, "%s\"%s\"", any ? "," : "[", pi_prompt_name(i));
		any = true;
	}
	if (any)
		buf_char(b, ']');
}

/* The last line that says something. */
static struct str last_line(struct str text)
{
	struct str s = text_trim(text);
	size_t at = str_find_last(s, STR("\n"));
	return at == SIZE_MAX ? s : text_trim(str_cut(s, at + 1, s.n));
}

/* Why, beyond the kind. */
static void put_detail(struct buf *b, const struct trial *t)
{
	const struct pi_compact *k = &t->compact;
	if (k->stop == PI_COMPACT_UNPARSEABLE)
		put_text(b, "reply", str_of(pi_reply_name(k->reply)));
	if (k->stop == PI_COMPACT_NO_ANSWER && t->asked) {
		put_text(b, "summarizer", str_of(summarizer_end_name(t->result.end)));
		put_number(b, "code", t->result.code);
	}
	if (k->stop == PI_COMPACT_NO_ANSWER && !t->asked)
		put_text(b, "error", t->recorded.error);
	if (k->stop != PI_COMPACT_REFUSED)
		return;
	put_key(b, "errors");
	buf_char(b, '[');
	for (size_t i = 0; i < k->applied.errors.n; i++)
		buf_printf(b, "%s\"%s\"", i > 0 ? "," : "", compress_kind_name(k->applied.errors.v[i].kind));
	buf_char(b, ']');
}

static void put_fallback(struct buf *b, const struct trial *t)
{
	enum pi_compact_stop stop = t->compact.stop;
	put_key(b, "fallback");
	buf_char(b, '{');
	put_text(b, "kind", str_of(pi_compact_stop_name(stop)));
	put_text(b, "why", str_of(pi_compact_stop_words(stop)));
	put_detail(b, t);
	buf_char(b, '}');
}

static void put_block(struct buf *b, const struct trial *t)
{
	const struct state *s = &t->run->state;
	const struct block *k = &s->blocks.v[t->compact.block];
	put_key(b, "block");
	buf_char(b, '{');
	put_text(b, "id", names_get(s->names, k->id));
	put_number(b, "messages", k->direct_n);
	put_number(b, "tokens", k->tokens);
	put_text(b, "tokensScale", str_of(counter_scale(t)));
	put_number(b, "summaryTokens", text_tokens(k->summary_size));
	put_text(b, "summaryTokensScale", STR("raw estimate"));
	buf_char(b, '}');
}

static void put_warnings(struct buf *b, const struct trial *t)
{
	const struct apply_result *a = &t->compact.applied;
	put_key(b, "warnings");
	buf_char(b, '[');
	for (size_t i = 0; i < a->warnings.n; i++)
		buf_printf(b, "%s\"%s\"", i > 0 ? "," : "", compress_kind_name(a->warnings.v[i].kind));
	buf_char(b, ']');
}

/* pi.md 7.5: the host drops everything before its own cut, and the text of its line reaches no model. */
static void put_effects(struct buf *b, struct trial *t)
{
	const struct state *s = &t->run->state;
	uint32_t first = compact_first_row(t->run, t->record, t->preparation.first_kept);
	uint32_t *cut = arena_alloc(&t->arena, (s->live.n + 1) * sizeof *cut);
	size_t n = first != UINT32_MAX ? pi_compact_cut_away(s, first, cut) : 0;
	bool lost = policy_is(&t->run->policy, SWITCH_SUMMARIES, "skip");
	put_key(b, "cutAway"); /* blocks that the next sync finds without a single entry */
	buf_char(b, '[');
	for (size_t i = 0; i < n; i++) {
		buf_text(b, i > 0 ? "," : "");
		json_put_str(b, names_get(s->names, s->blocks.v[cut[i]].id));
		lost = lost || cut[i] == t->compact.block;
	}
	buf_char(b, ']');
	put_bool(b, "summaryReachesModel", !lost);
}

static bool is_done(const struct trial *t) { return t->compact.stop == PI_COMPACT_GOING && t->answer_from != NULL; }

/* What the call costs at --prices: raw estimates of the prompt and of what was answered. */
static void put_cost(struct buf *b, const struct trial *t)
{
	const struct price *p = prices_of(t->run->prices, t->compact.model.id);
	struct str answer = t->asked ? buf_view(&t->result.answer) : t->recorded.reply;
	double prompt = text_tokens(text_measure(buf_view(&t->compact.prompt)));
	double answered = t->answer_from != NULL && answer.p != NULL ? text_tokens(text_measure(answer)) : 0;
	if (t->run->prices == NULL || t->compact.prompt.n == 0)
		return;
	put_key(b, "cost");
	buf_char(b, '{');
	put_number(b, "promptTokens", prompt);
	put_number(b, "answerTokens", answered);
	put_text(b, "tokensScale", STR("raw estimate"));
	put_key(b, "amount");
	if (p != NULL)
		json_put_num(b, prompt * p->input + answered * p->output);
	else
		buf_text(b, "null"); /* the model has no price */
	put_text(b, "currency", t->run->prices->currency);
	buf_char(b, '}');
}

static void put_outcome(struct buf *b, struct trial *t)
{
	bool stopped = t->compact.stop != PI_COMPACT_GOING;
	put_text(b, "answer", t->answer_from != NULL ? str_of(t->answer_from) : (struct str){NULL, 0});
	put_text(b, "outcome", str_of(stopped ? "host-compaction" : is_done(t) ? "compacted" : "prompt"));
	if (stopped)
		put_fallback(b, t);
	if (is_done(t)) {
		put_block(b, t);
		put_warnings(b, t);
		put_key(b, "compaction");
		pi_compact_put_result(b, &t->compact, &t->preparation);
		put_text(b, "preparation", str_of(t->preparation_recorded ? "recorded" : "assumed"));
		put_effects(b, t);
	}
	put_cost(b, t);
	put_number(b, "activeBefore", (double)t->active_before);
	put_number(b, "activeAfter", (double)count_active(&t->run->state));
	if (t->recorded.outcome != NULL) {
		put_key(b, "recordedOutcome");
		json_put(b, t->recorded.outcome);
	}
}

static void put_trial(struct buf *b, struct trial *t)
{
	const struct pi_compact *k = &t->compact;
	struct buf at = {0};
	position_print(t->at, &at);
	buf_char(b, '{');
	put_text(b, "position", buf_view(&at));
	buf_free(&at);
	put_text(b, "recorded", str_of(!t->is_recorded ? NULL : t->recorded.hook ? "keep" : "compact"));
	put_number(b, "tokenCount", k->tokens);
	put_text(b, "tokenCountScale", STR("raw estimate"));
	put_key(b, "ranges");
	buf_printf(b, "{\"offered\":%zu,\"dangerous\":%zu,\"minimum\":", k->offered, k->dangerous);
	json_put_num(b, k->minimum);
	buf_char(b, '}');
	put_span(b, t);
	if (k->has_span)
		put_model(b, t);
	put_prompts(b, t);
	put_outcome(b, t);
}

static void print_json(struct trial *t, struct buf *out)
{
	put_trial(out, t);
	if (t->compact.stop == PI_COMPACT_GOING && !is_done(t))
		put_text(out, "prompt", buf_view(&t->compact.prompt));
	buf_text(out, "}\n");
}

static void print_readable(struct trial *t, struct buf *out)
{
	struct buf b = {0};
	put_trial(&b, t);
	buf_char(&b, '}');
	readable_put(out, json_tree(&t->arena, buf_view(&b), NULL, NULL), cli_ascii(&t->c->request));
	buf_free(&b);
}

/* What the prompt is about: where, which range and why this one (pi.md 7.3), which model. */
static void print_about(const struct trial *t, struct buf *out)
{
	const struct pi_compact *k = &t->compact;
	char start[REF_TEXT_MAX], end[REF_TEXT_MAX];
	struct buf b = {0};
	buf_text(&b, "position ");
	position_print(t->at, &b);
	buf_text(&b, ": range ");
	buf_str(&b, state_ref_text(&t->run->state, k->span.start, start));
	buf_text(&b, " to ");
	buf_str(&b, state_ref_text(&t->run->state, k->span.end, end));
	buf_text(&b, ", ");
	json_put_num(&b, k->span.tokens);
	buf_printf(&b, " tokens (%s), ", counter_scale(t));
	json_put_num(&b, k->span.units);
	buf_printf(&b, " units: the largest of %zu %s offered, widened while it has fewer than ", k->offered,
		   k->offered == 1 ? "range" : "ranges");
	json_put_num(&b, k->minimum);
	buf_text(&b, " units");
	if (k->dangerous > 0)
		buf_printf(&b, " (%zu dangerous ones passed over)", k->dangerous);
	buf_text(&b, "; model ");
	buf_str(&b, k->model.id);
	buf_text(&b, "; the prompt:");
	text_put_lines(out, buf_view(&b), cli_ascii(&t->c->request));
	buf_text(out, "\n\n");
	buf_free(&b);
}

/* The bytes a model would get, for the next program; for a terminal what is safe to show. */
static void print_prompt(const struct trial *t, struct buf *out)
{
	struct str prompt = buf_view(&t->compact.prompt);
	if (!isatty(t->c->out.fd)) {
		summarizer_put_utf8(out, prompt);
		return;
	}
	print_about(t, out);
	text_put_lines(out, prompt, cli_ascii(&t->c->request));
}

static void say_failure(const struct trial *t)
{
	struct buf b = {0};
	struct str said = last_line(buf_view(&t->result.errors));
	if (!t->asked || t->result.end == SUMMARIZER_ANSWERED)
		return;
	summarizer_put_end(&b, &t->summarizer, &t->result);
	if (said.n > 0) {
		buf_text(&b, ": ");
		buf_str(&b, said);
	}
	cli_say(NULL, 0, "the summarizer %s", b.p);
	buf_free(&b);
}

/* ---- the command ---- */

static int try_compact(struct trial *t, bool json)
{
	struct state *s = &t->run->state;
	struct turn_input in = run_turn_input(t->run, t->record, 0);
	run_seek(t->run, t->record);
	state_probe_begin(s);
	t->active_before = count_active(s);
	pi_compact_prepare(&t->compact, &t->turn, s, &t->run->alternatives, &in, &t->host);
	bool going = get_answer(t);
	if (going)
		say_failure(t);
	if (going && json)
		print_json(t, &t->c->out.buf);
	else if (going && t->compact.stop == PI_COMPACT_GOING && t->answer_from == NULL)
		print_prompt(t, &t->c->out.buf);
	else if (going)
		print_readable(t, &t->c->out.buf);
	state_probe_end(s);
	return !going ? CLI_INTERRUPTED : t->compact.stop != PI_COMPACT_GOING ? CLI_FOUND : CLI_FINE;
}

static void trial_free(struct trial *t)
{
	turn_free(&t->turn);
	pi_compact_free(&t->compact);
	compress_scratch_free(&t->scratch);
	summarizer_result_free(&t->result);
	arena_free(&t->arena);
}

static int compact_in(struct trial *t, bool json)
{
	int code = cli_run(t->c, t->run, false, NULL, NULL);
	if (code == CLI_FINE)
		code = choose_place(t);
	if (code != CLI_FINE)
		return code;
	t->is_recorded = compact_read(t->run, t->record, &t->arena, &t->recorded);
	take_host(t);
	take_preparation(t);
	return try_compact(t, json);
}

static int choose_output(const struct cli_request *q, bool *json)
{
	*json = q->output != NULL && strcmp(q->output, "json") == 0;
	if (q->output == NULL || *json || strcmp(q->output, "table") == 0)
		return CLI_FINE;
	cli_say(NULL, 0, "compact --output: expected table or json");
	return CLI_USAGE;
}

/* An empty command ends well with an empty answer: a script with an unset variable would never know. */
static int check_summarizer(const struct cli_request *q)
{
	if (q->summarizer == NULL || text_trim(str_of(q->summarizer)).n > 0)
		return CLI_FINE;
	cli_say(NULL, 0, "compact --summarizer: expected a command, it is empty");
	return CLI_USAGE;
}

/* The whole of the file: the run was given only what concerns the kernel. */
static int read_acp(struct trial *t)
{
	const char *path = t->c->request.config;
	struct source source;
	struct error e = {0};
	if (path == NULL)
		return CLI_FINE;
	enum status st = source_open_as(&source, path, "a configuration file", &e);
	if (st != STATUS_OK)
		return cli_error(st, &e);
	t->acp = json_tree(&t->arena, source_read(&source, 0, source.size, &t->arena), NULL, NULL);
	source_close(&source);
	return CLI_FINE;
}

int cmd_compact(struct cli *c)
{
	struct recording rec;
	struct arena arena = {0};
	struct run run;
	bool json;
	int code = choose_output(&c->request, &json);
	if (code == CLI_FINE)
		code = check_summarizer(&c->request);
	if (code == CLI_FINE)
		code = cli_load(c, &rec);
	if (code != CLI_FINE)
		return code;
	code = cli_prepare(c, &rec, &arena, &run);
	if (code == CLI_FINE) {
		struct trial t = {.c = c, .run = &run};
		code = read_acp(&t);
		if (code == CLI_FINE)
			code = compact_in(&t, json);
		trial_free(&t);
		run_free(&run);
	}
	arena_free(&arena);
	recording_free(&rec);
	return code;
}
