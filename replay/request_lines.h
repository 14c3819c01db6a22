/*
 * request_lines: the messages of a request beside those of the one before it:
 * which are the same, another one of the same entry, new, or gone.
 *
 * Whole messages both requests begin with stand for each other; from the first
 * difference on messages of one entry do. Those that are gone stand where they
 * were, before what took their place. Made at the cost of both requests'
 * messages, in the arena given; valid as long as that and the frame_request.
 *
 * The host's own view (pi.md 8.3, pi-rulings 14): an answer that ended in an
 * error, and that a request followed without a user's entry between, is taken
 * out of the host's memory, while the adapter, which works from entries, goes
 * on having it. The request is the adapter's; which messages the host itself
 * would not send is told beside it.
 */
#ifndef REPLAY_REQUEST_LINES_H
#define REPLAY_REQUEST_LINES_H

#include "replay/frame_request.h"

enum request_state { REQUEST_SAME, REQUEST_CHANGED, REQUEST_NEW, REQUEST_REMOVED, REQUEST_STATES };
/* "same", "changed", "new", "removed" */
const char *request_state_name(enum request_state s);

struct request_line {
	uint32_t now, before; /* message of the request, of the one before; + 1, 0 = it is not in it */
	uint8_t state;        /* enum request_state */
	bool host_drops;      /* the host itself does not send it */
};

struct request_lines {
	struct request_line *v;
	size_t n;
	size_t of_state[REQUEST_STATES];
	size_t first_difference; /* line that holds the first differing byte, or that stands where the request is at its
				    end already; SIZE_MAX = none */
	uint32_t host_drops;     /* messages of the present request */
	double host_bytes;       /* of the request without them, without the nudge */
};

/* q has no lack; the frame is where it was made. */
struct request_lines request_lines_of(const struct frame *f, const struct frame_request *q, struct arena *a);

/* The message of a line: of the present request where it is in it. */
const struct pi_message *request_line_message(const struct frame_request *q, const struct request_line *l);
/* The message record of its first row; UINT32_MAX = it is a block's summary. */
uint32_t request_line_source(const struct frame_request *q, const struct request_line *l);

#endif
