/*
 * ranges: what ranges.c (the list) and range_detail.c (one opened range) share.
 * Internal to the Ranges view.
 */
#ifndef REPLAY_VIEW_RANGES_H
#define REPLAY_VIEW_RANGES_H

#include "replay/view/reason.h"
#include "replay/view/rows.h"

size_t ranges_detail_count(const struct view_context *c, uint64_t key);
void ranges_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out);

#endif
