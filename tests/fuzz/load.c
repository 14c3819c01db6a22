#include "tests/fuzz/load.h"

#include <stdlib.h>
#include <unistd.h>

bool load_bytes(struct recording *r, const char *bytes, size_t n, const char *from)
{
	char path[] = "/tmp/fuzz-XXXXXX";
	struct error e;
	int fd = mkstemp(path);
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	close(fd);
	enum status st = recording_open(r, path, from, &e);
	unlink(path);
	while (st == STATUS_OK && recording_load_step(r, 1 << 16, &st, &e))
		;
	if (st != STATUS_OK)
		recording_free(r);
	return st == STATUS_OK;
}
