/*
 * view_screens: what views show of small recordings, as data.
 *
 * A case has `records` (lines of a recording), an optional `profile` (else the
 * host's) and `policy` (switches on top of it), and `screens`, each with
 *   at      position
 *   view    name of a view, "strip" or "top"
 *   width   columns; ascii: true for the ASCII glyph set
 *   open    line (from 0, without the caption) that is unfolded
 *   lines   what must be printed; a `*` at either end of a line stands for
 *           anything, FILE for the recording's path
 *   head    only so many lines are compared
 * Bad case data fails the running test.
 */
#ifndef TESTS_VIEW_SCREENS_H
#define TESTS_VIEW_SCREENS_H

/* Every screen of every case of a file. */
void view_screens_file(const char *path);

#endif
