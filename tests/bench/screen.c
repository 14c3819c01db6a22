#include "tests/bench/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/generate.h"
#include "tests/generate_pi.h"
#include "tui/screen_script.h"
#include "tui/term.h"

/*
 * A child shows the screen on a pseudo-terminal as the program does; the parent is the terminal and counts. After each
 * thing it has done the child says so, and waits until everything that was sent has been counted.
 */
enum {
	REQUESTS = 34500, /* 99,000 rows: refs end at 99,999 */
	SEARCH_TURNS = 10000,
	REPEATS = 21,
	QUIET_MS = 100,        /* nothing more comes after that */
	STEP_BUDGET = 1 << 14, /* of a job between two looks at the keyboard, as tui/loop has it */
};

enum thing { FIRST, UNCHANGED, REPAINT, CURSOR, BACK, FORTH, OVER, THINGS };

struct said {
	enum thing thing;
	double ms; /* painting, and of BACK and FORTH the key as well */
};

struct figure {
	double ms[REPEATS * 2];
	int n;
	double bytes_most;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- the child ---- */

struct child {
	struct screen_script s;
	struct term term;
	struct theme theme;
	int say, heard;
};

static void do_thing(struct child *c, enum thing thing, uint32_t key)
{
	struct said said = {.thing = thing};
	double begun = now_ms();
	char heard;

	if (thing == REPAINT)
		term_repaint(&c->term);
	if (key)
		screen_key(&c->s, (struct key){.code = key});
	app_draw(&c->s.app, &c->s.grid);
	term_show(&c->term, &c->s.grid, &c->theme);
	said.ms = now_ms() - begun;
	if (write(c->say, &said, sizeof said) != sizeof said || read(c->heard, &heard, 1) != 1)
		_exit(1);
}

static void show(struct child *c, const char *path)
{
	struct cli_request request = {.file = path, .limit = 1e9, .end = true, .profile = "P342"};
	struct term_options options = {.colour = TERM_COLOUR_ALWAYS};
	struct error e = {0};

	if (screen_open(&c->s, &request, 24, 80, false, &e) != STATUS_OK ||
	    term_start(&c->term, &options, &e) != STATUS_OK) {
		fprintf(stderr, "bench: %s\n", e.message);
		_exit(1);
	}
	theme_init(&c->theme, c->term.colours, false);
	screen_resize(&c->s, c->term.rows, c->term.cols);
	screen_key(&c->s, (struct key){.code = KEYS_F1});
	do_thing(c, FIRST, 0);
	for (int i = 0; i < REPEATS; i++) {
		do_thing(c, UNCHANGED, 0);
		do_thing(c, REPAINT, 0);
	}
	for (int i = 0; i < REPEATS; i++)
		do_thing(c, CURSOR, i < REPEATS / 2 ? 'k' : 'j');
	for (int i = 0; i < REPEATS; i++) {
		do_thing(c, BACK, ',');
		do_thing(c, FORTH, '.');
		do_thing(c, BACK, ',');
	}
	do_thing(c, OVER, 0);
	_exit(0);
}

static void start_child(int master, const struct winsize *size, const char *path, int say, int heard)
{
	static struct child c;
	const char *name = ptsname(master);
	int slave;

	setsid();
	slave = name ? open(name, O_RDWR) : -1;
	if (slave < 0 || ioctl(slave, TIOCSWINSZ, size) != 0)
		_exit(1);
	dup2(slave, STDIN_FILENO);
	dup2(slave, STDOUT_FILENO);
	setenv("TERM", "xterm-256color", 1);
	c.say = say;
	c.heard = heard;
	show(&c, path);
}

/* ---- the terminal ---- */

static size_t swallow(int master)
{
	char bytes[1 << 16];
	ssize_t n = read(master, bytes, sizeof bytes);

	return n > 0 ? (size_t)n : 0;
}

/* Takes what is sent until it is quiet. */
static size_t drain(int master)
{
	struct pollfd p = {.fd = master, .events = POLLIN};
	size_t n = 0, got;

	while (poll(&p, 1, QUIET_MS) > 0 && (got = swallow(master)) > 0)
		n += got;
	return n;
}

static bool take_figures(int master, int said_by, int heard, struct figure f[THINGS])
{
	struct pollfd p[2] = {{.fd = said_by, .events = POLLIN}, {.fd = master, .events = POLLIN}};
	struct said said;
	double bytes = 0;

	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return false;
		if (p[1].revents & POLLIN)
			bytes += (double)swallow(master);
		if (!(p[0].revents & (POLLIN | POLLHUP)))
			continue;
		if (read(said_by, &said, sizeof said) != sizeof said)
			return false;
		/* the painting of a thing may still be on its way */
		bytes += (double)drain(master);
		f[said.thing].bytes_most = fmax(f[said.thing].bytes_most, bytes);
		if (f[said.thing].n < REPEATS * 2)
			f[said.thing].ms[f[said.thing].n++] = said.ms;
		bytes = 0;
		if (said.thing == OVER)
			return true;
		if (write(heard, "", 1) != 1)
			return false;
	}
}

static bool measure(const char *path, int rows, int cols, struct figure f[THINGS])
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
	int master = posix_openpt(O_RDWR | O_NOCTTY), say[2], heard[2], code;
	bool measured;
	pid_t child;

	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 || pipe(say) != 0 || pipe(heard) != 0) {
		perror("bench: pseudo-terminal");
		return false;
	}
	fflush(stdout);
	child = fork();
	if (child == 0) {
		close(say[0]);
		close(heard[1]);
		start_child(master, &size, path, say[1], heard[0]);
	}
	close(say[1]);
	close(heard[0]);
	measured = child > 0 && take_figures(master, say[0], heard[1], f);
	close(say[0]);
	close(heard[1]);
	close(master);
	return child > 0 && waitpid(child, &code, 0) == child && measured;
}

/* ---- jobs ---- */

struct piece {
	double most; /* ms that nothing else could happen */
	double total;
};

static void count_piece(struct piece *p, double begun)
{
	double ms = now_ms() - begun;

	p->most = fmax(p->most, ms);
	p->total += ms;
}

/* Presses keys as the loop does: a job goes on between them, and every piece is followed by a look at the keyboard. */
static bool press(struct screen_script *s, const char *script, struct piece *p)
{
	struct key_list keys = {0};
	struct error e = {0};

	if (key_script(str_of(script), &keys, &e) != STATUS_OK)
		return false;
	for (size_t i = 0; i < keys.keys.n; i++) {
		double begun = now_ms();

		app_key(&s->app, keys.keys.v[i]);
		count_piece(p, begun);
		while (app_busy(&s->app)) {
			begun = now_ms();
			app_job_step(&s->app, STEP_BUDGET);
			count_piece(p, begun);
		}
		begun = now_ms();
		app_draw(&s->app, &s->grid);
		count_piece(p, begun);
	}
	key_list_free(&keys);
	return true;
}

/* ---- tables ---- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(struct figure *f)
{
	if (f->n == 0)
		return NAN;
	qsort(f->ms, (size_t)f->n, sizeof *f->ms, by_size);
	return f->ms[f->n / 2];
}

static void print_target(const char *what, double got, double limit, const char *unit)
{
	printf("  %-7s  %s: %.3g %s, wanted under %g\n", got < limit ? "met" : "MISSED", what, got, unit, limit);
}

static bool bench_paint(const char *path)
{
	static const struct {
		int rows, cols;
		double cursor_bytes;
	} sizes[] = {{24, 80, 400}, {60, 200, 800}};
	static const char *const names[THINGS] = {"first",       "unchanged",    "repaint", "cursor move",
						  "a turn back", "a turn forth", NULL};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct figure f[THINGS] = {{{0}, 0, 0}};
		char what[80];

		if (!measure(path, sizes[i].rows, sizes[i].cols, f))
			return false;
		printf("\n%dx%d, the last of 99,000 rows, xterm-256color: ms (median), bytes sent (most)\n",
		       sizes[i].cols, sizes[i].rows);
		for (enum thing t = FIRST; t < OVER; t++)
			printf("  %-14s %8.2f %8.0f\n", names[t], median(&f[t]), f[t].bytes_most);
		puts("wanted:");
		print_target("repaint", median(&f[REPAINT]), 5, "ms");
		print_target("an unchanged screen", f[UNCHANGED].bytes_most, 1, "bytes");
		snprintf(what, sizeof what, "a cursor move at %dx%d", sizes[i].cols, sizes[i].rows);
		print_target(what, f[CURSOR].bytes_most, sizes[i].cursor_bytes, "bytes");
		print_target("a turn back", median(&f[BACK]), 100, "ms");
	}
	return true;
}

static bool bench_jobs(const char *path)
{
	static const struct {
		const char *what, *keys;
	} jobs[] = {
		{"a search of all turns", "\\nowhere<Space>in<Space>it<Enter>"},
		{"a pattern that blows up, all turns", "<Esc>\\(a+)+$<Enter>"},
		{"the same in Rows", "/(.*)*z{9}<Enter>"},
		{"a filter", "&compress<Enter>&<Enter>"},
		{"a run to a breakpoint", ":break<Space>turn>99999<Enter>0c"},
	};
	struct cli_request request = {.file = path, .limit = (double)NAN, .end = true};
	struct screen_script s;
	struct error e = {0};

	if (screen_open(&s, &request, 24, 80, false, &e) != STATUS_OK) {
		fprintf(stderr, "bench: %s\n", e.message);
		return false;
	}
	printf("\njobs over %d turns: longest time in which no key is looked at\nwanted:\n", SEARCH_TURNS);
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
		struct piece p = {0};
		char what[120];

		if (!press(&s, jobs[i].keys, &p))
			return false;
		snprintf(what, sizeof what, "%s (%.0f ms in all)", jobs[i].what, p.total);
		print_target(what, p.most, 100, "ms");
	}
	screen_close(&s);
	return true;
}

bool bench_screen(const char *directory)
{
	char growing[4096], bounded[4096];
	struct generate_options o = {.shape = GENERATE_BOUNDED, .seed = 1, .turns = SEARCH_TURNS};
	struct buf b = {0};
	bool done;

	setlocale(LC_CTYPE, "C.UTF-8");
	snprintf(growing, sizeof growing, "%s/bench-screen.jsonl", directory);
	snprintf(bounded, sizeof bounded, "%s/bench-search.acps.jsonl", directory);
	generate_pi_growing(1, REQUESTS, &b);
	FILE *f = fopen(growing, "wb");
	done = f != NULL && fwrite(b.p, 1, b.n, f) == b.n;
	if (f != NULL && fclose(f) != 0)
		done = false;
	buf_free(&b);
	done = done && generate_file(&o, bounded);
	if (!done)
		perror("bench: sessions");
	done = done && bench_paint(growing) && bench_jobs(bounded);
	unlink(growing);
	unlink(bounded);
	return done;
}
