#include "replay/cli/out.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "replay/cli/cli.h"

/* Valid in JSON as they are, and obeyed by terminals. */
static bool is_obeyed(uint32_t code)
{
	return (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* Bytes at the end that begin a character and do not end it. */
static size_t unfinished(struct str s)
{
	for (size_t n = 1; n <= 3 && n <= s.n; n++) {
		unsigned char c = (unsigned char)s.p[s.n - n];
		size_t whole = c >= 0xf0 && c < 0xf8 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
		if ((c & 0xc0) != 0x80)
			return c < 0xf8 && whole > n ? n : 0;
	}
	return 0;
}

/* A character can come in two parts: the first one waits for the other. */
static void make_safe(struct out *o)
{
	struct buf safe = {0}, all = {0}, *b = &o->buf;
	buf_bytes(&all, o->held, o->held_n);
	buf_str(&all, buf_view(b));
	struct str s = buf_view(&all);
	o->held_n = unfinished(s);
	s.n -= o->held_n;
	if (o->held_n > 0)
		memcpy(o->held, s.p + s.n, o->held_n);
	uint32_t code;
	for (size_t at = 0, n; at < s.n; at += n) {
		n = text_decode(s, at, &code);
		if (is_obeyed(code))
			buf_printf(&safe, "\\u%04x", (unsigned)code);
		else
			buf_bytes(&safe, s.p + at, n);
	}
	buf_free(b);
	buf_free(&all);
	*b = safe;
}

bool out_flush(struct out *o)
{
	if (isatty(o->fd))
		make_safe(o);
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
	buf_free(&o->buf); /* half a character that is held says nothing */
	if (o->error == 0 || o->error == EPIPE)
		return code;
	cli_say(NULL, 0, "cannot write %s: %s", name, strerror(o->error));
	return CLI_INTERNAL;
}
