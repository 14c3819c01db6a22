/*
 * run_pi: what the Pi adapter's driver is made of beside its hooks (pi.md 7, 8).
 * Internal to run*.c, but for run_tail and what tells of a recording.
 */
#ifndef REPLAY_RUN_PI_H
#define REPLAY_RUN_PI_H

#include "replay/run.h"

void run_pi_begin(struct run *r);
void run_pi_free(struct run *r);

/* Is this an answer whose usage counts (pi.md 1.10.2)? */
bool pi_answer_counts(const struct turn_record *t);
/* A message of the user: what the adapter calls a user entry. */
bool pi_is_user_entry(const struct message_record *m);
/*
 * The host itself does not send the message record in the request before record `here` (pi.md 8.3): it is of an answer
 * that ended in an error, and was asked for again before the user said anything.
 */
bool pi_host_drops(const struct run *r, uint32_t message, size_t here);
/* The host's estimate of a message, with what the policy counts for a user's images (pi.md 1.10.1). */
double pi_host_tokens(const struct run *r, const struct message_record *m);
/* What record i, which is no message, does to what the host knows; the first pass has executed it. */
void pi_usage_step(const struct run *r, size_t i, struct pi_usage *u);
/* What the adapter remembers of its nudges before record i; the first pass has executed the records before it. */
struct pi_nudge_memory pi_nudge_before(const struct run *r, size_t i);
/* The branch as rewind record i leaves it; false: it goes nowhere. */
bool pi_rewound(const struct run *r, size_t i, struct pi_after *at);

/* The model that record i itself says, a turn or a change of it; name, 0 = none. */
uint32_t pi_model_said(const struct recording *rec, size_t i);
/* The model that turn record i goes to, or that is in force before another record; of a position right before a turn
 * record that turn's. Name, 0 = the session's. */
uint32_t pi_model_at(const struct run *r, size_t i);

/*
 * The message at the tail of a request, when the adapter sends the nudge of turn `t` (pi.md 3.8): its bytes as it is
 * written (pi-rulings 4); all 0 without one. `out` (may be NULL) gets the text.
 */
struct sent_tail run_tail(struct run *r, const struct turn *t, enum pi_nudge_verdict verdict, struct buf *out);

/* Record i is a /compact, or the line of a compaction an extension supplied: compact=pipeline runs it (pi.md 7.2,
 * pi-rulings 12). */
void run_compact(struct run *r, size_t i);

#endif
