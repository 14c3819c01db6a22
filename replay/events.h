/*
 * events: what happened in a run, in order, as far as the first pass has come.
 *
 * Records that do something beside adding rows, what turns decided (nudge,
 * truncation, a turn that could not run), where a recorded outcome and the
 * engine disagree, and the damage of the file at its place; when the frame has
 * checks, where the adapter's log disagrees, and at the end what is odd about
 * the sidecar and what differs from it.
 * The list is made by one walk over the records and kept with the frame.
 */
#ifndef REPLAY_EVENTS_H
#define REPLAY_EVENTS_H

#include "replay/checks.h"
#include "replay/dsh_findings.h"
#include "replay/frame.h"

/* Kind and its name on the screen. */
#define EVENT_LIST(X)                                                                                                  \
	X(COMPRESS, "compress")                                                                                        \
	X(DIVERGED, "diverged") /* the recorded outcome of the compress record before it is not the engine's */        \
	X(NUDGE, "nudge")                                                                                              \
	X(TRUNCATED, "truncated")                                                                                      \
	X(CAPACITY, "ref-capacity") /* the turn could not run */                                                       \
	X(FAILED, "failed")         /* the answer of the turn was errored or aborted */                                \
	X(REFUTED, "window")        /* the first prompt that is larger than the assumed window */                      \
	X(DECOMPRESS, "decompress")                                                                                    \
	X(COMPACT, "compact")                                                                                          \
	X(KEEP, "keep") /* the host compacted by itself */                                                             \
	X(RESTART, "restart")                                                                                          \
	X(MODEL, "model")                                                                                              \
	X(REWIND, "rewind")                                                                                            \
	X(STATE, "state")                                                                                              \
	X(PRUNE, "prune")                                                                                              \
	X(NOTE, "note")                                                                                                \
	X(COMPACTION, "compaction") /* dsh: one that no compress call made */                                          \
	X(REINJECT, "re-inject")    /* dsh: the host pastes what a compaction took in */                               \
	X(LOOP, "loop")             /* dsh: the same file, after compactions in a row */                               \
	X(GATED, "gated")           /* dsh: a row that the presence gate leaves out */                                 \
	X(FINDING, "finding")       /* dsh: ledger or meter found something wrong */                                   \
	X(DAMAGE, "damage")                                                                                            \
	X(SIDECAR, "sidecar") /* the host's stored state is odd, or was passed over */                                 \
	X(DRIFT, "drift")     /* the end of the replay is not what the host stored */                                  \
	X(LOG, "log")         /* the adapter's log says something else of the turn or compress call before it */

enum event_kind {
#define EVENT_ENUM(name, text) EVENT_##name,
	EVENT_LIST(EVENT_ENUM)
#undef EVENT_ENUM
		EVENT_KINDS
};
const char *event_kind_name(enum event_kind k);

struct event {
	uint8_t kind;         /* enum event_kind */
	uint32_t turn, after; /* its position: the turn itself (after = 0), or the record with this number after it */
	uint32_t record;      /* index into records; of damage: the one it stands before, records.n at the end; as of
				 sidecar, drift */
	uint32_t index;       /* compress, diverged: of run.compressions; damage: of recording.damages;
				 compaction: of run.dsh.ledger.blocks, behind those of run.dsh.outside; re-inject, loop: of
				 run.dsh.loop.pastes,       chains; gated: of run.dsh.gated; finding: of `found`;       sidecar: of
				 the       notes of the sidecar; log: of the differences of the log */
	uint64_t key;         /* the same as long as the recording is */
};

struct events {
	struct event *v;
	size_t n;
	size_t records; /* of the first pass when the list was made */
	bool checked;   /* the frame had checks then */
	uint32_t of_kind[EVENT_KINDS];
	const struct dsh_found *found; /* dsh */
};

const struct events *events_of(struct frame *f);
/* Events up to and with the position; the last of them is the one it stands at. */
size_t events_before(const struct events *e, struct position at);
struct position event_position(const struct event *e);
/* A state record began an epoch; false: its state is none (run.problem tells why, of the first such record). */
bool event_state_obeyed(const struct run *r, const struct event *e);

#endif
