/*
 * gates: the comparisons behind a nudge decision, one by one (kernel.md 4.7.2, 4.7.3).
 *
 * Whether a gate passes and whether it was asked is the engine's word
 * (struct nudge_decision); here it gets a name and the two numbers that were
 * compared. Two bands exclude each other: under pressure the largest pile
 * decides, else growth, piles and cadence. Gates of the other band, and those
 * behind a gate that failed, were not asked and say so.
 */
#ifndef REPLAY_GATES_H
#define REPLAY_GATES_H

#include "replay/frame.h"

enum gate_scale { SCALE_SHARE, SCALE_HOST, SCALE_COUNTER, SCALE_SWITCH };

struct gate {
	const char *name;              /* "growth" */
	const char *has_is, *needs_is; /* what is compared: "P2", "D"; needs_is NULL = the number alone */
	double has, needs;             /* NAN: there is no number (never shown) */
	uint8_t scale;                 /* enum gate_scale of both, or of `has` */
	bool strict;                   /* > instead of >= */
	bool pass, asked;
};

/* The decision of the frame is taken: the nudge node has run. */
bool gates_decided(const struct frame *f);
/* Only when decided. */
void gates_of(const struct frame *f, struct gate out[NUDGE_GATE_COUNT]);
/* Tokens since tier t was shown last, NAN when it never was. */
double gates_since_shown(const struct frame *f, int tier);

#endif
