/* readers: every reader there is, for the table in readers.c only. */
#ifndef REPLAY_READERS_READERS_H
#define REPLAY_READERS_READERS_H

#include "replay/readers/reader.h"

extern const struct reader reader_acps, reader_pi, reader_dsh;

#endif
