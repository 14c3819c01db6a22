/* The recent zone, the ranges and their merging: kernel.md 10.7. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/kernel/recommend.h"
#include "tests/fixture.h"

static void put_ref(struct buf *b, const struct state *s, uint32_t ref)
{
	char out[REF_TEXT_MAX];
	buf_str(b, state_ref_text(s, ref, out));
}

/* Refs of a set, ascending. */
static void put_zone(struct buf *b, const struct state *s, const struct mark_set *zone)
{
	bool first = true;
	for (uint32_t i = 0; i < zone->mark.n; i++) {
		if (!mark_set_has(zone, i))
			continue;
		buf_text(b, first ? "" : ", ");
		first = false;
		put_ref(b, s, i);
	}
}

static void put_number(struct buf *b, const char *name, double x)
{
	buf_printf(b, " %s=", name);
	json_put_num(b, x);
}

static void put_range(struct buf *b, const struct state *s, const struct range *r)
{
	buf_char(b, '(');
	put_ref(b, s, r->start);
	buf_char(b, '-');
	put_ref(b, s, r->end);
	put_number(b, "n", r->count);
	put_number(b, "tok", r->tokens);
	if (r->has_chars)
		put_number(b, "chars", r->chars);
	else
		buf_text(b, " chars=none");
	put_number(b, "tool", r->tool_pct);
	put_number(b, "text", 100 - r->tool_pct);
	buf_text(b, r->dangerous ? ")!" : ")");
}

static void put_ranges(struct buf *b, const struct state *s, const struct range *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_text(b, i > 0 ? " " : "");
		put_range(b, s, &list[i]);
	}
}

static void put_protected(struct buf *b, const struct state *s, const struct recommendation *rec)
{
	for (size_t i = 0; i < rec->protected_ranges.n; i++) {
		const struct protected_range *p = &rec->protected_ranges.v[i];
		buf_text(b, i > 0 ? " ; " : "");
		put_ref(b, s, p->start);
		buf_char(b, '-');
		put_ref(b, s, p->end);
		put_number(b, "n", p->count);
		put_number(b, "tok", p->tokens);
		buf_text(b, " tools=");
		for (uint32_t t = 0; t < p->tools_n; t++) {
			buf_text(b, t > 0 ? "+" : "");
			buf_str(b, names_get(s->names, rec->tools.v[p->tools_at + t]));
		}
		buf_text(b, p->tools_n > 0 ? "" : "none");
	}
}

static void expect(const cJSON *one, const char *member, const struct buf *got)
{
	const cJSON *want = json_get(one, member);
	if (want)
		case_expect_text(one, member, buf_view(got), json_str(want));
}

/* The rows a range names must be those that carry its refs. */
static void check_rows(const cJSON *one, const struct surface *f, const struct recommendation *rec)
{
	for (size_t i = 0; i < rec->compressible.n; i++) {
		const struct range *r = &rec->compressible.v[i];
		if (f->rows.v[r->first].ref != r->start || f->rows.v[r->last].ref != r->end || r->first > r->last)
			case_fail(one, "compressible range %zu has wrong rows", i);
	}
	for (size_t i = 0; i < rec->protected_ranges.n; i++) {
		const struct protected_range *p = &rec->protected_ranges.v[i];
		if (f->rows.v[p->first].ref != p->start || f->rows.v[p->last].ref != p->end || p->first > p->last)
			case_fail(one, "protected range %zu has wrong rows", i);
	}
}

/* The rules behind a zone must be the zone. */
static void check_rules(const cJSON *one, struct fixture *f, const struct surface *rows, const struct mark_set *zone)
{
	static const struct counter counter = {1};
	for (size_t i = 0; i < rows->rows.n; i++) {
		uint32_t ref = rows->rows.v[i].ref;
		bool inside = ref != REF_NONE && ref != REF_BLOCKED && mark_set_has(zone, ref);
		if ((protect_zone_rules(rows, &f->state, &counter, i) != 0) != inside)
			case_fail(one, "row %zu: its rules and the zone differ", i);
	}
}

static void run_build(const cJSON *one)
{
	static const struct counter counter = {1};
	struct fixture f;
	struct recommendation rec = {0};
	struct buf zone = {0}, ranges = {0};
	fixture_build(&f, one);
	const struct surface *rows = fixture_surface(&f);
	recommend_run(rows, &f.state, &counter, 0, &rec);
	put_zone(&zone, &f.state, &rec.zone);
	buf_text(&ranges, "compressible=[");
	put_ranges(&ranges, &f.state, rec.compressible.v, rec.compressible.n);
	buf_text(&ranges, "] protected=[");
	put_protected(&ranges, &f.state, &rec);
	buf_char(&ranges, ']');
	expect(one, "zone", &zone);
	expect(one, "want", &ranges);
	check_rows(one, rows, &rec);
	check_rules(one, &f, rows, &rec.zone);
	buf_free(&zone);
	buf_free(&ranges);
	recommend_free(&rec);
	fixture_free(&f);
}

static double number_of(const cJSON *object, const char *member)
{
	double x = 0;
	json_num(json_get(object, member), &x);
	return x;
}

static void run_merge(const cJSON *one)
{
	struct fixture f;
	struct recommendation rec = {0};
	struct buf got = {0};
	VEC(struct range) in = {0};
	const cJSON *r;
	fixture_build(&f, one);
	cJSON_ArrayForEach (r, json_get(one, "merge"))
		vec_push(&in, (struct range){.start = (uint32_t)number_of(r, "start"),
					     .end = (uint32_t)number_of(r, "end"),
					     .count = (uint32_t)number_of(r, "count"),
					     .tokens = number_of(r, "tokens"),
					     .chars = number_of(r, "chars"),
					     .tool_pct = (int)number_of(r, "toolPct"),
					     .has_chars = json_get(r, "chars") != NULL,
					     .dangerous = cJSON_IsTrue(json_get(r, "dangerous"))});
	recommend_merge(in.v, in.n, number_of(one, "minimum"), &rec);
	put_ranges(&got, &f.state, rec.recommended.v, rec.recommended.n);
	expect(one, "want", &got);
	vec_free(&in);
	buf_free(&got);
	recommend_free(&rec);
	fixture_free(&f);
}

static void run_case(const cJSON *one, void *ctx)
{
	(void)ctx;
	if (!json_get(one, "want") && !json_get(one, "zone"))
		case_fail(one, "nothing is wanted");
	if (json_get(one, "merge"))
		run_merge(one);
	else
		run_build(one);
}

static void test_recommend(void **state)
{
	(void)state;
	case_file_each("tests/cases/recommend.jsonl", run_case, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_recommend)};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
