/*
 * What must hold of any diff, on generated sessions: a run is the same as
 * itself, the other way round everything is swapped, and turn by turn the kinds
 * of differences are those between the two JSON traces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "replay/frame_request.h"
#include "tests/compared.h"
#include "tests/generate.h"

enum { IDENTITY_SESSIONS = 200, SWAPPED_SESSIONS = 60, TRACED_SESSIONS = 60 };

static void open_generated(struct replayed *r, uint64_t seed, uint32_t turns)
{
	struct buf text = {0};
	struct generate_options o = {
		.shape = (enum generate_shape)(seed % GENERATE_SHAPES), .seed = seed, .turns = turns};
	generate_recording(&o, &text);
	replayed_open(r, buf_view(&text));
	buf_free(&text);
}

static void test_identity(void **state)
{
	static const char *const policies[] = {"profile=K41", "profile=K60", "profile=K60,follow=recorded",
					       "profile=K60,limit=9000", "profile=P342"};
	(void)state;
	for (uint64_t seed = 1; seed <= IDENTITY_SESSIONS; seed++) {
		struct compared p;
		const char *policy = policies[seed % (sizeof policies / sizeof *policies)];
		open_generated(&p.file[0], seed, GENERATE_TYPES_TURNS);
		compared_begin(&p, &p.file[0].recording, policy, &p.file[0].recording, policy);
		if (!diff_same(&p.d) || p.d.differing != 0 || p.d.calls.n != 0)
			fail_msg("seed %u, %s: differs from itself", (unsigned)seed, policy);
		assert_int_equal(p.d.steps.n, p.side[0].run.timeline.turns.n);
		assert_int_equal(p.d.paired, p.d.steps.n);
		for (size_t i = 0; i < p.d.effects_n; i++)
			assert_true(p.d.effects[i].value[0] == p.d.effects[i].value[1] ||
				    (isnan(p.d.effects[i].value[0]) && isnan(p.d.effects[i].value[1])));
		compared_end(&p);
		replayed_close(&p.file[0]);
	}
}

/* The same session read twice is two recordings; by their rows all turns are found again. */
static void test_identity_of_two(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct compared p;
		open_generated(&p.file[0], seed, GENERATE_TYPES_TURNS);
		open_generated(&p.file[1], seed, GENERATE_TYPES_TURNS);
		compared_begin(&p, &p.file[0].recording, "profile=K60", &p.file[1].recording, "profile=K60");
		if (!diff_same(&p.d))
			fail_msg("seed %u: differs from its copy", (unsigned)seed);
		assert_int_equal(p.d.paired, p.side[0].run.timeline.turns.n);
		compared_end(&p);
		replayed_close(&p.file[0]);
		replayed_close(&p.file[1]);
	}
}

static const char *const different[][2] = {
	{"profile=K41", "profile=K60"},
	{"profile=K60", "profile=K60,limit=9000"},
	{"profile=K60", "profile=K60,follow=recorded"},
	{"profile=K60", "profile=P342"},
	{"profile=K41,limit=30000", "profile=P342,hide=full"},
};
enum { DIFFERENT = sizeof different / sizeof *different };

static void expect_swapped(const struct diff *a, const struct diff *b)
{
	assert_int_equal(a->steps.n, b->steps.n);
	assert_int_equal(a->differing, b->differing);
	assert_int_equal(a->details_n, b->details_n);
	assert_int_equal(a->counterfactual[0], b->counterfactual[1]);
	assert_int_equal(a->counterfactual[1], b->counterfactual[0]);
	for (size_t i = 0; i < a->steps.n; i++) {
		assert_int_equal(a->steps.v[i].kinds, b->steps.v[i].kinds);
		assert_int_equal(a->steps.v[i].turn[0], b->steps.v[i].turn[1]);
		assert_int_equal(a->steps.v[i].turn[1], b->steps.v[i].turn[0]);
	}
	for (size_t i = 0; i < a->details_n; i++) {
		const struct diff_detail *x = &a->details[i], *y = &b->details[i];
		assert_int_equal(x->kind, y->kind);
		assert_int_equal(x->step, y->step);
		assert_int_equal(x->only[0], y->only[1]);
		assert_int_equal(x->only[1], y->only[0]);
		assert_int_equal(x->both, y->both);
		if (x->both + x->only[0] + x->only[1] > DIFF_LINES_MAX)
			continue;
		for (size_t k = 0; k < x->n; k++) {
			size_t m = 0;
			while (m < y->n && !(str_eq(x->lines[k].id, y->lines[m].id) &&
					     str_eq(x->lines[k].value[0], y->lines[m].value[1]) &&
					     str_eq(x->lines[k].value[1], y->lines[m].value[0])))
				m++;
			if (m == y->n && x->kind != DIFF_TURNS) /* these are called after their side */
				fail_msg("%s: a line has no counterpart", diff_kind_name(x->kind));
		}
	}
	assert_int_equal(a->effects_n, b->effects_n);
	for (size_t i = 0; i < a->effects_n; i++) {
		double x = diff_change(&a->effects[i]), y = diff_change(&b->effects[i]);
		assert_true(x == -y || (isnan(x) && isnan(y)));
	}
}

static void test_swapped(void **state)
{
	size_t differed = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= SWAPPED_SESSIONS; seed++) {
		struct compared p, q;
		const char *const *policy = different[seed % DIFFERENT];
		open_generated(&p.file[0], seed, GENERATE_TYPES_TURNS);
		compared_begin(&p, &p.file[0].recording, policy[0], &p.file[0].recording, policy[1]);
		compared_begin(&q, &p.file[0].recording, policy[1], &p.file[0].recording, policy[0]);
		expect_swapped(&p.d, &q.d);
		differed += !diff_same(&p.d);
		compared_end(&q);
		compared_end(&p);
		replayed_close(&p.file[0]);
	}
	assert_true(differed > SWAPPED_SESSIONS / 3);
}

/* ---- a watch that goes on from the turn before ---- */

struct forgetful {
	struct run run;
	struct diff_watch watch;
	struct run_observer watching;
};

/* Forgets all it has of the turn before. */
static void on_turn(void *ctx, struct run *r, uint32_t n, const struct moment *m)
{
	struct forgetful *f = ctx;
	f->watching.turn(f->watching.ctx, r, n, m);
	f->watch.begun = false;
	f->watch.kept = 0;
}

static void on_compress(void *ctx, struct run *r, const struct compress_event *e)
{
	struct forgetful *f = ctx;
	f->watching.compress(f->watching.ctx, r, e);
}

/* Must have the hashes of one that takes everything anew at every turn. */
static void check_going_on(struct recording *rec, const char *options, const char *name)
{
	struct compared p;
	struct forgetful f = {.run = {0}};
	struct policy policy;
	compared_begin(&p, rec, options, rec, options);
	policy_for_host(&policy, rec->host);
	assert_int_equal(policy_apply(&policy, str_of(options), NULL), STATUS_OK);
	assert_int_equal(run_init(&f.run, rec, &policy, &(struct run_options){.limit = NAN}, NULL), STATUS_OK);
	diff_watch_begin(&f.watch, &f.run);
	f.watching = f.run.observer;
	f.run.observer = (struct run_observer){on_turn, on_compress, &f};
	while (run_step(&f.run, 500))
		;
	assert_int_equal(f.watch.turns.n, p.side[0].watch.turns.n);
	for (size_t i = 0; i < f.watch.turns.n; i++)
		for (int k = 0; k < PART_COUNT; k++)
			if (f.watch.turns.v[i].part[k] != p.side[0].watch.turns.v[i].part[k])
				fail_msg("%s, %s, turn %zu: part %d is another one taken anew", name, options, i + 1,
					 k);
	diff_watch_free(&f.watch);
	run_free(&f.run);
	compared_end(&p);
}

static void test_going_on(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TRACED_SESSIONS; seed++) {
		struct replayed s;
		char name[32];
		snprintf(name, sizeof name, "seed %u", (unsigned)seed);
		open_generated(&s, seed, GENERATE_TYPES_TURNS);
		check_going_on(&s.recording, seed % 4 < 2 ? "profile=K60" : "profile=P342", name);
		replayed_close(&s);
	}
}

/* ---- /compact runs a turn between two turns ---- */

static void put_row(struct buf *b, const char *id, const char *role, unsigned units)
{
	buf_printf(b, "{\"type\":\"message\",\"id\":\"%s\",\"role\":\"%s\",\"contentType\":\"text\",\"text\":\"", id,
		   role);
	for (unsigned i = 0; i < units; i++)
		buf_char(b, 'x');
	buf_text(b, "\"}\n");
}

/*
 * Turn 1 has r1 to r3; then back to r1 and r4 to r6, a /compact that nobody answers, and another one, or the line of a
 * compaction that an extension supplied, before turn 2. The turns of /compact have r1 and r4 to r6 already: all rows of
 * turn 2 are those of the second one, and only the first row is that of turn 1. A summary shorter than 5 units is
 * refused; without one nobody answered.
 */
static void open_compacted(struct replayed *s, bool hook, const char *summary)
{
	struct buf b = {0};
	buf_text(&b, "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"pi\",\"model\":\"m\",\"config\":"
		     "{\"preserveRecentMessages\":0,\"preserveRecentTokens\":0,"
		     "\"compress\":{\"minCompressRange\":0,\"minSummaryLength\":5}}}\n");
	put_row(&b, "r1", "user", 40);
	put_row(&b, "r2", "assistant", 200);
	put_row(&b, "r3", "user", 240);
	buf_text(&b, "{\"type\":\"turn\"}\n{\"type\":\"rewind\",\"to\":\"r1\"}\n");
	put_row(&b, "r4", "assistant", 400);
	put_row(&b, "r5", "user", 240);
	put_row(&b, "r6", "assistant", 400);
	buf_text(&b, "{\"type\":\"compact\"}\n");
	buf_text(&b, hook ? "{\"type\":\"keep\",\"from\":\"r1\",\"tokensBefore\":9,\"fromHook\":true"
			  : "{\"type\":\"compact\"");
	if (summary != NULL)
		buf_printf(&b, hook ? ",\"summary\":\"%s\"" : ",\"reply\":\"{\\\"summary\\\":\\\"%s\\\"}\"", summary);
	buf_text(&b, "}\n");
	buf_text(&b, "{\"type\":\"turn\"}\n");
	put_row(&b, "r7", "user", 40);
	buf_text(&b, "{\"type\":\"turn\"}\n");
	replayed_open(s, buf_view(&b));
	buf_free(&b);
}

static void expect_effect(const struct diff *d, const char *key, double left, double right)
{
	for (size_t i = 0; i < d->effects_n; i++) {
		if (strcmp(d->effects[i].key, key) != 0)
			continue;
		if (d->effects[i].value[0] != left || d->effects[i].value[1] != right)
			fail_msg("%s: %g and %g, want %g and %g", key, d->effects[i].value[0], d->effects[i].value[1],
				 left, right);
		return;
	}
	assert_true(left == 0 && right == 0); /* of which nothing is said */
}

static void test_compact_between(void **state)
{
	(void)state;
	for (size_t i = 0; i < 6; i++) {
		static const char *const summaries[] = {NULL, "s", "what was found"};
		struct compared p;
		struct replayed *s = &p.file[0];
		bool hook = i % 2 == 1, made = i / 2 == 2;
		open_compacted(s, hook, summaries[i / 2]);
		check_going_on(&s->recording, "profile=C143", hook ? "keep" : "compact");
		compared_begin(&p, &s->recording, "profile=C143,compact=off", &s->recording, "profile=C143");
		/* 7.2.3: the turn is kept, and where no block was made nothing else is another thing */
		assert_int_equal(p.d.count[DIFF_ROWS].n, made ? 2 : 0);
		assert_int_equal(p.side[1].run.pi.compacted.n, 2);
		assert_int_equal(p.side[1].run.pi.compacted.v[1].block != 0, made);
		expect_effect(&p.d, "blocks", 0, made);
		/* r4 to r6 with their tags, <acp tokens="100" type="text">m00004</acp> and a line feed: 43 units in
		 * front of 400, 42 of 240 (60 tokens): 111 + 71 + 111 */
		expect_effect(&p.d, "folded", 0, made ? 111 + 71 + 111 : 0);
		compared_end(&p);
		replayed_close(s);
	}
}

/* ---- against the traces ---- */

/* Lines of both traces, one after the other. */
struct traced {
	struct arena arena;
	size_t at[2];
	uint32_t turn, calls; /* turns and differing calls passed */
	bool found;           /* a line that differs was met */
	bool call_found;      /* the first of them is a compress line .. */
	uint32_t found_at;    /* .. after this turn, or this turn itself */
};

static const cJSON *next_line(struct traced *t, const struct trace *trace, int side)
{
	struct str all = buf_view(&trace->out);
	if (t->at[side] >= all.n)
		return NULL;
	size_t end = str_find(all, STR("\n"), t->at[side]);
	const cJSON *tree = json_tree(&t->arena, str_cut(all, t->at[side], end), NULL, NULL);
	assert_non_null(tree);
	t->at[side] = end + 1;
	return tree;
}

static bool same_member(const cJSON *a, const cJSON *b, const char *name)
{
	struct buf x = {0}, y = {0};
	a = json_get(a, name);
	b = json_get(b, name);
	if (a == NULL || b == NULL)
		return a == b;
	json_put(&x, a);
	json_put(&y, b);
	bool same = str_eq(buf_view(&x), buf_view(&y));
	buf_free(&x);
	buf_free(&y);
	return same;
}

static bool same_members(const cJSON *a, const cJSON *b, const char *const *names)
{
	for (; *names != NULL; names++)
		if (!same_member(a, b, *names))
			return false;
	return true;
}

/* Members of a turn, and of its nudge, by kind; of rows and texts see below. */
static const struct {
	enum diff_kind kind;
	const char *members[4], *nudge[4];
} traced_kinds[] = {
	{DIFF_TOKENS, {"tokenCount"}, {NULL}},
	{DIFF_BLOCKS, {"blocks"}, {NULL}},
	{DIFF_RECOMMENDED, {"recommended"}, {NULL}},
	{DIFF_PROTECTED, {"protected"}, {NULL}},
	{DIFF_NUDGE, {NULL}, {"shouldInject", "tier", "targets"}},
	{DIFF_FIGURES, {"nudgeState"}, {"breakdown", "context"}},
	{DIFF_TOTALS, {"stats", "snapshot"}, {NULL}},
};
static const char *const view_members[] = {"rows", "view", NULL};
static const char *const refs_members[] = {"refs", "lastRef", NULL};
static const char *const call_members[] = {
	"callId",           "parse",  "invalidItems", "ranges", "applied", "blocksCreated",
	"tokensCompressed", "errors", "warnings",     NULL};

static void expect_bit(const struct diff_step *s, enum diff_kind k, bool want, uint64_t seed)
{
	if ((s->kinds >> k & 1) != want)
		fail_msg("seed %u, turn %u: %s differ in the %s only", (unsigned)seed, s->turn[0], diff_kind_name(k),
			 want ? "traces" : "diff");
}

/* Whether the core members of a turn are the same; its kinds must be those of the diff. */
static bool check_turn(const cJSON *a, const cJSON *b, const struct diff_step *s, uint64_t seed)
{
	bool same = same_members(a, b, view_members) && same_members(a, b, refs_members);
	expect_bit(s, DIFF_TURNS, false, seed);
	if (json_get(a, "error") != NULL || json_get(b, "error") != NULL)
		return same && same_member(a, b, "error");
	for (size_t i = 0; i < sizeof traced_kinds / sizeof *traced_kinds; i++) {
		bool equal = same_members(a, b, traced_kinds[i].members) &&
			     same_members(json_get(a, "nudge"), json_get(b, "nudge"), traced_kinds[i].nudge);
		expect_bit(s, traced_kinds[i].kind, !equal, seed);
		same = same && equal;
	}
	bool view = (s->kinds >> DIFF_ROWS & 1) != 0 || (s->kinds >> DIFF_TEXT & 1) != 0;
	assert_int_equal(view, !same_members(a, b, view_members));
	if (!same_members(a, b, refs_members))
		expect_bit(s, DIFF_REFS, true, seed);
	return same;
}

static void meet(struct traced *t, bool same, bool call, uint32_t turn)
{
	if (same || t->found)
		return;
	t->found = true;
	t->call_found = call;
	t->found_at = turn;
}

static void check_lines(struct traced *t, const struct compared *p, uint64_t seed)
{
	const cJSON *a, *b;
	while ((a = next_line(t, &p->side[0].trace, 0)) != NULL) {
		b = next_line(t, &p->side[1].trace, 1);
		assert_true(b != NULL && same_member(a, b, "type"));
		if (str_eq(json_str(json_get(a, "type")), STR("compress"))) {
			bool same = same_members(a, b, call_members);
			t->calls += !same;
			meet(t, same, true, t->turn);
			continue;
		}
		t->turn++;
		meet(t, check_turn(a, b, &p->d.steps.v[t->turn - 1], seed), false, t->turn);
	}
	assert_null(next_line(t, &p->side[1].trace, 1));
}

/* Ids of the view, in order, as a frame has them. */
static void put_ids(struct compared_side *s, uint32_t turn, struct buf *b)
{
	struct frame f = {0};
	assert_int_equal(frame_open(&f, &s->run, (struct position){.turn = turn, .node = NODE_RENDER}, NULL),
			 STATUS_OK);
	for (size_t i = 0; i < f.rows.n; i++) {
		if (f.rows.v[i].mark == MARK_REMOVED)
			continue;
		json_put_str(b, names_get(&s->run.recording->names, f.rows.v[i].row.id));
	}
	frame_close(&f);
}

/* Other rows, or the same ones with other texts: what the digests of a trace cannot tell, frames can. */
static size_t check_rows(struct compared *p, uint64_t seed)
{
	size_t asked = 0;
	for (size_t i = 0; i < p->d.steps.n; i++) {
		const struct diff_step *s = &p->d.steps.v[i];
		struct buf left = {0}, right = {0};
		if (p->side[0].run.timeline.turns.v[i].rows != p->side[1].run.timeline.turns.v[i].rows)
			continue; /* the host's list differs already */
		put_ids(&p->side[0], s->turn[0], &left);
		put_ids(&p->side[1], s->turn[1], &right);
		expect_bit(s, DIFF_ROWS, !str_eq(buf_view(&left), buf_view(&right)), seed);
		asked += (s->kinds >> DIFF_ROWS & 1) != 0;
		buf_free(&left);
		buf_free(&right);
	}
	return asked;
}

static void test_traces(void **state)
{
	size_t found = 0, calls = 0, rows = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= TRACED_SESSIONS; seed++) {
		struct compared p;
		struct traced t = {.turn = 0};
		/* the first policies, K41 and K60, of every other seed */
		const char *const *policy = different[seed % 2 == 0 ? 0 : seed / 2 % DIFFERENT];
		open_generated(&p.file[0], seed, GENERATE_TYPES_TURNS);
		compared_begin(&p, &p.file[0].recording, policy[0], &p.file[0].recording, policy[1]);
		check_lines(&t, &p, seed);
		assert_int_equal(t.turn, p.d.steps.n);
		assert_int_equal(t.calls, p.d.calls.n);
		assert_int_equal(t.found, !diff_same(&p.d));
		if (t.found) {
			const struct diff_detail *first = &p.d.details[0];
			if ((first->kind == DIFF_CALLS) != t.call_found || first->turn[0] != t.found_at)
				fail_msg("seed %u: first difference at %u of the traces, %u of the diff",
					 (unsigned)seed, t.found_at, first->turn[0]);
		}
		found += t.found;
		calls += t.calls;
		rows += check_rows(&p, seed);
		arena_free(&t.arena);
		compared_end(&p);
		replayed_close(&p.file[0]);
	}
	/* the sessions are worth asking */
	assert_true(found > TRACED_SESSIONS / 3);
	assert_true(calls > 0);
	assert_true(rows > 0);
}

/* ---- requests ---- */

static void put_request(struct compared_side *s, uint32_t turn, struct buf *b)
{
	struct frame f = {0};
	assert_int_equal(frame_open(&f, &s->run, (struct position){.turn = turn, .node = NODE_RENDER}, NULL),
			 STATUS_OK);
	if (!f.capacity)
		frame_request_write(frame_request(&f), b);
	frame_close(&f);
}

/* Requests differ where the bytes that frames make of them do. */
static size_t check_requests(struct compared *p, const char *name)
{
	size_t differ = 0;
	assert_true(p->d.requests);
	for (size_t i = 0; i < p->d.steps.n; i++) {
		struct buf now[2] = {{0}, {0}};
		put_request(&p->side[0], (uint32_t)i + 1, &now[0]);
		put_request(&p->side[1], (uint32_t)i + 1, &now[1]);
		bool want = !str_eq(buf_view(&now[0]), buf_view(&now[1]));
		if ((p->d.steps.v[i].kinds >> DIFF_REQUEST & 1) != want)
			fail_msg("%s, turn %zu: requests differ in the %s only", name, i + 1, want ? "frames" : "diff");
		differ += want;
		buf_free(&now[0]);
		buf_free(&now[1]);
	}
	return differ;
}

static void open_branch(struct recording *rec, const char *path, const char *branch)
{
	enum status st;
	assert_int_equal(recording_open_branch(rec, path, NULL, branch, NULL), STATUS_OK);
	while (recording_load_step(rec, 1 << 20, &st, NULL))
		;
	assert_int_equal(st, STATUS_OK);
}

static void test_requests(void **state)
{
	static const struct {
		const char *path, *branch;
	} files[] = {{"sample-sessions/pi-tree.jsonl", NULL},
		     {"sample-sessions/pi-tree.jsonl", "5a000010"}, /* with a compression */
		     {"sample-sessions/refs-drift.jsonl", NULL}};
	static const char *const policies[][2] = {{"profile=P97", "profile=P342"},
						  {"profile=P342,tags=snapshot", "profile=P342"},
						  {"profile=P342,summaries=emit", "profile=P342"}};
	size_t differ = 0;
	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		for (size_t k = 0; k < sizeof policies / sizeof *policies; k++) {
			struct compared p;
			struct recording rec;
			open_branch(&rec, files[i].path, files[i].branch);
			compared_begin(&p, &rec, policies[k][0], &rec, policies[k][1]);
			differ += check_requests(&p, files[i].path);
			compared_end(&p);
			recording_free(&rec);
		}
	}
	assert_true(differ > 0);
}

static void put_entry(struct buf *b, const char *id, const char *role, unsigned units)
{
	struct buf text = {0};
	for (unsigned i = 0; i < units; i++)
		buf_char(&text, 'x');
	buf_printf(
		b,
		"{\"type\":\"message\",\"id\":\"%s\",\"role\":\"%s\",\"contentType\":\"text\",\"text\":\"%s\","
		"\"entryId\":\"%s\",\"entry\":{\"role\":\"%s\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}}\n",
		id, role, text.p, id, role, text.p);
	buf_free(&text);
}

/* 75 % of a window of 10,000 are passed at turn 2: a nudge, which says by how much the context has grown. */
static void open_nudged(struct replayed *s, unsigned tokens)
{
	struct buf b = {0};
	buf_text(&b, "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"pi\",\"model\":\"m\","
		     "\"contextLimit\":10000,"
		     "\"config\":{\"preserveRecentMessages\":0,\"preserveRecentTokens\":0}}\n");
	put_entry(&b, "r1", "user", 400);
	buf_text(&b, "{\"type\":\"turn\",\"tokenCount\":5000}\n");
	put_entry(&b, "r2", "assistant", 6000);
	put_entry(&b, "r3", "user", 400);
	buf_printf(&b, "{\"type\":\"turn\",\"tokenCount\":%u}\n", tokens);
	replayed_open(s, buf_view(&b));
	buf_free(&b);
}

/* Tails of the same length that say something else: grown by 3.1K, or 3.2K. */
static void test_other_tail(void **state)
{
	struct compared p;
	(void)state;
	open_nudged(&p.file[0], 8100);
	open_nudged(&p.file[1], 8200);
	compared_begin(&p, &p.file[0].recording, "profile=P342", &p.file[1].recording, "profile=P342");
	const struct sent *tails[] = {&p.side[0].run.sender.sent.v[1], &p.side[1].run.sender.sent.v[1]};
	assert_int_equal(p.d.paired, 2);
	assert_true(tails[0]->tail_bytes > 0 && tails[0]->tail_bytes == tails[1]->tail_bytes);
	assert_int_equal(check_requests(&p, "two tails"), 1);
	compared_end(&p);
	replayed_close(&p.file[0]);
	replayed_close(&p.file[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identity),        cmocka_unit_test(test_identity_of_two),
		cmocka_unit_test(test_swapped),         cmocka_unit_test(test_going_on),
		cmocka_unit_test(test_traces),          cmocka_unit_test(test_requests),
		cmocka_unit_test(test_compact_between), cmocka_unit_test(test_other_tail),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
