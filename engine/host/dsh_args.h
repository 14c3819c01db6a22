/*
 * dsh_args: the arguments of a compress call of the DSH plugin, made into what
 * parse_args reads (dsh.md 6.1, dsh-rulings 8).
 *
 * The plugin takes seqs as edges, as numbers too, and arguments wrapped once
 * more in `arguments`. Trees are borrowed; what is new lies in the arena.
 */
#ifndef ENGINE_HOST_DSH_ARGS_H
#define ENGINE_HOST_DSH_ARGS_H

#include "engine/base/json.h"

/*
 * The value to give to parse_args_value: unwrapped, the edges of each entry as
 * texts under startRef and endRef, to be read by dsh_edge_parse. A text that is
 * no JSON comes back as it is, for salvage.
 */
const cJSON *dsh_args_value(struct arena *a, const cJSON *value);

#endif
