/*
 * A turn goes on from the turn before it (turn.h). Two runs of generated
 * sessions must agree at every turn: one whose turns go on, now and then after
 * seeks, probes and frames elsewhere, and one whose turns always begin anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/frame.h"
#include "tests/generate.h"
#include "tests/replayed.h"

struct pair {
	const struct generate_options *o;
	struct replayed on, anew;
	uint64_t random;
	uint64_t kept, rows; /* of all turns that went on */
	struct buf text[2];
};

/* xorshift64 */
static size_t draw(struct pair *p, size_t n)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (size_t)(p->random % n);
}

static void expect(const struct pair *p, const char *what, bool same)
{
	if (same)
		return;
	print_error("%s, seed %llu, record %zu, turn %zu: %s differs from a turn that begins anew\n",
		    generate_shape_name(p->o->shape), (unsigned long long)p->o->seed, p->on.run.next,
		    p->on.run.timeline.turns.n, what);
	fail();
}

static bool same_row(const struct surface_row *a, const struct surface_row *b)
{
	return a->source == b->source && a->id == b->id && a->ref == b->ref && a->covered == b->covered &&
	       a->tagged == b->tagged && a->tag_tokens == b->tag_tokens && a->tag.units == b->tag.units &&
	       a->peel == b->peel && a->face.size.units == b->face.size.units && a->face.traits == b->face.traits;
}

static bool same_range(const struct range *a, const struct range *b)
{
	return a->start == b->start && a->end == b->end && a->first == b->first && a->last == b->last &&
	       a->count == b->count && a->tokens == b->tokens && a->chars == b->chars && a->tool_pct == b->tool_pct;
}

static bool same_protected(const struct recommendation *x, const struct recommendation *y, size_t i)
{
	const struct protected_range *a = &x->protected_ranges.v[i], *b = &y->protected_ranges.v[i];
	return a->start == b->start && a->end == b->end && a->first == b->first && a->last == b->last &&
	       a->count == b->count && a->tokens == b->tokens && a->tools_n == b->tools_n &&
	       (a->tools_n == 0 ||
		memcmp(x->tools.v + a->tools_at, y->tools.v + b->tools_at, a->tools_n * sizeof *x->tools.v) == 0);
}

/* Digest, ranges, nudge and changed blocks are in the hash; the rest is compared here. */
static void compare(struct pair *p)
{
	const struct turn *a = &p->on.run.turn, *b = &p->anew.run.turn;
	expect(p, "the number of rows", a->surface.rows.n == b->surface.rows.n);
	for (size_t i = 0; i < a->surface.rows.n; i++)
		expect(p, "a row", same_row(&a->surface.rows.v[i], &b->surface.rows.v[i]));
	expect(p, "the number of ranges",
	       a->rec.compressible.n == b->rec.compressible.n &&
		       a->rec.protected_ranges.n == b->rec.protected_ranges.n);
	for (size_t i = 0; i < a->rec.compressible.n; i++)
		expect(p, "a range", same_range(&a->rec.compressible.v[i], &b->rec.compressible.v[i]));
	for (size_t i = 0; i < a->rec.protected_ranges.n; i++)
		expect(p, "a protected range", same_protected(&a->rec, &b->rec, i));
	const struct nudge_context *c = &a->nudge.context, *d = &b->nudge.context;
	expect(p, "a category",
	       c->system == d->system && c->tool == d->tool && c->summaries == d->summaries && c->code == d->code &&
		       c->text == d->text);
	expect(p, "the hash", p->on.run.chain.hash == p->anew.run.chain.hash);
	buf_cut(&p->text[0], 0);
	buf_cut(&p->text[1], 0);
	state_write(&p->on.run.state, &p->text[0]);
	state_write(&p->anew.run.state, &p->text[1]);
	expect(p, "the state", str_eq(buf_view(&p->text[0]), buf_view(&p->text[1])));
	p->kept += a->kept;
	p->rows += a->surface.rows.n;
}

/* What a user who looks around makes of the state between two steps of the first pass. */
static void disturb(struct pair *p, struct frame *f)
{
	struct run *r = &p->on.run;
	struct error e = {0};
	uint32_t last = (uint32_t)r->timeline.turns.n;
	struct position at = {.turn = draw(p, 2) ? last : (uint32_t)draw(p, last + 1), .node = NODE_RENDER};
	switch (draw(p, 24)) {
	case 0:
		run_seek(r, draw(p, r->next + 1));
		break;
	case 1: /* all nodes, or some; at times it stays open */
		if (at.turn > 0 && draw(p, 2) == 0)
			at.node = (enum turn_node)draw(p, NODE_COUNT);
		else
			at.records = (uint32_t)draw(p, position_records_after(r, at.turn) + 1);
		assert_int_equal(frame_open(f, r, at, &e), STATUS_OK);
		break;
	case 2:
		frame_close(f);
		break;
	case 3: { /* a turn that is taken back, by the same struct turn */
		struct turn_input in = run_turn_input(r, 0, (double)draw(p, 40000));
		if (f->run != NULL)
			frame_close(f);
		run_seek(r, r->next);
		size_t mark = state_mark(&r->state);
		if (turn_run(&r->turn, &r->state, &r->alternatives, &in) == STATUS_OK)
			state_rollback(&r->state, mark);
		break;
	}
	default:
		break;
	}
}

static void begin_anew(struct run *r)
{
	turn_free(&r->turn);
	r->turn = (struct turn){0};
}

static double run_session(const struct generate_options *o, bool disturbed)
{
	struct pair p = {.o = o, .random = o->seed * 2 + 1};
	struct frame f = {0};
	struct buf text = {0};
	generate_recording(o, &text);
	replayed_open(&p.on, buf_view(&text));
	replayed_open(&p.anew, buf_view(&text));
	replayed_start(&p.on, o->seed % 2 == 0 ? "K41" : "K60");
	replayed_start(&p.anew, o->seed % 2 == 0 ? "K41" : "K60");
	for (bool more = true; more;) {
		if (disturbed)
			disturb(&p, &f);
		begin_anew(&p.anew.run);
		size_t turns = p.on.run.timeline.turns.n;
		more = run_step(&p.on.run, 1);
		run_step(&p.anew.run, 1);
		if (p.on.run.timeline.turns.n > turns)
			compare(&p);
	}
	frame_close(&f);
	replayed_close(&p.on);
	replayed_close(&p.anew);
	buf_free(&text);
	buf_free(&p.text[0]);
	buf_free(&p.text[1]);
	return p.rows > 0 ? (double)p.kept / (double)p.rows : 0;
}

static void run_shape(enum generate_shape shape, uint64_t seeds, uint32_t turns)
{
	double kept = 0;
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		const struct generate_options o = {.shape = shape, .seed = seed, .turns = turns};
		run_session(&o, true);
		kept += run_session(&o, false);
	}
	/* else nothing went on, and this test says nothing */
	assert_true(kept / (double)seeds > 0.3);
}

static void plain(void **state) { (void)state, run_shape(GENERATE_PLAIN, 15, 60); }
static void storm(void **state) { (void)state, run_shape(GENERATE_STORM, 15, 80); }
static void bounded(void **state) { (void)state, run_shape(GENERATE_BOUNDED, 4, 300); }
static void cjk(void **state) { (void)state, run_shape(GENERATE_CJK, 10, 60); }
static void tiers(void **state) { (void)state, run_shape(GENERATE_TIERS, 10, 80); }
static void everything(void **state) { (void)state, run_shape(GENERATE_EVERYTHING, 160, 60); }

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain), cmocka_unit_test(storm), cmocka_unit_test(bounded),
		cmocka_unit_test(cjk),   cmocka_unit_test(tiers), cmocka_unit_test(everything),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
