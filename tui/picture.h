/*
 * picture: a screen as a file: text with its colours (ANSI), or an SVG.
 *
 * Both are made from the grid and a theme alone, so they hold nothing but what
 * the screen shows: whatever is in a cell has been made safe before.
 */
#ifndef TUI_PICTURE_H
#define TUI_PICTURE_H

#include "tui/grid.h"
#include "tui/theme.h"

/* Text with SGR sequences; every line ends without any look in force. */
void picture_ansi(const struct grid *g, const struct theme *t, struct buf *out);
/* An SVG of its own: every run of cells has its place, so that no font moves the columns. The theme wants 256 colours.
 */
void picture_svg(const struct grid *g, const struct theme *t, bool light, struct buf *out);

#endif
