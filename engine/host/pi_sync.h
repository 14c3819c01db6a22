/*
 * pi_sync: the arguments of a compress call follow the text the kernel left of
 * it (pi.md 4.3, #340 to #342).
 *
 * The kernel rewrites the text of a kept compress call; what is sent is made
 * from the host's own message, so its toolCall block is brought in line here.
 * Pure: a block and a text in, the arguments that take their place out.
 */
#ifndef ENGINE_HOST_PI_SYNC_H
#define ENGINE_HOST_PI_SYNC_H

#include "engine/base/json.h"
#include "engine/kernel/message.h"

enum pi_sync {
	PI_SYNC_OFF,
	PI_SYNC_ON,    /* #342: compress only, texts of calls only, `content` must be there */
	PI_SYNC_MERGED /* #341: any tool, texts of results count too, any object will do */
};

/* What became of one block, and why; all but PI_SYNC_CHANGED leave it as it is. */
enum pi_sync_outcome {
	PI_SYNC_NOT_ASKED, /* no toolCall of this tool with an id */
	PI_SYNC_CHANGED,
	PI_SYNC_NO_TEXT,      /* no row of the view stands for the call */
	PI_SYNC_NO_JSON,      /* its text has no { */
	PI_SYNC_NO_ARGUMENTS, /* the arguments are neither a string nor an object or list */
	PI_SYNC_EQUAL,        /* nothing to do */
	PI_SYNC_UNREADABLE,   /* from its first { on the text is no JSON; also when an explanation before it has a { */
	PI_SYNC_SHAPE,        /* JSON, but not with the members it must have */
	PI_SYNC_OUTCOMES
};
/* "not-asked", "changed", "no-text", .. */
const char *pi_sync_outcome_name(enum pi_sync_outcome o);

struct pi_synced {
	enum pi_sync_outcome outcome;
	const cJSON *object; /* changed, arguments were an object or a list: what takes their place */
	struct str text;     /* changed, arguments were a string: the string that does */
};

/* Does the text of a row with this content enter the map from call ids to texts? Of several the last one counts. */
bool pi_sync_maps(enum pi_sync mode, enum content content);
/* The id under which a block asks that map; absent = it does not ask. */
struct str pi_sync_asks(enum pi_sync mode, const cJSON *block);
/*
 * pi.md 4.3.1 to 4.3.6 for one block; `text` is what the map holds under its id, tag included; absent or empty =
 * nothing. Trees live in the arena. A text nested deeper than JSON_DEPTH_MAX is unreadable.
 */
struct pi_synced pi_sync_block(struct arena *a, enum pi_sync mode, const cJSON *block, struct str text);

#endif
