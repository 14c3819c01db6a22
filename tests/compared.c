#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tests/compared.h"

static void on_turn(void *ctx, struct run *r, uint32_t n, const struct moment *m)
{
	struct compared_side *s = ctx;
	s->watching.turn(s->watching.ctx, r, n, m);
	trace_turn(&s->trace, r, n, m);
}

static void on_compress(void *ctx, struct run *r, const struct compress_event *e)
{
	struct compared_side *s = ctx;
	s->watching.compress(s->watching.ctx, r, e);
	trace_compress(&s->trace, r, e);
}

static void side_begin(struct compared_side *s, struct recording *rec, const char *policy)
{
	struct policy p;
	struct error e = {0};
	*s = (struct compared_side){0};
	policy_for_host(&p, rec->host);
	enum status st = policy_apply(&p, str_of(policy), &e);
	if (st == STATUS_OK)
		st = run_init(&s->run, rec, &p, &(struct run_options){.limit = NAN}, &e);
	if (st != STATUS_OK)
		fail_msg("%s", e.message);
	diff_watch_begin(&s->watch, &s->run);
	s->watching = s->run.observer;
	s->run.observer = (struct run_observer){on_turn, on_compress, s};
	while (run_step(&s->run, 500))
		;
}

static void side_end(struct compared_side *s)
{
	trace_free(&s->trace);
	diff_watch_free(&s->watch);
	run_free(&s->run);
}

void compared_begin(struct compared *p, struct recording *left, const char *left_policy, struct recording *right,
		    const char *right_policy)
{
	side_begin(&p->side[0], left, left_policy);
	side_begin(&p->side[1], right, right_policy);
	diff_make(&p->d, &p->side[0].watch, &p->side[1].watch);
}

void compared_end(struct compared *p)
{
	diff_free(&p->d);
	side_end(&p->side[0]);
	side_end(&p->side[1]);
}
