/*
 * dsh_price: what a row costs in the host's unit (dsh.md 8.2, dsh-rulings 16),
 * and the text of its content (3.1), which display tokens are taken of (5.1).
 *
 * Pure functions on trees. The two units are never added or compared: a price
 * counts lengths and fixed charges, display tokens count CJK characters whole.
 */
#ifndef ENGINE_HOST_DSH_PRICE_H
#define ENGINE_HOST_DSH_PRICE_H

#include "engine/base/json.h"

enum { DSH_BLOCK_PRICE = 4 }; /* charge of a row, and of a block */

/* content(...) of dsh.md 8.2: a list of blocks, a string; anything else, or NULL, is 0. The row's own charge is not in
 * it. */
double dsh_content_price(const cJSON *content);
/* Appends the extraction of dsh.md 3.1. */
void dsh_content_text(struct buf *b, const cJSON *content);

#endif
