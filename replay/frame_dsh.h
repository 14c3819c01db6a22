/*
 * frame_dsh: the DSH host's side of a position: the surface in node order, why
 * each node is in no range, the range table, the newest copies (dsh.md 2, 4, 5,
 * 7). Made at first use, in the length of the surface; kept until the frame
 * moves. run->dsh.fold stands where the frame does.
 */
#ifndef REPLAY_FRAME_DSH_H
#define REPLAY_FRAME_DSH_H

#include "engine/host/dsh_gate.h"
#include "engine/host/dsh_guard.h"
#include "engine/host/dsh_table.h"
#include "replay/frame.h"

struct frame_dsh {
	const struct dsh_fold *fold;
	struct dsh_nodes nodes; /* the surface as it is; nodes.list has the rows of the log in order */
	struct dsh_table table; /* on the scratch copy of dsh-rulings 6; stops by position */
	struct dsh_census census;
	struct dsh_seqs guarded; /* ascending */
	size_t preserve;         /* config.preserveRecentMessages */
	double tokens;           /* display tokens of the surface */
	uint32_t fresh;          /* rows of the log from here on came since the turn before */
};

/* NULL when the run is not one of the DSH host. */
struct frame_dsh *frame_dsh(struct frame *f);
/* What resolver and guard say to a range at this position; *g is the caller's (zero-initialise, dsh_guard_free). */
void frame_dsh_probe(struct frame *f, int64_t start, int64_t end, struct dsh_guard *g);
/*
 * What the host would paste at its next step (dsh.md 10.3) if this row were folded; DSH_NONE = none is, so what it
 * would paste as things are.
 */
enum dsh_want frame_dsh_wants(struct frame *f, uint32_t without, struct dsh_wants *out);
/* First message of a row in the recording, DSH_NONE = it has none. */
uint32_t frame_dsh_message(const struct frame *f, uint32_t row);
void frame_dsh_free(struct frame_dsh *d);

#endif
