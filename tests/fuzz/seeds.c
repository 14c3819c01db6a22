/* seeds DIR: the sessions of the test cases, and some that are generated, as files for the fuzz targets to begin with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "tests/case_file.h"
#include "tests/generate.h"
#include "tests/temp_file.h"

static const char *const files[] = {"recording", "recording_pi", "recording_dsh", "pi_host", "run",
				    "frame",     "blocks",       "ranges",        "events",  "views"};
enum { SEEDS = 3, TURNS = 4 };

static const char *directory;

struct writer {
	const char *name;
	unsigned number;
};

static void write_case(const cJSON *one, void *ctx)
{
	struct writer *w = ctx;
	struct buf b = {0};
	char path[4096];
	const cJSON *file = json_get(one, "file"), *record;
	if (file != NULL)
		temp_file_bytes(&b, file);
	else
		cJSON_ArrayForEach (record, json_get(one, "records")) {
			json_put(&b, record);
			buf_char(&b, '\n');
		}
	snprintf(path, sizeof path, "%s/%s-%u", directory, w->name, ++w->number);
	FILE *out = fopen(path, "wb");
	if (out == NULL || fwrite(b.p, 1, b.n, out) != b.n || fclose(out) != 0)
		fail_msg("%s cannot be written", path);
	buf_free(&b);
}

static void write_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct writer w = {.name = files[i]};
		char path[64];
		snprintf(path, sizeof path, "tests/cases/%s.jsonl", files[i]);
		case_file_each(path, write_case, &w);
	}
	for (int shape = 0; shape < GENERATE_SHAPES; shape++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct generate_options o = {(enum generate_shape)shape, seed, TURNS, seed == SEEDS};
			char path[4096];
			snprintf(path, sizeof path, "%s/%s-%llu", directory, generate_shape_name(o.shape),
				 (unsigned long long)seed);
			assert_true(generate_file(&o, path));
		}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = {cmocka_unit_test(write_all)};
	if (argc != 2) {
		fprintf(stderr, "usage: seeds DIR\n");
		return 2;
	}
	directory = argv[1];
	return !!cmocka_run_group_tests(all, NULL, NULL);
}
