/*
 * error: how a function says what went wrong.
 *
 * A function that can fail returns `enum status` and fills a caller-given
 * `struct error` (may be NULL). The text never contains raw session bytes:
 * what is quoted from a file has been escaped by the writer of the message.
 */
#ifndef ENGINE_BASE_ERROR_H
#define ENGINE_BASE_ERROR_H

#include <stdint.h>

enum status {
	STATUS_OK = 0,
	STATUS_USAGE,    /* the caller asked for something that does not exist (exit 64) */
	STATUS_DATA,     /* input cannot be read as what it should be (exit 65) */
	STATUS_NO_INPUT, /* no such file (exit 66) */
	STATUS_LIMIT,    /* a documented limit was reached (ref-capacity) */
	STATUS_IO        /* reading or writing failed (exit 70) */
};

struct error {
	char message[512]; /* one sentence, no line feed, no final stop */
	char file[256];    /* empty = no file */
	uint64_t line;     /* 1-based; 0 = unknown */
	uint64_t byte;     /* 0-based offset in the file; meaningful when line > 0 */
};

/* Fills *e (if not NULL) with a printf-formatted message and returns `s`. Keeps file, line and byte. */
enum status error_set(struct error *e, enum status s, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
