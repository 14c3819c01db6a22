#include "tui/help.h"

enum { KEY_COLUMNS_MAX = 22, INDENT = 2 };

static struct help_line *add_line(struct help *h)
{
	vec_push(&h->lines, (struct help_line){.key_at = h->text.n, .text_at = h->text.n});
	return &h->lines.v[h->lines.n - 1];
}

static void add_text(struct help *h, struct str s, bool heading)
{
	struct help_line *l = add_line(h);

	buf_str(&h->text, s);
	l->text_n = s.n;
	l->heading = heading;
}

/* Words wrapped into the width. */
static void add_paragraph(struct help *h, struct str s, int width)
{
	struct text_wrap wrap = text_wrap_start(s, width > INDENT + 8 ? width - INDENT : 0, false);
	struct str line;

	while (text_wrap_next(&wrap, &line))
		add_text(h, line, false);
}

/* What was appended to the text last, from l->key_at, is the key; then come the words. */
static void end_key(struct help *h, struct help_line *l, const char *words)
{
	int columns;

	l->key_n = h->text.n - l->key_at;
	l->text_at = h->text.n;
	buf_text(&h->text, words);
	l->text_n = h->text.n - l->text_at;
	columns = text_width(str_cut(buf_view(&h->text), l->key_at, l->text_at), false);
	if (columns > h->key_columns)
		h->key_columns = columns < KEY_COLUMNS_MAX ? columns : KEY_COLUMNS_MAX;
}

static void add_key(struct help *h, const char *key, const char *words)
{
	struct help_line *l = add_line(h);

	buf_text(&h->text, key);
	end_key(h, l, words);
}

/* The action focuses a pane that is not there. */
static bool is_unbuilt(enum action a)
{
	enum pane_id pane = pane_find(str_of(actions[a].name));

	return pane < PANE_COUNT && view_named(str_of(pane_kinds[pane].name)) == NULL;
}

static void add_action(struct help *h, const struct keymap *m, enum action a)
{
	struct help_line *l = add_line(h);
	struct buf words = {0};

	keymap_put_keys(m, a, &h->text);
	if (h->text.n == l->key_at)
		buf_printf(&words, ":%s  ", actions[a].name);
	buf_text(&words, actions[a].help);
	if (is_unbuilt(a))
		buf_text(&words, " (not built yet)");
	end_key(h, l, words.p);
	buf_free(&words);
}

static void add_strip(struct help *h, int width, bool ascii)
{
	const char *sign, *words;

	add_text(h, STR(""), false);
	add_text(h, STR("The strip under the panes"), true);
	for (size_t i = 0; (words = strip_legend(i, ascii, &sign)) != NULL; i++) {
		if (sign)
			add_key(h, sign, words);
		else
			add_paragraph(h, str_of(words), width);
	}
}

/* What stands at the end of the top line. */
static void add_fidelity(struct help *h, int width, bool ascii)
{
	add_paragraph(
		h,
		STR("At its end fidelity: how far this replay is what really happened. So many of so many agree with "
		    "what was recorded:"),
		width);
	add_key(h, "outcomes, o", "compress calls: applied or refused, and in how many blocks");
	add_key(h, "refs, r", "ids: the ref they have in the host's sidecar");
	add_key(h, "counts, c", "turns: the host's token count is exactly ours");
	add_key(h, "prompts, p", "turns: the provider's prompt size, to within 10 %");
	add_key(h, "log, l", "figures of the adapter's log (--log): the same");
	add_key(h, glyph(GLYPH_PASS, ascii), "all of them agree");
	add_paragraph(
		h,
		STR("Where there is little room only what does not agree everywhere is left of it. Nothing is shown of "
		    "what was not recorded. acpdbg info has the numbers behind it, Events what differs."),
		width);
}

static void add_search(struct help *h, int width)
{
	add_text(h, STR(""), false);
	add_text(h, STR("Search and filter"), true);
	add_paragraph(
		h,
		STR("/ goes to the first line that has the pattern while it is typed; Enter stays there, Esc goes "
		    "back. Without a capital letter the pattern finds both cases. All of a line is searched, also "
		    "what is too wide for the pane, and in Rows the whole text of every row; in an opened line its "
		    "lines. \\ searches the rows of all turns, when Enter is pressed. & and / and Enter alone: all "
		    "lines again, the last pattern again. Esc takes the marks "
		    "off the matches. A search that takes long ends at any key; rows on which a pattern takes too "
		    "many steps are given up, and counted."),
		width);
}

void help_make(struct help *h, const struct keymap *m, enum pane_id pane, int width, bool ascii, bool dsh)
{
	buf_cut(&h->text, 0);
	h->lines.n = 0;
	h->key_columns = 0;
	add_text(h, str_of(pane_kinds[pane].title), true);
	add_paragraph(h, str_of(dsh && pane_kinds[pane].dsh ? pane_kinds[pane].dsh : pane_kinds[pane].about), width);
	for (enum action_group g = 0; g < ACTION_GROUPS; g++) {
		add_text(h, STR(""), false);
		add_text(h, str_of(action_group_title(g)), true);
		for (enum action a = 0; a < ACTION_COUNT; a++)
			if (actions[a].group == g)
				add_action(h, m, a);
		/* a signal, no key, so that it works while the program is busy */
		if (g == ACTION_GROUP_OTHER)
			add_key(h, "^C", "end the program at once, whatever it does");
	}
	add_text(h, STR(""), false);
	add_text(h, STR("The top line"), true);
	add_paragraph(
		h,
		STR("Before the tokens or the percentage of the window: ~ they are a raw estimate of ours, + the "
		    "provider's number and the host's estimates since, nothing: the host counted them. (a): the window "
		    "is assumed. density: tokens per estimated token after the turn, where one is measured. hit: share "
		    "of the "
		    "prompt that the provider read from its cache; predicted, or ~: what the prefix of the request "
		    "allows."),
		width);
	add_fidelity(h, width, ascii);
	add_strip(h, width, ascii);
	add_search(h, width);
	add_text(h, STR(""), false);
	add_text(h, STR("The prompt"), true);
	add_paragraph(h,
		      STR(":42 turn 42, :42.prune inside it, :42+3 the third record after it, :$ the last turn; "
			  ":rows and so on focus a pane; every action by its name; :q quits. Digits before a key are "
			  "a count: 5. goes five turns on."),
		      width);
}

void help_scroll(struct help *h, long by)
{
	size_t n = h->lines.n, last = n > h->height ? n - h->height : 0;
	size_t distance = by < 0 ? (size_t)0 - (size_t)by : (size_t)by;

	if (by < 0)
		h->top = distance > h->top ? 0 : h->top - distance;
	else
		h->top = distance > last || h->top > last - distance ? last : h->top + distance;
}

static void draw_line(const struct help *h, const struct help_line *l, struct grid *g, struct rect r)
{
	struct str text = buf_view(&h->text);
	struct line line = {.ascii = g->ascii};

	line_reset(&line, r.cols);
	if (l->heading) {
		line_put(&line, STYLE_HEADING, str_cut(text, l->text_at, l->text_at + l->text_n));
	} else {
		line_pad_to(&line, INDENT);
		if (l->key_n > 0) {
			line_put(&line, STYLE_KEY, str_cut(text, l->key_at, l->key_at + l->key_n));
			line_puts(&line, STYLE_PLAIN, "  ");
			line_pad_to(&line, INDENT + h->key_columns + 2);
		}
		line_put(&line, STYLE_PLAIN, str_cut(text, l->text_at, l->text_at + l->text_n));
	}
	grid_put_line(g, r, &line);
	line_free(&line);
}

void help_draw(struct help *h, enum pane_id pane, struct grid *g, struct rect r)
{
	struct line title = {.ascii = g->ascii};
	struct rect row = {r.row, r.col, 1, r.cols};
	size_t n;

	if (r.rows <= 0)
		return;
	h->height = (size_t)(r.rows > 1 ? r.rows - 1 : 1);
	help_scroll(h, 0);
	grid_fill(g, r, STYLE_PLAIN);
	if (r.rows > 1) {
		n = h->top + h->height;
		line_reset(&title, r.cols);
		line_glyph(&title, STYLE_TITLE_FOCUS, GLYPH_SELECTED);
		line_printf(&title, STYLE_TITLE_FOCUS, "Help of %s  (q closes)", pane_kinds[pane].title);
		struct buf place = {0};
		buf_printf(&place, "%zu/%zu", n < h->lines.n ? n : h->lines.n, h->lines.n);
		line_put_right(&title, STYLE_TITLE_FOCUS, buf_view(&place));
		buf_free(&place);
		line_restyle(&title, 0, title.width, STYLE_TITLE_FOCUS);
		title.fill = STYLE_TITLE_FOCUS;
		grid_put_line(g, row, &title);
		row.row++;
	}
	for (size_t i = h->top; i < h->lines.n && row.row < r.row + r.rows; i++, row.row++)
		draw_line(h, &h->lines.v[i], g, row);
	line_free(&title);
}

void help_free(struct help *h)
{
	buf_free(&h->text);
	vec_free(&h->lines);
	*h = (struct help){0};
}

/* One or two actions that share a word; that of close depends. */
static const struct {
	enum action first, second;
	const char *word;
} hints[] = {
	{ACTION_NEXT_TURN, ACTION_PREVIOUS_TURN, "turn"},
	{ACTION_NEXT_NODE, ACTION_PREVIOUS_NODE, "step"},
	{ACTION_OPEN, ACTION_NONE, "open"},
	{ACTION_NEXT_PANE, ACTION_NONE, "pane"},
	{ACTION_HELP, ACTION_NONE, "help"},
	{ACTION_CLOSE, ACTION_NONE, NULL},
	{ACTION_PROMPT, ACTION_NONE, "go to"},
	{ACTION_NEXT_EVENT, ACTION_PREVIOUS_EVENT, "event"},
	{ACTION_NEXT_USER, ACTION_PREVIOUS_USER, "user turn"},
	{ACTION_ZOOM_IN, ACTION_ZOOM_OUT, "zoom"},
	{ACTION_SEARCH, ACTION_NONE, "search"},
	{ACTION_FILTER, ACTION_NONE, "filter"},
};

/* The first key of an action. */
static void put_first_key(const struct keymap *m, enum action a, struct buf *out)
{
	for (size_t i = 0; i < m->bindings.n; i++)
		if (m->bindings.v[i].action == a) {
			key_put_name(out, m->bindings.v[i].key);
			return;
		}
}

void help_hints(const struct keymap *m, bool closes, struct line *out)
{
	struct buf keys = {0};

	for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
		const char *word = hints[i].word ? hints[i].word : closes ? "close" : "quit";

		buf_cut(&keys, 0);
		put_first_key(m, hints[i].first, &keys);
		if (hints[i].second != ACTION_NONE) {
			buf_char(&keys, ' ');
			put_first_key(m, hints[i].second, &keys);
		}
		if (text_width(buf_view(&keys), false) + 1 + (int)strlen(word) + 2 > line_left(out))
			break;
		line_put(out, STYLE_KEY, buf_view(&keys));
		line_printf(out, STYLE_DIM, " %s  ", word);
	}
	buf_free(&keys);
}
