/*
 * temp_file: files that a test writes, loads and forgets.
 *
 * Each lies in TMPDIR (else /tmp) and is removed by temp_file_remove.
 */
#ifndef TESTS_TEMP_FILE_H
#define TESTS_TEMP_FILE_H

#include <cjson/cJSON.h>

#include "engine/base/buf.h"

struct temp_file {
	char path[256];
};

/* Writes the bytes; the running test fails when that does not work. */
void temp_file_write(struct temp_file *f, struct str bytes);
void temp_file_remove(struct temp_file *f);

/*
 * The bytes a case describes: a string, or a list of strings, {"hex": "ff00"} and {"repeat": text, "times": n}.
 * U+0000 in a string is one zero byte.
 */
void temp_file_bytes(struct buf *b, const cJSON *described);

#endif
