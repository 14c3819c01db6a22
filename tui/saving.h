/*
 * saving: a file that the user has asked for, written anew.
 *
 * Nothing that is there is overwritten, the session least of all, and what is
 * not complete does not stay. The descriptor belongs to `struct saving` until
 * saving_end; failures are kept in it, so that only the end need be looked at.
 */
#ifndef TUI_SAVING_H
#define TUI_SAVING_H

#include <stdbool.h>
#include <stddef.h>

struct saving {
	int fd, code; /* -1 = not open; errno of what failed first, 0 = fine */
	size_t bytes; /* that were put */
};

/* Makes the file; code is EEXIST when there is one. */
void saving_begin(struct saving *s, const char *path);
/* The same of one whose name mkstemp makes of path, which ends with XXXXXX: readable by the user alone. */
void saving_begin_temporary(struct saving *s, char *path);
/* Writes bytes; `ctx` is the struct saving, as struct recording_writer has it. */
void saving_put(void *ctx, const char *bytes, size_t n);
/* Something else went wrong, of this errno; the first failure is the one that is kept. */
void saving_fail(struct saving *s, int code);
/* Closes the file; false: it is not complete, and removed (code says why). */
bool saving_end(struct saving *s, const char *path);

#endif
