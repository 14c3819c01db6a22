/* A diff as a comment for a pull request, in GitHub's Markdown. */
#include "replay/report/diff_dsh.h"
#include "replay/view/text.h"
#include "replay/view/words.h"

enum { LINES_SHOWN = 5, CODE_COLUMNS = 120, COMMAND_COLUMNS = 4000 };

static bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Stands for itself between backticks, in a table, too. */
static bool is_tame(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c != 0 && strchr(" ._,:;=+-/()%?\"'", c) != NULL);
}

static bool is_tame_text(struct str s)
{
	if (s.n == 0 || s.p[0] == ' ' || s.p[s.n - 1] == ' ')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!is_tame(s.p[i]))
			return false;
	return true;
}

/*
 * Text of any origin as code: controls made visible, one line. Markdown and
 * HTML end code by what is in it, and inside <code> a character reference is
 * the only thing that means something: whatever could mean anything becomes one. Nobody is mentioned and nothing linked
 * inside code.
 */
static void put_code(struct buf *b, const struct diff_report *r, struct str s, int columns)
{
	struct buf safe = {0};
	bool cut = text_width_up_to(s, r->ascii, columns) > columns;
	text_put_safe(&safe, cut ? text_clip(s, columns, r->ascii, NULL) : s, r->ascii);
	if (cut)
		buf_text(&safe, "...");
	struct str text = buf_view(&safe);
	if (is_tame_text(text)) {
		buf_printf(b, "`%s`", safe.p);
		buf_free(&safe);
		return;
	}
	buf_text(b, "<code>");
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		bool plain = is_word(c) || (c != 0 && strchr(" ,;\"'%=?", c) != NULL);
		if (plain || (unsigned char)c >= 0x80)
			buf_char(b, c);
		else
			buf_printf(b, "&#%d;", c);
	}
	buf_text(b, "</code>");
	buf_free(&safe);
}

void diff_put_code(struct buf *b, const struct diff_report *r, struct str s) { put_code(b, r, s, CODE_COLUMNS); }

static void put_label(struct buf *b, const struct diff_report *r, enum diff_side side)
{
	struct buf label = {0};
	diff_put_label(&label, r, side);
	diff_put_code(b, r, buf_view(&label));
	buf_free(&label);
}

/* "`K41` → `K60` on session `plain`" */
static void put_heading(struct buf *b, const struct diff_report *r)
{
	const struct run *left = r->diff->side[DIFF_LEFT]->run, *right = r->diff->side[DIFF_RIGHT]->run;
	buf_text(b, "### acpdbg diff: ");
	put_label(b, r, DIFF_LEFT);
	buf_text(b, " against ");
	put_label(b, r, DIFF_RIGHT);
	if (left->recording->id.n > 0 && str_eq(left->recording->id, right->recording->id)) {
		buf_text(b, " on session ");
		diff_put_code(b, r, left->recording->id);
	}
	buf_text(b, "\n\n");
}

static void put_verdict(struct buf *b, const struct diff_report *r)
{
	const struct diff *d = r->diff;
	struct buf words = {0};
	buf_text(b, "**");
	diff_put_verdict(b, d);
	buf_text(b, ".**");
	if (!diff_same(d)) {
		buf_char(b, ' ');
		diff_put_shown(b, d);
		buf_char(b, '.');
	}
	diff_put_why(&words, d);
	if (words.n > 0)
		buf_printf(b, " %s.", words.p);
	buf_cut(&words, 0);
	diff_put_consequence(&words, d);
	if (words.n > 0)
		buf_printf(b, " Over the session: %s.", words.p);
	else if (!diff_same(d))
		buf_text(b, " Nudges, compress calls and folded tokens come out the same.");
	buf_char(b, '\n');
	for (int side = 0; side < DIFF_SIDES; side++)
		if (d->counterfactual[side] > 0)
			buf_printf(b,
				   "\nThe %s is counterfactual from turn %u on: its decisions are no longer those the "
				   "session recorded, and neither are its figures (*cf*).\n",
				   diff_side_name((enum diff_side)side), d->counterfactual[side]);
	buf_free(&words);
}

/* ---- effects ---- */

static void put_effects(struct buf *b, const struct diff_report *r)
{
	const struct diff *d = r->diff;
	buf_text(b, "\n| effect | left: ");
	put_label(b, r, DIFF_LEFT);
	buf_text(b, " | right: ");
	put_label(b, r, DIFF_RIGHT);
	buf_text(b, " | change |\n|---|--:|--:|--:|\n");
	for (size_t i = 0; i < d->effects_n; i++) {
		struct buf name = {0};
		diff_put_effect_name(&name, &d->effects[i]);
		buf_text(b, "| ");
		for (size_t k = 0; k < name.n; k++)
			buf_printf(b, name.p[k] == '|' ? "\\|" : "%c", name.p[k]);
		for (int side = 0; side < DIFF_SIDES; side++) {
			buf_text(b, " | ");
			diff_put_value(b, &d->effects[i], d->effects[i].value[side]);
			if (d->counterfactual[side] > 0)
				buf_text(b, " *cf*");
		}
		buf_text(b, " | ");
		diff_put_change(b, &d->effects[i]);
		buf_cut(&name, 0);
		diff_put_relative(&name, &d->effects[i]);
		if (name.n > 0)
			buf_printf(b, " (%s)", name.p);
		buf_text(b, " |\n");
		buf_free(&name);
	}
}

/* ---- details ---- */

static void put_line(struct buf *b, const struct diff_report *r, const struct diff_detail *t,
		     const struct diff_line *line)
{
	buf_text(b, "- ");
	diff_put_code(b, r, line->name);
	if (!str_eq(line->name, line->id)) {
		buf_text(b, " (");
		diff_put_code(b, r, line->id);
		buf_char(b, ')');
	}
	for (int side = 0; side < DIFF_SIDES; side++) {
		if (line->value[side].p == NULL)
			continue;
		bool only = line->value[!side].p == NULL;
		buf_printf(b, "%s%s%s: ", side == DIFF_RIGHT && !only ? "; " : ", ",
			   diff_side_name((enum diff_side)side), only ? " only" : "");
		diff_put_code(b, r, line->value[side]);
		if (diff_counterfactual(r->diff, t, (enum diff_side)side))
			buf_text(b, " *cf*");
	}
	buf_char(b, '\n');
}

static void put_detail(struct buf *b, const struct diff_report *r, const struct diff_detail *t)
{
	size_t all = t->both + t->only[DIFF_LEFT] + t->only[DIFF_RIGHT];
	diff_put_sentence(b, t);
	buf_text(b, all > 0 ? ":\n\n" : ".\n\n");
	for (size_t i = 0; i < t->n && i < LINES_SHOWN; i++)
		put_line(b, r, t, &t->lines[i]);
	if (all > LINES_SHOWN)
		buf_printf(b, "- and %zu more\n", all - LINES_SHOWN);
}

static void put_first(struct buf *b, const struct diff_report *r)
{
	const struct diff *d = r->diff;
	buf_text(b, "\n**First difference, at ");
	diff_put_place(b, d, &d->details[0]);
	buf_text(b, "**\n");
	for (size_t i = 0; i < d->details_n && d->details[i].step == d->details[0].step; i++) {
		buf_printf(b, "\n*%s*: ", diff_kind_name(d->details[i].kind));
		put_detail(b, r, &d->details[i]);
	}
}

static void put_all(struct buf *b, const struct diff_report *r)
{
	const struct diff *d = r->diff;
	buf_printf(b, "\n<details>\n<summary>All differences by kind (%zu)</summary>\n\n", d->details_n);
	buf_text(b, "| kind | turns | first | last | what differs |\n|---|--:|--:|--:|---|\n");
	for (int k = 0; k < DIFF_KINDS; k++) {
		const struct diff_count *c = &d->count[k];
		if (c->n == 0)
			continue;
		buf_printf(b, "| %s | %u | ", diff_kind_name((enum diff_kind)k), c->n);
		diff_put_step(b, d, c->first);
		buf_text(b, " | ");
		diff_put_step(b, d, c->last);
		buf_printf(b, " | %s |\n", diff_kind_what((enum diff_kind)k));
	}
	for (size_t i = 0; i < d->details_n; i++) {
		if (d->details[i].step == d->details[0].step)
			continue;
		buf_printf(b, "\n*%s*, first at ", diff_kind_name(d->details[i].kind));
		diff_put_place(b, d, &d->details[i]);
		buf_text(b, ": ");
		put_detail(b, r, &d->details[i]);
	}
	buf_text(b, "\n</details>\n");
}

/* A word as a shell takes it. */
static void put_word(struct buf *b, struct str s)
{
	bool plain = s.n > 0;
	for (size_t i = 0; i < s.n; i++)
		plain = plain && (is_word(s.p[i]) || strchr("=,.:/@%+-_", s.p[i]) != NULL) && s.p[i] != 0;
	if (plain) {
		buf_str(b, s);
		return;
	}
	buf_char(b, '\'');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\'')
			buf_text(b, "'\\''");
		else
			buf_char(b, s.p[i]);
	}
	buf_char(b, '\'');
}

static void put_option(struct buf *b, const char *name, struct str value)
{
	buf_printf(b, " --%s ", name);
	put_word(b, value);
}

/* The command that gives this again, without the directories of whoever ran it. */
static void put_command(struct buf *b, const struct diff_report *r)
{
	struct buf command = {0};
	buf_text(&command, "acpdbg diff ");
	put_word(&command, diff_file_name(r->file[DIFF_LEFT]));
	if (!r->diff->one_recording)
		buf_char(&command, ' '), put_word(&command, diff_file_name(r->file[DIFF_RIGHT]));
	for (size_t i = 0; i < r->options_n; i++)
		put_option(&command, r->options[i].name,
			   r->options[i].is_file ? diff_file_name(r->options[i].value) : str_of(r->options[i].value));
	for (int side = 0; side < DIFF_SIDES; side++)
		if (r->policy[side] != NULL)
			put_option(&command, diff_side_name((enum diff_side)side), str_of(r->policy[side]));
	buf_text(&command, " --output markdown");
	buf_text(b, "\n<sub>");
	put_code(b, r, buf_view(&command), COMMAND_COLUMNS);
	buf_text(b, "</sub>\n");
	buf_free(&command);
}

void diff_markdown_put(const struct diff_report *r, struct buf *b)
{
	put_heading(b, r);
	put_verdict(b, r);
	bool barrier = diff_dsh_has(r->diff);
	if (barrier)
		diff_dsh_markdown(r, b);
	put_effects(b, r);
	if (!diff_same(r->diff)) {
		if (barrier) /* what it comes to has been said */
			buf_text(b, "\n<details>\n<summary>The first difference</summary>\n");
		put_first(b, r);
		if (barrier)
			buf_text(b, "\n</details>\n");
		put_all(b, r);
	}
	put_command(b, r);
}
