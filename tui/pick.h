/* pick: recent sessions of the known hosts on the screen; the chosen one is opened. */
#ifndef TUI_PICK_H
#define TUI_PICK_H

#include "replay/cli/cli.h"

/* The hook `pick` of replay/cli; returns the exit code, or CLI_NO_SCREEN: print the list. */
int pick_open(const struct cli_request *request);

#endif
