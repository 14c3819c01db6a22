/* Marks of the user (m, '), the list of them, and the list of jumps (^O, ^N). */
#include "engine/base/json.h"
#include "replay/view/text.h"
#include "replay/view/words.h"
#include "tui/app_parts.h"

enum { JUMPS_MAX = 100, JUMP_TURNS = 2 };

/* ---- jumps ---- */

/* It may be of another branch. */
static bool is_there(const struct app *a, struct position p)
{
	return a->now->has_run && p.turn <= a->now->run.timeline.turns.n;
}

void app_jump_remember(struct app *a, struct position from, struct position to)
{
	struct app_jumps *j = &a->jumps;
	uint32_t distance = from.turn > to.turn ? from.turn - to.turn : to.turn - from.turn;

	if (distance < JUMP_TURNS)
		return;
	j->from = from;
	j->has_from = true;
	if (j->travelling)
		return;
	/* what lies ahead in the list is another way now */
	j->list.n = j->at;
	if (j->list.n == JUMPS_MAX)
		memmove(j->list.v, j->list.v + 1, --j->list.n * sizeof *j->list.v);
	vec_push(&j->list, from);
	j->at = j->list.n;
}

void app_jump(struct app *a, bool back, uint32_t count)
{
	struct app_jumps *j = &a->jumps;

	if (!a->now->has_frame)
		return;
	for (count = count > 0 ? count : 1; count > 0; count--) {
		struct position here = a->now->frame.at;

		if (back ? j->at == 0 : j->at + 1 >= j->list.n) {
			app_say(a, STYLE_DIM, back ? "no earlier jump" : "no later jump");
			return;
		}
		/* where the first step back begins is the end of the way forward */
		if (back && j->at == j->list.n) {
			vec_push(&j->list, here);
			j->at = j->list.n - 1;
		}
		j->at += back ? (size_t)-1 : 1;
		j->travelling = true;
		if (is_there(a, j->list.v[j->at]))
			app_go(a, j->list.v[j->at]);
		j->travelling = false;
	}
}

/* Where the last jump began. That is a jump, too: the next one comes back. */
static void go_back(struct app *a)
{
	if (!a->jumps.has_from)
		app_say(a, STYLE_DIM, "no earlier jump");
	else
		app_go(a, a->jumps.from);
}

/* ---- marks ---- */

/* Marks are kept as texts: which positions there are depends on the branch and on the turns that are executed. */
static bool position_of(const struct app *a, const struct app_mark *m, struct position *out, struct error *e)
{
	return a->now->has_run && position_parse(&a->now->run, str_of(m->at), out, e) == STATUS_OK;
}

static void take_text(struct app_mark *m, struct str text)
{
	size_t n = text.n < sizeof m->at ? text.n : sizeof m->at - 1;

	memcpy(m->at, text.p, n);
	m->at[n] = '\0';
}

static bool is_letter(uint32_t code) { return code >= 'a' && code <= 'z'; }

static struct app_mark *find(struct app *a, char letter)
{
	for (size_t i = 0; i < a->marks.n; i++)
		if (a->marks.v[i].letter == letter)
			return &a->marks.v[i];
	return NULL;
}

static int by_letter(const void *a, const void *b)
{
	return ((const struct app_mark *)a)->letter - ((const struct app_mark *)b)->letter;
}

static void set(struct app *a, char letter)
{
	struct app_mark *m = find(a, letter);
	struct buf at = {0};

	if (!m) {
		vec_push(&a->marks, (struct app_mark){.letter = letter});
		m = &a->marks.v[a->marks.n - 1];
	}
	position_print(a->now->frame.at, &at);
	take_text(m, buf_view(&at));
	qsort(a->marks.v, a->marks.n, sizeof *a->marks.v, by_letter);
	app_say(a, STYLE_DIM, "mark %c: turn %s", letter, at.p);
	buf_free(&at);
	app_memory_save(a);
}

static void go(struct app *a, char letter)
{
	const struct app_mark *m = find(a, letter);
	struct position at;
	struct error e = {0};

	if (!m)
		app_say(a, STYLE_WARNING, "there is no mark %c", letter);
	else if (!position_of(a, m, &at, &e))
		app_say(a, STYLE_WARNING, "mark %c: %s", letter, e.message);
	else
		app_go(a, at);
}

static void take_letter(struct app *a, enum action action, uint32_t code)
{
	if (!a->now->has_frame)
		app_say(a, STYLE_WARNING, "nothing is loaded yet");
	else if (action == ACTION_GO_MARK && code == '\'')
		go_back(a);
	else if (!is_letter(code))
		app_say(a, STYLE_WARNING, "marks are a to z");
	else if (action == ACTION_MARK)
		set(a, (char)code);
	else
		go(a, (char)code);
}

void app_mark_key(struct app *a, struct key k)
{
	a->awaiting = false;
	if (k.code != KEYS_ESCAPE)
		take_letter(a, a->awaited, k.code);
}

void app_mark(struct app *a, enum action action)
{
	if (a->argument.n > 0) {
		take_letter(a, action, a->argument.n == 1 ? (unsigned char)a->argument.p[0] : 0);
		return;
	}
	a->awaiting = true;
	a->awaited = action;
	app_say(a, STYLE_PLAIN,
		action == ACTION_MARK ? "mark this position: a letter a to z"
				      : "go to: the letter of a mark, or ' where you jumped from");
}

/* ---- the list ---- */

static size_t count(void *ctx) { return ((const struct app *)ctx)->marks.n; }

static void put_line(void *ctx, size_t i, struct line *out)
{
	const struct app *a = ctx;
	const struct app_mark *m = &a->marks.v[i];
	const struct moment *turn;
	struct position at;
	struct error e = {0};
	struct buf b = {0};
	bool there = position_of(a, m, &at, &e);

	line_printf(out, STYLE_MARK, "%c  ", m->letter);
	line_put_clipped(out, STYLE_REF, str_of(m->at), 24, ALIGN_LEFT);
	if (there && at.turn > 0) {
		turn = &a->now->run.timeline.turns.v[at.turn - 1];
		buf_printf(&b, "%c", words_count_mark((enum count_scale)turn->counted));
		words_short(&b, turn->tokens);
		line_put_clipped(out, STYLE_NUMBER, buf_view(&b), 10, ALIGN_RIGHT);
		line_printf(out, STYLE_PLAIN, "  %u rows", (unsigned)turn->surface);
		if (turn->nudge_tier > 0)
			line_printf(out, STYLE_WARNING, "  nudge T%d", (int)turn->nudge_tier);
	} else if (!there) {
		line_puts(out, STYLE_WARNING, e.message);
	}
	buf_free(&b);
}

static void put_caption(void *ctx, struct line *out)
{
	if (((const struct app *)ctx)->marks.n == 0)
		line_puts(out, STYLE_HEADING, "None yet: m and a letter marks the position you are at.");
	else
		line_printf(out, STYLE_HEADING, "   %-24s%10s  %s", "position", "tokens", "what it is");
}

static unsigned chosen(struct app *a)
{
	go(a, a->marks.v[a->chooser.at].letter);
	return APP_DRAW;
}

static bool list_key(struct app *a, struct key k)
{
	size_t i = a->chooser.at;

	if ((k.code != 'x' && k.code != KEYS_DELETE) || i >= a->marks.n)
		return false;
	memmove(a->marks.v + i, a->marks.v + i + 1, (--a->marks.n - i) * sizeof *a->marks.v);
	a->chooser.at = i < a->marks.n ? i : i > 0 ? i - 1 : 0;
	app_memory_save(a);
	return true;
}

void app_mark_list(struct app *a)
{
	static const struct app_list list = {.chosen = chosen, .key = list_key};
	static const char *const hints[] = {"<Enter>", "go there", "x", "delete", NULL};

	app_list_open(a, &list,
		      (struct chooser_list){.title = "Marks",
					    .count = count,
					    .line = put_line,
					    .caption = put_caption,
					    .hints = hints,
					    .ctx = a});
}

/* ---- stored ---- */

void app_mark_put_json(const struct app *a, struct buf *out)
{
	buf_char(out, '{');
	for (size_t i = 0; i < a->marks.n; i++) {
		buf_printf(out, "%s\"%c\":", i > 0 ? "," : "", a->marks.v[i].letter);
		json_put_str(out, str_of(a->marks.v[i].at));
	}
	buf_char(out, '}');
}

void app_mark_take_json(struct app *a, struct str json)
{
	struct arena arena = {0};
	const cJSON *tree = json.n > 0 ? json_tree(&arena, json, NULL, NULL) : NULL;

	for (const cJSON *m = cJSON_IsObject(tree) ? tree->child : NULL; m; m = m->next) {
		struct app_mark mark = {.letter = m->string ? m->string[0] : '\0'};

		if (!is_letter((unsigned char)mark.letter) || m->string[1] != '\0' || json_str(m).n == 0)
			continue;
		take_text(&mark, json_str(m));
		vec_push(&a->marks, mark);
	}
	arena_free(&arena);
}

/* ---- the strip ---- */

void app_mark_letters(struct app *a)
{
	a->letters.n = 0;
	for (size_t i = 0; i < a->marks.n; i++) {
		struct position at;

		if (position_of(a, &a->marks.v[i], &at, NULL) && at.turn > 0)
			vec_push(&a->letters, (struct view_mark){.turn = at.turn, .letter = a->marks.v[i].letter});
	}
}
