/*
 * strict_args: compress arguments as the v0.0.41 kernel and the adapters before
 * the lenient parser read them (kernel.md 8.1, pi-rulings 1, args=strict).
 *
 * Strict JSON, `content` a list, startId, endId, messageId; nothing is
 * salvaged. Results lie in the arena given.
 */
#ifndef ENGINE_KERNEL_STRICT_ARGS_H
#define ENGINE_KERNEL_STRICT_ARGS_H

#include "engine/base/json.h"
#include "engine/kernel/parse_args.h"

/* Arguments given as a decoded value, NULL = absent; a JSON string is parsed once. `call` absent = none. */
void strict_args_value(struct arena *a, const cJSON *value, struct str call, struct parse_result *out);
/* The same for text. */
void strict_args_text(struct arena *a, struct str text, struct str call, struct parse_result *out);

#endif
