/* acpdbg screen: the screen after some keys, as text, ANSI or SVG; nobody sits at it. */
#include <stdlib.h>

#include "replay/cli/run_commands.h"

enum { ROWS = 24, COLUMNS = 80, CELLS_MAX = 1000 };

/* COLUMNSxROWS, both from 1 to 1000. */
static bool read_size(const char *text, int *columns, int *rows)
{
	char *end;
	long c = strtol(text, &end, 10), r;
	if (end == text || *end != 'x')
		return false;
	text = end + 1;
	r = strtol(text, &end, 10);
	*columns = (int)c;
	*rows = (int)r;
	return end != text && *end == '\0' && c >= 1 && c <= CELLS_MAX && r >= 1 && r <= CELLS_MAX;
}

int cmd_screen(struct cli *c)
{
	static const char *const formats[] = {"text", "ansi", "svg"};
	const struct cli_request *q = &c->request;
	struct cli_screen screen = {.columns = COLUMNS, .rows = ROWS, .keys = q->keys ? q->keys : ""};
	const char *format = q->output ? q->output : "text";
	size_t i = 0;
	if (q->size && !read_size(q->size, &screen.columns, &screen.rows)) {
		cli_say(NULL, 0, "--size: expected COLUMNSxROWS, each 1 to %d", (int)CELLS_MAX);
		return CLI_USAGE;
	}
	while (i < sizeof formats / sizeof *formats && strcmp(format, formats[i]) != 0)
		i++;
	if (i == sizeof formats / sizeof *formats) {
		cli_say(NULL, 0, "screen --output: expected text, ansi or svg");
		return CLI_USAGE;
	}
	screen.format = formats[i];
	if (!c->hooks || !c->hooks->screen)
		return CLI_INTERNAL;
	c->request.file = c->words[0];
	return c->hooks->screen(&c->request, &screen, &c->out.buf);
}
