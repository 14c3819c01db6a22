/* Blocks: screens by hand, and the tree against plain loops over the blocks of generated states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "replay/frame_blocks.h"
#include "replay/view/view.h"
#include "tests/generate.h"
#include "tests/replayed.h"
#include "tests/view_screens.h"

static void screens(void **state)
{
	(void)state;
	view_screens_file("tests/cases/blocks.jsonl");
}

/* ---- plain answers ---- */

static bool in_list(const struct state *s, uint32_t id)
{
	for (size_t i = 0; i < s->rows.n; i++)
		if (s->messages.v[s->rows.v[i]].id == id)
			return true;
	return false;
}

static uint32_t present_of(const struct state *s, const struct block *k)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < k->effective_n; i++)
		n += in_list(s, k->effective[i]);
	return n;
}

static bool lists_child(const struct block *parent, uint32_t id)
{
	for (uint32_t i = 0; i < parent->children_n; i++)
		if (parent->children[i] == id)
			return true;
	return false;
}

static bool is_consumed(const struct state *s, const struct block *k)
{
	for (size_t i = 0; i < s->blocks.n; i++)
		if (lists_child(&s->blocks.v[i], k->id))
			return true;
	return false;
}

/* kernel.md 4.2.3, and what stands in its way. */
static enum block_standing standing_of(const struct state *s, const struct block *k)
{
	if (k->active)
		return BLOCK_ACTIVE;
	if (is_consumed(s, k))
		return BLOCK_CONSUMED;
	return present_of(s, k) > 0 || in_list(s, k->summary_id) ? BLOCK_OFF : BLOCK_ABSENT;
}

/* ---- what the first pass saw: the turn after which a block was made, by block of the present epoch ---- */

struct watched {
	VEC(uint32_t) made;   /* by block; 0 = it came with a stored state, else the turn + 1 */
	VEC(uint32_t) record; /* of the compress record */
	size_t epochs;
};

static void watch(void *ctx, struct run *run, const struct compress_event *e)
{
	struct watched *w = ctx;
	if (run->epochs.n != w->epochs) /* another state, none of whose blocks this run made */
		w->made.n = w->record.n = 0;
	w->epochs = run->epochs.n;
	if (!e->applied)
		return;
	for (size_t i = 0; i < e->result->verdicts.n; i++) {
		int64_t block = e->result->verdicts.v[i].block;
		if (block < 0)
			continue;
		vec_fill(&w->made, (size_t)block + 1);
		vec_fill(&w->record, (size_t)block + 1);
		w->made.v[block] = e->after_turn + 1;
		w->record.v[block] = e->record;
	}
}

/* ---- the tree ---- */

struct seen {
	size_t states, blocks, standing[BLOCK_STANDINGS], deep, known;
};

static void check_node(struct frame *f, const struct frame_blocks *tree, size_t i, struct seen *seen)
{
	const struct state *s = &f->run->state;
	const struct frame_block *node = &tree->v[i];
	const struct block *k = &s->blocks.v[node->block];
	assert_int_equal(node->standing, standing_of(s, k));
	assert_true(frame_block_out(f, k) == text_tokens(text_measure(k->summary)));
	assert_int_equal(k->present, present_of(s, k));
	if (node->parent == 0) {
		assert_int_equal(node->depth, 0);
	} else {
		const struct frame_block *parent = &tree->v[node->parent - 1];
		assert_true(node->parent - 1 < i);
		assert_true(lists_child(&s->blocks.v[parent->block], k->id));
		assert_int_equal(node->depth, parent->depth + 1);
		bool further = false;
		for (size_t j = i + 1; j < tree->n; j++)
			further = further || tree->v[j].parent == node->parent;
		assert_int_equal(node->last, !further);
	}
	seen->standing[node->standing]++;
	seen->deep += node->depth > 1;
	seen->blocks++;
}

/* Every block once, its children in their order right behind it. */
static void check_tree(struct frame *f, struct seen *seen)
{
	const struct frame_blocks *tree = frame_blocks(f);
	const struct state *s = &f->run->state;
	double in = 0, out = 0;
	size_t active = 0;
	VEC(uint32_t) places = {0};
	assert_int_equal(tree->n, s->blocks.n);
	vec_fill(&places, s->blocks.n + 1);
	for (size_t i = 0; i < tree->n; i++) {
		const struct block *k = &s->blocks.v[tree->v[i].block];
		assert_int_equal(places.v[tree->v[i].block]++, 0);
		check_node(f, tree, i, seen);
		for (size_t j = 0; j < i; j++)
			assert_true(tree->v[j].key != tree->v[i].key);
		active += k->active;
		in += k->active ? k->tokens : 0;
		out += k->active ? text_tokens(text_measure(k->summary)) : 0;
	}
	assert_int_equal(tree->active[0], active);
	assert_true(tree->in[0] == in && tree->out[0] == out);
	assert_int_equal(tree->active[1] + tree->active[2] + tree->active[3], active);
	vec_free(&places);
}

/* At the end of the run the watcher knows every block of the last epoch. */
static void check_made(struct frame *f, const struct watched *w, struct seen *seen)
{
	const struct frame_blocks *tree = frame_blocks(f);
	for (size_t i = 0; i < tree->n; i++) {
		const struct frame_block *node = &tree->v[i];
		bool known = w->epochs == f->run->epochs.n && node->block < w->made.n && w->made.v[node->block] > 0;
		assert_int_equal(node->made != BLOCK_MADE_UNKNOWN, known);
		if (!known)
			continue;
		assert_int_equal(node->made, w->made.v[node->block] - 1);
		assert_int_equal(f->run->compressions.v[node->outcome].record, w->record.v[node->block]);
		assert_int_equal(frame_block_age(f, node), f->at.turn - node->made);
		seen->known++;
	}
}

static void check_session(enum generate_shape shape, uint64_t seed, struct seen *seen)
{
	struct buf b = {0};
	struct replayed s;
	struct frame f = {0};
	struct watched w = {.epochs = 1};
	generate_recording(&(struct generate_options){.shape = shape, .seed = seed, .turns = 120}, &b);
	replayed_open(&s, buf_view(&b));
	replayed_start(&s, "K60");
	s.run.observer = (struct run_observer){.compress = watch, .ctx = &w};
	replayed_finish(&s);
	uint32_t turns = (uint32_t)s.run.timeline.turns.n;
	for (uint32_t turn = 1; turn <= turns; turn += 4) {
		struct position p = {.turn = turn, .node = turn % 8 == 1 ? NODE_ASSIGN_REFS : NODE_RENDER};
		if (turn % 12 == 5)
			p.records = position_records_after(&s.run, turn);
		assert_int_equal(frame_open(&f, &s.run, p, NULL), STATUS_OK);
		check_tree(&f, seen);
		seen->states++;
	}
	struct position end = {.turn = turns, .node = NODE_RENDER, .records = position_records_after(&s.run, turns)};
	assert_int_equal(frame_open(&f, &s.run, end, NULL), STATUS_OK);
	check_made(&f, &w, seen);
	frame_close(&f);
	replayed_close(&s);
	vec_free(&w.made);
	vec_free(&w.record);
	buf_free(&b);
}

static void trees_of_generated_states(void **state)
{
	(void)state;
	struct seen seen = {0};
	for (uint64_t seed = 1; seed <= 20; seed++) {
		check_session(GENERATE_EVERYTHING, seed, &seen);
		check_session(GENERATE_TIERS, seed, &seen);
	}
	check_session(GENERATE_BOUNDED, 1, &seen);
	check_session(GENERATE_PLAIN, 1, &seen);
	assert_true(seen.states >= 1000);
	assert_true(seen.deep > 40 && seen.known > 100);
	for (int i = 0; i < BLOCK_STANDINGS; i++)
		assert_true(seen.standing[i] > 0);
}

/* A chain of blocks as deep as a stored state can make it: no recursion, and the lines keep to the window. */
static void deep_chain(void **state)
{
	(void)state;
	enum { DEEP = 5000 };
	struct buf b = {0};
	struct replayed s;
	struct frame f = {0};
	buf_text(&b, "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"state\":{\"blocks\":[");
	for (int i = 1; i <= DEEP; i++)
		buf_printf(
			&b,
			"%s{\"blockId\":\"b%d\",\"runId\":\"r1\",\"tier\":1,\"summary\":\"s\",\"directMessageIds\":[],"
			"\"effectiveMessageIds\":[],\"directBlockIds\":[\"b%d\"],\"createdAt\":0,\"survivedCount\":0,"
			"\"generation\":\"young\",\"active\":false}",
			i > 1 ? "," : "", i, i + 1);
	buf_text(&b,
		 "]}}\n{\"type\":\"message\",\"id\":\"a\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"x\"}"
		 "\n{\"type\":\"turn\"}\n");
	replayed_open(&s, buf_view(&b));
	replayed_start(&s, "K60");
	replayed_finish(&s);
	assert_int_equal(frame_open(&f, &s.run, (struct position){.turn = 1, .node = NODE_RENDER}, NULL), STATUS_OK);
	const struct frame_blocks *tree = frame_blocks(&f);
	assert_int_equal(tree->n, DEEP);
	for (size_t i = 0; i < tree->n; i++)
		assert_int_equal(tree->v[i].depth, i);
	struct view_context c = {.run = &s.run, .frame = &f, .width = 80};
	struct line l = {0};
	blocks_view.line(&c, DEEP, &l);
	assert_int_equal(l.width <= 80, 1);
	assert_true(str_find((struct str){l.bytes.p, l.bytes.n}, STR("b5000"), 0) != SIZE_MAX);
	line_free(&l);
	frame_close(&f);
	replayed_close(&s);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(trees_of_generated_states),
		cmocka_unit_test(deep_chain),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
