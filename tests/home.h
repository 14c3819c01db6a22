/*
 * home: a home directory on disk with sessions of several hosts, for tests of
 * `sessions` and what shows them.
 *
 * It lies in a directory of its own below the temporary one; home_close removes
 * it. The environment, the working directory (/w/p) and the time now are its
 * own, too; time is UTC. What goes wrong fails the running test.
 */
#ifndef TESTS_HOME_H
#define TESTS_HOME_H

#include "replay/sessions.h"

#define HOME_NOW INT64_C(1790000000) /* 2026-09-21 14:13:20 UTC */
enum { HOME_VARIABLES = 8 };

struct home {
	char path[64];
	const char *variables[HOME_VARIABLES][2]; /* name and value, to be set by the test */
	struct sessions_places places;            /* the known ones, in this home; may be changed */
	struct sessions sessions;                 /* after home_scan */
	struct arena arena;
};

/* h must stay where it is. */
void home_open(struct home *h);
void home_close(struct home *h);

/* "~/x" as a path in the home; others as they are. Lives as long as the home. */
const char *home_path(struct home *h, const char *path);
/* Makes the directories of a path: all that a slash follows. */
void home_directories(const char *path);
/* Writes a file, with its directories; it was changed `ago` seconds before HOME_NOW. Returns its path. */
const char *home_put(struct home *h, const char *path, struct str bytes, int64_t ago);
const char *home_put_text(struct home *h, const char *path, const char *text, int64_t ago);
/* The shortest session of a directory whose first user text is `text`. cwd, and the texts of the last two, are put into
 * JSON as they are. */
const char *home_put_pi(struct home *h, const char *path, const char *cwd, const char *text, int64_t ago);
void home_put_codex(struct home *h, const char *path, const char *cwd, const char *text, int64_t ago);
void home_put_claude(struct home *h, const char *path, const char *cwd, const char *text, int64_t ago);

/* Scans and sorts, again. */
void home_scan(struct home *h);

#endif
