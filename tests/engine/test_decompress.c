#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/kernel/decompress.h"
#include "engine/kernel/sync.h"
#include "tests/fixture.h"

/* One question of a case: the fixture, the names of its ids, where the answer goes. */
struct question {
	struct fixture *f;
	const cJSON *one;
	const uint32_t *ids;
	size_t n;
	struct buf *answer;
};

static void put_block_id(struct question *q, int64_t block)
{
	if (q->answer->n > 0)
		buf_char(q->answer, ' ');
	if (block < 0)
		buf_text(q->answer, "null");
	else
		buf_str(q->answer, names_get(&q->f->names, q->f->state.blocks.v[block].id));
}

static void ask_argument(struct question *q)
{
	const cJSON *id;
	cJSON_ArrayForEach (id, json_get(q->one, "ids")) {
		struct str block = block_id_argument(&q->f->arena, json_str(id));
		buf_text(q->answer, q->answer->n > 0 ? " " : "");
		buf_str(q->answer, block.p ? block : STR("null"));
	}
}

static void ask_overlap(struct question *q)
{
	uint32_t *blocks;
	size_t n = decompress_overlapping(&q->f->state, q->ids, q->n, &q->f->arena, &blocks);
	for (size_t i = 0; i < n; i++)
		put_block_id(q, blocks[i]);
}

static void ask_below(struct question *q)
{
	const cJSON *id;
	cJSON_ArrayForEach (id, json_get(q->one, "ids"))
		put_block_id(q, decompress_active_below(&q->f->state, json_str(id)));
}

static void put_all_blocks(struct question *q, size_t off)
{
	const struct state *s = &q->f->state;
	buf_printf(q->answer, "%zu:", off);
	for (size_t i = 0; i < s->blocks.n; i++) {
		buf_char(q->answer, ' ');
		buf_str(q->answer, names_get(&q->f->names, s->blocks.v[i].id));
		buf_text(q->answer, s->blocks.v[i].active ? ":on" : ":off");
	}
}

static void ask_off(struct question *q)
{
	put_all_blocks(q, decompress_deactivate(&q->f->state, q->ids, q->n, false));
	/* a second time there is nothing to do */
	assert_int_equal(decompress_deactivate(&q->f->state, q->ids, q->n, false), 0);
}

/* Deactivation is a change like any other: going back undoes it. */
static void ask_deep(struct question *q)
{
	struct buf before = {0}, after = {0};
	size_t mark = state_mark(&q->f->state);
	fixture_put_blocks(q->f, &before);
	size_t off = decompress_deactivate(&q->f->state, q->ids, q->n, true);
	put_all_blocks(q, off);
	state_rollback(&q->f->state, mark);
	fixture_put_blocks(q->f, &after);
	case_expect_text(q->one, "rolled back", buf_view(&after), buf_view(&before));
	buf_free(&before);
	buf_free(&after);
}

static void ask_off_then_sync(struct question *q)
{
	struct block_list off = {0};
	size_t n = decompress_deactivate(&q->f->state, q->ids, q->n, false);
	sync_blocks(&q->f->state, &off);
	put_all_blocks(q, n);
	vec_free(&off.blocks);
}

static void expect_members(struct question *q, size_t count)
{
	double want;
	assert_true(json_num(json_get(q->one, "count"), &want));
	case_expect_count(q->one, "count", count, (size_t)want);
	if (json_num(json_get(q->one, "units"), &want))
		case_expect_count(q->one, "units", text_measure(buf_view(q->answer)).units, (size_t)want);
}

static uint32_t block_asked(struct question *q)
{
	const struct block *k = state_block_named(&q->f->state, names_get(&q->f->names, q->ids[0]));
	assert_non_null(k);
	return (uint32_t)(k - q->f->state.blocks.v);
}

static void ask_content(struct question *q)
{
	expect_members(q, decompress_content(&q->f->state, block_asked(q), false, q->answer));
}

static void ask_full(struct question *q)
{
	expect_members(q, decompress_content(&q->f->state, block_asked(q), true, q->answer));
}

static void ask_preview(struct question *q)
{
	expect_members(q, decompress_preview(&q->f->state, q->ids, q->n, q->answer));
}

/* The list in place, as well. */
static void ask_viable(struct question *q)
{
	const cJSON *list = json_get(q->one, "tokens"), *tokens;
	size_t n = 0, room = (size_t)cJSON_GetArraySize(list);
	struct range *in = mem_resize(NULL, room + 1, sizeof *in), *out = mem_resize(NULL, room + 1, sizeof *out);
	cJSON_ArrayForEach (tokens, list)
		in[n++] = (struct range){.tokens = tokens->valuedouble};
	size_t kept = ranges_viable(in, n, out);
	assert_int_equal(ranges_viable(in, n, in), kept);
	for (size_t i = 0; i < kept; i++) {
		assert_true(in[i].tokens == out[i].tokens);
		buf_text(q->answer, i > 0 ? ", " : "");
		json_put_num(q->answer, out[i].tokens);
	}
	free(in);
	free(out);
}

static const struct {
	const char *op;
	void (*ask)(struct question *q);
} ops[] = {
	{"argument", ask_argument}, {"overlap", ask_overlap}, {"below", ask_below},
	{"off", ask_off},           {"deep", ask_deep},       {"off-then-sync", ask_off_then_sync},
	{"content", ask_content},   {"full", ask_full},       {"preview", ask_preview},
	{"viable", ask_viable},
};

static void check_case(const cJSON *one, void *ctx)
{
	struct fixture f;
	struct buf answer = {0};
	struct arena a = {0};
	VEC(uint32_t) ids = {0};
	const cJSON *id;
	struct str op = json_str(json_get(one, "op"));
	size_t i = 0;
	(void)ctx;
	fixture_build(&f, one);
	cJSON_ArrayForEach (id, json_get(one, "ids"))
		vec_push(&ids, names_add(&f.names, json_str(id)));
	struct question q = {&f, one, ids.v, ids.n, &answer};
	while (i < sizeof ops / sizeof *ops && !str_eq(op, str_of(ops[i].op)))
		i++;
	if (i == sizeof ops / sizeof *ops)
		case_fail(one, "unknown op");
	ops[i].ask(&q);
	case_expect_text(one, "answer", buf_view(&answer), case_expand(&a, json_str(json_get(one, "want"))));
	vec_free(&ids);
	buf_free(&answer);
	arena_free(&a);
	fixture_free(&f);
}

static void test_cases(void **unused)
{
	(void)unused;
	case_file_each("tests/cases/decompress.jsonl", check_case, NULL);
}

/* A chain of blocks as deep as a hostile state may make it is walked without recursion. */
static void test_deep_chain(void **unused)
{
	enum { BLOCKS = 50000 };
	struct buf text = {0};
	struct arena a = {0};
	struct fixture f;
	(void)unused;
	buf_text(&text, "{\"name\":\"chain\",\"blocks\":[");
	for (int i = 1; i <= BLOCKS; i++)
		buf_printf(&text, "%s{\"id\":\"b%d\",\"eff\":[\"m%d\"],\"kids\":[\"b%d\"],\"active\":%s}",
			   i > 1 ? "," : "", i, i, i - 1, i == 1 || i == BLOCKS ? "true" : "false");
	buf_text(&text, "]}");
	fixture_build(&f, json_tree(&a, buf_view(&text), NULL, NULL));
	assert_int_equal(decompress_active_below(&f.state, STR("b50000")), 0);
	uint32_t top = names_find(&f.names, STR("b50000"));
	assert_int_equal(decompress_deactivate(&f.state, &top, 1, true), 2);
	assert_int_equal(decompress_active_below(&f.state, STR("b50000")), -1);
	fixture_free(&f);
	buf_free(&text);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_deep_chain),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
