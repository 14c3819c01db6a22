#include "replay/orphans.h"

#ifdef __linux__

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUND_NS 1000000L /* between two looks */
enum { STAT_BYTES = 512 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The parent of a process, or 0. Its name may hold anything, blanks and brackets too: the last one closes it. */
static pid_t parent_of(const char *process)
{
	char path[32], text[STAT_BYTES];
	long parent = 0;
	snprintf(path, sizeof path, "/proc/%.16s/stat", process);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = 0;
	const char *after = strrchr(text, ')');
	if (after == NULL || sscanf(after + 1, " %*c %ld", &parent) != 1)
		return 0;
	return (pid_t)parent;
}

/* The next child of this process, dead ones too, or 0. */
static pid_t next_child(DIR *proc)
{
	struct dirent *entry;
	while ((entry = readdir(proc)) != NULL)
		if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == getpid())
			return (pid_t)strtol(entry->d_name, NULL, 10);
	return 0;
}

static bool has_children(void)
{
	siginfo_t info;
	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

void orphans_adopt(struct orphans *o)
{
	*o = (struct orphans){0};
	DIR *proc = has_children() ? opendir("/proc") : NULL;
	if (proc == NULL && (has_children() || access("/proc/self/stat", R_OK) != 0))
		return;
	for (pid_t pid; proc != NULL && (pid = next_child(proc)) != 0;)
		vec_push(&o->spared, pid);
	if (proc != NULL)
		closedir(proc);
	o->adopting = prctl(PR_GET_CHILD_SUBREAPER, &o->before, 0, 0, 0) == 0 &&
		      prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
}

static bool is_spared(const struct orphans *o, pid_t pid)
{
	for (size_t i = 0; i < o->spared.n; i++)
		if (o->spared.v[i] == pid)
			return true;
	return false;
}

/* Kills who is there and reaps who is dead; false when there is nobody who can be killed. */
static bool kill_round(const struct orphans *o)
{
	bool any = false;
	DIR *proc = has_children() ? opendir("/proc") : NULL;
	if (proc == NULL)
		return false;
	for (pid_t pid; (pid = next_child(proc)) != 0;) {
		if (is_spared(o, pid) || kill(pid, SIGKILL) != 0)
			continue;
		waitpid(pid, NULL, WNOHANG);
		any = true;
	}
	closedir(proc);
	return any;
}

/* Whose parent dies becomes our child in turn: until a look finds nobody. */
void orphans_kill(struct orphans *o)
{
	double end = now() + ORPHANS_SECONDS;
	while (o->adopting && kill_round(o) && now() < end)
		nanosleep(&(struct timespec){.tv_nsec = ROUND_NS}, NULL);
	if (o->adopting)
		prctl(PR_SET_CHILD_SUBREAPER, o->before, 0, 0, 0);
	vec_free(&o->spared);
}

#else

void orphans_adopt(struct orphans *o) { *o = (struct orphans){0}; }
void orphans_kill(struct orphans *o) { vec_free(&o->spared); }

#endif
