/*
 * dsh: what the views of sessions of the DSH host share.
 *
 * The panes Rows, Ranges, Blocks and Request have a second list each for such a
 * run: that of the surface, its table, the ledger and the messages sent. rows.c,
 * ranges.c, blocks.c and request.c ask dsh_view_is and pass the question on;
 * Events is one list for all hosts. Internal to the views; reports use its words.
 */
#ifndef REPLAY_VIEW_DSH_H
#define REPLAY_VIEW_DSH_H

#include "replay/dsh_findings.h"
#include "replay/events.h"
#include "replay/frame_dsh.h"
#include "replay/view/detail.h"

/* Does the view show a run of the DSH host? */
static inline bool dsh_view_is(const struct view_context *c)
{
	return c->frame != NULL && c->frame->run != NULL && run_is_dsh(c->frame->run);
}
extern const struct view_ops dsh_rows_view, dsh_ranges_view, dsh_blocks_view, dsh_request_view;

/*
 * Keys of rows: a row with messages has that of its first message, as in other
 * sessions; the others, and what stands behind a gap, have their own.
 */
#define DSH_KEY_ROW    ((uint64_t)8 << 40)
#define DSH_KEY_BEYOND ((uint64_t)9 << 40)
#define DSH_KEY_MASK   (((uint64_t)1 << 40) - 1)
uint64_t dsh_row_key(const struct frame *f, uint32_t row);

/* Details. False: there is no such row. */
bool dsh_row_open(const struct view_context *c, uint64_t key, struct detail *d);
void dsh_range_open(const struct view_context *c, uint64_t key, struct detail *d);
void dsh_block_open(const struct view_context *c, uint64_t key, struct detail *d);
void dsh_request_open(const struct view_context *c, uint64_t key, struct detail *d);

/* Paints a row of the log as a line of a list: a node with its place, or any other (position DSH_NONE). */
void dsh_row_paint(const struct view_context *c, uint32_t row, uint32_t position, struct line *out);
/* The start of a row's text; lives in the arena or longer. */
struct str dsh_row_text(struct frame *f, uint32_t row, size_t max, struct arena *a, bool *all);
/* Lines for rows of the log, by seq, indented by nothing. */
void dsh_detail_rows(struct frame *f, const int64_t *seqs, size_t n, struct detail *d);

/* ---- words ---- */

/* "assistant", "asst": the type of a row (enum dsh_type), and its style. */
const char *dsh_role_word(uint8_t type, bool brief);
enum style dsh_role_style(uint8_t type);
/* "m00042", the ref of a row's first message, or "-". */
void dsh_ref_words(struct frame *f, uint32_t row, struct buf *b);
/* "a", "b", .. "z", "aa": the letter of a scope, by the order in which the log told them. */
void dsh_letter_words(const struct dsh_fold *f, uint32_t scope, struct buf *b);
/* "./AGENTS.md": directory and file of a scope. */
void dsh_scope_words(const struct dsh_log *log, uint32_t scope, struct buf *b);
/* "a ./AGENTS.md newest, b wt/AGENTS.md stale"; "no scope" for a row that carries none. */
void dsh_copies_words(const struct dsh_fold *f, uint32_t row, struct buf *b);
/* "3..9" */
void dsh_span_words(int64_t start, int64_t end, struct buf *b);
/* "3, 4, 9 and 12 more" */
void dsh_seqs_words(const int64_t *seqs, size_t n, struct buf *b);
/* "2..2 and 4..4"; "no part of it" */
void dsh_slices_words(const struct dsh_slice *slices, size_t n, struct buf *b);
/* "policy barrier = on (F1)" */
void dsh_switch_words(const struct run *r, enum policy_switch which, struct buf *b);
/* "too recent, tail" for stops of the table. */
void dsh_stops_words(const struct dsh_fold *f, unsigned stops, struct buf *b);

/* Last event that had happened at the frame's position, as a seq; -1 = none. */
int64_t dsh_seq_at(const struct run *r);
/* "43 compactions, 20 re-injected within 7" */
void dsh_loop_words(const struct run *r, struct buf *b);
/* A range of a compress call as it was answered, in one line. */
void dsh_asked_words(const struct run *r, const struct compress_outcome *o, const struct dsh_asked *a, struct buf *b);

/* "refused: guarded-instruction, current copy in it: seq 3; still compressible: 2..2", of a range the guard refuses,
 * or, when it is followed as recorded, would have refused. */
void dsh_guarded_words(const struct dsh_asked *a, bool followed, struct buf *b);
/* What the plugin answers to such a range, to the model and to the human alike (dsh.md 7.4). */
void dsh_note_words(const struct dsh_asked *a, struct buf *b);

/* A finding of ledger or meter in a sentence, with its numbers. */
void dsh_finding_words(const struct run *r, const struct dsh_found *found, struct buf *b);

/* ---- events of such a run ---- */

void dsh_event_words(const struct frame *f, const struct event *e, struct buf *b);
/* The row of the log that it is about; DSH_NONE where it is not about one. */
uint32_t dsh_event_row(const struct run *r, const struct event *e);
void dsh_event_open(struct frame *f, const struct event *e, struct detail *d);
/* The same of a compress call. */
void dsh_call_words(const struct frame *f, const struct event *e, struct buf *b);
void dsh_call_open(struct frame *f, const struct event *e, struct detail *d);

#endif
