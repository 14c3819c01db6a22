/* pi_nudge: pi.md 3.8. Cases: tests/cases/pi_nudge.jsonl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/host/pi_nudge.h"
#include "tests/fixture.h"

static double number_of(const cJSON *object, const char *member, double otherwise)
{
	double x = otherwise;
	json_num(json_get(object, member), &x);
	return x;
}

/* ---- when it is sent ---- */

struct session {
	const cJSON *one;
	struct config config;
	struct names names;
	struct pi_nudge_memory memory;
};

static void attempt(struct session *s, struct str word)
{
	static const struct str words[] = {STR("applied"), STR("failed"), STR("empty")};
	for (unsigned i = 0; i < 3; i++) {
		if (!str_eq(word, words[i]))
			continue;
		pi_nudge_attempt(&s->memory, (enum pi_nudge_attempt)i);
		return;
	}
	case_fail(s->one, "no such attempt: %s", word.p);
}

static void turn(struct session *s, const cJSON *step)
{
	struct nudge_decision d = {.inject = !cJSON_IsFalse(json_get(step, "inject"))};
	enum pi_nudge_verdict v = pi_nudge_decide(&s->memory, &d, number_of(step, "usage", 0.5),
						  number_of(step, "tokens", 0), &s->config);
	struct str want = json_str(json_get(step, "want"));
	case_expect_text(s->one, "verdict", str_of(pi_nudge_verdict_name(v)), want);
	if (pi_nudge_sent(v) != str_starts(want, STR("sent-")))
		case_fail(s->one, "sent is %d", pi_nudge_sent(v));
}

static void steps_one(const cJSON *one)
{
	struct session s = {.one = one, .config = config_default(150000)};
	struct arena a = {0};
	struct error e = {0};
	const cJSON *step;
	names_init(&s.names);
	if (config_merge(&s.config, json_get(one, "config"), &a, NULL, &e) != STATUS_OK)
		case_fail(one, "%s", e.message);
	cJSON_ArrayForEach (step, json_get(one, "steps")) {
		const cJSON *user = json_get(step, "user");
		if (user)
			pi_nudge_user(&s.memory, cJSON_IsNull(user) ? 0 : names_add(&s.names, json_str(user)));
		else if (json_get(step, "attempt"))
			attempt(&s, json_str(json_get(step, "attempt")));
		else if (json_get(step, "restart"))
			pi_nudge_forget(&s.memory);
		else
			turn(&s, step);
	}
	names_free(&s.names);
	arena_free(&a);
}

/* ---- what it says ---- */

static void read_ranges(const cJSON *one, struct fixture *f, struct recommendation *rec)
{
	const cJSON *r, *tool;
	cJSON_ArrayForEach (r, json_get(one, "open"))
		vec_push(&rec->recommended, (struct range){.start = (uint32_t)number_of(r, "start", 0),
							   .end = (uint32_t)number_of(r, "end", 0),
							   .count = (uint32_t)number_of(r, "count", 0),
							   .tokens = number_of(r, "tokens", 0),
							   .tool_pct = (int)number_of(r, "toolPct", 0),
							   .dangerous = cJSON_IsTrue(json_get(r, "dangerous"))});
	cJSON_ArrayForEach (r, json_get(one, "guarded")) {
		struct protected_range p = {.start = (uint32_t)number_of(r, "start", 0),
					    .end = (uint32_t)number_of(r, "end", 0),
					    .count = (uint32_t)number_of(r, "count", 0),
					    .tokens = number_of(r, "tokens", 0),
					    .tools_at = (uint32_t)rec->tools.n};
		cJSON_ArrayForEach (tool, json_get(r, "tools"))
			vec_push(&rec->tools, names_add(&f->names, json_str(tool)));
		p.tools_n = (uint32_t)rec->tools.n - p.tools_at;
		vec_push(&rec->protected_ranges, p);
	}
}

static void read_decision(const cJSON *node, struct nudge_decision *d)
{
	const cJSON *target, *c = json_get(node, "context");
	double x[6] = {0};
	for (int i = 0; i < 6; i++)
		json_num(cJSON_GetArrayItem(c, i), &x[i]);
	d->inject = true;
	d->tier = (int)number_of(node, "tier", 1);
	d->n.over_limit = cJSON_IsTrue(json_get(node, "loud"));
	d->context = (struct nudge_context){
		.system = x[0], .tool = x[1], .summaries = x[2], .code = x[3], .text = x[4], .growth = x[5]};
	cJSON_ArrayForEach (target, json_get(node, "targets"))
		vec_push(&d->targets, (uint32_t)target->valuedouble);
}

static struct str line_of(struct str text, long number)
{
	size_t at = 0;
	for (; number > 0 && at < text.n; number--) {
		size_t end = str_find(text, STR("\n"), at);
		at = end == SIZE_MAX ? text.n : end + 1;
	}
	return str_cut(text, at, str_find(text, STR("\n"), at));
}

static void expect_pieces(const cJSON *one, struct str text)
{
	const cJSON *piece;
	size_t at = 0;
	cJSON_ArrayForEach (piece, json_get(one, "has")) {
		at = str_find(text, json_str(piece), at);
		if (at == SIZE_MAX)
			case_fail(one, "does not have, or not in this order: %s", piece->valuestring);
	}
	cJSON_ArrayForEach (piece, json_get(one, "lacks"))
		if (str_find(text, json_str(piece), 0) != SIZE_MAX)
			case_fail(one, "has %s", piece->valuestring);
}

static void expect_lines(const cJSON *one, struct str text)
{
	const cJSON *line;
	size_t lines = 1;
	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	if (json_get(one, "count"))
		case_expect_count(one, "lines", lines, (size_t)number_of(one, "count", 0));
	cJSON_ArrayForEach (line, json_get(one, "lines"))
		case_expect_text(one, line->string, line_of(text, strtol(line->string, NULL, 10)), json_str(line));
}

static void text_one(const cJSON *one)
{
	struct fixture f;
	struct nudge_decision d = {0};
	struct recommendation rec = {0};
	struct buf b = {0};
	struct pi_prompts prompts = {.text = {STR("P"), STR("H")}};
	fixture_build(&f, one);
	read_ranges(one, &f, &rec);
	read_decision(json_get(one, "decision"), &d);
	struct pi_nudge_source source = {&d, &rec, &f.state, &prompts, true};
	pi_nudge_put(&source, &b);
	expect_lines(one, buf_view(&b));
	expect_pieces(one, buf_view(&b));
	/* without the line the rest is the same */
	struct buf line = {0}, bare = {0};
	pi_nudge_put_blocks(&f.state, &line);
	source.blocks = false;
	pi_nudge_put(&source, &bare);
	if (line.n > 0)
		buf_cut(&b, b.n - line.n - 2);
	case_expect_text(one, "without the line", buf_view(&bare), buf_view(&b));
	buf_free(&line);
	buf_free(&bare);
	buf_free(&b);
	vec_free(&d.targets);
	recommend_free(&rec);
	fixture_free(&f);
}

static void line_one(const cJSON *one)
{
	struct fixture f;
	struct buf b = {0};
	fixture_build(&f, one);
	pi_nudge_put_blocks(&f.state, &b);
	case_expect_text(one, "line", buf_view(&b), json_str(json_get(one, "line")));
	buf_free(&b);
	fixture_free(&f);
}

static void case_one(const cJSON *one, void *ctx)
{
	(void)ctx;
	if (json_get(one, "steps"))
		steps_one(one);
	else if (json_get(one, "line"))
		line_one(one);
	else
		text_one(one);
}

static void test_cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/pi_nudge.jsonl", case_one, NULL);
}

/* 0.45 x 50000 and not the floor of 20000 (#316) */
static void test_repeat(void **state)
{
	struct config c = config_default(150000);
	(void)state;
	assert_true(pi_nudge_repeat(&c) == 22500);
	c.min_growth_floor = 22501;
	assert_true(pi_nudge_repeat(&c) == 22501);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_repeat),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
