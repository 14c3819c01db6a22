/* The pipeline, node by node: kernel.md 10.2 to 10.6, 10.8 to 10.10, 10.17. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/kernel/compress.h"
#include "tests/pipeline.h"

/* Case files and the node up to which they run. */
static struct group {
	const char *path;
	enum turn_node upto;
} groups[] = {
	{"tests/cases/assign.jsonl", NODE_ASSIGN_REFS}, {"tests/cases/sync.jsonl", NODE_SYNC_BLOCKS},
	{"tests/cases/prune.jsonl", NODE_PRUNE},        {"tests/cases/hide.jsonl", NODE_HIDE},
	{"tests/cases/nudge.jsonl", NODE_RENDER},       {"tests/cases/truncate.jsonl", NODE_TRUNCATE},
	{"tests/cases/render.jsonl", NODE_RENDER},      {"tests/cases/turn.jsonl", NODE_RENDER},
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

static void test_group(void **state)
{
	const struct group *g = *state;
	pipeline_file(g->path, g->upto);
}

/* E01 */
static void test_order(void **state)
{
	(void)state;
	static const char *const order[] = {
		"start",     "assign-refs",  "sync-blocks",        "prune",      "filter", "hide-compress-calls",
		"recommend", "nudge-inject", "emergency-truncate", "render-refs"};
	assert_int_equal(NODE_COUNT, sizeof order / sizeof order[0]);
	for (int i = 0; i < NODE_COUNT; i++) {
		enum turn_node by_name = NODE_COUNT, by_number = NODE_COUNT;
		const char number[] = {(char)('0' + i), 0};
		assert_string_equal(turn_node_name((enum turn_node)i), order[i]);
		if (i == NODE_START)
			continue;
		assert_true(turn_node_parse(str_of(order[i]), &by_name));
		assert_true(turn_node_parse(str_of(number), &by_number));
		assert_int_equal(by_name, i);
		assert_int_equal(by_number, i);
	}
	enum turn_node none;
	assert_false(turn_node_parse(STR("0"), &none));
	assert_false(turn_node_parse(STR("10"), &none));
	assert_false(turn_node_parse(STR("filters"), &none));
	assert_false(turn_node_parse(STR(""), &none));
}

static void put_keys(const cJSON *object, struct buf *b)
{
	const cJSON *member;
	cJSON_ArrayForEach (member, object)
		buf_printf(b, "%s%s", member == object->child ? "" : ",", member->string);
}

static void compress_second(struct pipeline *p)
{
	struct compress_scratch scratch = {0};
	struct apply_result result = {0};
	struct range_request range = {.start = STR("m00002"), .end = STR("m00002"), .summary = STR("sum")};
	struct apply_options options = {.counter = {1}};
	compress_apply(&range, 1, &p->turn.surface, &p->f->state, &options, &scratch, &result);
	assert_int_equal(result.blocks_created, 1);
	apply_result_free(&result);
	compress_scratch_free(&scratch);
}

/* E06 */
static void test_key_order(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct fixture f;
	struct pipeline p = {.f = &f, .upto = NODE_RENDER};
	struct buf text = {0}, keys = {0};
	p.one = json_tree(&arena,
			  STR("{\"name\":\"E06\",\"messages\":[{\"id\":\"a\",\"text\":\"t\"},"
			      "{\"id\":\"b\",\"text\":\"t\",\"role\":\"assistant\"}]}"),
			  NULL, NULL);
	fixture_build(&f, p.one);
	pipeline_turn(&p);
	compress_second(&p);
	state_write(&f.state, &text);
	const cJSON *tree = json_tree(&arena, buf_view(&text), NULL, NULL);
	assert_non_null(tree);
	put_keys(tree, &keys);
	buf_text(&keys, " | block: ");
	put_keys(json_get(tree, "blocks")->child, &keys);
	buf_text(&keys, " | nudge: ");
	put_keys(json_get(tree, "nudge"), &keys);
	assert_string_equal(keys.p, "blocks,messageRefs,tokenSnapshot,nudge,stats,nextBlockId,nextRunId"
				    " | block: blockId,runId,tier,summary,directMessageIds,effectiveMessageIds,"
				    "directBlockIds,compressedTokens,createdAt,survivedCount,generation,active,"
				    "startRef,endRef"
				    " | nudge: lastPerMessageNudgeTokens,lastNudgeShownTokens,baselineTokens,anchors,"
				    "lastShownByTier");
	buf_free(&text);
	buf_free(&keys);
	turn_free(&p.turn);
	fixture_free(&f);
	arena_free(&p.arena);
	arena_free(&arena);
}

int main(void)
{
	struct CMUnitTest tests[GROUPS + 2] = {cmocka_unit_test(test_order), cmocka_unit_test(test_key_order)};
	for (int i = 0; i < GROUPS; i++)
		tests[i + 2] = (struct CMUnitTest){
			.name = groups[i].path, .test_func = test_group, .initial_state = &groups[i]};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
