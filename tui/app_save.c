/* s: the screen as a file, as text, ANSI or SVG; or some turns as a recording; by the name. */
#include <errno.h>
#include <stdio.h>

#include "replay/slice.h"
#include "replay/view/text.h"
#include "tui/app_parts.h"
#include "tui/picture.h"
#include "tui/saving.h"

enum { PICTURE_COLOURS = 256 };

static void put_text(const struct grid *g, struct buf *out) { grid_text(g, out); }

static void put_ansi(const struct grid *g, struct buf *out)
{
	struct theme theme;

	theme_init(&theme, PICTURE_COLOURS, false);
	picture_ansi(g, &theme, out);
}

static void put_svg(const struct grid *g, struct buf *out)
{
	struct theme theme;

	theme_init(&theme, PICTURE_COLOURS, false);
	picture_svg(g, &theme, false, out);
}

static const struct {
	const char *ending, *what;
	void (*put)(const struct grid *g, struct buf *out);
} formats[] = {{".txt", "text", put_text}, {".ans", "ANSI", put_ansi}, {".svg", "SVG", put_svg}};
enum { FORMATS = sizeof formats / sizeof *formats };

static size_t format_of(struct str name)
{
	size_t i = 0;

	while (i < FORMATS && !str_ends(name, str_of(formats[i].ending)))
		i++;
	return i;
}

#define RECORDING ".acps.jsonl"

static bool is_recording(struct str name) { return str_ends(name, STR(RECORDING)); }

static void say_saved(struct app *a, const struct saving *s, const char *what, struct str name)
{
	struct buf safe = {0};

	text_put_safe(&safe, name, a->ascii);
	if (s->code == 0)
		app_say(a, STYLE_GOOD, "saved as %s: %s, %zu bytes", what, safe.p, s->bytes);
	else if (s->code == EEXIST)
		app_say(a, STYLE_ERROR, "%s is there already: nothing is overwritten", safe.p);
	else
		app_say(a, STYLE_ERROR, "%s cannot be written: %s", safe.p, strerror(s->code));
	buf_free(&safe);
}

void app_save_picture(struct app *a, struct str name, struct buf *out)
{
	struct grid g = {0};
	size_t format = format_of(name);

	app_draw(a, &g);
	formats[format < FORMATS ? format : 0].put(&g, out);
	grid_free(&g);
}

/* `A..B FILE`: takes the turns off, which are absent when there are none. */
static struct str take_turns(struct str *name)
{
	size_t blank = str_find(*name, STR(" "), 0), dots = str_find(*name, STR(".."), 0);
	struct str turns = {0};

	if (blank != SIZE_MAX && dots < blank) {
		turns = str_cut(*name, 0, blank);
		*name = text_trim(str_cut(*name, blank, name->n));
	}
	return turns;
}

static bool is_wrong(struct app *a, struct str text, struct expr_fault *fault)
{
	struct str name = text_trim(text), turns = take_turns(&name);
	struct slice s;
	struct error e = {0};

	if (turns.p && is_recording(name) && slice_parse(&a->now->run, turns, &s, &e) != STATUS_OK)
		snprintf(fault->message, sizeof fault->message, "%s", e.message);
	else if (is_recording(name) || (!turns.p && format_of(name) < FORMATS))
		return false;
	else
		snprintf(fault->message, sizeof fault->message,
			 "the name ends with .txt, .ans (colours) or .svg; with %s it is turns, A..B FILE", RECORDING);
	fault->at = turns.p ? 0 : text.n;
	return true;
}

static void save_slice(struct app *a, struct str turns, struct str name, const char *path)
{
	struct slice s = {.first = 1, .last = a->now->frame.at.turn};
	struct saving out;
	struct error e = {0};
	char what[80];

	if (turns.p)
		slice_parse(&a->now->run, turns, &s, &e);
	if (s.last == 0) {
		app_say(a, STYLE_ERROR, "there is no turn up to here");
		return;
	}
	saving_begin(&out, path);
	if (out.code == 0) {
		slice_make(&a->now->run, &s);
		a->now->stale = a->now->has_frame;
		if (recording_write_edited(a->now->recording, &s.edit, (struct recording_writer){saving_put, &out},
					   &e) != STATUS_OK)
			saving_fail(&out, EIO);
	}
	saving_end(&out, path);
	snprintf(what, sizeof what, "turns %u to %u%s", (unsigned)s.first, (unsigned)s.last,
		 s.first > 1 && s.keeps_before ? ", with those before" : "");
	say_saved(a, &out, what, name);
	slice_free(&s);
}

static void save_screen(struct app *a, struct str name, const char *path)
{
	struct buf bytes = {0};
	struct saving out;

	app_save_picture(a, name, &bytes);
	saving_begin(&out, path);
	if (out.code == 0)
		saving_put(&out, bytes.p, bytes.n);
	saving_end(&out, path);
	say_saved(a, &out, formats[format_of(name)].what, name);
	buf_free(&bytes);
}

static unsigned save(struct app *a, struct str text)
{
	struct str name = text_trim(text), turns = take_turns(&name);
	struct buf path = {0};

	buf_str(&path, name);
	if (!a->now->has_frame)
		app_say(a, STYLE_WARNING, "nothing is loaded yet");
	else if (is_recording(name))
		save_slice(a, turns, name, path.p);
	else
		save_screen(a, name, path.p);
	buf_free(&path);
	return APP_DRAW;
}

void app_save(struct app *a)
{
	static const struct app_question question = {.lead = "save as ", .wrong = is_wrong, .answer = save};
	struct expr_fault fault = {0};

	if (a->argument.n > 0 && !is_wrong(a, a->argument, &fault))
		save(a, a->argument);
	else
		app_ask(a, &question, a->argument.n > 0 ? a->argument : STR("screen.svg"));
}
