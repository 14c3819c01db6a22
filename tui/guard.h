/*
 * guard: the process side of holding a terminal (no curses in here).
 *
 * Between guard_on and guard_off the signals that concern a terminal only raise
 * flags and arrive only inside guard_let_in and a pselect with guard_wait_mask;
 * a crash writes the restore bytes and the modes back before the process dies
 * of it; standard error, where it is the terminal, is kept in a file. One
 * process has one guard. A child that is started meanwhile inherits the blocked
 * signals: reset its mask to guard_wait_mask.
 */
#ifndef TUI_GUARD_H
#define TUI_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

enum guard_flag {
	GUARD_QUIT,      /* SIGTERM, SIGHUP: guard_take gives the number, and gives it again */
	GUARD_INTERRUPT, /* SIGINT */
	GUARD_STOP,      /* SIGTSTP */
	GUARD_CONTINUE,  /* SIGCONT */
	GUARD_RESIZE,    /* SIGWINCH */
	GUARD_FLAGS
};

/* `in` and `out` are the terminal, `modes` what to set it back to. Call before curses starts. */
void guard_on(int in, int out, const struct termios *modes);
void guard_off(void);
/* What the crash handler writes; at most 256 bytes are kept. */
void guard_set_restore(const char *bytes, size_t n);

/* Lets pending signals raise their flags. */
void guard_let_in(void);
const sigset_t *guard_wait_mask(void);
/* The signal behind a flag, or 0; clears it (GUARD_QUIT stays). */
int guard_take(enum guard_flag flag);

/* While the terminal is lent to a child, signals arrive at once and SIGTSTP stops us. */
void guard_lend(void);
/* Clears all flags but GUARD_QUIT. */
void guard_unlend(void);

/* Standard error into a file, back again, and the file printed, escaped, to standard error. */
void guard_stderr_aside(void);
void guard_stderr_back(void);
void guard_stderr_print(bool ascii);

#endif
