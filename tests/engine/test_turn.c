/* The pipeline, node by node: kernel.md 10.2 to 10.6, 10.8 to 10.10, 10.17. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

/* A node is found by its name, or by its number in the order of kernel.md 4. */
static void test_names(void **state)
{
	enum turn_node none;
	(void)state;
	for (int i = 0; i < NODE_COUNT; i++) {
		enum turn_node by_name = NODE_COUNT, by_number = NODE_COUNT;
		const char number[] = {(char)('0' + i), 0};
		if (i == NODE_START)
			continue;
		assert_true(turn_node_parse(str_of(turn_node_name((enum turn_node)i)), &by_name));
		assert_true(turn_node_parse(str_of(number), &by_number));
		assert_int_equal(by_name, i);
		assert_int_equal(by_number, i);
	}
	assert_string_equal(turn_node_name(NODE_START), "start");
	assert_false(turn_node_parse(STR("0"), &none));
	assert_false(turn_node_parse(STR("10"), &none));
	assert_false(turn_node_parse(STR("filters"), &none));
	assert_false(turn_node_parse(STR(""), &none));
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
	struct CMUnitTest tests[GROUPS + 2] = {cmocka_unit_test(test_names), cmocka_unit_test(test_other_history)};
	for (int i = 0; i < GROUPS; i++)
		tests[i + 2] = (struct CMUnitTest){
			.name = groups[i].path, .test_func = test_group, .initial_state = &groups[i]};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
