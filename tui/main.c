/* main: the program. */
#include <malloc.h>

#include "tui/loop.h"
#include "tui/pick.h"

int main(int argc, char **argv)
{
	/* replay/cli sets LC_CTYPE from the environment; numbers stay those of the C locale, as JSON has them */
	static const struct cli_hooks hooks = {.open = loop_open, .pick = pick_open};

#ifdef M_MMAP_THRESHOLD
	/* a fixed one: large arrays grow in place and leave no holes, a sixth of what a session needs */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
	return cli_main(argc, argv, &hooks);
}
