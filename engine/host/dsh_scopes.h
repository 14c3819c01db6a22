/*
 * dsh_scopes: who holds the newest copy of each instruction file (dsh.md 5.2).
 *
 * A scope is one file; its copies are the agent-instruction rows of the log,
 * shadowed ones included, that carry it in changes[]. Told the rows of a log in
 * order, and taken back row by row, like the surface. A row without a scope is
 * nobody's copy. Owns its lists; dsh_scopes_free.
 */
#ifndef ENGINE_HOST_DSH_SCOPES_H
#define ENGINE_HOST_DSH_SCOPES_H

#include "engine/host/dsh_class.h"

struct dsh_scope {
	uint32_t name;
	VEC(uint32_t) copies; /* rows, oldest first; a row that names the scope twice stands twice */
};

struct dsh_scopes {
	const struct dsh_log *log;
	VEC(struct dsh_scope) list;
	VEC(uint32_t) numbers;   /* by name: place in the list + 1 */
	VEC(uint32_t) baselines; /* rows with baseline:true that the host's gate sees, oldest first */
	size_t exact_n;          /* rows that the gate sees */
};

void dsh_scopes_free(struct dsh_scopes *s);
/* Only agent-instruction rows change anything. */
void dsh_scopes_tell(struct dsh_scopes *s, uint32_t row, const struct dsh_traits *t);
void dsh_scopes_untell(struct dsh_scopes *s, uint32_t row, const struct dsh_traits *t);
/* The scope with this name, or NULL. */
const struct dsh_scope *dsh_scopes_find(const struct dsh_scopes *s, uint32_t name);
/* The row that holds a scope's newest copy, or DSH_NONE. */
uint32_t dsh_scopes_newest(const struct dsh_scopes *s, uint32_t name);
/* Is the row newest for at least one of its scopes (newestInstructionSeqs)? */
bool dsh_scopes_pins(const struct dsh_scopes *s, uint32_t row, const struct dsh_traits *t);
/* What a row says about a scope, the last word of several; NULL when it does not name it. */
const struct dsh_change *dsh_row_change(const struct dsh_row *r, uint32_t scope);

#endif
