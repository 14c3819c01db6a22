/*
 * pi_draft: one message on its way to the provider (pi.md 3.5 to 3.8).
 *
 * A draft is made from the host's own message, changed step by step as the
 * adapter does it, and written in the form of pi-rulings 4. Which rows stand
 * for the message, and what the rest of the view says about it, is the
 * caller's knowledge (pi_egress). A draft borrows the tree of the host's
 * message; what it makes itself lies in the arena given.
 */
#ifndef ENGINE_HOST_PI_DRAFT_H
#define ENGINE_HOST_PI_DRAFT_H

#include "engine/host/pi_sync.h"

struct pi_draft_block {
	const cJSON *node;       /* as the host has it; NULL = a new text block */
	struct str text;         /* what stands in its text now; absent = untouched */
	struct pi_synced synced; /* a toolCall: its arguments */
};

/* ABSENT: nothing, or what is neither of the two and stays as it is. */
enum pi_draft_form { PI_DRAFT_ABSENT, PI_DRAFT_STRING, PI_DRAFT_LIST };

struct pi_draft {
	struct arena *arena;
	const cJSON *host;       /* the host's message, or a custom_message entry */
	bool custom_message;     /* it is sent as a user message (3.5) */
	enum pi_draft_form form; /* of content */
	struct str string;
	struct pi_draft_block *blocks;
	size_t n;
	struct str tag;   /* put at the end of one text, with what follows it (3.7.2); absent = none */
	size_t tag_bytes; /* of the TAG alone */
	size_t tagged;    /* the block whose text ends with it */
	bool rebuilt;     /* the kernel's text took the place of the host's (3.7.5) */
	bool calls_gone;  /* calls that have no row any more were taken out (3.6.3) */
	bool thinking_gone;
};

/* Starts from an entry's message; false when it is no object. */
bool pi_draft_begin(struct pi_draft *d, struct arena *a, const cJSON *host);
bool pi_draft_is_assistant(const struct pi_draft *d);
/* 3.7.2 to 3.7.6, for a message that is not the assistant's; `text` is its row's as it stands. */
void pi_draft_patch(struct pi_draft *d, struct str text, bool raw_numbers);

/* 3.6.3, in this order: calls without a row go, tags are taken off texts; a tag of the first row for what is no
 * assistant's. */
void pi_draft_keep_calls(struct pi_draft *d, bool (*keep)(void *ctx, struct str id), void *ctx);
void pi_draft_peel(struct pi_draft *d);
void pi_draft_append_tag(struct pi_draft *d, struct str text);

/* Section 4; text(ctx, id, arena) is what the map holds. */
void pi_draft_sync(struct pi_draft *d, enum pi_sync mode, struct str (*text)(void *ctx, struct str id, struct arena *a),
		   void *ctx);
/* 3.8, #339: the thinking blocks go when they have more than `units` in all. */
void pi_draft_drop_thinking(struct pi_draft *d, uint32_t units);

/* What was written. Token figures are raw estimates. */
struct pi_written {
	size_t tag_at,
		tag_n; /* the ref tag put in, as JSON escapes it; bytes after the first of the message. n 0 = none */
	double tokens; /* texts, thinking and arguments, each by itself */
	double anchor_tokens;   /* arguments of the compress calls in it, as written */
	double recorded_tokens; /* the same as the host has them */
	uint64_t synced;        /* FNV-1a over the arguments that sync changed; 0 = none */
};
/* Appends {role, content[, toolCallId, toolName, isError]}; members the host's message lacks are left out. */
struct pi_written pi_draft_write(const struct pi_draft *d, struct buf *b);
/* A user message with one text block: an emitted summary, a nudge. */
void pi_draft_write_user(struct buf *b, struct str text);

#endif
