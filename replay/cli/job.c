#include "replay/cli/job.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BAR_COLUMNS = 24, LINE_COLUMNS = 78 };
#define FIRST_DRAW 0.4 /* seconds before a bar appears */
#define NEXT_DRAW  0.1

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
	(void)signal_number;
	interrupted = 1;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int terminal_columns(void)
{
	struct winsize size;
	if (!isatty(STDERR_FILENO))
		return 0;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return 80;
	return size.ws_col;
}

static void set_handler(void (*handler)(int), void (**previous)(int))
{
	struct sigaction action = {.sa_handler = handler}, old;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, &old);
	if (previous)
		*previous = old.sa_handler;
}

void job_begin(struct job *j, const char *what, const char *unit, bool quiet)
{
	*j = (struct job){.what = what, .unit = unit, .begun = now(), .columns = quiet ? 0 : terminal_columns()};
	j->drawn = j->begun + FIRST_DRAW - NEXT_DRAW;
	interrupted = 0;
	set_handler(on_interrupt, &j->previous);
	if (j->previous == SIG_IGN) /* started in the background: stays deaf */
		set_handler(SIG_IGN, NULL);
}

static int put_rate(char *p, size_t room, const struct job *j, double rate)
{
	if (j->unit != NULL)
		return snprintf(p, room, "%.0f %s/s", rate, j->unit);
	return snprintf(p, room, "%.1f MB/s", rate / 1e6);
}

static int put_left(char *p, size_t room, double seconds)
{
	if (seconds < 60)
		return snprintf(p, room, "%.0f s left", seconds);
	if (seconds < 6000)
		return snprintf(p, room, "%.0f min left", seconds / 60);
	return snprintf(p, room, "long");
}

static void draw(struct job *j, double done, double all, double at)
{
	char line[256], bar[BAR_COLUMNS + 1], rate[48], left[32];
	double share = all > 0 ? done / all : 0, spent = at - j->begun;
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	for (int i = 0; i < BAR_COLUMNS; i++)
		bar[i] = i < (int)(share * BAR_COLUMNS) ? '#' : '-';
	bar[BAR_COLUMNS] = 0;
	put_rate(rate, sizeof rate, j, spent > 0 ? done / spent : 0);
	put_left(left, sizeof left, share > 0 ? spent / share - spent : 0);
	snprintf(line, sizeof line, "%-10s [%s] %3.0f%%  %s  %s", j->what, bar, share * 100, rate, left);
	int columns = j->columns - 1 < LINE_COLUMNS ? j->columns - 1 : LINE_COLUMNS;
	fprintf(stderr, "\r%-*.*s", columns, columns, line);
	fflush(stderr);
	j->visible = true;
}

bool job_step(struct job *j, double done, double all)
{
	double at = j->columns > 1 ? now() : 0;
	if (j->columns > 1 && at - j->drawn >= NEXT_DRAW) {
		draw(j, done, all, at);
		j->drawn = at;
	}
	return !interrupted;
}

void job_clear(struct job *j)
{
	int columns = j->columns - 1 < LINE_COLUMNS ? j->columns - 1 : LINE_COLUMNS;
	if (!j->visible)
		return;
	fprintf(stderr, "\r%*s\r", columns, "");
	fflush(stderr);
	j->visible = false;
}

void job_end(struct job *j)
{
	job_clear(j);
	set_handler(j->previous, NULL);
}
