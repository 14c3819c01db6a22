/*
 * frame_request: what the host sends at the position of a frame, beside the
 * request before it (pi.md 3.6, 3.8; of the DSH host recording.md, turn).
 *
 * Made at first use, at the cost of three turns; kept until the frame moves. At
 * a node inside a turn it is that turn's request; between turns the one that
 * would be sent if a turn ran there (counterfactual).
 */
#ifndef REPLAY_FRAME_REQUEST_H
#define REPLAY_FRAME_REQUEST_H

#include "replay/frame.h"

enum request_lack {
	REQUEST_THERE,
	REQUEST_NO_ADAPTER, /* the recording's host has no adapter here: the kernel alone, whatever the policy */
	REQUEST_NO_HOST,    /* the policy is the kernel alone (driver=conformance) */
	REQUEST_NO_ENTRIES, /* the recording does not bring the host's own messages (`entry`) */
	REQUEST_UNLIKE,     /* only where a dump is compared: the host's canonical form is no provider's */
	REQUEST_NO_TURN,    /* turn 0 */
	REQUEST_CAPACITY    /* the turn could not run */
};
/* One sentence for people; NULL when it is there. */
const char *request_lack_words(enum request_lack lack);
/* Whether requests of this run can be made at all: not NO_TURN and not CAPACITY. */
enum request_lack request_lacks(const struct run *r);
/* Whether run.sender can be filled (run.want_requests). */
bool request_figures(const struct run *r);

struct frame_request {
	const struct run *run; /* borrowed */
	enum request_lack lack;
	/* egress.now is the request, egress.before the one before; of the DSH host rows and rows_before (sent_dsh.h) */
	struct sender sender;
	struct sent sent;
	struct buf tail; /* text of the nudge at its tail; empty = none */
	enum pi_nudge_verdict nudge;
	uint32_t before; /* turn of the request before; 0 = there is none */
	bool counterfactual;
};

struct frame_request *frame_request(struct frame *f);
/* The same for any turn of the run, made anew each time; the caller frees it. The run is brought back to the frame. */
struct frame_request *frame_request_at(struct frame *f, uint32_t turn);
/* Appends the whole request as it is sent: canon() of the messages, joined by line feeds, the nudge last. */
void frame_request_write(const struct frame_request *q, struct buf *b);
/* The scale that token counts of requests have: "raw estimate", "display". */
const char *request_scale(const struct run *r);
void frame_request_free(struct frame_request *q);

#endif
