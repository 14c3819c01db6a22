/*
 * dsh_strip: which rows the plugin hides because a call and its result have
 * lost each other (dsh.md 8.5, 8.6).
 *
 * It only finds them: the recorded hides are rows of the log, and a range table
 * works on a copy on which these rows count as empty (dsh-rulings 6). A strip
 * keeps its scratch from use to use; dsh_strip_free.
 */
#ifndef ENGINE_HOST_DSH_STRIP_H
#define ENGINE_HOST_DSH_STRIP_H

#include "engine/host/dsh_surface.h"

struct dsh_strip {
	VEC(uint8_t) hidden; /* by position in the list of nodes */
	size_t hidden_n;
	VEC(uint32_t) owner;   /* scratch, by name: position of the call's row + 1 */
	VEC(uint8_t) open;     /* scratch, by name */
	VEC(uint8_t) healthy;  /* scratch, by position */
	VEC(uint32_t) touched; /* scratch: names to clear */
};

/* Nodes in order; calls that are in flight (names) keep their rows. */
void dsh_strip_find(struct dsh_strip *s, const struct dsh_log *log, const struct dsh_rows *nodes,
		    const uint32_t *in_flight, size_t in_flight_n);
/* openToolCallIds (8.5): ids of calls on the surface without a result behind them, in order. */
void dsh_open_calls(struct dsh_strip *s, const struct dsh_log *log, const struct dsh_rows *nodes, struct dsh_rows *ids);
void dsh_strip_free(struct dsh_strip *s);

#endif
