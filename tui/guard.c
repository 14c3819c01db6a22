#include "tui/guard.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/view/text.h"

enum {
	ALT_STACK_BYTES = 65536, /* of the crash handler */
	STDERR_MAX = 65536,      /* bytes of standard error kept for later */
	RESTORE_MAX = 256,
};

static const struct {
	int number;
	enum guard_flag flag;
} flag_signals[] = {
	{SIGTERM, GUARD_QUIT}, {SIGHUP, GUARD_QUIT},      {SIGINT, GUARD_INTERRUPT},
	{SIGTSTP, GUARD_STOP}, {SIGCONT, GUARD_CONTINUE}, {SIGWINCH, GUARD_RESIZE},
};

/* Signals the program dies of, after giving the terminal back. */
/* Whatever ends a process by default and is not let in at its time (flag_signals). */
static const int crash_signals[] = {SIGSEGV, SIGABRT, SIGBUS,  SIGFPE, SIGILL,  SIGQUIT,   SIGUSR1,
				    SIGUSR2, SIGALRM, SIGTRAP, SIGSYS, SIGXCPU, SIGVTALRM, SIGXFSZ};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static volatile sig_atomic_t flags[GUARD_FLAGS]; /* the signal's number, or 0 */

static struct {
	int in, out;
	struct termios modes;
	char restore[RESTORE_MAX];
	size_t restore_n;
	sigset_t mask_before;
	struct sigaction flag_before[COUNT(flag_signals)], crash_before[COUNT(crash_signals)];
	stack_t stack_before;
	int stderr_before; /* -1 = not kept aside */
	FILE *stderr_file;
} guard = {.stderr_before = -1};

static void on_flag(int number)
{
	for (size_t i = 0; i < COUNT(flag_signals); i++)
		if (flag_signals[i].number == number)
			flags[flag_signals[i].flag] = number;
}

/* Only async-signal-safe calls in here: no curses, no stdio. */
static void on_crash(int number, siginfo_t *info, void *context)
{
	ssize_t ignored = write(guard.out, guard.restore, guard.restore_n);

	(void)ignored;
	(void)context;
	tcsetattr(guard.in, TCSANOW, &guard.modes);
	if (guard.stderr_before >= 0)
		dup2(guard.stderr_before, STDERR_FILENO);
	/* whoever was there before (a sanitizer, or the default) sees the signal as if we had not been here */
	for (size_t i = 0; i < COUNT(crash_signals); i++)
		if (crash_signals[i] == number)
			sigaction(number, &guard.crash_before[i], NULL);
	/* a fault happens again when we return; what was sent must be sent again, and comes then, too */
	if (info->si_code <= 0 || number == SIGABRT || number == SIGQUIT)
		raise(number);
}

static void flag_on(size_t i)
{
	struct sigaction action = {.sa_handler = on_flag, .sa_flags = SA_RESTART};

	sigemptyset(&action.sa_mask);
	sigaction(flag_signals[i].number, &action, &guard.flag_before[i]);
	if (flag_signals[i].number == SIGHUP && guard.flag_before[i].sa_handler == SIG_IGN)
		sigaction(SIGHUP, &guard.flag_before[i], NULL); /* nohup */
}

static void block(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < COUNT(flag_signals); i++)
		sigaddset(&set, flag_signals[i].number);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void guard_on(int in, int out, const struct termios *modes)
{
	static char stack[ALT_STACK_BYTES];
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction crash = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	guard.in = in;
	guard.out = out;
	guard.modes = *modes;
	guard.restore_n = 0;
	for (size_t i = 0; i < GUARD_FLAGS; i++)
		flags[i] = 0;
	sigprocmask(SIG_SETMASK, NULL, &guard.mask_before);
	block();
	for (size_t i = 0; i < COUNT(flag_signals); i++)
		flag_on(i);
	sigaltstack(&alternate, &guard.stack_before);
	sigfillset(&crash.sa_mask);
	for (size_t i = 0; i < COUNT(crash_signals); i++)
		sigaction(crash_signals[i], &crash, &guard.crash_before[i]);
}

void guard_off(void)
{
	for (size_t i = 0; i < COUNT(crash_signals); i++)
		sigaction(crash_signals[i], &guard.crash_before[i], NULL);
	sigaltstack(&guard.stack_before, NULL);
	/* a stop or interrupt that still waits is late, not lost */
	for (size_t i = 0; i < COUNT(flag_signals); i++)
		sigaction(flag_signals[i].number, &guard.flag_before[i], NULL);
	sigprocmask(SIG_SETMASK, &guard.mask_before, NULL);
}

void guard_set_restore(const char *bytes, size_t n)
{
	guard.restore_n = n < RESTORE_MAX ? n : RESTORE_MAX;
	memcpy(guard.restore, bytes, guard.restore_n);
}

void guard_let_in(void)
{
	sigset_t blocked;

	sigprocmask(SIG_SETMASK, &guard.mask_before, &blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

const sigset_t *guard_wait_mask(void) { return &guard.mask_before; }

int guard_take(enum guard_flag flag)
{
	int number = (int)flags[flag];

	if (flag != GUARD_QUIT)
		flags[flag] = 0;
	return number;
}

static size_t stop_signal(void)
{
	size_t i = 0;

	while (flag_signals[i].number != SIGTSTP)
		i++;
	return i;
}

void guard_lend(void)
{
	sigaction(SIGTSTP, &guard.flag_before[stop_signal()], NULL);
	sigprocmask(SIG_SETMASK, &guard.mask_before, NULL);
}

void guard_unlend(void)
{
	block();
	flag_on(stop_signal());
	for (size_t i = 0; i < GUARD_FLAGS; i++)
		guard_take((enum guard_flag)i);
}

void guard_stderr_aside(void)
{
	if (guard.stderr_before >= 0 || !isatty(STDERR_FILENO))
		return;
	fflush(stderr);
	if (!guard.stderr_file)
		guard.stderr_file = tmpfile();
	if (!guard.stderr_file)
		guard.stderr_file = fopen("/dev/null", "r+");
	if (!guard.stderr_file)
		return;
	guard.stderr_before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (guard.stderr_before >= 0)
		dup2(fileno(guard.stderr_file), STDERR_FILENO);
}

void guard_stderr_back(void)
{
	if (guard.stderr_before < 0)
		return;
	fflush(stderr);
	dup2(guard.stderr_before, STDERR_FILENO);
	close(guard.stderr_before);
	guard.stderr_before = -1;
}

void guard_stderr_print(bool ascii)
{
	struct buf safe = {0};
	char *bytes;
	size_t n;

	if (!guard.stderr_file)
		return;
	bytes = mem_alloc(STDERR_MAX);
	rewind(guard.stderr_file);
	n = fread(bytes, 1, STDERR_MAX, guard.stderr_file);
	text_put_lines(&safe, (struct str){bytes, n}, ascii);
	if (safe.n)
		fwrite(safe.p, 1, safe.n, stderr);
	free(bytes);
	buf_free(&safe);
	fclose(guard.stderr_file);
	guard.stderr_file = NULL;
}
