/*
 * load: any bytes as a session file, for the fuzz targets. The recording holds
 * the file open; its name is gone.
 */
#ifndef TESTS_FUZZ_LOAD_H
#define TESTS_FUZZ_LOAD_H

#include "replay/recording.h"

/* False: it does not load, which is fine. Else recording_free gives it back. */
bool load_bytes(struct recording *r, const char *bytes, size_t n, const char *from);

#endif
