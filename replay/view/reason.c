#include "replay/view/reason.h"

#include "replay/view/words.h"

enum { INDENT = 2, INDENT_MORE = 4, NAMES_SHOWN = 12 };

void reason_span(const struct frame *f, uint32_t start, uint32_t end, struct buf *b)
{
	words_ref(b, &f->run->state, start);
	if (start == end)
		return;
	buf_text(b, "..");
	words_ref(b, &f->run->state, end);
}

void reason_blocks(const struct frame *f, const uint32_t *blocks, uint32_t n, struct buf *b)
{
	const struct state *s = &f->run->state;
	uint32_t shown = n > NAMES_SHOWN ? NAMES_SHOWN : n;
	for (uint32_t i = 0; i < shown; i++) {
		buf_text(b, i > 0 ? ", " : "");
		buf_str(b, names_get(s->names, s->blocks.v[blocks[i]].id));
	}
	if (n > shown)
		buf_printf(b, " and %u more", n - shown);
}

void reason_words(struct frame *f, const struct reason *r, struct buf *b)
{
	reason_say *const *const say[] = {reason_say_row, reason_say_range, reason_say_block, reason_say_gate};
	for (size_t i = 0; i < sizeof say / sizeof say[0]; i++)
		if (say[i][r->rule] != NULL)
			say[i][r->rule](f, r, b);
}

void reason_config(const struct frame *f, const struct reason *r, struct buf *b)
{
	const struct policy *p = &f->run->policy;
	for (int i = 0; i < r->values; i++) {
		int member = r->value[i].member;
		if (i > 0)
			buf_char(b, '\n');
		if (member >= 0) {
			words_config(b, f->run, config_members[member].path);
			continue;
		}
		enum policy_switch which = (enum policy_switch) ~member;
		buf_printf(b, "policy %s = %s (%s)", policy_switch_name(which), policy_value_name(p, which),
			   r->value[i].source);
	}
}

/* Rules that are asked and can fail; the others are there because they hold. */
static bool is_question(enum rule rule)
{
	switch (rule) {
	case RULE_RANGE_SIZE:
	case RULE_ALONE_RESOLVES:
	case RULE_ALONE_GATE:
	case RULE_ALONE_CONTENT:
	case RULE_ALONE_SUMMARY:
	case RULE_ALONE_ANSWER:
		return true;
	default:
		return false;
	}
}

void reason_put(struct frame *f, const struct reason *r, struct detail *d)
{
	struct buf b = {0};
	enum style style = STYLE_PLAIN;
	if (is_question((enum rule)r->rule)) {
		style = r->holds ? STYLE_GOOD : STYLE_WARNING;
		buf_printf(&b, "%s ", glyph(r->holds ? GLYPH_PASS : GLYPH_FAIL, d->ascii));
	}
	buf_printf(&b, "%s: ", rule_name((enum rule)r->rule));
	reason_words(f, r, &b);
	detail_words(d, style, INDENT, &b);
	if (r->values > 0) {
		reason_config(f, r, &b);
		detail_words(d, STYLE_NUMBER, INDENT_MORE, &b);
	}
	buf_free(&b);
}
