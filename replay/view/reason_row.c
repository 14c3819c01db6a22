/* Reasons of a row: what covers, hides, protects, cuts or offers it. */
#include "engine/kernel/nodes.h"
#include "replay/view/reason.h"
#include "replay/view/words.h"

static void put_name(const struct frame *f, uint32_t name, struct buf *b)
{
	buf_str(b, names_get(f->run->state.names, name));
}

/* ---- coverage and prune (kernel.md 4.3) ---- */

static void say_covered(struct frame *f, const struct reason *r, struct buf *b)
{
	static const char *const dropped[] = {[ROW_DROPPED_HERE] = ": prune drops it",
					      [ROW_DROPPED_NOT] = "",
					      [ROW_DROPPED_LATER] = ": prune will drop it"};
	const struct block *k = &f->run->state.blocks.v[r->list[0]];
	buf_text(b, "covered by the active block ");
	put_name(f, k->id, b);
	buf_printf(b, " (tier %u, ", k->tier);
	words_plural(b, k->effective_n, "message", "messages");
	if (k->has_tokens) {
		buf_text(b, ", ");
		words_count(b, k->tokens);
		buf_printf(b, " tokens %s", words_block_scale(f->run));
	}
	buf_printf(b, ")%s (kernel.md 4.3)", dropped[r->variant]);
}

static void say_first_user(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f, (void)r;
	buf_text(b, "stays although covered: the first user row of the list (kernel.md 4.3.4)");
}

static void say_shown_again(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f, (void)r;
	buf_text(b, "a summary the host fed back; it is shown anew at its anchor (kernel.md 4.3.4)");
}

static void say_orphan(struct frame *f, const struct reason *r, struct buf *b)
{
	static const char *const words[CONTENT_COUNT] = {[CONTENT_TEXT] = "removed by prune",
							 [CONTENT_CALL] = "a call without a result in the list",
							 [CONTENT_RESULT] = "a result without its call in the list",
							 [CONTENT_REASONING] =
								 "reasoning with no assistant text or call after it"};
	(void)f;
	buf_printf(b, "%s, while something is covered (kernel.md 4.3.5)", words[r->variant]);
}

/* ---- compress calls (kernel.md 4.5) ---- */

static void say_hidden_call(struct frame *f, const struct reason *r, struct buf *b)
{
	if (r->variant == HIDDEN_NO_ID) {
		buf_text(b, "a compress call without a call id");
	} else if (r->variant == HIDDEN_ORPHAN) {
		buf_printf(b, "no block came from it, and of such calls only the newest %d stay", (int)ORPHANS_KEPT);
	} else {
		buf_text(b, "none of its blocks is active: ");
		reason_blocks(f, r->list, r->list_n, b);
	}
	buf_text(b, " (kernel.md 4.5.1)");
}

static void say_hidden_result(struct frame *f, const struct reason *r, struct buf *b)
{
	buf_text(b, "the result of the hidden compress call ");
	put_name(f, r->name, b);
	buf_text(b, " (kernel.md 4.5.1)");
}

static void say_kept_call(struct frame *f, const struct reason *r, struct buf *b)
{
	buf_text(b, "a compress call that stays: ");
	if (r->list_n > 0) {
		buf_text(b, "active blocks ");
		reason_blocks(f, r->list, r->list_n, b);
	} else {
		buf_printf(b, "no block came from it, and it is among the newest %d of such calls", (int)ORPHANS_KEPT);
	}
	buf_text(b, " (kernel.md 4.5.1)");
}

static void say_rewritten(struct frame *f, const struct reason *r, struct buf *b)
{
	buf_text(b, "its text was written anew: ");
	words_count(b, r->number[0]);
	buf_text(b, " units, now ");
	words_count(b, r->number[1]);
	buf_printf(b, " (kernel.md 4.5.%d)", f->run->hide == ANCHOR_SLIM ? 3 : 2);
}

/* ---- refs and protection (kernel.md 3, 4.1, 4.6.1) ---- */

static void say_no_ref(struct frame *f, const struct reason *r, struct buf *b)
{
	static const char *const words[] = {
		[NO_REF_SUMMARY] = "a rendered summary gets a ref only when the host feeds it back (kernel.md 4.9)",
		[NO_REF_EMPTY_ID] = "its message id is empty (kernel.md 3)",
		[NO_REF_CAPACITY] = "all 99,999 refs are used up: the turn could not run (kernel.md 3)",
		[NO_REF_YET] = "assign-refs has not run at this position"};
	(void)f;
	buf_text(b, words[r->variant]);
}

static void say_tool(const struct frame *f, const struct reason *r, struct buf *b)
{
	buf_text(b, "its tool ");
	put_name(f, r->name, b);
	if (r->variant == GUARD_COMPRESS) {
		buf_text(b, " is always protected");
	} else if (r->variant == GUARD_ENTRY) {
		buf_text(b, " matches the entry ");
		buf_str(b, r->text);
	} else {
		buf_text(b, " is protected by the host in this row (isToolProtected)");
	}
}

static void say_blocked(struct frame *f, const struct reason *r, struct buf *b)
{
	if (r->variant == GUARD_BEFORE) {
		buf_text(b, "blocked before, and never lifted; its tool matches no entry now (kernel.md 3)");
		return;
	}
	say_tool(f, r, b);
	buf_text(b,
		 f->run->config.protected_n > 0 ? ", and protectedTools is not empty" : ", and the host asks for it");
	buf_text(b, ": it gets no ref, for good (kernel.md 4.1)");
}

static void say_protected_tool(struct frame *f, const struct reason *r, struct buf *b)
{
	say_tool(f, r, b);
	buf_text(b, " (kernel.md 4.1.1)");
}

static void say_protected_pair(struct frame *f, const struct reason *r, struct buf *b)
{
	buf_text(b, "the result of call ");
	put_name(f, r->name, b);
	buf_text(b, ", whose tool is protected (kernel.md 4.1.1)");
}

static void say_header(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f, (void)r;
	buf_text(b, "its text starts with " SUMMARY_HEADER ": never offered and never protected (kernel.md 4.6)");
}

static void say_recent_messages(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f;
	buf_text(b, "one of the newest rows that count as recent, ");
	words_count(b, r->number[0]);
	buf_text(b, " of them newer (kernel.md 4.6.1)");
}

static void say_recent_tokens(struct frame *f, const struct reason *r, struct buf *b)
{
	buf_text(b, "the recent rows newer than it have ");
	words_count(b, r->number[0]);
	buf_printf(b, " tokens (%s), less than what is kept (kernel.md 4.6.1)", words_counter_scale(f));
}

static void say_last_user(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f, (void)r;
	buf_text(b, "the newest user row that is neither covered nor a summary (kernel.md 4.6.1)");
}

static void say_never_recent(struct frame *f, const struct reason *r, struct buf *b)
{
	buf_text(b, "rows of ");
	put_name(f, r->name, b);
	buf_text(b, " do not count as recent (kernel.md 4.6.1)");
}

/* ---- truncation, ranges ---- */

static void say_truncated(struct frame *f, const struct reason *r, struct buf *b)
{
	buf_text(b, "a tool result cut from ");
	words_count(b, r->number[0]);
	buf_text(b, " to ");
	words_count(b, r->number[1]);
	buf_printf(b, " tokens (%s): first and last %d units stay. The context stands at ", words_counter_scale(f),
		   (int)TRUNCATE_KEEP_UNITS);
	words_count(b, r->number[2]);
	buf_printf(b, " tokens (%s), ", words_host_scale(f));
	words_percent(b, r->number[3]);
	buf_text(b, " of the window (kernel.md 4.8)");
}

static void put_span(const struct frame *f, const struct range *range, struct buf *b)
{
	words_ref(b, &f->run->state, range->start);
	buf_text(b, "..");
	words_ref(b, &f->run->state, range->end);
	buf_text(b, ": ");
	words_plural(b, range->count, "row", "rows");
	buf_text(b, ", ");
	words_count(b, range->tokens);
	buf_printf(b, " tokens (%s), ", words_counter_scale(f));
	words_count(b, range->chars);
	buf_text(b, " units");
}

static void say_group(struct frame *f, const struct reason *r, struct buf *b)
{
	const struct recommendation *rec = &f->turn.rec;
	size_t group = (size_t)r->number[0];
	buf_printf(b, "in compressible group %zu of %zu, ", group + 1, rec->compressible.n);
	put_span(f, &rec->compressible.v[group], b);
	buf_text(b, " (kernel.md 4.6.2)");
}

static void say_range(struct frame *f, const struct reason *r, struct buf *b)
{
	const struct recommendation *rec = &f->turn.rec;
	size_t range = (size_t)r->number[0];
	buf_printf(b, "in recommended range %zu of %zu, ", range + 1, rec->recommended.n);
	put_span(f, &rec->recommended.v[range], b);
	if (!r->holds) {
		buf_text(b, ", ");
		words_count(b, r->number[2] - r->number[1]);
		buf_text(b, " units too small to count as pending");
	}
	buf_text(b, " (kernel.md 4.6.3)");
}

static void say_empty_group(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f, (void)r;
	buf_text(b, "may be compressed, but its group has 0 tokens and was dropped (kernel.md 4.6.2)");
}

reason_say *const reason_say_row[RULE_COUNT] = {
	[RULE_ROW_COVERED] = say_covered,
	[RULE_ROW_FIRST_USER] = say_first_user,
	[RULE_ROW_SHOWN_AGAIN] = say_shown_again,
	[RULE_ROW_ORPHAN] = say_orphan,
	[RULE_ROW_HIDDEN_CALL] = say_hidden_call,
	[RULE_ROW_HIDDEN_RESULT] = say_hidden_result,
	[RULE_ROW_KEPT_CALL] = say_kept_call,
	[RULE_ROW_REWRITTEN] = say_rewritten,
	[RULE_ROW_NO_REF] = say_no_ref,
	[RULE_ROW_BLOCKED] = say_blocked,
	[RULE_ROW_PROTECTED_TOOL] = say_protected_tool,
	[RULE_ROW_PROTECTED_PAIR] = say_protected_pair,
	[RULE_ROW_HEADER] = say_header,
	[RULE_ROW_RECENT_MESSAGES] = say_recent_messages,
	[RULE_ROW_RECENT_TOKENS] = say_recent_tokens,
	[RULE_ROW_LAST_USER] = say_last_user,
	[RULE_ROW_NEVER_RECENT] = say_never_recent,
	[RULE_ROW_TRUNCATED] = say_truncated,
	[RULE_ROW_GROUP] = say_group,
	[RULE_ROW_RANGE] = say_range,
	[RULE_ROW_EMPTY_GROUP] = say_empty_group,
};
