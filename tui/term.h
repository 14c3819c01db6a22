/*
 * term: the terminal; the only module that knows curses.
 *
 * One terminal at a time. Between term_start and term_stop the terminal is
 * ours: signals are caught, standard error is kept aside (what libraries wrote
 * is printed, escaped, by term_stop) and a crash restores the terminal before
 * the process dies of it. The caller has called setlocale(LC_CTYPE, "") and
 * leaves LC_NUMERIC at "C".
 */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include <stdbool.h>

#include "engine/base/error.h"
#include "tui/grid.h"
#include "tui/keys.h"
#include "tui/theme.h"

enum term_colour { TERM_COLOUR_AUTO, TERM_COLOUR_ALWAYS, TERM_COLOUR_NEVER };

struct term_options {
	enum term_colour colour; /* AUTO obeys NO_COLOR (set and not empty = no colours) */
	bool mouse;
};

struct term {
	int rows, cols;
	int colours; /* 0, 8 or 256: for theme_init */
	bool ascii;  /* the locale is not UTF-8 */
	int signal;  /* what ended it, after TERM_QUIT by a signal */
};

enum term_event {
	TERM_TIMEOUT,
	TERM_KEY,       /* *key is set */
	TERM_RESIZED,   /* rows and cols have changed: paint anew */
	TERM_RESUMED,   /* back after a suspension: paint anew (rows and cols may have changed) */
	TERM_INTERRUPT, /* SIGINT (^C) */
	TERM_QUIT,      /* SIGTERM or SIGHUP: save and leave */
	TERM_LOST       /* the terminal is gone: leave without painting */
};

/*
 * Takes the terminal: standard input and output where they are terminals, else
 * /dev/tty. STATUS_USAGE with a message when there is none or TERM cannot
 * position the cursor (unset, dumb, unknown): print a table instead.
 */
enum status term_start(struct term *t, const struct term_options *options, struct error *e);
/* Gives it back, prints what was written to standard error meanwhile. Safe to call twice. */
void term_stop(struct term *t);

/* Shows the grid; only what changed is sent. The grid should have the size of the terminal; the rest is blank. */
void term_show(struct term *t, const struct grid *g, const struct theme *theme);
/* The next term_show repaints every cell (^L). */
void term_repaint(struct term *t);
/* Waits for a key or an event, at most timeout_ms (0 = only look, -1 = no limit). Signals only arrive in here. */
enum term_event term_wait(struct term *t, int timeout_ms, struct key *key);

/* Asks the terminal to put bytes into its clipboard (clipboard.h). */
void term_copy(struct term *t, struct str bytes);

/* ^Z: stops the process group as the shell expects; returns when continued. Paint anew. */
void term_suspend(struct term *t);
/* Lends the terminal to another program ($EDITOR): leave, run it, return, paint anew. */
void term_leave(struct term *t);
void term_return(struct term *t);

#endif
