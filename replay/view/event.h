/*
 * event: what events.c (the list) and event_detail.c (one opened event) share.
 * Internal to the Events view.
 */
#ifndef REPLAY_VIEW_EVENT_H
#define REPLAY_VIEW_EVENT_H

#include "replay/events.h"
#include "replay/view/detail.h"

/* Appends the event in some words, for a line; session text among them is raw. */
void event_words(const struct frame *f, const struct event *e, struct buf *b);
/* Appends what the engine said to a range, with its numbers. */
void event_range_words(const struct run *r, const struct compress_outcome *o, const struct range_outcome *v,
		       struct buf *b);
/* Appends why the size gate turned the call away as a whole, or nothing. */
void event_gate_words(const struct run *r, const struct compress_outcome *o, struct buf *b);
/* Appends how the recorded outcome of a compress record stands to the engine's, and what is done about it. */
void event_follow_words(const struct run *r, const struct compress_outcome *o, struct buf *b);
/* Glyph and style of an event. */
enum glyph event_glyph(const struct frame *f, const struct event *e);
enum style event_style(const struct frame *f, const struct event *e);

size_t events_detail_count(const struct view_context *c, uint64_t key);
void events_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out);

#endif
