/*
 * loop: the app on a terminal: keys from it, painting onto it, jobs between.
 *
 * While a job has work it is done in pieces of a few milliseconds, with a look
 * at the keyboard after each; the screen is painted at most some times a second
 * meanwhile. Otherwise the loop sleeps until a key or a signal comes.
 */
#ifndef TUI_LOOP_H
#define TUI_LOOP_H

#include "replay/cli/cli.h"
#include "tui/term.h"

/*
 * Takes the terminal as the request wants it (--color). CLI_FINE; CLI_NO_SCREEN
 * when it cannot show a screen (nothing was printed); else an exit code.
 */
int loop_start(const struct cli_request *request, struct term *term, struct theme *theme);

/*
 * The hook `open` of replay/cli: opens the file, shows it until the user quits;
 * returns the exit code. CLI_NO_SCREEN: the terminal cannot show a screen;
 * nothing was printed, a table should be.
 */
int loop_open(const struct cli_request *request);

#endif
