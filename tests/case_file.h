/*
 * case_file: test cases kept as data.
 *
 * A case file holds one JSON object a line; `name` says which case it is, the
 * rest belongs to the test that reads it. Lines that are empty or start with
 * `#` are skipped. Paths are relative to the root of the repository, where the
 * tests run. Cases, and the texts in them, live until case_file_each goes on
 * to the next line.
 */
#ifndef TESTS_CASE_FILE_H
#define TESTS_CASE_FILE_H

#include <cjson/cJSON.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"

/*
 * Calls fn for every case. The running test fails when the file cannot be
 * read, holds no case, or holds a line that is not an object with a `name`.
 */
void case_file_each(const char *path, void (*fn)(const cJSON *one, void *ctx), void *ctx);

/* Prints the name of the case and the formatted reason, then fails the running test; does not return. */
void case_fail(const cJSON *one, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

/* Fails, naming the case and `what`, unless the texts are equal; both are printed as JSON strings. */
void case_expect_text(const cJSON *one, const char *what, struct str got, struct str want);

/* Fails, naming the case and `what`, unless the numbers are equal. */
void case_expect_count(const cJSON *one, const char *what, size_t got, size_t want);

/*
 * The text with every `<c*N>` (one ASCII character, N decimal digits) written
 * out as N times the character, as in kernel.md 10; anything else stays.
 */
struct str case_expand(struct arena *a, struct str text);

#endif
