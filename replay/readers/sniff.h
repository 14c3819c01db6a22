/*
 * sniff: what the beginning of a file tells about its format (formats.md 0).
 *
 * Formats are told apart by the members of their first two objects: which of a
 * table of known names are there, and of what kind. Nothing of the file is
 * kept.
 */
#ifndef REPLAY_READERS_SNIFF_H
#define REPLAY_READERS_SNIFF_H

#include "engine/base/json.h"
#include "replay/source.h"

/* Top-level members formats are known by. */
enum sniff_key {
	KEY_TYPE,
	KEY_VERSION,
	KEY_ID,
	KEY_HOST,
	KEY_TIMESTAMP,
	KEY_CREATED_AT,
	KEY_CWD,
	KEY_PARENT_ID,
	KEY_MESSAGE,
	KEY_ROLE,
	KEY_CONTENT_TYPE,
	KEY_RENDER_TAGS,
	KEY_CONTEXT_LIMIT,
	KEY_CONFIG,
	KEY_SEQ,
	KEY_DATA,
	KEY_SEEDED,
	KEY_DELEGATION,
	KEY_PRESET,
	KEY_UUID,
	KEY_PARENT_UUID,
	KEY_SESSION_ID,
	KEY_PROJECT_HASH,
	KEY_PAYLOAD,
	KEY_BLOCKS,
	KEY_MESSAGE_REFS,
	KEY_SAVED_AT,
	KEY_STATS,
	KEY_PRUNE,
	KEY_NUDGES,
	KEY_MODEL,
	KEY_MESSAGES,
	KEY_INPUT,
	KEY_COUNT
};

enum { SNIFF_TYPE_MAX = 40, SNIFF_LINES_MAX = 64 };

struct sniff_object {
	bool there;
	char type[SNIFF_TYPE_MAX]; /* the string `type`; empty when absent, no string or longer */
	uint8_t kind[KEY_COUNT];   /* enum json_kind + 1 of the member's value; 0 = absent */
};

struct sniff {
	struct sniff_object first, second; /* the first two lines that are objects */
	bool bom;                          /* a byte order mark was before them */
	bool pretty;                       /* the whole file is one object of several lines (`first`) */
	const char *binary;                /* why this is no text at all, as a sentence; else NULL */
};

static inline bool sniff_has(const struct sniff_object *o, enum sniff_key k) { return o->kind[k] != 0; }
static inline bool sniff_is(const struct sniff_object *o, enum sniff_key k, enum json_kind kind)
{
	return o->kind[k] == kind + 1;
}
static inline bool sniff_type(const struct sniff_object *o, const char *type) { return strcmp(o->type, type) == 0; }

/* Looks at the beginning of the source; `scratch` may be emptied afterwards. */
void sniff_source(struct sniff *s, const struct source *source, struct arena *scratch);
/* Is this the first line of a DSH log, which has type and version of a Pi header? */
bool sniff_dsh_header(const struct sniff *s);
/* What the file looks like ("a Codex rollout"), for the message that refuses it; NULL = nothing known. */
const char *sniff_known(const struct sniff *s);

#endif
