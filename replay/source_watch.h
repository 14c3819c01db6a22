/*
 * source_watch: is a file still the one that was loaded?
 *
 * Texts stay in the file and are read when they are needed, so a file that is
 * rewritten in place or cut while it is open would show other words under the
 * same offsets. While a file is loaded every block of it is summed up; once size
 * or time of the file are no longer those that were seen last, a block is summed
 * up again before anything of it is believed. Bytes added at the end change
 * nothing. As long as nobody touches the file a read costs one fstat.
 * Internal to source.c; a source owns its watch.
 */
#ifndef REPLAY_SOURCE_WATCH_H
#define REPLAY_SOURCE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_watch;

/* Of an open regular file; `size` = its bytes that count. */
struct source_watch *source_watch_new(int fd, uint64_t size);
void source_watch_free(struct source_watch *w);
/* Bytes read from `at` on; those behind the last ones taken are summed up, others are passed over. */
void source_watch_take(struct source_watch *w, uint64_t at, const char *bytes, size_t n);
/* Are the bytes at..at + n, read just now, those that were taken? What was not taken yet counts as such. */
bool source_watch_holds(struct source_watch *w, uint64_t at, size_t n);
/* Has something else been found ever? */
bool source_watch_changed(const struct source_watch *w);

#endif
