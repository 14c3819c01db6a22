#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "engine/base/buf.h"
#include "engine/base/fnv.h"
#include "replay/readers/reader.h"
#include "replay/unpack.h"
#include "tests/temp_file.h"

#define HEADER "{\"type\":\"session\",\"version\":0,\"id\":\"s\",\"createdAt\":1,\"delegationDepth\":0}\n"
#define EVENT  "{\"type\":\"step/start\",\"seq\":%d,\"time\":1,\"data\":{\"turn\":1,\"step\":1}}\n"

static void put_frame(struct buf *b, struct str bytes)
{
	size_t room = ZSTD_compressBound(bytes.n), n;
	ZSTD_CCtx *c = ZSTD_createCCtx();
	char *packed = malloc(room);

	assert_non_null(c);
	assert_non_null(packed);
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(c, packed, room, bytes.p, bytes.n);
	assert_false(ZSTD_isError(n));
	buf_bytes(b, packed, n);
	free(packed);
	ZSTD_freeCCtx(c);
}

/* The beginning of a frame, with all of these bytes in it, and no end. */
static void put_torn(struct buf *b, struct str bytes)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	char packed[4096];
	ZSTD_inBuffer in = {bytes.p, bytes.n, 0};
	ZSTD_outBuffer out = {packed, sizeof packed, 0};

	assert_non_null(c);
	assert_int_equal(ZSTD_compressStream2(c, &out, &in, ZSTD_e_flush), 0);
	buf_bytes(b, packed, out.pos);
	ZSTD_freeCCtx(c);
}

static struct buf events(int from, int to)
{
	struct buf b = {0};

	for (; from < to; from++)
		buf_printf(&b, EVENT, from);
	return b;
}

static void put_events(struct buf *packed, int from, int to)
{
	struct buf b = events(from, to);

	put_frame(packed, buf_view(&b));
	buf_free(&b);
}

/* What unpacking the bytes leaves, in steps of `step`. */
struct unpacked {
	struct source source;
	struct unpack job;
	struct arena arena;
	struct str text;
	size_t steps;
};

static void run(struct unpacked *u, struct str bytes, size_t step, bool from_memory)
{
	struct error e = {{0}, {0}, 0, 0};
	struct temp_file f;
	enum status st = STATUS_OK;
	double before = 0;

	*u = (struct unpacked){.steps = 1};
	temp_file_write(&f, bytes);
	assert_int_equal(source_open(&u->source, f.path, &e), STATUS_OK);
	temp_file_remove(&f);
	if (from_memory) { /* as what came through a pipe */
		close(u->source.fd);
		u->source.fd = -1;
		u->source.bytes = malloc(bytes.n);
		assert_non_null(u->source.bytes);
		memcpy(u->source.bytes, bytes.p, bytes.n);
	}
	assert_true(unpack_wanted(&u->source));
	assert_int_equal(unpack_begin(&u->job, &u->source, &e), STATUS_OK);
	assert_int_equal(u->source.size, 0);
	for (; unpack_step(&u->job, &u->source, step, &st, &e); u->steps++) {
		double now = unpack_progress(&u->job);

		assert_true(now >= before && now <= 1);
		before = now;
	}
	assert_int_equal(st, STATUS_OK);
	assert_true(unpack_progress(&u->job) == 1);
	assert_int_equal(u->source.packed_size, bytes.n);
	assert_true(u->source.packed_digest == fnv_bytes(FNV_START, bytes.p, bytes.n));
	u->text = source_read(&u->source, 0, u->source.size, &u->arena);
	assert_int_equal(u->text.n, u->source.size);
}

static void done(struct unpacked *u)
{
	unpack_free(&u->job);
	source_close(&u->source);
	arena_free(&u->arena);
}

static void frames(void **state)
{
	static const size_t steps[] = {1, 100, 1 << 20};
	struct buf packed = {0}, plain = {0};
	struct unpacked u;
	size_t i;

	(void)state;
	put_frame(&packed, STR(HEADER));
	buf_text(&plain, HEADER);
	for (i = 0; i < 20; i++) {
		struct buf b = events((int)i * 1000, (int)(i + 1) * 1000);

		put_frame(&packed, buf_view(&b));
		buf_str(&plain, buf_view(&b));
		buf_free(&b);
	}
	for (i = 0; i < 2 * sizeof steps / sizeof *steps; i++) {
		run(&u, buf_view(&packed), steps[i / 2], i % 2);
		assert_true(str_eq(u.text, buf_view(&plain)));
		assert_int_equal(u.job.frames, 21);
		assert_int_equal(u.job.first_frame, sizeof HEADER - 1);
		assert_int_equal(u.job.first_line, sizeof HEADER - 1);
		assert_false(u.job.torn);
		assert_null(u.job.problem);
		assert_true(u.steps > 1 || steps[i / 2] > 1000);
		done(&u);
	}
	buf_free(&packed);
	buf_free(&plain);
}

/* One megabyte in few bytes: a step ends after about its budget. */
static void much_from_little(void **state)
{
	size_t n = (size_t)1 << 24;
	char *zeros = malloc(n);
	struct buf packed = {0};
	struct unpacked u;

	(void)state;
	assert_non_null(zeros);
	memset(zeros, 'x', n);
	put_frame(&packed, (struct str){zeros, n});
	assert_true(packed.n < 4096);
	run(&u, buf_view(&packed), 1 << 20, false);
	assert_int_equal(u.text.n, n);
	assert_true(u.steps >= 16);
	done(&u);
	free(zeros);
	buf_free(&packed);
}

/* RFC 8878 3.1.2: magic 0x184D2A50 to 5F, the size, bytes that say nothing; all little endian. */
static void skippable_frames(void **state)
{
	struct unpacked u;

	(void)state;
	for (int low = 0; low < 16; low++) {
		struct buf packed = {0};

		buf_char(&packed, (char)(0x50 + low));
		buf_bytes(&packed, "\x2A\x4D\x18\4\0\0\0abcd", 11);
		put_frame(&packed, STR(HEADER));
		run(&u, buf_view(&packed), 1000, low & 1);
		assert_true(str_eq(u.text, STR(HEADER)));
		assert_int_equal(u.job.frames, 1);
		assert_int_equal(u.job.first_frame, u.text.n);
		assert_false(u.job.torn);
		assert_null(u.job.problem);
		done(&u);
		buf_free(&packed);
	}
	assert_false(unpack_is_zstd(STR("\x60\x2A\x4D\x18")));
	assert_false(unpack_is_zstd(STR("\x50\x2A\x4D")));
}

/* dsh-rulings 24: of a torn frame only complete lines count. */
static void torn_frames(void **state)
{
	static const struct {
		const char *torn, *kept;
	} wanted[] = {{"a\nb\nc", "a\nb\n"}, {"a\nb\n", "a\nb\n"}, {"abc", ""}, {"", ""}};
	struct unpacked u;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		struct buf packed = {0}, plain = {0};

		/* the line before is complete, as its frame is, though it has no end */
		put_frame(&packed, STR("{}\n{\"x\":1}"));
		put_torn(&packed, str_of(wanted[i].torn));
		buf_text(&plain, "{}\n{\"x\":1}");
		buf_text(&plain, wanted[i].kept);
		run(&u, buf_view(&packed), 1000, false);
		assert_true(str_eq(u.text, buf_view(&plain)));
		assert_int_equal(u.job.torn, packed.n > 0 && *wanted[i].torn);
		assert_int_equal(u.job.frames, 1);
		assert_null(u.job.problem);
		done(&u);
		buf_free(&packed);
		buf_free(&plain);
	}
}

/* Cut anywhere: what is there is a beginning of the whole, in complete lines or frames. */
static void cut_anywhere(void **state)
{
	struct buf packed = {0}, plain = {0}, b = events(0, 40);
	struct unpacked u;
	size_t n, frame;

	(void)state;
	put_frame(&packed, STR(HEADER));
	frame = packed.n;
	put_frame(&packed, buf_view(&b));
	buf_text(&plain, HEADER);
	buf_str(&plain, buf_view(&b));
	for (n = 4; n <= packed.n; n++) {
		run(&u, str_cut(buf_view(&packed), 0, n), 1 << 20, false);
		assert_true(str_starts(buf_view(&plain), u.text));
		assert_true(u.text.n == 0 || u.text.p[u.text.n - 1] == '\n');
		assert_int_equal(u.job.torn, n != frame && n != packed.n);
		assert_true(n < frame || u.text.n >= sizeof HEADER - 1);
		done(&u);
	}
	buf_free(&b);
	buf_free(&packed);
	buf_free(&plain);
}

static void damaged(void **state)
{
	struct buf packed = {0};
	struct unpacked u;
	size_t second;

	(void)state;
	put_frame(&packed, STR(HEADER));
	second = packed.n;
	put_events(&packed, 0, 3);
	buf_text(&packed, "junk behind it");
	run(&u, buf_view(&packed), 1 << 20, false);
	assert_int_equal(u.job.frames, 2);
	assert_non_null(u.job.problem);
	assert_false(u.job.torn);
	assert_true(u.text.n > sizeof HEADER - 1 && u.text.p[u.text.n - 1] == '\n');
	done(&u);

	packed.p[second] = 'x'; /* the second frame is none */
	run(&u, buf_view(&packed), 1 << 20, false);
	assert_int_equal(u.job.frames, 1);
	assert_int_equal(u.job.problem_at, second);
	assert_true(str_eq(u.text, STR(HEADER)));
	done(&u);
	buf_free(&packed);
}

/* --- as a recording --- */

static void load(struct recording *r, struct temp_file *f, struct str bytes)
{
	struct error e = {{0}, {0}, 0, 0};

	temp_file_write(f, bytes);
	assert_int_equal(recording_load(r, f->path, NULL, &e), STATUS_OK);
}

static bool notes_say(const struct recording *r, const char *what)
{
	size_t i;

	for (i = 0; i < r->notes.n; i++)
		if (str_find(r->notes.v[i], str_of(what), 0) != SIZE_MAX)
			return true;
	return false;
}

static void said_of_logs(void **state)
{
	struct buf packed = {0}, all = {0}, b = events(0, 3);
	struct recording r;
	struct temp_file f;

	(void)state;
	put_frame(&packed, STR(HEADER));
	put_frame(&packed, buf_view(&b));
	load(&r, &f, buf_view(&packed));
	assert_string_equal(r.reader->name, "dsh");
	assert_int_equal(r.records.n, 3);
	assert_int_equal(r.notes.n, 0);
	assert_int_equal(recording_damages(&r), 0);
	assert_true(recording_digest(&r) == fnv_bytes(FNV_START, packed.p, packed.n));
	recording_free(&r);
	temp_file_remove(&f);

	/* the second frame torn in the middle of a line: complete lines, one finding (S12) */
	buf_cut(&packed, 0);
	put_frame(&packed, STR(HEADER));
	put_torn(&packed, str_cut(buf_view(&b), 0, b.n - 5));
	load(&r, &f, buf_view(&packed));
	assert_int_equal(r.records.n, 2);
	assert_int_equal(recording_damages(&r), 1);
	assert_int_equal(r.damages.v[0].kind, DAMAGE_TORN);
	recording_free(&r);
	temp_file_remove(&f);

	/* one frame for all: the host fails on it (dsh.md 1.7) */
	buf_text(&all, HEADER);
	buf_str(&all, buf_view(&b));
	buf_cut(&packed, 0);
	put_frame(&packed, buf_view(&all));
	load(&r, &f, buf_view(&packed));
	assert_int_equal(r.records.n, 3);
	assert_int_equal(recording_damages(&r), 0);
	assert_true(notes_say(&r, "one single zstd frame"));
	recording_free(&r);
	temp_file_remove(&f);

	put_events(&packed, 3, 4);
	load(&r, &f, buf_view(&packed));
	assert_int_equal(r.records.n, 4);
	assert_true(notes_say(&r, "not the header line alone"));
	recording_free(&r);
	temp_file_remove(&f);
	buf_free(&packed);
	buf_free(&all);
	buf_free(&b);
}

/* What is compressed is told by its bytes, and may be any format; without a place for the bytes it says so. */
static void any_format(void **state)
{
	struct str own =
		STR("{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\"}\n{\"type\":\"turn\"}\n");
	struct buf packed = {0};
	struct recording r;
	struct temp_file f;
	struct error e = {{0}, {0}, 0, 0};

	(void)state;
	put_frame(&packed, own);
	load(&r, &f, buf_view(&packed));
	assert_string_equal(r.reader->name, "acps");
	assert_int_equal(r.turns.n, 1);
	recording_free(&r);
	temp_file_remove(&f);

	buf_cut(&packed, 8);
	temp_file_write(&f, buf_view(&packed));
	assert_int_equal(recording_load(&r, f.path, NULL, &e), STATUS_DATA);
	assert_non_null(strstr(e.message, "zstd"));
	temp_file_remove(&f);
	buf_free(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames),       cmocka_unit_test(much_from_little), cmocka_unit_test(skippable_frames),
		cmocka_unit_test(torn_frames),  cmocka_unit_test(cut_anywhere),     cmocka_unit_test(damaged),
		cmocka_unit_test(said_of_logs), cmocka_unit_test(any_format),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
