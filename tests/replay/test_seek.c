/*
 * Wherever a run is moved to, and by whatever way, it shows what straight
 * replay showed there: the stored form of the kernel state before every record,
 * and view digest and numbers of every turn, worked out again by frames. A
 * thousand seeks a session, some of them while its first pass still runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/fnv.h"
#include "replay/frame.h"
#include "tests/generate.h"
#include "tests/replayed.h"

enum { SEEKS = 1000, TYPED_SESSIONS = 50 };

struct walk {
	const char *name;
	uint64_t seed;
	struct replayed session;  /* the run that is moved about */
	VEC(uint64_t) before;     /* hash of the state before each record, and after the last, in straight replay */
	VEC(struct moment) turns; /* of straight replay */
	struct buf text;
	uint64_t random;
	unsigned frames; /* one seek in so many opens a frame */
};

/* xorshift64 */
static size_t draw(struct walk *w, size_t n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (size_t)(w->random % n);
}

/* Nodes in order; the window in force is of the moment, too. */
static uint64_t surface_hash(const struct run *r, uint64_t h)
{
	const struct dsh_surface *s = &r->dsh.fold.surface;
	for (uint32_t row = dsh_surface_first(s); row != DSH_NONE; row = dsh_surface_next(s, row))
		h = fnv_u64(h, row + 1);
	return fnv_u64(h, s->generation);
}

/* The stored form, the host's list beside it, and the surface of a DSH log. */
static uint64_t state_hash(struct walk *w, const struct run *r)
{
	const struct state *s = &r->state;
	buf_cut(&w->text, 0);
	state_write(s, &w->text);
	uint64_t h = fnv_text(FNV_START, buf_view(&w->text));
	for (size_t i = 0; i < s->rows.n; i++)
		h = fnv_u64(h, s->rows.v[i]);
	return run_is_dsh(r) ? fnv_u64(surface_hash(r, h), (uint64_t)run_dsh_tokens(r)) : h;
}

static void expect(const struct walk *w, const char *what, size_t where, uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	print_error("%s, seed %llu: %s at %zu differs from straight replay\n", w->name, (unsigned long long)w->seed,
		    what, where);
	fail();
}

/* A run of its own that only goes forward, a record at a time. */
static void replay_straight(struct walk *w, const char *profile, const char *options)
{
	struct run straight;
	struct policy policy;
	size_t n = w->session.recording.records.n;
	bool more = true;
	policy_for_host(&policy, w->session.recording.host);
	if (profile != NULL)
		assert_int_equal(policy_profile(&policy, str_of(profile), NULL), STATUS_OK);
	if (options != NULL)
		assert_int_equal(policy_apply(&policy, str_of(options), NULL), STATUS_OK);
	assert_int_equal(run_init(&straight, &w->session.recording, &policy, &(struct run_options){.limit = NAN}, NULL),
			 STATUS_OK);
	vec_fill(&w->before, n + 1);
	w->before.v[0] = state_hash(w, &straight);
	while (more) {
		more = run_step(&straight, 1); /* one record: each counts as one visible row at least */
		w->before.v[straight.next] = state_hash(w, &straight);
	}
	assert_int_equal(straight.next, n);
	for (size_t i = 0; i < straight.timeline.turns.n; i++)
		vec_push(&w->turns, straight.timeline.turns.v[i]);
	run_free(&straight);
}

static void seek_record(struct walk *w)
{
	size_t to = draw(w, w->session.run.next + 1);
	run_seek(&w->session.run, to);
	expect(w, "the state before a record", to, state_hash(w, &w->session.run), w->before.v[to]);
}

/* The chain of hashes that the moved run has made so far. */
static void compare_chain(struct walk *w)
{
	const struct timeline *t = &w->session.run.timeline;
	for (size_t i = 0; i < t->turns.n; i++) {
		expect(w, "the digest", i + 1, t->turns.v[i].digest, w->turns.v[i].digest);
		expect(w, "the chain", i + 1, t->turns.v[i].hash, w->turns.v[i].hash);
	}
}

/* A frame of a whole turn must show the view the turn had. */
static void compare_frame(struct walk *w, struct frame *f)
{
	size_t turn = f->at.turn;
	const struct moment *m = &w->turns.v[turn - 1];
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
		expect(w, "the state a frame leaves", p.turn, state_hash(w, r), w->before.v[position_record(r, p)]);
	}
}

static void seek(struct walk *w, struct frame *f)
{
	if (draw(w, w->frames) == 0)
		open_frame(w, f);
	else
		seek_record(w);
}

/* Seeks while the first pass is on its way, then all over the whole. The run is not finished by one step on purpose. */
static void walk(struct walk *w, const char *profile, const char *options)
{
	struct frame f = {0};
	size_t records = w->session.recording.records.n;
	int done = 0, early = SEEKS / 5;
	w->random = w->seed * 2 + 1;
	replay_straight(w, profile, options);
	replayed_start_with(&w->session, profile, options != NULL ? str_of(options) : (struct str){NULL, 0});
	while (run_step(&w->session.run, 1 + draw(w, 2000)))
		for (size_t i = records / 200 + 1; i > 0 && done < early; i--, done++)
			seek(w, &f);
	compare_chain(w);
	for (; done < SEEKS; done++)
		seek(w, &f);
	compare_chain(w);
	frame_close(&f);
	replayed_close(&w->session);
	vec_free(&w->before);
	vec_free(&w->turns);
	buf_free(&w->text);
}

static void walk_session(const struct generate_options *o, const char *profile)
{
	struct walk w = {.name = generate_shape_name(o->shape), .seed = o->seed, .frames = 20};
	struct buf text = {0};
	generate_recording(o, &text);
	replayed_open(&w.session, buf_view(&text));
	walk(&w, profile, NULL);
	buf_free(&text);
}

static void walk_file(const char *path, const char *profile, const char *options)
{
	struct walk w = {.name = path, .seed = 1, .frames = 3};
	struct error e = {0};
	w.session = (struct replayed){0};
	if (recording_load(&w.session.recording, path, NULL, &e) != STATUS_OK)
		fail_msg("%s: %s", path, e.message);
	walk(&w, profile, options);
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);
	return n >= m && strcmp(name + n - m, end) == 0;
}

/* Every file a user is given; what lies beside one (a state the host stored) is none. */
static void samples(void **state)
{
	(void)state;
	size_t files = 0, logs = 0;
	DIR *d = opendir("sample-sessions");
	assert_non_null(d);
	for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
		char path[512];
		if (!ends_with(entry->d_name, ".jsonl") && !ends_with(entry->d_name, ".jsonl.zstd"))
			continue;
		snprintf(path, sizeof path, "sample-sessions/%s", entry->d_name);
		walk_file(path, NULL, NULL); /* the host's own profile */
		walk_file(path, "K60", NULL);
		files++;
		if (strncmp(entry->d_name, "dsh-", 4) != 0)
			continue;
		walk_file(path, "B0", NULL);
		walk_file(path, "F1", "whatif=on");
		walk_file(path, "B0", "follow=engine");
		logs++;
	}
	closedir(d);
	assert_true(files >= 6);
	assert_true(logs >= 6);
}

/* The recording must hold every type there is, or the test would say nothing of it. */
static void assert_every_type(const struct generate_options *o, const struct recording *r)
{
	size_t count[RECORD_TYPE_COUNT] = {0};
	for (size_t i = 0; i < r->records.n; i++)
		count[r->records.v[i].type]++;
	for (int type = 0; type < RECORD_TYPE_COUNT; type++)
		if (count[type] == 0)
			fail_msg("seed %llu has no record of type %s", (unsigned long long)o->seed,
				 record_type_name((enum record_type)type));
}

static void every_type(void **state)
{
	size_t pi = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= TYPED_SESSIONS; seed++) {
		struct generate_options o = {GENERATE_TYPES, seed, GENERATE_TYPES_TURNS + (uint32_t)seed, false};
		struct replayed s;
		struct buf text = {0};
		generate_recording(&o, &text);
		replayed_open(&s, buf_view(&text));
		assert_every_type(&o, &s.recording);
		bool is_pi = str_eq(s.recording.host, STR("pi"));
		replayed_close(&s);
		buf_free(&text);
		walk_session(&o, "K60");
		if (is_pi)
			walk_session(&o, "P342");
		pi += is_pi;
	}
	assert_int_equal(pi, TYPED_SESSIONS / 2);
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
		walk_session(&(struct generate_options){shape, seed, turns, damaged}, seed % 2 == 0 ? "K41" : "K60");
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
		cmocka_unit_test(plain),      cmocka_unit_test(storm),
		cmocka_unit_test(bounded),    cmocka_unit_test(cjk),
		cmocka_unit_test(tiers),      cmocka_unit_test(everything),
		cmocka_unit_test(damaged),    cmocka_unit_test(samples),
		cmocka_unit_test(every_type), cmocka_unit_test(visits_leave_nothing),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
