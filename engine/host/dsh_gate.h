/*
 * dsh_gate: when the host pastes instruction files, and which recorded paste it
 * would not have made (dsh.md 10.3, dsh-rulings 4, 11).
 *
 * The gate only removes; what the host would paste now is a note. What a file
 * holds is not known here: the last digest in the log stands for it.
 */
#ifndef ENGINE_HOST_DSH_GATE_H
#define ENGINE_HOST_DSH_GATE_H

#include "engine/host/dsh_fold.h"

/* reinject=presence-gate: is this appended row, not told yet, to be left out? */
bool dsh_gate_drops(const struct dsh_fold *f, uint32_t row);

enum dsh_want { DSH_WANT_NOTHING, DSH_WANT_ALL, DSH_WANT_SOME };
struct dsh_wants {
	VEC(uint32_t) scopes; /* names: of the full paste, or of the delta */
};
/* What the host would paste at the next step: nothing, a full baseline row, or a delta. */
enum dsh_want dsh_gate_wants(const struct dsh_fold *f, struct dsh_wants *out);
void dsh_wants_free(struct dsh_wants *w);

#endif
