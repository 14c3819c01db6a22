/* arena, vec, buf, error: memory and the small carriers of engine/base. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/base/error.h"
#include "engine/base/vec.h"

static void pieces_are_aligned_and_apart(void **state)
{
	static const size_t sizes[] = {0, 1, 3, 16, 17, 4000, 5000, 1 << 21, 1, 0};
	unsigned char *p[sizeof sizes / sizeof *sizes];
	struct arena a = {0};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		p[i] = arena_alloc(&a, sizes[i]);
		assert_int_equal((uintptr_t)p[i] % _Alignof(max_align_t), 0);
		memset(p[i], (int)i, sizes[i]);
	}
	for (i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (k = 0; k < sizes[i]; k++)
			assert_int_equal(p[i][k], i);
	arena_free(&a);
	assert_null(a.chunk);
	assert_int_equal(a.used, 0);
}

static void zeroed_and_copied(void **state)
{
	struct arena a = {0};
	unsigned char *p = arena_alloc(&a, 100);
	struct arena_mark m;
	char *c;
	size_t i;

	(void)state;
	m = arena_mark(&a);
	memset(arena_alloc(&a, 1000), 0xFF, 1000);
	arena_release(&a, m);
	p = arena_zero(&a, 100, 10);
	for (i = 0; i < 1000; i++)
		assert_int_equal(p[i], 0);
	c = arena_copy(&a, "ab\0cd", 5);
	assert_memory_equal(c, "ab\0cd\0", 6);
	assert_string_equal(arena_copy(&a, NULL, 0), "");
	arena_free(&a);
}

struct log {
	int seen[8];
	int n;
};

struct entry {
	struct log *log;
	int number;
};

static void note(void *ptr)
{
	struct entry *e = ptr;

	e->log->seen[e->log->n++] = e->number;
}

static void clean_ups_run_newest_first_and_once(void **state)
{
	struct log log = {{0}, 0};
	struct entry e[4] = {{&log, 0}, {&log, 1}, {&log, 2}, {&log, 3}};
	struct arena a = {0};
	struct arena_mark m;

	(void)state;
	arena_defer(&a, note, &e[0]);
	m = arena_mark(&a);
	arena_defer(&a, note, &e[1]);
	arena_alloc(&a, 100000);
	arena_defer(&a, note, &e[2]);
	arena_release(&a, m);
	assert_int_equal(log.n, 2);
	assert_int_equal(log.seen[0], 2);
	assert_int_equal(log.seen[1], 1);
	arena_defer(&a, note, &e[3]);
	arena_free(&a);
	assert_int_equal(log.n, 4);
	assert_int_equal(log.seen[2], 3);
	assert_int_equal(log.seen[3], 0);
	arena_free(&a);
	assert_int_equal(log.n, 4);
}

static void release_keeps_what_is_older(void **state)
{
	struct arena a = {0};
	char *kept = arena_copy(&a, "kept", 4);
	size_t used = a.used;
	int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		struct arena_mark m = arena_mark(&a);

		memset(arena_alloc(&a, (size_t)i * 997), 'x', (size_t)i * 997);
		memset(arena_alloc(&a, 10), 'y', 10);
		arena_release(&a, m);
		assert_string_equal(kept, "kept");
		assert_int_equal(a.used, used);
	}
	arena_free(&a);
}

static void release_of_everything_leaves_a_usable_arena(void **state)
{
	struct arena a = {0};
	struct arena_mark empty = arena_mark(&a);
	int i;

	(void)state;
	for (i = 0; i < 50; i++) {
		char *p = arena_alloc(&a, 3000);
		char *q = arena_alloc(&a, 3000);

		memset(p, 'p', 3000);
		memset(q, 'q', 3000);
		assert_int_equal(p[2999], 'p');
		assert_int_equal(q[0], 'q');
		arena_release(&a, empty);
		assert_int_equal(a.used, 0);
	}
	arena_free(&a);
}

static void vec_grows_and_fills(void **state)
{
	VEC(int) v = {0};
	int i;

	(void)state;
	for (i = 0; i < 1000; i++)
		vec_push(&v, i);
	assert_int_equal(v.n, 1000);
	for (i = 0; i < 1000; i++)
		assert_int_equal(v.v[i], i);
	vec_fill(&v, 1500);
	assert_int_equal(v.n, 1500);
	assert_int_equal(v.v[999], 999);
	assert_int_equal(v.v[1000], 0);
	assert_int_equal(v.v[1499], 0);
	vec_fill(&v, 10);
	assert_int_equal(v.n, 1500);
	vec_free(&v);
	assert_null(v.v);
	assert_int_equal(v.cap, 0);
}

static void buf_writes(void **state)
{
	struct buf b = {0};
	char want[301];
	int i;

	(void)state;
	assert_int_equal(buf_view(&b).n, 0);
	assert_non_null(buf_view(&b).p);
	buf_bytes(&b, NULL, 0);
	buf_str(&b, (struct str){0});
	assert_int_equal(b.n, 0);
	buf_text(&b, "a");
	buf_char(&b, 'b');
	buf_str(&b, STR("c\0d"));
	buf_printf(&b, "-%d%s", 42, "!");
	assert_int_equal(b.n, 9);
	assert_memory_equal(b.p, "abc\0d-42!\0", 10);
	buf_cut(&b, 3);
	assert_string_equal(b.p, "abc");
	memset(want, 'z', 300);
	want[300] = '\0';
	buf_cut(&b, 0);
	buf_printf(&b, "%s", want);
	assert_string_equal(b.p, want);
	for (i = 0; i < 300; i++)
		buf_char(&b, 'z');
	assert_int_equal(b.n, 600);
	assert_int_equal(b.p[599], 'z');
	assert_int_equal(b.p[600], '\0');
	buf_free(&b);
	assert_null(b.p);
	assert_int_equal(b.n + b.cap, 0);
}

static void error_keeps_place_and_clips(void **state)
{
	struct error e = {.file = "f.jsonl", .line = 7, .byte = 9};
	char longer[1000];

	(void)state;
	assert_int_equal(error_set(&e, STATUS_DATA, "no %s at %d", "header", 3), STATUS_DATA);
	assert_string_equal(e.message, "no header at 3");
	assert_string_equal(e.file, "f.jsonl");
	assert_int_equal(e.line, 7);
	assert_int_equal(e.byte, 9);
	assert_int_equal(error_set(NULL, STATUS_IO, "%d", 1), STATUS_IO);
	memset(longer, 'm', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	error_set(&e, STATUS_LIMIT, "%s", longer);
	assert_int_equal(strlen(e.message), sizeof e.message - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_aligned_and_apart),
		cmocka_unit_test(zeroed_and_copied),
		cmocka_unit_test(clean_ups_run_newest_first_and_once),
		cmocka_unit_test(release_keeps_what_is_older),
		cmocka_unit_test(release_of_everything_leaves_a_usable_arena),
		cmocka_unit_test(vec_grows_and_fills),
		cmocka_unit_test(buf_writes),
		cmocka_unit_test(error_keeps_place_and_clips),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
