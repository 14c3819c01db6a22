/*
 * sent_dsh: what the DSH host sends at each turn (recording.md, turn: canon() of
 * the derived messages in surface order, joined by line feeds), against the
 * request before.
 *
 * A row's bytes never change and slots of the surface never move, so two
 * requests have in common what stands before the first slot that was touched
 * between them: a request costs what changed. Tokens are display tokens of the rows' texts (dsh.md 5.1).
 * The cause of the first difference is what took the node's place there: a
 * checkpoint (compress), a stub or a pruned result (prune), nothing known
 * (unknown).
 */
#ifndef REPLAY_SENT_DSH_H
#define REPLAY_SENT_DSH_H

#include "replay/sent.h"

/* The request of the turn `m` of a run of the DSH host; run->dsh.fold stands before it. */
struct sent sender_dsh_turn(struct sender *x, struct run *r, const struct moment *m, uint32_t model);
/* Appends the bytes of a row of the log: canon() of its derived message (dsh.md 2.3), nothing where it derives to none.
 */
void sent_dsh_row(const struct run *r, uint32_t row, struct buf *b);

#endif
