/* The whys of ranges and blocks against kernel.md 4.2, 4.3, 4.6, 5 and 6 worked out anew on generated states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "engine/base/json.h"
#include "tests/generate.h"
#include "tests/plain.h"
#include "tests/reasons.h"
#include "tests/replayed.h"

struct checked {
	size_t states, ranges, blocks, count[RULE_COUNT];
	cJSON *config;
	struct arena arena;
};

static void take(struct checked *c, const struct explanation *x)
{
	for (size_t i = 0; i < x->reasons.n; i++) {
		reasons_check_values(&x->reasons.v[i], c->config);
		c->count[x->reasons.v[i].rule]++;
	}
}

/* ---- one range alone, in the plainest way (kernel.md 5.6) ---- */

struct alone {
	const struct plain *p;
	const struct plain_row *rows; /* the view with tags */
	size_t n;
	enum resolve_status status;
	uint32_t failed;               /* ref that did not resolve */
	uint32_t snapped[2];           /* refs, 0 = none */
	char spelled[3][REF_TEXT_MAX]; /* of these three */
	long start, end;               /* as asked */
	long from, to;                 /* widened */
	uint32_t consumed[512], nested[512], direct[4096], covered[4096], guarded[4096], zone[4096];
	size_t consumed_n, nested_n, direct_n, covered_n, guarded_n, zone_n;
	double units;
};

/* The last row with the id, or -1; the first one is whose text counts. */
static long last_row(const struct alone *a, uint32_t id)
{
	for (long i = (long)a->n - 1; i >= 0; i--)
		if (a->rows[i].id == id)
			return i;
	return -1;
}

static const struct plain_row *first_row(const struct alone *a, uint32_t id)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->rows[i].id == id)
			return &a->rows[i];
	return NULL;
}

static bool reserved(const struct alone *a, const struct plain_row *r)
{
	return str_starts(plain_name(a->p, r->id), STR("acp_summary_"));
}

static bool is_id(const struct alone *a, const struct plain_row *r)
{
	return !plain_is_summary(a->p, r->id, r->role, r->content);
}

/* kernel.md 6.3: the summary or the smallest of its ids lies in [from, to]. */
static bool visible(const struct alone *a, const struct block *k, long from, long to)
{
	long at = last_row(a, k->summary_id), least = -1;
	for (uint32_t i = 0; i < k->effective_n; i++) {
		long row = last_row(a, k->effective[i]);
		if (row >= 0 && (least < 0 || row < least))
			least = row;
	}
	return (at >= from && at <= to) || (least >= from && least <= to);
}

static void nest(struct alone *a, long from, long to)
{
	for (size_t i = 0; i < a->p->s->blocks.n; i++) {
		const struct block *k = &a->p->s->blocks.v[i];
		bool known = false;
		for (size_t j = 0; j < a->consumed_n; j++)
			known = known || a->consumed[j] == i;
		for (size_t j = 0; j < a->nested_n; j++)
			known = known || a->nested[j] == i;
		if (known || !k->active || !visible(a, k, from, to))
			continue;
		if (k->tier == 1)
			a->consumed[a->consumed_n++] = (uint32_t)i;
		else
			a->nested[a->nested_n++] = (uint32_t)i;
	}
}

/* kernel.md 5.9.2 */
static void widen_reasoning(struct alone *a)
{
	long from = a->from, to = a->to;
	for (long i = from; i <= to; i++) {
		const struct plain_row *r = &a->rows[i];
		bool answer = r->role == ROLE_ASSISTANT && (r->content == CONTENT_TEXT || r->content == CONTENT_CALL);
		if (r->content == CONTENT_REASONING) {
			long j = i;
			while (j + 1 < (long)a->n && a->rows[j + 1].content == CONTENT_REASONING)
				j++;
			if (j + 1 < (long)a->n && a->rows[j + 1].role == ROLE_ASSISTANT &&
			    (a->rows[j + 1].content == CONTENT_TEXT || a->rows[j + 1].content == CONTENT_CALL))
				a->to = j + 1 > a->to ? j + 1 : a->to;
		}
		if (answer) {
			long j = i;
			while (j > 0 && a->rows[j - 1].content == CONTENT_REASONING)
				j--;
			a->from = j < a->from ? j : a->from;
		}
	}
}

static bool carries(const struct alone *a, long from, long to, uint32_t call)
{
	for (long i = from; call != 0 && i <= to; i++)
		if (a->rows[i].call == call && !str_eq(plain_name(a->p, a->rows[i].tool), STR("compress")))
			return true;
	return false;
}

/* kernel.md 5.9.1 */
static void widen_tools(struct alone *a)
{
	long from = a->from, to = a->to;
	for (long i = to + 1; i < (long)a->n && i <= to + 20; i++) {
		if (carries(a, from, to, a->rows[i].call))
			a->to = i;
		else if (a->to != to)
			break;
	}
	for (long i = from - 1; i >= 0 && i >= from - 20; i--) {
		if (carries(a, from, to, a->rows[i].call))
			a->from = i;
		else if (a->from != from)
			break;
	}
}

static bool in_zone(struct plain *p, const struct alone *a, uint32_t ref)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->rows[i].ref == ref && p->zone.v[i] != 0)
			return true;
	return false;
}

static void sort_rows(struct alone *a, struct plain *p)
{
	plain_zone(p, a->rows, a->n);
	for (long i = a->from; i <= a->to; i++) {
		const struct plain_row *r = &a->rows[i];
		bool before = false;
		for (long k = a->from; k < i; k++)
			before = before || a->rows[k].id == r->id;
		if (reserved(a, r) || before)
			continue;
		bool numbered = r->ref != REF_NONE && r->ref != REF_BLOCKED;
		if (plain_covering(p, r->id, NULL) > 0)
			a->covered[a->covered_n++] = (uint32_t)i;
		else if (plain_paired(p, a->rows, a->n, first_row(a, r->id), true))
			a->guarded[a->guarded_n++] = (uint32_t)i;
		else if (numbered && in_zone(p, a, r->ref))
			a->zone[a->zone_n++] = (uint32_t)i;
		else
			a->direct[a->direct_n++] = (uint32_t)i;
	}
}

static const struct block *block_of_id(const struct alone *a, uint32_t id)
{
	for (size_t i = 0; i < a->p->s->blocks.n; i++)
		if (a->p->s->blocks.v[i].id == id)
			return &a->p->s->blocks.v[i];
	return NULL;
}

static bool lists_id(const struct block *k, uint32_t id)
{
	bool found = false;
	for (uint32_t i = 0; k != NULL && i < k->effective_n; i++)
		found = found || k->effective[i] == id;
	return found;
}

/* kernel.md 6.3: where a block is to be seen, or -1. */
static long seen_at(const struct alone *a, const struct block *k)
{
	long at = last_row(a, k->summary_id), least = -1;
	for (uint32_t i = 0; i < k->effective_n; i++) {
		long row = last_row(a, k->effective[i]);
		least = row >= 0 && (least < 0 || row < least) ? row : least;
	}
	return at >= 0 ? at : least;
}

/* kernel.md 6.4: the first active block to be seen that inherited the id, or -1. */
static long owner_of(const struct alone *a, uint32_t id)
{
	long best = -1;
	for (size_t i = 0; i < a->p->s->blocks.n; i++) {
		const struct block *k = &a->p->s->blocks.v[i];
		bool inherited = false;
		for (uint32_t c = 0; c < k->children_n; c++)
			inherited = inherited || lists_id(block_of_id(a, k->children[c]), id);
		long at = k->active && inherited ? seen_at(a, k) : -1;
		best = at >= 0 && (best < 0 || at < best) ? at : best;
	}
	return best;
}

/* kernel.md 6.2 for a ref of a message: by byRef, whatever byRaw says of the row. */
static long anchor_of(struct alone *a, uint32_t ref, int end)
{
	const struct state *s = a->p->s;
	uint32_t id = ref < s->by_ref.n ? s->by_ref.v[ref] : 0;
	long at = id != 0 ? last_row(a, id) : -1;
	if (a->status != RESOLVE_OK || at >= 0)
		return at;
	at = id != 0 ? owner_of(a, id) : -1;
	if (at >= 0) {
		a->snapped[end] = ref;
		return at;
	}
	a->status = id == 0 ? RESOLVE_UNKNOWN : RESOLVE_CONSUMED;
	a->failed = ref;
	return -1;
}

static void work_out(struct alone *a, struct plain *p, uint32_t start, uint32_t end)
{
	long ids = 0, more = 0, first = -1, last = -1;
	a->start = anchor_of(a, start, 0);
	a->end = anchor_of(a, end, 1);
	if (a->status != RESOLVE_OK)
		return;
	if (a->start > a->end) {
		long swap = a->start;
		a->start = a->end;
		a->end = swap;
	}
	for (long i = a->start; i <= a->end; i++)
		if (is_id(a, &a->rows[i])) {
			ids++;
			a->units += plain_units(first_row(a, a->rows[i].id)->text);
		}
	a->from = a->start;
	a->to = a->end;
	for (int pass = 0; pass < 2; pass++) {
		long from = a->from, to = a->to;
		widen_reasoning(a);
		widen_tools(a);
		if (from == a->from && to == a->to)
			break;
	}
	nest(a, a->start, a->end);
	for (long i = a->from; i <= a->to; i++)
		if (!reserved(a, &a->rows[i])) {
			first = more++ == 0 ? i : first;
			last = i;
		}
	if (more > ids)
		nest(a, last_row(a, a->rows[first].id), last_row(a, a->rows[last].id));
	sort_rows(a, p);
}

/* ---- what is expected ---- */

static void want_listed(struct wanted *w, struct plain *p, const struct frame *f, const struct frame_range *r)
{
	struct reason *x;
	if (r->kind == FRAME_RANGE_PROTECTED) {
		uint32_t tools[64];
		size_t n = 0;
		for (size_t i = r->first; i <= r->last; i++) {
			const struct plain_row *row = &p->view.v[i];
			bool guarded = row->ref != REF_NONE && row->ref != REF_BLOCKED && !plain_skip(row) &&
				       plain_paired(p, p->view.v, p->view.n, row, false),
			     known = false;
			for (size_t k = 0; k < n; k++)
				known = known || tools[k] == row->tool;
			if (guarded && row->tool != 0 && !known)
				tools[n++] = row->tool;
		}
		reasons_want_list(w, reasons_want(w, RULE_RANGE_TOOLS), tools, n);
		return;
	}
	if (r->kind == FRAME_RANGE_RECENT) {
		x = reasons_want(w, RULE_RANGE_RECENT);
		x->number[0] = r->count;
		return;
	}
	x = reasons_want(w, RULE_RANGE_START);
	x->variant = RANGE_START_FIRST;
	size_t group = 0;
	while (p->kept.v[group].first != r->first)
		group++;
	if (group > 0) {
		const struct plain_range *before = &p->kept.v[group - 1];
		uint32_t end = p->view.v[before->last].ref, start = p->view.v[r->first].ref;
		bool gap = state_ref_number(p->s, start) > state_ref_number(p->s, end) + 1;
		x->variant = gap ? RANGE_START_GAP : RANGE_START_USER;
		x->number[0] = end;
		if (!gap)
			assert_true(p->view.v[r->first].role == ROLE_USER && before->count >= 3);
	}
	x = reasons_want(w, RULE_RANGE_SIZE);
	x->variant = r->kind;
	for (size_t i = 0; i < p->kept.n; i++)
		if (p->kept.v[i].first >= r->first && p->kept.v[i].last <= r->last) {
			x->number[0] = (isnan(x->number[0]) ? 0 : x->number[0]) + p->kept.v[i].chars;
			x->number[2] = (isnan(x->number[2]) ? 0 : x->number[2]) + 1;
		}
	x->number[1] = p->c->min_range;
	x->holds = p->c->min_range <= 0 || x->number[0] >= p->c->min_range;
	(void)f;
}

static void want_rows(struct wanted *w, enum rule rule, const uint32_t *rows, size_t n)
{
	if (n == 0)
		return;
	struct reason *x = reasons_want(w, rule);
	x->number[0] = (double)n;
	reasons_want_list(w, x, rows, n);
}

/* kernel.md 5.3, 5.5: the most particular refusal of a range that lies nowhere. */
static enum compress_kind refusal_of_refs(const struct alone *a, const struct config *c)
{
	if (a->status == RESOLVE_UNKNOWN)
		return COMPRESS_UNKNOWN_REF;
	return c->min_range > 0 ? COMPRESS_ALL_CONSUMED : COMPRESS_CONSUMED_SKIPPED;
}

static void want_unresolved(struct wanted *w, struct alone *a, const struct config *c)
{
	struct reason *x = reasons_want(w, RULE_ALONE_RESOLVES);
	ref_format(a->spelled[2], a->failed);
	x->variant = (uint8_t)a->status;
	x->holds = false;
	x->text = str_of(a->spelled[2]);
	x = reasons_want(w, RULE_ALONE_ANSWER);
	x->variant = (uint8_t)refusal_of_refs(a, c);
	x->holds = false;
}

static void want_snapped(struct wanted *w, struct alone *a)
{
	for (int i = 0; i < 2; i++) {
		if (a->snapped[i] == 0)
			continue;
		ref_format(a->spelled[i], a->snapped[i]);
		reasons_want(w, RULE_ALONE_SNAPPED)->text = str_of(a->spelled[i]);
	}
}

/* The first refusal of kernel.md 5.5 and 5.6.9 to 11, or COMPRESS_KIND_COUNT. */
static enum compress_kind refusal(const struct alone *a, const struct config *c)
{
	double least = c->min_summary > 1 ? ceil(c->min_summary) : 1;
	if (c->min_range > 0 && a->units < c->min_range)
		return COMPRESS_BELOW_MIN_RANGE;
	if (a->zone_n > 0 && a->direct_n == 0 && a->consumed_n == 0)
		return COMPRESS_PROTECTED_ZONE;
	if (a->direct_n == 0 && a->consumed_n > 0)
		return COMPRESS_NO_NEW_CONTENT;
	if (c->max_summary > 0 && least > c->max_summary)
		return COMPRESS_SUMMARY_TOO_LONG;
	return a->direct_n == 0 ? COMPRESS_NOTHING_COMPRESSIBLE : COMPRESS_KIND_COUNT;
}

static void want_freed(struct wanted *w, const struct alone *a)
{
	double rows = 0, summaries = 0, stays = 0;
	int32_t first_user = -1;
	for (size_t i = 0; i < a->p->s->rows.n && first_user < 0; i++)
		if (a->p->s->messages.v[a->p->s->rows.v[i]].role == ROLE_USER)
			first_user = (int32_t)a->p->s->rows.v[i];
	for (size_t i = 0; i < a->direct_n; i++) {
		const struct plain_row *r = &a->rows[a->direct[i]];
		*(r->source == first_user ? &stays : &rows) += plain_tokens(r->text);
	}
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < a->consumed_n; k++)
			if (a->rows[i].source == ~(int32_t)a->consumed[k])
				summaries += plain_tokens(a->rows[i].text);
	struct reason *x = reasons_want(w, RULE_ALONE_FREES);
	x->number[0] = rows;
	x->number[1] = summaries;
	x->number[2] = stays;
}

static double block_tokens(const struct alone *a)
{
	double tokens = 0;
	for (size_t i = 0; i < a->direct_n; i++)
		tokens += plain_tokens(first_row(a, a->rows[a->direct[i]].id)->text);
	for (size_t i = 0; i < a->consumed_n; i++)
		tokens += plain_tokens(a->p->s->blocks.v[a->consumed[i]].summary);
	return tokens;
}

static void want_alone(struct wanted *w, struct alone *a, const struct config *c)
{
	struct reason *x = reasons_want(w, RULE_ALONE_RESOLVES);
	double ids = 0;
	for (long i = a->start; i <= a->end; i++)
		ids += is_id(a, &a->rows[i]);
	x->variant = RESOLVE_OK;
	x->number[0] = (double)a->start + 1;
	x->number[1] = (double)a->end + 1;
	x->number[2] = ids;
	want_snapped(w, a);
	x = reasons_want(w, RULE_ALONE_GATE);
	x->number[0] = a->units;
	x->number[1] = c->min_range;
	x->holds = c->min_range <= 0 || a->units >= c->min_range;
	if (a->from != a->start || a->to != a->end) {
		x = reasons_want(w, RULE_ALONE_WIDENED);
		x->number[0] = (double)(a->start - a->from);
		x->number[1] = (double)(a->to - a->end);
	}
	if (a->consumed_n > 0) {
		x = reasons_want(w, RULE_ALONE_CONSUMES);
		x->number[0] = 1;
		reasons_want_list(w, x, a->consumed, a->consumed_n);
	}
	if (a->nested_n > 0)
		reasons_want_list(w, reasons_want(w, RULE_ALONE_NESTED), a->nested, a->nested_n);
	want_rows(w, RULE_ALONE_COVERED, a->covered, a->covered_n);
	want_rows(w, RULE_ALONE_GUARDED, a->guarded, a->guarded_n);
	want_rows(w, RULE_ALONE_ZONE, a->zone, a->zone_n);
	x = reasons_want(w, RULE_ALONE_CONTENT);
	x->holds = a->direct_n > 0;
	x->number[0] = (double)a->direct_n;
	x->number[1] = (double)a->consumed_n;
	x = reasons_want(w, RULE_ALONE_SUMMARY);
	x->number[0] = c->min_summary > 1 ? ceil(c->min_summary) : 1;
	x->number[1] = c->min_summary;
	x->number[2] = c->max_summary;
	x->holds = !(c->max_summary > 0 && x->number[0] > c->max_summary);
	x = reasons_want(w, RULE_ALONE_ANSWER);
	x->variant = (uint8_t)refusal(a, c);
	x->holds = x->variant == COMPRESS_KIND_COUNT;
	if (!x->holds)
		return;
	x->number[0] = 1;
	x->number[1] = block_tokens(a);
	want_freed(w, a);
}

/* ---- ranges of a state ---- */

/* The view at the end of the turn, texts with their tags. */
static struct plain_row *tagged_rows(const struct plain *p, struct frame *f, struct arena *arena)
{
	struct plain_row *rows = arena_alloc(arena, (p->view.n + 1) * sizeof *rows);
	assert_int_equal(f->rows.n, p->view.n);
	for (size_t i = 0; i < p->view.n; i++) {
		rows[i] = p->view.v[i];
		assert_int_equal(rows[i].source, f->rows.v[i].row.source);
		rows[i].text = frame_row_tagged_text(f, &f->rows.v[i], arena);
	}
	return rows;
}

static void check_range(struct frame *f, size_t i, struct plain *p, const struct plain_row *rows, struct checked *c)
{
	const struct frame_range *range = &frame_ranges(f)->v[i];
	struct wanted *w = arena_zero(&c->arena, 1, sizeof *w);
	struct alone *a = arena_zero(&c->arena, 1, sizeof *a);
	struct explanation x = {.arena = &c->arena};
	a->p = p;
	a->rows = rows;
	a->n = p->view.n;
	want_listed(w, p, f, range);
	work_out(a, p, range->start, range->end);
	if (a->status == RESOLVE_OK)
		want_alone(w, a, p->c);
	else
		want_unresolved(w, a, p->c);
	explain_range(f, i, &x);
	reasons_compare(w, &x, NULL, "range");
	take(c, &x);
	c->ranges++;
	explanation_free(&x);
	vec_free(&w->list);
}

/* ---- blocks ---- */

static size_t present_of(const struct plain *p, const struct block *k)
{
	size_t n = 0;
	for (uint32_t i = 0; i < k->effective_n; i++)
		n += plain_index(p, k->effective[i]) != SIZE_MAX;
	return n;
}

static void want_anchor(struct wanted *w, const struct plain *p, const struct block *k)
{
	struct reason *x = reasons_want(w, RULE_BLOCK_ANCHOR);
	const struct state *s = p->s;
	x->holds = k->active;
	x->variant = BLOCK_ANCHOR_NONE;
	if (!k->active || s->rows.n == 0)
		return;
	bool fed = false;
	for (size_t i = 0; i < s->rows.n; i++) {
		const struct message *m = &s->messages.v[s->rows.v[i]];
		fed = fed || (m->id == k->summary_id && plain_is_summary(p, m->id, m->role, m->content));
	}
	x->variant = fed ? BLOCK_ANCHOR_FED : present_of(p, k) > 0 ? BLOCK_ANCHOR_MESSAGE : BLOCK_ANCHOR_TOP;
	if (x->variant != BLOCK_ANCHOR_TOP)
		x->number[0] = s->rows.v[plain_anchor(p, k)];
}

static void check_block(struct frame *f, uint32_t block, const struct plain *p, struct checked *c)
{
	const struct block *k = &p->s->blocks.v[block];
	struct wanted *w = arena_zero(&c->arena, 1, sizeof *w);
	struct explanation x = {.arena = &c->arena};
	uint32_t parents[512];
	size_t n = 0, present = present_of(p, k);
	bool fed = plain_index(p, k->summary_id) != SIZE_MAX;
	for (size_t i = 0; i < p->s->blocks.n; i++)
		for (uint32_t j = 0; j < p->s->blocks.v[i].children_n; j++)
			if (p->s->blocks.v[i].children[j] == k->id)
				parents[n++] = (uint32_t)i;
	struct reason *r = reasons_want(w, RULE_BLOCK_CONSUMED);
	r->holds = n > 0;
	reasons_want_list(w, r, parents, n);
	r = reasons_want(w, RULE_BLOCK_PRESENT);
	r->holds = present > 0;
	r->number[0] = (double)present;
	r->number[1] = k->effective_n;
	reasons_want(w, RULE_BLOCK_FED)->holds = fed;
	r = reasons_want(w, RULE_BLOCK_ACTIVE);
	r->holds = k->active;
	r->variant = k->active != (n == 0 && (present > 0 || fed)); /* kernel.md 4.2.3 */
	r = reasons_want(w, RULE_BLOCK_OLD);
	r->holds = k->old;
	r->number[0] = k->survived;
	r->number[1] = p->c->promotion_threshold;
	want_anchor(w, p, k);
	r = reasons_want(w, RULE_BLOCK_PILE);
	r->holds = k->active && k->tier < 3;
	if (r->holds) {
		r->number[0] = k->tier + 1;
		r->number[1] = plain_tokens(k->summary);
	}
	explain_block(f, block, &x);
	reasons_compare(w, &x, NULL, "block");
	if (f->at.node >
	    NODE_SYNC_BLOCKS) /* nothing is off that sync-blocks would have switched on, or the other way */
		assert_int_equal(k->active, n == 0 && (present > 0 || fed));
	take(c, &x);
	c->blocks++;
	explanation_free(&x);
	vec_free(&w->list);
}

static void check_blocks(struct frame *f, const struct plain *p, struct checked *c)
{
	for (uint32_t i = 0; i < p->s->blocks.n; i++)
		check_block(f, i, p, c);
}

/* ---- states ---- */

static void check_nodes(struct frame *f, struct run *r, struct position at, struct checked *c)
{
	struct plain p;
	at.node = NODE_RECOMMEND;
	assert_int_equal(frame_open(f, r, at, NULL), STATUS_OK);
	if (f->capacity)
		return;
	plain_build(&p, f);
	at.node = NODE_RENDER;
	assert_int_equal(frame_open(f, r, at, NULL), STATUS_OK);
	const struct plain_row *rows = tagged_rows(&p, f, &p.arena);
	for (size_t i = 0; i < frame_ranges(f)->n; i++) {
		const struct frame_range *range = &frame_ranges(f)->v[i];
		/* spellings that a stored state brought are read as kernel.md 3 says, "b1" as a block: not done here */
		if (range->start > REF_MAX || range->end > REF_MAX)
			continue;
		check_range(f, i, &p, rows, c);
		if (i % 32 == 0)
			arena_free(&c->arena);
	}
	check_blocks(f, &p, c);
	at.node = NODE_ASSIGN_REFS;
	assert_int_equal(frame_open(f, r, at, NULL), STATUS_OK);
	check_blocks(f, &p, c);
	plain_free(&p);
	arena_free(&c->arena);
	c->states++;
}

static void check_text(struct str text, uint32_t step, struct checked *c)
{
	struct replayed s;
	struct frame f = {0};
	struct arena a = {0};
	struct str first = str_cut(text, 0, str_find(text, STR("\n"), 0));
	c->config = (cJSON *)json_get(json_tree(&a, first, NULL, NULL), "config");
	replayed_open(&s, text);
	replayed_start(&s, "K60");
	replayed_finish(&s);
	for (uint32_t turn = 1; turn <= s.run.timeline.turns.n; turn += step)
		check_nodes(&f, &s.run, (struct position){.turn = turn}, c);
	frame_close(&f);
	replayed_close(&s);
	arena_free(&a);
}

static void check_session(const struct generate_options *o, uint32_t step, struct checked *c)
{
	struct buf b = {0};
	generate_recording(o, &b);
	check_text(buf_view(&b), step, c);
	buf_free(&b);
}

/* The first user row, covered, in the middle of what can be compressed. */
static const char covered_user[] =
	"{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"contextLimit\":1000,\"config\":{"
	"\"preserveRecentMessages\":0,\"preserveRecentTokens\":0,\"compress\":{\"minCompressRange\":50,"
	"\"minSummaryLength\":0}}}\n"
	"{\"type\":\"message\",\"id\":\"a\",\"role\":\"assistant\",\"contentType\":\"text\",\"text\":"
	"\"before the first user row there is one\"}\n"
	"{\"type\":\"message\",\"id\":\"b\",\"role\":\"user\",\"contentType\":\"text\",\"text\":"
	"\"the first user row is compressed alone\"}\n"
	"{\"type\":\"message\",\"id\":\"c\",\"role\":\"assistant\",\"contentType\":\"text\",\"text\":"
	"\"and what comes behind it is not in it\"}\n"
	"{\"type\":\"turn\"}\n"
	"{\"type\":\"compress\",\"callId\":\"k\",\"args\":{\"content\":[{\"startId\":\"m00002\",\"endId\":\"m00002\","
	"\"summary\":\"a question\"}]}}\n"
	"{\"type\":\"turn\"}\n";

/* A result without a tool name, whose call is protected only through another result (S of 5.6, not of 4.6). */
static const char nameless_result[] =
	"{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"contextLimit\":1000,\"config\":{"
	"\"preserveRecentMessages\":0,\"preserveRecentTokens\":0,\"compress\":{\"minCompressRange\":10}}}\n"
	"{\"type\":\"message\",\"id\":\"a\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"do it, please\"}\n"
	"{\"type\":\"message\",\"id\":\"b\",\"role\":\"assistant\",\"contentType\":\"tool-call\",\"text\":\"{}\","
	"\"toolName\":\"edit\",\"toolCallId\":\"k\"}\n"
	"{\"type\":\"message\",\"id\":\"c\",\"role\":\"tool\",\"contentType\":\"tool-result\",\"text\":"
	"\"no name stands here\",\"toolCallId\":\"k\"}\n"
	"{\"type\":\"message\",\"id\":\"d\",\"role\":\"tool\",\"contentType\":\"tool-result\",\"text\":"
	"\"but here it does\",\"toolName\":\"compress\",\"toolCallId\":\"k\"}\n"
	"{\"type\":\"turn\"}\n";

static void ranges_and_blocks(void **state)
{
	(void)state;
	struct checked c = {0};
	static const enum rule must[] = {
		RULE_RANGE_START,   RULE_RANGE_SIZE,    RULE_RANGE_TOOLS,    RULE_RANGE_RECENT,
		RULE_ALONE_GATE,    RULE_ALONE_WIDENED, RULE_ALONE_CONSUMES, RULE_ALONE_NESTED,
		RULE_ALONE_COVERED, RULE_ALONE_GUARDED, RULE_ALONE_ZONE,     RULE_ALONE_CONTENT,
		RULE_ALONE_SUMMARY, RULE_ALONE_ANSWER,  RULE_ALONE_FREES,    RULE_BLOCK_PILE};
	for (uint64_t seed = 1; seed <= 30; seed++)
		for (int shape = 0; shape < GENERATE_SHAPES; shape++) {
			struct generate_options o = {
				.shape = (enum generate_shape)shape, .seed = seed * 23, .turns = 100};
			check_session(&o, 14, &c);
		}
	check_text(str_of(covered_user), 1, &c);
	check_text(str_of(nameless_result), 1, &c);
	print_message("%zu states, %zu ranges, %zu blocks\n", c.states, c.ranges, c.blocks);
	assert_true(c.states >= 1000);
	for (size_t i = 0; i < sizeof must / sizeof must[0]; i++) {
		if (c.count[must[i]] == 0)
			print_error("never seen: %s\n", rule_name(must[i]));
		assert_true(c.count[must[i]] > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_and_blocks),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
