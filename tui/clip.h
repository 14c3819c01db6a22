/* clip: the escape sequence (OSC 52) that asks a terminal to put text into the clipboard. */
#ifndef TUI_CLIP_H
#define TUI_CLIP_H

#include <stdbool.h>

#include "engine/base/buf.h"
#include "engine/base/text.h"

enum { CLIP_MAX = 74994 }; /* bytes whose sequence has 100,000 bytes, the limit of common terminals */

/* Appends the sequence; false, and nothing appended, when the text is longer than CLIP_MAX. */
bool clip_put(struct buf *out, struct str s);

#endif
