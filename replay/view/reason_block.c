/* Reasons of a block: active or not, where its summary stands, what it counts for. */
#include "replay/view/reason.h"
#include "replay/view/words.h"

static void say_consumed(struct frame *f, const struct reason *r, struct buf *b)
{
	if (!r->holds) {
		buf_text(b, "no other block is made of it (kernel.md 4.2)");
		return;
	}
	reason_blocks(f, r->list, r->list_n, b);
	buf_text(b, r->list_n == 1 ? " is" : " are");
	buf_text(b, " made of it: it can never be active again, even when its consumer is gone (kernel.md 4.2)");
}

static void say_present(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f;
	words_count(b, r->number[0]);
	buf_text(b, " of its ");
	words_plural(b, r->number[1], "message is", "messages are");
	buf_text(b, " in the host's list");
	buf_text(b, r->holds ? " (kernel.md 4.2)" : ": it has no content there (kernel.md 4.2)");
}

static void say_fed(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f;
	buf_text(b, r->holds ? "the host feeds its summary back, which keeps it active (kernel.md 4.2)"
			     : "its summary is not in the host's list (kernel.md 4.2)");
}

static void say_active(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f;
	if (r->variant == 0)
		buf_text(b, r->holds ? "it covers its messages (kernel.md 4.2)" : "no (kernel.md 4.2)");
	else
		buf_text(b,
			 r->holds ? "until sync-blocks, node 2 of the next turn, switches it off (kernel.md 4.2)"
				  : "no: a decompress switched it off, or its messages were gone for a while; as they "
				    "are there, sync-blocks, node 2 of the next turn, switches it on (kernel.md 8.4, "
				    "4.2)");
}

static void say_old(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f;
	buf_text(b, r->holds ? "old: it was active in " : "young: it was active in ");
	words_plural(b, r->number[0], "turn", "turns");
	buf_text(b, r->holds ? ", the threshold or more; old it stays (kernel.md 4.2.4)" : " (kernel.md 4.2.4)");
}

static void say_anchor(struct frame *f, const struct reason *r, struct buf *b)
{
	static const char *const words[] = {
		[BLOCK_ANCHOR_FED] = "its summary stands where the host's copy of it stands",
		[BLOCK_ANCHOR_MESSAGE] = "its summary stands before the first of its messages, ",
		[BLOCK_ANCHOR_TOP] = "none of its messages is in the list: its summary stands at the top",
		[BLOCK_ANCHOR_NONE] = "inactive blocks show no summary"};
	const struct state *s = &f->run->state;
	buf_text(b, words[r->variant]);
	if (r->variant == BLOCK_ANCHOR_MESSAGE) {
		const struct message *m = &s->messages.v[(uint32_t)r->number[0]];
		words_ref(b, s, s->info.v[m->id].ref);
	}
	buf_text(b, " (kernel.md 4.3.3)");
}

static void say_pile(struct frame *f, const struct reason *r, struct buf *b)
{
	if (!r->holds) {
		buf_text(b, "no pile counts it: only active blocks of tier 1 and 2 can be distilled (kernel.md 4.7.1)");
		return;
	}
	buf_text(b, "its summary counts ");
	words_plural(b, r->number[1], "token", "tokens");
	buf_printf(b, " (%s) for P%.0f, the pile that a nudge of tier %.0f offers (kernel.md 4.7.1)",
		   words_counter_scale(f), r->number[0], r->number[0]);
}

reason_say *const reason_say_block[RULE_COUNT] = {
	[RULE_BLOCK_CONSUMED] = say_consumed, [RULE_BLOCK_PRESENT] = say_present, [RULE_BLOCK_FED] = say_fed,
	[RULE_BLOCK_ACTIVE] = say_active,     [RULE_BLOCK_OLD] = say_old,         [RULE_BLOCK_ANCHOR] = say_anchor,
	[RULE_BLOCK_PILE] = say_pile,
};
