#include "engine/kernel/message.h"

#include <string.h>

static const struct str role_names[ROLE_COUNT] = {[ROLE_USER] = STR("user"),
						  [ROLE_ASSISTANT] = STR("assistant"),
						  [ROLE_SYSTEM] = STR("system"),
						  [ROLE_TOOL] = STR("tool")};
static const struct str content_names[CONTENT_COUNT] = {[CONTENT_TEXT] = STR("text"),
							[CONTENT_CALL] = STR("tool-call"),
							[CONTENT_RESULT] = STR("tool-result"),
							[CONTENT_REASONING] = STR("reasoning")};

struct str role_name(enum role r) { return role_names[r]; }
struct str content_name(enum content c) { return content_names[c]; }

bool role_parse(struct str s, enum role *out)
{
	for (int i = 0; i < ROLE_COUNT; i++)
		if (str_eq(s, role_names[i])) {
			*out = (enum role)i;
			return true;
		}
	return false;
}

bool content_parse(struct str s, enum content *out)
{
	for (int i = 0; i < CONTENT_COUNT; i++)
		if (str_eq(s, content_names[i])) {
			*out = (enum content)i;
			return true;
		}
	return false;
}

struct face face_of(struct str text)
{
	struct face f = {text_measure(text), 0};
	if (str_starts(text, STR(SUMMARY_HEADER)))
		f.traits |= TRAIT_HEADER;
	if (str_starts(text, STR("<acp ")))
		f.traits |= TRAIT_TAG;
	if (str_find(text, STR("```"), 0) != SIZE_MAX)
		f.traits |= TRAIT_FENCE;
	if (str_find(text, STR(TRUNCATION_MARKER), 0) != SIZE_MAX)
		f.traits |= TRAIT_TRUNCATED;
	return f;
}
