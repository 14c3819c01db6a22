/* Where the prefix of the request before breaks, as a rule among the rows of a turn (interface.md, pane 1). */
#include "replay/view/prefix.h"
#include "replay/view/request.h"
#include "replay/view/rows.h"

/* The request of the frame's turn, when its rows stand as they are sent. */
static const struct sent *sent_of(const struct view_context *c)
{
	const struct frame *f = c->frame;
	if (f->at.turn == 0 || f->at.node != NODE_RENDER || f->at.records > 0 || f->capacity)
		return NULL;
	return prefix_sent(f->run, f->at.turn);
}

size_t rows_break(const struct view_context *c)
{
	const struct sent *s = sent_of(c);
	if (s == NULL || s->cause == SENT_NONE || s->cause == SENT_FIRST)
		return SIZE_MAX;
	return request_lost_whole(s) ? 0 : s->break_row;
}

void rows_put_break(const struct view_context *c, struct line *out) { request_put_rule(c, sent_of(c), out); }
