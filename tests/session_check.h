/*
 * session_check: loading recordings in tests, writing them out, comparing two.
 */
#ifndef TESTS_SESSION_CHECK_H
#define TESTS_SESSION_CHECK_H

#include "engine/base/buf.h"
#include "replay/recording.h"
#include "tests/temp_file.h"

/* Loads the file; the running test fails, naming `name`, when that does not work. */
void session_load(struct recording *r, const char *path, const char *name);
/* Writes the bytes to a temporary file and loads it. */
void session_load_bytes(struct recording *r, struct temp_file *f, struct str bytes, const char *name);
/* The recording in our own format, appended to b. */
void session_write(struct recording *r, struct buf *b, const char *name);

/*
 * Fails, naming `name`, unless both give a replay the same: types, rows with their texts and measures, arguments,
 * outcomes, turns, the session's members. Notes count only when `notes`.
 */
void session_expect_same(struct recording *a, struct recording *b, bool notes, const char *name);

/*
 * Converts, loads what was written, compares, replays both (the same hash after the last turn), and writes once more:
 * the same bytes (recording.md: for every readable file F, replaying `convert F` gives the same trace).
 */
void session_check_convert(const char *path, const char *name);

/* A file of the folder named by ACPDBG_SHARED (else ../shared), or false when it is not there. */
bool session_shared(char path[512], const char *name);

#endif
