/*
 * The list of a host that can compact and go back, against the rule of
 * pi-rulings 6 done plainly: after every record the whole branch is walked anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/replayed.h"

enum { RECORDS = 120, IDS = 40, SESSIONS = 150 };

enum step_kind { STEP_MESSAGE, STEP_REWIND, STEP_KEEP, STEP_STATE };

/* A record: a message has the number of its id; rewind and keep go to one, 0 = null. Ids come again now and then. */
struct step {
	enum step_kind kind;
	unsigned id;
};

struct script {
	struct step steps[RECORDS];
	uint64_t random;
};

static unsigned draw(struct script *s, unsigned n)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (unsigned)(s->random % n);
}

static void write_script(struct script *s, struct buf *b)
{
	buf_text(b, "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"pi\",\"contextLimit\":1000}\n");
	for (unsigned i = 0; i < RECORDS; i++) {
		unsigned what = draw(s, 20), id = draw(s, IDS);
		enum step_kind kind = what < 12   ? STEP_MESSAGE
				      : what < 15 ? STEP_REWIND
				      : what < 17 ? STEP_KEEP
						  : STEP_STATE;
		s->steps[i] = (struct step){kind, kind == STEP_MESSAGE ? id + 1 : id};
		if (kind == STEP_MESSAGE)
			buf_printf(b,
				   "{\"type\":\"message\",\"id\":\"e%u\",\"role\":\"user\",\"contentType\":\"text\","
				   "\"text\":\"x\"}\n",
				   id + 1);
		else if (kind == STEP_STATE)
			buf_text(b, "{\"type\":\"state\",\"state\":{}}\n");
		else if (id == 0)
			buf_printf(b, "{\"type\":\"%s\",\"%s\":null}\n", kind == STEP_KEEP ? "keep" : "rewind",
				   kind == STEP_KEEP ? "from" : "to");
		else
			buf_printf(b, "{\"type\":\"%s\",\"%s\":\"e%u\"}\n", kind == STEP_KEEP ? "keep" : "rewind",
				   kind == STEP_KEEP ? "from" : "to", id);
	}
}

struct plain_list {
	unsigned id[RECORDS], message[RECORDS]; /* the branch */
	unsigned n, messages;
	unsigned keep_at[RECORDS], keep_from[RECORDS]; /* compactions on it: where they stand, first row kept */
	unsigned keeps;
};

static void take_step(struct plain_list *l, struct step step)
{
	unsigned i;
	if (step.kind == STEP_MESSAGE) {
		l->id[l->n] = step.id;
		l->message[l->n++] = l->messages++;
	} else if (step.kind == STEP_REWIND) {
		for (i = l->n; i > 0 && l->id[i - 1] != step.id; i--)
			;
		if (i > 0 || step.id == 0) /* else nobody knows the row */
			l->n = i;
		while (l->keeps > 0 && l->keep_at[l->keeps - 1] > l->n)
			l->keeps--;
	} else if (step.kind == STEP_KEEP) {
		for (i = 0; i < l->n && (step.id == 0 || l->id[i] != step.id); i++)
			;
		l->keep_at[l->keeps] = l->n;
		l->keep_from[l->keeps++] = i;
	}
}

static void compare(const struct state *s, const struct script *script, unsigned steps)
{
	struct plain_list l = {.n = 0};
	for (unsigned i = 0; i < steps; i++)
		take_step(&l, script->steps[i]);
	unsigned from = l.keeps > 0 ? l.keep_from[l.keeps - 1] : 0;
	assert_int_equal(s->rows.n, l.n - from);
	for (unsigned i = from; i < l.n; i++)
		assert_int_equal(s->rows.v[i - from], l.message[i]);
}

static void check_session(uint64_t seed)
{
	struct script script = {.random = seed * 2654435761u + 1};
	struct replayed s;
	struct buf text = {0};
	write_script(&script, &text);
	replayed_open(&s, buf_view(&text));
	replayed_start(&s, NULL);
	do
		compare(&s.run.state, &script, (unsigned)s.run.next);
	while (run_step(&s.run, 1));
	compare(&s.run.state, &script, RECORDS);
	for (unsigned i = 0; i < RECORDS; i++) { /* also into epochs that are made again */
		unsigned to = draw(&script, RECORDS + 1);
		run_seek(&s.run, to);
		compare(&s.run.state, &script, to);
	}
	replayed_close(&s);
	buf_free(&text);
}

static void after_every_record(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SESSIONS; seed++)
		check_session(seed);
}

/*
 * Looking into old epochs does not change what a rewind after the last record does. The order matters: epoch 5 is made
 * again while 6, where the first pass stands, is only set aside.
 */
static void looking_back_between(void **state)
{
	static const char records[] =
		"{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"pi\",\"contextLimit\":1000}\n"
		"{\"type\":\"message\",\"id\":\"a\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"x\"}\n"
		"{\"type\":\"message\",\"id\":\"b\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"x\"}\n"
		"{\"type\":\"state\",\"state\":{}}\n"
		"{\"type\":\"state\",\"state\":{}}\n"
		"{\"type\":\"state\",\"state\":{}}\n"
		"{\"type\":\"state\",\"state\":{}}\n"
		"{\"type\":\"state\",\"state\":{}}\n"
		"{\"type\":\"state\",\"state\":{}}\n"
		"{\"type\":\"keep\",\"from\":\"b\"}\n"
		"{\"type\":\"rewind\",\"to\":\"a\"}\n";
	enum { REWIND = 9, FIRST_STATE = 2 };
	static const size_t visits[] = {0, 1, 6, 5}; /* epochs */
	struct replayed s;
	(void)state;
	replayed_open(&s, str_of(records));
	replayed_start(&s, NULL);
	while (s.run.next < REWIND)
		run_step(&s.run, 1);
	assert_int_equal(s.run.epochs.n, 7);
	for (size_t i = 0; i < sizeof visits / sizeof visits[0]; i++)
		run_seek(&s.run, visits[i] == 0 ? 0 : FIRST_STATE + visits[i]);
	assert_int_equal(s.run.epoch, 5);
	assert_int_equal(s.run.state.rows.n, 2);
	run_step(&s.run, 1);
	assert_int_equal(s.run.state.rows.n, 1); /* the compaction left with the rows before it, and a came back */
	assert_int_equal(s.run.state.rows.v[0], 0);
	replayed_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_every_record),
		cmocka_unit_test(looking_back_between),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
