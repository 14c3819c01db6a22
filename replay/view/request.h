/*
 * request: what request.c (the list) and request_detail.c (one opened line)
 * share. Internal to the Request view.
 */
#ifndef REPLAY_VIEW_REQUEST_H
#define REPLAY_VIEW_REQUEST_H

#include "replay/request_lines.h"
#include "replay/requests.h"
#include "replay/view/detail.h"

/* What is shown of the request of a position; kept with the frame. */
struct request_shown {
	struct frame_request *request;
	struct request_lines lines;
	const struct request_dump *dump; /* of this turn, or NULL */
	size_t before;                   /* lines before the first message: the head, and the dump's */
	size_t rule;                     /* the line that is the rule, SIZE_MAX = there is none */
	size_t n;                        /* all lines */
};
/* NULL without a frame. */
const struct request_shown *request_shown(const struct view_context *c);

/* Keys: of a message's line that of its entry. */
enum { REQUEST_KEY_ENTRY = 1, REQUEST_KEY_HEAD, REQUEST_KEY_DUMP, REQUEST_KEY_TAIL };
#define REQUEST_KEY(kind, entry) ((uint64_t)REQUEST_KEY_##kind << 32 | (entry))

/* Role as it is sent ("toolResult"), and what the message is: "text", "call", "result", "summary". */
struct str request_role(struct str message);
const char *request_kind(const struct request_shown *s, const struct frame *f, const struct request_line *l);
/* Appends why the nudge of this turn is sent, or not. */
void request_verdict_words(const struct frame_request *q, struct buf *b);
/* The host itself does not send it. */
extern const char request_host_words[];

size_t request_detail_count(const struct view_context *c, uint64_t key);
void request_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out);

#endif
