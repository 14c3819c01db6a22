/*
 * fuzz_recording: any bytes as a session file, through every reader: load, read
 * all texts, write, load what was written, compare, print info. `make fuzz`.
 */
#include <stdint.h>
#include <stdlib.h>

#include "replay/report/info.h"
#include "tests/fuzz/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void append(void *ctx, const char *bytes, size_t n) { buf_bytes(ctx, bytes, n); }

static void check(const char *bytes, size_t n, const char *from)
{
	struct recording r, again;
	struct buf written = {0}, text = {0};
	struct arena scratch = {0};
	struct error e;
	size_t i;

	if (!load_bytes(&r, bytes, n, from))
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
	if (!load_bytes(&again, written.p, written.n, NULL) || again.messages.n != r.messages.n ||
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
