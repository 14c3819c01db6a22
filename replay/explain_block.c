/* Why a block is active or not, where its summary stands, and what it counts for (kernel.md 4.2, 4.3, 4.7.1). */
#include "replay/explain.h"

struct asked {
	struct frame *f;
	struct state *s;
	uint32_t block;
	const struct block *k;
	struct explanation *out;
};

static struct reason *add(struct asked *q, enum rule rule) { return explain_add(q->out, rule); }

/* Active or not, a block that another one is made of stays off for good (kernel.md 4.2.2). */
static void ask_consumed(struct asked *q)
{
	struct reason *r = add(q, RULE_BLOCK_CONSUMED);
	uint32_t n = 0, *parents;
	for (uint32_t l = state_info(q->s, q->k->id)->parents; l != 0; l = q->s->listings.v[l - 1].next)
		n++;
	r->list = parents = arena_alloc(q->out->arena, n * sizeof *parents);
	r->list_n = n;
	r->holds = n > 0;
	/* the newest listing comes first */
	for (uint32_t l = state_info(q->s, q->k->id)->parents; l != 0; l = q->s->listings.v[l - 1].next)
		parents[--n] = q->s->listings.v[l - 1].block;
}

static void ask_present(struct asked *q)
{
	struct reason *r = add(q, RULE_BLOCK_PRESENT);
	r->holds = q->k->present > 0;
	r->number[0] = q->k->present;
	r->number[1] = q->k->effective_n;
	add(q, RULE_BLOCK_FED)->holds = state_info(q->s, q->k->summary_id)->present > 0;
}

static void ask_active(struct asked *q)
{
	bool synced = q->k->consumers == 0 && (q->k->present > 0 || state_info(q->s, q->k->summary_id)->present > 0);
	struct reason *r = add(q, RULE_BLOCK_ACTIVE);
	r->holds = q->k->active;
	r->variant = synced != q->k->active;
}

static void ask_old(struct asked *q)
{
	struct reason *r = add(q, RULE_BLOCK_OLD);
	r->holds = q->k->old;
	r->number[0] = q->k->survived;
	r->number[1] = q->s->config->promotion_threshold;
	explain_value(r, q->f->run, "promotionThreshold");
}

static bool summary_in_list(const struct asked *q)
{
	uint32_t i = state_info(q->s, q->k->summary_id)->last;
	while (i != 0 && !message_is_summary(&q->s->messages.v[i - 1]))
		i = q->s->messages.v[i - 1].before;
	return i != 0;
}

static void ask_anchor(struct asked *q)
{
	struct reason *r = add(q, RULE_BLOCK_ANCHOR);
	r->holds = q->k->active;
	r->variant = BLOCK_ANCHOR_NONE;
	if (!q->k->active || q->s->rows.n == 0)
		return;
	r->variant = summary_in_list(q)  ? BLOCK_ANCHOR_FED
		     : q->k->present > 0 ? BLOCK_ANCHOR_MESSAGE
					 : BLOCK_ANCHOR_TOP;
	if (r->variant != BLOCK_ANCHOR_TOP)
		r->number[0] = state_block_anchor(q->s, q->block);
}

static void ask_pile(struct asked *q)
{
	struct reason *r = add(q, RULE_BLOCK_PILE);
	r->holds = q->k->active && q->k->tier <= 2;
	if (!r->holds)
		return;
	r->number[0] = q->k->tier + 1;
	r->number[1] = counter_tokens(&q->f->turn.in.counter, q->k->summary_size);
	explain_value(r, q->f->run, "tiers.enabled");
}

void explain_block(struct frame *f, uint32_t block, struct explanation *out)
{
	static void (*const ask[])(struct asked *) = {ask_consumed, ask_present, ask_active,
						      ask_old,      ask_anchor,  ask_pile};
	struct state *s = &f->run->state;
	struct asked q = {f, s, block, &s->blocks.v[block], out};
	for (size_t i = 0; i < sizeof ask / sizeof ask[0]; i++)
		ask[i](&q);
}
