/* The whole screen under random keys and sizes, a few on every sample; tests/keys presses many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <glob.h>
#include <math.h>
#include <unistd.h>

#include "tests/random_keys.h"

enum { KEYS_EACH = 2000 };

/* Some keys save files: they are pressed in a directory of their own. */
static void press_keys(const char *file, bool ascii, uint64_t seed)
{
	struct cli_request request = {.file = file, .limit = (double)NAN};
	struct random_keys r = {.x = seed};
	struct screen_script s;
	struct error e = {0};

	if (screen_open(&s, &request, 24, 80, ascii, &e) != STATUS_OK)
		fail_msg("%s: %s", file, e.message);
	for (int i = 0; i < KEYS_EACH; i++)
		if (!random_keys_press(&r, &s))
			fail_msg("%s: key %d of seed %llu: %s, after %s", file, i, (unsigned long long)seed, r.why,
				 r.last);
	screen_close(&s);
}

static void every_sample(void **state)
{
	char root[4096], pattern[4200], directory[] = "/tmp/acpdbg-keys-XXXXXX";
	glob_t found = {0};

	(void)state;
	assert_non_null(getcwd(root, sizeof root));
	snprintf(pattern, sizeof pattern, "%s/sample-sessions/*.jsonl*", root);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	snprintf(pattern, sizeof pattern, "%s/tests/screens/hostile.acps.jsonl", root);
	assert_int_equal(glob(pattern, GLOB_APPEND, NULL, &found), 0);
	assert_true(found.gl_pathc > 15);
	/* w has one, too */
	unsetenv("VISUAL");
	setenv("EDITOR", "sed -i s/a/e/", 1);
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (!strstr(found.gl_pathv[i], ".acp.json"))
			press_keys(found.gl_pathv[i], i % 2, 88172645463325252u + i);
	assert_int_equal(chdir(root), 0);
	snprintf(pattern, sizeof pattern, "rm -rf %s", directory);
	assert_int_equal(system(pattern), 0);
	globfree(&found);
}

static struct cell cell_of(const char *bytes, int columns)
{
	struct cell c = {.n = (uint8_t)strlen(bytes), .columns = (uint8_t)columns};

	memcpy(c.bytes, bytes, c.n);
	return c;
}

/* The check itself: each of these screens is wrong. */
static void faults_are_seen(void **state)
{
	static const struct {
		const char *left;
		int left_columns;
		const char *right;
		int right_columns;
		bool ascii;
	} wrong[] = {
		{"a", 1, "", 0, false},             /* a right half of nothing */
		{"\xe9\xa1\xb5", 2, "b", 1, false}, /* its right half is missing */
		{"\x1b", 1, "b", 1, false},         /* a control character */
		{"\xc2\x9b", 1, "b", 1, false},     /* C1 */
		{"\xe2\x80\xae", 1, "b", 1, false}, /* right to left */
		{"\xff", 1, "b", 1, false},         /* not UTF-8 */
		{"\xc3\xa9", 1, "b", 1, true},      /* not ASCII */
		{"a", 1, "\xe9\xa1\xb5", 2, false}, /* cut by the edge */
	};
	struct grid g = {0};

	(void)state;
	grid_resize(&g, 1, 2);
	assert_null(random_keys_fault(&g));
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		g.ascii = wrong[i].ascii;
		g.cells[0] = cell_of(wrong[i].left, wrong[i].left_columns);
		g.cells[1] = cell_of(wrong[i].right, wrong[i].right_columns);
		assert_non_null(random_keys_fault(&g));
	}
	grid_clear(&g);
	g.cursor_shown = true;
	g.cursor_col = 2;
	assert_non_null(random_keys_fault(&g));
	grid_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample),
		cmocka_unit_test(faults_are_seen),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
