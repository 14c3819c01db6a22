/*
 * refs: the spelling of message refs and block ids (kernel.md 3).
 *
 * Inside the engine a ref is a number: 1..REF_MAX for the canonical spelling
 * m00001..m99999, REF_NONE, REF_BLOCKED, and numbers above REF_MAX for the
 * foreign spellings a stored state may bring (kept by struct state).
 */
#ifndef ENGINE_KERNEL_REFS_H
#define ENGINE_KERNEL_REFS_H

#include "engine/base/text.h"

enum { REF_NONE = 0, REF_MAX = 99999, REF_TEXT_MAX = 8 };
#define REF_BLOCKED UINT32_MAX

/* Writes m00042 and NUL; false (range error) unless index is 1..REF_MAX. */
bool ref_format(char out[REF_TEXT_MAX], double index);
/* kernel.md 3 "Reading a ref": 1..REF_MAX, or 0 = none. */
uint32_t ref_read(struct str s);

enum boundary_kind { BOUNDARY_NONE, BOUNDARY_MESSAGE, BOUNDARY_BLOCK };
struct boundary_ref {
	enum boundary_kind kind;
	uint32_t number;
	struct str spelling; /* trimmed, ASCII lower case, in the arena */
};
/* kernel.md 3 "Reading a boundary". */
struct boundary_ref boundary_read(struct arena *a, struct str s);

/* The decimal number after the first character as kernel.md 4.6.2 takes it, or -1 when unreadable. */
double ref_number(struct str s);
/* kernel.md 8.2: block id argument of decompress; .p NULL = none. */
struct str block_id_argument(struct arena *a, struct str s);

#endif
