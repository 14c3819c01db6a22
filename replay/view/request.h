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
/* The host itself does not send it; no turn ran there. */
extern const char request_host_words[], request_counterfactual_words[];

/* For the requests of any host: the whole prefix is lost, wherever the bytes differ. */
bool request_lost_whole(const struct sent *s);
/* "12 messages, 3,456 bytes, 789 tokens (display), prefix 34.0 %", or why there is no request. */
void request_head_words(const struct run *r, const struct frame_request *q, struct buf *b);
/* "1,234 bytes, 70 tokens (raw estimate)" */
void request_size_words(const struct run *r, double bytes, double tokens, struct buf *b);
/* "~~ byte 1,234: tag, the token number in a ref tag changed ~~~~" */
void request_put_rule(const struct view_context *c, const struct sent *s, struct line *out);
/* Of an opened head: the prefix of the request before, and the hits. */
void request_put_prefix(const struct run *r, const struct frame_request *q, struct detail *d);
/* JSON over several lines, cut where it is too long; it lives as long as d->arena. */
void request_put_json(struct detail *d, struct str json);

size_t request_detail_count(const struct view_context *c, uint64_t key);
void request_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out);

#endif
