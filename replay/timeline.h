/*
 * timeline: one fixed-size record a turn with every scalar that charts,
 * conditions, detectors and the strip use. Filled once by the run's first pass.
 */
#ifndef REPLAY_TIMELINE_H
#define REPLAY_TIMELINE_H

#include <stdint.h>

#include "engine/base/vec.h"

/* What happened at or before a turn (since the previous one), as bits. */
enum moment_event {
	MOMENT_USER = 1,    /* a user row joined */
	MOMENT_APPLIED = 2, /* a compression was applied */
	MOMENT_REFUSED = 4, /* a compress call changed nothing */
	MOMENT_NUDGE = 8,   /* the request of this turn carries a nudge: the kernel wants one, and the host sends it */
	MOMENT_TRUNCATED = 16, /* emergency truncation cut a result */
	MOMENT_RESTART = 32,
	MOMENT_MODEL = 64,
	MOMENT_REWIND = 128,
	MOMENT_KEEP = 256, /* the host compacted by itself */
	MOMENT_STATE = 512,
	MOMENT_DECOMPRESS = 1024,
	MOMENT_CAPACITY = 2048, /* the turn could not run (ref-capacity) */
	/* what the recording says of the turn itself; in no trace */
	MOMENT_FAILED = 4096, /* its answer was errored or aborted */
	MOMENT_REFUTED = 8192 /* the first whose prompt is larger than the assumed window (window.h) */
};

/* Name of event i and its bit; NULL behind the last. The first MOMENT_TRACED of them are those of a trace. */
const char *moment_event_at(unsigned i, uint16_t *event);
enum { MOMENT_TRACED = 12 };

/* Scale of a turn's token count, by who counted it. */
enum count_scale {
	COUNT_HOST,       /* the recording gives it: the host's count */
	COUNT_RAW,        /* ours by the rule of recording.md: raw estimate of the uncovered rows */
	COUNT_SENT,       /* ours by the adapter's rule: raw estimate of what is sent (pi-rulings 2) */
	COUNT_USAGE,      /* ours by the adapter's rule: provider usage and the host's estimates of what followed
			     (pi.md 1.10.2) */
	COUNT_CALIBRATED, /* ours by the adapter's rule: what is sent, times the density in force (pi.md 5.4) */
	COUNT_DISPLAY     /* ours by the plugin's rule: display tokens of the surface (dsh.md 5.1, dsh-rulings) */
};

struct moment {
	uint64_t digest, hash; /* view.digest and the chain (trace.md) */
	double tokens;         /* tokenCount given to the kernel; scale: see counted */
	double usage;          /* share of the window */
	double raw;    /* our raw estimate of what is sent, without the system prompt; NAN = the turn did not run */
	double own;    /* what we would tell the kernel: tokens, unless counted is COUNT_HOST; NAN as above */
	double host;   /* what the host knew: provider usage and its estimates since; NAN = nothing, or no Pi host */
	double prompt; /* actual prompt size, provider usage; NAN = not reported */
	double cache_read;                                    /* tokens, provider usage; NAN = not reported */
	double recommended_tokens;                            /* sum over recommended ranges, turn's counter */
	double growth, pending[3];                            /* nudge numbers */
	uint32_t record;                                      /* index of the turn record */
	uint32_t rows, surface;                               /* rows so far, rows of the surface */
	uint32_t compressible, recommended, protected_ranges; /* how many */
	uint32_t blocks, active;                              /* all, active */
	uint32_t applied, refused;                            /* compress calls since the previous turn */
	uint32_t user_turn; /* number of the prompt it belongs to; counted from user rows when not recorded */
	uint16_t events;    /* enum moment_event */
	uint8_t nudge_tier; /* 0 = not injected */
	uint8_t counted;    /* enum count_scale; not COUNT_HOST: counted by us */
};

struct timeline {
	VEC(struct moment) turns; /* turn n at [n - 1] */
};

#endif
