/*
 * Breakpoints, watches and probes on the screen: their list, the run to the
 * next turn where one holds, and the values that are watched. Values are worked
 * out between keys and kept, so that a run over turns that were looked at
 * before costs nothing.
 */
#include <math.h>
#include <stdio.h>

#include "replay/view/text.h"
#include "replay/view/words.h"
#include "tui/app_parts.h"

enum { VALUE_COLUMNS = 14, SPARK_COLUMNS = 40, SPARK_FROM = 100, BOTTOM_VALUES = 3 };

static struct breaks *set_of(struct app *a) { return &a->breaks.set; }

/* The list is another one: its values are looked at again, and marked. */
static void changed(struct app *a)
{
	a->breaks.filled = a->breaks.marked = 0;
	a->breaks.marks.n = 0;
	app_memory_save(a);
}

static uint32_t turns_of(const struct app *a) { return a->now->has_run ? (uint32_t)a->now->run.timeline.turns.n : 0; }

void app_break_begin(struct app *a)
{
	app_memory_open(a);
	a->breaks.running = false;
	a->breaks.filled = a->breaks.marked = 0;
	a->breaks.marks.n = 0;
	breaks_begin(set_of(a), &a->now->run);
}

static bool any_stops(const struct app *a)
{
	for (size_t i = 0; i < a->breaks.set.list.n; i++)
		if (a->breaks.set.list.v[i].enabled && a->breaks.set.list.v[i].stop)
			return true;
	return false;
}

/* ---- adding and editing ---- */

static bool is_wrong(struct app *a, struct str text, struct expr_fault *fault)
{
	const struct app_breaks *b = &a->breaks;
	enum break_kind kind = (enum break_kind)(b->edited < b->set.list.n ? b->set.list.v[b->edited].kind : b->kind);

	return !breaks_check(kind, text, fault);
}

static unsigned take(struct app *a, struct str text)
{
	struct app_breaks *b = &a->breaks;
	struct expr_fault fault;
	bool is_new = b->edited >= b->set.list.n;

	if (!(is_new ? breaks_add(&b->set, (enum break_kind)b->kind, text, &fault)
		     : breaks_edit(&b->set, b->edited, text, &fault))) {
		app_say(a, STYLE_ERROR, "%s", fault.message);
		return APP_DRAW;
	}
	changed(a);
	if (a->list)
		a->chooser.at = is_new ? b->set.list.n - 1 : b->edited;
	else
		app_say(a, STYLE_DIM, "%s %zu: c and C run to the turns where it holds, b lists it",
			break_kind_name((enum break_kind)b->kind), b->set.list.n);
	return APP_DRAW;
}

static const struct app_question questions[BREAK_KINDS] = {
	[BREAK_POINT] = {.lead = "break where ", .wrong = is_wrong, .answer = take, .completes = COMPLETE_CONDITION},
	[BREAK_WATCH] = {.lead = "watch ", .wrong = is_wrong, .answer = take, .completes = COMPLETE_CONDITION},
	[BREAK_PROBE] = {.lead = "probe ", .wrong = is_wrong, .answer = take, .completes = COMPLETE_CONDITION},
};

static void ask_new(struct app *a, enum break_kind kind, struct str text)
{
	a->breaks.kind = (uint8_t)kind;
	a->breaks.edited = a->breaks.set.list.n;
	app_ask(a, &questions[kind], text);
}

void app_break_add(struct app *a, enum break_kind kind)
{
	struct expr_fault fault;

	/* what is wrong is shown where it can be put right */
	if (a->argument.n == 0 || !breaks_check(kind, a->argument, &fault)) {
		ask_new(a, kind, a->argument);
		return;
	}
	a->breaks.kind = (uint8_t)kind;
	a->breaks.edited = a->breaks.set.list.n;
	take(a, a->argument);
}

/* ---- the list ---- */

/* What is worth a look, for who has no breakpoint yet. */
static const struct {
	const char *text, *words;
	enum break_kind kind;
} ideas[] = {
	{"compress.refused > 0", "a compress call that changed nothing", BREAK_POINT},
	{"nudge.inject and not prev(nudge.inject)", "a nudge begins", BREAK_POINT},
	{"usage > 0.75", "the window is nearly full", BREAK_POINT},
	{"prefix.cause != \"none\" and prefix.cause != \"first\"", "the provider's cache is rebuilt", BREAK_POINT},
	{"divergence", "the replay and the record part", BREAK_POINT},
	{"blocks.active", "a block comes or goes", BREAK_WATCH},
	{"density", "the density is another one", BREAK_WATCH},
	{"tokens.raw", "tokens at every turn", BREAK_PROBE},
};
enum { IDEAS = sizeof ideas / sizeof *ideas };

static size_t count(void *ctx)
{
	const struct app *a = ctx;

	return a->breaks.set.list.n > 0 ? a->breaks.set.list.n : IDEAS;
}

/* The value over all turns, as far as it was worked out. */
static void put_spark(const struct app *a, const struct break_point *p, struct line *out)
{
	uint32_t turns = turns_of(a);
	size_t columns = turns < SPARK_COLUMNS ? turns : SPARK_COLUMNS;
	double least = INFINITY, most = -INFINITY;

	for (size_t t = 0; t < p->numbers.n; t++)
		if (p->known.v[t] != BREAK_NOT_YET && !isnan(p->numbers.v[t])) {
			least = fmin(least, p->numbers.v[t]);
			most = fmax(most, p->numbers.v[t]);
		}
	for (size_t x = 0; x < columns; x++) {
		double highest = NAN;

		for (size_t t = x * turns / columns; t < (x + 1) * turns / columns && t < p->numbers.n; t++)
			if (p->known.v[t] != BREAK_NOT_YET)
				highest = fmax(highest, p->numbers.v[t]);
		if (isnan(highest))
			line_puts(out, STYLE_DIM, " ");
		else
			line_glyph(out, STYLE_CHART,
				   glyph_spark(most > least ? highest - least : highest != 0,
					       most > least ? most - least : 1));
	}
}

static void put_value(struct app *a, size_t i, struct buf *b)
{
	uint32_t turn = a->now->has_frame ? a->now->frame.at.turn : 0;

	if (turn == 0 || turn > turns_of(a))
		buf_text(b, "?");
	else if (breaks_put_value(set_of(a), i, turn, b))
		a->now->stale = a->now->has_frame;
}

/* Turns where it holds, as far as is known. */
static size_t holds(const struct break_point *p)
{
	size_t n = 0;

	for (size_t t = 0; t < p->known.n; t++)
		n += p->known.v[t] == BREAK_HOLDS;
	return n;
}

static void put_idea(size_t i, struct line *out)
{
	line_printf(out, STYLE_DIM, "  %-5s  ", break_kind_name(ideas[i].kind));
	line_printf(out, STYLE_PLAIN, "%-52s ", ideas[i].text);
	line_puts(out, STYLE_DIM, ideas[i].words);
}

static void put_point(struct app *a, size_t i, struct line *out)
{
	const struct break_point *p = &a->breaks.set.list.v[i];
	enum style style = p->enabled ? STYLE_PLAIN : STYLE_DIM;
	struct buf b = {0};

	line_printf(out, STYLE_NUMBER, "%3zu ", i + 1);
	line_puts(out, style, p->enabled ? "on   " : "off  ");
	line_printf(out, style, "%-5s ", break_kind_name((enum break_kind)p->kind));
	if (p->stop)
		line_printf(out, STYLE_NUMBER, "%6zu %6u  ", holds(p), (unsigned)p->hits);
	else
		line_printf(out, STYLE_NUMBER, "%6s %6s  ", "-", "-");
	put_value(a, i, &b);
	line_put_clipped(out, STYLE_NUMBER, buf_view(&b), VALUE_COLUMNS, ALIGN_RIGHT);
	line_puts(out, STYLE_PLAIN, "  ");
	if (out->limit >= SPARK_FROM && expr_type_of(p->value) != EXPR_TEXT) {
		int before = out->width;

		put_spark(a, p, out);
		line_pad_to(out, before + SPARK_COLUMNS + 2);
	}
	line_put(out, style, p->text);
	buf_free(&b);
}

static void put_line(void *ctx, size_t i, struct line *out)
{
	struct app *a = ctx;

	if (a->breaks.set.list.n == 0)
		put_idea(i, out);
	else
		put_point(a, i, out);
}

static void put_caption(void *ctx, struct line *out)
{
	const struct app *a = ctx;

	if (a->breaks.set.list.n == 0) {
		line_puts(out, STYLE_HEADING, "None yet. Enter takes one of these, b w p begin a new one:");
		return;
	}
	line_printf(out, STYLE_HEADING, "%3s %-4s %-5s %6s %6s  %*s  ", "", "", "kind", "turns", "hits", VALUE_COLUMNS,
		    "here");
	if (out->limit >= SPARK_FROM)
		line_printf(out, STYLE_HEADING, "%-*s  ", SPARK_COLUMNS, "over all turns");
	line_puts(out, STYLE_HEADING, "expression");
}

static const char *const hints[] = {"b",    "break",   "w",       "watch", "p",      "probe", "e",
				    "edit", "<Space>", "on, off", "x",     "delete", NULL};

static void edit(struct app *a, size_t i)
{
	const struct break_point *p = &a->breaks.set.list.v[i];

	a->breaks.edited = i;
	app_ask(a, &questions[p->kind], p->text);
}

/* A line was entered: one of the list is put on or off, one of the ideas becomes a breakpoint. */
static void enter(struct app *a)
{
	size_t i = a->chooser.at;

	if (a->breaks.set.list.n > 0) {
		a->breaks.set.list.v[i].enabled = !a->breaks.set.list.v[i].enabled;
		changed(a);
		return;
	}
	a->breaks.kind = (uint8_t)ideas[i].kind;
	a->breaks.edited = a->breaks.set.list.n;
	take(a, str_of(ideas[i].text));
}

static bool list_key(struct app *a, struct key k)
{
	size_t n = a->breaks.set.list.n, i = a->chooser.at;

	switch (k.code) {
	case 'b':
	case 'a':
		ask_new(a, BREAK_POINT, STR(""));
		return true;
	case 'w':
		ask_new(a, BREAK_WATCH, STR(""));
		return true;
	case 'p':
		ask_new(a, BREAK_PROBE, STR(""));
		return true;
	case KEYS_ENTER:
	case KEYS_SPACE:
		enter(a);
		return true;
	case 'e':
		if (n > 0)
			edit(a, i);
		return true;
	case 'x':
	case KEYS_DELETE:
		if (n > 0) {
			breaks_remove(&a->breaks.set, i);
			a->chooser.at = i < n - 1 ? i : i > 0 ? i - 1 : 0;
			changed(a);
		}
		return true;
	default:
		return false;
	}
}

static const struct app_list list = {.key = list_key};

void app_break_list(struct app *a)
{
	app_list_open(a, &list,
		      (struct chooser_list){.title = "Breakpoints, watches and probes",
					    .count = count,
					    .line = put_line,
					    .caption = put_caption,
					    .hints = hints,
					    .ctx = a});
}

/* ---- the values ---- */

/* Something is shown whose values are not all there. */
static bool fills(const struct app *a)
{
	return app_has_all_turns(a) && a->breaks.set.list.n > 0 && a->breaks.filled < turns_of(a);
}

/* One more turn of all of them. */
static void fill(struct app *a, size_t budget)
{
	struct app_breaks *b = &a->breaks;
	size_t cost = 0;

	for (; b->filled < turns_of(a) && cost < budget; b->filled++)
		for (size_t i = 0; i < b->set.list.n; i++)
			if (breaks_evaluate(&b->set, i, b->filled + 1, &cost))
				a->now->stale = a->now->has_frame;
}

const struct view_mark *app_break_marks(struct app *a, size_t *n)
{
	struct app_breaks *b = &a->breaks;

	for (uint32_t turn = b->marked + 1; turn <= b->filled; turn++)
		for (size_t i = 0; i < b->set.list.n; i++)
			if (b->set.list.v[i].enabled && breaks_state(&b->set, i, turn) == BREAK_HOLDS) {
				vec_push(&b->marks, (struct view_mark){.turn = turn});
				break;
			}
	b->marked = b->filled;
	*n = b->marks.n;
	return b->marks.v;
}

void app_break_put_values(struct app *a, struct line *l)
{
	struct buf b = {0};
	int shown = 0;

	for (size_t i = 0; i < a->breaks.set.list.n && shown < BOTTOM_VALUES; i++) {
		const struct break_point *p = &a->breaks.set.list.v[i];

		if (!p->enabled || p->kind == BREAK_POINT)
			continue;
		buf_cut(&b, 0);
		put_value(a, i, &b);
		line_put(l, STYLE_DIM, p->text);
		line_puts(l, STYLE_DIM, " ");
		line_put(l, STYLE_NUMBER, text_clip(buf_view(&b), VALUE_COLUMNS, a->ascii, NULL));
		line_puts(l, STYLE_DIM, "  ");
		shown++;
	}
	buf_free(&b);
}

/* ---- the run ---- */

/* To the next turn, or the end. */
static void next_turn(struct app *a)
{
	struct app_breaks *b = &a->breaks;

	if (b->forward ? b->at >= turns_of(a) : b->at <= 1) {
		b->running = false;
		if (b->found > 0)
			app_go(a, (struct position){.turn = b->found, .node = NODE_RENDER});
		app_say(a, STYLE_WARNING, "no %sbreakpoint %s this turn%s", b->found > 0 ? "further " : "",
			b->forward ? "after" : "before", app_has_all_turns(a) || !b->forward ? "" : " so far");
		return;
	}
	b->at += b->forward ? 1 : (uint32_t)-1;
	b->next = 0;
}

void app_break_run(struct app *a, bool forward, uint32_t count)
{
	struct app_breaks *b = &a->breaks;

	if (!a->now->has_frame) {
		app_say(a, STYLE_WARNING, "nothing is loaded yet");
		return;
	}
	if (!any_stops(a)) {
		app_break_list(a);
		app_say(a, STYLE_WARNING, "%s: %s runs to the next turn where one holds",
			b->set.list.n > 0 ? "no breakpoint is on" : "there is no breakpoint yet", forward ? "c" : "C");
		return;
	}
	b->running = true;
	b->forward = forward;
	b->wanted = count > 0 ? count : 1;
	b->found = 0;
	b->at = a->now->frame.at.turn;
	/* n+k lies behind turn n: back may be turn n itself */
	if (!forward && a->now->frame.at.records > 0)
		b->at++;
	next_turn(a);
}

void app_break_stop(struct app *a)
{
	if (!a->breaks.running)
		return;
	a->breaks.running = false;
	app_say(a, STYLE_WARNING, "stopped at turn %u: no breakpoint so far", (unsigned)a->breaks.at);
}

/* Which of them hold at the turn; each of them is hit. */
static size_t hit(struct app *a, size_t *first)
{
	struct breaks *set = set_of(a);
	size_t n = 0;

	for (size_t i = set->list.n; i-- > 0;) {
		struct break_point *p = &set->list.v[i];

		if (!p->enabled || !p->stop || breaks_state(set, i, a->breaks.at) != BREAK_HOLDS)
			continue;
		p->hits += p->hits < BREAKS_HITS_MAX;
		*first = i;
		n++;
	}
	return n;
}

static void arrive(struct app *a, size_t n, size_t first)
{
	const struct break_point *p = &a->breaks.set.list.v[first];
	char more[40] = "";
	struct buf words = {0};

	a->breaks.running = false;
	app_go(a, (struct position){.turn = a->breaks.at, .node = NODE_RENDER});
	if (n > 1)
		snprintf(more, sizeof more, " and %zu more", n - 1);
	text_put_safe(&words, text_clip(p->text, 200, a->ascii, NULL), a->ascii);
	app_say(a, STYLE_GOOD, "%s %zu%s, hit %u: %s", break_kind_name((enum break_kind)p->kind), first + 1, more,
		(unsigned)p->hits, words.p ? words.p : "");
	buf_free(&words);
}

/* What is evaluated at the turn comes first, then the question whether any of it holds. */
static void run(struct app *a, size_t budget)
{
	struct app_breaks *b = &a->breaks;
	size_t cost = 0, first = 0, n;

	while (b->running && cost < budget) {
		if (b->next < b->set.list.n) {
			const struct break_point *p = &b->set.list.v[b->next];

			if (p->enabled && p->stop && breaks_evaluate(&b->set, b->next, b->at, &cost))
				a->now->stale = a->now->has_frame;
			b->next++;
			continue;
		}
		n = hit(a, &first);
		b->found = n > 0 ? b->at : b->found;
		if (n > 0 && --b->wanted == 0)
			arrive(a, n, first);
		else
			next_turn(a);
	}
}

bool app_break_busy(const struct app *a) { return a->breaks.running || fills(a); }

unsigned app_break_step(struct app *a, size_t budget)
{
	if (a->breaks.running)
		run(a, budget);
	else
		fill(a, budget);
	if (a->breaks.running || fills(a))
		return APP_DRAW_BARS;
	app_settle(a);
	return APP_DRAW;
}

void app_break_put_progress(const struct app *a, struct line *l)
{
	if (a->breaks.running)
		line_printf(l, STYLE_PLAIN, "running %s: turn %u of %u (any key stops)",
			    a->breaks.forward ? "on" : "back", (unsigned)a->breaks.at, (unsigned)turns_of(a));
}
