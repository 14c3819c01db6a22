#include "engine/host/dsh_surface.h"

void dsh_surface_init(struct dsh_surface *s, const struct dsh_log *log)
{
	*s = (struct dsh_surface){.log = log, .last = -1};
	vec_push(&s->slots, (struct dsh_slot){DSH_NONE, 0, 0});
}

void dsh_surface_free(struct dsh_surface *s)
{
	vec_free(&s->places);
	vec_free(&s->slots);
	vec_free(&s->told);
}

static uint32_t slot_of(const struct dsh_surface *s, uint32_t row) { return s->places.v[row].slot; }

static void append(struct dsh_surface *s, uint32_t row)
{
	uint32_t slot = (uint32_t)s->slots.n, tail = s->slots.v[0].prev;
	vec_push(&s->slots, (struct dsh_slot){row, 0, tail});
	s->slots.v[tail].next = slot;
	s->slots.v[0].prev = slot;
	s->places.v[row] = (struct dsh_place){DSH_NODE, slot, DSH_NONE};
	s->nodes++;
}

/* The edges as nodes, or why they are none. */
static enum dsh_fold_status edges(const struct dsh_surface *s, int64_t start, int64_t end, uint32_t *first,
				  uint32_t *last)
{
	*first = dsh_surface_find(s, start);
	*last = dsh_surface_find(s, end);
	if (*first == DSH_NONE)
		return DSH_START_MISSING;
	if (*last == DSH_NONE)
		return DSH_END_MISSING;
	return dsh_surface_before(s, *last, *first) ? DSH_START_AFTER_END : DSH_FOLDED;
}

/* Slots from `slot` to `last` leave the ring or come back into it; their own links stay. */
static void shadow(struct dsh_surface *s, uint32_t slot, uint32_t last, uint32_t by)
{
	for (;; slot = s->slots.v[slot].next) {
		struct dsh_place *p = &s->places.v[s->slots.v[slot].row];
		p->presence = by == DSH_NONE ? DSH_NODE : DSH_SHADOWED;
		p->by = by;
		if (by == DSH_NONE)
			s->nodes++;
		else
			s->nodes--;
		if (slot == last)
			break;
	}
}

static void replace(struct dsh_surface *s, struct dsh_told *t, uint32_t first, uint32_t last)
{
	uint32_t slot = slot_of(s, first), after;
	t->last = slot_of(s, last);
	t->before = first;
	t->next = s->slots.v[slot].next;
	after = s->slots.v[t->last].next;
	shadow(s, slot, t->last, t->row);
	s->slots.v[slot].row = t->row;
	s->slots.v[slot].next = after;
	s->slots.v[after].prev = slot;
	s->places.v[t->row] = (struct dsh_place){DSH_NODE, slot, DSH_NONE};
	s->nodes++;
	s->generation++;
}

static enum dsh_fold_status tell(struct dsh_surface *s, uint32_t row, uint8_t op, int64_t start, int64_t end)
{
	struct dsh_told t = {.row = row, .before = DSH_NONE};
	enum dsh_fold_status fold = DSH_NO_FOLD;
	uint32_t first, last;
	vec_fill(&s->places, (size_t)row + 1);
	s->places.v[row] = (struct dsh_place){.presence = DSH_NEVER, .by = DSH_NONE};
	if (dsh_type_is_surface(s->log->rows.v[row].type)) {
		if (op == DSH_APPEND) {
			append(s, row);
			fold = DSH_FOLDED;
		} else if (op == DSH_REPLACE) {
			fold = edges(s, start, end, &first, &last);
			if (fold == DSH_FOLDED)
				replace(s, &t, first, last);
		}
	}
	s->last = dsh_log_seq(s->log, row);
	vec_push(&s->told, t);
	return fold;
}

enum dsh_fold_status dsh_surface_tell(struct dsh_surface *s, uint32_t row)
{
	const struct dsh_row *r = dsh_log_row(s->log, row);
	return tell(s, row, r->op, r->start, r->end);
}

enum dsh_fold_status dsh_surface_tell_at(struct dsh_surface *s, uint32_t row, int64_t start, int64_t end)
{
	return tell(s, row, DSH_REPLACE, start, end);
}

static void unreplace(struct dsh_surface *s, const struct dsh_told *t)
{
	uint32_t slot = slot_of(s, t->row), after = s->slots.v[slot].next;
	s->slots.v[slot].row = t->before;
	if (t->last != slot)
		s->slots.v[slot].next = t->next;
	s->slots.v[after].prev = t->last;
	shadow(s, slot, t->last, DSH_NONE);
	s->nodes--;
	s->generation--;
}

uint32_t dsh_surface_untell(struct dsh_surface *s)
{
	if (s->told.n == 0)
		return DSH_NONE;
	struct dsh_told t = s->told.v[--s->told.n];
	struct dsh_place *p = &s->places.v[t.row];
	if (p->presence == DSH_NODE && t.before != DSH_NONE) {
		unreplace(s, &t);
	} else if (p->presence == DSH_NODE) {
		uint32_t tail = s->slots.v[p->slot].prev;
		s->slots.v[tail].next = 0;
		s->slots.v[0].prev = tail;
		s->slots.n--;
		s->nodes--;
	}
	*p = (struct dsh_place){.presence = DSH_UNTOLD};
	s->last = s->told.n ? dsh_log_seq(s->log, s->told.v[s->told.n - 1].row) : -1;
	return t.row;
}

/* ---- look-ups ---- */

uint32_t dsh_surface_find(const struct dsh_surface *s, int64_t seq)
{
	uint32_t row = dsh_log_find(s->log, seq);
	return row != DSH_NONE && dsh_surface_is_node(s, row) ? row : DSH_NONE;
}

bool dsh_surface_knows(const struct dsh_surface *s, int64_t seq)
{
	uint32_t row;
	if (seq < 0 || seq > s->last)
		return false;
	row = dsh_log_find(s->log, seq);
	return row == DSH_NONE || dsh_surface_presence(s, row) != DSH_UNTOLD;
}

uint32_t dsh_surface_first(const struct dsh_surface *s) { return s->slots.v[s->slots.v[0].next].row; }

uint32_t dsh_surface_next(const struct dsh_surface *s, uint32_t row)
{
	return s->slots.v[s->slots.v[slot_of(s, row)].next].row;
}

uint32_t dsh_surface_prev(const struct dsh_surface *s, uint32_t row)
{
	return s->slots.v[s->slots.v[slot_of(s, row)].prev].row;
}

void dsh_surface_list(const struct dsh_surface *s, struct dsh_rows *out)
{
	out->rows.n = 0;
	vec_reserve(&out->rows, s->nodes);
	for (uint32_t row = dsh_surface_first(s); row != DSH_NONE; row = dsh_surface_next(s, row))
		vec_push(&out->rows, row);
}

enum dsh_fold_status dsh_surface_span(const struct dsh_surface *s, int64_t start, int64_t end, struct dsh_rows *out)
{
	uint32_t first, last;
	enum dsh_fold_status fold = edges(s, start, end, &first, &last);
	out->rows.n = 0;
	if (fold != DSH_FOLDED)
		return fold;
	for (uint32_t row = first;; row = dsh_surface_next(s, row)) {
		vec_push(&out->rows, row);
		if (row == last)
			return DSH_FOLDED;
	}
}

/* ---- what a host would refuse ---- */

const char *dsh_op_problem_name(enum dsh_op_problem p)
{
	static const char *const names[] = {
		[DSH_OP_MISSING] = "surfaceOp missing",
		[DSH_OP_UNREADABLE] = "surfaceOp unreadable",
		[DSH_OP_ON_EVENT] = "surface members on an event that is no row",
		[DSH_OP_EXTRA_KEY] = "surfaceOp with an unknown key",
		[DSH_OP_START_MISSING] = "start not on the surface",
		[DSH_OP_END_MISSING] = "end not on the surface",
		[DSH_OP_START_AFTER_END] = "start after end",
		[DSH_OP_CITES_MISSING] = "sourceEventSeqs missing",
		[DSH_OP_CITES_BROKEN] = "sourceEventSeqs unreadable",
		[DSH_OP_CITES_EMPTY] = "sourceEventSeqs empty",
		[DSH_OP_CITES_DOUBLE] = "sourceEventSeqs names a seq twice",
		[DSH_OP_CITES_LATER] = "sourceEventSeqs names a seq that is not earlier",
		[DSH_OP_NOT_CITED] = "a shadowed row is not cited",
		[DSH_OP_TOOL_REPLACE] = "a tool result may replace one tool result only",
		[DSH_OP_CITES_FORBIDDEN] = "sourceEventSeqs on an assistant row",
		[DSH_OP_SYSTEM_ROW] = "the leading system row may be replaced by a system row only",
	};
	return names[p];
}

static void note(struct dsh_op_report *out, bool is, enum dsh_op_problem p)
{
	if (is)
		out->problems |= 1u << p;
}

enum { SYSTEM_ROW_VERSION = 3 }; /* since this format a log begins with a system row */

static void check_cites(const struct dsh_surface *s, const struct dsh_row *r, struct dsh_op_report *out)
{
	/* "stream known to be empty" of format 0 */
	bool may_be_empty = r->type == DSH_ASSISTANT && s->log->version == 0 && r->op == DSH_APPEND;
	note(out, r->op == DSH_REPLACE && !(r->notes & DSH_NOTE_CITES), DSH_OP_CITES_MISSING);
	note(out,
	     (r->notes & DSH_NOTE_CITES) && s->log->version >= SYSTEM_ROW_VERSION && r->type == DSH_ASSISTANT &&
		     r->op == DSH_APPEND,
	     DSH_OP_CITES_FORBIDDEN);
	note(out, r->notes & DSH_NOTE_CITES_BROKEN, DSH_OP_CITES_BROKEN);
	note(out, (r->notes & DSH_NOTE_CITES_EMPTY) && !may_be_empty, DSH_OP_CITES_EMPTY);
	note(out, r->notes & DSH_NOTE_CITES_DOUBLE, DSH_OP_CITES_DOUBLE);
	note(out, r->notes & DSH_NOTE_CITES_LATER, DSH_OP_CITES_LATER);
}

static void check_span(const struct dsh_surface *s, const struct dsh_row *r, struct dsh_op_report *out)
{
	static const enum dsh_op_problem problem[] = {[DSH_START_MISSING] = DSH_OP_START_MISSING,
						      [DSH_END_MISSING] = DSH_OP_END_MISSING,
						      [DSH_START_AFTER_END] = DSH_OP_START_AFTER_END};
	uint32_t first, last;
	enum dsh_fold_status fold = edges(s, r->start, r->end, &first, &last);
	if (fold != DSH_FOLDED) {
		note(out, true, problem[fold]);
		return;
	}
	note(out, r->type == DSH_TOOL && (first != last || dsh_log_row(s->log, first)->type != DSH_TOOL),
	     DSH_OP_TOOL_REPLACE);
	note(out,
	     s->log->version >= SYSTEM_ROW_VERSION && first == dsh_surface_first(s) &&
		     dsh_log_row(s->log, first)->type == DSH_SYSTEM && (first != last || r->type != DSH_SYSTEM),
	     DSH_OP_SYSTEM_ROW);
	if (!(r->notes & DSH_NOTE_CITES))
		return;
	for (uint32_t row = first;; row = dsh_surface_next(s, row)) {
		if (!dsh_row_cites(r, dsh_log_seq(s->log, row))) {
			note(out, true, DSH_OP_NOT_CITED);
			out->seq = dsh_log_seq(s->log, row);
			return;
		}
		if (row == last)
			return;
	}
}

void dsh_surface_check(const struct dsh_surface *s, uint32_t row, struct dsh_op_report *out)
{
	const struct dsh_row *r = dsh_log_row(s->log, row);
	*out = (struct dsh_op_report){.seq = -1};
	if (!dsh_type_is_surface(r->type)) {
		note(out, r->op != DSH_NO_OP || (r->notes & DSH_NOTE_CITES), DSH_OP_ON_EVENT);
		return;
	}
	note(out, r->op == DSH_NO_OP, DSH_OP_MISSING);
	note(out, r->op == DSH_BAD_OP, DSH_OP_UNREADABLE);
	note(out, r->notes & DSH_NOTE_EXTRA_KEY, DSH_OP_EXTRA_KEY);
	check_cites(s, r, out);
	if (r->op == DSH_REPLACE)
		check_span(s, r, out);
}
