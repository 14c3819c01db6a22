#include "tui/clipboard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

const char *clipboard_command(void)
{
	const char *command = getenv("ACPDBG_CLIPBOARD");

	return command && *command ? command : NULL;
}

enum status clipboard_run(const char *command, struct str bytes, struct error *e)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	struct buf line = {0};
	FILE *pipe;
	int code = -1;

	/* what it says would spoil the screen */
	buf_printf(&line, "( %s\n) >/dev/null 2>&1", command);
	sigemptyset(&ignore.sa_mask);
	sigaction(SIGPIPE, &ignore, &before);
	pipe = popen(line.p, "w");
	if (pipe) {
		fwrite(bytes.p, 1, bytes.n, pipe);
		code = pclose(pipe);
	}
	sigaction(SIGPIPE, &before, NULL);
	buf_free(&line);
	if (code == 0)
		return STATUS_OK;
	if (code < 0)
		return error_set(e, STATUS_IO, "the clipboard's command cannot be run: %s", strerror(errno));
	return error_set(e, STATUS_IO, "the clipboard's command failed (ACPDBG_CLIPBOARD, exit code %d)",
			 WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code));
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
