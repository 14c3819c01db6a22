/*
 * prefix and prices: totals of worked-out sessions; on generated Pi sessions
 * the incremental prefix against a comparison of whole requests byte by byte,
 * and the totals against sums over the members of a trace; price files;
 * what folds cost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <math.h>

#include "engine/base/json.h"
#include "replay/fidelity.h"
#include "replay/frame_request.h"
#include "replay/prefix.h"
#include "replay/report/trace.h"
#include "replay/view/view.h"
#include "tests/generate_pi.h"
#include "tests/replayed.h"
#include "tests/view_screens.h"

static bool is_near(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * (fabs(a) > 1 ? fabs(a) : 1);
}

/* ---- worked-out sessions ---- */

#define TOTAL(name, member) name, offsetof(struct prefix_totals, member)

static const struct {
	const char *name;
	size_t at;
} numbers[] = {
	{TOTAL("lostTokens", lost_tokens)},
	{TOTAL("sentTokens", sent_tokens)},
	{TOTAL("againTokens", again_tokens)},
	{TOTAL("prompt", prompt)},
	{TOTAL("read", cache_read)},
	{TOTAL("hit", hit)},
	{TOTAL("predicted", predicted)},
	{TOTAL("foldHit", fold_hit)},
	{TOTAL("otherHit", other_hit)},
	{TOTAL("ceiling", fold_ceiling)},
	{TOTAL("growth", growth)},
	{TOTAL("tailTokens", tail_tokens)},
	{TOTAL("cost", cost.total)},
	{TOTAL("costLost", cost.lost)},
	{TOTAL("missed", hits.missed)},
	{TOTAL("missedCost", cost.missed)},
	{TOTAL("missedAtBreaks", hits.missed_at_breaks)},
	{TOTAL("saidCost", said_cost)},
	{TOTAL("anchorsEnd", end.recorded)},
	{TOTAL("slimmedEnd", end.slimmed)},
	{TOTAL("slimmedPeak", peak.slimmed)},
};

static const struct {
	const char *name;
	size_t at;
} counts[] = {
	{TOTAL("requests", requests)},
	{TOTAL("appendOnly", append_only)},
	{TOTAL("rebuilds", rebuilds)},
	{TOTAL("reported", reported)},
	{TOTAL("predictions", predictions)},
	{TOTAL("tails", tails)},
	{TOTAL("priced", cost.turns)},
	{TOTAL("unreported", cost.unreported)},
	{TOTAL("unpriced", cost.unpriced)},
	{TOTAL("peakTurn", peak.turn)},
	{TOTAL("hitsCompared", hits.compared)},
	{TOTAL("hitsAgree", hits.of[HIT_AGREES])},
	{TOTAL("readAnyway", hits.of[HIT_READ_ANYWAY])},
	{TOTAL("readLess", hits.of[HIT_READ_LESS])},
	{TOTAL("over", hits.over)},
	{TOTAL("misses", hits.misses)},
	{TOTAL("said", said)},
};

static double number_at(const void *from, size_t at)
{
	double x;
	memcpy(&x, (const char *)from + at, sizeof x);
	return x;
}

static double count_at(const void *from, size_t at)
{
	uint32_t x;
	memcpy(&x, (const char *)from + at, sizeof x);
	return x;
}

static size_t check_member(const cJSON *one, const cJSON *want, double got)
{
	double x = NAN;
	if (!cJSON_IsNull(want) && !json_num(want, &x))
		case_fail(one, "%s is wanted to be no number", want->string);
	if (!is_near(x, got))
		case_fail(one, "%s is %.12g, wanted %.12g", want->string, got, x);
	return 1;
}

static void check_folds(const cJSON *one, const struct prefix_totals *t)
{
	static const struct {
		const char *name;
		size_t at;
	} members[] = {
		{"context", offsetof(struct prefix_fold, fold.context)},
		{"folded", offsetof(struct prefix_fold, fold.folded)},
		{"ratio", offsetof(struct prefix_fold, fold.ratio)},
		{"kept", offsetof(struct prefix_fold, fold.kept)},
		{"extra", offsetof(struct prefix_fold, extra)},
		{"saving", offsetof(struct prefix_fold, saving)},
		{"even", offsetof(struct prefix_fold, even)},
		{"best", offsetof(struct prefix_fold, best_size)},
	};
	const cJSON *fold;
	size_t i = 0;
	cJSON_ArrayForEach (fold, json_get(one, "folds")) {
		if (i >= t->folds_n)
			case_fail(one, "only %zu folds", t->folds_n);
		check_member(one, json_get(fold, "turn"), t->folds[i].turn);
		for (size_t k = 0; k < sizeof members / sizeof *members; k++)
			if (json_get(fold, members[k].name) != NULL)
				check_member(one, json_get(fold, members[k].name),
					     number_at(&t->folds[i], members[k].at));
		i++;
	}
	if (json_get(one, "folds") != NULL && i != t->folds_n)
		case_fail(one, "%zu folds", t->folds_n);
}

static void check_totals(const cJSON *one, const struct prefix_totals *t)
{
	const cJSON *want, *causes = json_get(one, "causes");
	size_t seen = 0, all = 0;
	cJSON_ArrayForEach (want, json_get(one, "totals")) {
		all++;
		for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
			if (strcmp(numbers[i].name, want->string) == 0)
				seen += check_member(one, want, number_at(t, numbers[i].at));
		for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
			if (strcmp(counts[i].name, want->string) == 0)
				seen += check_member(one, want, count_at(t, counts[i].at));
	}
	if (seen != all || all == 0)
		case_fail(one, "only %zu of %zu totals are known", seen, all);
	for (int k = 0; causes != NULL && k < SENT_CAUSES; k++) {
		double n = 0;
		json_num(json_get(causes, sent_cause_name((enum sent_cause)k)), &n);
		if (t->of_cause[k] != n)
			case_fail(one, "%u requests of cause %s", t->of_cause[k], sent_cause_name((enum sent_cause)k));
	}
	check_folds(one, t);
}

static void read_prices(const cJSON *one, struct arena *a, struct prices *out)
{
	struct temp_file f;
	struct buf text = {0};
	struct error e = {0};
	json_put(&text, json_get(one, "prices"));
	temp_file_write(&f, buf_view(&text));
	if (prices_read(f.path, a, out, &e) != STATUS_OK)
		case_fail(one, "prices: %s", e.message);
	temp_file_remove(&f);
	buf_free(&text);
}

/* `opened`: [words of a total's line, what its opened lines must have, ..], .. */
static void check_opened(const cJSON *one, struct run *run)
{
	const cJSON *list;
	struct frame f = {0};
	cJSON_ArrayForEach (list, json_get(one, "opened")) {
		struct buf b = {0};
		struct line l = {0};
		const cJSON *want = list->child;
		assert_int_equal(frame_open(&f, run, (struct position){.turn = 1, .node = NODE_RENDER}, NULL),
				 STATUS_OK);
		struct view_context c = {.run = run, .frame = &f, .width = 160, .unfolded = true};
		for (size_t i = 0; i < prefix_view.count(&c); i++) {
			prefix_view.line(&c, i, &l);
			buf_cut(&b, 0);
			line_write(&l, &b);
			if (str_find(buf_view(&b), json_str(want), 0) != SIZE_MAX)
				c.selected = prefix_view.key(&c, i);
		}
		buf_cut(&b, 0);
		view_print(&prefix_view, &c, &b);
		for (want = want->next; want != NULL; want = want->next)
			if (str_find(buf_view(&b), json_str(want), 0) == SIZE_MAX)
				case_fail(one, "\"%s\" is not in what is opened: %s", json_str(want).p, b.p);
		line_free(&l);
		buf_free(&b);
	}
	frame_close(&f);
}

static void totals_case(const cJSON *one, void *ctx)
{
	struct replayed s;
	struct arena a = {0};
	struct prices prices;
	struct prefix_totals t;
	(void)ctx;
	replayed_open_case(&s, one);
	replayed_start_with(&s, NULL, json_str(json_get(one, "policy")));
	if (json_get(one, "prices") != NULL) {
		read_prices(one, &a, &prices);
		s.run.prices = &prices;
	}
	s.run.want_requests = request_lacks(&s.run) == REQUEST_THERE;
	replayed_finish(&s);
	prefix_sum(&s.run, &a, &t);
	check_totals(one, &t);
	struct fidelity fidelity = fidelity_of(&s.run, NULL);
	assert_int_equal(fidelity.hits, t.hits.compared);
	assert_int_equal(fidelity.hits_agree, t.hits.of[HIT_AGREES]);
	check_opened(one, &s.run);
	replayed_close(&s);
	arena_free(&a);
}

static void totals_of_worked_sessions(void **state)
{
	(void)state;
	case_file_each("tests/cases/prefix.jsonl", totals_case, NULL);
}

/* ---- generated sessions ---- */

/* Everything that the property tests must have met. */
struct met {
	size_t turns, rebuilds, tails, folds, causes[SENT_CAUSES];
};

/* Raw estimate of a message as sent: texts, thinking, arguments. */
static double line_tokens(struct str line)
{
	struct arena a = {0};
	struct buf args = {0};
	const cJSON *tree = json_tree(&a, line, NULL, NULL), *content = json_get(tree, "content"), *block;
	double sum = 0;
	assert_non_null(tree);
	if (json_str(content).p != NULL)
		sum = text_tokens(text_measure(json_str(content)));
	cJSON_ArrayForEach (block, content) {
		static const char *const texts[] = {"text", "thinking"};
		for (size_t i = 0; i < 2; i++) {
			struct str type = json_str(json_get(block, "type")), text = json_str(json_get(block, texts[i]));
			if (type.p != NULL && text.p != NULL && str_eq(type, str_of(texts[i])))
				sum += text_tokens(text_measure(text));
		}
		const cJSON *arguments = json_get(block, "arguments");
		buf_cut(&args, 0);
		if (json_str(arguments).p != NULL)
			buf_str(&args, json_str(arguments));
		else if (arguments != NULL)
			json_put(&args, arguments);
		sum += text_tokens(text_measure(buf_view(&args)));
	}
	buf_free(&args);
	arena_free(&a);
	return sum;
}

static struct str take_line(struct str *s)
{
	size_t end = str_find(*s, STR("\n"), 0);
	struct str line = str_cut(*s, 0, end < s->n ? end : s->n);
	*s = str_cut(*s, line.n < s->n ? line.n + 1 : s->n, s->n);
	return line;
}

/* The request of a turn as it is sent, without the nudge, which is its last line. */
static void write_request(struct frame *f, struct buf *b)
{
	const struct frame_request *q = frame_request(f);
	assert_int_equal(q->lack, REQUEST_THERE);
	frame_request_write(q, b);
	if (q->tail.n == 0)
		return;
	while (b->n > 0 && b->p[b->n - 1] != '\n')
		buf_cut(b, b->n - 1);
	buf_cut(b, b->n > 0 ? b->n - 1 : 0);
}

static void compare_tokens(const struct sent *s, struct str was, struct str is)
{
	double common = 0, lost = 0, all = 0;
	bool broken = false;
	for (struct str rest = is; rest.n > 0;)
		all += line_tokens(take_line(&rest));
	while (was.n > 0) {
		struct str a = take_line(&was), b = take_line(&is);
		broken = broken || !str_eq(a, b);
		*(broken ? &lost : &common) += line_tokens(a);
	}
	assert_true(is_near(s->tokens, all));
	assert_true(is_near(s->common_tokens, common));
	assert_true(is_near(s->lost_tokens, lost));
}

static void compare_turn(const struct sent *s, struct str was, struct str is, bool first)
{
	size_t n = 0;
	while (n < was.n && n < is.n && was.p[n] == is.p[n])
		n++;
	assert_true(s->bytes == (double)is.n);
	assert_int_equal(s->cause == SENT_FIRST, first);
	assert_true(s->before_bytes == (double)was.n);
	assert_true(s->common_bytes == (double)n);
	if (first)
		return;
	assert_int_equal(s->append_only, n == was.n);
	compare_tokens(s, was, is);
}

/* Every turn's request written whole, and the bytes of two in a row compared. */
static void compare_bytes(struct replayed *r, struct met *met)
{
	struct frame f = {0};
	struct buf was = {0}, is = {0};
	struct error e = {0};
	size_t n = r->run.timeline.turns.n;
	assert_int_equal(r->run.sender.sent.n, n);
	for (uint32_t turn = 1; turn <= n; turn++) {
		const struct sent *s = &r->run.sender.sent.v[turn - 1];
		struct position p = {.turn = turn, .node = NODE_RENDER};
		struct buf swap = was;
		assert_int_equal(frame_open(&f, &r->run, p, &e), STATUS_OK);
		was = is;
		is = swap;
		buf_cut(&is, 0);
		write_request(&f, &is);
		compare_turn(s, buf_view(&was), buf_view(&is), turn == 1);
		assert_true((s->tail_bytes > 0) == (frame_request(&f)->tail.n > 0));
		met->turns++;
		met->tails += s->tail_bytes > 0;
		met->rebuilds += sent_rebuilds(s);
		met->causes[s->cause]++;
	}
	frame_close(&f);
	buf_free(&was);
	buf_free(&is);
}

/* ---- totals against the trace ---- */

static void on_turn(void *ctx, struct run *r, uint32_t n, const struct moment *m) { trace_turn(ctx, r, n, m); }
static void on_compress(void *ctx, struct run *r, const struct compress_event *e) { trace_compress(ctx, r, e); }

static double member(const cJSON *o, const char *name)
{
	double x = NAN;
	json_num(json_get(o, name), &x);
	return x;
}

struct sums {
	double requests, append_only, rebuilds, lost_bytes, sent_bytes, tails, predictions, predicted, predicted_prompt;
	double prompts, hits, causes[SENT_CAUSES];
	double slimmed_end, slimmed_peak;
};

static void add_line(struct sums *s, const cJSON *turn)
{
	const cJSON *prefix = json_get(turn, "prefix"), *anchors = json_get(turn, "anchors");
	struct str cause = json_str(json_get(json_get(prefix, "break"), "cause"));
	double common = member(prefix, "commonBytes"), before = member(prefix, "prevBytes");
	double prompt = member(json_get(turn, "tokens"), "actualPrompt"), predicted = member(prefix, "predictedHit");
	bool first = cause.p != NULL && str_eq(cause, STR("first")), whole = common == before;
	assert_non_null(prefix);
	s->requests++;
	s->append_only += !first && whole;
	s->rebuilds += !first && !whole;
	if (!first && !whole) {
		s->lost_bytes += before - common;
		s->sent_bytes += member(prefix, "bytes") - common;
	}
	for (int k = 0; k < SENT_CAUSES; k++)
		s->causes[k] +=
			str_eq(cause.p != NULL ? cause : STR("none"), str_of(sent_cause_name((enum sent_cause)k)));
	s->tails += member(prefix, "tail");
	if (prompt > 0) {
		s->prompts += prompt;
		s->hits += member(prefix, "actualHit") * prompt;
	}
	if (!isnan(predicted)) {
		s->predictions++;
		s->predicted += predicted * prompt;
		s->predicted_prompt += prompt;
	}
	s->slimmed_end = member(anchors, "slimmedTokens");
	s->slimmed_peak = s->slimmed_end > s->slimmed_peak ? s->slimmed_end : s->slimmed_peak;
}

static void compare_sums(const struct sums *s, const struct prefix_totals *t)
{
	assert_true(t->requests == s->requests && t->append_only == s->append_only && t->rebuilds == s->rebuilds);
	assert_true(is_near(t->lost_bytes, s->lost_bytes) && is_near(t->sent_bytes, s->sent_bytes));
	assert_true(is_near(t->tail_tokens, s->tails));
	assert_true(is_near(t->prompt, s->prompts) && is_near(t->cache_read, s->hits));
	assert_true(is_near(t->hit, s->hits > 0 ? s->hits / s->prompts : NAN));
	assert_true(t->predictions == s->predictions);
	assert_true(is_near(t->predicted, s->predictions > 0 ? s->predicted / s->predicted_prompt : NAN));
	assert_true(is_near(t->end.slimmed, s->slimmed_end) && is_near(t->peak.slimmed, s->slimmed_peak));
	for (int k = 0; k < SENT_CAUSES; k++)
		assert_true(t->of_cause[k] == s->causes[k]);
}

static void compare_trace(struct replayed *r, struct str trace, struct met *met)
{
	struct arena a = {0};
	struct sums s = {0};
	struct prefix_totals t;
	while (trace.n > 0) {
		const cJSON *line = json_tree(&a, take_line(&trace), NULL, NULL);
		struct str type = json_str(json_get(line, "type"));
		if (type.p != NULL && str_eq(type, STR("turn")))
			add_line(&s, line);
	}
	prefix_sum(&r->run, &a, &t);
	compare_sums(&s, &t);
	met->folds += t.folds_n;
	arena_free(&a);
}

static void prefixes_of_generated_sessions(void **state)
{
	enum { SESSIONS = 200 };
	static const struct {
		const char *name, *options;
	} policies[] = {{"P342", "limit=4000"}, {"P155", "limit=6000"}, {"P97", "snapshot=off,density.confirm=off"},
			{"P173", ""},           {"P258", "limit=2500"}, {"P342", "reasoningDrop=2048"}};
	struct met met = {0};
	(void)state;
	for (uint64_t seed = 1; seed <= SESSIONS; seed++) {
		struct replayed r;
		struct trace trace = {0};
		struct buf text = {0};
		size_t policy = seed % (sizeof policies / sizeof *policies);
		generate_pi(1000 + seed, 12 + (uint32_t)seed % 20, &text);
		replayed_open(&r, buf_view(&text));
		replayed_start_with(&r, policies[policy].name, str_of(policies[policy].options));
		r.run.observer = (struct run_observer){on_turn, on_compress, &trace};
		r.run.want_requests = true;
		trace_header(&trace, &r.run);
		replayed_finish(&r);
		trace_end(&trace, &r.run);
		compare_trace(&r, buf_view(&trace.out), &met);
		compare_bytes(&r, &met);
		trace_free(&trace);
		replayed_close(&r);
		buf_free(&text);
	}
	/* they were worth it */
	assert_true(met.turns > 3000 && met.rebuilds > 300 && met.tails > 100 && met.folds > 100);
	assert_true(met.causes[SENT_COMPRESS] > 0 && met.causes[SENT_HOST] > 0 && met.causes[SENT_MODEL] > 0);
	assert_true(met.causes[SENT_TAG] > 0 && met.causes[SENT_TRUNCATE] > 0 && met.causes[SENT_HIDE] > 0);
	assert_int_equal(met.causes[SENT_UNKNOWN], 0);
}

/* ---- prices ---- */

static void expect_price_error(const char *text, const char *words)
{
	struct temp_file f;
	struct arena a = {0};
	struct prices p;
	struct error e = {0};
	temp_file_write(&f, str_of(text));
	assert_int_equal(prices_read(f.path, &a, &p, &e), STATUS_DATA);
	assert_string_equal(e.file, f.path);
	if (strstr(e.message, words) == NULL)
		fail_msg("'%s' does not say '%s'", e.message, words);
	temp_file_remove(&f);
	arena_free(&a);
}

static void price_files_that_are_none(void **state)
{
	(void)state;
	expect_price_error("[]", "object");
	expect_price_error("{", "not JSON");
	expect_price_error("{\"currency\":\"USD\"}", "models is missing");
	expect_price_error("{\"models\":[]}", "models must be an object");
	expect_price_error("{\"models\":{},\"currency\":1}", "currency must be a text");
	expect_price_error("{\"models\":{\"m\":1}}", "models.m must be an object");
	expect_price_error("{\"models\":{\"m\":{\"input\":1}}}", "models.m.output is missing");
	expect_price_error("{\"models\":{\"m\":{\"output\":1}}}", "models.m.input is missing");
	expect_price_error("{\"models\":{\"m\":{\"input\":\"1\",\"output\":1}}}", "models.m.input must be a number");
	expect_price_error("{\"models\":{\"m\":{\"input\":-1,\"output\":1}}}", "models.m.input must be a number");
	expect_price_error("{\"models\":{\"m\":{\"input\":1e308,\"output\":1}}}",
			   "models.m.input must be a number from 0 to 1000000000");
	expect_price_error("{\"models\":{\"m\":{\"input\":1,\"output\":1,\"cacheRead\":1000000001}}}",
			   "models.m.cacheRead must be a number from 0 to 1000000000");
	expect_price_error("{\"models\":{\"m\":{\"input\":1,\"output\":1,\"cachRead\":1}}}",
			   "models.m.cachRead is not known");
	/* names of the file are session text: nothing of them reaches a terminal raw */
	expect_price_error("{\"models\":{\"\\u001b[2J\":{}}}", "models.^[[2J.input is missing");
}

static void prices_by_model(void **state)
{
	static const char text[] = "{\"models\":{\"a\":{\"input\":3,\"output\":15},"
				   "\"*\":{\"input\":2,\"cacheRead\":0.5,\"cacheWrite\":4,\"output\":8}}}";
	struct temp_file f;
	struct arena a = {0};
	struct prices p;
	struct error e = {0};
	(void)state;
	temp_file_write(&f, str_of(text));
	assert_int_equal(prices_read(f.path, &a, &p, &e), STATUS_OK);
	const struct price *own = prices_of(&p, STR("a")), *other = prices_of(&p, STR("b"));
	assert_int_equal(p.currency.n, 0);
	/* a cache that has no price of its own costs what input costs */
	assert_true(is_near(own->input, 3e-6) && is_near(own->cache_read, 3e-6) && is_near(own->cache_write, 3e-6));
	assert_true(is_near(own->output, 15e-6));
	assert_true(is_near(other->input, 2e-6) && is_near(other->cache_read, 0.5e-6));
	assert_true(is_near(other->cache_write, 4e-6) && is_near(other->output, 8e-6));
	assert_int_equal(prices_read("/nonexistent/prices", &a, &p, &e), STATUS_NO_INPUT);
	assert_null(prices_of(&p, STR("a")));
	assert_null(prices_of(NULL, STR("a")));
	temp_file_remove(&f);
	arena_free(&a);
}

/*
 * pi.md 9: r = 0.3, w = 3.75, q = 15 a million; V = 100000, S = 40000, h = 0.25, b = 0.1.
 * extra = 3.45 x 0.75 x 60000 + 15 x 0.1 x 40000 - 0.3 x 40000 = 155250 + 60000 - 12000 = 203250 a million;
 * saving = 0.9 x 40000 x 0.3 = 10800 a million; 203250 / 10800 = 18.819444..
 * Size with the least cost for g = 1000, Vmin = 20000: sqrt(2 x 1000 x 11.5 x 0.75 x 20000) = sqrt(345000000).
 */
static void what_a_fold_costs(void **state)
{
	const struct price p = {.input = 3e-6, .cache_read = 0.3e-6, .cache_write = 3.75e-6, .output = 15e-6};
	const struct price free_cache = {.input = 1e-6, .cache_write = 1e-6, .output = 1e-6};
	struct fold f = {.context = 100000, .folded = 40000, .ratio = 0.1, .kept = 0.25};
	(void)state;
	assert_true(is_near(fold_extra_cost(&p, &f), 0.20325));
	assert_true(is_near(fold_saving(&p, &f), 0.0108));
	assert_true(is_near(fold_break_even(&p, &f), 203250.0 / 10800));
	assert_true(is_near(fold_best_size(&p, 1000, 0.25, 20000), sqrt(345000000.0)));
	/* nothing is ever saved where the cache is free, or where the summary is as long as what it replaces */
	assert_true(isnan(fold_break_even(&free_cache, &f)) && isnan(fold_best_size(&free_cache, 1000, 0.25, 20000)));
	f.ratio = 1;
	assert_true(isnan(fold_break_even(&p, &f)));
	/* the whole rest is kept, and the summary is shorter than what one read of the folded part costs: at once */
	f = (struct fold){.context = 100000, .folded = 40000, .ratio = 0.01, .kept = 1};
	assert_true(fold_extra_cost(&p, &f) < 0 && fold_break_even(&p, &f) == 0);
}

/* Written again and not read: w - r each; nothing is lost where reading is the dearer one. */
static void what_is_written_again(void **state)
{
	const struct price usual = {.cache_read = 0.5e-6, .cache_write = 4e-6};
	const struct price upside_down = {.cache_read = 5e-6, .cache_write = 2e-6};
	(void)state;
	assert_true(is_near(price_again(&usual, 1000), 0.0035));
	assert_true(price_again(&upside_down, 1000) == 0);
}

/* ---- screens ---- */

static void screens(void **state)
{
	(void)state;
	view_screens_file("tests/cases/views_pi.jsonl");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_of_worked_sessions),
		cmocka_unit_test(prefixes_of_generated_sessions),
		cmocka_unit_test(price_files_that_are_none),
		cmocka_unit_test(prices_by_model),
		cmocka_unit_test(what_a_fold_costs),
		cmocka_unit_test(what_is_written_again),
		cmocka_unit_test(screens),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
