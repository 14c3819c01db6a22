/*
 * bench: how long a recording takes to load and to replay with its hash, and
 * how much memory that needs. Usage: bench DIRECTORY writes generated sessions
 * there and prints one table; bench --once FILE loads and replays a file once
 * and prints its own peak memory, for the table's memory column; bench --screen
 * DIRECTORY measures the screen alone.
 */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "replay/run.h"
#include "tests/bench/pi.h"
#include "tests/bench/screen.h"
#include "tests/generate.h"

enum { REPEATS = 20, REPEATS_SLOW = 5 };
#define SLOW_SECONDS 1.5 /* a case that takes longer is measured REPEATS_SLOW times */

static const struct bench_case {
	const char *name;
	enum generate_shape shape;
	uint32_t turns;
} cases[] = {
	{"storm, 2,000 turns", GENERATE_STORM, 2000},
	{"storm, 5,000 turns", GENERATE_STORM, 5000},
	{"bounded, 2,000 turns", GENERATE_BOUNDED, 2000},
	{"bounded, 20,000 turns", GENERATE_BOUNDED, 20000},
};
enum { CASES = sizeof cases / sizeof *cases };

struct figures {
	double load, total;                        /* seconds, medians */
	double turns, rows, visible, visible_most; /* visible: sum over the turns */
	double compressions, applied;
	double bytes, peak; /* peak: bytes, NAN = not known */
	double parse;       /* JSON.parse of the lines in node, seconds, median; NAN = no node */
	int repeats;
	char hash[17];
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_size);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void gather(const struct run *r, struct figures *f)
{
	f->turns = (double)r->timeline.turns.n;
	f->rows = (double)r->recording->messages.n;
	f->compressions = (double)r->recording->compressions.n;
	f->bytes = (double)r->recording->source.size;
	f->visible = f->visible_most = f->applied = 0;
	for (size_t i = 0; i < r->timeline.turns.n; i++) {
		const struct moment *m = &r->timeline.turns.v[i];
		f->visible += m->surface;
		f->visible_most = fmax(f->visible_most, m->surface);
		f->applied += m->applied;
	}
	chain_hex(&r->chain, f->hash);
}

/* Loads and replays once; false, with a message, when that fails. */
static bool once(const char *path, double *load, double *total, struct figures *f)
{
	struct recording recording;
	struct run run;
	struct policy policy;
	struct error e = {0};
	double start = now();
	enum status st = recording_load(&recording, path, NULL, &e);
	*load = now() - start;
	if (st == STATUS_OK)
		st = policy_profile(&policy, STR("K60"), &e);
	if (st == STATUS_OK)
		st = run_init(&run, &recording, &policy, &(struct run_options){.limit = NAN}, &e);
	if (st != STATUS_OK) {
		fprintf(stderr, "bench: %s: %s\n", path, e.message);
		return false;
	}
	while (run_step(&run, SIZE_MAX))
		;
	*total = now() - start;
	gather(&run, f);
	run_free(&run);
	recording_free(&recording);
	return true;
}

static bool measure(const char *path, struct figures *f)
{
	double load[REPEATS], total[REPEATS], first;
	if (!once(path, &load[0], &first, f)) /* not counted: the file comes into the cache */
		return false;
	f->repeats = first > SLOW_SECONDS ? REPEATS_SLOW : REPEATS;
	for (int i = 0; i < f->repeats; i++)
		if (!once(path, &load[i], &total[i], f))
			return false;
	f->load = median(load, f->repeats);
	f->total = median(total, f->repeats);
	return true;
}

/* The number a program prints first; NAN when it cannot be run or fails. */
static double ask(char *const argv[])
{
	int ends[2], code;
	double x = NAN;
	if (pipe(ends) != 0)
		return NAN;
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(ends[1]);
	FILE *out = fdopen(ends[0], "r");
	if (out == NULL || fscanf(out, "%lf", &x) != 1)
		x = NAN;
	if (out != NULL)
		fclose(out);
	if (child < 0 || waitpid(child, &code, 0) != child || code != 0)
		return NAN;
	return x;
}

/* Peak resident memory of this process in bytes, or NAN. */
static double own_peak(void)
{
	char line[256];
	double kb = NAN;
	FILE *f = fopen("/proc/self/status", "r");
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (sscanf(line, "VmHWM: %lf kB", &kb) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return kb * 1024;
}

static int print_peak(const char *path)
{
	struct figures f;
	double load, total;
	if (!once(path, &load, &total, &f))
		return 1;
	printf("%.0f\n", own_peak());
	return 0;
}

static bool run_case(char *self, const char *directory, const struct bench_case *c, struct figures *f)
{
	char path[4096], repeats[16];
	struct generate_options o = {.shape = c->shape, .seed = 1, .turns = c->turns};
	snprintf(path, sizeof path, "%s/bench-%s-%u.acps.jsonl", directory, generate_shape_name(c->shape), c->turns);
	if (!generate_file(&o, path)) {
		perror(path);
		return false;
	}
	bool measured = measure(path, f);
	snprintf(repeats, sizeof repeats, "%d", REPEATS);
	f->peak = ask((char *const[]){self, (char[]){"--once"}, path, NULL});
	f->parse = ask((char *const[]){(char[]){"node"}, (char[]){"tests/bench/parse.mjs"}, path, repeats, NULL});
	unlink(path);
	return measured;
}

static void put_optional(const char *format, int width, double x)
{
	if (isnan(x))
		printf(" %*s", width, "skipped");
	else
		printf(format, x);
}

static void print_table(const struct figures *f)
{
	printf("load and replay with hash, one process, median of %d (%d where one takes over %.1f s)\n\n", REPEATS,
	       REPEATS_SLOW, SLOW_SECONDS);
	printf("%-22s %7s %6s %6s %6s %6s %7s %8s %8s %8s %7s %6s %11s %6s\n", "session", "rows", "calls", "view",
	       "most", "load", "total", "a turn", "a row", "peak", "of file", "times", "JSON.parse", "ratio");
	printf("%-22s %7s %6s %6s %6s %6s %7s %8s %8s %8s %7s %6s %11s %6s\n", "", "", "", "rows", "rows", "ms", "ms",
	       "us", "ns", "MB", "", "", "ms", "");
	for (size_t i = 0; i < CASES; i++, f++) {
		printf("%-22s %7.0f %6.0f %6.0f %6.0f %6.1f %7.1f %8.2f %8.1f", cases[i].name, f->rows, f->compressions,
		       f->visible / f->turns, f->visible_most, f->load * 1e3, f->total * 1e3, f->total / f->turns * 1e6,
		       f->total / f->visible * 1e9);
		put_optional(" %8.1f", 8, f->peak / 1e6);
		put_optional(" %6.2fx", 7, f->peak / f->bytes);
		printf(" %6d", f->repeats);
		put_optional(" %11.1f", 11, f->parse * 1e3);
		put_optional(" %5.1fx\n", 6, f->total / f->parse);
		if (isnan(f->parse))
			putchar('\n');
	}
	puts("\nview rows: of the surface, mean over the turns; a row: total by visible rows of all turns; peak: VmHWM "
	     "of a\n"
	     "process that does it once; JSON.parse: the same lines in node, in-process");
}

static void print_target(const char *what, double got, double limit, const char *unit)
{
	if (isnan(got))
		printf("  skipped  %s\n", what);
	else
		printf("  %-7s  %s: %.3g%s, wanted under %g%s\n", got < limit ? "met" : "MISSED", what, got, unit,
		       limit, unit);
}

static void print_targets(const struct figures *f)
{
	double most = NAN;
	puts("\nwanted:");
	print_target("storm of 2,000 turns", f[0].total, 0.3, " s");
	print_target("time a turn, bounded view, 20,000 turns against 2,000",
		     f[3].total / f[3].turns / (f[2].total / f[2].turns), 1.5, "x");
	for (size_t i = 0; i < CASES; i++)
		most = fmax(most, f[i].peak / f[i].bytes);
	print_target("peak memory against the file, largest", most, 1.5, "x");
}

int main(int argc, char **argv)
{
	struct figures f[CASES] = {{0}};
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 128 * 1024); /* as the program does */
#endif
	if (argc == 3 && strcmp(argv[1], "--once") == 0)
		return print_peak(argv[2]);
	if (argc == 3 && strcmp(argv[1], "--screen") == 0)
		return bench_screen(argv[2]) ? 0 : 1;
	if (argc != 2) {
		fputs("usage: bench DIRECTORY | bench --once FILE | bench --screen DIRECTORY\n", stderr);
		return 64;
	}
	for (size_t i = 0; i < CASES; i++)
		if (!run_case(argv[0], argv[1], &cases[i], &f[i]))
			return 1;
	print_table(f);
	print_targets(f);
	return bench_pi(argv[1]) && bench_screen(argv[1]) ? 0 : 1;
}
