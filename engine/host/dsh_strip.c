#include "engine/host/dsh_strip.h"

enum { CLOSED, OPEN, FLYING };

static void open_call(struct dsh_strip *s, uint32_t id, uint32_t owner, uint8_t state)
{
	s->owner.v[id] = owner;
	s->open.v[id] = state;
	vec_push(&s->touched, id);
}

static void clear(struct dsh_strip *s)
{
	for (size_t i = 0; i < s->touched.n; i++) {
		s->owner.v[s->touched.v[i]] = 0;
		s->open.v[s->touched.v[i]] = CLOSED;
	}
	s->touched.n = 0;
}

static void begin(struct dsh_strip *s, const struct dsh_log *log, size_t nodes)
{
	vec_fill(&s->owner, log->names.list.n);
	vec_fill(&s->open, log->names.list.n);
	s->hidden.n = s->healthy.n = s->hidden_n = 0;
	vec_fill(&s->hidden, nodes);
	vec_fill(&s->healthy, nodes);
}

static void hide(struct dsh_strip *s, size_t at)
{
	s->hidden.v[at] = 1;
	s->hidden_n++;
}

/*
 * A result is healthy when its call is open and only results of the same row
 * stand between (8.6). `*run` is the position + 1 of the call row whose results
 * may follow here.
 */
static void walk_result(struct dsh_strip *s, uint32_t id, size_t at, uint32_t *run)
{
	uint32_t owner = id ? s->owner.v[id] : 0;
	bool belongs = owner && owner == *run;
	if (id && s->open.v[id] != OPEN)
		hide(s, at);
	else if (id && belongs)
		s->healthy.v[owner - 1] = 1;
	else if (id)
		hide(s, at);
	if (id)
		s->open.v[id] = CLOSED;
	if (!belongs)
		*run = 0;
}

static void walk(struct dsh_strip *s, const struct dsh_log *log, const struct dsh_rows *nodes)
{
	uint32_t run = 0;
	for (size_t i = 0; i < nodes->rows.n; i++) {
		const struct dsh_row *r = dsh_log_row(log, nodes->rows.v[i]);
		if (r->type == DSH_TOOL) {
			walk_result(s, r->result, i, &run);
			continue;
		}
		run = r->calls_n ? (uint32_t)i + 1 : 0;
		for (uint32_t c = 0; c < r->calls_n; c++)
			if (r->calls[c].id && s->open.v[r->calls[c].id] != OPEN)
				open_call(s, r->calls[c].id, (uint32_t)i + 1, OPEN);
	}
}

/* A row none of whose calls has an id is no call row. */
static bool all_lost(const struct dsh_strip *s, const struct dsh_row *r)
{
	bool any = false;
	for (uint32_t c = 0; c < r->calls_n; c++) {
		if (s->open.v[r->calls[c].id] == FLYING)
			return false;
		any |= r->calls[c].id != 0;
	}
	return any;
}

void dsh_strip_find(struct dsh_strip *s, const struct dsh_log *log, const struct dsh_rows *nodes,
		    const uint32_t *in_flight, size_t in_flight_n)
{
	begin(s, log, nodes->rows.n);
	walk(s, log, nodes);
	clear(s);
	for (size_t i = 0; i < in_flight_n; i++)
		if (in_flight[i] && in_flight[i] < s->open.n)
			open_call(s, in_flight[i], 0, FLYING);
	for (size_t i = 0; i < nodes->rows.n; i++)
		if (!s->healthy.v[i] && all_lost(s, dsh_log_row(log, nodes->rows.v[i])) &&
		    dsh_log_row(log, nodes->rows.v[i])->type == DSH_ASSISTANT)
			hide(s, i);
	clear(s);
}

void dsh_open_calls(struct dsh_strip *s, const struct dsh_log *log, const struct dsh_rows *nodes, struct dsh_rows *ids)
{
	begin(s, log, 0);
	ids->rows.n = 0;
	for (size_t i = 0; i < nodes->rows.n; i++) {
		const struct dsh_row *r = dsh_log_row(log, nodes->rows.v[i]);
		for (uint32_t c = 0; c < r->calls_n && r->type == DSH_ASSISTANT; c++)
			if (r->calls[c].id && s->open.v[r->calls[c].id] != OPEN)
				open_call(s, r->calls[c].id, 0, OPEN);
		if (r->type == DSH_TOOL && r->result)
			s->open.v[r->result] = CLOSED;
	}
	for (size_t i = 0; i < s->touched.n; i++) {
		uint32_t id = s->touched.v[i];
		if (s->open.v[id] != OPEN)
			continue;
		s->open.v[id] = CLOSED; /* opened more than once, listed once */
		vec_push(&ids->rows, id);
	}
	clear(s);
}

void dsh_strip_free(struct dsh_strip *s)
{
	vec_free(&s->hidden);
	vec_free(&s->owner);
	vec_free(&s->open);
	vec_free(&s->healthy);
	vec_free(&s->touched);
}
