/*
 * Slices: every turn of one has the surface and the numbers that it has in the
 * whole session, on samples of every host and on generated ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>

#include "replay/slice.h"
#include "tests/generate.h"
#include "tests/replayed.h"

static void put(void *ctx, const char *bytes, size_t n) { buf_bytes(ctx, bytes, n); }

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* What a trace says of a turn, but for its number, the chain and what only grows: counts of all that ever was. */
static bool same_turn(const struct moment *a, const struct moment *b)
{
	return a->digest == b->digest && same_number(a->tokens, b->tokens) && same_number(a->raw, b->raw) &&
	       same_number(a->own, b->own) && same_number(a->usage, b->usage) && same_number(a->growth, b->growth) &&
	       same_number(a->pending[0], b->pending[0]) && same_number(a->pending[1], b->pending[1]) &&
	       same_number(a->pending[2], b->pending[2]) && a->surface == b->surface && a->rows == b->rows &&
	       a->compressible == b->compressible && a->recommended == b->recommended &&
	       a->protected_ranges == b->protected_ranges && a->blocks == b->blocks && a->active == b->active &&
	       a->nudge_tier == b->nudge_tier;
}

static void check(struct replayed *whole, const char *name, uint32_t first, uint32_t last)
{
	struct replayed part;
	struct slice s = {.first = first, .last = last};
	struct buf bytes = {0};
	struct error e = {0};
	uint32_t before;

	slice_make(&whole->run, &s);
	assert_int_equal(recording_write_edited(&whole->recording, &s.edit, (struct recording_writer){put, &bytes}, &e),
			 STATUS_OK);
	replayed_open(&part, buf_view(&bytes));
	replayed_start(&part, NULL);
	replayed_finish(&part);
	before = s.keeps_before ? first - 1 : 0;
	if (part.run.timeline.turns.n != before + last - first + 1)
		fail_msg("%s: slice %u..%u has %zu turns", name, first, last, part.run.timeline.turns.n);
	for (uint32_t i = 0; i <= last - first; i++)
		if (!same_turn(&whole->run.timeline.turns.v[first - 1 + i], &part.run.timeline.turns.v[before + i]))
			fail_msg("%s: turn %u of slice %u..%u is another one", name, first + i, first, last);
	replayed_close(&part);
	slice_free(&s);
	buf_free(&bytes);
}

static void check_text(struct str text, const char *name)
{
	struct replayed whole;
	uint32_t n;

	replayed_open(&whole, text);
	replayed_start(&whole, NULL);
	replayed_finish(&whole);
	n = (uint32_t)whole.run.timeline.turns.n;
	if (n > 0 && !whole.run.failed) {
		check(&whole, name, 1, n);
		check(&whole, name, n, n);
		check(&whole, name, (n + 1) / 2, n);
		check(&whole, name, 1, (n + 1) / 2);
		check(&whole, name, (n + 2) / 3, n - n / 3);
	}
	replayed_close(&whole);
}

static void test_samples(void **state)
{
	DIR *folder = opendir("sample-sessions");
	struct dirent *entry;
	size_t files = 0;

	(void)state;
	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		char path[400], chunk[4096];
		struct buf text = {0};
		size_t length = strlen(entry->d_name), n;
		FILE *f;

		if (length < 6 || strcmp(entry->d_name + length - 6, ".jsonl") != 0)
			continue;
		snprintf(path, sizeof path, "sample-sessions/%s", entry->d_name);
		f = fopen(path, "rb");
		assert_non_null(f);
		while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
			buf_bytes(&text, chunk, n);
		fclose(f);
		check_text(buf_view(&text), entry->d_name);
		buf_free(&text);
		files++;
	}
	closedir(folder);
	assert_true(files > 15);
}

static void test_generated(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		struct generate_options o = {.shape = (enum generate_shape)(i % GENERATE_SHAPES),
					     .seed = 1000 + i,
					     .turns = GENERATE_TYPES_TURNS + i % 20};
		struct buf text = {0};
		char name[60];

		snprintf(name, sizeof name, "%s, seed %u", generate_shape_name(o.shape), 1000 + i);
		generate_recording(&o, &text);
		check_text(buf_view(&text), name);
		buf_free(&text);
	}
}

/* The session has 14 turns. */
static void test_words(void **state)
{
	static const struct {
		const char *text;
		uint32_t first, last; /* 0 = refused */
	} cases[] = {{"3..9", 3, 9},  {"3..", 3, 14}, {"..9", 1, 9},  {"7", 7, 7},     {" 1..14 ", 1, 14},
		     {"..", 1, 14},   {"0..3", 0, 0}, {"9..3", 0, 0}, {"3..15", 0, 0}, {"15", 0, 0},
		     {"3..9x", 0, 0}, {"3-9", 0, 0},  {"", 0, 0},     {"x", 0, 0},     {"99999999999999999999", 0, 0},
		     {"1...3", 0, 0}, {"3.9", 0, 0}};
	struct replayed whole;
	struct buf text = {0};

	(void)state;
	buf_text(
		&text,
		"{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"model\":\"m\",\"config\":{}}\n");
	for (int i = 0; i < 14; i++)
		buf_text(&text, "{\"type\":\"turn\"}\n");
	replayed_open(&whole, buf_view(&text));
	replayed_start(&whole, NULL);
	replayed_finish(&whole);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct slice s = {0};
		struct error e = {0};
		bool good = slice_parse(&whole.run, str_of(cases[i].text), &s, &e) == STATUS_OK;

		if (good != (cases[i].first > 0) || s.first != cases[i].first || s.last != cases[i].last)
			fail_msg("'%s': %u..%u %s", cases[i].text, s.first, s.last, e.message);
	}
	replayed_close(&whole);
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_generated),
		cmocka_unit_test(test_words),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
