/*
 * rows: what rows.c (the list) and row_detail.c (one opened row) share.
 * Internal to the Rows view.
 */
#ifndef REPLAY_VIEW_ROWS_H
#define REPLAY_VIEW_ROWS_H

#include "replay/frame_blocks.h"
#include "replay/view/detail.h"

/*
 * Keys: messages have the same number at every position, summaries the key of
 * their block (frame_block_key), a fold of covered rows its first message.
 */
#define ROWS_KEY_BLOCK ((uint64_t)1 << 40)
#define ROWS_KEY_FOLD  ((uint64_t)2 << 40)
#define ROWS_KEY_MASK  (ROWS_KEY_BLOCK - 1)

uint64_t rows_key_of(struct state *s, const struct surface_row *row);

/* A line of the list: a row, or a run of rows that one block covers, folded. */
struct row_line {
	uint32_t row; /* first one, index into frame.rows */
	uint32_t n;   /* rows; 1 = not folded, 0 = the rule where the prefix breaks stands before it */
};
struct row_lines {
	struct row_line *v;
	size_t n;
};
const struct row_lines *rows_lines(const struct view_context *c);

/* Row of the list before which the prefix breaks, its length = behind the last; SIZE_MAX: it does not, or nobody knows.
 */
size_t rows_break(const struct view_context *c);
/* "~~ byte 1,234: compress, .. ~~~" */
void rows_put_break(const struct view_context *c, struct line *out);

/* The row of a message as the host's list has it, for lists of covered rows. */
struct frame_row rows_of_message(struct frame *f, uint32_t message);
/* Paints one row of a list. */
void rows_paint(const struct view_context *c, const struct frame_row *row, struct line *out);
/*
 * The start of a row's text without tag, from about `max` bytes of its source; *all tells that it is the whole. Only
 * that much is read.
 */
struct str rows_text(struct frame *f, const struct frame_row *row, size_t max, struct arena *a, bool *all);
/* "b7": the id of a block. */
struct str rows_block_id(const struct frame *f, uint32_t block);

/* Parts of a row's detail: where it is from, and its whole text. */
void row_put_source(struct frame *f, uint32_t message, struct detail *d);
void row_put_text(struct frame *f, const struct frame_row *row, struct detail *d);

size_t rows_detail_count(const struct view_context *c, uint64_t key);
void rows_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out);

#endif
