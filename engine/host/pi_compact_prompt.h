/*
 * pi_compact_prompt: what /compact asks a model, and what it takes for an
 * answer (pi.md 7.4.3 to 7.4.6 with pi-rulings 21).
 *
 * Texts are in the form of text.h. Nothing here decides whether /compact may
 * run; pi_compact does.
 */
#ifndef ENGINE_HOST_PI_COMPACT_PROMPT_H
#define ENGINE_HOST_PI_COMPACT_PROMPT_H

#include "engine/host/pi_prompts.h"
#include "engine/kernel/surface.h"

enum {
	PI_SLICE_UNITS = 150000,       /* UTF-16 units of all lines of a slice, line feeds included */
	PI_SLICE_MESSAGE_UNITS = 4000, /* of one message's text */
	PI_SUMMARY_TOKENS = 3000,      /* what the host lets the model write; provider tokens */
	PI_SUMMARY_SECONDS = 60        /* and how long it waits */
};

/* Stretch of a view by ref numbers. */
struct pi_span {
	uint32_t start, end; /* refs */
	double first, last;  /* their numbers (pi_ref_number) */
	double units;        /* texts of all rows in it as they stand, tags included */
	double tokens;       /* ceil(units / 4), raw estimate */
	size_t messages;     /* rows in it */
	size_t shown;        /* of them: lines of the slice */
};

/* pi.md 0.6: what follows the `m`, when only digits do; else -1 (BLOCKED and no ref, too). */
double pi_ref_number(const struct state *s, uint32_t ref);
/* Does the row count for a span at all? Rows without a ref (summaries) and BLOCKED ones never do. */
static inline bool pi_span_counts(const struct surface_row *r) { return r->ref != REF_NONE && r->ref != REF_BLOCKED; }

/*
 * Appends the prompt for the span of the view f. Sets span->messages and
 * span->shown; with no message in the span nothing is appended. `scratch` is
 * given back as it was.
 */
void pi_compact_put_prompt(struct buf *b, const struct pi_prompts *prompts, struct pi_span *span,
			   const struct surface *f, struct state *s, const struct alternatives *alt,
			   struct arena *scratch);

enum pi_reply {
	PI_REPLY_USABLE,
	PI_REPLY_NOT_JSON, /* prose, a fence that does not come off, torn, nested too deep */
	PI_REPLY_NOT_OBJECT,
	PI_REPLY_NO_SUMMARY, /* the member is missing or no string */
	PI_REPLY_EMPTY_SUMMARY
};
/* "usable", "not-json", .. */
const char *pi_reply_name(enum pi_reply r);
/* parseSummary. *summary (as written, not trimmed) lives in the arena. */
enum pi_reply pi_reply_read(struct arena *a, struct str reply, struct str *summary);

#endif
