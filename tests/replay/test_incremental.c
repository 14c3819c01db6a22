/*
 * Every index that struct state keeps up to date is worked out again from its
 * definition in state.h, by the plainest means: after each record of generated
 * sessions, after undo and redo, inside and after a probe, after a rollback.
 * What is taken for granted: the messages, the host's list, the blocks as they
 * were created with their active flag, byRaw, and the alive snapshot entries.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/generate.h"
#include "tests/replayed.h"

/* What is checked, and where, for the message of a failure. */
struct check {
	struct state *s;
	const struct generate_options *o;
	const char *when;
	size_t record;
	uint32_t *count; /* by name or ref, zeroed before use */
	size_t count_n;
};

static void expect(const struct check *c, const char *what, uint64_t where, double got, double want)
{
	if (got == want)
		return;
	print_error("%s, seed %llu, record %zu, %s: %s of %llu is %g, must be %g\n", generate_shape_name(c->o->shape),
		    (unsigned long long)c->o->seed, c->record, c->when, what, (unsigned long long)where, got, want);
	fail();
}

/* ---- the plain way ---- */

static uint32_t times_in(const uint32_t *list, uint32_t n, uint32_t name)
{
	uint32_t times = 0;
	for (uint32_t i = 0; i < n; i++)
		times += list[i] == name;
	return times;
}

static const struct message *row(const struct state *s, size_t i) { return &s->messages.v[s->rows.v[i]]; }

static uint32_t *zeroed(struct check *c, size_t n)
{
	if (n > c->count_n) {
		c->count = mem_resize(c->count, n, sizeof *c->count);
		c->count_n = n;
	}
	memset(c->count, 0, n * sizeof *c->count);
	return c->count;
}

static uint32_t info_of(const struct state *s, size_t name, size_t member)
{
	uint32_t x = 0;
	if (name < s->info.n)
		memcpy(&x, (const char *)&s->info.v[name] + member, sizeof x);
	return x;
}

/* Compares a member of struct name_info with the counts gathered for every name. */
static void expect_counts(struct check *c, const char *what, size_t member)
{
	for (size_t name = 0; name < c->s->names->list.n; name++)
		expect(c, what, name, info_of(c->s, name, member), c->count[name]);
}
#define EXPECT_COUNTS(c, member) expect_counts(c, #member, offsetof(struct name_info, member))

static void check_list(struct check *c)
{
	const struct state *s = c->s;
	uint32_t *n = zeroed(c, s->names->list.n), first = 0;
	for (size_t i = 0; i < s->rows.n; i++) {
		n[row(s, i)->id]++;
		expect(c, "in_list", s->rows.v[i], row(s, i)->in_list, true);
		if (first == 0 && row(s, i)->role == ROLE_USER)
			first = s->rows.v[i] + 1;
	}
	EXPECT_COUNTS(c, present);
	expect(c, "first_user", 0, s->first_user, first);
	n = zeroed(c, s->names->list.n);
	for (size_t i = 0; i < s->rows.n; i++) {
		expect(c, "before", s->rows.v[i], row(s, i)->before, n[row(s, i)->id]);
		n[row(s, i)->id] = s->rows.v[i] + 1;
	}
	EXPECT_COUNTS(c, last);
	size_t joined = 0;
	for (size_t i = 0; i < s->messages.n; i++)
		joined += s->messages.v[i].in_list;
	expect(c, "rows with in_list", 0, (double)joined, (double)s->rows.n);
}

static void check_cover(struct check *c)
{
	const struct state *s = c->s;
	uint32_t *n = zeroed(c, s->names->list.n), covered = 0;
	for (size_t i = 0; i < s->blocks.n; i++)
		for (uint32_t k = 0; s->blocks.v[i].active && k < s->blocks.v[i].effective_n; k++)
			n[s->blocks.v[i].effective[k]]++;
	EXPECT_COUNTS(c, covers);
	for (size_t name = 0; name < s->names->list.n; name++)
		covered += n[name] > 0;
	expect(c, "covered_ids", 0, s->covered_ids, covered);
}

/* A chain of listings, newest block first; `next` gets what the blocks say. */
static void expect_chain(struct check *c, const char *what, uint32_t name, uint32_t head,
			 uint32_t (*times)(const struct block *k, uint32_t name))
{
	const struct state *s = c->s;
	for (size_t i = s->blocks.n; i-- > 0;)
		for (uint32_t n = times(&s->blocks.v[i], name); n > 0; n--) {
			expect(c, what, name, head != 0 ? s->listings.v[head - 1].block : UINT32_MAX, (double)i);
			head = s->listings.v[head - 1].next;
		}
	expect(c, what, name, head, 0);
}

static uint32_t in_effective(const struct block *k, uint32_t name)
{
	return times_in(k->effective, k->effective_n, name);
}
static uint32_t in_children(const struct block *k, uint32_t name) { return times_in(k->children, k->children_n, name); }
static uint32_t in_call(const struct block *k, uint32_t name) { return name != 0 && k->call == name; }

static void check_listings(struct check *c)
{
	struct state *s = c->s;
	uint32_t *first = zeroed(c, s->names->list.n);
	for (size_t i = s->blocks.n; i-- > 0;)
		first[s->blocks.v[i].id] = (uint32_t)i + 1;
	EXPECT_COUNTS(c, block);
	size_t names = s->info.n < s->names->list.n ? s->info.n : s->names->list.n;
	for (uint32_t name = 0; name < names; name++) {
		const struct name_info *id = &s->info.v[name];
		expect_chain(c, "listed", name, id->listed, in_effective);
		expect_chain(c, "parents", name, id->parents, in_children);
		expect_chain(c, "call_blocks", name, id->call_blocks, in_call);
	}
}

/* kernel.md 4.3.3 */
static uint32_t plain_anchor(const struct state *s, const struct block *k)
{
	uint32_t fed = UINT32_MAX, least = UINT32_MAX;
	for (size_t i = 0; i < s->rows.n; i++)
		if (row(s, i)->id == k->summary_id && message_is_summary(row(s, i)))
			fed = s->rows.v[i];
	for (uint32_t e = 0; e < k->effective_n; e++) {
		uint32_t last = UINT32_MAX;
		for (size_t i = 0; i < s->rows.n; i++)
			if (row(s, i)->id == k->effective[e])
				last = s->rows.v[i];
		least = last < least ? last : least;
	}
	return fed != UINT32_MAX ? fed : least != UINT32_MAX ? least : 0;
}

static void check_blocks(struct check *c)
{
	struct state *s = c->s;
	size_t live = 0;
	for (uint32_t i = 0; i < s->blocks.n; i++) {
		const struct block *k = &s->blocks.v[i];
		uint32_t consumers = 0, present = 0;
		for (size_t p = 0; p < s->blocks.n; p++)
			consumers += in_children(&s->blocks.v[p], k->id);
		for (uint32_t e = 0; e < k->effective_n; e++)
			present += info_of(s, k->effective[e], offsetof(struct name_info, present)) > 0;
		expect(c, "consumers", i, k->consumers, consumers);
		expect(c, "block present", i, k->present, present);
		if (k->active)
			expect(c, "anchor", i, state_block_anchor(s, i), plain_anchor(s, k));
		bool listed = live < s->live.n && s->live.v[live] == i;
		live += listed;
		/* a block that is not live can never be active again */
		expect(c, "left live", i, !listed && (k->active || consumers == 0), false);
	}
	expect(c, "live", 0, (double)s->live.n, (double)live);
}

static void check_refs(struct check *c)
{
	struct state *s = c->s;
	size_t refs = s->by_ref.n + s->snapshot_of.n + REF_MAX + s->foreign_refs.n + 2;
	uint32_t *n = zeroed(c, refs), blocked = 0, present = 0, used = 0, highest = 0;
	for (size_t i = 0; i < s->raw_order.n; i++) {
		const struct name_info *id = &s->info.v[s->raw_order.v[i]];
		char text[REF_TEXT_MAX];
		uint32_t number = id->ref == REF_BLOCKED ? 0 : ref_read(state_ref_text(s, id->ref, text));
		highest = number > highest ? number : highest;
		if (id->present > 0 && id->ref == REF_BLOCKED)
			blocked++;
		else if (id->present > 0 && n[id->ref]++ == 0)
			present++;
	}
	for (size_t ref = 0; ref < refs; ref++)
		expect(c, "ref_present", ref, ref < s->ref_present.n ? s->ref_present.v[ref] : 0, n[ref]);
	for (size_t ref = 0; ref < s->by_ref.n; ref++)
		used += s->by_ref.v[ref] != 0;
	expect(c, "refs_n", 0, s->refs_n, used);
	expect(c, "refs_present", 0, s->refs_present, present);
	expect(c, "blocked_present", 0, s->blocked_present, blocked);
	expect(c, "ref_highest", 0, s->ref_highest, highest);
	expect(c, "named beyond the list", 0, s->named > s->rows.n, false);
	for (size_t i = 0; i < s->named && i < s->rows.n; i++)
		expect(c, "named row without ref", i, s->info.v[row(s, i)->id].ref == REF_NONE, false);
	/* n still says which refs are in the list */
	uint32_t alive = 0, stale = 0;
	for (size_t i = 0; i < s->snapshot.n; i++) {
		const struct snapshot_entry *e = &s->snapshot.v[i];
		if (!e->alive)
			continue;
		alive++;
		stale += n[e->ref] == 0;
		expect(c, "snapshot_of", e->ref, s->snapshot_of.v[e->ref], (double)i + 1);
	}
	expect(c, "snapshot_n", 0, s->snapshot_n, alive);
	expect(c, "snapshot_stale", 0, s->snapshot_stale, stale);
	for (size_t ref = 0; ref < s->snapshot_of.n; ref++)
		alive -= s->snapshot_of.v[ref] != 0;
	expect(c, "snapshot_of of dropped entries", 0, alive, 0);
}

/* protected(m) of kernel.md 4.1.1 by its text */
static bool is_protected_tool(const struct state *s, uint32_t tool)
{
	struct str name = names_get(s->names, tool);
	for (size_t i = 0; i < s->config->protected_n; i++) {
		struct str p = s->config->protected_tools[i];
		bool prefix = p.n > 0 && p.p[p.n - 1] == '*';
		if (prefix ? str_starts(name, str_cut(p, 0, p.n - 1)) : str_eq(name, p))
			return name.n > 0;
	}
	return str_eq(name, STR("compress"));
}

static void check_kinds_of_calls(struct check *c)
{
	const struct state *s = c->s;
	for (int protected = 0; protected < 2; protected ++) {
		uint32_t *n = zeroed(c, s->names->list.n);
		for (size_t i = 0; i < s->uncovered.n; i++) {
			const struct message *m = &s->messages.v[s->uncovered.v[i]];
			bool compress = str_eq(names_get(s->names, m->tool), STR("compress"));
			n[m->call] += m->call != 0 && m->content == CONTENT_CALL &&
				      (protected ? m->guarded || is_protected_tool(s, m->tool) : compress);
		}
		expect_counts(c, protected ? "protected_calls" : "compress_calls",
			      protected ? offsetof(struct name_info, protected_calls)
					: offsetof(struct name_info, compress_calls));
	}
}

static void check_uncovered(struct check *c)
{
	struct state *s = c->s;
	size_t at = 0;
	state_uncovered(s);
	uint32_t *calls = zeroed(c, s->names->list.n);
	for (size_t i = 0; i < s->rows.n; i++) {
		const struct message *m = row(s, i);
		bool wanted = s->first_user == s->rows.v[i] + 1 || s->info.v[m->id].covers == 0;
		expect(c, "uncovered", s->rows.v[i], m->uncovered, wanted);
		if (!wanted)
			continue;
		expect(c, "place in uncovered", at, at < s->uncovered.n ? s->uncovered.v[at] : UINT32_MAX,
		       s->rows.v[i]);
		at++;
		calls[m->call] += m->call != 0 && m->content == CONTENT_CALL;
	}
	expect(c, "uncovered.n", 0, (double)s->uncovered.n, (double)at);
	double tokens = 0;
	for (size_t i = 0; i < s->uncovered.n; i++) {
		const struct message *m = &s->messages.v[s->uncovered.v[i]];
		if (!str_eq(names_get(s->names, m->tool), STR("compress")))
			tokens += text_tokens(m->face.size);
	}
	expect(c, "uncovered_tokens", 0, s->uncovered_tokens, tokens);
	EXPECT_COUNTS(c, calls);
	uint32_t *results = zeroed(c, s->names->list.n);
	for (size_t i = 0; i < s->uncovered.n; i++) {
		const struct message *m = &s->messages.v[s->uncovered.v[i]];
		results[m->call] += m->call != 0 && m->content == CONTENT_RESULT;
	}
	EXPECT_COUNTS(c, results);
	check_kinds_of_calls(c);
}

static void check_state(struct check *c, const char *when)
{
	c->when = when;
	check_list(c);
	check_cover(c);
	check_listings(c);
	check_blocks(c);
	check_refs(c);
	check_uncovered(c);
}

/* The kernel state as it would be stored. */
static struct str text_of(const struct state *s, struct buf *b)
{
	buf_cut(b, 0);
	state_write(s, b);
	return buf_view(b);
}

static void expect_text(struct check *c, const char *when, const struct buf *want)
{
	struct buf got = {0};
	c->when = when;
	expect(c, "stored state as before", 0, str_eq(text_of(c->s, &got), buf_view(want)), true);
	buf_free(&got);
}

/* ---- what is done to a state ---- */

struct walk {
	struct replayed session;
	struct check check;
	uint64_t random;
	struct buf before, mark;
};

/* xorshift64 */
static size_t draw(struct walk *w, size_t n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (size_t)(w->random % n);
}

static void run_turn(struct walk *w)
{
	struct run *r = &w->session.run;
	struct turn_input in = run_turn_input(r, 0, (double)draw(w, 40000));
	turn_run(&r->turn, &r->state, &r->alternatives, &in);
}

/* A compression that the kernel may take or refuse. */
static void run_compress(struct walk *w)
{
	struct run *r = &w->session.run;
	char refs[2][REF_TEXT_MAX] = {"m00001", "m00002"};
	double from = 1 + (double)draw(w, r->state.ref_highest + 1);
	ref_format(refs[0], from);
	ref_format(refs[1], from + (double)draw(w, 30));
	struct range_request range = {.start = str_of(refs[0]), .end = str_of(refs[1])};
	range.summary =
		STR("What these rows were about, in rather more than fifty units of text, so that it is taken.");
	struct apply_options o = {.counter = {.density = 1}};
	compress_apply(&range, 1, &r->turn.surface, &r->state, &o, &r->compress_scratch, &r->apply);
}

/* Forwards record by record, then hither and thither. */
static void first_pass(struct walk *w)
{
	bool more = true;
	while (more) {
		more = run_step(&w->session.run, 1);
		w->check.record = w->session.run.next;
		check_state(&w->check, "first pass");
	}
}

static void look_around(struct walk *w)
{
	struct run *r = &w->session.run;
	size_t to = w->check.record = draw(w, r->recording->records.n + 1);
	run_seek(r, to);
	check_state(&w->check, "sought");
	if (draw(w, 2) == 0)
		return;
	text_of(&r->state, &w->before);
	state_probe_begin(&r->state);
	run_turn(w);
	check_state(&w->check, "turn in a probe");
	size_t mark = state_mark(&r->state);
	text_of(&r->state, &w->mark);
	run_compress(w);
	check_state(&w->check, "compression in a probe");
	if (draw(w, 2) == 0) {
		state_rollback(&r->state, mark);
		check_state(&w->check, "rolled back in a probe");
		expect_text(&w->check, "rolled back in a probe", &w->mark);
	}
	state_probe_end(&r->state);
	check_state(&w->check, "after the probe");
	expect_text(&w->check, "after the probe", &w->before);
}

/* The journal ends here: changes are made and taken back for good. */
static void roll_back(struct walk *w)
{
	struct run *r = &w->session.run;
	w->check.record = r->recording->records.n;
	run_seek(r, w->check.record);
	size_t mark = state_mark(&r->state);
	text_of(&r->state, &w->before);
	for (int i = 0; i < 3; i++) {
		run_turn(w);
		run_compress(w);
		check_state(&w->check, "after the last record");
	}
	state_rollback(&r->state, mark);
	check_state(&w->check, "rolled back");
	expect_text(&w->check, "rolled back", &w->before);
	run_seek(r, draw(w, w->check.record + 1));
	check_state(&w->check, "sought after the rollback");
	run_turn(w); /* another present: what came later is forgotten */
	run_compress(w);
	check_state(&w->check, "another present");
	text_of(&r->state, &w->before);
	mark = state_mark(&r->state);
	state_seek(&r->state, 0);
	check_state(&w->check, "the beginning of another present");
	state_seek(&r->state, mark);
	check_state(&w->check, "another present again");
	expect_text(&w->check, "another present again", &w->before);
}

static void run_session(const struct generate_options *o)
{
	struct walk w = {.check = {.o = o}, .random = o->seed * 2 + 1};
	struct buf text = {0};
	generate_recording(o, &text);
	replayed_open(&w.session, buf_view(&text));
	replayed_start(&w.session, "K60");
	w.check.s = &w.session.run.state;
	first_pass(&w);
	for (int i = 0; i < 20; i++)
		look_around(&w);
	roll_back(&w);
	replayed_close(&w.session);
	free(w.check.count);
	buf_free(&w.before);
	buf_free(&w.mark);
	buf_free(&text);
}

static void run_shape(enum generate_shape shape, uint64_t seeds, uint32_t turns)
{
	for (uint64_t seed = 1; seed <= seeds; seed++)
		run_session(&(struct generate_options){.shape = shape, .seed = seed, .turns = turns});
}

static void plain(void **state) { (void)state, run_shape(GENERATE_PLAIN, 4, 40); }
static void storm(void **state) { (void)state, run_shape(GENERATE_STORM, 4, 40); }
static void bounded(void **state) { (void)state, run_shape(GENERATE_BOUNDED, 1, 90); }
static void cjk(void **state) { (void)state, run_shape(GENERATE_CJK, 2, 40); }
static void tiers(void **state) { (void)state, run_shape(GENERATE_TIERS, 2, 70); }
static void everything(void **state) { (void)state, run_shape(GENERATE_EVERYTHING, 30, 40); }

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain), cmocka_unit_test(storm), cmocka_unit_test(bounded),
		cmocka_unit_test(cjk),   cmocka_unit_test(tiers), cmocka_unit_test(everything),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
