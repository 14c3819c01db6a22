/*
 * clipboard: bytes for the clipboard, by a command of the user's or by the terminal.
 *
 * ACPDBG_CLIPBOARD names a command that takes them on its standard input
 * (`wl-copy`, `xclip -sel c`, `tmux load-buffer -`). Without it the terminal is
 * asked (OSC 52), which works over ssh, too; what terminals take that way is
 * limited. Either way the bytes never reach the screen: they go through a pipe,
 * or as base64.
 */
#ifndef TUI_CLIPBOARD_H
#define TUI_CLIPBOARD_H

#include "engine/base/buf.h"
#include "engine/base/error.h"

/* The most that is sent by OSC 52, in bytes: what the strictest of the common terminals take. */
enum { CLIPBOARD_OSC_MAX = 74994 };

/* The screen waits for the command; one that takes longer is ended. */
enum { CLIPBOARD_SECONDS = 3 };

/* The command, or NULL. */
const char *clipboard_command(void);
/* Runs the command. STATUS_IO: it did not start, failed, or took too long. */
enum status clipboard_run(const char *command, struct str bytes, struct error *e);
/* Appends the sequence that asks the terminal. */
void clipboard_put_osc(struct buf *out, struct str bytes);

#endif
