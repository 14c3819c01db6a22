#include "engine/kernel/nudge_text.h"

#include "engine/base/num.h"

enum nudge_voice nudge_text_voice(const struct nudge_decision *d)
{
	return d->n.emergency || d->n.over_limit ? NUDGE_EMERGENCY : NUDGE_GENTLE;
}

/* ---- reason ---- */

static void put_number(struct buf *b, double x)
{
	char text[NUM_TEXT_MAX];
	buf_bytes(b, text, num_print(text, x));
}

/* ", name=x", without the comma behind a brace. */
static void put_field(struct buf *b, const char *name, double x)
{
	if (b->p[b->n - 1] != '{')
		buf_text(b, ", ");
	buf_text(b, name);
	buf_char(b, '=');
	put_number(b, x);
}

static double max_pending(const struct nudge_numbers *n)
{
	double max = 0;
	for (int t = 1; t <= 3; t++)
		max = n->pending[t] > max ? n->pending[t] : max;
	return max;
}

static void put_pressure(const struct nudge_decision *d, double pct, struct buf *b)
{
	const struct nudge_numbers *n = &d->n;
	buf_text(b, n->emergency ? "EMERGENCY" : "OVER-LIMIT");
	if (d->reason == NUDGE_PRESSURE_SUPPRESSED)
		put_field(b, "usage", pct);
	if (d->reason == NUDGE_PRESSURE_DISTILL)
		put_field(b, "tier", d->tier);
	if (d->reason != NUDGE_PRESSURE_SUPPRESSED)
		put_field(b, "pending", n->pending[d->tier]);
	if (d->reason != NUDGE_PRESSURE_T1) {
		put_field(b, "t1", n->pending[1]);
		put_field(b, "t2", n->pending[2]);
		put_field(b, "t3", n->pending[3]);
	}
	if (d->reason != NUDGE_PRESSURE_SUPPRESSED)
		put_field(b, "usage", pct);
}

static void put_ready(const struct nudge_decision *d, double pct, struct buf *b)
{
	const struct nudge_numbers *n = &d->n;
	if (d->tier > 1)
		put_field(b, "blocks", (double)d->targets.n);
	put_field(b, "pending", n->pending[d->tier]);
	put_field(b, "threshold", d->tier > 1 ? n->distill : n->threshold);
	if (d->tier == 1)
		put_field(b, "growth", n->growth);
	if (d->tier == 3)
		put_field(b, "t2", n->pending[2]);
	if (d->tier > 1)
		put_field(b, "t1", n->pending[1]);
	put_field(b, "usage", pct);
}

/* " name[2:9000, 3:10000]", the pending sums only `with` them; nothing for no tier. */
static void put_tiers(const struct nudge_decision *d, const char *name, uint8_t tiers, bool with, struct buf *b)
{
	bool first = true;
	for (int t = 1; t <= 3; t++) {
		if (!(tiers >> t & 1))
			continue;
		if (first)
			buf_printf(b, " %s[", name);
		else
			buf_text(b, ", ");
		first = false;
		put_number(b, t);
		if (with) {
			buf_char(b, ':');
			put_number(b, d->n.pending[t]);
		}
	}
	buf_text(b, first ? "" : "]");
}

static void put_idle(const struct nudge_decision *d, struct buf *b)
{
	const struct nudge_numbers *n = &d->n;
	double max = max_pending(n);
	bool pending_short = max < n->threshold, growth_short = n->growth < n->floor;
	if (pending_short) {
		buf_text(b, " pending-short{");
		put_field(b, "max", max);
		put_field(b, "threshold", n->threshold);
		buf_char(b, '}');
	}
	if (growth_short) {
		buf_text(b, " growth-short{");
		put_field(b, "growth", n->growth);
		put_field(b, "floor", n->floor);
		buf_char(b, '}');
	}
	if (!pending_short && !growth_short) {
		buf_text(b, " neither{");
		put_field(b, "max", max);
		put_field(b, "growth", n->growth);
		buf_char(b, '}');
	}
	put_tiers(d, "ready", d->ready, true, b);
	put_tiers(d, "blocked", d->blocked, false, b);
}

void nudge_text_reason(const struct nudge_decision *d, struct buf *b)
{
	double pct = num_round(d->n.usage * 100);
	buf_text(b, nudge_reason_name(d->reason));
	if (d->reason == NUDGE_IDLE) {
		put_idle(d, b);
		return;
	}
	buf_char(b, '{');
	if (d->reason <= NUDGE_PRESSURE_SUPPRESSED)
		put_pressure(d, pct, b);
	else
		put_ready(d, pct, b);
	buf_char(b, '}');
}

/* ---- categories ---- */

static void put_label(struct buf *b, double tokens)
{
	char text[NUM_TEXT_MAX];
	buf_bytes(b, text, num_label_nudge(text, tokens));
}

void nudge_text_categories(const struct nudge_context *c, struct buf *b)
{
	const struct {
		double tokens;
		const char *name;
	} parts[] = {
		{c->system, " system"}, {c->tool, " tool"}, {c->summaries, " summaries"},
		{c->code, " code"},     {c->text, " text"},
	};
	bool first = true;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (!(parts[i].tokens > 0))
			continue;
		buf_text(b, first ? "" : " | ");
		first = false;
		put_label(b, parts[i].tokens);
		buf_text(b, parts[i].name);
	}
	if (c->growth > 0) {
		buf_char(b, '\n');
		put_label(b, c->growth);
	}
}

/* ---- range list ---- */

struct entry {
	double first, last; /* numbers of the refs */
	size_t order;       /* place before sorting: the sort has to be stable */
};

static int by_start(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Adds tools the row does not name yet. Tools of a row stand together, as rows are built one after the other. */
static void add_tools(struct nudge_rows *out, struct nudge_row *row, const struct recommendation *rec,
		      const struct protected_range *p)
{
	for (uint32_t i = 0; i < p->tools_n; i++) {
		uint32_t tool = rec->tools.v[p->tools_at + i];
		if (mark_set_has(&out->seen, tool))
			continue;
		mark_set_add(&out->seen, tool);
		vec_push(&out->tools, tool);
		row->tools_n++;
	}
}

/* Adds a range to a row; a row without messages takes over its start and its percentages. */
static void add_range(struct nudge_rows *out, struct nudge_row *row, const struct recommendation *rec, size_t order)
{
	size_t open_n = rec->recommended.n;
	bool fresh = row->start == REF_NONE;
	if (order < open_n) {
		const struct range *r = &rec->recommended.v[order];
		row->start = fresh ? r->start : row->start;
		row->end = r->end;
		row->tool_pct = fresh ? r->tool_pct : row->tool_pct;
		row->kind = fresh || row->kind == NUDGE_ROW_PLAIN ? NUDGE_ROW_PLAIN : NUDGE_ROW_MIXED;
		row->count += r->count;
		row->tokens += r->tokens;
		row->open += r->tokens;
		row->dangerous = row->dangerous || r->dangerous;
		return;
	}
	const struct protected_range *p = &rec->protected_ranges.v[order - open_n];
	row->start = fresh ? p->start : row->start;
	row->end = p->end;
	row->kind = fresh || row->kind == NUDGE_ROW_PROTECTED ? NUDGE_ROW_PROTECTED : NUDGE_ROW_MIXED;
	row->count += p->count;
	row->tokens += p->tokens;
	row->guarded += p->tokens;
	add_tools(out, row, rec, p);
}

void nudge_text_ranges(const struct recommendation *rec, const struct state *s, struct nudge_rows *out)
{
	out->list.n = 0;
	out->tools.n = 0;
	size_t open_n = rec->recommended.n, n = open_n + rec->protected_ranges.n;
	VEC(struct entry) entries = {0};
	vec_reserve(&entries, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t start = i < open_n ? rec->recommended.v[i].start : rec->protected_ranges.v[i - open_n].start;
		uint32_t end = i < open_n ? rec->recommended.v[i].end : rec->protected_ranges.v[i - open_n].end;
		entries.v[i] = (struct entry){state_ref_digits(s, start), state_ref_digits(s, end), i};
	}
	if (n > 0)
		qsort(entries.v, n, sizeof *entries.v, by_start);
	double last = 0;
	for (size_t i = 0; i < n; i++) {
		const struct entry *e = &entries.v[i];
		bool joins = i > 0 && e->first <= last + 1;
		if (!joins) {
			mark_set_clear(&out->seen);
			vec_push(&out->list, (struct nudge_row){.tools_at = (uint32_t)out->tools.n});
		}
		add_range(out, &out->list.v[out->list.n - 1], rec, e->order);
		last = joins && last > e->last ? last : e->last;
	}
	vec_free(&entries);
	for (size_t i = 0; i < out->list.n; i++)
		out->list.v[i].dangerous = out->list.v[i].dangerous && out->list.v[i].open > 0;
}

void nudge_rows_free(struct nudge_rows *r)
{
	vec_free(&r->list);
	vec_free(&r->tools);
	mark_set_free(&r->seen);
}

/* ---- targets ---- */

struct nudge_target nudge_text_target(const struct state *s, uint32_t block)
{
	const struct block *k = &s->blocks.v[block];
	return (struct nudge_target){
		.id = names_get(s->names, k->id),
		.topic = k->has_topic ? k->topic : (struct str){0},
		.effective = k->effective_n,
		.compressed = k->has_tokens ? k->tokens : 0,
		.summary = text_fast_tokens(k->summary_size),
	};
}

int nudge_text_heading_tier(const struct nudge_decision *d, const struct state *s)
{
	return d->targets.n > 0 && s->blocks.v[d->targets.v[0]].tier == 1 ? 1 : 2;
}

void nudge_text_example(const struct nudge_decision *d, const struct state *s, struct str *start, struct str *end)
{
	*start = STR("b1");
	*end = STR("b5");
	if (d->targets.n == 0)
		return;
	*start = names_get(s->names, s->blocks.v[d->targets.v[0]].id);
	*end = names_get(s->names, s->blocks.v[d->targets.v[d->targets.n - 1]].id);
}
