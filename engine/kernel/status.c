#include "engine/kernel/status.h"

#include <math.h>

#include "engine/base/num.h"

/* ---- messages, tools, spans ---- */

static void add_tool(struct status_report *r, uint32_t tool, double tokens)
{
	size_t i = 0;
	while (i < r->tools.n && r->tools.v[i].tool != tool)
		i++;
	if (i == r->tools.n)
		vec_push(&r->tools, (struct status_tool){.tool = tool});
	r->tools.v[i].tokens += tokens;
}

/* Most tokens first, the one met first on ties; there are few. */
static void sort_tools(struct status_report *r)
{
	for (size_t i = 1; i < r->tools.n; i++) {
		struct status_tool t = r->tools.v[i];
		size_t k = i;
		for (; k > 0 && r->tools.v[k - 1].tokens < t.tokens; k--)
			r->tools.v[k] = r->tools.v[k - 1];
		r->tools.v[k] = t;
	}
}

static void add_message(struct state *s, struct status_report *r, uint32_t message)
{
	const struct message *m = &s->messages.v[message];
	const struct name_info *id = state_info(s, m->id);
	struct status_message x = {message, id->ref, m->tool, text_tokens(m->face.size)};
	if (id->covers > 0 || id->ref == REF_NONE || !(x.tokens > 0))
		return;
	vec_push(&r->messages, x);
	*(x.tool == STATUS_TOOL_TEXT ? &r->text : &r->tool) += x.tokens;
	add_tool(r, x.tool, x.tokens);
	struct status_span *last = r->spans.n > 0 ? &r->spans.v[r->spans.n - 1] : NULL;
	if (last != NULL && state_ref_digits(s, x.ref) == state_ref_digits(s, last->start) + last->count) {
		last->end = x.ref;
		last->count++;
		last->tokens += x.tokens;
		return;
	}
	vec_push(&r->spans, (struct status_span){x.ref, x.ref, 1, x.tool, x.tokens});
}

/* ---- blocks ---- */

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* Active blocks by number, then by place. */
static void add_blocks(const struct state *s, struct status_report *r)
{
	VEC(uint64_t) order = {0};
	uint32_t tiers = 0;
	for (uint32_t i = 0; i < s->blocks.n; i++)
		if (s->blocks.v[i].active)
			vec_push(&order, (uint64_t)s->blocks.v[i].number << 32 | i);
	if (order.n > 0)
		qsort(order.v, order.n, sizeof *order.v, by_number);
	for (size_t i = 0; i < order.n; i++) {
		uint32_t block = (uint32_t)order.v[i];
		const struct block *k = &s->blocks.v[block];
		struct status_block x = {block, k->has_tokens ? k->tokens : 0, text_tokens(k->summary_size)};
		int tier = k->tier < STATUS_TIERS ? k->tier : 0;
		vec_push(&r->blocks, x);
		r->compressed += x.compressed;
		r->summaries += x.summary;
		r->tiers[tier] += x.summary;
		tiers |= 1u << tier;
	}
	if ((tiers & (tiers - 1)) == 0)
		memset(r->tiers, 0, sizeof r->tiers);
	vec_free(&order);
}

/* ---- the report ---- */

void status_make(struct state *s, struct status_report *out)
{
	for (size_t i = 0; i < s->rows.n; i++)
		add_message(s, out, s->rows.v[i]);
	sort_tools(out);
	add_blocks(s, out);
}

void status_free(struct status_report *r)
{
	vec_free(&r->messages);
	vec_free(&r->spans);
	vec_free(&r->tools);
	vec_free(&r->blocks);
	*r = (struct status_report){0};
}

struct ranked {
	double first, second; /* both descending */
	uint32_t index;       /* ascending: sorting is stable */
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->first != y->first)
		return x->first > y->first ? -1 : 1;
	if (x->second != y->second)
		return x->second > y->second ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static uint32_t *rank(struct ranked *v, size_t n, struct arena *a)
{
	uint32_t *order = arena_alloc(a, (n + 1) * sizeof *order);
	if (n > 0)
		qsort(v, n, sizeof *v, by_rank);
	for (size_t i = 0; i < n; i++)
		order[i] = v[i].index;
	return order;
}

uint32_t *status_by_tokens(const struct status_report *r, struct arena *a)
{
	struct ranked *v = arena_alloc(a, (r->messages.n + 1) * sizeof *v);
	for (uint32_t i = 0; i < r->messages.n; i++)
		v[i] = (struct ranked){r->messages.v[i].tokens, 0, i};
	return rank(v, r->messages.n, a);
}

uint32_t *status_by_size(const struct status_report *r, const struct state *s, struct arena *a)
{
	struct ranked *v = arena_alloc(a, (r->blocks.n + 1) * sizeof *v);
	for (uint32_t i = 0; i < r->blocks.n; i++)
		v[i] = (struct ranked){r->blocks.v[i].compressed, s->blocks.v[r->blocks.v[i].block].created_at, i};
	return rank(v, r->blocks.n, a);
}

double status_percent(double n, double total)
{
	if (!(n > 0) || !(total > 0))
		return 0;
	double percent = num_round(n / total * 100);
	return percent > 1 ? percent : 1;
}

double status_average(const struct status_span *p) { return num_round(p->tokens / p->count); }

struct status_core status_core(const struct state *s, double tokens)
{
	double limit = s->config->limit;
	struct status_core c = {.usage = limit > 0 ? tokens / limit : 0,
				.tokens = tokens,
				.limit = limit,
				.total = (uint32_t)s->blocks.n,
				.compressed = s->now.tokens_compressed};
	for (size_t i = 0; i < s->blocks.n; i++)
		c.active += s->blocks.v[i].active;
	return c;
}

/* ---- recap ---- */

enum status_recap status_recap(struct state *s, struct str id, uint32_t *block)
{
	if (id.p == NULL) {
		for (uint32_t i = 0; i < s->blocks.n; i++)
			if (s->blocks.v[i].active)
				return STATUS_RECAP_FOUND;
		return STATUS_RECAP_NONE;
	}
	const struct block *k = state_block_named(s, id);
	if (k == NULL)
		return STATUS_RECAP_MISSING;
	*block = (uint32_t)(k - s->blocks.v);
	return k->active ? STATUS_RECAP_FOUND : STATUS_RECAP_INACTIVE;
}

struct str status_recap_text(const struct block *k, struct arena *a)
{
	if (k->summary_size.units <= STATUS_RECAP_UNITS)
		return k->summary;
	return text_join(a, text_slice(a, k->summary, 0, STATUS_RECAP_UNITS), STR("..."));
}

/* ---- panel ---- */

struct status_panel status_panel(const struct nudge_context *context, double tokens, double system_tokens, double limit,
				 double unpruned)
{
	static const struct nudge_context none;
	const struct nudge_context *c = context ? context : &none;
	struct status_panel p = {.session_only = (double)NAN,
				 .part = {[STATUS_PART_TOOL] = c->tool,
					  [STATUS_PART_SYSTEM] = system_tokens,
					  [STATUS_PART_TEXT] = c->text,
					  [STATUS_PART_CODE] = c->code,
					  [STATUS_PART_SUMMARIES] = c->summaries}};
	p.classified = c->system + c->tool + c->summaries + c->code + c->text;
	p.sent = p.classified + system_tokens;
	if (!isnan(unpruned))
		p.session_only = unpruned > p.sent ? unpruned - p.sent : 0;
	if (limit > 0) {
		p.host_pct = num_round(tokens / limit * 100);
		p.sent_pct = num_round(p.sent / limit * 100);
	}
	for (int i = 0; i < STATUS_PARTS && p.sent > 0; i++) {
		double cells = num_round(p.part[i] / p.sent * STATUS_BAR_CELLS);
		p.part_pct[i] = num_round(p.part[i] / p.sent * 100);
		p.part_cells[i] = cells <= 0 ? 0 : cells >= STATUS_BAR_CELLS ? STATUS_BAR_CELLS : (int)cells;
	}
	return p;
}

double status_origin(const struct block *k)
{
	return k->has_tokens && k->tokens > 0 ? k->tokens : text_tokens(k->summary_size);
}

static bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

/* The beginning of the summary stands for a topic that is absent or empty. */
static struct str topic_fallback(struct str summary, struct arena *a)
{
	size_t end = 0, quotes = 0;
	while (end < summary.n && summary.p[end] != '.' && summary.p[end] != '\n')
		end++;
	struct str piece = text_trim(str_cut(summary, 0, end));
	while (quotes < piece.n && is_quote(piece.p[quotes]))
		quotes++;
	piece = text_trim(str_cut(piece, quotes, piece.n));
	if (text_measure(piece).units <= STATUS_TOPIC_UNITS)
		return piece;
	return text_join(a, text_trim_end(text_slice(a, piece, 0, STATUS_TOPIC_UNITS)), STR("\xE2\x80\xA6"));
}

struct str status_topic(const struct block *k, struct arena *a)
{
	return k->topic.n > 0 ? k->topic : topic_fallback(k->summary, a);
}
