/*
 * Requests of consecutive turns, made from what changed, against requests made
 * from the whole view: the same messages, figures and causes. Sessions are
 * generated; rewinds, keeps and stored states are put into them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "engine/base/json.h"
#include "replay/run_pi.h"
#include "tests/generate_pi.h"
#include "tests/replayed.h"
#include "tests/session_check.h"

struct steps {
	char name[160];
	uint32_t turn;
	uint64_t seed;
	struct sender whole;         /* told nothing: every request costs the whole view */
	struct pi_egress changing;   /* told what stays, while its rules change */
	enum pi_sync sync;           /* of `changing` */
	bool compressed;             /* since the turn before: another turn may have run */
	size_t kept, rows, requests; /* sums over the turns */
	size_t causes[SENT_CAUSES], thinking_gone, states_taken;
	VEC(struct buf) states; /* of the kernel, at some turns */
};

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % below;
}

/* ---- comparing ---- */

#define SAME(x, what, a, b)                                                                                            \
	do {                                                                                                           \
		double a_ = (double)(a), b_ = (double)(b);                                                             \
		if (a_ != b_ && !(isnan(a_) && isnan(b_))) {                                                           \
			print_error("%s, turn %u: %s is %.17g, from nothing %.17g\n", (x)->name, (unsigned)(x)->turn,  \
				    what, a_, b_);                                                                     \
			fail();                                                                                        \
		}                                                                                                      \
	} while (0)

static void same_hash(const struct steps *x, const char *what, uint64_t a, uint64_t b)
{
	SAME(x, what, (uint32_t)a, (uint32_t)b);
	SAME(x, what, a >> 32, b >> 32);
}

static void same_message(const struct steps *x, const struct pi_egress *e, const struct pi_request *q,
			 const struct pi_egress *alone, const struct pi_request *w, size_t i)
{
	const struct pi_message *a = &q->messages.v[i], *b = &w->messages.v[i];
	if (!str_eq(pi_egress_bytes(e, a), pi_egress_bytes(alone, b))) {
		print_error("%s, turn %u: message %zu is another one\n", x->name, (unsigned)x->turn, i);
		fail();
	}
#define MEMBER(m) SAME(x, #m, a->m, b->m)
	MEMBER(entry);
	MEMBER(first_row);
	MEMBER(rows);
	MEMBER(first_call);
	MEMBER(calls);
	MEMBER(flags);
	MEMBER(ref);
	MEMBER(tag_at);
	MEMBER(tag_n);
	MEMBER(tokens);
	MEMBER(anchor_tokens);
	MEMBER(recorded_tokens);
	MEMBER(bytes_upto);
	MEMBER(tokens_upto);
	MEMBER(previous);
#undef MEMBER
	same_hash(x, "key", a->key, b->key);
	same_hash(x, "hash", a->hash, b->hash);
	same_hash(x, "hash_upto", a->hash_upto, b->hash_upto);
	same_hash(x, "synced", a->synced, b->synced);
}

static void same_request(const struct steps *x, const struct pi_egress *e, const struct pi_request *q,
			 const struct pi_egress *alone, const struct pi_request *w)
{
	SAME(x, "messages", q->messages.n, w->messages.n);
	SAME(x, "rows", q->rows.n, w->rows.n);
	SAME(x, "calls", q->calls.n, w->calls.n);
	SAME(x, "anchors", q->anchors.n, w->anchors.n);
	SAME(x, "bytes of the request", q->bytes, w->bytes);
	for (size_t i = 0; i < q->messages.n; i++)
		same_message(x, e, q, alone, w, i);
	for (size_t i = 0; i < q->rows.n; i++)
		SAME(x, "row", q->rows.v[i], w->rows.v[i]);
	for (size_t i = 0; i < q->anchors.n; i++)
		SAME(x, "anchor", q->anchors.v[i], w->anchors.v[i]);
	for (size_t i = 0; i < q->calls.n; i++) {
		SAME(x, "call", q->calls.v[i].call, w->calls.v[i].call);
		SAME(x, "asks", q->calls.v[i].asks, w->calls.v[i].asks);
		SAME(x, "compress", q->calls.v[i].compress, w->calls.v[i].compress);
	}
}

/* What a message says of the one it was is true. */
static void check_before(const struct steps *x, const struct pi_egress *e)
{
	for (size_t i = 0; i < e->now.messages.n; i++) {
		const struct pi_message *m = &e->now.messages.v[i];
		if (m->before == 0)
			continue;
		const struct pi_message *b = &e->before.messages.v[m->before - 1];
		SAME(x, "entry before", b->entry, m->entry);
		if (!str_eq(pi_egress_bytes(e, m), pi_egress_bytes(e, b))) {
			print_error("%s, turn %u: message %zu is not the one before\n", x->name, (unsigned)x->turn, i);
			fail();
		}
	}
}

static void same_sent(const struct steps *x, const struct sent *a, const struct sent *b)
{
#define MEMBER(m) SAME(x, #m, a->m, b->m)
	MEMBER(bytes);
	MEMBER(before_bytes);
	MEMBER(common_bytes);
	MEMBER(tokens);
	MEMBER(common_tokens);
	MEMBER(lost_tokens);
	MEMBER(predicted);
	MEMBER(actual);
	MEMBER(anchor_tokens);
	MEMBER(slimmed_tokens);
	MEMBER(anchors);
	MEMBER(messages);
	MEMBER(same);
	MEMBER(break_message);
	MEMBER(break_ref);
	MEMBER(cause);
	MEMBER(append_only);
#undef MEMBER
}

/* ---- turns ---- */

static struct str entry_json(void *ctx, uint32_t entry, struct arena *a)
{
	return recording_entry_named(ctx, entry, a);
}

/* The rules are others from time to time, with what stays of the view told as if they were not. */
static void change_rules(struct steps *x, struct run *r)
{
	struct pi_egress alone = {0};
	if (draw(&x->seed, 6) == 0)
		x->sync = (enum pi_sync)draw(&x->seed, 3);
	struct pi_egress_input in = {.surface = &r->turn.surface,
				     .kept = x->compressed ? 0 : r->turn.kept,
				     .state = &r->state,
				     .alternatives = &r->alternatives,
				     .entries = {entry_json, r->recording},
				     .rules = {x->sync, draw(&x->seed, 9) == 0, true, draw(&x->seed, 9) > 0, 40},
				     .model = draw(&x->seed, 20) == 0 ? STR("glm") : STR("m")};
	pi_egress_build(&x->changing, &in);
	in.kept = 0;
	pi_egress_build(&alone, &in);
	same_request(x, &x->changing, &x->changing.now, &alone, &alone.now);
	check_before(x, &x->changing);
	pi_egress_free(&alone);
}

static void on_turn(void *ctx, struct run *r, uint32_t n, const struct moment *m)
{
	struct steps *x = ctx;
	struct sender alone = {0};
	x->turn = n;
	if (m->events & MOMENT_CAPACITY) {
		sender_skip(&x->whole, m);
		x->compressed = true;
		return;
	}
	uint32_t model = pi_model_at(r, m->record);
	struct sent want = sender_turn(&x->whole, r, &r->turn, m, model, (struct sent_tail){0});
	const struct sent *got = &r->sender.sent.v[r->sender.sent.n - 1];
	const struct pi_egress *e = &r->sender.egress, *w = &x->whole.egress;
	sender_turn(&alone, r, &r->turn, m, model, (struct sent_tail){0});
	same_sent(x, got, &want);
	same_request(x, e, &e->now, w, &w->now);
	same_request(x, e, &e->before, w, &w->before);
	same_request(x, e, &e->now, &alone.egress, &alone.egress.now);
	check_before(x, e);
	SAME(x, "rows of the view", r->sender.rows.n, r->turn.surface.rows.n);
	for (size_t i = 0; i < r->sender.rows.n; i++)
		SAME(x, "source", r->sender.rows.v[i], r->turn.surface.rows.v[i].source);
	SAME(x, "rows before", r->sender.rows_before.n, x->whole.rows_before.n);
	for (size_t i = 0; i < r->sender.rows_before.n; i++)
		SAME(x, "source before", r->sender.rows_before.v[i], x->whole.rows_before.v[i]);
	change_rules(x, r);
	x->kept += e->now.common;
	x->rows += e->now.messages.n;
	x->requests++;
	x->causes[want.cause]++;
	x->states_taken += (m->events & MOMENT_STATE) != 0;
	for (size_t i = 0; i < e->now.messages.n; i++)
		x->thinking_gone += (e->now.messages.v[i].flags & PI_MESSAGE_THINKING_GONE) != 0;
	x->compressed = false;
	if (n % 7 == 3) {
		vec_push(&x->states, (struct buf){0});
		state_write(&r->state, &x->states.v[x->states.n - 1]);
	}
	sender_free(&alone);
}

static void on_compress(void *ctx, struct run *r, const struct compress_event *e)
{
	struct steps *x = ctx;
	(void)r, (void)e;
	x->compressed = true;
}

static void run_steps(struct steps *x, struct str file, const char *profile, const char *policy)
{
	struct replayed s;
	replayed_open(&s, file);
	replayed_start_with(&s, profile, str_of(policy));
	s.run.want_requests = true;
	s.run.observer = (struct run_observer){on_turn, on_compress, x};
	x->compressed = true;
	replayed_finish(&s);
	sender_free(&x->whole);
	pi_egress_free(&x->changing);
	replayed_close(&s);
}

/* ---- sessions ---- */

static struct str next_line(struct str *rest)
{
	size_t n = 0;
	while (n < rest->n && rest->p[n] != '\n')
		n++;
	struct str line = str_cut(*rest, 0, n);
	*rest = str_cut(*rest, n + 1, rest->n);
	return line;
}

/* The id of a message line, or absent; as it stands in the JSON, quotes and all. */
static struct str id_of(struct str line)
{
	size_t at = str_find(line, STR("\"id\":\""), 0);
	if (str_find(line, STR("\"type\":\"message\""), 0) == SIZE_MAX || at == SIZE_MAX)
		return (struct str){0};
	size_t end = str_find(line, STR("\""), at + 6);
	return end == SIZE_MAX ? (struct str){0} : str_cut(line, at + 5, end + 1);
}

/* The recording with rewinds, keeps and stored states in it. */
static void disturb(struct steps *x, struct str file, struct buf *out)
{
	VEC(struct str) ids = {0};
	bool first = true;
	while (file.n > 0) {
		struct str line = next_line(&file), id = id_of(line);
		buf_str(out, line);
		buf_char(out, '\n');
		if (id.p != NULL)
			vec_push(&ids, id);
		if (first || ids.n < 4 || draw(&x->seed, 14) > 0) {
			first = false;
			continue;
		}
		uint32_t what = draw(&x->seed, 8), back = draw(&x->seed, what == 0 ? (uint32_t)ids.n : 5);
		if (back >= ids.n)
			back = 0;
		if (what < 5)
			buf_text(out, "{\"type\":\"rewind\",\"to\":");
		else if (what < 7)
			buf_text(out, "{\"type\":\"keep\",\"from\":");
		else
			buf_text(out, "{\"type\":\"state\",\"state\":");
		if (what < 7)
			buf_str(out, ids.v[ids.n - 1 - back]);
		else if (x->states.n > 0)
			buf_str(out, buf_view(&x->states.v[draw(&x->seed, (uint32_t)x->states.n)]));
		else
			buf_text(out, "{\"blocks\":[]}");
		buf_text(out, "}\n");
	}
	vec_free(&ids);
}

static void free_states(struct steps *x)
{
	for (size_t i = 0; i < x->states.n; i++)
		buf_free(&x->states.v[i]);
	vec_free(&x->states);
}

static void check_seed(struct steps *x, uint64_t seed)
{
	static const struct {
		const char *profile, *policy;
	} policies[] = {
		{"P342", ""},
		{"P342", "sync=off,reasoningDrop=2048"},
		{"P342", "sync=merged,reasoningDrop=2048,summaries=emit,limit=20000"},
		{"P258", "snapshot=off,density=on,limit=20000"},
		{"P342", "keepOrphans=0,sync=on,limit=9000"},
		{"P97", ""},
		{"P173", "snapshot=off,density=on"},
		{"P155", "limit=12000,sync=merged"},
	};
	struct buf text = {0}, own = {0}, changed = {0};
	struct replayed pi;
	size_t k = seed % (sizeof policies / sizeof *policies);
	x->seed = seed;
	snprintf(x->name, sizeof x->name, "seed %u, %s,%s", (unsigned)seed, policies[k].profile, policies[k].policy);
	generate_pi(seed, 20 + (uint32_t)seed % 30, &text);
	replayed_open(&pi, buf_view(&text));
	session_write(&pi.recording, &own, x->name);
	run_steps(x, buf_view(&own), policies[k].profile, policies[k].policy);
	disturb(x, buf_view(&own), &changed);
	free_states(x);
	run_steps(x, buf_view(&changed), policies[k].profile, policies[k].policy);
	free_states(x);
	replayed_close(&pi);
	buf_free(&text);
	buf_free(&own);
	buf_free(&changed);
}

static void requests_made_from_what_changed(void **state)
{
	static const enum sent_cause wanted[] = {SENT_NONE, SENT_COMPRESS, SENT_DECOMPRESS, SENT_TAG,
						 SENT_HIDE, SENT_HOST,     SENT_REWIND};
	struct steps x = {0};
	(void)state;
	for (uint64_t seed = 1; seed <= 72; seed++)
		check_seed(&x, seed);
	assert_true(x.requests > 2000 && x.thinking_gone > 20 && x.states_taken > 20);
	/* most messages of most requests stay where they are */
	assert_true(x.kept * 2 > x.rows && x.kept < x.rows);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		if (x.causes[wanted[i]] == 0)
			print_error("nothing breaks by %s\n", sent_cause_name(wanted[i]));
		assert_true(x.causes[wanted[i]] > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(requests_made_from_what_changed)};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
