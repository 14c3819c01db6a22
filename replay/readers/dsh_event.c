#include "replay/readers/dsh.h"

#include <math.h>

void dsh_note_model(struct recording *r, struct dsh *d, struct str model)
{
	if (model.n == 0)
		return;
	if (r->model.n == 0)
		r->model = (struct str){arena_copy(&r->arena, model.p, model.n), model.n};
	if (d->model == 0)
		d->model = names_add(&r->names, model);
}

/* The model requests go to from here on. */
static void take_model(struct dsh_line *l)
{
	const cJSON *config = json_get(json_get(l->event.data, "header"), "config");
	struct str model = {0};
	struct record rec = l->rec;
	uint32_t name;

	if (str_eq(l->event.type, STR("request/context")))
		model = json_str(json_get(l->event.data, "model"));
	else if (str_eq(l->event.type, STR("request/header")))
		model = json_str(json_get(config, "model"));
	if (model.n == 0)
		return;
	dsh_note_model(l->r, l->d, model);
	name = names_add(&l->r->names, model);
	if (name == l->d->model)
		return;
	l->d->model = name;
	rec.type = RECORD_MODEL;
	rec.index = (uint32_t)l->r->others.n;
	vec_push(&l->r->others, (struct other_record){.name = name});
	vec_push(&l->r->records, rec);
}

/* The compress record of a call, right behind it (dsh-rulings 21). */
static void take_compress(struct dsh_line *l)
{
	static const struct str names[] = {STR("arguments")};
	struct compress_record c = {.outcome_blocks = NAN, .outcome_tokens = NAN, .token_count = NAN};
	struct json_span data = l->v[DM_DATA], arguments;
	struct record rec = l->rec;
	struct str call = json_str(json_get(l->event.data, "callId"));

	if (!str_eq(l->event.type, STR("tool/call")) ||
	    !str_eq(json_str(json_get(l->event.data, "name")), STR("compress")))
		return;
	if (json_scan(l->line->p + data.at, data.n, &l->d->scan) == JSON_OK) {
		pick(l->line->p + data.at, &l->d->scan, names, 1, &arguments, l->scratch);
		arguments.at += data.at;
		c.args = recording_span(l->line, arguments);
	}
	c.call = names_add(&l->r->names, call);
	c.time = l->event.time;
	dsh_follow_call(l->r, &l->d->follow, call, (uint32_t)l->r->compressions.n);
	rec.type = RECORD_COMPRESS;
	rec.index = (uint32_t)l->r->compressions.n;
	vec_push(&l->r->compressions, c);
	vec_push(&l->r->records, rec);
}

void dsh_take_event(struct dsh_line *l, uint32_t count)
{
	uint32_t row = dsh_parts_row(l->r, &l->event);

	dsh_parts_event(l->r, l->rec, &l->event, count, row);
	dsh_follow_event(l->r, &l->d->follow, row);
	take_model(l);
	take_compress(l);
}

/* Applied means: at least one block (dsh-rulings 9). */
static void set_outcome(struct compress_record *c)
{
	c->has_outcome = true;
	c->outcome_applied = c->landed_n > 0;
	c->outcome_blocks = c->landed_n;
}

void dsh_take_outcome(struct recording *r, uint32_t compress)
{
	if (compress)
		set_outcome(&r->compressions.v[compress - 1]);
}

void dsh_open_outcomes(struct recording *r, struct dsh *d)
{
	size_t i;

	for (i = d->follow.oldest; i < d->follow.calls.n; i++) {
		struct compress_record *c = &r->compressions.v[d->follow.calls.v[i].compress];

		/* no result, but blocks: it did what it did; nothing at all: not known */
		if (!d->follow.calls.v[i].closed && c->landed_n > 0)
			set_outcome(c);
	}
}
