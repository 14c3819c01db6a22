/*
 * Wherever a run is moved to, and by whatever way, it shows what straight
 * replay showed there: the stored form of the kernel state before every record,
 * and view digest and numbers of every turn, worked out again by frames.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/fnv.h"
#include "replay/frame.h"
#include "tests/generate.h"
#include "tests/replayed.h"

struct walk {
	const struct generate_options *o;
	struct replayed session;
	uint64_t *before; /* hash of the state before each record, and after the last */
	uint64_t random;
	struct buf text;
};

/* xorshift64 */
static size_t draw(struct walk *w, size_t n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (size_t)(w->random % n);
}

/* The stored form, and the host's list beside it. */
static uint64_t state_hash(struct walk *w)
{
	const struct state *s = &w->session.run.state;
	buf_cut(&w->text, 0);
	state_write(s, &w->text);
	uint64_t h = fnv_text(FNV_START, buf_view(&w->text));
	for (size_t i = 0; i < s->rows.n; i++)
		h = fnv_u64(h, s->rows.v[i]);
	return h;
}

static void expect(const struct walk *w, const char *what, size_t where, uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	print_error("%s, seed %llu: %s at %zu differs from straight replay\n", generate_shape_name(w->o->shape),
		    (unsigned long long)w->o->seed, what, where);
	fail();
}

static void replay_straight(struct walk *w)
{
	struct run *r = &w->session.run;
	size_t n = r->recording->records.n;
	bool more = true;
	w->before = mem_resize(NULL, n + 1, sizeof *w->before);
	w->before[0] = state_hash(w);
	while (more) {
		more = run_step(r, 1); /* one record: each counts as one visible row at least */
		w->before[r->next] = state_hash(w);
	}
	assert_int_equal(r->next, n);
}

static void seek_record(struct walk *w)
{
	size_t to = draw(w, w->session.recording.records.n + 1);
	run_seek(&w->session.run, to);
	expect(w, "the state before a record", to, state_hash(w), w->before[to]);
}

/* A frame of a whole turn must show the view the turn had. */
static void compare_frame(struct walk *w, struct frame *f)
{
	const struct moment *m = f->moment;
	size_t turn = f->at.turn;
	expect(w, "rows", turn, f->surface_rows, m->surface);
	expect(w, "the digest", turn, turn_digest(&f->turn, &f->run->state, &f->run->alternatives), m->digest);
	expect(w, "the nudge", turn, f->turn.nudge.inject ? (uint64_t)f->turn.nudge.tier : 0, m->nudge_tier);
	expect(w, "recommended ranges", turn, f->turn.rec.recommended.n, m->recommended);
	expect(w, "protected ranges", turn, f->turn.rec.protected_ranges.n, m->protected_ranges);
}

static void open_frame(struct walk *w, struct frame *f)
{
	struct run *r = &w->session.run;
	struct error e = {0};
	struct position p = {.turn = (uint32_t)draw(w, r->timeline.turns.n + 1), .node = NODE_RENDER};
	bool inside = draw(w, 3) == 0;
	if (inside && p.turn > 0)
		p.node = (enum turn_node)draw(w, NODE_COUNT);
	else if (inside || p.turn == 0)
		p.records = (uint32_t)draw(w, position_records_after(r, p.turn) + 1);
	assert_int_equal(frame_open(f, r, p, &e), STATUS_OK);
	if (!f->capacity && p.node == NODE_RENDER && p.records == 0 && p.turn > 0)
		compare_frame(w, f);
	if (draw(w, 2) == 0) { /* else the next seek meets an open frame */
		frame_close(f);
		expect(w, "the state a frame leaves", p.turn, state_hash(w), w->before[position_record(r, p)]);
	}
}

static void run_session(const struct generate_options *o)
{
	struct walk w = {.o = o, .random = o->seed * 2 + 1};
	struct frame f = {0};
	struct buf text = {0};
	generate_recording(o, &text);
	replayed_open(&w.session, buf_view(&text));
	replayed_start(&w.session, o->seed % 2 == 0 ? "K41" : "K60");
	replay_straight(&w);
	for (int i = 0; i < 25; i++)
		if (draw(&w, 2) == 0)
			seek_record(&w);
		else
			open_frame(&w, &f);
	frame_close(&f);
	replayed_close(&w.session);
	free(w.before);
	buf_free(&w.text);
	buf_free(&text);
}

/* Looking at every turn, there and back. */
static void visit_all(struct run *r, struct frame *f)
{
	uint32_t n = (uint32_t)r->timeline.turns.n;
	for (uint32_t i = 0; i < 2 * n; i++) {
		uint32_t turn = i < n ? i + 1 : 2 * n - i;
		struct position p = {.turn = turn, .node = NODE_RENDER};
		assert_int_equal(frame_open(f, r, p, NULL), STATUS_OK);
	}
}

/* A rewritten call is one text for each set of its active blocks, however often one looks. */
static size_t visit_twice(const struct generate_options *o)
{
	struct replayed session;
	struct frame f = {0};
	struct buf text = {0};
	generate_recording(o, &text);
	replayed_open(&session, buf_view(&text));
	replayed_start(&session, "K60");
	while (run_step(&session.run, SIZE_MAX))
		;
	visit_all(&session.run, &f);
	size_t texts = session.run.alternatives.list.n;
	visit_all(&session.run, &f);
	assert_int_equal(session.run.alternatives.list.n, texts);
	frame_close(&f);
	replayed_close(&session);
	buf_free(&text);
	return texts - 1; /* the first one is unused */
}

static void visits_leave_nothing(void **state)
{
	size_t texts = 0;
	(void)state;
	for (uint64_t seed = 11; seed <= 15; seed++) {
		texts += visit_twice(&(struct generate_options){GENERATE_PLAIN, seed, 60, false});
		texts += visit_twice(&(struct generate_options){GENERATE_CJK, seed, 60, false});
	}
	assert_true(texts > 20);
}

static void run_shape(enum generate_shape shape, uint64_t seeds, uint32_t turns, bool damaged)
{
	for (uint64_t seed = 1; seed <= seeds; seed++)
		run_session(&(struct generate_options){shape, seed, turns, damaged});
}

static void plain(void **state) { (void)state, run_shape(GENERATE_PLAIN, 30, 40, false); }
static void storm(void **state) { (void)state, run_shape(GENERATE_STORM, 30, 50, false); }
static void bounded(void **state) { (void)state, run_shape(GENERATE_BOUNDED, 5, 300, false); }
static void cjk(void **state) { (void)state, run_shape(GENERATE_CJK, 25, 40, false); }
static void tiers(void **state) { (void)state, run_shape(GENERATE_TIERS, 20, 60, false); }
static void everything(void **state) { (void)state, run_shape(GENERATE_EVERYTHING, 65, 50, false); }
static void damaged(void **state) { (void)state, run_shape(GENERATE_EVERYTHING, 25, 50, true); }

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),   cmocka_unit_test(storm),
		cmocka_unit_test(bounded), cmocka_unit_test(cjk),
		cmocka_unit_test(tiers),   cmocka_unit_test(everything),
		cmocka_unit_test(damaged), cmocka_unit_test(visits_leave_nothing),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
