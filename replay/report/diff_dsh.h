/*
 * diff_dsh: what the instruction barrier of the DSH plugin changes (dsh.md 7,
 * 10; dsh-rulings 22), as a part of a diff's comment: which calls are refused,
 * at which rows and with which slices, which re-injections then never happen,
 * what they had cost. For two runs of one DSH log whose right side has the
 * barrier and whose left side has not.
 */
#ifndef REPLAY_REPORT_DIFF_DSH_H
#define REPLAY_REPORT_DIFF_DSH_H

#include "replay/report/diff_words.h"

/* Is there anything of the kind to say? */
bool diff_dsh_has(const struct diff *d);
void diff_dsh_markdown(const struct diff_report *r, struct buf *b);
/* The same as two or three lines of the table. */
void diff_dsh_text(const struct diff_report *r, struct buf *b);
/* As the member "barrier" of the JSON object, with a comma before it. */
void diff_dsh_json(const struct diff_report *r, struct buf *b);

#endif
