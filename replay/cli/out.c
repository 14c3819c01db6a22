#include "replay/cli/out.h"

#include <errno.h>
#include <unistd.h>

#include "replay/cli/cli.h"

/* Valid in JSON as they are, and obeyed by terminals. */
static bool is_obeyed(uint32_t code)
{
	return (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static void make_safe(struct buf *b)
{
	struct buf safe = {0};
	struct str s = buf_view(b);
	uint32_t code;
	for (size_t at = 0, n; at < s.n; at += n) {
		n = text_decode(s, at, &code);
		if (is_obeyed(code))
			buf_printf(&safe, "\\u%04x", (unsigned)code);
		else
			buf_bytes(&safe, s.p + at, n);
	}
	buf_free(b);
	*b = safe;
}

bool out_flush(struct out *o)
{
	if (isatty(o->fd))
		make_safe(&o->buf);
	for (size_t at = 0; at < o->buf.n && !o->closed;) {
		ssize_t n = write(o->fd, o->buf.p + at, o->buf.n - at);
		if (n > 0) {
			at += (size_t)n;
		} else if (errno != EINTR) {
			o->error = errno;
			o->closed = true;
		}
	}
	buf_cut(&o->buf, 0);
	return !o->closed;
}

bool out_take(struct out *o, struct buf *from)
{
	if (o->buf.n == 0) {
		struct buf swap = o->buf;
		o->buf = *from;
		*from = swap;
	} else {
		buf_str(&o->buf, buf_view(from));
		buf_cut(from, 0);
	}
	return o->buf.n < OUT_CHUNK ? !o->closed : out_flush(o);
}

int out_end(struct out *o, const char *name, int code)
{
	out_flush(o);
	buf_free(&o->buf);
	if (o->error == 0 || o->error == EPIPE)
		return code;
	cli_say(NULL, 0, "cannot write %s: %s", name, strerror(o->error));
	return CLI_INTERNAL;
}
