/*
 * theme: what each style looks like, as a table; knows nothing of curses.
 *
 * Colours are palette numbers (0-7, or 0-255 where the terminal has them), -1
 * is the terminal's default. Colour never carries meaning alone, so every style
 * is also tellable without colours where it matters (selection is reverse).
 */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/text.h"
#include "replay/view/line.h"
#include "tui/grid.h"

enum theme_attr { THEME_BOLD = 1, THEME_REVERSE = 2, THEME_UNDERLINE = 4, THEME_DIM = 8 };

struct look {
	int16_t fg, bg; /* -1 = default */
	uint8_t attrs;  /* enum theme_attr, or-ed */
};

struct theme {
	struct look looks[STYLE_COUNT];
	int colours;      /* 0 (none), 8 or 256 */
	int16_t selected; /* background of what is selected; -1 = it is reversed */
};

/* The built-in looks for a terminal with that many colours (below 8: attributes only). */
void theme_init(struct theme *t, int colours, bool light);
/* True when COLORFGBG (`15;0`, may be NULL) says that the background is light. */
bool theme_background_is_light(const char *colorfgbg);
/*
 * Reads a look as in the configuration: words `bold reverse underline dim`, a
 * colour (`red`, `bright-red`, `default`, 0-255) for the foreground, `on` and a
 * colour for the background. False when a word is not known. Colours the
 * terminal does not have become the default.
 */
bool theme_parse_look(const struct theme *t, struct str words, struct look *out);
/*
 * The look of a style with extra attributes (enum grid_attr) on it. REVERSE is
 * a bar of one look: colours, bold and dim of what it is on go, lest it be a
 * patchwork, unreadable on its background, and 200 bytes more to send. On a
 * reversed look it turns it back.
 */
struct look theme_look(const struct theme *t, uint8_t style, uint8_t grid_attrs);
/*
 * The look in which a cell is sent, `last` being that of the cell before it: a
 * blank of which only the background can be seen takes whatever look costs the least,
 * since every change of it is bytes on the line.
 */
struct look theme_cell_look(const struct theme *t, const struct grid *g, int row, int col, struct look last);

/* Appends the SGR sequence that switches to this look from any other. */
void theme_put_sgr(struct buf *out, struct look look);
/* 0xRRGGBB of a palette number 0-255, for pictures of the screen. */
uint32_t theme_rgb(int colour);

#endif
