#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/kernel/rebuild.h"
#include "tests/fixture.h"

static void put_or_dash(struct buf *b, size_t i, struct str s)
{
	buf_text(b, i > 0 ? "," : "");
	if (s.p != NULL)
		buf_str(b, s);
	else
		buf_char(b, '-');
}

static void expect_calls(const cJSON *one, const struct fixture *f, const cJSON *want)
{
	const struct state *s = &f->state;
	struct buf calls = {0}, topics = {0};
	for (size_t i = 0; i < s->blocks.n; i++) {
		const struct block *k = &s->blocks.v[i];
		put_or_dash(&calls, i, k->call ? names_get(&f->names, k->call) : (struct str){NULL, 0});
		put_or_dash(&topics, i, k->has_topic ? k->topic : (struct str){NULL, 0});
	}
	case_expect_text(one, "calls", buf_view(&calls), json_str(json_get(want, "calls")));
	if (json_get(want, "topics"))
		case_expect_text(one, "topics", buf_view(&topics), json_str(json_get(want, "topics")));
	buf_free(&calls);
	buf_free(&topics);
}

static void expect_stored(const cJSON *one, const struct fixture *f, const cJSON *want)
{
	struct buf written = {0}, is = {0}, should = {0};
	struct arena a = {0};
	const cJSON *member;
	state_write(&f->state, &written);
	const cJSON *state = json_tree(&a, buf_view(&written), NULL, NULL);
	cJSON_ArrayForEach (member, json_get(want, "stored")) {
		buf_cut(&is, 0);
		buf_cut(&should, 0);
		json_put(&is, json_get(state, member->string));
		json_put(&should, member);
		case_expect_text(one, member->string, buf_view(&is), buf_view(&should));
	}
	buf_free(&written);
	buf_free(&is);
	buf_free(&should);
	arena_free(&a);
}

static void check_form(const cJSON *one, enum rebuild_form form, const cJSON *want, size_t budget)
{
	struct fixture f;
	struct rebuild r;
	struct buf blocks = {0};
	double rebuilt = -1;
	fixture_build(&f, one);
	assert_true(json_num(json_get(want, "rebuilt"), &rebuilt));
	assert_int_equal(rebuild_begin(&r, &f.state, form, (struct counter){1}, 17), STATUS_OK);
	while (rebuild_step(&r, budget))
		;
	case_expect_count(one, "rebuilt", r.blocks, (size_t)rebuilt);
	fixture_put_blocks(&f, &blocks);
	case_expect_text(one, form == REBUILD_STRICT ? "strict blocks" : "lenient blocks", buf_view(&blocks),
			 json_str(json_get(want, "blocks")));
	for (size_t i = 0; i < f.state.blocks.n; i++)
		assert_true(f.state.blocks.v[i].created_at == 17);
	expect_calls(one, &f, want);
	expect_stored(one, &f, want);
	buf_free(&blocks);
	rebuild_free(&r);
	fixture_free(&f);
}

/* In one go and in the smallest steps: a step boundary changes nothing. */
static void check_case(const cJSON *one, void *ctx)
{
	(void)ctx;
	check_form(one, REBUILD_STRICT, json_get(one, "strict"), SIZE_MAX);
	check_form(one, REBUILD_STRICT, json_get(one, "strict"), 1);
	check_form(one, REBUILD_LENIENT, json_get(one, "lenient"), SIZE_MAX);
	check_form(one, REBUILD_LENIENT, json_get(one, "lenient"), 1);
}

static void test_cases(void **unused)
{
	(void)unused;
	case_file_each("tests/cases/rebuild.jsonl", check_case, NULL);
}

/* kernel.md 3: an index above 99999 is the ref-capacity error; the highest one used may come from anywhere. */
static void test_capacity(void **unused)
{
	static const char text[] = "{\"name\":\"capacity\",\"state\":{\"messageRefs\":{\"byRaw\":{\"x\":\"m99999\"}}},"
				   "\"messages\":[{\"id\":\"a\",\"text\":\"a\"}]}";
	struct arena a = {0};
	struct fixture f;
	struct rebuild r;
	(void)unused;
	fixture_build(&f, json_tree(&a, str_of(text), NULL, NULL));
	assert_int_equal(rebuild_begin(&r, &f.state, REBUILD_LENIENT, (struct counter){1}, 0), STATUS_LIMIT);
	rebuild_free(&r);
	fixture_free(&f);
	arena_free(&a);
}

/* A deep or endless argument is refused by the readers, not by the stack. */
static void test_hostile(void **unused)
{
	struct buf text = {0};
	struct arena a = {0};
	(void)unused;
	buf_text(&text, "{\"name\":\"deep\",\"messages\":[{\"id\":\"a\",\"role\":\"assistant\",\"type\":\"tool-call\","
			"\"tool\":\"compress\",\"text\":\"{\\\"content\\\":<[*200000>\"}]}");
	const cJSON *one = json_tree(&a, buf_view(&text), NULL, NULL);
	for (int form = REBUILD_STRICT; form <= REBUILD_LENIENT; form++) {
		struct fixture f;
		struct rebuild r;
		fixture_build(&f, one);
		assert_int_equal(f.state.messages.v[0].face.size.units, 200000 + 11);
		assert_int_equal(rebuild_begin(&r, &f.state, (enum rebuild_form)form, (struct counter){1}, 0),
				 STATUS_OK);
		while (rebuild_step(&r, 1))
			;
		assert_int_equal(r.calls, 1);
		assert_int_equal(r.blocks, 0);
		rebuild_free(&r);
		fixture_free(&f);
	}
	buf_free(&text);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_hostile),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
