/*
 * dsh_table, dsh_strip, dsh_scopes: dsh.md 5, 7.2, 8.5, 8.6, rows C and R of
 * part 11, with mutations: each rule is switched off in turn, and exactly the
 * cases that say so must come out different. Cases: tests/cases/dsh.jsonl.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/host/dsh_guard.h"
#include "engine/host/dsh_table.h"
#include "tests/case_file.h"
#include "tests/dsh_script.h"

/* What is switched off. */
enum mutation { AS_IT_IS, NO_BARRIER, NO_PIN, NO_TAIL, CONTENT_IS_INSTRUCTION, MUTATIONS };
static const char *const mutation_names[] = {"", "barrier", "pin", "tail", "content"};

static void mutate_rules(struct dsh_rules *rules, enum mutation m)
{
	if (m == NO_BARRIER)
		rules->barrier = false;
	if (m == NO_PIN)
		rules->pin = false;
	if (m == NO_TAIL)
		rules->tail = false;
}

/* C5: the three content plugins among the instructions. */
static void mutate_classes(struct dsh_fold *f, enum mutation m)
{
	for (size_t i = 0; i < f->classes.of.n && m == CONTENT_IS_INSTRUCTION; i++) {
		struct str name = dsh_source_name(f->log, dsh_log_row(f->log, (uint32_t)i));
		if (str_eq(name, STR("@deepseek-ai/dsh-system-prompt")) || str_eq(name, STR("user-approval")) ||
		    str_eq(name, STR("tools-ptc")))
			f->classes.of.v[i] = (struct dsh_traits){.class = DSH_INSTRUCTION};
	}
}

/* ---- one table ---- */

static void put_ranges(struct buf *b, const struct dsh_table *t)
{
	for (size_t i = 0; i < t->ranges.n; i++)
		buf_printf(b, "%s%" PRId64 "..%" PRId64, i ? " " : "", t->ranges.v[i].start, t->ranges.v[i].end);
}

/* count, tokens, toolPct, as many as are given. */
static bool numbers_match(const struct dsh_range *r, const cJSON *want)
{
	double got[] = {r->count, r->tokens, r->tool_pct};
	size_t i = 0;
	for (const cJSON *x = want->child; x && i < 3; x = x->next, i++)
		if (got[i] != x->valuedouble)
			return false;
	return true;
}

static bool table_matches(struct dsh_table *t, const cJSON *want, struct buf *got)
{
	const cJSON *ranges = want->child->next->next, *numbers = ranges->next, *over = numbers ? numbers->next : NULL;
	size_t i = 0;
	bool match;
	put_ranges(got, t);
	match = str_eq(buf_view(got), json_str(ranges));
	for (const cJSON *n = numbers ? numbers->child : NULL; n && match; n = n->next, i++) {
		match = numbers_match(&t->ranges.v[i], n);
		buf_printf(got, " [%u,%g,%d]", t->ranges.v[i].count, t->ranges.v[i].tokens, t->ranges.v[i].tool_pct);
	}
	i = 0;
	for (const cJSON *o = over ? over->child : NULL; o && match; o = o->next, i++)
		match = t->ranges.v[i].over == (int64_t)o->valuedouble;
	return match;
}

/* A range starts no later than it ends, and no two are out of order (R13, 5.1.5). */
static void check_order(const cJSON *one, const struct dsh_table *t)
{
	for (size_t i = 0; i < t->ranges.n; i++)
		if (t->ranges.v[i].start > t->ranges.v[i].end || (i && t->ranges.v[i].start < t->ranges.v[i - 1].start))
			case_fail(one, "range %zu is out of order", i);
}

static bool is_f1(const cJSON *table) { return str_eq(json_str(table->child), STR("F1")); }

/* What "F1 without barrier" is without; "F1" and "B0" are as they are. */
static enum mutation mutation_of(struct str profile)
{
	size_t at = str_find(profile, STR("without "), 0);
	for (int m = NO_BARRIER; m < MUTATIONS && at != SIZE_MAX; m++)
		if (str_eq(str_cut(profile, at + 8, profile.n), str_of(mutation_names[m])))
			return (enum mutation)m;
	return AS_IT_IS;
}

/* Do all tables of the case come out as wanted? Under a mutation only those of F1 are asked. */
static bool tables_match(const cJSON *one, enum mutation m, struct buf *got)
{
	const cJSON *table;
	bool match = true;
	cJSON_ArrayForEach (table, json_get(one, "tables")) {
		struct dsh_case c;
		struct dsh_table t = {0};
		struct str profile = json_str(table->child);
		struct dsh_rules rules = dsh_case_rules(one, str_cut(profile, 0, 2));
		enum mutation off = m == AS_IT_IS ? mutation_of(profile) : m;
		if (m != AS_IT_IS && !is_f1(table))
			continue;
		mutate_rules(&rules, off);
		dsh_case_open(&c, one, &rules);
		mutate_classes(&c.fold, off);
		dsh_table_build(&t, &c.fold, (size_t)table->child->next->valuedouble);
		check_order(one, &t);
		if (match) {
			buf_cut(got, 0);
			match = table_matches(&t, table, got);
		}
		dsh_table_free(&t);
		dsh_case_close(&c);
	}
	return match;
}

static bool lists(const cJSON *list, struct str name)
{
	const cJSON *item;
	cJSON_ArrayForEach (item, list)
		if (str_eq(json_str(item), name))
			return true;
	return false;
}

static void run_tables(const cJSON *one, void *ctx)
{
	struct buf got = {0};
	bool *fail_as_said = ctx;
	const cJSON *fails = json_get(one, "fails");
	buf_char(&got, ' ');
	if (!tables_match(one, AS_IT_IS, &got))
		case_fail(one, "the table is %s", got.p);
	for (int m = NO_BARRIER; m < MUTATIONS && fails; m++) {
		bool said = lists(fails, str_of(mutation_names[m]));
		bool match = tables_match(one, (enum mutation)m, &got);
		if (match == said)
			case_fail(one, "without %s: %s", mutation_names[m], match ? "nothing changes" : got.p);
		fail_as_said[m] |= said;
	}
	buf_free(&got);
}

static void tables(void **state)
{
	bool fail_as_said[MUTATIONS] = {false};
	(void)state;
	case_file_each("tests/cases/dsh.jsonl", run_tables, fail_as_said);
	/* the pin is there twice over: a barrier stands before every pinned row (5.2) */
	assert_true(fail_as_said[NO_BARRIER] && fail_as_said[NO_TAIL] && fail_as_said[CONTENT_IS_INSTRUCTION]);
	assert_false(fail_as_said[NO_PIN]);
}

/* ---- newest, guarded, hidden ---- */

static void expect_seqs(const cJSON *one, const char *what, const int64_t *seqs, size_t n)
{
	const cJSON *want = json_get(one, what);
	struct buf got = {0}, text = {0};
	if (!want)
		return;
	dsh_put_seqs(&got, seqs, n);
	json_put(&text, want);
	case_expect_text(one, what, buf_view(&got), buf_view(&text));
	buf_free(&got);
	buf_free(&text);
}

struct seqs {
	VEC(int64_t) v;
};

static void find_newest(const struct dsh_fold *f, struct seqs *out)
{
	for (size_t i = 0; i < f->surface.told.n; i++) {
		uint32_t row = f->surface.told.v[i].row;
		if (dsh_scopes_pins(&f->scopes, row, dsh_fold_traits(f, row)))
			vec_push(&out->v, dsh_log_seq(f->log, row));
	}
}

/* `in_flight` and `open`: call ids. */
static void check_strip(struct dsh_case *c)
{
	struct dsh_strip strip = {0};
	struct dsh_rows ids = {0}, flying = {0};
	struct seqs hidden = {0};
	const cJSON *id;
	cJSON_ArrayForEach (id, json_get(c->one, "in_flight"))
		vec_push(&flying.rows, names_add(&c->log.names, json_str(id)));
	dsh_surface_list(&c->fold.surface, &c->rows);
	dsh_strip_find(&strip, &c->log, &c->rows, flying.rows.v, flying.rows.n);
	for (size_t i = 0; i < c->rows.rows.n; i++)
		if (strip.hidden.v[i])
			vec_push(&hidden.v, dsh_log_seq(&c->log, c->rows.rows.v[i]));
	case_expect_count(c->one, "hidden rows", hidden.v.n, strip.hidden_n);
	expect_seqs(c->one, "hidden", hidden.v.v, hidden.v.n);
	dsh_open_calls(&strip, &c->log, &c->rows, &ids);
	size_t at = 0;
	cJSON_ArrayForEach (id, json_get(c->one, "open"))
		case_expect_text(c->one, "open call",
				 at < ids.rows.n ? names_get(&c->log.names, ids.rows.v[at++]) : STR("none"),
				 json_str(id));
	if (json_get(c->one, "open"))
		case_expect_count(c->one, "open calls", ids.rows.n, at);
	dsh_strip_free(&strip);
	vec_free(&ids.rows);
	vec_free(&flying.rows);
	vec_free(&hidden.v);
}

/* [profile, [real, metadata, checkpoint, instruction], barriers] */
static void check_census(const cJSON *one)
{
	const cJSON *want;
	cJSON_ArrayForEach (want, json_get(one, "census")) {
		struct dsh_case c;
		struct dsh_census census = {0};
		struct dsh_rules rules = dsh_case_rules(one, json_str(want->child));
		struct buf got = {0}, text = {0};
		dsh_case_open(&c, one, &rules);
		dsh_census_take(&census, &c.fold);
		buf_printf(&got, "[%u,%u,%u,%u]", census.classes[DSH_REAL], census.classes[DSH_METADATA],
			   census.classes[DSH_CHECKPOINT], census.classes[DSH_INSTRUCTION]);
		dsh_put_seqs(&got, census.barriers.v, census.barriers.n);
		json_put(&text, want->child->next);
		json_put(&text, want->child->next->next);
		case_expect_text(one, "census", buf_view(&got), buf_view(&text));
		buf_free(&got);
		buf_free(&text);
		dsh_census_free(&census);
		dsh_case_close(&c);
	}
}

static void run_lists(const cJSON *one, void *ctx)
{
	struct dsh_case c;
	struct dsh_rules rules = dsh_case_rules(one, json_str(json_get(one, "profile")));
	struct dsh_seqs guarded = {0};
	struct seqs newest = {0};
	(void)ctx;
	dsh_case_open(&c, one, &rules);
	find_newest(&c.fold, &newest);
	expect_seqs(one, "newest", newest.v.v, newest.v.n);
	dsh_guarded_list(&c.fold, &guarded);
	expect_seqs(one, "guarded", guarded.seqs.v, guarded.seqs.n);
	check_strip(&c);
	check_census(one);
	/* there and back again: newest copies are taken back, too */
	dsh_case_go(&c, -1);
	newest.v.n = 0;
	find_newest(&c.fold, &newest);
	case_expect_count(one, "newest copies of nothing", newest.v.n, 0);
	dsh_case_go(&c, json_get(one, "at") ? (int64_t)json_get(one, "at")->valuedouble : INT64_MAX);
	find_newest(&c.fold, &newest);
	expect_seqs(one, "newest", newest.v.v, newest.v.n);
	vec_free(&guarded.seqs);
	vec_free(&newest.v);
	dsh_case_close(&c);
}

static void newest_and_guarded(void **state)
{
	(void)state;
	case_file_each("tests/cases/dsh.jsonl", run_lists, NULL);
}

/* ---- all rows ---- */

/* Rows of part 11; those that a reader or a replay answers are left out. */
static const struct {
	char letter;
	int first, last;
} part_11[] = {{'S', 1, 10}, {'S', 14, 16}, {'C', 1, 9},  {'R', 0, 15}, {'V', 1, 10},
	       {'G', 0, 10}, {'G', 12, 15}, {'T', 1, 12}, {'L', 1, 5},  {'D', 1, 8}};

static void note_row(const cJSON *one, void *ctx)
{
	struct names *rows = ctx;
	names_add(rows, json_str(json_get(one, "row")));
}

static void all_rows(void **state)
{
	struct names rows;
	(void)state;
	names_init(&rows);
	case_file_each("tests/cases/dsh.jsonl", note_row, &rows);
	for (size_t i = 0; i < sizeof part_11 / sizeof *part_11; i++)
		for (int n = part_11[i].first; n <= part_11[i].last; n++) {
			char row[16];
			snprintf(row, sizeof row, "%c%d", part_11[i].letter, n);
			if (names_find(&rows, str_of(row)) == UINT32_MAX)
				fail_msg("no case for row %s", row);
		}
	names_free(&rows);
}

/* By tests/oracle/dsh.mjs; another file of its making may be named on the command line. */
static const char *generated_path = "tests/cases/dsh_generated.jsonl";

static void generated(void **state)
{
	bool none[MUTATIONS];
	(void)state;
	case_file_each(generated_path, run_tables, none);
	case_file_each(generated_path, run_lists, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),
		cmocka_unit_test(newest_and_guarded),
		cmocka_unit_test(all_rows),
		cmocka_unit_test(generated),
	};
	if (argc > 1)
		generated_path = argv[1];
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
