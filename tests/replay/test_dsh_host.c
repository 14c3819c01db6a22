/*
 * The DSH host as a driver of a run: whole logs under both policies (rows of
 * dsh.md part 11, dsh-rulings), and that a run that is moved about shows the
 * surface that a straight replay showed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "replay/report/trace_dsh.h"
#include "replay/run.h"
#include "replay/view/dsh.h"
#include "replay/view/event.h"
#include "tests/dsh_script.h"
#include "tests/generate_dsh.h"
#include "tests/replayed.h"

/* ---- cases ---- */

/* One run of a case, and its trace of the calls as short texts. */
struct host_case {
	const cJSON *one;
	struct arena arena;
	struct replayed session;
	struct buf text;
};

static void put_asked(struct buf *b, const struct dsh_asked *a)
{
	buf_text(b, dsh_verdict_name((enum dsh_verdict)a->verdict));
	if (a->resolved[0] >= 0)
		buf_printf(b, " %" PRId64 "..%" PRId64, a->resolved[0], a->resolved[1]);
	for (uint32_t i = 0; i < a->hits_n; i++)
		buf_printf(b, "%s%" PRId64, i > 0 ? "," : " hits ", a->hits[i]);
	size_t n = 0;
	for (uint32_t i = 0; i < a->slices_n; i++)
		if (a->slices[i].state == DSH_SLICE_OFFERED)
			buf_printf(b, "%s%" PRId64 "..%" PRId64, n++ > 0 ? "," : " slices ", a->slices[i].first,
				   a->slices[i].last);
}

static void calls_text(const struct run *r, struct buf *b)
{
	for (size_t i = 0; i < r->compressions.n; i++) {
		uint32_t n;
		const struct dsh_asked *a = run_dsh_asked(r, i, &n);
		buf_text(b, i > 0 ? " | " : "");
		for (uint32_t k = 0; k < n; k++) {
			buf_text(b, k > 0 ? "; " : "");
			put_asked(b, &a[k]);
		}
		buf_printf(b, " -> %u", r->compressions.v[i].applied ? r->compressions.v[i].blocks : 0);
	}
}

/* The requests of all ranges, as the trace has them. */
static void requests_text(const struct run *r, struct buf *b)
{
	struct buf trace = {0};
	for (size_t i = 0; i < r->compressions.n; i++)
		trace_dsh_guard(r, i, &trace);
	struct str s = buf_view(&trace), name = STR("\"request\":"), end = STR(",\"verdict\"");
	for (size_t at = 0; (at = str_find(s, name, at)) != SIZE_MAX;) {
		size_t from = at + name.n;
		at = str_find(s, end, from);
		assert_true(at != SIZE_MAX);
		buf_text(b, b->n > 0 ? " " : "");
		buf_str(b, str_cut(s, from, at));
	}
	buf_free(&trace);
}

/* The checkpoint that each range of a call landed as. */
static void landings_text(const struct run *r, struct buf *b)
{
	const struct dsh_recording *rec = &r->recording->dsh;
	for (size_t i = 0; i < r->compressions.n; i++) {
		uint32_t n;
		const struct dsh_asked *a = run_dsh_asked(r, i, &n);
		for (uint32_t k = 0; k < n; k++) {
			buf_text(b, b->n > 0 ? "; " : "");
			if (a[k].landing == 0)
				buf_text(b, "none");
			else
				buf_printf(b, "%" PRId64,
					   dsh_log_seq(&rec->log, rec->landed.v[a[k].landing - 1].checkpoint));
		}
	}
}

static void nodes_text(const struct run *r, struct buf *b)
{
	const struct dsh_surface *s = &r->dsh.fold.surface;
	for (uint32_t row = dsh_surface_first(s); row != DSH_NONE; row = dsh_surface_next(s, row))
		buf_printf(b, "%s%" PRId64, b->n > 0 ? "," : "", dsh_log_seq(s->log, row));
}

static void tokens_text(const struct run *r, struct buf *b)
{
	for (size_t i = 0; i < r->timeline.turns.n; i++)
		buf_printf(b, "%s%.17g", i > 0 ? "," : "", r->timeline.turns.v[i].tokens);
}

static void gated_text(const struct run *r, struct buf *b)
{
	for (size_t i = 0; i < r->dsh.gated.n; i++)
		buf_printf(b, "%s%" PRId64, i > 0 ? "," : "", dsh_log_seq(&r->recording->dsh.log, r->dsh.gated.v[i]));
}

static void loop_text(const struct run *r, struct buf *b)
{
	const struct dsh_loop *l = &r->dsh.loop;
	buf_printf(b, "%zu of %zu", l->reinjected, l->foldings.n);
	for (size_t i = 0; i < l->pastes.n; i++)
		buf_printf(b, ", %" PRId64 " after %" PRId64 "/%" PRId64 " %s%s",
			   dsh_log_seq(l->log, l->pastes.v[i].row), l->pastes.v[i].dist_end,
			   l->pastes.v[i].dist_checkpoint, l->pastes.v[i].pure ? "pure" : "changed",
			   l->pastes.v[i].weak ? " weak" : "");
}

static void kernel_text(const struct run *r, struct buf *b)
{
	const struct state *s = &r->state;
	for (size_t i = 0; i < s->blocks.n; i++)
		buf_printf(b, "%s%s tier %d%s", i > 0 ? ", " : "", names_get(s->names, s->blocks.v[i].id).p,
			   s->blocks.v[i].tier, s->blocks.v[i].active ? "" : " off");
}

static void window_text(const struct run *r, struct buf *b)
{
	buf_printf(b, "%.17g %s", r->config.limit, r->limit_source);
}

static void counterfactual_text(const struct run *r, struct buf *b)
{
	buf_text(b, r->counterfactual == SIZE_MAX ? "no" : "yes");
}

static void agrees_text(const struct run *r, struct buf *b)
{
	for (size_t i = 0; i < r->compressions.n; i++) {
		int agrees = run_outcome_agrees(r, &r->compressions.v[i]);
		buf_printf(b, "%s%s", i > 0 ? "," : "", agrees < 0 ? "open" : agrees > 0 ? "yes" : "no");
	}
}

/* What is said of the ranges, and of the outcomes that were recorded. */
static void words_text(const struct run *r, struct buf *b)
{
	for (size_t i = 0; i < r->compressions.n; i++) {
		uint32_t n;
		const struct dsh_asked *a = run_dsh_asked(r, i, &n);
		for (uint32_t k = 0; k < n; k++) {
			buf_text(b, k > 0 ? "; " : "");
			dsh_asked_words(r, &r->compressions.v[i], &a[k], b);
		}
		buf_text(b, " | ");
		event_follow_words(r, &r->compressions.v[i], b);
	}
}

/* Compactions without a call that the guard has something against. */
static void outside_text(const struct run *r, struct buf *b)
{
	for (size_t i = 0; i < r->dsh.outside.n; i++) {
		buf_text(b, i > 0 ? "; " : "");
		put_asked(b, &r->dsh.outside.v[i].asked);
		buf_text(b, r->dsh.outside.v[i].refused ? " refused" : " followed");
	}
}

/* What a run is asked for, by the member of the case that says what is expected. */
static const struct {
	const char *member;
	void (*put)(const struct run *r, struct buf *b);
} asked[] = {{"calls", calls_text},       {"nodes", nodes_text},   {"tokens", tokens_text},
	     {"gated", gated_text},       {"loop", loop_text},     {"counterfactual", counterfactual_text},
	     {"kernel", kernel_text},     {"window", window_text}, {"requests", requests_text},
	     {"landings", landings_text}, {"agrees", agrees_text}, {"words", words_text},
	     {"outside", outside_text}};

static void start(struct host_case *c, const cJSON *run)
{
	struct policy policy;
	struct error e = {0};
	struct run_options o = {.limit = NAN, .config = json_get(c->one, "config")};
	policy_for_host(&policy, c->session.recording.host);
	enum status st = policy_profile(&policy, json_str(json_get(run, "profile")), &e);
	if (st == STATUS_OK && json_get(run, "policy"))
		st = policy_apply(&policy, json_str(json_get(run, "policy")), &e);
	if (st == STATUS_OK)
		st = run_init(&c->session.run, &c->session.recording, &policy, &o, &e);
	if (st != STATUS_OK)
		case_fail(c->one, "run: %s", e.message);
	replayed_finish(&c->session);
}

static void take_run(struct host_case *c, const cJSON *run)
{
	size_t n = 0;
	start(c, run);
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		const cJSON *want = json_get(run, asked[i].member);
		if (!want)
			continue;
		buf_cut(&c->text, 0);
		asked[i].put(&c->session.run, &c->text);
		case_expect_text(c->one, asked[i].member, buf_view(&c->text), json_str(want));
		n++;
	}
	if (n == 0)
		case_fail(c->one, "nothing is expected");
	run_free(&c->session.run);
}

/* The same in our own format: nothing may be lost (dsh-rulings 21). */
static void put_bytes(void *ctx, const char *bytes, size_t n) { buf_bytes(ctx, bytes, n); }

static void convert(struct host_case *c)
{
	struct buf out = {0};
	struct error e = {0};
	struct recording_writer w = {put_bytes, &out};
	if (recording_write(&c->session.recording, w, &e) != STATUS_OK)
		case_fail(c->one, "write: %s", e.message);
	replayed_close(&c->session);
	replayed_open(&c->session, buf_view(&out));
	buf_free(&out);
}

static void take_case(const cJSON *one, void *ctx)
{
	struct host_case c = {.one = one};
	struct buf log = {0};
	const cJSON *run;
	(void)ctx;
	dsh_script_write(&log, one, json_get(one, "log"));
	replayed_open(&c.session, buf_view(&log));
	if (!str_eq(c.session.recording.host, STR("dsh")) || c.session.recording.damage_count[DAMAGE_GAP] > 0)
		case_fail(one, "no whole DSH log");
	for (int converted = 0; converted < 2; converted++) {
		cJSON_ArrayForEach (run, json_get(one, "runs"))
			take_run(&c, run);
		if (!converted)
			convert(&c);
	}
	replayed_close(&c.session);
	arena_free(&c.arena);
	buf_free(&c.text);
	buf_free(&log);
}

static void cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/dsh_host.jsonl", take_case, NULL);
}

/* ---- the samples ---- */

static void open_sample(struct replayed *s, const char *path, const char *profile, const char *options)
{
	struct error e = {0};
	*s = (struct replayed){0};
	if (recording_load(&s->recording, path, NULL, &e) != STATUS_OK)
		fail_msg("%s: %s", path, e.message);
	replayed_start_with(s, profile, options ? str_of(options) : (struct str){NULL, 0});
	replayed_finish(s);
}

/* Compactions of calls that took in the newest copy of a file. */
static size_t current_folded(const struct run *r)
{
	const struct dsh_loop *l = &r->dsh.loop;
	size_t n = 0;
	for (size_t i = 0; i < l->foldings.n; i++) {
		bool newest = false;
		for (size_t k = 0; k < l->foldings.v[i].scopes_n; k++)
			newest = newest || l->scopes.v[l->foldings.v[i].scopes_at + k].newest;
		n += newest;
	}
	return n;
}

/* The figures of the requirement, and row 8 that comes back as row 53191. */
static void storm(void **state)
{
	struct replayed s;
	(void)state;
	open_sample(&s, "sample-sessions/dsh-storm.jsonl", "B0", NULL);
	const struct dsh_loop *l = &s.run.dsh.loop;
	assert_int_equal(l->foldings.n, 43);
	assert_int_equal(l->reinjected, 20);
	assert_int_equal(l->pastes.n, 20);
	assert_int_equal(dsh_log_seq(l->log, l->pastes.v[0].row), 53191);
	assert_int_equal(current_folded(&s.run), 20);
	const struct dsh_place *row8 = &s.run.dsh.fold.surface.places.v[dsh_log_find(l->log, 8)];
	assert_int_equal(row8->presence, DSH_SHADOWED);
	replayed_close(&s);
	open_sample(&s, "sample-sessions/dsh-storm.jsonl", "F1", "whatif=on");
	assert_int_equal(current_folded(&s.run), 0);
	assert_int_equal(s.run.dsh.loop.pastes.n, 0);
	assert_int_equal(s.run.dsh.gated.n, 20);
	assert_true(dsh_surface_find(&s.run.dsh.fold.surface, 8) != DSH_NONE);
	replayed_close(&s);
}

/* Mutation: without the guard the gate alone ends nothing, and the other way round. */
static void storm_by_halves(void **state)
{
	struct replayed s;
	(void)state;
	open_sample(&s, "sample-sessions/dsh-storm.jsonl", "F1", "follow=engine");
	assert_int_equal(current_folded(&s.run), 0);
	assert_int_equal(s.run.dsh.loop.reinjected, 0); /* pasted they are, but in answer to nothing */
	assert_int_equal(s.run.dsh.gated.n, 0);
	replayed_close(&s);
	open_sample(&s, "sample-sessions/dsh-storm.jsonl", "B0", "reinject=presence-gate");
	assert_int_equal(s.run.dsh.loop.reinjected, 20);
	assert_int_equal(s.run.dsh.gated.n, 0);
	replayed_close(&s);
}

/* G4: the numeric interval of the distillation holds the current copy, the span does not. */
static void distillation(void **state)
{
	struct replayed s;
	uint32_t n;
	(void)state;
	open_sample(&s, "sample-sessions/dsh-nonmonotonic.jsonl", "F1", "whatif=on");
	assert_int_equal(s.run.compressions.n, 3);
	const struct dsh_asked *a = run_dsh_asked(&s.run, 2, &n);
	assert_int_equal(n, 1);
	assert_int_equal(a->verdict, DSH_ACCEPTED);
	bool inside = false;
	for (size_t i = 0; i < s.recording.dsh.log.rows.n; i++) {
		const struct dsh_row *row = dsh_log_row(&s.recording.dsh.log, (uint32_t)i);
		inside = inside || (row->changes_n > 0 && row->seq > a->resolved[0] && row->seq < a->resolved[1]);
	}
	assert_true(inside);
	assert_int_equal(s.run.counterfactual, SIZE_MAX);
	replayed_close(&s);
}

/* ---- generated logs ---- */

enum { GENERATED = 60, GENERATED_STEPS = 60, GENERATED_SEEKS = 150 };

static size_t draw(uint64_t *x, size_t n)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return (size_t)(*x % n);
}

/* ---- what a straight replay shows ---- */

static uint64_t print_text(uint64_t h, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	return h;
}

/* The surface, and the kernel's state as it is stored. */
static uint64_t surface_print(const struct run *r)
{
	const struct dsh_surface *s = &r->dsh.fold.surface;
	uint64_t h = 1469598103934665603u;
	double tokens = 0;
	for (uint32_t row = dsh_surface_first(s); row != DSH_NONE; row = dsh_surface_next(s, row)) {
		h = (h ^ (row + 1)) * 1099511628211u;
		tokens += dsh_row_display(dsh_log_row(s->log, row));
	}
	assert_true(tokens == run_dsh_tokens(r));
	for (size_t i = 0; i < r->state.rows.n; i++)
		h = (h ^ (r->state.rows.v[i] + 1)) * 1099511628211u;
	struct buf state = {0};
	state_write(&r->state, &state);
	h = print_text(h, buf_view(&state));
	buf_free(&state);
	return (h ^ r->dsh.fold.scopes.baselines.n) * 1099511628211u;
}

static void start_generated(struct replayed *s, const cJSON *config, const char *profile, const char *options)
{
	struct policy policy;
	policy_for_host(&policy, s->recording.host);
	assert_int_equal(policy_profile(&policy, str_of(profile), NULL), STATUS_OK);
	if (options)
		assert_int_equal(policy_apply(&policy, str_of(options), NULL), STATUS_OK);
	assert_int_equal(
		run_init(&s->run, &s->recording, &policy, &(struct run_options){.limit = NAN, .config = config}, NULL),
		STATUS_OK);
	s->has_run = true;
}

/* What is left out is neither on the surface nor in the kernel's list. */
static void check_left_out(const struct run *r)
{
	for (size_t i = 0; i < r->state.rows.n; i++)
		assert_false(run_dsh_leaves_out(r, r->state.rows.v[i]));
	for (uint32_t row = 0; row < r->dsh.fates.n; row++)
		if (r->dsh.fates.v[row] == DSH_LEFT_OUT)
			assert_int_equal(dsh_surface_presence(&r->dsh.fold.surface, row), DSH_UNTOLD);
}

/* Followed as recorded, the surface is that of the log. */
static void check_recorded(const struct run *r)
{
	struct dsh_fold alone;
	struct dsh_rows want = {0}, got = {0};
	dsh_fold_init(&alone, &r->recording->dsh.log, &r->dsh.fold.rules);
	for (uint32_t row = 0; row < r->recording->dsh.log.rows.n; row++)
		dsh_fold_tell(&alone, row);
	dsh_surface_list(&alone.surface, &want);
	dsh_surface_list(&r->dsh.fold.surface, &got);
	assert_int_equal(got.rows.n, want.rows.n);
	for (size_t i = 0; i < want.rows.n; i++)
		assert_int_equal(got.rows.v[i], want.rows.v[i]);
	vec_free(&want.rows);
	vec_free(&got.rows);
	dsh_fold_free(&alone);
}

/* With the guard deciding, no range with a current copy is given to the kernel. */
static void check_guarded(const struct run *r, size_t *guarded)
{
	for (size_t i = 0; i < r->dsh.asked.n; i++) {
		const struct dsh_asked *a = &r->dsh.asked.v[i];
		*guarded += a->verdict == DSH_GUARDED;
		if (a->verdict == DSH_GUARDED)
			assert_true(a->kernel == UINT32_MAX && a->hits_n > 0);
	}
}

static uint64_t walk(struct replayed *s, const cJSON *config, const char *profile, const char *options, uint64_t seed,
		     size_t *guarded)
{
	VEC(uint64_t) before = {0};
	size_t n = s->recording.records.n;
	uint64_t random = seed * 2 + 1;
	start_generated(s, config, profile, options);
	vec_push(&before, surface_print(&s->run));
	while (run_step(&s->run, 1))
		vec_push(&before, surface_print(&s->run));
	vec_push(&before, surface_print(&s->run));
	assert_int_equal(before.n, n + 1);
	if (s->run.dsh.engine)
		check_guarded(&s->run, guarded);
	check_left_out(&s->run);
	if (!s->run.dsh.engine && !s->run.dsh.gate)
		check_recorded(&s->run);
	for (int i = 0; i < GENERATED_SEEKS; i++) {
		size_t to = draw(&random, n + 1);
		run_seek(&s->run, to);
		assert_true(surface_print(&s->run) == before.v[to]);
	}
	uint64_t hash = s->run.chain.hash;
	vec_free(&before);
	run_free(&s->run);
	s->has_run = false;
	return hash;
}

static const struct {
	const char *profile, *options;
} policies[] = {
	{"B0", NULL}, {"F1", NULL}, {"F1", "whatif=on"}, {"B0", "follow=engine"}, {"F1", "reinject=presence-gate"},
};
enum { POLICIES = sizeof policies / sizeof *policies };

static const cJSON *no_limits(struct arena *a)
{
	return json_tree(a,
			 STR("{\"compress\":{\"minCompressRange\":0,\"minSummaryLength\":0},"
			     "\"preserveRecentMessages\":0,\"preserveRecentTokens\":0}"),
			 NULL, NULL);
}

static void generated(void **state)
{
	struct arena arena = {0};
	const cJSON *config = no_limits(&arena);
	size_t guarded = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= GENERATED; seed++) {
		struct host_case c = {.one = NULL};
		struct buf log = {0};
		uint64_t hash[POLICIES];
		generate_dsh(seed, GENERATED_STEPS, &log);
		replayed_open(&c.session, buf_view(&log));
		for (int i = 0; i < POLICIES; i++)
			hash[i] = walk(&c.session, config, policies[i].profile, policies[i].options, seed, &guarded);
		convert(&c);
		for (int i = 0; i < POLICIES; i++)
			assert_true(walk(&c.session, config, policies[i].profile, policies[i].options, seed,
					 &guarded) == hash[i]);
		replayed_close(&c.session);
		buf_free(&log);
	}
	arena_free(&arena);
	assert_true(guarded > GENERATED); /* or nothing was tried */
}

/* The log in our own format with the first state put back every so many records (recording.md, state). */
static void with_states(struct host_case *c, const cJSON *config, struct buf *out)
{
	enum { EVERY = 10 };
	struct buf stored = {0};
	struct error e = {0};
	struct recording_writer w = {put_bytes, &c->text};
	start_generated(&c->session, config, "F1", NULL);
	state_write(&c->session.run.state, &stored);
	buf_cut(&c->text, 0);
	assert_int_equal(recording_write(&c->session.recording, w, &e), STATUS_OK);
	struct str rest = buf_view(&c->text);
	for (size_t line = 0; rest.n > 0; line++) {
		size_t end = str_find(rest, STR("\n"), 0);
		buf_str(out, str_cut(rest, 0, end + 1));
		rest = str_cut(rest, end + 1, rest.n);
		if (line % EVERY == EVERY - 1)
			buf_printf(out, "{\"type\":\"state\",\"state\":%.*s}\n", (int)stored.n, stored.p);
	}
	buf_free(&stored);
}

/* More kernel states than are kept: going back makes them again, without what was left out. */
static void states(void **state)
{
	struct arena arena = {0};
	const cJSON *config = no_limits(&arena);
	size_t guarded = 0, epochs = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= GENERATED / 6; seed++) {
		struct host_case c = {.one = NULL};
		struct buf log = {0}, text = {0};
		generate_dsh(seed, GENERATED_STEPS, &log);
		replayed_open(&c.session, buf_view(&log));
		with_states(&c, config, &text);
		replayed_close(&c.session);
		replayed_open(&c.session, buf_view(&text));
		for (size_t i = 0; i < c.session.recording.records.n; i++)
			epochs += c.session.recording.records.v[i].type == RECORD_STATE;
		for (int i = 0; i < POLICIES; i++)
			walk(&c.session, config, policies[i].profile, policies[i].options, seed, &guarded);
		replayed_close(&c.session);
		buf_free(&log);
		buf_free(&text);
		buf_free(&c.text);
	}
	arena_free(&arena);
	assert_true(epochs > 8 * (GENERATED / 6)); /* each log has more than are kept beside the present one */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),        cmocka_unit_test(storm),     cmocka_unit_test(storm_by_halves),
		cmocka_unit_test(distillation), cmocka_unit_test(generated), cmocka_unit_test(states),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
