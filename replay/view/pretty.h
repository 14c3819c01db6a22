/*
 * pretty: JSON and differences of texts, laid out to be read in a detail.
 *
 * JSON keeps every byte of its values and gets line breaks and blanks between
 * them; a string is broken after each of its escaped line feeds, which stay
 * visible. Nothing is escaped for a terminal here: lines pass view/text when
 * they are put.
 */
#ifndef REPLAY_VIEW_PRETTY_H
#define REPLAY_VIEW_PRETTY_H

#include "replay/view/detail.h"

/* Appends a value that was scanned JSON_OK, over several lines without a last line feed. Stops after about `max` bytes
 * of `json` and returns how many it took. */
size_t pretty_json(struct buf *b, struct str json, size_t max);

/*
 * Puts what differs between two texts, line by line: "-" only in `before`, "+" only in `now`, some lines around each
 * piece, and how many were left out. Texts must live as long as the detail. Where the texts differ in very many lines
 * all of one stand before all of the other. False, and nothing is put: they are the same.
 */
bool pretty_difference(struct detail *d, int indent, struct str before, struct str now);

#endif
