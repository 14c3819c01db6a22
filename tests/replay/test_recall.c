/* replay/recall: the kernel's plain search; cases: tests/cases/recall.jsonl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/recall.h"
#include "tests/fixture.h"

static void put_hits(struct fixture *f, struct str query, struct buf *b)
{
	struct recall_hit *hits;
	size_t n = recall_search(&f->state, query, &f->arena, &hits);
	for (size_t i = 0; i < n; i++) {
		buf_text(b, i > 0 ? ", " : "");
		buf_str(b, names_get(&f->names, f->state.blocks.v[hits[i].block].id));
		buf_printf(b, " %.6g", hits[i].score);
	}
}

static void check_case(const cJSON *one, void *ctx)
{
	struct fixture f;
	struct buf b = {0};
	const cJSON *text;
	(void)ctx;
	fixture_build(&f, one);
	cJSON_ArrayForEach (text, json_get(one, "queries")) {
		buf_text(&b, text != json_get(one, "queries")->child ? "|" : "");
		put_hits(&f, json_str(text), &b);
	}
	cJSON_ArrayForEach (text, json_get(one, "lower")) {
		buf_text(&b, text != json_get(one, "lower")->child ? "|" : "");
		buf_str(&b, recall_lower(&f.arena, json_str(text)));
	}
	case_expect_text(one, "answers", buf_view(&b), json_str(json_get(one, "want")));
	buf_free(&b);
	fixture_free(&f);
}

static void test_cases(void **unused)
{
	(void)unused;
	case_file_each("tests/cases/recall.jsonl", check_case, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
