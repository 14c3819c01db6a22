/*
 * pi_egress: the request the Pi adapter makes of a view (pi.md 3.6, 3.8).
 *
 * A view (the surface after a turn) and the host's own messages give the list
 * of provider messages, without the nudge at its tail. struct pi_egress keeps
 * two requests: the one built last, and the one before, to which it is
 * compared. A message is written anew only when something its bytes are made
 * from has changed: its entry never does, so that is the text of its rows, the
 * texts its calls' arguments follow, the rules, and whether its thinking goes.
 * Told how many rows of the view are those of the build before, a build costs
 * what changed: the messages before the first one that a changed row is part
 * of, or says something about, stay where they are.
 *
 * struct pi_egress owns everything; indexes into a request and bytes are valid
 * until the next build. Names are those of the state.
 *
 * Bytes of a request (pi-rulings 4): canon() of {role, content[, toolCallId,
 * toolName, isError]} of each message, joined by line feeds.
 */
#ifndef ENGINE_HOST_PI_EGRESS_H
#define ENGINE_HOST_PI_EGRESS_H

#include "engine/host/pi_sync.h"
#include "engine/kernel/surface.h"

/* The host's own messages, by name of their entry: JSON of the message, or of a custom_message entry; absent = none. */
struct pi_entries {
	struct str (*json)(void *ctx, uint32_t entry, struct arena *a);
	void *ctx;
};

/* Switches of policy.md that change bytes. multiCallText and thinkingTokens change rows and counts: pi_text. */
struct pi_egress_rules {
	enum pi_sync sync;       /* sync */
	bool emit_summaries;     /* summaries=emit */
	bool raw_numbers;        /* tags=raw */
	bool drop_thinking;      /* reasoningDrop is not off, .. */
	uint32_t thinking_units; /* .. and its number: UTF-16 units in all thinking blocks of a message that may stay */
};

struct pi_egress_input {
	const struct surface *surface; /* after render-refs */
	size_t kept;                   /* so many of its first rows are those of the build before; 0 is always right */
	struct state *state;
	struct alternatives *alternatives;
	struct pi_entries entries;
	struct pi_egress_rules rules;
	struct str model; /* in force; keeps its thinking when pi_model_replays_thinking */
};

enum pi_message_flag {
	PI_MESSAGE_SUMMARY = 1,    /* an emitted summary */
	PI_MESSAGE_SPLIT = 2,      /* of an entry with several calls */
	PI_MESSAGE_REBUILT = 4,    /* the kernel's text took the place of the host's (pi.md 3.7.5) */
	PI_MESSAGE_CALLS_GONE = 8, /* some calls of the entry are left out */
	PI_MESSAGE_THINKING_GONE = 16
};

struct pi_message {
	uint64_t key;             /* of all its bytes are made from */
	uint64_t hash;            /* FNV-1a of its bytes */
	size_t at, n;             /* its bytes: pi_egress_bytes */
	uint32_t entry;           /* name of its entry, or the id of an emitted summary */
	uint32_t first_row, rows; /* in pi_request.rows */
	uint32_t first_call, calls;
	uint32_t before;      /* it is message before - 1 of the request before, not written anew; 0 = it was written */
	uint32_t flags;       /* enum pi_message_flag */
	uint32_t ref;         /* of the row whose tag it carries, with tag_n > 0 */
	size_t tag_at, tag_n; /* its ref tag, as JSON escapes it: bytes from the start of the message; n 0 = none */
	double tokens;        /* raw estimate of texts, thinking and arguments */
	double anchor_tokens; /* raw estimate of the arguments of compress calls in it, */
	double recorded_tokens; /* and of what the host has in their place */
	uint64_t synced;        /* over the arguments that sync changed; 0 = none: another value is the cause "args" */
	/* of all messages up to and with this one */
	size_t bytes_upto; /* without the line feeds between them */
	double tokens_upto;
	uint64_t hash_upto; /* of the hashes */
	uint32_t previous;  /* the one before it of the same entry, + 1; 0 = none */
};

/* A call of a message whose bytes depend on the rest of the view. */
struct pi_message_call {
	uint32_t call; /* name; 0 = it has no id */
	bool asks;     /* its arguments follow a text of the view (pi_sync_asks) */
	bool compress;
};

struct pi_request {
	VEC(struct pi_message) messages;
	VEC(uint32_t) rows; /* rows of the surface, by message */
	VEC(struct pi_message_call) calls;
	VEC(uint32_t) anchors; /* messages with compress calls, ascending */
	size_t bytes;          /* of the whole request */
	size_t common;         /* messages that are those of the request before without having been looked at */
};

struct pi_egress_name;
struct pi_egress_row;

/* Zero-initialise; pi_egress_free. */
struct pi_egress {
	struct pi_request now, before;
	struct buf store; /* bytes of both */
	VEC(struct pi_egress_name) names;
	VEC(struct pi_egress_row) rows; /* of the view, as of the last build */
	struct arena scratch;
	uint64_t rules; /* of the last build */
	uint32_t builds;
	uint32_t marks; /* entries whose calls were marked so far */
};

/* Makes `now` the request of a view; what was `now` becomes `before`. */
void pi_egress_build(struct pi_egress *e, const struct pi_egress_input *in);
/* The next build has nothing before it. Needed when names begin to mean something else; else only for a first request.
 */
void pi_egress_clear(struct pi_egress *e);
void pi_egress_free(struct pi_egress *e);

/* Bytes of a message of either request; valid until the next build. */
struct str pi_egress_bytes(const struct pi_egress *e, const struct pi_message *m);
/* Appends a whole request. */
void pi_egress_write(const struct pi_egress *e, const struct pi_request *q, struct buf *b);

/* Hash of all bytes of `now`, to be compared with others of its kind; costs nothing. */
uint64_t pi_egress_hash(const struct pi_egress *e);

/* What `now` has in common with `before`, from the start (pi.md 6.4). */
struct pi_prefix {
	size_t messages; /* whole messages; the index of the first that differs */
	size_t bytes;    /* of the common prefix, L */
	double tokens;   /* raw estimate of those whole messages */
	bool append_only;
};
struct pi_prefix pi_egress_prefix(const struct pi_egress *e);
/* Do two messages differ in nothing but the number of their ref tag (pi.md 6.4, class tag)? */
bool pi_egress_tag_only(const struct pi_egress *e, const struct pi_message *a, const struct pi_message *b);

/* What makes two messages of one entry different; the first that holds (pi-rulings 8, from "args" on). */
enum pi_difference {
	PI_DIFFER_NOT,
	PI_DIFFER_CALLS_GONE, /* fewer of its calls have a row: a fold, or a pair that lost its half */
	PI_DIFFER_CALLS_BACK,
	PI_DIFFER_ARGUMENTS,
	PI_DIFFER_TRUNCATED, /* pi.md 3.7.5 newly used, no more used, or with another text */
	PI_DIFFER_TAG,
	PI_DIFFER_THINKING,
	PI_DIFFER_UNKNOWN
};
/* a of the request before, b of the present one; of one entry. */
enum pi_difference pi_egress_difference(const struct pi_egress *e, const struct pi_message *a,
					const struct pi_message *b);

/* Models that want their thinking back: reasoningDrop leaves it (pi.md 3.8). */
bool pi_model_replays_thinking(struct str model);

#endif
