#include "tui/editor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's part: with the terminal as standard input, whatever ours is, and no signal held back. */
static void become(const char *path)
{
	sigset_t none;
	int tty = isatty(STDIN_FILENO) ? -1 : open("/dev/tty", O_RDWR);

	if (tty >= 0)
		dup2(tty, STDIN_FILENO);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execl("/bin/sh", "sh", "-c", "eval \"exec ${VISUAL:-${EDITOR:-vi}} \\\"\\$1\\\"\"", "sh", path, (char *)NULL);
	_exit(127);
}

bool editor_run(const char *path)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
	int status = -1;
	pid_t child;

	/* ^C and ^\ are the editor's */
	sigemptyset(&ignore.sa_mask);
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	child = fork();
	if (child == 0)
		become(path);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
