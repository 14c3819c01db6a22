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

static void add_live_block(struct state *s, const char *start, const char *end)
{
	uint32_t *covered = arena_alloc(&s->arena, sizeof *covered);
	*covered = names_add(s->names, STR("w"));
	state_block_add(s, (struct block){.id = names_add(s->names, STR("b1")),
					  .summary_id = names_add(s->names, STR("acp_summary_b1")),
					  .call = names_add(s->names, STR("k")),
					  .start_ref = str_of(start),
					  .end_ref = str_of(end),
					  .summary = STR("sum"),
					  .effective = covered,
					  .effective_n = 1,
					  .tier = 1,
					  .active = true});
}

/* Digest of the state's view with nothing kept from earlier turns. */
static uint64_t fresh_digest(struct state *s, const struct turn_input *in)
{
	struct alternatives alternatives;
	struct turn t = {0};
	alternatives_init(&alternatives);
	state_probe_begin(s);
	assert_int_equal(turn_run(&t, s, &alternatives, in), STATUS_OK);
	uint64_t digest = turn_digest(&t, s, &alternatives);
	turn_free(&t);
	state_probe_end(s);
	alternatives_free(&alternatives);
	return digest;
}

#define ENTRY(start, end) "{\"startId\":\"" start "\",\"endId\":\"" end "\",\"summary\":\"s\"}"

/* What is kept of a message or a call does not outlive the history it was made in: other refs, another block b1. */
static void test_other_history(void **state)
{
	(void)state;
	static const char text[] = "{\"content\":[" ENTRY("m5", "m6") "," ENTRY("m8", "m9") "]}";
	static const char *const wanted[] = {
		"<acp tokens=\"15\" type=\"compress\">m00004</acp>\n{\"content\":[" ENTRY("m5", "m6") "]}",
		"<acp tokens=\"15\" type=\"compress\">m00003</acp>\n{\"content\":[" ENTRY("m8", "m9") "]}"};
	struct arena arena = {0};
	struct fixture f;
	struct pipeline p = {.f = &f, .upto = NODE_RENDER};
	struct buf one = {0};
	buf_text(&one, "{\"name\":\"history\",\"messages\":[{\"id\":\"u\"},{\"id\":\"w\",\"role\":\"assistant\"},{"
		       "\"id\":\"x\"},"
		       "{\"id\":\"c\",\"role\":\"assistant\",\"type\":\"tool-call\",\"tool\":\"compress\",\"call\":"
		       "\"k\",\"text\":");
	json_put_str(&one, str_of(text));
	buf_text(&one, "}]}");
	p.one = json_tree(&arena, buf_view(&one), NULL, NULL);
	fixture_build(&f, p.one);
	for (int i = 0; i < 2; i++) {
		if (i == 1) { /* without u every ref is another one */
			state_rollback(&f.state, 0);
			for (uint32_t row = 1; row <= 3; row++)
				state_row_join(&f.state, row);
		}
		add_live_block(&f.state, i == 0 ? "m5" : "m8", i == 0 ? "m6" : "m9");
		const struct turn_input in = {.tokens = 1, .hide = ANCHOR_SLIM, .counter = {1}};
		uint64_t fresh = fresh_digest(&f.state, &in);
		assert_int_equal(turn_run(&p.turn, &f.state, &f.alternatives, &in), STATUS_OK);
		const struct surface *view = &p.turn.surface;
		struct str call = pipeline_row_text(&p, &view->rows.v[view->rows.n - 1]);
		case_expect_text(p.one, "call", call, str_of(wanted[i]));
		assert_true(turn_digest(&p.turn, &f.state, &f.alternatives) == fresh);
	}
	buf_free(&one);
	turn_free(&p.turn);
	fixture_free(&f);
	arena_free(&p.arena);
	arena_free(&arena);
}

int main(void)
{
	struct CMUnitTest tests[GROUPS + 3] = {cmocka_unit_test(test_order), cmocka_unit_test(test_key_order),
					       cmocka_unit_test(test_other_history)};
	for (int i = 0; i < GROUPS; i++)
		tests[i + 3] = (struct CMUnitTest){
			.name = groups[i].path, .test_func = test_group, .initial_state = &groups[i]};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
