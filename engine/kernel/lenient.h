/*
 * lenient: reading JSON that a model wrote and a stream may have cut
 * (kernel.md 7.6 to 7.9): fences around it, trailing commas, raw line breaks in
 * strings, a missing end.
 *
 * Texts are in the form of text.h. Trees and repaired copies belong to the
 * arena given to the call. Every function is one or a few linear passes.
 */
#ifndef ENGINE_KERNEL_LENIENT_H
#define ENGINE_KERNEL_LENIENT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"

/* Values in the order they were found; `v` lives in the arena. */
struct lenient_list {
	const cJSON **v;
	size_t n;
};

/* kernel.md 2.5 of a text that was already decoded once; NULL when it does not parse. */
cJSON *lenient_strict(struct arena *a, struct str s);

/* kernel.md 7.6: as it is, without trailing commas, with raw line breaks escaped. NULL when none of them parses. */
cJSON *lenient_parse(struct arena *a, struct str s);

/* kernel.md 7.7: the trimmed inside of a ``` fence, or s itself. */
struct str lenient_unfence(struct str s);

/* kernel.md 7.8: a bracket or a string is still open at the end. */
bool lenient_looks_truncated(struct str s);

/* kernel.md 7.9: the objects that can still be read from the first `"content": [`. */
struct lenient_list lenient_salvage(struct arena *a, struct str s);

#endif
