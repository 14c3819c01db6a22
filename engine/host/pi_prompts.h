/*
 * pi_prompts: the rule texts a host puts before a model that has to write a
 * summary (pi.md 7.4.3, kernel.md 4.7.8).
 *
 * The wording is our own. acp.json may replace a text, but only where it says
 * that the risk is understood (pi.md 2.4). The rules of tier 2 and 3 have no
 * place here: /compact folds an old range and distils nothing.
 * A struct pi_prompts does not own its texts: they are static or point into
 * the tree of acp.json.
 */
#ifndef ENGINE_HOST_PI_PROMPTS_H
#define ENGINE_HOST_PI_PROMPTS_H

#include "engine/base/json.h"

enum pi_prompt { PI_PROMPT_PHILOSOPHY, PI_PROMPT_HOW_TO, PI_PROMPT_COUNT };

/* The member of acp.json's `prompts`: "compressPhilosophy", "howToCompressRules". */
const char *pi_prompt_name(enum pi_prompt p);

struct pi_prompts {
	struct str text[PI_PROMPT_COUNT];
	bool overridden[PI_PROMPT_COUNT];
	bool unacknowledged; /* acp.json has texts for them, but not acknowledgePromptsRisk: true */
};

/* The prompts in force under an acp.json (NULL = none): `prompts.<name>` where it is a string, else our own. */
struct pi_prompts pi_prompts_in_force(const cJSON *acp);

#endif
