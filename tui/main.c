/* main: the program. */
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include "tui/loop.h"
#include "tui/pick.h"
#include "tui/screen_script.h"

/* arena.h: no memory ends in abort(). While the screen is up tui/guard has the signal and gives the terminal back. */
static void say_and_leave(int signal_number)
{
	static const char message[] = "acpdbg: out of memory, or an internal error\n";

	(void)signal_number;
	if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
		_exit(CLI_INTERNAL); /* nobody to tell */
	_exit(CLI_INTERNAL);
}

int main(int argc, char **argv)
{
	/* replay/cli sets LC_CTYPE from the environment; numbers stay those of the C locale, as JSON has them */
	static const struct cli_hooks hooks = {
		.open = loop_open, .pick = pick_open, .screen = screen_print, .key = action_key};

	signal(SIGABRT, say_and_leave);
#ifdef M_MMAP_THRESHOLD
	/* a fixed one: large arrays grow in place and leave no holes, a sixth of what a session needs */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
	return cli_main(argc, argv, &hooks);
}
