/*
 * fuzz_recording: any bytes as a session file, through every reader: load,
 * read all texts, write, load what was written, compare, print info.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_recording.c
 *
 * Corpus: the files of tests/cases/recording*.jsonl, and sample-sessions.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay/readers/reader.h"
#include "replay/report/info.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void append(void *ctx, const char *bytes, size_t n) { buf_bytes(ctx, bytes, n); }

/* Loads the bytes; what does not load is fine. */
static bool load(struct recording *r, const char *bytes, size_t n, const char *from)
{
	char path[] = "/tmp/fuzz-recording-XXXXXX";
	struct error e;
	enum status st;
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	close(fd);
	st = recording_open(r, path, from, &e);
	unlink(path);
	while (st == STATUS_OK && recording_load_step(r, 1 << 16, &st, &e))
		;
	return st == STATUS_OK;
}

static void check(const char *bytes, size_t n, const char *from)
{
	struct recording r, again;
	struct buf written = {0}, text = {0};
	struct arena scratch = {0};
	struct error e;
	size_t i;

	if (!load(&r, bytes, n, from))
		return;
	for (i = 0; i < r.messages.n; i++) {
		struct message_record *m = &r.messages.v[i];
		struct face f = face_of(recording_text(&r, m->text, &scratch));

		if (f.size.units != m->message.face.size.units || f.traits != m->message.face.traits)
			abort();
	}
	info_print(&r, NULL, &text);
	if (recording_write(&r, (struct recording_writer){append, &written}, &e) != STATUS_OK)
		abort();
	if (!load(&again, written.p, written.n, NULL) || again.messages.n != r.messages.n ||
	    again.turns.n != r.turns.n || again.compressions.n != r.compressions.n || again.skipped != 0)
		abort();
	recording_free(&again);
	recording_free(&r);
	buf_free(&written);
	buf_free(&text);
	arena_free(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	check((const char *)data, n, NULL);
	check((const char *)data, n, "pi");
	return 0;
}
