/*
 * put: members of a JSON object that is being written, each with a comma before
 * it. Internal to the writers of this folder.
 */
#ifndef REPLAY_READERS_PUT_H
#define REPLAY_READERS_PUT_H

#include "engine/base/json.h"
#include "engine/base/names.h"

/* The value as a JSON string. */
void put_text(struct buf *b, const char *member, struct str value);
/* A name of the table; nothing for 0. */
void put_named(struct buf *b, const struct names *names, const char *member, uint32_t name);
/* Nothing for NAN. */
void put_number(struct buf *b, const char *member, double x);

#endif
