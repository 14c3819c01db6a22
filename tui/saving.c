#include "tui/saving.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void opened(struct saving *s, int fd) { *s = (struct saving){.fd = fd, .code = fd < 0 ? errno : 0}; }

void saving_begin(struct saving *s, const char *path)
{
	opened(s, open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
}

void saving_begin_temporary(struct saving *s, char *path) { opened(s, mkstemp(path)); }

void saving_put(void *ctx, const char *bytes, size_t n)
{
	struct saving *s = ctx;

	s->bytes += n;
	while (n > 0 && s->code == 0) {
		ssize_t done = write(s->fd, bytes, n);

		if (done < 0 && errno != EINTR)
			s->code = errno;
		bytes += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
}

void saving_fail(struct saving *s, int code)
{
	if (s->code == 0)
		s->code = code;
}

bool saving_end(struct saving *s, const char *path)
{
	if (s->fd < 0)
		return false;
	if (close(s->fd) != 0)
		saving_fail(s, errno);
	s->fd = -1;
	if (s->code != 0)
		unlink(path);
	return s->code == 0;
}
