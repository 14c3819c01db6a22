/*
 * compact: the places of a run where /compact was, or could be, called
 * (pi.md 7; recording.md, compact and keep).
 *
 * The rules of /compact are engine/host/pi_compact; here is what they have to
 * be told: the recorded answer, the model in use, and where the host itself
 * would cut. Texts live in the arena given to a call.
 */
#ifndef REPLAY_COMPACT_H
#define REPLAY_COMPACT_H

#include "engine/host/pi_compact.h"
#include "replay/run.h"

enum { COMPACT_KEEP_TOKENS = 20000 }; /* keepRecentTokens of a host that was not told otherwise (pi.md 1.10.4) */

/*
 * What the file tells of a /compact. It is a `compact` record, or the line of a
 * compaction that an extension supplied (`keep` with fromHook), whose summary
 * then stands for the answer (pi-rulings 12).
 */
struct compact_recorded {
	bool hook;
	struct str reply, error, model; /* p NULL = absent */
	struct pi_preparation preparation;
	const cJSON *outcome; /* as it stands, or NULL */
	double time;          /* Unix ms; 0 = absent */
};

/* The first recorded /compact at or after record `from` and before the next turn, or SIZE_MAX. */
size_t compact_find(const struct run *r, size_t from);
/* False when record i is none. */
bool compact_read(const struct run *r, size_t i, struct arena *a, struct compact_recorded *out);

/* The model in use before record i, and its provider where the file tells (else p NULL). */
void compact_session_model(const struct run *r, size_t i, struct arena *a, struct str *provider, struct str *model);

/*
 * Where the host would cut before record i, as far as a recording knows it
 * (pi.md 1.10.5 with default settings), and the size of the context as the
 * host counts it (1.10.2): an assumption. tokens_before is NAN when the run is
 * not one of the Pi adapter.
 */
struct pi_preparation compact_assume_preparation(const struct run *r, size_t i);

/* Message index of the first row of an entry (or of a row with that id) before record i, or UINT32_MAX. */
uint32_t compact_first_row(const struct run *r, size_t i, struct str entry);

#endif
