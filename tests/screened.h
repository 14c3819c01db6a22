/*
 * screened: a screen without a terminal, for tests: opened, pressed, looked at.
 * What goes wrong fails the running test.
 */
#ifndef TESTS_SCREENED_H
#define TESTS_SCREENED_H

#include "tui/app_parts.h"
#include "tui/screen_script.h"

struct screened {
	struct cli_request request;
	struct screen_script script;
};

/* A session, all of its jobs done; s must stay where it is. */
void screened_open(struct screened *s, const char *file, int rows, int cols);
/* The same as the program does it: with what was kept in the state directory. */
void screened_open_remembering(struct screened *s, const char *file, int rows, int cols);
void screened_close(struct screened *s);
/* A key script (tui/keys.h). */
void screened_press(struct screened *s, const char *keys);
/* A key a character, blanks too. */
void screened_type(struct screened *s, struct str text);
bool screened_has(struct screened *s, const char *text);
/* Fails with the whole screen where it has not. */
void screened_expect(struct screened *s, const char *text);
static inline uint32_t screened_turn(const struct screened *s) { return s->script.app.now->frame.at.turn; }

/* Appends a file's bytes. */
void screened_read_file(const char *path, struct buf *b);

/* A directory of the test's own, and state kept there; removed by the second. */
int screened_set_up_home(void **state);
int screened_tear_down_home(void **state);
extern char screened_home[64];

#endif
