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

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "replay/frame_dsh.h"
#include "tests/dsh_script.h"
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
		buf_printf(b, "%s%" PRId64, i > 0 ? "," : "",
			   dsh_log_seq(&r->recording->dsh.log, r->dsh.gated.v[i]));
}

static void loop_text(const struct run *r, struct buf *b)
{
	const struct dsh_loop *l = &r->dsh.loop;
	buf_printf(b, "%zu of %zu", l->reinjected, l->foldings.n);
	for (size_t i = 0; i < l->pastes.n; i++)
		buf_printf(b, ", %" PRId64 " after %" PRId64 "/%" PRId64 " %s%s", dsh_log_seq(l->log, l->pastes.v[i].row),
			   l->pastes.v[i].dist_end, l->pastes.v[i].dist_checkpoint,
			   l->pastes.v[i].pure ? "pure" : "changed", l->pastes.v[i].weak ? " weak" : "");
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

/* What a run is asked for, by the member of the case that says what is expected. */
static const struct {
	const char *member;
	void (*put)(const struct run *r, struct buf *b);
} asked[] = {{"calls", calls_text},   {"nodes", nodes_text}, {"tokens", tokens_text},
	     {"gated", gated_text},   {"loop", loop_text},   {"counterfactual", counterfactual_text},
	     {"kernel", kernel_text}, {"window", window_text}};

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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(cases)};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
