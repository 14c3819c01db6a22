/*
 * cli: the command line of acpdbg (interface.md, Commands).
 *
 * cli_main reads the arguments against one table of options and one of
 * commands, runs the command and returns the exit code of the program. The
 * terminal UI lives a floor above and is reached through a hook.
 */
#ifndef REPLAY_CLI_CLI_H
#define REPLAY_CLI_CLI_H

#include "replay/run.h"

#define ACPDBG_VERSION "0.1.0"

/* interface.md, Commands. */
enum cli_exit {
	CLI_FINE = 0,
	CLI_FOUND = 1,
	CLI_USAGE = 64,
	CLI_DATA = 65,
	CLI_NO_INPUT = 66,
	CLI_INTERNAL = 70,
	CLI_SKIP = 125,
	CLI_INTERRUPTED = 130,
	CLI_NO_SCREEN = -1 /* of a hook, never of the program */
};

/* An option that may be given more than once. */
enum { CLI_LIST_MAX = 16 };
struct cli_list {
	const char *v[CLI_LIST_MAX];
	size_t n;
};

/* What the command line asked for. Texts are the program's arguments; NULL = not given. */
struct user_config;

struct cli_request {
	const char *file; /* "-" = standard input; NULL = none was named: recent sessions to pick from */
	const char *profile, *policy, *config, *from, *branch;
	const char *state;  /* --state: the host's stored state, to compare with */
	const char *log;    /* --log: the adapter's log, likewise */
	const char *prices; /* --prices (replay/prices.h) */
	const char *output; /* --output: format of a report */
	const char *to;     /* -o: file to write */
	const char *turn;   /* --turn, +N: a position (replay/position.h) */
	const char *pane;
	const char *turns;       /* --turns: of a session to write (replay/slice.h) */
	const char *keys, *size; /* of `screen` */
	const char *ref;         /* --ref: a ref or block id to look for (replay/where.h) */
	const char *grep;        /* --grep: of --pane only the lines with this pattern (replay/search.h) */
	const char *requests;    /* --requests: directory of recorded requests, to compare with */
	const char *summarizer;
	const char *left, *right; /* policies of the sides of a diff .. */
	const char *side;         /* .. and that of the side being prepared */
	const char *color;        /* --color: "auto", "always", "never" */
	const char *theme;        /* --theme: "auto", "dark", "light" */
	struct cli_list asserts;  /* --assert: conditions (replay/expr.h) */
	double drop_call;         /* --drop-call: number of a compress call, 1-based; 0 = none */
	double limit;             /* --limit, tokens; NAN = not given */
	double width;             /* --width, columns; 0 = not given */
	struct user_config *user; /* what the user set for all sessions, or NULL */
	bool follow;              /* -f: the file is still being written */
	bool ascii, json, hash, changes, each, end, request;
};

/* What `screen` wants to see. */
struct cli_screen {
	const char *keys; /* a key script (tui/keys.h) */
	int columns, rows;
	const char *format; /* "text", "ansi", "svg" */
};

/* A key of the screen, for the manual. */
struct cli_key {
	const char *group, *keys, *name, *argument, *help, *headless; /* argument NULL = none */
};

struct cli_hooks {
	/* Opens the terminal UI on request->file; returns the exit code, or CLI_NO_SCREEN (TERM=dumb): print a table.
	 */
	int (*open)(const struct cli_request *request);
	/*
	 * No file was named: the terminal UI with recent sessions to pick from (replay/sessions.h, view/picker.h);
	 * returns as `open` does. NULL = not built, the list is printed.
	 */
	int (*pick)(const struct cli_request *request);
	/* Key number i; false behind the last. */
	bool (*key)(size_t i, struct cli_key *out);
	/* Appends the screen after these keys; the exit code, a fault was said on standard error. */
	int (*screen)(const struct cli_request *request, const struct cli_screen *wish, struct buf *out);
};

/* `hooks` may be NULL: there is no terminal UI then, and `open` prints the table. */
int cli_main(int argc, char **argv, const struct cli_hooks *hooks);

/* ---- for the commands and the terminal UI ---- */

/* Policy of a request for a recording: the host's profile, --profile, --policy, then `side`. STATUS_USAGE. */
enum status cli_policy(const struct cli_request *q, const struct recording *rec, struct policy *p, struct error *e);
/* --limit, --config and --prices; what is in the files lives in `a`. STATUS_NO_INPUT, STATUS_DATA. */
enum status cli_run_options(const struct cli_request *q, struct arena *a, struct run_options *o, struct error *e);
/* Prints "acpdbg: FILE:LINE: message" on standard error, safe to show, and returns the exit code of the status. */
int cli_error(enum status st, const struct error *e);
/* The same for a message of our own; file may be NULL, line 0. */
void cli_say(const char *file, uint64_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Whether non-ASCII glyphs must be avoided: --ascii, or a locale without UTF-8. */
bool cli_ascii(const struct cli_request *q);

#endif
