/*
 * message: one row as the host hands it to the kernel (kernel.md 1.1).
 *
 * The kernel never holds texts. A message carries what the kernel asks of its
 * text again and again (lengths and traits, taken once when it is loaded); the
 * bytes themselves are fetched through `struct texts` when they are needed.
 * Ids, tool names and call ids are numbers of one `struct names` (0 = absent).
 */
#ifndef ENGINE_KERNEL_MESSAGE_H
#define ENGINE_KERNEL_MESSAGE_H

#include "engine/base/arena.h"
#include "engine/base/names.h"
#include "engine/base/text.h"

enum role { ROLE_USER, ROLE_ASSISTANT, ROLE_SYSTEM, ROLE_TOOL, ROLE_COUNT };
enum content { CONTENT_TEXT, CONTENT_CALL, CONTENT_RESULT, CONTENT_REASONING, CONTENT_COUNT };

/* Names as recording.md writes them: "user".. and "text", "tool-call".. */
struct str role_name(enum role r);
struct str content_name(enum content c);
/* A tool-call or a tool-result. */
static inline bool content_is_tool(uint8_t content) { return content == CONTENT_CALL || content == CONTENT_RESULT; }
/* False when s is none of them. */
bool role_parse(struct str s, enum role *out);
bool content_parse(struct str s, enum content *out);

#define SUMMARY_HEADER    "[Compressed conversation section]"
#define SUMMARY_ID_PREFIX "acp_summary_"
#define TRUNCATION_MARKER "[truncated for context space]"

/* What the rules ask of a text beside its length. */
enum trait {
	TRAIT_HEADER = 1,   /* starts with SUMMARY_HEADER */
	TRAIT_TAG = 2,      /* starts with "<acp ": may carry an own tag to peel (kernel.md 4.9) */
	TRAIT_FENCE = 4,    /* contains three backticks (kernel.md 4.7.5) */
	TRAIT_TRUNCATED = 8 /* contains TRUNCATION_MARKER (kernel.md 4.8) */
};

struct face {
	struct measure size;
	uint8_t traits;
};

/* Length and traits of a text. */
struct face face_of(struct str text);

struct message {
	uint32_t id, tool, call; /* names */
	struct face face;
	uint8_t role, content;
	bool summary_id; /* id starts with SUMMARY_ID_PREFIX */
	bool guarded;    /* kept by state: the host's isToolProtected says so */
	bool in_list;    /* kept by state: the host's list holds it now */
	bool uncovered;  /* kept by state: it stands in state.uncovered */
	uint32_t before; /* kept by state: previous row with the same id when it joined, index + 1, or 0 */
};

/* How the engine reads the text of message number `index`: the bytes live as long as `scratch` or the owner. */
struct texts {
	struct str (*get)(void *owner, uint32_t index, struct arena *scratch);
	void *owner;
};

/* The token counter of turn and apply: est(text), times a density where a host calibrates (pi.md 5.4). */
struct counter {
	double density; /* 1 = raw estimate */
};

static inline double counter_tokens(const struct counter *c, struct measure m)
{
	double raw = text_tokens(m);
	return c->density == 1.0 ? raw : __builtin_floor(raw * c->density + 0.5);
}

#endif
