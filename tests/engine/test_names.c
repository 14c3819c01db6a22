/* names: interning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/base/names.h"

static void numbers_are_given_in_order(void **state)
{
	struct names t;

	(void)state;
	names_init(&t);
	assert_int_equal(names_add(&t, STR("")), 0);
	assert_int_equal(names_add(&t, (struct str){0}), 0);
	assert_int_equal(names_add(&t, STR("read")), 1);
	assert_int_equal(names_add(&t, STR("bash")), 2);
	assert_int_equal(names_add(&t, STR("read")), 1);
	assert_int_equal(names_add(&t, STR("rea")), 3);
	assert_int_equal(names_find(&t, STR("bash")), 2);
	assert_int_equal(names_find(&t, STR("Bash")), UINT32_MAX);
	assert_int_equal(names_find(&t, STR("")), 0);
	assert_true(str_eq(names_get(&t, 0), STR("")));
	assert_true(str_eq(names_get(&t, 3), STR("rea")));
	names_free(&t);
}

static void the_table_owns_its_strings(void **state)
{
	char text[] = "toolu_1";
	struct names t;

	(void)state;
	names_init(&t);
	names_add(&t, str_of(text));
	memset(text, 'x', 7);
	assert_true(str_eq(names_get(&t, 1), STR("toolu_1")));
	assert_int_equal(names_find(&t, STR("toolu_1")), 1);
	assert_int_equal(names_find(&t, str_of(text)), UINT32_MAX);
	names_free(&t);
}

static void a_hundred_thousand_names(void **state)
{
	struct names t;
	char text[32];
	uint32_t i;

	(void)state;
	names_init(&t);
	for (i = 1; i <= 100000; i++) {
		int n = snprintf(text, sizeof text, "call-%u", (unsigned)i * 7919u);

		assert_int_equal(names_add(&t, (struct str){text, (size_t)n}), i);
	}
	for (i = 1; i <= 100000; i++) {
		int n = snprintf(text, sizeof text, "call-%u", (unsigned)i * 7919u);

		assert_int_equal(names_find(&t, (struct str){text, (size_t)n}), i);
		assert_true(str_eq(names_get(&t, i), (struct str){text, (size_t)n}));
	}
	names_free(&t);
}

static void an_empty_table_can_be_freed(void **state)
{
	struct names t;

	(void)state;
	names_init(&t);
	assert_int_equal(names_find(&t, STR("x")), UINT32_MAX);
	names_free(&t);
	assert_int_equal(t.list.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_given_in_order),
		cmocka_unit_test(the_table_owns_its_strings),
		cmocka_unit_test(a_hundred_thousand_names),
		cmocka_unit_test(an_empty_table_can_be_freed),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
