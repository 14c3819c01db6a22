/*
 * pi_text: ref tags in texts, and what the Pi adapter reads out of a message of
 * its host (pi.md 3.2 to 3.4).
 *
 * Pure functions on texts and JSON trees. What they return is a piece of what
 * they were given, or lies in the arena they were given.
 */
#ifndef ENGINE_HOST_PI_TEXT_H
#define ENGINE_HOST_PI_TEXT_H

#include "engine/base/json.h"

/* Tokens of an image for a model that takes images; raw estimate (pi.md 3.4). */
enum { PI_IMAGE_TOKENS = 1600 };

/* A TAG (pi.md 3.2) at the start of a text; bytes. */
struct pi_tag {
	size_t tag; /* of the TAG itself; 0 = the text does not start with one */
	size_t all; /* with the space-class character and the line feed that may follow */
};

struct pi_tag pi_tag_leading(struct str t);
/* The piece of t that is left without its own tags (pi.md 3.2). */
struct str pi_strip(struct str t);
/* Appends the tag with its first tokens="..." replaced by the label of `tokens`; one that has none stays as it is. */
void pi_tag_renumber(struct buf *b, struct str tag, double tokens);

/* A block of a content list with type text and a string as text; with type toolCall and a name. */
bool pi_is_text(const cJSON *block);
bool pi_is_call(const cJSON *block);
/* textOf of pi.md 3.3; any node, or NULL. */
struct str pi_content_text(struct arena *a, const cJSON *content);
/* Arguments as text, A of pi.md 3.4: empty for what JavaScript calls false; any node, or NULL. */
struct str pi_arguments_text(struct arena *a, const cJSON *arguments);
/* X and A of a call: what is there of both, with a line feed between. */
struct str pi_call_text(struct arena *a, struct str x, struct str arguments);

/* What counts of a message beside the text of its rows (pi.md 3.4). */
struct pi_extras {
	uint32_t images; /* image blocks; PI_IMAGE_TOKENS each */
	double thinking; /* thinkingTokens=on: raw estimate of the thinking blocks, for the first row */
};
struct pi_extras pi_extras_of(struct arena *a, const cJSON *content);

#endif
