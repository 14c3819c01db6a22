/* main: the program. */
#include "tui/loop.h"
#include "tui/pick.h"

int main(int argc, char **argv)
{
	/* replay/cli sets LC_CTYPE from the environment; numbers stay those of the C locale, as JSON has them */
	static const struct cli_hooks hooks = {.open = loop_open, .pick = pick_open};

	return cli_main(argc, argv, &hooks);
}
