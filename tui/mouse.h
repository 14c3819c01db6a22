/*
 * mouse: reports of the mouse in SGR form (ESC [ < button ; column ; row M),
 * read here and not by curses: its reader waits for the end of a report in the
 * middle of everything and trusts its length.
 */
#ifndef TUI_MOUSE_H
#define TUI_MOUSE_H

#include "tui/keys.h"

/* What a terminal is told to begin and to stop reporting buttons and the wheel. */
#define MOUSE_ON  "\033[?1000h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1000l"

/* The key of a whole report, `text` being what stands between ESC and its end, the end included; KEYS_NONE for a
 * release or what is no report. */
struct key mouse_read(struct str text);

#endif
