#include "tui/loop.h"
#include "tui/editor.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "replay/cli/user_config.h"
#include "tui/app_parts.h"
#include "tui/clipboard.h"
#include "tui/term.h"

enum {
	STEP_BUDGET = 1 << 14, /* bytes, or visible rows: well below a piece's time */
	PIECE_MS = 6,          /* work between two looks at the keyboard */
	BUSY_FRAME_MS = 66,    /* between two paintings while a job runs */
	FOLLOW_MS = 400,       /* between two looks at a file that is followed */
	BUSY_ALL_MS = 1000,    /* between two that show the turns executed meanwhile */
};

struct loop {
	struct app app;
	struct term term;
	struct theme theme;
	struct grid grid;
	unsigned flags;                     /* enum app_flag, not yet obeyed */
	double begun, painted, painted_all; /* ms */
	bool over;
	int code;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void work(struct loop *l)
{
	double begin = now_ms();

	do
		l->flags |= app_job_step(&l->app, STEP_BUDGET);
	while (app_busy(&l->app) && now_ms() - begin < PIECE_MS);
	l->app.elapsed = (now_ms() - l->begun) / 1e3;
}

static void paint(struct loop *l)
{
	unsigned wanted = l->flags & (APP_DRAW | APP_DRAW_BARS | APP_REPAINT);

	if (!wanted)
		return;
	if (wanted & APP_REPAINT)
		term_repaint(&l->term);
	if (wanted & (APP_DRAW | APP_REPAINT) || now_ms() - l->painted_all >= BUSY_ALL_MS) {
		app_draw(&l->app, &l->grid);
		l->painted_all = now_ms();
	} else {
		app_draw_bars(&l->app, &l->grid);
	}
	term_show(&l->term, &l->grid, &l->theme);
	l->flags &= ~wanted;
	l->painted = now_ms();
}

static void take_event(struct loop *l, enum term_event event, struct key key)
{
	switch (event) {
	case TERM_TIMEOUT:
		break;
	case TERM_KEY:
		l->flags |= app_key(&l->app, key);
		break;
	case TERM_RESIZED:
	case TERM_RESUMED:
		l->flags |= app_resize(&l->app, l->term.rows, l->term.cols);
		break;
	case TERM_INTERRUPT:
		l->code = CLI_INTERRUPTED;
		l->over = true;
		break;
	case TERM_QUIT:
	case TERM_LOST:
		l->code = CLI_INTERNAL;
		l->over = true;
		break;
	}
}

/* By the user's command, or by the terminal, which never says whether it did. */
static void copy(struct loop *l)
{
	struct str bytes = buf_view(&l->app.copied);
	const char *command = clipboard_command();
	struct error e = {0};

	l->flags &= ~(unsigned)APP_COPY;
	if (command && clipboard_run(command, bytes, &e) != STATUS_OK)
		app_say(&l->app, STYLE_ERROR, "%s", e.message);
	else if (!command && bytes.n > CLIPBOARD_OSC_MAX)
		app_say(&l->app, STYLE_ERROR, "%zu bytes are too many for the terminal (%d): set ACPDBG_CLIPBOARD",
			bytes.n, (int)CLIPBOARD_OSC_MAX);
	else if (!command) {
		term_copy(&l->term, bytes);
		app_say(&l->app, STYLE_GOOD, "%s, by the terminal if it allows that", l->app.message.p);
	}
}

static void suspend(struct loop *l)
{
	l->flags &= ~(unsigned)APP_SUSPEND;
	term_suspend(&l->term);
	l->flags |= app_resize(&l->app, l->term.rows, l->term.cols);
}

static void edit(struct loop *l)
{
	l->flags &= ~(unsigned)APP_EDIT;
	term_leave(&l->term);
	bool ok = editor_run(l->app.what_if.path);
	term_return(&l->term);
	l->flags |= app_edited(&l->app, ok) | app_resize(&l->app, l->term.rows, l->term.cols);
}

/* Takes all that has come already, so that keys never pile up behind painting; false when there was nothing. */
static bool take_events(struct loop *l, int timeout_ms)
{
	struct key key = {0};
	bool any = false;
	enum term_event event;

	/* what is typed behind a q belongs to whoever has the terminal next */
	while (!l->over && !(l->flags & (APP_QUIT | APP_SUSPEND | APP_EDIT))) {
		event = term_wait(&l->term, any ? 0 : timeout_ms, &key);
		if (event == TERM_TIMEOUT)
			return any;
		any = true;
		take_event(l, event, key);
	}
	return any;
}

static void turn(struct loop *l)
{
	bool busy = app_busy(&l->app);
	bool asked = take_events(l, busy ? 0 : l->app.request->follow ? FOLLOW_MS : -1);

	if (l->flags & APP_QUIT)
		l->over = true;
	if (l->over)
		return;
	if (l->flags & APP_SUSPEND)
		suspend(l);
	if (l->flags & APP_EDIT)
		edit(l);
	if (l->flags & APP_COPY)
		copy(l);
	if (busy)
		work(l);
	else if (!asked)
		l->flags |= app_follow_look(&l->app);
	if (asked || !app_busy(&l->app) || now_ms() - l->painted >= BUSY_FRAME_MS)
		paint(l);
}

/* The exit code; a signal that ended us ends us now that the terminal is given back. */
static int leave(struct loop *l)
{
	int code = l->code, by = l->term.signal;

	if (l->app.now->phase == APP_FAILED)
		code = cli_error(l->app.status, &l->app.error);
	/* hits are counted all the time */
	app_memory_save(&l->app);
	app_free(&l->app);
	grid_free(&l->grid);
	if (by != 0) {
		signal(by, SIG_DFL);
		raise(by);
	}
	return code;
}

/* Terminals of which it is known before anything is read that they cannot show a screen. */
static bool is_dumb(const char *name)
{
	return !name || !*name || strcmp(name, "dumb") == 0 || strcmp(name, "unknown") == 0;
}

/* --color; false when it is none of the three words. */
static bool read_colour(const char *word, enum term_colour *out)
{
	static const char *const words[] = {
		[TERM_COLOUR_AUTO] = "auto", [TERM_COLOUR_ALWAYS] = "always", [TERM_COLOUR_NEVER] = "never"};

	for (*out = TERM_COLOUR_AUTO; word && *out <= TERM_COLOUR_NEVER; ++*out)
		if (strcmp(word, words[*out]) == 0)
			return true;
	return !word;
}

/* --theme; false when it is none of the three words. */
static bool read_theme(const char *word, bool *light)
{
	*light = word && strcmp(word, "light") == 0;
	if (!word || strcmp(word, "auto") == 0)
		*light = theme_background_is_light(getenv("COLORFGBG"));
	return !word || *light || strcmp(word, "auto") == 0 || strcmp(word, "dark") == 0;
}

int loop_start(const struct cli_request *request, struct term *term, struct theme *theme)
{
	struct term_options options = {.mouse = !(request->user && request->user->no_mouse)};
	const char *wish = request->theme ? request->theme : request->user ? request->user->theme : NULL;
	struct error e = {0};
	bool light;

	if (!read_colour(request->color, &options.colour)) {
		cli_say(NULL, 0, "--color takes auto, always or never");
		return CLI_USAGE;
	}
	if (!read_theme(wish, &light)) {
		cli_say(NULL, 0, "--theme takes auto, dark or light");
		return CLI_USAGE;
	}
	if (is_dumb(getenv("TERM")) || term_start(term, &options, &e) != STATUS_OK)
		return CLI_NO_SCREEN;
	theme_init(theme, term->colours, light);
	if (request->user)
		app_config_theme(request->user, theme);
	return CLI_FINE;
}

int loop_open(const struct cli_request *request)
{
	struct loop l = {.begun = now_ms()};
	struct error e = {0};
	enum status st = app_open(&l.app, request, cli_ascii(request), &e);
	int code;

	if (st != STATUS_OK)
		return cli_error(st, &e);
	code = loop_start(request, &l.term, &l.theme);
	if (code != CLI_FINE) {
		app_free(&l.app);
		return code;
	}
	l.app.remembers = true;
	app_layout_open(&l.app);
	app_history_open(&l.app);
	if (request->user)
		app_config_keys(&l.app, request->user);
	l.flags = app_resize(&l.app, l.term.rows, l.term.cols);
	paint(&l);
	while (!l.over)
		turn(&l);
	term_stop(&l.term);
	return leave(&l);
}
