/*
 * editor: the user's editor on a file.
 *
 * VISUAL, else EDITOR, else vi; run by the shell, so that it may have
 * arguments. The terminal must have been given back (term_leave).
 */
#ifndef TUI_EDITOR_H
#define TUI_EDITOR_H

#include <stdbool.h>

/* True: it ran, and ended with exit code 0. */
bool editor_run(const char *path);

#endif
