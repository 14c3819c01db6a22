/* fnv: FNV-1a 64, the hash of digests and of the hash chain (trace.md). */
#ifndef ENGINE_BASE_FNV_H
#define ENGINE_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

#include "text.h"

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static inline uint64_t fnv_byte(uint64_t h, unsigned char c) { return (h ^ c) * FNV_PRIME; }
uint64_t fnv_bytes(uint64_t h, const void *p, size_t n);
/* Over a text as real UTF-8: U+0000 is one zero byte, an unpaired surrogate is U+FFFD. */
uint64_t fnv_text(uint64_t h, struct str s);
/* Over 8 bytes, most significant first. */
uint64_t fnv_u64(uint64_t h, uint64_t x);
/* 16 lower-case hex digits and NUL. */
void fnv_hex(char out[17], uint64_t h);

#endif
