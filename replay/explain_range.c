/* Why a range is listed, and what becomes of it alone: resolution, gate and the steps of kernel.md 5.6, asked one by
 * one on the view at the end of the turn. */
#include "engine/kernel/pairs.h"
#include "replay/explain.h"

enum { WIDEN_PASSES = 2, GROUP_USER_SPLIT = 3 }; /* kernel.md 5.6.2, 4.6.2 */

struct asked {
	struct frame *f;
	struct frame_ranges *ranges;
	const struct frame_range *range;
	const struct range_answer *answer;
	struct state *s;
	struct explanation *out;
	struct resolution at;
	struct interval rows;              /* widened */
	struct mark_set zone, calls, seen; /* refs, call ids, ids */
	uint32_t *direct, direct_n;        /* rows of the view that would go into the block */
	uint32_t *consumed, consumed_n;    /* blocks */
};

static struct reason *add(struct asked *q, enum rule rule) { return explain_add(q->out, rule); }

static void value(struct asked *q, struct reason *r, const char *path) { explain_value(r, q->f->run, path); }

static const struct surface_row *row_at(const struct asked *q, int64_t i) { return &q->ranges->tagged.rows.v[i]; }

/* ---- how it came about ---- */

static void ask_start(struct asked *q)
{
	const struct range *groups = q->f->turn.rec.compressible.v;
	uint32_t group = q->range->group;
	struct reason *r = add(q, RULE_RANGE_START);
	r->variant = RANGE_START_FIRST;
	if (group == 0)
		return;
	double before = state_ref_number(q->s, groups[group - 1].end);
	bool gap = state_ref_number(q->s, q->range->start) > before + 1;
	r->variant = gap || groups[group - 1].count < GROUP_USER_SPLIT ? RANGE_START_GAP : RANGE_START_USER;
	r->number[0] = groups[group - 1].end;
}

static void ask_size(struct asked *q)
{
	double min = q->s->config->min_range;
	struct reason *r = add(q, RULE_RANGE_SIZE);
	r->variant = q->range->kind;
	r->holds = !(min > 0) || q->range->chars >= min;
	r->number[0] = q->range->chars;
	r->number[1] = min;
	r->number[2] = q->range->groups;
	value(q, r, "compress.minCompressRange");
}

static void ask_listed(struct asked *q)
{
	struct reason *r;
	switch ((enum frame_range_kind)q->range->kind) {
	case FRAME_RANGE_PROTECTED:
		r = add(q, RULE_RANGE_TOOLS);
		r->list_n = q->range->tools_n;
		if (r->list_n > 0)
			r->list = &q->f->turn.rec.tools.v[q->range->tools_at];
		value(q, r, "protectedTools");
		break;
	case FRAME_RANGE_RECENT:
		r = add(q, RULE_RANGE_RECENT);
		r->number[0] = q->range->count;
		value(q, r, "preserveRecentMessages");
		value(q, r, "preserveRecentTokens");
		break;
	default:
		ask_start(q);
		ask_size(q);
		break;
	}
}

/* ---- where it lies ---- */

static void ask_place(struct asked *q)
{
	char start[REF_TEXT_MAX], end[REF_TEXT_MAX];
	boundary_resolve(q->out->arena, state_ref_text(q->s, q->range->start, start),
			 state_ref_text(q->s, q->range->end, end), &q->ranges->tagged, &q->ranges->positions, q->s,
			 &q->at);
	struct reason *r = add(q, RULE_ALONE_RESOLVES);
	r->variant = (uint8_t)q->at.status;
	r->holds = q->at.status == RESOLVE_OK;
	if (!r->holds) {
		r->text = q->at.ref;
		return;
	}
	r->number[0] = q->at.start + 1;
	r->number[1] = q->at.end + 1;
	r->number[2] = 0;
	for (uint32_t i = q->at.start; i <= q->at.end; i++)
		r->number[2] += boundary_in_ids(row_at(q, i), q->s);
	for (int i = 0; i < q->at.snaps_n; i++)
		add(q, RULE_ALONE_SNAPPED)->text = q->at.snaps[i].ref;
}

static void ask_gate(struct asked *q)
{
	double min = q->s->config->min_range;
	struct reason *r = add(q, RULE_ALONE_GATE);
	r->number[0] = q->answer->units;
	r->number[1] = min;
	r->holds = !(min > 0) || q->answer->units >= min;
	value(q, r, "compress.minCompressRange");
}

static void ask_widened(struct asked *q)
{
	q->rows = (struct interval){q->at.start, q->at.end};
	for (int pass = 0; pass < WIDEN_PASSES; pass++) {
		struct interval before = q->rows;
		q->rows = pairs_tools(&q->ranges->tagged, q->s, pairs_reasoning(&q->ranges->tagged, q->rows));
		if (before.start == q->rows.start && before.end == q->rows.end)
			break;
	}
	if (q->rows.start == q->at.start && q->rows.end == q->at.end)
		return;
	struct reason *r = add(q, RULE_ALONE_WIDENED);
	r->number[0] = (double)(q->at.start - q->rows.start);
	r->number[1] = (double)(q->rows.end - q->at.end);
}

/* ---- what goes into the block ---- */

static bool is_reserved(const struct asked *q, const struct surface_row *r)
{
	return str_starts(names_get(q->s->names, r->id), STR(SUMMARY_ID_PREFIX));
}

/* Where blocks are looked for: the range, and once widening brought ids, from the first to the last of them (5.6.3). */
static struct interval nesting_place(const struct asked *q)
{
	const struct positions *p = &q->ranges->positions;
	uint32_t ids = 0, resolved = 0, first = 0, last = 0;
	for (int64_t i = q->rows.start; i <= q->rows.end; i++) {
		const struct surface_row *r = row_at(q, i);
		if (i >= q->at.start && i <= q->at.end)
			resolved += boundary_in_ids(r, q->s);
		if (is_reserved(q, r))
			continue;
		first = ids++ == 0 ? r->id : first;
		last = r->id;
	}
	if (ids <= resolved)
		return (struct interval){q->at.start, q->at.end};
	return (struct interval){position_last(p, first) - 1, position_last(p, last) - 1};
}

static bool is_among(uint32_t block, const uint32_t *list, size_t n)
{
	size_t i = 0;
	while (i < n && list[i] != block)
		i++;
	return i < n;
}

/* Refs of messages make a tier-1 block of it, which consumes tier 1 only (kernel.md 5.6.4). */
static void add_nested(struct asked *q, const uint32_t *nested, size_t n, uint32_t *others, uint32_t *others_n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_among(nested[i], q->consumed, q->consumed_n) || is_among(nested[i], others, *others_n))
			continue;
		if (q->s->blocks.v[nested[i]].tier == 1)
			q->consumed[q->consumed_n++] = nested[i];
		else
			others[(*others_n)++] = nested[i];
	}
}

static void ask_nested(struct asked *q)
{
	struct interval place = nesting_place(q);
	uint32_t *more, others_n = 0;
	size_t n = boundary_blocks_in(q->out->arena, &q->ranges->tagged, &q->ranges->positions, q->s,
				      (uint32_t)place.start, (uint32_t)place.end, &more);
	uint32_t *others = arena_alloc(q->out->arena, (q->at.nested_n + n) * sizeof *others);
	q->consumed = arena_alloc(q->out->arena, (q->at.nested_n + n) * sizeof *q->consumed);
	add_nested(q, q->at.nested, q->at.nested_n, others, &others_n);
	add_nested(q, more, n, others, &others_n);
	if (q->consumed_n > 0) {
		struct reason *r = add(q, RULE_ALONE_CONSUMES);
		r->number[0] = 1;
		r->list = q->consumed;
		r->list_n = q->consumed_n;
	}
	if (others_n > 0) {
		struct reason *r = add(q, RULE_ALONE_NESTED);
		r->list = others;
		r->list_n = others_n;
	}
}

enum fate { FATE_NONE, FATE_DIRECT, FATE_COVERED, FATE_GUARDED, FATE_ZONE, FATE_COUNT };

/* What becomes of a row of the range (kernel.md 5.6.2, 7 to 9); an id counts once, by its first text. */
static enum fate fate_of(struct asked *q, uint32_t i)
{
	const struct surface_row *r = row_at(q, i);
	const struct name_info *id = state_info(q->s, r->id);
	if (is_reserved(q, r) || mark_set_has(&q->seen, r->id))
		return FATE_NONE;
	mark_set_add(&q->seen, r->id);
	if (id->covers > 0)
		return FATE_COVERED;
	if (protect_paired(row_at(q, (int64_t)position_first(&q->ranges->positions, r->id) - 1), q->s, &q->calls))
		return FATE_GUARDED;
	bool numbered = id->ref != REF_NONE && id->ref != REF_BLOCKED;
	return numbered && mark_set_has(&q->zone, id->ref) ? FATE_ZONE : FATE_DIRECT;
}

/* A reason about rows of the view, when there are any. */
static struct reason *add_rows(struct asked *q, enum rule rule, const uint32_t *rows, uint32_t n)
{
	struct reason *r = add(q, rule);
	r->number[0] = n;
	r->list = rows;
	r->list_n = n;
	return r;
}

static void ask_left_out(struct asked *q, uint32_t *const rows[], const uint32_t n[])
{
	if (n[FATE_COVERED] > 0)
		add_rows(q, RULE_ALONE_COVERED, rows[FATE_COVERED], n[FATE_COVERED]);
	if (n[FATE_GUARDED] > 0) {
		struct reason *r = add_rows(q, RULE_ALONE_GUARDED, rows[FATE_GUARDED], n[FATE_GUARDED]);
		value(q, r, "protectedTools");
	}
	if (n[FATE_ZONE] > 0) {
		struct reason *r = add_rows(q, RULE_ALONE_ZONE, rows[FATE_ZONE], n[FATE_ZONE]);
		value(q, r, "preserveRecentMessages");
		value(q, r, "preserveRecentTokens");
	}
}

static void ask_rows(struct asked *q)
{
	size_t all = (size_t)(q->rows.end - q->rows.start + 1);
	uint32_t *rows[FATE_COUNT], n[FATE_COUNT] = {0};
	for (int fate = 0; fate < FATE_COUNT; fate++)
		rows[fate] = arena_alloc(q->out->arena, all * sizeof **rows);
	mark_set_clear(&q->seen);
	protect_call_ids(&q->ranges->tagged, q->s, true, &q->calls);
	protect_zone(&q->ranges->tagged, q->s, &q->f->turn.in.counter, &q->zone);
	for (uint32_t i = (uint32_t)q->rows.start; i <= q->rows.end; i++) {
		enum fate fate = fate_of(q, i);
		rows[fate][n[fate]++] = i;
	}
	ask_left_out(q, rows, n);
	q->direct = rows[FATE_DIRECT];
	q->direct_n = n[FATE_DIRECT];
	struct reason *r = add(q, RULE_ALONE_CONTENT);
	r->holds = q->direct_n > 0;
	r->number[0] = q->direct_n;
	r->number[1] = q->consumed_n;
}

static void ask_summary(struct asked *q)
{
	const struct config *c = q->s->config;
	struct reason *r = add(q, RULE_ALONE_SUMMARY);
	r->holds = q->ranges->legal;
	r->number[0] = (double)q->ranges->summary.n;
	r->number[1] = c->min_summary;
	r->number[2] = c->max_summary;
	value(q, r, "compress.minSummaryLength");
	value(q, r, "compress.maxSummaryLength");
}

static void ask_answer(struct asked *q)
{
	struct reason *r = add(q, RULE_ALONE_ANSWER);
	r->holds = q->answer->accepted;
	r->variant = (uint8_t)q->answer->kind;
	if (r->holds) {
		r->number[0] = q->answer->tier;
		r->number[1] = q->answer->tokens;
	}
}

/* The first user row stays in the view though it is covered (kernel.md 4.3.4). */
static void ask_frees(struct asked *q)
{
	const struct counter *counter = &q->f->turn.in.counter;
	double rows = 0, summaries = 0, stays = 0;
	for (uint32_t i = 0; i < q->direct_n; i++) {
		const struct surface_row *r = row_at(q, q->direct[i]);
		bool first = r->source >= 0 && (uint32_t)r->source + 1 == q->s->first_user;
		*(first ? &stays : &rows) += counter_tokens(counter, surface_measure(r));
	}
	for (size_t i = 0; i < q->ranges->tagged.rows.n; i++) {
		const struct surface_row *r = row_at(q, (int64_t)i);
		for (uint32_t k = 0; r->source < 0 && k < q->consumed_n; k++)
			if ((uint32_t)~r->source == q->consumed[k])
				summaries += counter_tokens(counter, surface_measure(r));
	}
	struct reason *r = add(q, RULE_ALONE_FREES);
	r->number[0] = rows;
	r->number[1] = summaries;
	r->number[2] = stays;
}

void explain_range(struct frame *f, size_t i, struct explanation *out)
{
	struct asked q = {.f = f, .ranges = frame_ranges(f), .s = &f->run->state, .out = out};
	q.range = &q.ranges->v[i];
	q.answer = frame_range_answer(f, i);
	positions_build(&q.ranges->positions, &q.ranges->tagged);
	ask_listed(&q);
	ask_place(&q);
	if (q.at.status == RESOLVE_OK) {
		ask_gate(&q);
		ask_widened(&q);
		ask_nested(&q);
		ask_rows(&q);
		ask_summary(&q);
	}
	ask_answer(&q);
	if (q.answer->accepted)
		ask_frees(&q);
	mark_set_free(&q.zone);
	mark_set_free(&q.calls);
	mark_set_free(&q.seen);
}
