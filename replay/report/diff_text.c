/* A diff as a table for the terminal. */
#include <stdio.h>

#include "replay/report/diff_dsh.h"
#include "replay/view/text.h"
#include "replay/view/words.h"

enum {
	COLUMNS = 80,
	NAME_COLUMNS = 35,
	VALUE_COLUMNS = 12,
	CHANGE_COLUMNS = 12,
	RELATIVE_COLUMNS = 9,
	LINES_SHOWN = 5,
	LABEL_COLUMNS = 64
};

/* Session text, cut to so many columns. */
static void put_clipped(struct buf *b, const struct diff_report *r, struct str s, int columns)
{
	if (text_width_up_to(s, r->ascii, columns) <= columns) {
		text_put_safe(b, s, r->ascii);
		return;
	}
	text_put_safe(b, text_clip(s, columns - 3, r->ascii, NULL), r->ascii);
	buf_text(b, "...");
}

static void put_sides(struct buf *b, const struct diff_report *r)
{
	struct buf label = {0};
	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct run *run = r->diff->side[side]->run;
		buf_cut(&label, 0);
		diff_put_label(&label, r, (enum diff_side)side);
		buf_printf(b, "%-6s ", diff_side_name((enum diff_side)side));
		put_clipped(b, r, buf_view(&label), LABEL_COLUMNS);
		buf_text(b, "\n       session ");
		put_clipped(b, r, run->recording->id.n > 0 ? run->recording->id : STR("without id"), LABEL_COLUMNS / 2);
		buf_text(b, ", ");
		words_plural(b, (double)run->timeline.turns.n, "turn", "turns");
		if (r->diff->counterfactual[side] > 0)
			buf_printf(b, ", counterfactual from turn %u", r->diff->counterfactual[side]);
		buf_char(b, '\n');
	}
	buf_free(&label);
}

/* ---- effects ---- */

static void put_right(struct buf *b, const struct buf *text, int columns)
{
	buf_printf(b, "%*s", columns, text->p != NULL ? text->p : "");
}

static void put_effect(struct buf *b, const struct diff_report *r, const struct diff_effect *e)
{
	struct buf text = {0};
	diff_put_effect_name(&text, e);
	buf_text(b, text.p);
	if (text.n >= NAME_COLUMNS)
		buf_printf(b, "\n%*s", NAME_COLUMNS, "");
	else
		buf_printf(b, "%*s", NAME_COLUMNS - (int)text.n, "");
	for (int side = 0; side < DIFF_SIDES; side++) {
		buf_cut(&text, 0);
		diff_put_value(&text, e, e->value[side]);
		buf_char(&text, r->diff->counterfactual[side] > 0 ? '*' : ' ');
		put_right(b, &text, VALUE_COLUMNS);
	}
	buf_cut(&text, 0);
	diff_put_change(&text, e);
	put_right(b, &text, CHANGE_COLUMNS);
	buf_cut(&text, 0);
	diff_put_relative(&text, e);
	if (text.n > 0 && text.n < RELATIVE_COLUMNS)
		put_right(b, &text, RELATIVE_COLUMNS);
	buf_char(b, '\n');
	buf_free(&text);
}

static void put_effects(struct buf *b, const struct diff_report *r)
{
	const struct diff *d = r->diff;
	buf_printf(b, "\n%-*s%*s %*s %*s\n", NAME_COLUMNS, "effect", VALUE_COLUMNS - 1, "left", VALUE_COLUMNS - 1,
		   "right", CHANGE_COLUMNS - 1, "change");
	for (size_t i = 0; i < d->effects_n; i++)
		put_effect(b, r, &d->effects[i]);
	if (d->counterfactual[DIFF_LEFT] > 0 || d->counterfactual[DIFF_RIGHT] > 0)
		buf_text(b, "* counterfactual: from the turn named above on not what the session recorded\n");
}

/* ---- details ---- */

static void put_line(struct buf *b, const struct diff_report *r, const struct diff_detail *t,
		     const struct diff_line *line)
{
	buf_text(b, "    ");
	put_clipped(b, r, line->name, COLUMNS / 2 - 8);
	if (!str_eq(line->name, line->id)) {
		buf_text(b, " (");
		put_clipped(b, r, line->id, COLUMNS / 2 - 8);
		buf_char(b, ')');
	}
	buf_char(b, '\n');
	for (int side = 0; side < DIFF_SIDES; side++) {
		buf_printf(b, "      %-6s ", diff_side_name((enum diff_side)side));
		put_clipped(b, r, line->value[side].p != NULL ? line->value[side] : STR("-"), COLUMNS - 13 - 1);
		if (diff_counterfactual(r->diff, t, (enum diff_side)side))
			buf_char(b, '*');
		buf_char(b, '\n');
	}
}

static void put_detail(struct buf *b, const struct diff_report *r, const struct diff_detail *t)
{
	struct buf sentence = {0};
	if (t->kind == DIFF_CALLS)
		buf_text(b, "  ");
	else
		buf_printf(b, "  %s, ", diff_kind_name(t->kind));
	diff_put_place(b, r->diff, t);
	buf_text(b, ":\n    ");
	diff_put_sentence(&sentence, t);
	put_clipped(b, r, buf_view(&sentence), COLUMNS - 4);
	buf_char(b, '\n');
	for (size_t i = 0; i < t->n && i < LINES_SHOWN; i++)
		put_line(b, r, t, &t->lines[i]);
	size_t all = t->both + t->only[DIFF_LEFT] + t->only[DIFF_RIGHT];
	if (all > LINES_SHOWN)
		buf_printf(b, "    and %zu more\n", all - LINES_SHOWN);
	buf_free(&sentence);
}

static void put_kinds(struct buf *b, const struct diff_report *r)
{
	const struct diff *d = r->diff;
	struct buf first = {0}, last = {0};
	buf_text(b, "\nkind                turns      first       last  what differs\n");
	for (int k = 0; k < DIFF_KINDS; k++) {
		const struct diff_count *c = &d->count[k];
		if (c->n == 0)
			continue;
		buf_cut(&first, 0);
		buf_cut(&last, 0);
		diff_put_step(&first, d, c->first);
		diff_put_step(&last, d, c->last);
		buf_printf(b, "%-18s %6u %10s %10s  ", diff_kind_name((enum diff_kind)k), c->n, first.p, last.p);
		put_clipped(b, r, str_of(diff_kind_what((enum diff_kind)k)), COLUMNS - 49);
		buf_char(b, '\n');
	}
	buf_free(&first);
	buf_free(&last);
}

void diff_text_put(const struct diff_report *r, struct buf *b)
{
	const struct diff *d = r->diff;
	put_sides(b, r);
	buf_char(b, '\n');
	diff_put_verdict(b, d);
	buf_char(b, '\n');
	size_t before = b->n;
	diff_put_why(b, d);
	if (b->n > before)
		buf_char(b, '\n');
	if (!diff_same(d)) {
		diff_put_shown(b, d);
		buf_char(b, '\n');
	}
	if (diff_dsh_has(d))
		diff_dsh_text(r, b);
	put_effects(b, r);
	if (diff_same(d))
		return;
	buf_text(b, "\nfirst difference\n");
	size_t i = 0;
	for (; i < d->details_n && d->details[i].step == d->details[0].step; i++)
		put_detail(b, r, &d->details[i]);
	put_kinds(b, r);
	if (i < d->details_n)
		buf_text(b, "\nfirst of the other kinds\n");
	for (; i < d->details_n; i++)
		put_detail(b, r, &d->details[i]);
}
