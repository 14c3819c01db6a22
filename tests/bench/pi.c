#include "tests/bench/pi.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "replay/run.h"
#include "tests/generate_pi.h"

static const struct {
	uint32_t requests;
	int repeats;
} cases[] = {{2000, 5}, {20000, 2}, {34500, 1}}; /* the last has 99,000 rows: refs end at 99,999 */
enum { CASES = sizeof cases / sizeof *cases };

struct figures {
	double load, off, on; /* seconds of this process, least of all repeats; off, on: the replay alone */
	double turns, rows, most;
};

/* Time of the processor: what is compared must not depend on what else the machine does. */
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool write_session(const char *path, uint32_t requests)
{
	struct buf b = {0};
	generate_pi_growing(1, requests, &b);
	FILE *f = fopen(path, "wb");
	bool written = f != NULL && fwrite(b.p, 1, b.n, f) == b.n;
	if (f != NULL && fclose(f) != 0)
		written = false;
	if (!written)
		perror(path);
	buf_free(&b);
	return written;
}

/* Loads and replays once. */
static bool once(const char *path, bool requests, struct figures *f)
{
	struct recording recording;
	struct run run;
	struct policy policy;
	struct error e = {0};
	double start = now(), loaded = 0;
	enum status st = recording_load(&recording, path, NULL, &e);
	loaded = now();
	if (st == STATUS_OK)
		st = policy_profile(&policy, STR("P342"), &e);
	if (st == STATUS_OK)
		st = run_init(&run, &recording, &policy, &(struct run_options){.limit = 1e9}, &e);
	if (st != STATUS_OK) {
		fprintf(stderr, "bench: %s: %s\n", path, e.message);
		return false;
	}
	run.want_requests = requests;
	double begun = now();
	while (run_step(&run, SIZE_MAX))
		;
	double *took = requests ? &f->on : &f->off;
	*took = fmin(*took, now() - begun);
	f->load = fmin(f->load, loaded - start);
	f->turns = (double)run.timeline.turns.n;
	f->rows = (double)recording.messages.n;
	f->most = (double)run.turn.surface.rows.n;
	run_free(&run);
	recording_free(&recording);
	return true;
}

static bool run_case(const char *directory, uint32_t requests, int repeats, struct figures *f)
{
	char path[4096];
	bool measured = true;
	*f = (struct figures){.load = INFINITY, .off = INFINITY, .on = INFINITY};
	snprintf(path, sizeof path, "%s/bench-pi-%u.jsonl", directory, requests);
	if (!write_session(path, requests))
		return false;
	for (int i = 0; i < 2 * repeats && measured; i++)
		measured = once(path, i % 2 == 1, f);
	unlink(path);
	return measured;
}

static void print_target(const char *what, double got, double limit)
{
	printf("  %-7s  %s: %.3gx, wanted under %gx\n", got < limit ? "met" : "MISSED", what, got, limit);
}

bool bench_pi(const char *directory)
{
	struct figures f[CASES];
	for (size_t i = 0; i < CASES; i++)
		if (!run_case(directory, cases[i].requests, cases[i].repeats, &f[i]))
			return false;
	printf("\nPi sessions whose view only grows, processor time, the least of several\n\n%8s %8s %8s %8s %10s %10s "
	       "%8s\n%8s %8s %8s %8s "
	       "%10s "
	       "%10s %8s\n",
	       "turns", "rows", "most", "load", "replay", "requests", "ratio", "", "", "rows", "ms", "ms", "ms", "");
	for (size_t i = 0; i < CASES; i++)
		printf("%8.0f %8.0f %8.0f %8.1f %10.1f %10.1f %7.2fx\n", f[i].turns, f[i].rows, f[i].most,
		       f[i].load * 1e3, f[i].off * 1e3, f[i].on * 1e3, f[i].on / f[i].off);
	puts("\nmost: rows of the view at the end; replay: without requests, on top of load; requests: with that of "
	     "every turn\n\nwanted:");
	for (size_t i = 0; i < CASES; i++) {
		char what[80];
		snprintf(what, sizeof what, "load and replay, %.0f turns, with requests against without", f[i].turns);
		print_target(what, (f[i].load + f[i].on) / (f[i].load + f[i].off), 1.5);
	}
	print_target("making requests, time a turn, 20,000 turns against 2,000",
		     (f[1].on - f[1].off) / f[1].turns / ((f[0].on - f[0].off) / f[0].turns), 2);
	return true;
}
