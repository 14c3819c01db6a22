/*
 * keys N FILE...: N random keys and sizes on the screen of each file (tests/random_keys.h), half of them in ASCII.
 * Prints a line a file; a fault ends it with the seed, which $SEED repeats. Works in a directory that the caller
 * has made for it: some keys save files.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/random_keys.h"

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool press(const char *file, unsigned long n, unsigned long seed)
{
	struct cli_request request = {.file = file, .limit = (double)NAN};
	struct random_keys r = {.x = 88172645463325252u + seed};
	struct screen_script s;
	struct error e = {0};
	double begun = seconds();

	if (screen_open(&s, &request, 24, 80, false, &e) != STATUS_OK) {
		fprintf(stderr, "keys: %s: %s\n", file, e.message);
		return false;
	}
	for (unsigned long i = 0; i < n && !r.fault; i++) {
		s.app.ascii = i >= n / 2;
		if (!random_keys_press(&r, &s))
			printf("FAULT %s: key %lu of seed %lu: %s, after %s\n", file, i, seed, r.why, r.last);
	}
	screen_close(&s);
	printf("%-60s %lu keys, %.1f s\n", file, n, seconds() - begun);
	fflush(stdout);
	return !r.fault;
}

int main(int argc, char **argv)
{
	const char *seed = getenv("SEED");
	bool fine = true;

	if (argc < 3) {
		fputs("usage: keys N FILE...\n", stderr);
		return 64;
	}
	for (int i = 2; i < argc; i++)
		fine = press(argv[i], strtoul(argv[1], NULL, 10), seed ? strtoul(seed, NULL, 10) : 1) && fine;
	return fine ? 0 : 1;
}
