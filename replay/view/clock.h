/*
 * clock: the times that a recording brings (Unix ms, shown as UTC), and how
 * long lay between two requests. No clock of ours is ever read.
 */
#ifndef REPLAY_VIEW_CLOCK_H
#define REPLAY_VIEW_CLOCK_H

#include "engine/base/buf.h"
#include "replay/run.h"

/* A provider's cache may have run out after so long without a request (pi.md 8.4). */
#define CLOCK_IDLE_MS 300000.0

/* Time of a turn's request, and since that of the turn before; NAN = not recorded (or time went back). */
double clock_turn(const struct run *r, uint32_t turn);
double clock_gap(const struct run *r, uint32_t turn);
/* The requests of this session have times. */
bool clock_known(const struct run *r);

/* "22:41:05"; "2025-12-08 22:41:05 UTC"; "-" when it is no time. */
void clock_put(struct buf *b, double ms);
void clock_put_full(struct buf *b, double ms);
/* "5s", "6m22s", "3h05m", "12d04h"; "6 min 22 s", "3 h 5 min", "12 d 4 h" in words. */
void clock_put_gap(struct buf *b, double ms);
void clock_put_gap_words(struct buf *b, double ms);

#endif
