#include "replay/frame_ranges.h"

#include <math.h>

#include "engine/kernel/nodes.h"

/* A longer summary is not tried: a configuration that asks for more gets the refusal. */
enum { SUMMARY_UNITS_MAX = 1 << 20 };

const char *frame_range_kind_name(enum frame_range_kind k)
{
	static const char *const names[FRAME_RANGE_KINDS] = {[FRAME_RANGE_RECOMMENDED] = "recommended",
							     [FRAME_RANGE_SMALL] = "too small",
							     [FRAME_RANGE_GROUP] = "group",
							     [FRAME_RANGE_PROTECTED] = "protected",
							     [FRAME_RANGE_RECENT] = "recent"};
	return names[k];
}

struct surface_row frame_row_before_cuts(const struct frame *f, const struct frame_row *row)
{
	const struct state *s = &f->run->state;
	struct surface_row r = row->row;
	if (f->at.node < NODE_TRUNCATE || f->capacity)
		return r;
	r.tagged = false;
	r.tag = (struct measure){0};
	r.peel = 0;
	if (row->flags & ROW_TRUNCATED)
		r.alternative = ALTERNATIVE_NONE;
	r.face = r.source < 0                        ? s->blocks.v[~r.source].face
		 : r.alternative != ALTERNATIVE_NONE ? f->run->alternatives.list.v[r.alternative].face
						     : s->messages.v[r.source].face;
	return r;
}

/* ---- the list ---- */

struct builder {
	struct frame *f;
	VEC(struct frame_range) list;
};

static struct frame_range range_of(const struct range *r, enum frame_range_kind kind)
{
	return (struct frame_range){.kind = (uint8_t)kind,
				    .start = r->start,
				    .end = r->end,
				    .first = r->first,
				    .last = r->last,
				    .count = r->count,
				    .tokens = r->tokens,
				    .chars = r->chars,
				    .tool_pct = r->tool_pct};
}

static void add_group(struct builder *b, uint32_t group, bool last)
{
	struct frame_range range = range_of(&b->f->turn.rec.compressible.v[group], FRAME_RANGE_GROUP);
	range.groups = 1;
	range.group = group;
	range.last_of_its_kind = last;
	vec_push(&b->list, range);
}

/* The recommended ranges with the groups they were merged of: consecutive ones, up to the count of the range. */
static void add_recommended(struct builder *b)
{
	const struct recommendation *rec = &b->f->turn.rec;
	double min = b->f->run->config.min_range;
	uint32_t group = 0;
	for (size_t i = 0; i < rec->recommended.n; i++) {
		const struct range *r = &rec->recommended.v[i];
		uint32_t first = group, count = 0;
		while (group < rec->compressible.n && count < r->count)
			count += rec->compressible.v[group++].count;
		bool small = min > 0 && r->chars < min;
		struct frame_range range = range_of(r, small ? FRAME_RANGE_SMALL : FRAME_RANGE_RECOMMENDED);
		range.groups = group - first;
		range.group = first;
		vec_push(&b->list, range);
		for (uint32_t g = first; group - first > 1 && g < group; g++)
			add_group(b, g, g + 1 == group);
	}
}

static void add_protected(struct builder *b)
{
	const struct recommendation *rec = &b->f->turn.rec;
	for (size_t i = 0; i < rec->protected_ranges.n; i++) {
		const struct protected_range *r = &rec->protected_ranges.v[i];
		vec_push(&b->list, (struct frame_range){.kind = FRAME_RANGE_PROTECTED,
							.start = r->start,
							.end = r->end,
							.first = r->first,
							.last = r->last,
							.count = r->count,
							.tokens = r->tokens,
							.chars = NAN,
							.tool_pct = -1,
							.tools_at = r->tools_at,
							.tools_n = r->tools_n});
	}
}

static void add_recent_row(struct builder *b, uint32_t i, const struct surface_row *r, bool open)
{
	struct measure m = surface_measure(r);
	bool tool = content_is_tool(r->content);
	if (!open)
		vec_push(&b->list, (struct frame_range){.kind = FRAME_RANGE_RECENT, .start = r->ref, .first = i});
	struct frame_range *range = &b->list.v[b->list.n - 1];
	range->end = r->ref;
	range->last = i;
	range->count++;
	range->tokens += counter_tokens(&b->f->turn.in.counter, m);
	range->chars += m.units;
	range->tool_pct += tool; /* rows so far; a percentage at the end */
}

static void close_recent(struct builder *b, bool open)
{
	if (!open)
		return;
	struct frame_range *r = &b->list.v[b->list.n - 1];
	r->tool_pct = (int)(((double)r->tool_pct * 100) / r->count + 0.5);
}

/* Runs of rows that would be compressible but for the zone; a row that takes part in the grouping ends a run. */
static void add_recent(struct builder *b)
{
	struct frame *f = b->f;
	struct state *s = &f->run->state;
	bool open = false;
	for (size_t i = 0; i < f->rows.n; i++) {
		struct surface_row r = frame_row_before_cuts(f, &f->rows.v[i]);
		if (r.ref == REF_NONE || r.ref == REF_BLOCKED || surface_skip(&r))
			continue;
		bool recent = mark_set_has(&f->zone, r.ref) && !protect_paired(&r, s, &f->calls);
		if (recent)
			add_recent_row(b, (uint32_t)i, &r, open);
		else
			close_recent(b, open);
		open = recent;
	}
	close_recent(b, open);
}

static int oldest_first(const void *a, const void *b)
{
	const struct frame_range *x = a, *y = b;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return 0; /* ranges of a kind do not begin at the same row */
}

struct keyed {
	uint64_t key;
	uint32_t first, range;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* A ref can come again further down (rows with the same id): the second range that begins with it says so. */
static void give_keys(struct frame *f, struct frame_ranges *r)
{
	struct keyed *order = arena_alloc(&f->arena, (r->n + 1) * sizeof *order);
	for (size_t i = 0; i < r->n; i++) {
		uint64_t key = ((uint64_t)1 << 36 | (uint64_t)r->v[i].kind << 32 | r->v[i].start) << 16;
		order[i] = (struct keyed){key, r->v[i].first, (uint32_t)i};
	}
	if (r->n > 1)
		qsort(order, r->n, sizeof *order, by_key);
	for (size_t i = 0, same = 0; i < r->n; i++) {
		same = i > 0 && order[i].key == order[i - 1].key ? same + 1 : 0;
		r->v[order[i].range].key = order[i].key + same;
	}
}

/* ---- the view at the end of the turn ---- */

/* Nodes behind the frame's run on a copy; the decision in between changes nothing that counts here. */
static void take_tagged(struct frame *f, struct frame_ranges *r)
{
	struct run *run = f->run;
	struct turn rest = {.in = f->turn.in};
	size_t mark = state_mark(&run->state);
	for (size_t i = 0; i < f->turn.surface.rows.n; i++)
		vec_push(&rest.surface.rows, f->turn.surface.rows.v[i]);
	for (unsigned node = f->at.node + 1; node < NODE_COUNT; node++)
		if (node != NODE_NUDGE)
			turn_step(&rest, &run->state, &run->alternatives, (enum turn_node)node);
	state_rollback(&run->state, mark);
	r->tagged = rest.surface;
	rest.surface = (struct surface){0};
	turn_free(&rest);
}

/* As short as is allowed (kernel.md 5.6.11). */
static void take_summary(struct frame *f, struct frame_ranges *r)
{
	const struct config *c = &f->run->config;
	double units = c->min_summary > 1 ? ceil(c->min_summary) : 1;
	r->legal = units <= SUMMARY_UNITS_MAX && !(c->max_summary > 0 && c->max_summary < units);
	size_t n = units < SUMMARY_UNITS_MAX ? (size_t)units : (size_t)SUMMARY_UNITS_MAX;
	char *text = arena_alloc(&f->arena, n);
	memset(text, 'x', n);
	r->summary = (struct str){text, n};
}

static void ranges_free(void *ranges)
{
	struct frame_ranges *r = ranges;
	surface_free(&r->tagged);
	compress_scratch_free(&r->scratch);
	apply_result_free(&r->result);
	positions_free(&r->positions);
}

struct frame_ranges *frame_ranges(struct frame *f)
{
	if (f->run == NULL || f->capacity || f->at.node < NODE_RECOMMEND)
		return NULL;
	struct frame_ranges *r = f->kept[KEPT_RANGES];
	if (r != NULL)
		return r;
	struct builder b = {.f = f};
	r = f->kept[KEPT_RANGES] = arena_zero(&f->arena, 1, sizeof *r);
	arena_defer(&f->arena, ranges_free, r);
	add_recommended(&b);
	add_protected(&b);
	add_recent(&b);
	if (b.list.n > 1)
		qsort(b.list.v, b.list.n, sizeof *b.list.v, oldest_first);
	r->n = b.list.n;
	r->v = arena_alloc(&f->arena, (r->n + 1) * sizeof *r->v);
	for (size_t i = 0; i < r->n; i++) {
		r->v[i] = b.list.v[i];
		r->of_kind[r->v[i].kind]++;
	}
	vec_free(&b.list);
	r->groups = (uint32_t)f->turn.rec.compressible.n;
	give_keys(f, r);
	take_tagged(f, r);
	take_summary(f, r);
	return r;
}

/* ---- answers ---- */

static void apply(struct frame *f, uint32_t first, uint32_t last)
{
	struct frame_ranges *r = frame_ranges(f);
	struct state *s = &f->run->state;
	char start[REF_TEXT_MAX], end[REF_TEXT_MAX];
	struct range_request request = {
		.start = state_ref_text(s, first, start), .end = state_ref_text(s, last, end), .summary = r->summary};
	struct apply_options o = {.counter = f->turn.in.counter};
	compress_apply(&request, 1, &r->tagged, s, &o, &r->scratch, &r->result);
}

void frame_range_apply(struct frame *f, size_t i)
{
	const struct frame_range *range = &frame_ranges(f)->v[i];
	apply(f, range->start, range->end);
}

/* The most particular reason stands last: errors of the batch come before those of its ranges (kernel.md 5.5). */
static enum compress_kind refusal(const struct apply_result *a)
{
	if (a->errors.n > 0)
		return a->errors.v[a->errors.n - 1].kind;
	if (a->blocks_created > 0)
		return COMPRESS_KIND_COUNT;
	return a->verdicts.v[0].kind;
}

void frame_range_ask(struct frame *f, uint32_t start, uint32_t end, struct range_answer *out)
{
	struct frame_ranges *r = frame_ranges(f);
	struct state *s = &f->run->state;
	size_t mark = state_mark(s);
	apply(f, start, end);
	const struct range_verdict *v = &r->result.verdicts.v[0];
	*out = (struct range_answer){.accepted = r->result.blocks_created > 0 && r->result.errors.n == 0,
				     .kind = refusal(&r->result),
				     .units = v->chars,
				     .direct = v->direct,
				     .excluded = v->excluded,
				     .consumed = v->consumed};
	if (v->block >= 0) {
		out->tier = s->blocks.v[v->block].tier;
		out->tokens = s->blocks.v[v->block].tokens;
	}
	state_rollback(s, mark);
}

const struct range_answer *frame_range_answer(struct frame *f, size_t i)
{
	struct frame_range *range = &frame_ranges(f)->v[i];
	if (range->answer == NULL) {
		struct range_answer *a = arena_zero(&f->arena, 1, sizeof *a);
		frame_range_ask(f, range->start, range->end, a);
		range->answer = a;
	}
	return range->answer;
}

double frame_range_short(const struct frame *f, const struct frame_range *r)
{
	double min = f->run->config.min_range;
	bool offered = r->kind == FRAME_RANGE_SMALL || r->kind == FRAME_RANGE_GROUP;
	return offered && min > 0 && r->chars < min ? min - r->chars : 0;
}
