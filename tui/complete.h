/*
 * complete: what the word that is being typed can become: names of actions and
 * what they take, of conditions, of policies.
 */
#ifndef TUI_COMPLETE_H
#define TUI_COMPLETE_H

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/base/vec.h"

enum complete_kind { COMPLETE_NOTHING, COMPLETE_COMMAND, COMPLETE_CONDITION, COMPLETE_POLICY };

struct completion {
	struct arena arena;
	size_t from;           /* byte of the text where the word begins */
	VEC(struct str) words; /* that begin as it does, in the order of their tables */
};

/* Fills *c, which is empty, for a cursor at the end of the text. The caller frees it. */
void complete_find(enum complete_kind kind, struct str text, struct completion *c);
void complete_free(struct completion *c);

#endif
