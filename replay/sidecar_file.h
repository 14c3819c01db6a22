/*
 * sidecar_file: one file with a stored state in it, and what the header of a
 * session file says about its parent. Internal to sidecar*.c.
 */
#ifndef REPLAY_SIDECAR_FILE_H
#define REPLAY_SIDECAR_FILE_H

#include "replay/sidecar.h"

/* What the first line of a session file says; texts lie in the arena, absent = not said. */
struct session_header {
	struct str id, parent;
};

/* A regular file? Nothing else is opened on the word of a session file: a pipe would wait, a device would act. */
bool sidecar_is_file(const char *path);
/*
 * Reads a file and the state in it into out, all but source and parents; path and config belong to s. STATUS_NO_INPUT,
 * STATUS_IO and STATUS_DATA name file, line and byte; then there is nothing to free.
 */
enum status sidecar_read(struct sidecar *s, struct recording *r, const char *path, struct sidecar_file *out,
			 struct error *e);
/* The header of a session file; empty when it has none. */
struct session_header session_header_read(const char *path, struct arena *a);

#endif
