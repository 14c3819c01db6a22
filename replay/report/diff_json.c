/* A diff as one JSON object. */
#include <math.h>

#include "replay/canon.h"
#include "replay/report/diff_dsh.h"

static void put_number(struct buf *b, double x)
{
	if (isnan(x))
		buf_text(b, "null");
	else
		json_put_num(b, x);
}

static void put_text(struct buf *b, struct str s)
{
	if (s.p == NULL)
		buf_text(b, "null");
	else
		json_put_str(b, s);
}

/* 0 is null: there is none. */
static void put_turn(struct buf *b, uint32_t turn)
{
	if (turn > 0)
		buf_printf(b, "%u", turn);
	else
		buf_text(b, "null");
}

static void put_side(struct buf *b, const struct diff *d, enum diff_side side)
{
	const struct run *run = d->side[side]->run;
	buf_printf(b, ",\"%s\":{\"session\":", diff_side_name(side));
	json_put_str(b, run->recording->id);
	buf_text(b, ",\"host\":");
	json_put_str(b, run->recording->host);
	buf_text(b, ",\"policy\":");
	policy_write(&run->policy, b);
	buf_printf(b, ",\"turns\":%zu,\"counterfactualFrom\":", run->timeline.turns.n);
	put_turn(b, d->counterfactual[side]);
	buf_char(b, '}');
}

static void put_effects(struct buf *b, const struct diff *d)
{
	buf_text(b, ",\"effects\":[");
	for (size_t i = 0; i < d->effects_n; i++) {
		const struct diff_effect *e = &d->effects[i];
		buf_printf(b, "%s{\"name\":\"%s\"", i > 0 ? "," : "", e->key);
		for (int side = 0; side < DIFF_SIDES; side++) {
			buf_printf(b, ",\"%s\":", diff_side_name((enum diff_side)side));
			put_number(b, e->value[side]);
		}
		buf_text(b, ",\"change\":");
		put_number(b, diff_change(e));
		buf_text(b, ",\"scale\":");
		if (e->scale[DIFF_LEFT] == NULL && e->scale[DIFF_RIGHT] == NULL) {
			buf_text(b, "null}");
			continue;
		}
		buf_char(b, '[');
		put_text(b, str_of(e->scale[DIFF_LEFT]));
		buf_char(b, ',');
		put_text(b, str_of(e->scale[DIFF_RIGHT]));
		buf_text(b, "]}");
	}
	buf_char(b, ']');
}

static void put_pair(struct buf *b, const uint32_t turn[DIFF_SIDES])
{
	buf_char(b, '[');
	put_turn(b, turn[DIFF_LEFT]);
	buf_char(b, ',');
	put_turn(b, turn[DIFF_RIGHT]);
	buf_char(b, ']');
}

/* Both turns of a step; null after the last one. */
static void put_step(struct buf *b, const struct diff *d, uint32_t step)
{
	if (step < d->steps.n)
		put_pair(b, d->steps.v[step].turn);
	else
		buf_text(b, "null");
}

static void put_lines(struct buf *b, const struct diff_detail *t)
{
	buf_printf(b, ",\"leftOnly\":%zu,\"rightOnly\":%zu,\"both\":%zu,\"lines\":[", t->only[DIFF_LEFT],
		   t->only[DIFF_RIGHT], t->both);
	for (size_t i = 0; i < t->n; i++) {
		buf_text(b, i > 0 ? ",{\"name\":" : "{\"name\":");
		json_put_str(b, t->lines[i].name);
		buf_text(b, ",\"id\":");
		json_put_str(b, t->lines[i].id);
		buf_text(b, ",\"left\":");
		put_text(b, t->lines[i].value[DIFF_LEFT]);
		buf_text(b, ",\"right\":");
		put_text(b, t->lines[i].value[DIFF_RIGHT]);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

static void put_detail(struct buf *b, const struct diff *d, const struct diff_detail *t)
{
	const struct diff_count *c = &d->count[t->kind];
	buf_printf(b, "{\"kind\":\"%s\",\"count\":%u,\"firstTurn\":", diff_kind_name(t->kind), c->n);
	put_step(b, d, c->first);
	buf_text(b, ",\"lastTurn\":");
	put_step(b, d, c->last);
	if (t->kind == DIFF_CALLS) {
		buf_printf(b, ",\"call\":%u,\"afterTurn\":[", t->call);
		for (int side = 0; side < DIFF_SIDES; side++) {
			buf_text(b, side > 0 ? "," : "");
			put_number(b, t->has[side] ? (double)t->turn[side] : NAN);
		}
		buf_char(b, ']');
	}
	buf_printf(b, ",\"counterfactual\":[%s,%s]", diff_counterfactual(d, t, DIFF_LEFT) ? "true" : "false",
		   diff_counterfactual(d, t, DIFF_RIGHT) ? "true" : "false");
	put_lines(b, t);
	buf_char(b, '}');
}

void diff_json_put(const struct diff_report *r, struct buf *b)
{
	const struct diff *d = r->diff;
	buf_printf(b, "{\"type\":\"diff\",\"version\":1,\"same\":%s", diff_same(d) ? "true" : "false");
	put_side(b, d, DIFF_LEFT);
	put_side(b, d, DIFF_RIGHT);
	buf_printf(b, ",\"turns\":%zu,\"paired\":%u,\"differing\":%u,\"shown\":%u", d->steps.n, d->paired, d->differing,
		   d->shown);
	put_effects(b, d);
	if (diff_dsh_has(d))
		diff_dsh_json(r, b);
	buf_text(b, ",\"differences\":[");
	for (size_t i = 0; i < d->details_n; i++) {
		buf_text(b, i > 0 ? "," : "");
		put_detail(b, d, &d->details[i]);
	}
	buf_text(b, "]}\n");
}
