/*
 * host_status: what host_status.c (which lines there are) and host_status_lines.c (how each is painted) share.
 * Internal to the Status view.
 */
#ifndef REPLAY_VIEW_HOST_STATUS_H
#define REPLAY_VIEW_HOST_STATUS_H

#include "engine/kernel/nudge_text.h"
#include "engine/kernel/status.h"
#include "replay/view/view.h"

/* Kinds of lines, and what `index` of a line counts in each. */
enum status_line_kind {
	STATUS_LINE_BLANK,
	STATUS_LINE_HEAD, /* enum status_head */
	STATUS_LINE_USAGE,
	STATUS_LINE_TOTALS,
	STATUS_LINE_HOST,
	STATUS_LINE_GROWTH,
	STATUS_LINE_SENT,
	STATUS_LINE_PART, /* enum status_part */
	STATUS_LINE_NUDGE,
	STATUS_LINE_RANGE,
	STATUS_LINE_PANEL_BLOCKS,
	STATUS_LINE_PANEL_BLOCK, /* block */
	STATUS_LINE_OVERVIEW,
	STATUS_LINE_TOOLS,
	STATUS_LINE_SUMS,
	STATUS_LINE_FILTER,
	STATUS_LINE_UNCOMPRESSED,
	STATUS_LINE_SPAN,
	STATUS_LINE_MESSAGE,
	STATUS_LINE_BLOCK,
	STATUS_LINE_LEFT, /* enum status_left */
	STATUS_LINE_KINDS
};
enum status_head {
	STATUS_HEAD_CORE,
	STATUS_HEAD_PANEL,
	STATUS_HEAD_OVERVIEW,
	STATUS_HEAD_RANGES,
	STATUS_HEAD_MESSAGES,
	STATUS_HEAD_COMPRESSED
};

enum status_left { STATUS_LEFT_SPANS, STATUS_LEFT_MESSAGES, STATUS_LEFT_BLOCKS };

struct status_item {
	uint8_t kind; /* enum status_line_kind */
	uint32_t index;
	uint64_t key; /* 0 = cannot be opened */
};

struct status_lines {
	struct status_report data;
	struct status_core core;
	struct status_panel panel;
	struct nudge_rows ranges;
	uint32_t *by_tokens, *by_size;
	bool decided; /* there is a nudge decision, and ranges */
	VEC(struct status_item) items;
};

void status_line_paint(const struct view_context *c, const struct status_lines *r, const struct status_item *item,
		       struct line *out);

#endif
