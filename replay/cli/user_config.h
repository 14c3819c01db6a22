/*
 * user_config: what the user sets once for all sessions: config.json in the
 * XDG configuration directory (`acpdbg help config`).
 *
 * It never stands in the way: what cannot be used is left out and told, with
 * file, line and byte, and options of the command line beat all of it. The
 * names of keys' actions and of styles belong to the terminal UI, which looks
 * at their lists itself and tells of what it does not know the same way.
 */
#ifndef REPLAY_CLI_USER_CONFIG_H
#define REPLAY_CLI_USER_CONFIG_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/base/text.h"
#include "engine/base/vec.h"
#include "replay/prices.h"

/* A member of `keys` or `colours`; one with several keys stands here several times. */
struct user_config_entry {
	struct str name, value;
	size_t at; /* byte of the value in the file */
};

struct user_config_entries {
	VEC(struct user_config_entry) list;
};

struct user_config {
	struct arena arena;
	const char *path;            /* NULL = there is no such file */
	struct str text;             /* of the file */
	const char *policy[3];       /* by enum user_config_host, as --policy has it; NULL = not set */
	const struct prices *prices; /* NULL = not set, or not to be read */
	const char *theme;           /* "auto", "dark", "light"; NULL = not set */
	bool ascii, no_mouse;
	struct user_config_entries keys, colours;
	VEC(const char *) problems; /* "line 3, byte 40: .."; each one sentence, safe to show */
};
enum user_config_host { USER_CONFIG_PI, USER_CONFIG_DSH, USER_CONFIG_OTHER };

/* Reads the file of the user, or none where there is none. */
void user_config_read(struct user_config *c);
/* The same of any file; for tests. */
void user_config_read_file(struct user_config *c, const char *path);
/* Adds a problem at a byte of the file. */
void user_config_tell(struct user_config *c, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The policy for a session of that host ("pi", "dsh", any other), or NULL. */
const char *user_config_policy(const struct user_config *c, struct str host);
void user_config_free(struct user_config *c);

/* Every member with what it is for; for `help config` and the manual. */
void user_config_put_help(struct buf *b);

#endif
