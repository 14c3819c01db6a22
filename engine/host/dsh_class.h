/*
 * dsh_class: what a row is to the host's rules: spoken or worked text, the
 * plugin's own rows, a checkpoint, or an injected instruction (dsh.md 4,
 * dsh-rulings 2, 14).
 *
 * One table decides for all: there is no other checkpoint test in the program.
 * Classes are kept by row of the log, as they depend on how sources are read.
 */
#ifndef ENGINE_HOST_DSH_CLASS_H
#define ENGINE_HOST_DSH_CLASS_H

#include "engine/host/dsh_row.h"

enum dsh_class { DSH_REAL, DSH_METADATA, DSH_CHECKPOINT, DSH_INSTRUCTION, DSH_CLASSES };
const char *dsh_class_name(enum dsh_class c); /* as in a trace */

/* The switch `sources`. auto: by the version of the log's header. */
enum dsh_sources { DSH_SOURCES_AUTO, DSH_SOURCES_STRICT, DSH_SOURCES_V4 };

struct dsh_traits {
	uint8_t class;  /* enum dsh_class */
	bool user_turn; /* isRealUserTurn (4.3): may stand for "the user speaking" */
	bool agent;     /* isAgentInstructionsRow (4.2) */
	bool exact;     /* its kind is exactly agent-instructions: the host's presence gate sees it (10.3) */
	bool catalog;   /* a skill catalog */
};

struct dsh_traits dsh_classify(const struct dsh_log *log, const struct dsh_row *r, enum dsh_sources sources);
/* The name the row's source goes by, spellings unwrapped; absent = none. */
struct str dsh_source_name(const struct dsh_log *log, const struct dsh_row *r);

struct dsh_classes {
	const struct dsh_log *log;
	enum dsh_sources sources;
	VEC(struct dsh_traits) of; /* by row */
};
/* Classifies the rows of the log that are not yet. */
void dsh_classes_fill(struct dsh_classes *c);
void dsh_classes_free(struct dsh_classes *c);

/* System and developer rows close a segment and are never edges (dsh-rulings 14). */
static inline bool dsh_row_is_system(const struct dsh_row *r)
{
	return r->type == DSH_SYSTEM || r->type == DSH_DEVELOPER;
}

#endif
