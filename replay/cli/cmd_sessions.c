/* acpdbg without a file, acpdbg last, acpdbg open: which session, and where it is shown. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "replay/cli/run_commands.h"
#include "replay/view/picker.h"

enum { LISTED_ON_TERMINAL = 40 }; /* sessions; a pipe or file gets all of them */

static void scan(struct sessions *s, struct arena *a)
{
	struct sessions_places places = sessions_places_here(a);
	sessions_scan(s, &places);
	sessions_sort(s);
}

/* The list that the picker shows, as text. */
static int print_sessions(struct cli *c)
{
	struct sessions sessions;
	struct picker picker;
	struct arena arena = {0};
	struct winsize size;
	bool terminal = isatty(STDOUT_FILENO) != 0;
	int width = terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
	scan(&sessions, &arena);
	picker_init(&picker, &sessions, (int64_t)time(NULL), terminal ? LISTED_ON_TERMINAL : 0);
	picker_print(&picker, width, cli_ascii(&c->request), &c->out.buf);
	picker_free(&picker);
	sessions_free(&sessions);
	arena_free(&arena);
	return CLI_FINE;
}

static int pick_session(struct cli *c)
{
	int code = CLI_NO_SCREEN;
	if (cli_has_screen() && c->hooks != NULL && c->hooks->pick != NULL)
		code = c->hooks->pick(&c->request);
	return code == CLI_NO_SCREEN ? print_sessions(c) : code;
}

/* The session comes through a pipe, but there is a terminal to show it on. */
static bool has_screen_beside_pipe(const char *file)
{
	int tty = strcmp(file, "-") == 0 && isatty(STDOUT_FILENO) ? open("/dev/tty", O_RDWR) : -1;
	if (tty < 0)
		return false;
	close(tty);
	return true;
}

int cmd_open(struct cli *c)
{
	int code = CLI_NO_SCREEN;
	if (c->request.file == NULL)
		return pick_session(c);
	if (c->hooks != NULL && c->hooks->open != NULL && (cli_has_screen() || has_screen_beside_pipe(c->request.file)))
		code = c->hooks->open(&c->request);
	if (code != CLI_NO_SCREEN)
		return code;
	c->request.turn = NULL; /* where to start on the screen; the table has all turns */
	return cmd_replay(c);
}

int cmd_last(struct cli *c)
{
	struct sessions sessions;
	struct arena arena = {0};
	size_t passed = 0;
	scan(&sessions, &arena);
	size_t newest = sessions_newest(&sessions, &passed);
	int code;
	if (newest == SIZE_MAX) {
		cli_say(NULL, 0, "%s; acpdbg without arguments says where was looked",
			sessions.list.n > 0 ? "no session of the known hosts can be read" : "no session found");
		code = CLI_NO_INPUT;
	} else {
		c->request.file = sessions.list.v[newest].path;
		if (passed > 0)
			cli_say(c->request.file, 0, "opened; %zu newer %s cannot be read", passed,
				passed == 1 ? "session" : "sessions");
		code = cmd_open(c);
	}
	sessions_free(&sessions);
	arena_free(&arena);
	return code;
}
