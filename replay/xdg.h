/*
 * xdg: the program's own files, where the XDG base directories put them.
 *
 * What the user wrote lies in $XDG_CONFIG_HOME (else ~/.config), what the
 * program remembers in $XDG_STATE_HOME (else ~/.local/state), both below
 * `acpdbg`. Nothing is ever written beside a session. A relative value of one
 * of the variables counts as none, as the XDG specification wants it.
 */
#ifndef REPLAY_XDG_H
#define REPLAY_XDG_H

#include <stdbool.h>

#include "engine/base/buf.h"
#include "engine/base/error.h"

enum xdg_home { XDG_CONFIG, XDG_STATE };

/* Longest of these files that is read, in bytes: what is longer was not written by us. */
enum { XDG_BYTES_MAX = 1 << 20 };

/* The user's home directory, or NULL; lives until the next call. */
const char *xdg_user_home(void);
/* Appends the path of a file, `name` below acpdbg; false (and nothing is appended) when there is no home. */
bool xdg_path(enum xdg_home home, const char *name, struct buf *out);
/*
 * Appends what is in the file. STATUS_NO_INPUT: there is none; STATUS_IO: it cannot be read; STATUS_DATA: it is no
 * regular file, or too long.
 */
enum status xdg_read(const char *path, struct buf *out, struct error *e);
/*
 * Puts a file of these bytes in place of what is there, all of it or nothing: readable by the user alone, its
 * directories made where they are missing. STATUS_IO.
 */
enum status xdg_write(const char *path, struct str bytes, struct error *e);

#endif
