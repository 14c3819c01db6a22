/*
 * diff_words: the words a diff is told in, for the table and for the comment.
 *
 * All of it is ASCII of our own, but for diff_put_label, which is session text
 * and file names as they are: it has to be made safe.
 */
#ifndef REPLAY_REPORT_DIFF_WORDS_H
#define REPLAY_REPORT_DIFF_WORDS_H

#include "replay/report/diff_report.h"

/* "left", "right" */
const char *diff_side_name(enum diff_side side);
/* What a side is called: its policy, "K41"; of two files the name of the file, with the policies where they differ. */
void diff_put_label(struct buf *b, const struct diff_report *r, enum diff_side side);
/* The name of a file without its directories. */
struct str diff_file_name(const char *path);

/* "turn 10", "turn 10 left, 12 right", "call 3 after turn 9". */
void diff_put_place(struct buf *b, const struct diff *d, const struct diff_detail *t);
/* The turn of a step: "10", "10/12", "-/12"; "end" after the last one. */
void diff_put_step(struct buf *b, const struct diff *d, uint32_t step);
/* "2 rows are visible on the left only, 1 row is visible on the right only" */
void diff_put_sentence(struct buf *b, const struct diff_detail *t);
/* "12 of 45 turns differ, first at turn 10: row text", or that nothing does. */
void diff_put_verdict(struct buf *b, const struct diff *d);
/* "hide cannot matter: there is no compress call": of sides that are the same, for each switch in which they differ and
 * that nothing in the sessions asks for; nothing if there is none. */
void diff_put_why(struct buf *b, const struct diff *d);
/* "The model is sent something else in 5 turns, first at turn 10", of sides that differ. */
void diff_put_shown(struct buf *b, const struct diff *d);
/* "nudges 5 -> 2, tokens folded 4,100 -> 2,000 (raw estimate)": the effects that matter and changed; nothing if none.
 */
void diff_put_consequence(struct buf *b, const struct diff *d);
/* "tokens folded (raw estimate)"; two scales where the sides have two. */
void diff_put_effect_name(struct buf *b, const struct diff_effect *e);
/* "81,234", "?" */
void diff_put_value(struct buf *b, const struct diff_effect *e, double x);
/* "+12", "0", "other scales", "?" */
void diff_put_change(struct buf *b, const struct diff_effect *e);
/* "+3.5 %" of the left; nothing where that says nothing. */
void diff_put_relative(struct buf *b, const struct diff_effect *e);

/* Session text as code in Markdown (diff_markdown.c): made safe, one line, and it means nothing there. */
void diff_put_code(struct buf *b, const struct diff_report *r, struct str s);

#endif
