/* dsh_loop, dsh_gate: dsh.md 10, dsh-rulings 3, 4, 11, rows D of part 11. Cases: tests/cases/dsh.jsonl. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/base/num.h"
#include "engine/host/dsh_gate.h"
#include "engine/host/dsh_loop.h"
#include "tests/case_file.h"
#include "tests/dsh_script.h"

static void expect_json(const cJSON *one, const char *what, struct buf *got, const cJSON *want)
{
	struct buf text = {0};
	if (want) {
		json_put(&text, want);
		case_expect_text(one, what, buf_view(got), buf_view(&text));
	}
	buf_free(&text);
	buf_free(got);
}

static void expect_number(const cJSON *one, const cJSON *want, const char *what, double got)
{
	const cJSON *number = json_get(want, what);
	if (number && number->valuedouble != got)
		case_fail(one, "%s is %g", what, got);
}

/* As scripts write them. */
static void put_scope(struct buf *b, struct str name)
{
	if (str_starts(name, STR(".\xC0\x80")))
		name = STR("ROOT");
	if (str_starts(name, STR("worktrees/")))
		name = STR("WT");
	json_put_str(b, name);
}

static void put_pastes(struct buf *b, const struct dsh_loop *l)
{
	buf_char(b, '[');
	for (size_t i = 0; i < l->pastes.n; i++) {
		const struct dsh_paste *p = &l->pastes.v[i];
		buf_printf(b, "%s[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",\"%s\",\"%s\"]", i ? "," : "",
			   dsh_log_seq(l->log, p->row), l->foldings.v[p->folding].end, p->dist_end, p->dist_checkpoint,
			   p->pure ? "pure" : "changed",
			   p->weak     ? "weak"
			   : p->within ? "near"
				       : "later");
	}
	buf_char(b, ']');
}

static void check_loop(struct dsh_case *c, struct dsh_loop *l)
{
	const cJSON *want = json_get(c->one, "loop"), *k = json_get(want, "k"), *percent = json_get(want, "percent");
	struct buf pastes = {0}, chains = {0};
	char ratio[NUM_TEXT_MAX];
	dsh_loop_judge(l, k ? 1000000 : 0); /* judged anew each time */
	dsh_loop_judge(l, k ? (int64_t)k->valuedouble : DSH_WITHIN);
	put_pastes(&pastes, l);
	expect_json(c->one, "pastes", &pastes, json_get(want, "pastes"));
	buf_char(&chains, '[');
	for (size_t i = 0; i < l->chains.n; i++) {
		buf_text(&chains, i ? ",[" : "[");
		put_scope(&chains, names_get(&c->log.names, l->chains.v[i].scope));
		buf_printf(&chains, ",%zu]", l->chains.v[i].length);
	}
	buf_char(&chains, ']');
	expect_json(c->one, "chains", &chains, json_get(want, "chains"));
	expect_number(c->one, want, "n", (double)l->foldings.n);
	expect_number(c->one, want, "near", (double)l->reinjected);
	expect_number(c->one, want, "near_checkpoint", (double)l->reinjected_checkpoint);
	expect_number(c->one, want, "later", (double)l->reinjected_later);
	expect_number(c->one, want, "wasted", l->wasted);
	if (percent) {
		num_fixed1(ratio, 100.0 * (double)l->reinjected / (double)l->foldings.n);
		case_expect_text(c->one, "ratio", str_of(ratio), json_str(percent));
	}
}

static void check_gate(struct dsh_case *c)
{
	static const char *const wants[] = {"nothing", "all", "some"};
	const cJSON *want;
	cJSON_ArrayForEach (want, json_get(c->one, "gate")) {
		uint32_t row = dsh_log_find(&c->log, (int64_t)want->child->valuedouble);
		dsh_case_go(c, dsh_log_seq(&c->log, row) - 1);
		if (dsh_gate_drops(&c->fold, row) != (bool)cJSON_IsTrue(want->child->next))
			case_fail(c->one, "row %g", want->child->valuedouble);
		dsh_case_go(c, INT64_MAX);
	}
	want = json_get(c->one, "wants");
	if (!want)
		return;
	struct dsh_wants w = {0};
	struct buf scopes = {0};
	case_expect_text(c->one, "wants", str_of(wants[dsh_gate_wants(&c->fold, &w)]), json_str(want->child));
	buf_char(&scopes, '[');
	for (size_t i = 0; i < w.scopes.n; i++) {
		if (i)
			buf_char(&scopes, ',');
		put_scope(&scopes, names_get(&c->log.names, w.scopes.v[i]));
	}
	buf_char(&scopes, ']');
	expect_json(c->one, "scopes", &scopes, want->child->next);
	dsh_wants_free(&w);
}

static void run_case(const cJSON *one, void *ctx)
{
	struct dsh_case c;
	struct dsh_loop l;
	struct dsh_rules rules = dsh_case_rules(one, json_str(json_get(one, "profile")));
	(void)ctx;
	dsh_case_open(&c, one, &rules);
	check_gate(&c);
	dsh_case_go(&c, -1);
	dsh_loop_init(&l, &c.log);
	for (size_t i = 0; i < c.log.rows.n; i++) {
		dsh_loop_tell(&l, &c.fold, (uint32_t)i);
		dsh_fold_tell(&c.fold, (uint32_t)i);
	}
	if (json_get(one, "loop"))
		check_loop(&c, &l);
	dsh_loop_free(&l);
	dsh_case_close(&c);
}

static void cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/dsh.jsonl", run_case, NULL);
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
		cmocka_unit_test(generated),
	};
	if (argc > 1)
		generated_path = argv[1];
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
