/* Reasons of a range: how it came about, and what applyCompression makes of it alone. */
#include "replay/view/reason.h"
#include "replay/view/words.h"

enum { ROWS_SHOWN = 12 };

static void count_of(struct buf *b, double n, const char *one, const char *many) { words_plural(b, n, one, many); }

static void tokens(const struct frame *f, double n, struct buf *b)
{
	words_plural(b, n, "token", "tokens");
	buf_printf(b, " (%s)", words_counter_scale(f));
}

/* Refs of rows of the view. */
static void rows_of(struct frame *f, const struct reason *r, struct buf *b)
{
	const struct surface *view = &frame_ranges(f)->tagged;
	uint32_t shown = r->list_n > ROWS_SHOWN ? ROWS_SHOWN : r->list_n;
	for (uint32_t i = 0; i < shown; i++) {
		buf_text(b, i > 0 ? ", " : "");
		words_ref(b, &f->run->state, view->rows.v[r->list[i]].ref);
	}
	if (r->list_n > shown)
		buf_printf(b, " and %u more", r->list_n - shown);
}

static void say_start(struct frame *f, const struct reason *r, struct buf *b)
{
	if (r->variant == RANGE_START_FIRST) {
		buf_text(b, "the first row that may be compressed begins it (kernel.md 4.6.2)");
		return;
	}
	buf_text(b, r->variant == RANGE_START_USER
			    ? "a user row begins a new group once the one before has three rows; that ended with "
			    : "rows that are not offered, or a gap in the refs, part it from the group before, which "
			      "ended with ");
	words_ref(b, &f->run->state, (uint32_t)r->number[0]);
	buf_text(b, " (kernel.md 4.6.2)");
}

static void say_size(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f;
	words_count(b, r->number[0]);
	buf_text(b, " units");
	if (r->number[2] > 1) {
		buf_text(b, " in ");
		count_of(b, r->number[2], "group", "groups");
		buf_text(b, r->holds ? ", merged until they were enough" : ", the last ones");
	}
	if (!(r->number[1] > 0)) {
		buf_text(b, ", and no minimum is asked for (kernel.md 4.6.3)");
		return;
	}
	buf_text(b, r->holds ? ", at least the " : ", less than the ");
	words_count(b, r->number[1]);
	buf_text(b, " of a recommended range");
	if (!r->holds) {
		buf_text(b, ": ");
		words_count(b, r->number[1] - r->number[0]);
		buf_text(b, r->variant == FRAME_RANGE_GROUP
				    ? " units too small, so it was merged with the groups beside it"
				    : " units too small, so its tokens do not count as pending");
	}
	buf_text(b, " (kernel.md 4.6.3)");
}

static void say_tools(struct frame *f, const struct reason *r, struct buf *b)
{
	buf_text(b, "calls and results of protected tools");
	for (uint32_t i = 0; i < r->list_n; i++) {
		buf_text(b, i > 0 ? ", " : ": ");
		buf_str(b, names_get(f->run->state.names, r->list[i]));
	}
	buf_text(b, " (kernel.md 4.1.1, 4.6.2)");
}

static void say_recent(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f;
	count_of(b, r->number[0], "row", "rows");
	buf_text(b, " of the recent zone: not offered (kernel.md 4.6.1)");
}

static void say_resolves(struct frame *f, const struct reason *r, struct buf *b)
{
	static const char *const failed[] = {[RESOLVE_OK] = "",
					     [RESOLVE_INVALID] = "a ref cannot be read",
					     [RESOLVE_UNKNOWN] = "no message or block has the ref ",
					     [RESOLVE_CONSUMED] = "already compressed, nothing to snap to: "};
	(void)f;
	if (!r->holds) {
		buf_text(b, failed[r->variant]);
		buf_str(b, r->text);
		buf_text(b, " (kernel.md 6.1)");
		return;
	}
	buf_text(b, "rows ");
	words_count(b, r->number[0]);
	buf_text(b, " to ");
	words_count(b, r->number[1]);
	buf_text(b, " of the view, ");
	count_of(b, r->number[2], "message", "messages");
	buf_text(b, " (kernel.md 6.1)");
}

static void say_snapped(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f;
	buf_str(b, r->text);
	buf_text(b, " is covered; the block it went into stands for it (kernel.md 6.4)");
}

static void say_gate(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f;
	words_count(b, r->number[0]);
	if (r->number[1] > 0) {
		buf_text(b, r->holds ? " >= " : " < ");
		words_count(b, r->number[1]);
		buf_text(b, " units");
		if (!r->holds) {
			buf_text(b, ", ");
			words_count(b, r->number[1] - r->number[0]);
			buf_text(b, " short");
		}
	} else {
		buf_text(b, " units, but the gate is off");
	}
	buf_text(b, "; counted with tags, and with rows that would be left out (kernel.md 5.5)");
}

static void say_widened(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f;
	count_of(b, r->number[0], "row", "rows");
	buf_text(b, " before and ");
	words_count(b, r->number[1]);
	buf_text(b, " behind come along, so that no tool pair and no reasoning is split (kernel.md 5.9)");
}

static void say_nested(struct frame *f, const struct reason *r, struct buf *b)
{
	reason_blocks(f, r->list, r->list_n, b);
	buf_text(b, " can be seen in it, but have a higher tier and stay as they are (kernel.md 5.6.5)");
}

static void say_consumes(struct frame *f, const struct reason *r, struct buf *b)
{
	count_of(b, r->list_n, "block", "blocks");
	buf_printf(b, " of tier %.0f would go into the new one: ", r->number[0]);
	reason_blocks(f, r->list, r->list_n, b);
	buf_text(b, " (kernel.md 5.6.5)");
}

static void say_covered(struct frame *f, const struct reason *r, struct buf *b)
{
	count_of(b, r->number[0], "row", "rows");
	buf_text(b, " covered already, no new content: ");
	rows_of(f, r, b);
	buf_text(b, " (kernel.md 5.6.7)");
}

static void say_guarded(struct frame *f, const struct reason *r, struct buf *b)
{
	count_of(b, r->number[0], "row", "rows");
	buf_text(b, " of protected tools, or results of their calls, would be left out: ");
	rows_of(f, r, b);
	buf_text(b, " (kernel.md 5.6.8)");
}

static void say_zone(struct frame *f, const struct reason *r, struct buf *b)
{
	count_of(b, r->number[0], "row", "rows");
	buf_text(b, " of the recent zone would be left out: ");
	rows_of(f, r, b);
	buf_text(b, " (kernel.md 5.6.9)");
}

static void say_content(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f;
	if (!r->holds) {
		buf_text(b, "no row is left to compress, and a range of messages needs one (kernel.md 5.6.9 to 11)");
		return;
	}
	count_of(b, r->number[0], "row is", "rows are");
	buf_text(b, " left to compress");
	if (r->number[1] > 0) {
		buf_text(b, ", beside ");
		count_of(b, r->number[1], "block", "blocks");
	}
	buf_text(b, " (kernel.md 5.6.7)");
}

static void say_summary(struct frame *f, const struct reason *r, struct buf *b)
{
	(void)f;
	buf_text(b, "tried with ");
	count_of(b, r->number[0], "unit", "units");
	buf_text(b, "; allowed are ");
	words_count(b, r->number[1] > 1 ? r->number[1] : 1);
	if (r->number[2] > 0) {
		buf_text(b, " to ");
		words_count(b, r->number[2]);
	} else {
		buf_text(b, " and more");
	}
	buf_text(b, r->holds ? "" : ": no length does");
	buf_text(b, " (kernel.md 5.6.11)");
}

static void say_answer(struct frame *f, const struct reason *r, struct buf *b)
{
	if (!r->holds) {
		buf_printf(b, "refused: %s (kernel.md 5.1)", compress_kind_name((enum compress_kind)r->variant));
		return;
	}
	buf_printf(b, "applied, a block of tier %.0f with ", r->number[0]);
	tokens(f, r->number[1], b);
	buf_text(b, " (kernel.md 5.6.12, 5.7)");
}

static void say_frees(struct frame *f, const struct reason *r, struct buf *b)
{
	struct measure least = {.units = (uint32_t)frame_ranges(f)->summary.n};
	double summary = counter_tokens(&f->turn.in.counter, least);
	tokens(f, r->number[0], b);
	buf_text(b, " of rows leave the view");
	if (r->number[1] > 0) {
		buf_text(b, ", and ");
		words_count(b, r->number[1]);
		buf_text(b, " of the consumed summaries");
	}
	buf_text(b, "; the summary comes in with ");
	words_count(b, summary);
	buf_text(b, " or more");
	if (r->number[2] > 0) {
		buf_text(b, ". ");
		words_count(b, r->number[2]);
		buf_text(b, " of the first user row stay: it is shown though covered (kernel.md 4.3.4)");
	}
}

reason_say *const reason_say_range[RULE_COUNT] = {
	[RULE_RANGE_START] = say_start,       [RULE_RANGE_SIZE] = say_size,         [RULE_RANGE_TOOLS] = say_tools,
	[RULE_RANGE_RECENT] = say_recent,     [RULE_ALONE_RESOLVES] = say_resolves, [RULE_ALONE_SNAPPED] = say_snapped,
	[RULE_ALONE_GATE] = say_gate,         [RULE_ALONE_WIDENED] = say_widened,   [RULE_ALONE_NESTED] = say_nested,
	[RULE_ALONE_CONSUMES] = say_consumes, [RULE_ALONE_COVERED] = say_covered,   [RULE_ALONE_GUARDED] = say_guarded,
	[RULE_ALONE_ZONE] = say_zone,         [RULE_ALONE_CONTENT] = say_content,   [RULE_ALONE_SUMMARY] = say_summary,
	[RULE_ALONE_ANSWER] = say_answer,     [RULE_ALONE_FREES] = say_frees,
};

void reason_refusal(const struct frame *f, const struct frame_range *range, struct buf *b)
{
	const struct range_answer *a = range->answer;
	switch (a->kind) {
	case COMPRESS_BELOW_MIN_RANGE:
		buf_text(b, ": ");
		words_count(b, f->run->config.min_range - a->units);
		buf_text(b, " units short");
		break;
	case COMPRESS_SUMMARY_TOO_SHORT:
	case COMPRESS_SUMMARY_TOO_LONG:
		buf_text(b, ": no length is allowed");
		break;
	default:
		buf_text(b, words_refusal(a->kind));
		break;
	}
}
