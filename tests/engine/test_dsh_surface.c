/* dsh_row, dsh_surface, dsh_class: dsh.md 1, 2, 4, rows S and C of part 11. The cases are data: tests/cases/dsh.jsonl.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/case_file.h"
#include "tests/dsh_script.h"

static void expect_nodes(struct dsh_case *c, const cJSON *step)
{
	struct buf got = {0}, want = {0};
	dsh_case_go(c, (int64_t)step->child->valuedouble);
	dsh_case_nodes(c, &got);
	json_put(&want, step->child->next);
	case_expect_text(c->one, "nodes", buf_view(&got), buf_view(&want));
	buf_free(&got);
	buf_free(&want);
}

/* Forward, and back again over what was told after it. */
static void check_steps(struct dsh_case *c)
{
	const cJSON *step, *steps = json_get(c->one, "steps");
	if (!steps)
		return;
	dsh_case_go(c, -1);
	cJSON_ArrayForEach (step, steps)
		expect_nodes(c, step);
	for (step = steps->child->prev;; step = step->prev) {
		expect_nodes(c, step);
		if (step == steps->child)
			break;
	}
	dsh_case_go(c, -1);
	case_expect_count(c->one, "nodes of nothing", c->fold.surface.nodes, 0);
	dsh_case_go(c, INT64_MAX);
}

static void check_states(struct dsh_case *c)
{
	const struct dsh_surface *s = &c->fold.surface;
	const cJSON *state;
	cJSON_ArrayForEach (state, json_get(c->one, "states")) {
		uint32_t row = dsh_log_find(&c->log, (int64_t)state->child->valuedouble);
		char got[64] = "node";
		if (dsh_surface_presence(s, row) == DSH_NEVER)
			snprintf(got, sizeof got, "never");
		if (dsh_surface_presence(s, row) == DSH_SHADOWED)
			snprintf(got, sizeof got, "shadowed by %d", (int)dsh_log_seq(&c->log, s->places.v[row].by));
		case_expect_text(c->one, "state", str_of(got), json_str(state->child->next));
	}
}

static uint32_t row_of(struct dsh_case *c, const cJSON *pair)
{
	uint32_t row = dsh_log_find(&c->log, (int64_t)pair->child->valuedouble);
	if (row == DSH_NONE)
		case_fail(c->one, "no row %g", pair->child->valuedouble);
	return row;
}

static void check_folds(struct dsh_case *c)
{
	static const char *const names[] = {"folded", "start missing", "end missing", "start after end", "none"};
	const cJSON *pair;
	cJSON_ArrayForEach (pair, json_get(c->one, "folds")) {
		uint32_t row = row_of(c, pair);
		dsh_case_go(c, dsh_log_seq(&c->log, row) - 1);
		case_expect_text(c->one, "fold", str_of(names[dsh_fold_tell(&c->fold, row)]),
				 json_str(pair->child->next));
		dsh_case_go(c, INT64_MAX);
	}
}

static void check_problems(struct dsh_case *c)
{
	const cJSON *pair;
	cJSON_ArrayForEach (pair, json_get(c->one, "problems")) {
		struct dsh_op_report report;
		struct buf got = {0}, want = {0};
		uint32_t row = row_of(c, pair);
		const cJSON *seq = pair->child->next->next;
		dsh_case_go(c, dsh_log_seq(&c->log, row) - 1);
		dsh_surface_check(&c->fold.surface, row, &report);
		buf_char(&got, '[');
		for (int p = 0; p < DSH_OP_PROBLEMS; p++) {
			if (!(report.problems >> p & 1))
				continue;
			if (got.n > 1)
				buf_char(&got, ',');
			json_put_str(&got, str_of(dsh_op_problem_name((enum dsh_op_problem)p)));
		}
		buf_char(&got, ']');
		json_put(&want, pair->child->next);
		case_expect_text(c->one, "problems", buf_view(&got), buf_view(&want));
		if (seq && report.seq != (int64_t)seq->valuedouble)
			case_fail(c->one, "seq %d", (int)report.seq);
		buf_free(&got);
		buf_free(&want);
		dsh_case_go(c, INT64_MAX);
	}
}

static void check_cites(struct dsh_case *c)
{
	const cJSON *pair;
	cJSON_ArrayForEach (pair, json_get(c->one, "cites")) {
		const struct dsh_row *r = dsh_log_row(&c->log, row_of(c, pair));
		struct buf got = {0}, want = {0};
		int64_t seqs[32];
		size_t n = 0;
		for (int64_t seq = 0; seq < 32; seq++)
			if (dsh_row_cites(r, seq))
				seqs[n++] = seq;
		dsh_put_seqs(&got, seqs, n);
		json_put(&want, pair->child->next);
		case_expect_text(c->one, "cites", buf_view(&got), buf_view(&want));
		buf_free(&got);
		buf_free(&want);
	}
}

/* want: class, user turn, agent-instructions, one after the other. */
static void expect_traits(const cJSON *one, const struct dsh_traits *t, const cJSON *want, struct str what)
{
	if (!str_eq(str_of(dsh_class_name((enum dsh_class)t->class)), json_str(want)) ||
	    t->user_turn != (bool)cJSON_IsTrue(want->next) || t->agent != (bool)cJSON_IsTrue(want->next->next))
		case_fail(one, "%.*s is %s, user turn %d, agent-instructions %d", (int)what.n, what.p,
			  dsh_class_name((enum dsh_class)t->class), t->user_turn, t->agent);
}

static void check_classes(struct dsh_case *c)
{
	const cJSON *one;
	cJSON_ArrayForEach (one, json_get(c->one, "classes"))
		expect_traits(c->one, dsh_fold_traits(&c->fold, row_of(c, one)), one->child->next, STR("a row"));
}

static void check_sources(struct dsh_case *c)
{
	const cJSON *pair;
	int64_t seq = 0;
	cJSON_ArrayForEach (pair, json_get(c->one, "source_table")) {
		struct arena a = {0};
		struct buf text = {0};
		struct dsh_row r;
		struct dsh_traits t;
		buf_text(&text, "{\"content\":[]");
		if (!cJSON_IsNull(pair->child)) {
			buf_text(&text, ",\"source\":");
			json_put(&text, pair->child);
		}
		buf_char(&text, '}');
		struct dsh_event e = {.type = STR("user/message"), .seq = seq++};
		e.data = json_tree(&a, buf_view(&text), NULL, NULL);
		dsh_row_parse(&c->log, &e, &r);
		t = dsh_classify(&c->log, &r, c->fold.rules.sources);
		expect_traits(c->one, &t, pair->child->next, buf_view(&text));
		buf_free(&text);
		arena_free(&a);
	}
}

static void run_case(const cJSON *one, void *ctx)
{
	struct dsh_case c;
	struct dsh_rules rules = dsh_case_rules(one, json_str(json_get(one, "profile")));
	(void)ctx;
	dsh_case_open(&c, one, &rules);
	check_steps(&c);
	check_states(&c);
	check_folds(&c);
	check_problems(&c);
	check_cites(&c);
	check_classes(&c);
	check_sources(&c);
	dsh_case_close(&c);
}

static void cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/dsh.jsonl", run_case, NULL);
}

/*
 * A random walk to and fro, with replacements anywhere: every step back must
 * give what was there, checked against a list that is kept the plain way.
 */
enum { WALK = 400, WALK_FORTH = 12, WALK_BACK = 10 };

struct plain_nodes {
	VEC(int64_t) v;
};

static void plain_tell(struct plain_nodes *p, const struct dsh_row *r)
{
	size_t a = SIZE_MAX, b = SIZE_MAX;
	if (r->op == DSH_APPEND) {
		vec_push(&p->v, r->seq);
		return;
	}
	for (size_t i = 0; i < p->v.n && r->op == DSH_REPLACE; i++) {
		if (p->v.v[i] == r->start)
			a = i;
		if (p->v.v[i] == r->end)
			b = i;
	}
	if (a == SIZE_MAX || b == SIZE_MAX || a > b)
		return;
	p->v.v[a] = r->seq;
	memmove(p->v.v + a + 1, p->v.v + b + 1, (p->v.n - b - 1) * sizeof *p->v.v);
	p->v.n -= b - a;
}

static void expect_plain(const struct dsh_fold *f, int64_t seq)
{
	struct plain_nodes p = {0};
	size_t i = 0;
	uint32_t last = DSH_NONE;
	for (size_t k = 0; k < f->log->rows.n && f->log->rows.v[k].seq <= seq; k++)
		plain_tell(&p, &f->log->rows.v[k]);
	assert_int_equal(f->surface.nodes, p.v.n);
	for (uint32_t row = dsh_surface_first(&f->surface); row != DSH_NONE; row = dsh_surface_next(&f->surface, row)) {
		assert_true(i < p.v.n && dsh_log_seq(f->log, row) == p.v.v[i]);
		assert_true(dsh_surface_prev(&f->surface, row) == last);
		last = row;
		i++;
	}
	assert_int_equal(i, p.v.n);
	vec_free(&p.v);
}

static void walks(void **state)
{
	uint32_t seed = 1;
	(void)state;
	for (int round = 0; round < 40; round++) {
		struct dsh_log log;
		struct dsh_fold f;
		struct dsh_rules rules = dsh_rules_f1();
		dsh_log_init(&log, 0);
		for (int64_t seq = 0; seq < WALK; seq++) {
			struct arena a = {0};
			char op[96] = "\"append\"";
			seed = seed * 1664525u + 1013904223u;
			int64_t from = seq ? (int64_t)(seed >> 8) % seq : 0, to = from + (int64_t)(seed >> 4) % 9 - 1;
			if (seed >> 28 < 5)
				snprintf(op, sizeof op, "{\"op\":\"replace\",\"start\":%d,\"end\":%d}", (int)from,
					 (int)to);
			struct dsh_event e = {.type = STR("user/message"), .seq = seq};
			e.op = json_tree(&a, str_of(op), NULL, NULL);
			assert_true(dsh_log_add(&log, &e) != DSH_NONE);
			arena_free(&a);
		}
		dsh_fold_init(&f, &log, &rules);
		while (f.surface.told.n < log.rows.n) {
			size_t forth = 1 + (seed = seed * 1664525u + 1013904223u) % WALK_FORTH, back = seed >> 24;
			for (; forth && f.surface.told.n < log.rows.n; forth--)
				dsh_fold_tell(&f, (uint32_t)f.surface.told.n);
			expect_plain(&f, f.surface.last);
			for (back %= WALK_BACK; back && f.surface.told.n; back--)
				dsh_fold_untell(&f);
			expect_plain(&f, f.surface.last);
		}
		dsh_fold_free(&f);
		dsh_log_free(&log);
	}
}

/* By tests/oracle/dsh.mjs; another file of its making may be named on the command line. */
static const char *generated_path = "tests/cases/dsh_generated.jsonl";

static void generated(void **state)
{
	(void)state;
	case_file_each(generated_path, run_case, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),
		cmocka_unit_test(walks),
		cmocka_unit_test(generated),
	};
	if (argc > 1)
		generated_path = argv[1];
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
