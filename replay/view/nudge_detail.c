/* One opened line of the Nudge view: the formula behind it, with every config value and where that is from. */
#include <math.h>

#include "engine/kernel/nudge_text.h"
#include "replay/view/nudge.h"
#include "replay/view/words.h"

enum { INDENT = 2 };

static void put_gate_head(const struct gate *g, struct detail *d, enum style style, int indent)
{
	struct buf b = {0};
	buf_printf(&b, "%s: ", g->name);
	nudge_put_comparison(g, &b);
	buf_text(&b, g->pass ? " passes" : " fails");
	if (!g->asked)
		buf_text(&b, ", but was not asked");
	detail_words(d, style, indent, &b);
	buf_free(&b);
}

static void put_gate(struct frame *f, enum nudge_gate id, struct detail *d)
{
	struct gate all[NUDGE_GATE_COUNT];
	struct buf text = {0}, config = {0};
	gates_of(f, all);
	put_gate_head(&all[id], d, STYLE_BOLD, 0);
	reason_gate(f, id, &text, &config);
	detail_words(d, STYLE_PLAIN, INDENT, &text);
	if (config.n > 0)
		detail_words(d, STYLE_NUMBER, INDENT, &config);
	buf_free(&text);
	buf_free(&config);
}

static void put_gates(struct frame *f, const enum nudge_gate *ids, size_t n, struct detail *d)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			detail_blank(d);
		put_gate(f, ids[i], d);
	}
}

static void open_usage(struct frame *f, uint32_t index, struct detail *d)
{
	static const enum nudge_gate ids[] = {NUDGE_GATE_OVER_LIMIT, NUDGE_GATE_EMERGENCY};
	(void)index;
	put_gates(f, ids, 2, d);
}

/* The data of the reason as kernel.md 10.8 writes it, and the way through the gates. */
static void open_verdict(struct frame *f, uint32_t index, struct detail *d)
{
	struct gate all[NUDGE_GATE_COUNT];
	struct buf b = {0};
	(void)index;
	nudge_text_reason(&f->turn.nudge, &b);
	detail_words(d, STYLE_BOLD, 0, &b);
	detail_puts(d, STYLE_PLAIN, 0, "Gates asked, in order:");
	gates_of(f, all);
	for (int i = 0; i < NUDGE_GATE_COUNT; i++)
		if (all[i].asked)
			put_gate_head(&all[i], d, all[i].pass ? STYLE_GOOD : STYLE_WARNING, INDENT);
	buf_free(&b);
}

static void open_gate(struct frame *f, uint32_t index, struct detail *d) { put_gate(f, (enum nudge_gate)index, d); }

static void open_tier(struct frame *f, uint32_t index, struct detail *d)
{
	static const enum nudge_gate first[] = {NUDGE_GATE_T1_PILE},
				     second[] = {NUDGE_GATE_T2_PILE, NUDGE_GATE_T2_T1, NUDGE_GATE_T2_CADENCE},
				     third[] = {NUDGE_GATE_T3_PILE, NUDGE_GATE_T3_T2, NUDGE_GATE_T3_T1,
						NUDGE_GATE_T3_CADENCE},
				     pressure[] = {NUDGE_GATE_PILE};
	if (f->turn.nudge.n.over_limit || f->turn.nudge.n.emergency)
		put_gates(f, pressure, 1, d);
	else if (index == 1)
		put_gates(f, first, 1, d);
	else if (index == 2)
		put_gates(f, second, 3, d);
	else
		put_gates(f, third, 4, d);
}

static void put_stamp(struct buf *b, double x)
{
	if (isnan(x))
		buf_text(b, "none");
	else
		words_count(b, x);
}

static void open_stamp(struct frame *f, uint32_t index, struct detail *d)
{
	static const struct {
		const char *path, *rule;
	} stamps[STAMP_COUNT] = {
		[STAMP_BASELINE] =
			{"nudge.lastPerMessageNudgeTokens",
			 "Set to the token count when there is none, and anew, forgetting the others, when the "
			 "count falls below baseline - G. A compression clears it (kernel.md 4.7.4, 5.8)."},
		[STAMP_SHOWN] = {"nudge.lastNudgeShownTokens",
				 "The token count when a nudge was injected last; growth is counted from it "
				 "(kernel.md 4.7.1, 4.7.4). A compression clears it."},
		[STAMP_T1] = {"nudge.lastShownByTier.1",
			      "The token count when tier 1 was injected last. Tier 1 has no cadence: it never blocks "
			      "(kernel.md 4.7.3)."},
		[STAMP_T2] =
			{"nudge.lastShownByTier.2",
			 "The token count when tier 2 was injected last; F tokens must come before it may be again "
			 "(kernel.md 4.7.3)."},
		[STAMP_T3] =
			{"nudge.lastShownByTier.3",
			 "The token count when tier 3 was injected last; F tokens must come before it may be again "
			 "(kernel.md 4.7.3)."},
	};
	double v[3];
	struct buf b = {0};
	nudge_stamp(f, (enum nudge_stamp)index, v);
	buf_printf(&b, "%s: ", stamps[index].path);
	put_stamp(&b, v[0]);
	buf_text(&b, " before this turn, ");
	put_stamp(&b, v[1]);
	buf_text(&b, " after");
	detail_words(d, STYLE_BOLD, 0, &b);
	detail_puts(d, STYLE_PLAIN, INDENT, stamps[index].rule);
	buf_free(&b);
}

static void open_category(struct frame *f, uint32_t index, struct detail *d)
{
	static const char *const rules[CATEGORY_COUNT] = {
		"rows of role system that are none of summaries and tool",
		"tool calls and tool results",
		("rows whose text starts with " SUMMARY_HEADER),
		"other rows with three backticks in their text",
		"all other rows, reasoning included",
	};
	struct buf b = {0};
	detail_puts(d, STYLE_BOLD, 0, nudge_category_names[index]);
	buf_printf(&b, "%s, as the nudge saw them (%s; kernel.md 4.7.5).", rules[index], words_counter_scale(f));
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
}

static void build(const struct view_context *c, uint64_t key, struct detail *d)
{
	static void (*const open[NUDGE_KIND_COUNT])(struct frame *, uint32_t, struct detail *) = {
		[NUDGE_USAGE] = open_usage, [NUDGE_VERDICT] = open_verdict, [NUDGE_GATE] = open_gate,
		[NUDGE_TIER] = open_tier,   [NUDGE_STAMP] = open_stamp,     [NUDGE_CATEGORY] = open_category,
	};
	static const uint32_t most[NUDGE_KIND_COUNT] = {
		[NUDGE_USAGE] = 1, [NUDGE_VERDICT] = 1,         [NUDGE_GATE] = NUDGE_GATE_COUNT,
		[NUDGE_TIER] = 4,  [NUDGE_STAMP] = STAMP_COUNT, [NUDGE_CATEGORY] = CATEGORY_COUNT,
	};
	uint32_t kind = (uint32_t)(key >> 8 & 0xFF), index = (uint32_t)(key & 0xFF);
	if ((key & ~(uint64_t)0xFFFF) != NUDGE_KEY || kind >= NUDGE_KIND_COUNT || index >= most[kind])
		return;
	if (gates_decided(c->frame))
		open[kind](c->frame, index, d);
}

static const struct detail_source details = {KEPT_NUDGE_DETAIL, build};

static bool is_target(uint64_t key) { return (key & ~ROWS_KEY_MASK) == ROWS_KEY_BLOCK; }

size_t nudge_detail_count(const struct view_context *c, uint64_t key)
{
	return is_target(key) ? rows_detail_count(c, key) : detail_count(c, &details, key);
}

void nudge_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out)
{
	if (is_target(key))
		rows_detail_line(c, key, i, out);
	else
		detail_paint(c, &details, key, i, out);
}
