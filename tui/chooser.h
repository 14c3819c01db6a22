/*
 * chooser: a list to pick one thing from, on the whole screen or in a part of it
 * (recent sessions, branches of a session).
 *
 * Knows no terminal: keys in, an answer out, and chooser_draw paints onto a
 * grid. What is listed comes through `struct chooser_list`, which the caller
 * owns and keeps. Selection is by line; lines that cannot be chosen (headings)
 * are stepped over. "/" searches the lines as they are shown, whatever the case
 * of ASCII letters; n and N go on.
 */
#ifndef TUI_CHOOSER_H
#define TUI_CHOOSER_H

#include "tui/grid.h"
#include "tui/keys.h"

struct chooser_list {
	const char *title;
	size_t (*count)(void *ctx);
	/* Line i in out->limit columns. */
	void (*line)(void *ctx, size_t i, struct line *out);
	bool (*choosable)(void *ctx, size_t i); /* NULL: every line can be chosen */
	/* Captions of the columns, and a line about line i; either may be NULL. */
	void (*caption)(void *ctx, struct line *out);
	void (*about)(void *ctx, size_t i, struct line *out);
	const char *const *hints; /* key, words, .., NULL: instead of "<Enter> open"; or NULL */
	void *ctx;
};

enum { CHOOSER_WORDS_MAX = 80 }; /* bytes */

struct chooser {
	struct chooser_list list;
	bool typing;                   /* words to search for: keys go there */
	size_t from;                   /* the line selected before */
	char words[CHOOSER_WORDS_MAX]; /* as UTF-8; kept for n and N */
	size_t words_n;
	bool missed;    /* no line has them */
	size_t at, top; /* selected line, first line shown */
	int rows;       /* lines shown last */
	struct rect body;
};

enum chooser_answer { CHOOSER_STAY, CHOOSER_CHOSEN, CHOOSER_LEFT };

void chooser_init(struct chooser *c, struct chooser_list list);
/* CHOSEN: the line is c->at. */
enum chooser_answer chooser_key(struct chooser *c, struct key k);
/* Title, captions, lines, the line about the selected one, and the keys. */
void chooser_draw(struct chooser *c, struct grid *g, struct rect r);

#endif
