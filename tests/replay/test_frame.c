/* Frames: rows, marks and flags at a position, and that looking changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/report/trace.h"
#include "tests/generate.h"
#include "tests/replayed.h"

/* ---- cases ---- */

static void put_row(struct run *r, const struct frame_row *row, struct buf *b)
{
	static const struct {
		uint16_t flag;
		char letter;
	} letters[] = {{ROW_PROTECTED, 'P'}, {ROW_RECENT, 'R'}, {ROW_LAST_USER, 'U'}, {ROW_COVERED, 'C'},
		       {ROW_BLOCKED, 'B'},   {ROW_HIDDEN, 'H'}, {ROW_TRUNCATED, 'T'}, {ROW_NEW, '+'},
		       {ROW_CHANGED, '~'},   {ROW_SUMMARY, 'S'}};
	char text[REF_TEXT_MAX];
	struct str ref = state_ref_text(&r->state, row->row.ref, text);
	buf_char(b, " +~-"[row->mark]);
	buf_str(b, ref.p ? ref : STR("-"));
	buf_char(b, ' ');
	buf_str(b, names_get(&r->recording->names, row->row.id));
	buf_char(b, ' ');
	size_t none = b->n;
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
		if (row->flags & letters[i].flag)
			buf_char(b, letters[i].letter);
	if (b->n == none)
		buf_char(b, '-');
	if (row->covered_by > 0) {
		buf_char(b, ' ');
		buf_str(b, names_get(&r->recording->names, r->state.blocks.v[row->covered_by - 1].id));
	}
	if (row->range > 0)
		buf_printf(b, " g%u%s%s", row->range, row->range_edge & 1 ? "^" : "", row->range_edge & 2 ? "$" : "");
}

static void check_position(const cJSON *one, struct replayed *s, struct frame *f, const cJSON *want)
{
	struct position p;
	struct error e = {0};
	struct buf got = {0}, text = {0};
	const cJSON *line;
	size_t shown = 0;
	if (position_parse(&s->run, str_of(want->string), &p, &e) != STATUS_OK ||
	    frame_open(f, &s->run, p, &e) != STATUS_OK)
		case_fail(one, "%s: %s", want->string, e.message);
	for (size_t i = 0; i < f->rows.n; i++) {
		put_row(&s->run, &f->rows.v[i], &got);
		buf_char(&got, '\n');
		shown += f->rows.v[i].mark != MARK_REMOVED;
	}
	cJSON_ArrayForEach (line, want) {
		buf_str(&text, json_str(line));
		buf_char(&text, '\n');
	}
	case_expect_text(one, want->string, buf_view(&got), buf_view(&text));
	case_expect_count(one, "rows that are not removed", f->surface_rows, shown);
	buf_free(&got);
	buf_free(&text);
}

static void run_case(const cJSON *one, void *ctx)
{
	struct replayed s;
	struct frame f = {0};
	const cJSON *at;
	(void)ctx;
	replayed_open_case(&s, one);
	replayed_start(&s, "K60");
	replayed_finish(&s);
	/* forwards with one frame, so that it moves, then backwards */
	cJSON_ArrayForEach (at, json_get(one, "at"))
		check_position(one, &s, &f, at);
	const cJSON *first = json_get(one, "at")->child;
	for (at = first->prev; at != first; at = at->prev)
		check_position(one, &s, &f, at);
	frame_close(&f);
	replayed_close(&s);
}

static void test_cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/frame.jsonl", run_case, NULL);
}

/* Texts: as they stand with a tag, and without. */
static void test_texts(void **state)
{
	(void)state;
	struct replayed s;
	struct frame f = {0};
	struct arena a = {0};
	replayed_open(&s, STR("{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\"}\n"
			      "{\"type\":\"message\",\"id\":\"u\",\"role\":\"user\",\"contentType\":\"text\",\"text\":"
			      "\"12345\"}\n"
			      "{\"type\":\"turn\"}\n"));
	replayed_start(&s, "K60");
	replayed_finish(&s);
	assert_int_equal(frame_open(&f, &s.run, (struct position){.turn = 1, .node = NODE_RENDER}, NULL), STATUS_OK);
	assert_int_equal(f.rows.n, 1);
	assert_true(str_eq(frame_row_text(&f, &f.rows.v[0], &a), STR("12345")));
	assert_true(str_eq(frame_row_tagged_text(&f, &f.rows.v[0], &a),
			   STR("<acp tokens=\"2\" type=\"text\">m00001</acp>\n12345")));
	assert_true(f.rows.v[0].tokens == 2);
	assert_int_equal(f.counted, COUNT_RAW);
	assert_int_equal(frame_open(&f, &s.run, (struct position){.turn = 2, .node = NODE_RENDER}, NULL), STATUS_USAGE);
	frame_close(&f);
	arena_free(&a);
	replayed_close(&s);
}

/* ---- the frame of a turn is that turn ---- */

static void keep_turn(void *ctx, struct run *r, uint32_t n, const struct moment *m) { trace_turn(ctx, r, n, m); }

static void check_turn(struct replayed *s, struct frame *f, uint32_t n, struct str line)
{
	struct trace trace = {0};
	struct error e = {0};
	struct position p = {.turn = n, .node = NODE_RENDER};
	assert_int_equal(frame_open(f, &s->run, p, &e), STATUS_OK);
	trace_position(&trace, f);
	if (!str_eq(buf_view(&trace.out), line)) {
		print_error("turn %u:\n%.900s\nthe first pass had:\n%.900s\n", n, trace.out.p, line.p);
		fail();
	}
	trace_free(&trace);
}

static uint64_t mixed(uint64_t *seed)
{
	return (*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u) >> 33;
}

/* Every turn, opened in any order with looks at single nodes in between, is what the first pass reported, byte for
 * byte. */
static void check_session(enum generate_shape shape, uint64_t seed)
{
	struct replayed s;
	struct trace trace = {0};
	struct frame f = {0};
	struct buf text = {0};
	VEC(struct str) lines = {0};
	generate_recording(&(struct generate_options){.shape = shape, .seed = seed, .turns = 40}, &text);
	replayed_open(&s, buf_view(&text));
	buf_free(&text);
	replayed_start(&s, "K60");
	s.run.observer = (struct run_observer){.turn = keep_turn, .ctx = &trace};
	replayed_finish(&s);
	struct str all = buf_view(&trace.out);
	for (size_t at = 0; at < all.n;) {
		size_t end = str_find(all, STR("\n"), at);
		vec_push(&lines, str_cut(all, at, end));
		at = end + 1;
	}
	size_t n = s.run.timeline.turns.n;
	assert_int_equal(lines.n, n);
	assert_true(n >= 40);
	for (int i = 0; i < 120; i++) {
		uint32_t turn = 1 + (uint32_t)(mixed(&seed) % n);
		struct position look = {.turn = 1 + (uint32_t)(mixed(&seed) % n),
					.node = (enum turn_node)(mixed(&seed) % NODE_COUNT)};
		assert_int_equal(frame_open(&f, &s.run, look, NULL), STATUS_OK);
		if (i % 3 == 0)
			frame_close(&f);
		check_turn(&s, &f, turn, lines.v[turn - 1]);
	}
	frame_close(&f);
	vec_free(&lines);
	trace_free(&trace);
	replayed_close(&s);
}

static void test_frames_are_turns(void **state)
{
	(void)state;
	for (unsigned shape = 0; shape < GENERATE_SHAPES; shape++)
		for (uint64_t seed = 11; seed <= 12; seed++)
			check_session(shape, seed);
}

/* A frame open while the first pass goes on: opened again, it shows the same. */
static void test_while_loading(void **state)
{
	(void)state;
	struct replayed s;
	struct frame f = {0};
	struct buf text = {0};
	generate_recording(&(struct generate_options){.shape = GENERATE_STORM, .seed = 3, .turns = 60}, &text);
	replayed_open(&s, buf_view(&text));
	buf_free(&text);
	replayed_start(&s, "K60");
	bool more = true;
	while (more && s.run.timeline.turns.n < 5)
		more = run_step(&s.run, 1);
	uint64_t digest = s.run.timeline.turns.v[4].digest;
	for (; more; more = run_step(&s.run, 500)) {
		assert_int_equal(frame_open(&f, &s.run, (struct position){.turn = 5, .node = NODE_RENDER}, NULL),
				 STATUS_OK);
		assert_true(turn_digest(&f.turn, &s.run.state, &s.run.alternatives) == digest);
	}
	uint64_t hash = s.run.chain.hash;
	frame_close(&f);
	run_free(&s.run);
	replayed_start(&s, "K60");
	replayed_finish(&s);
	assert_true(s.run.chain.hash == hash);
	replayed_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_frames_are_turns),
		cmocka_unit_test(test_while_loading),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
