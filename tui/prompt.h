/*
 * prompt: one line of text being typed at the bottom of the screen.
 *
 * A small line editor: arrows, Home, End, Backspace, Delete, ^U (all before the
 * cursor), ^W (the word before it), Up and Down through what was typed before.
 * It knows nothing of what the text means. Owns its text and its history.
 */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include <stdbool.h>

#include "tui/grid.h"
#include "tui/keys.h"

enum {
	PROMPT_BYTES_MAX = 2000, /* what is typed beyond is ignored */
	PROMPT_HISTORY_MAX = 50,
};

enum prompt_answer { PROMPT_GOES_ON, PROMPT_ENTERED, PROMPT_CANCELLED };

/* Zero-initialised = closed, no history. */
struct prompt {
	bool active;
	const char *lead; /* shown before the text: ":" */
	struct buf text;
	size_t cursor; /* byte of the text before which it stands */
	VEC(char *) history;
	size_t entered;  /* since the history was kept: counted for who keeps it */
	size_t recalled; /* history entry shown; history.n = what is being typed */
};

/* Opens with an empty text. */
void prompt_open(struct prompt *p, const char *lead);
/* Adds a text to the history, as if it had been entered; the oldest one goes when there are too many. */
void prompt_remember(struct prompt *p, struct str text);
/* Puts a text there, the cursor before its byte `at`. */
void prompt_set(struct prompt *p, struct str text, size_t at);
/* Enter keeps the text readable until the next prompt_open; Escape, and Backspace on an empty text, cancel. */
enum prompt_answer prompt_key(struct prompt *p, struct key k);
/* Into the first row of r, scrolled so that the cursor is in sight; places the cursor. */
void prompt_draw(const struct prompt *p, struct grid *g, struct rect r);
void prompt_free(struct prompt *p);

#endif
