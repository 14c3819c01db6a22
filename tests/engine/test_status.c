/* engine/kernel/status: the data of kernel.md 8.6 and 8.7; cases: tests/cases/status.jsonl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "engine/kernel/status.h"
#include "tests/fixture.h"

struct question {
	struct fixture *f;
	const cJSON *one;
	struct status_report report;
	struct buf *answer;
};

static double number(const struct question *q, const char *member, double otherwise)
{
	double x = otherwise;
	json_num(json_get(q->one, member), &x);
	return x;
}

static void put_number(struct question *q, const char *before, double x, const char *behind)
{
	buf_text(q->answer, before);
	json_put_num(q->answer, x);
	buf_text(q->answer, behind);
}

static void put_name(struct question *q, uint32_t name) { buf_str(q->answer, names_get(&q->f->names, name)); }

static void put_tool(struct question *q, uint32_t tool)
{
	buf_text(q->answer, " tool=");
	if (tool == STATUS_TOOL_TEXT)
		buf_text(q->answer, "text");
	else
		put_name(q, tool);
}

static void put_ref(struct question *q, uint32_t ref)
{
	char out[REF_TEXT_MAX];
	buf_str(q->answer, state_ref_text(&q->f->state, ref, out));
}

static void ask_percent(struct question *q)
{
	const cJSON *pair;
	cJSON_ArrayForEach (pair, json_get(q->one, "of"))
		put_number(q, q->answer->n > 0 ? " " : "",
			   status_percent(pair->child->valuedouble, pair->child->next->valuedouble), "");
}

static void ask_totals(struct question *q)
{
	const struct status_report *r = &q->report;
	double all = r->tool + r->text + r->summaries;
	const struct {
		const char *name;
		double x;
	} parts[] = {{"tool ", r->tool}, {" text ", r->text}, {" summaries ", r->summaries}};
	for (size_t i = 0; i < 3; i++) {
		put_number(q, parts[i].name, parts[i].x, " ");
		put_number(q, "", status_percent(parts[i].x, all), "%");
	}
}

static void ask_spans(struct question *q)
{
	for (size_t i = 0; i < q->report.spans.n; i++) {
		const struct status_span *x = &q->report.spans.v[i];
		buf_text(q->answer, i > 0 ? "; " : "");
		put_ref(q, x->start);
		if (x->end != x->start) {
			buf_char(q->answer, '-');
			put_ref(q, x->end);
		}
		put_number(q, " n=", x->count, "");
		put_number(q, " size=", x->tokens, " avg=");
		if (x->count > 1)
			put_number(q, "", status_average(x), "");
		else
			buf_char(q->answer, '-');
		put_tool(q, x->tool);
	}
}

static void ask_messages(struct question *q)
{
	uint32_t *order = status_by_tokens(&q->report, &q->f->arena);
	for (size_t i = 0; i < q->report.messages.n; i++) {
		const struct status_message *m = &q->report.messages.v[order[i]];
		buf_text(q->answer, i > 0 ? "; " : "");
		put_ref(q, m->ref);
		put_number(q, " size=", m->tokens, "");
		put_tool(q, m->tool);
	}
}

static void ask_blocks(struct question *q)
{
	uint32_t *order = status_by_size(&q->report, &q->f->state, &q->f->arena);
	for (size_t i = 0; i < q->report.blocks.n; i++) {
		buf_text(q->answer, i > 0 ? " " : "");
		put_name(q, q->f->state.blocks.v[q->report.blocks.v[order[i]].block].id);
	}
}

static void ask_tiers(struct question *q)
{
	for (int t = 1; t < STATUS_TIERS; t++)
		put_number(q, t > 1 ? " " : "", q->report.tiers[t], "");
}

static void ask_recap(struct question *q)
{
	static const char *const kinds[] = {"found", "inactive", "missing", "none"};
	uint32_t block = UINT32_MAX;
	enum status_recap kind = status_recap(&q->f->state, json_str(json_get(q->one, "id")), &block);
	buf_text(q->answer, kinds[kind]);
	if (block == UINT32_MAX)
		return;
	const struct block *k = &q->f->state.blocks.v[block];
	buf_char(q->answer, ' ');
	put_name(q, k->id);
	if (kind != STATUS_RECAP_FOUND)
		return;
	buf_text(q->answer, ": ");
	buf_str(q->answer, status_recap_text(k, &q->f->arena));
}

static void ask_topics(struct question *q)
{
	for (size_t i = 0; i < q->f->state.blocks.n; i++) {
		buf_text(q->answer, i > 0 ? "|" : "");
		buf_str(q->answer, status_topic(&q->f->state.blocks.v[i], &q->f->arena));
	}
}

static void ask_origins(struct question *q)
{
	for (size_t i = 0; i < q->f->state.blocks.n; i++)
		put_number(q, i > 0 ? " " : "", status_origin(&q->f->state.blocks.v[i]), "");
}

static void ask_core(struct question *q)
{
	struct status_core c = status_core(&q->f->state, number(q, "tokens", 0));
	put_number(q, "", c.usage, " ");
	put_number(q, "", c.tokens, " ");
	put_number(q, "", c.limit, " ");
	put_number(q, "", c.active, "/");
	put_number(q, "", c.total, " ");
	put_number(q, "", c.compressed, "");
}

static void ask_panel(struct question *q)
{
	const cJSON *given = json_get(q->one, "context");
	struct nudge_context context = {0};
	json_num(json_get(given, "system"), &context.system);
	json_num(json_get(given, "tool"), &context.tool);
	json_num(json_get(given, "summaries"), &context.summaries);
	json_num(json_get(given, "code"), &context.code);
	json_num(json_get(given, "text"), &context.text);
	struct status_panel p = status_panel(given ? &context : NULL, number(q, "tokens", 0), number(q, "system", 0),
					     number(q, "limit", 0), number(q, "unpruned", (double)NAN));
	put_number(q, "classified ", p.classified, "");
	put_number(q, " sent ", p.sent, " only ");
	if (isnan(p.session_only))
		buf_char(q->answer, '-');
	else
		put_number(q, "", p.session_only, "");
	put_number(q, " host ", p.host_pct, "%");
	put_number(q, " sent ", p.sent_pct, "%");
	for (int i = 0; i < STATUS_PARTS; i++) {
		put_number(q, "; ", p.part[i], " ");
		put_number(q, "", p.part_pct[i], "% ");
		put_number(q, "", p.part_cells[i], "");
	}
}

static const struct {
	const char *op;
	void (*ask)(struct question *q);
} ops[] = {
	{"percent", ask_percent}, {"totals", ask_totals}, {"spans", ask_spans}, {"messages", ask_messages},
	{"blocks", ask_blocks},   {"tiers", ask_tiers},   {"recap", ask_recap}, {"topics", ask_topics},
	{"origins", ask_origins}, {"core", ask_core},     {"panel", ask_panel},
};

static void check_case(const cJSON *one, void *ctx)
{
	struct fixture f;
	struct buf answer = {0};
	struct question q = {.f = &f, .one = one, .answer = &answer};
	struct str op = json_str(json_get(one, "op"));
	size_t i = 0;
	(void)ctx;
	fixture_build(&f, one);
	status_make(&f.state, &q.report);
	while (i < sizeof ops / sizeof *ops && !str_eq(op, str_of(ops[i].op)))
		i++;
	if (i == sizeof ops / sizeof *ops)
		case_fail(one, "unknown op");
	ops[i].ask(&q);
	case_expect_text(one, "answer", buf_view(&answer), case_expand(&f.arena, json_str(json_get(one, "want"))));
	status_free(&q.report);
	buf_free(&answer);
	fixture_free(&f);
}

static void test_cases(void **unused)
{
	(void)unused;
	case_file_each("tests/cases/status.jsonl", check_case, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
