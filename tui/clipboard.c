#include "tui/clipboard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 10 };

extern char **environ;

const char *clipboard_command(void)
{
	const char *command = getenv("ACPDBG_CLIPBOARD");

	return command && *command ? command : NULL;
}

/* A group of its own, nothing blocked or ignored, `in` to read from; what it says would spoil the screen. */
static int start(const char *command, int in, pid_t *pid)
{
	static const int defaults[] = {SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU};
	char *arguments[] = {"sh", "-c", "--", (char *)command, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t set;
	int code;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attributes, 0);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attributes, &set);
	for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
		sigaddset(&set, defaults[i]);
	posix_spawnattr_setsigdefault(&attributes, &set);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	code = posix_spawn(pid, "/bin/sh", &actions, &attributes, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return code;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Writes what it takes; closes *fd when that was all, or when it wants no more. */
static void feed(int *fd, struct str *bytes)
{
	struct pollfd p = {.fd = *fd, .events = POLLOUT};
	ssize_t n = 0;

	/* -1 is passed over: then it is only waited for */
	if (poll(&p, 1, WAIT_MS) > 0) {
		n = bytes->n > 0 ? write(*fd, bytes->p, bytes->n) : 0;
		if (n > 0)
			*bytes = str_cut(*bytes, (size_t)n, bytes->n);
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			bytes->n = 0;
	}
	if (*fd >= 0 && bytes->n == 0) {
		close(*fd);
		*fd = -1;
	}
}

/* Its status, or -1: it was ended because it took too long. */
static int attend(pid_t pid, int *fd, struct str bytes)
{
	double begun = now();
	int status = 0;
	pid_t ended;

	while ((ended = waitpid(pid, &status, WNOHANG)) == 0 && now() - begun < CLIPBOARD_SECONDS)
		feed(fd, &bytes);
	if (ended != 0)
		return status;
	kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return -1;
}

static enum status judge(int status, struct error *e)
{
	if (status == 0)
		return STATUS_OK;
	if (status < 0)
		return error_set(e, STATUS_IO, "the clipboard's command was ended: it took longer than %d s",
				 (int)CLIPBOARD_SECONDS);
	return error_set(e, STATUS_IO, "the clipboard's command failed (ACPDBG_CLIPBOARD, exit code %d)",
			 WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

enum status clipboard_run(const char *command, struct str bytes, struct error *e)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int fds[2], code, status = 0;
	pid_t pid;

	if (pipe(fds) != 0)
		return error_set(e, STATUS_IO, "the clipboard's command cannot be run: %s", strerror(errno));
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(fds[1], F_SETFD, FD_CLOEXEC);
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	sigemptyset(&ignore.sa_mask);
	sigaction(SIGPIPE, &ignore, &before);
	code = start(command, fds[0], &pid);
	close(fds[0]);
	if (code == 0)
		status = attend(pid, &fds[1], bytes);
	if (fds[1] >= 0)
		close(fds[1]);
	sigaction(SIGPIPE, &before, NULL);
	if (code != 0)
		return error_set(e, STATUS_IO, "the clipboard's command cannot be run: %s", strerror(code));
	return judge(status, e);
}

static void put_base64(struct buf *out, struct str bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes.n; i += 3) {
		size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
		uint32_t word = 0;

		for (size_t k = 0; k < 3; k++)
			word = word << 8 | (k < n ? (unsigned char)bytes.p[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			buf_char(out, k <= n ? digits[word >> (18 - 6 * k) & 63] : '=');
	}
}

void clipboard_put_osc(struct buf *out, struct str bytes)
{
	buf_text(out, "\033]52;c;");
	put_base64(out, bytes);
	buf_char(out, '\a');
}
