/* /compact: pi.md 7 and the rows of its part 10. tests/cases/pi_compact.jsonl; a case is of the kind it names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "engine/base/num.h"
#include "engine/host/pi_compact.h"
#include "tests/fixture.h"

static struct str member(const cJSON *object, const char *name) { return json_str(json_get(object, name)); }

static double number_or(const cJSON *object, const char *name, double otherwise)
{
	double x;
	return json_num(json_get(object, name), &x) ? x : otherwise;
}

static void expect_text(const cJSON *one, const cJSON *want, const char *name, struct str got)
{
	if (json_get(want, name) != NULL)
		case_expect_text(one, name, got, member(want, name));
}

static void expect_number(const cJSON *one, const cJSON *want, const char *name, double got)
{
	double x;
	if (json_num(json_get(want, name), &x) && x != got)
		case_fail(one, "%s is %g, want %g", name, got, x);
}

static void put_text_number(struct buf *b, double x)
{
	char text[NUM_TEXT_MAX];
	num_print(text, x);
	buf_text(b, text);
}

/* ---- spans ---- */

/* [[start, end, tokens, dangerous?], ..]: refs as m-numbers, or spelled out. */
static uint32_t ref_of(const struct fixture *f, const cJSON *one, const cJSON *node)
{
	double number;
	uint32_t ref = json_num(node, &number) ? (uint32_t)number : state_ref_find(&f->state, json_str(node));
	if (ref == REF_NONE)
		case_fail(one, "a range names a ref nobody has");
	return ref;
}

static size_t take_ranges(struct fixture *f, const cJSON *one, struct range **out)
{
	const cJSON *list = json_get(one, "ranges"), *node;
	size_t n = 0;
	*out = arena_zero(&f->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof **out);
	cJSON_ArrayForEach (node, list) {
		struct range *r = &(*out)[n++];
		r->start = ref_of(f, one, cJSON_GetArrayItem(node, 0));
		r->end = ref_of(f, one, cJSON_GetArrayItem(node, 1));
		json_num(cJSON_GetArrayItem(node, 2), &r->tokens);
		r->dangerous = cJSON_IsTrue(cJSON_GetArrayItem(node, 3));
	}
	return n;
}

/* "m00001..m00004 2000" */
static void put_span(struct buf *b, const struct state *s, const struct pi_span *span)
{
	char start[REF_TEXT_MAX], end[REF_TEXT_MAX];
	buf_str(b, state_ref_text(s, span->start, start));
	buf_text(b, "..");
	buf_str(b, state_ref_text(s, span->end, end));
	buf_char(b, ' ');
	put_text_number(b, span->tokens);
}

static void run_span(const cJSON *one)
{
	struct fixture f;
	struct range *ranges;
	struct pi_span span = {0};
	struct buf b = {0};
	fixture_build(&f, one);
	size_t n = take_ranges(&f, one, &ranges);
	const struct surface *rows = fixture_surface(&f);
	if (pi_span_choose(ranges, n, rows, &f.state, number_or(one, "min", 5000), &f.arena, &span))
		put_span(&b, &f.state, &span);
	else
		buf_text(&b, "none");
	case_expect_text(one, "span", buf_view(&b), member(one, "want"));
	expect_number(one, one, "units", span.units);
	buf_free(&b);
	fixture_free(&f);
}

/* ---- answers ---- */

static void run_reply(const cJSON *one)
{
	struct arena a = {0};
	struct str summary;
	enum pi_reply reply = pi_reply_read(&a, member(one, "reply"), &summary);
	case_expect_text(one, "reply", str_of(pi_reply_name(reply)), member(one, "want"));
	if (reply == PI_REPLY_USABLE)
		case_expect_text(one, "summary", summary, member(one, "summary"));
	arena_free(&a);
}

/* ---- models ---- */

static void run_model(const cJSON *one)
{
	const cJSON *want = json_get(one, "want");
	struct pi_compact_host h = {.configured = pi_compact_configured(json_get(one, "acp")),
				    .provider = STR("session-provider"),
				    .model = STR("session-model")};
	struct pi_model m = pi_compact_model(&h);
	case_expect_text(one, "provider", m.provider, member(want, "provider"));
	case_expect_text(one, "id", m.id, member(want, "id"));
	case_expect_count(one, "configured", m.configured, (size_t)cJSON_IsTrue(json_get(want, "configured")));
}

/* ---- the host's own cut ---- */

/* entries: [tokens, valid?] */
static void run_cut(const cJSON *one)
{
	const cJSON *list = json_get(one, "entries"), *node;
	struct pi_cut_entry *entries = mem_alloc(((size_t)cJSON_GetArraySize(list) + 1) * sizeof *entries);
	size_t n = 0;
	cJSON_ArrayForEach (node, list) {
		json_num(cJSON_GetArrayItem(node, 0), &entries[n].tokens);
		entries[n++].valid = !cJSON_IsFalse(cJSON_GetArrayItem(node, 1));
	}
	case_expect_count(one, "cut", pi_native_cut(entries, n, number_or(one, "keep", 20000)),
			  (size_t)number_or(one, "want", 0));
	free(entries);
}

/* ---- the whole of it ---- */

struct flow {
	const cJSON *one, *want, *host;
	struct fixture f;
	struct turn turn;
	struct pi_compact_host h;
	struct pi_compact c;
	struct compress_scratch scratch;
};

static bool is_known(void *ctx, const struct pi_model *m)
{
	const cJSON *list = json_get(ctx, "known"), *node;
	if (list == NULL)
		return true;
	cJSON_ArrayForEach (node, list)
		if (str_eq(json_str(cJSON_GetArrayItem(node, 0)), m->provider) &&
		    str_eq(json_str(cJSON_GetArrayItem(node, 1)), m->id))
			return true;
	return false;
}

static bool has_credentials(void *ctx, const struct pi_model *m)
{
	(void)m;
	return !cJSON_IsFalse(json_get(ctx, "credentials"));
}

static void take_host(struct flow *w)
{
	const cJSON *acp = json_get(w->one, "acp");
	w->host = json_get(w->one, "host");
	w->h = (struct pi_compact_host){.configured = pi_compact_configured(acp),
					.provider = member(w->host, "provider"),
					.model = json_get(w->host, "model") ? member(w->host, "model") : STR("session"),
					.known = is_known,
					.credentials = has_credentials,
					.ctx = cJSON_GetObjectItemCaseSensitive(w->one, "host"),
					.prompts = pi_prompts_in_force(acp),
					.gate = cJSON_IsTrue(json_get(w->host, "gate"))};
}

/* Ranges that no kernel builds are put in after the turn. */
static void ask_by_hand(struct flow *w)
{
	struct range *ranges;
	size_t n = take_ranges(&w->f, w->one, &ranges);
	size_t mark = w->c.mark;
	pi_compact_free(&w->c);
	w->c.mark = mark;
	w->c.block = -1;
	pi_compact_ask(&w->c, ranges, n, &w->turn.surface, &w->f.state, &w->f.alternatives, &w->h);
}

static void answer(struct flow *w)
{
	struct pi_answer a = {.failed = json_get(w->one, "reply") == NULL,
			      .reply = case_expand(&w->f.arena, member(w->one, "reply")),
			      .time = number_or(w->one, "time", 0)};
	pi_compact_finish(&w->c, &w->turn.surface, &w->f.state, &w->turn.in.counter, &a, &w->scratch);
}

static void expect_in_prompt(const struct flow *w, const char *name, bool inside)
{
	const cJSON *node;
	struct str prompt = buf_view(&w->c.prompt);
	cJSON_ArrayForEach (node, json_get(w->want, name)) {
		struct str text = case_expand((struct arena *)&w->f.arena, json_str(node));
		if ((str_find(prompt, text, 0) != SIZE_MAX) != inside)
			case_fail(w->one, "the prompt %s '%.60s'", inside ? "lacks" : "has", text.p);
	}
}

static void expect_list(const struct flow *w, const char *name, const struct compress_note *notes, size_t n)
{
	struct buf b = {0};
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%s", i > 0 ? "," : "", compress_kind_name(notes[i].kind));
	expect_text(w->one, w->want, name, buf_view(&b));
	buf_free(&b);
}

static void expect_blocks(struct flow *w)
{
	struct buf b = {0};
	fixture_put_blocks(&w->f, &b);
	expect_text(w->one, w->want, "blocks", buf_view(&b));
	buf_free(&b);
}

static void expect_result(struct flow *w)
{
	const cJSON *preparation = json_get(w->one, "preparation");
	struct pi_preparation p = {.first_kept = member(preparation, "firstKeptEntryId"),
				   .tokens_before = number_or(preparation, "tokensBefore", NAN)};
	struct buf got = {0}, want = {0};
	if (json_get(w->want, "result") == NULL)
		return;
	pi_compact_put_result(&got, &w->c, &p);
	json_put(&want, json_get(w->want, "result"));
	case_expect_text(w->one, "result", buf_view(&got), case_expand(&w->f.arena, buf_view(&want)));
	buf_free(&got);
	buf_free(&want);
}

/* By the id of the first message kept. */
static void expect_cut_away(struct flow *w)
{
	const cJSON *kept = json_get(w->one, "firstKept");
	uint32_t blocks[16];
	struct buf b = {0};
	if (kept == NULL)
		return;
	uint32_t first = state_info(&w->f.state, fixture_name(&w->f, w->one, json_str(kept).p))->last - 1;
	assert_true(w->f.state.live.n <= 16);
	size_t n = pi_compact_cut_away(&w->f.state, first, blocks);
	for (size_t i = 0; i < n; i++) {
		buf_text(&b, i > 0 ? "," : "");
		buf_str(&b, names_get(&w->f.names, w->f.state.blocks.v[blocks[i]].id));
	}
	expect_text(w->one, w->want, "cutAway", buf_view(&b));
	buf_free(&b);
}

static void expect_span(struct flow *w)
{
	struct buf b = {0};
	if (w->c.has_span)
		put_span(&b, &w->f.state, &w->c.span);
	else
		buf_text(&b, "none");
	expect_text(w->one, w->want, "span", buf_view(&b));
	buf_free(&b);
}

static void expect_flow(struct flow *w)
{
	const cJSON *one = w->one, *want = w->want;
	case_expect_text(one, "stop", str_of(pi_compact_stop_name(w->c.stop)), member(want, "stop"));
	if ((w->c.stop == PI_COMPACT_GOING) != (pi_compact_stop_words(w->c.stop)[0] == 0))
		case_fail(one, "a stop, and only a stop, has words");
	expect_span(w);
	expect_number(one, want, "messages", (double)w->c.span.messages);
	expect_number(one, want, "shown", (double)w->c.span.shown);
	expect_number(one, want, "tokens", w->c.tokens);
	expect_number(one, want, "refs", w->f.state.refs_n);
	expect_number(one, want, "baseline", w->f.state.now.baseline);
	expect_number(one, want, "nextRun", w->f.state.now.next_run);
	expect_text(one, want, "modelId", w->c.model.id);
	expect_text(one, want, "replyKind", str_of(pi_reply_name(w->c.reply)));
	expect_list(w, "errors", w->c.applied.errors.v, w->c.applied.errors.n);
	expect_list(w, "warnings", w->c.applied.warnings.v, w->c.applied.warnings.n);
	expect_in_prompt(w, "has", true);
	expect_in_prompt(w, "lacks", false);
	if (cJSON_IsString(json_get(want, "prompt")))
		case_expect_text(one, "prompt", buf_view(&w->c.prompt),
				 case_expand(&w->f.arena, member(want, "prompt")));
	expect_blocks(w);
	expect_result(w);
	expect_cut_away(w);
	if (w->c.block >= 0)
		expect_number(one, want, "createdAt", w->f.state.blocks.v[w->c.block].created_at);
}

/* The count of any other turn: /compact has its own (7.2.2). */
static double count_of_another(void *ctx, const struct surface *f, const struct state *s)
{
	(void)f;
	(void)s;
	*(bool *)ctx = true;
	return 1e9;
}

/* What /compact did must be undone like anything else: it happens in a probe, and the probe leaves nothing. */
static void run_flow(const cJSON *one)
{
	struct flow w = {.one = one, .want = json_get(one, "want")};
	bool counted = false;
	struct turn_input in = {.tokens = 1e9,
				.count = count_of_another,
				.count_ctx = &counted,
				.tags = TAGS_ALL,
				.hide = ANCHOR_FULL,
				.counter = {.density = 1}};
	struct buf before = {0}, after = {0};
	fixture_build(&w.f, one);
	take_host(&w);
	state_write(&w.f.state, &before);
	state_probe_begin(&w.f.state);
	pi_compact_prepare(&w.c, &w.turn, &w.f.state, &w.f.alternatives, &in, &w.h);
	if (json_get(one, "ranges") != NULL)
		ask_by_hand(&w);
	if (!cJSON_IsTrue(json_get(one, "unanswered")))
		answer(&w);
	expect_flow(&w);
	assert_false(counted);
	state_probe_end(&w.f.state);
	state_write(&w.f.state, &after);
	case_expect_text(one, "state after the probe", buf_view(&after), buf_view(&before));
	buf_free(&before);
	buf_free(&after);
	pi_compact_free(&w.c);
	compress_scratch_free(&w.scratch);
	turn_free(&w.turn);
	fixture_free(&w.f);
}

/* ---- cases ---- */

static const struct {
	const char *kind;
	void (*run)(const cJSON *one);
} kinds[] = {{"span", run_span}, {"reply", run_reply}, {"model", run_model}, {"cut", run_cut}, {"flow", run_flow}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void run_case(const cJSON *one, void *ctx)
{
	size_t *seen = ctx;
	for (size_t i = 0; i < KINDS; i++)
		if (str_eq(member(one, "kind"), str_of(kinds[i].kind))) {
			seen[i]++;
			kinds[i].run(one);
			return;
		}
	case_fail(one, "no such kind");
}

static void test_cases(void **state)
{
	size_t seen[KINDS] = {0};
	(void)state;
	case_file_each("tests/cases/pi_compact.jsonl", run_case, seen);
	for (size_t i = 0; i < KINDS; i++)
		assert_true(seen[i] > 0);
}

/* ---- any ranges: against the rule as it is written ---- */

static uint32_t random_below(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)(*seed >> 8) * n) >> 24);
}

struct plain {
	uint32_t start, end;
	double tokens;
};

enum { PLAIN_ROWS = 40, PLAIN_RANGES = 8 };

/* 7.3.2, by walking all rows: row i carries ref i + 1 unless it has none. */
static double plain_units(const struct surface *f, uint32_t first, uint32_t last)
{
	double units = 0;
	for (size_t i = 0; i < f->rows.n; i++) {
		uint32_t ref = f->rows.v[i].ref;
		if (ref != REF_NONE && ref != REF_BLOCKED && ref >= first && ref <= last)
			units += f->rows.v[i].face.size.units + f->rows.v[i].tag.units;
	}
	return units;
}

/* 7.3 on ranges that are already sorted; false = none. */
static bool plain_choose(const struct plain *r, size_t n, const struct surface *f, double minimum, uint32_t out[2])
{
	size_t seed = 0;
	for (size_t i = 1; i < n; i++)
		if (r[i].tokens > r[seed].tokens)
			seed = i;
	int lo = (int)seed, hi = (int)seed, last = (int)n - 1;
	while (plain_units(f, r[lo].start, r[hi].end) < minimum && (lo > 0 || hi < last)) {
		double left = lo > 0 ? (double)r[lo].start - r[lo - 1].end : INFINITY;
		double right = hi < last ? (double)r[hi + 1].start - r[hi].end : INFINITY;
		if (left <= right)
			lo--;
		else
			hi++;
	}
	out[0] = r[lo].start;
	out[1] = r[hi].end;
	return plain_units(f, r[lo].start, r[hi].end) >= minimum;
}

/* Some rows without a ref, some BLOCKED, some tagged; the order of the rows is not that of their refs. */
static void random_rows(struct surface *f, uint32_t *seed)
{
	f->rows.n = 0;
	for (uint32_t i = 0; i < PLAIN_ROWS; i++) {
		struct surface_row row = {.ref = i + 1, .face.size.units = random_below(seed, 300)};
		uint32_t kind = random_below(seed, 12);
		row.ref = kind == 0 ? REF_NONE : kind == 1 ? REF_BLOCKED : row.ref;
		row.tag.units = kind == 2 ? 40 : 0;
		vec_push(&f->rows, row);
		size_t other = random_below(seed, (uint32_t)f->rows.n);
		struct surface_row swap = f->rows.v[other];
		f->rows.v[other] = f->rows.v[i];
		f->rows.v[i] = swap;
	}
}

static size_t random_ranges(struct plain *out, uint32_t *seed)
{
	uint32_t at = 1;
	size_t n = 0;
	while (n < PLAIN_RANGES && at < PLAIN_ROWS - 3) {
		uint32_t start = at + random_below(seed, 4), end = start + random_below(seed, 3);
		if (end > PLAIN_ROWS)
			break;
		out[n++] = (struct plain){start, end, 1 + random_below(seed, 4)};
		at = end + 1;
	}
	return n;
}

static void test_random_spans(void **state)
{
	struct surface f = {0};
	struct arena a = {0};
	struct state none = {.names = NULL};
	uint32_t seed = 7, found = 0;
	(void)state;
	for (int round = 0; round < 4000; round++) {
		struct plain plain[PLAIN_RANGES];
		struct range ranges[PLAIN_RANGES] = {0};
		struct pi_span span = {0};
		uint32_t want[2];
		random_rows(&f, &seed);
		size_t n = random_ranges(plain, &seed);
		double minimum = random_below(&seed, 4000);
		for (size_t i = 0; i < n; i++) /* from the end: the sort is the engine's work */
			ranges[n - 1 - i] =
				(struct range){.start = plain[i].start, .end = plain[i].end, .tokens = plain[i].tokens};
		bool enough = plain_choose(plain, n, &f, minimum, want);
		assert_int_equal(pi_span_choose(ranges, n, &f, &none, minimum, &a, &span), enough);
		assert_int_equal(span.start, want[0]);
		assert_int_equal(span.end, want[1]);
		assert_true(span.units == plain_units(&f, want[0], want[1]));
		found += enough;
		arena_free(&a);
	}
	assert_in_range(found, 1000, 3900); /* both answers were asked for */
	surface_free(&f);
}

/* The lines of a slice end at 150,000 units, line feeds counted, the closing line not (pi-rulings 21). */
static void test_slice_limit(void **state)
{
	static const struct {
		size_t last; /* units of the last message's text */
		size_t shown;
	} cases[] = {{3982, 38}, {3983, 37}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;
		struct buf json = {0}, prompt = {0};
		struct arena a = {0};
		buf_text(&json, "{\"name\":\"slice\",\"refs\":\"auto\",\"messages\":[");
		/* "[m00001] user: " is 15 units and the line feed one: 37 lines of 3,930 + 16 leave 150,000 - 146,002 =
		 * 3,998 */
		for (int n = 0; n < 38; n++)
			buf_printf(&json, "%s{\"id\":\"r%d\",\"text\":\"<x*%zu>\"}", n > 0 ? "," : "", n,
				   n < 37 ? (size_t)3930 : cases[i].last);
		buf_text(&json, "]}");
		const cJSON *one = json_tree(&a, buf_view(&json), NULL, NULL);
		fixture_build(&f, one);
		struct pi_span span = {.start = 1, .end = 38, .first = 1, .last = 38};
		struct pi_prompts prompts = pi_prompts_in_force(NULL);
		pi_compact_put_prompt(&prompt, &prompts, &span, fixture_surface(&f), &f.state, &f.alternatives, &a);
		assert_int_equal(span.messages, 38);
		assert_int_equal(span.shown, cases[i].shown);
		assert_int_equal(str_find(buf_view(&prompt), STR("1 more messages"), 0) == SIZE_MAX,
				 cases[i].shown == 38);
		fixture_free(&f);
		arena_free(&a);
		buf_free(&json);
		buf_free(&prompt);
	}
}

/* Every stop has a name of its own. */
static void test_stop_names(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PI_COMPACT_STOPS; i++)
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(pi_compact_stop_name(i), pi_compact_stop_name(j));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_random_spans),
		cmocka_unit_test(test_slice_limit),
		cmocka_unit_test(test_stop_names),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
