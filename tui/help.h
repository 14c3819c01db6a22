/*
 * help: the help of the focused pane and the keys, made from the action table
 * and the keymap; and the hints of the bottom line.
 *
 * A help is a list of lines, made for a width and owned by the struct.
 */
#ifndef TUI_HELP_H
#define TUI_HELP_H

#include "tui/actions.h"
#include "tui/panes.h"

struct help_line {
	size_t key_at, key_n;   /* bytes in `text`: key names, left */
	size_t text_at, text_n; /* words; at the left edge when there are no keys */
	bool heading;
};

/* Zero-initialise. */
struct help {
	struct buf text;
	VEC(struct help_line) lines;
	int key_columns; /* of the widest key names */
	size_t top, height;
};

/* Makes the lines anew; top goes to 0 when the pane is another one. `dsh`: the session is one of the DSH host. */
void help_make(struct help *h, const struct keymap *m, enum pane_id pane, int width, bool ascii, bool dsh);
void help_scroll(struct help *h, long by);
void help_draw(struct help *h, enum pane_id pane, struct grid *g, struct rect r);
void help_free(struct help *h);

/* The most useful keys, as many as fit: `. , turn  > < step  ..`; `closes`: there is something that q closes. */
void help_hints(const struct keymap *m, bool closes, struct line *out);

#endif
