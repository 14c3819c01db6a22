#include "replay/xdg.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM "acpdbg"

static const struct {
	const char *env, *below; /* below the user's home, without the variable */
} homes[] = {
	[XDG_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
	[XDG_STATE] = {"XDG_STATE_HOME", ".local/state"},
};

const char *xdg_user_home(void)
{
	const char *home = getenv("HOME");
	const struct passwd *user = home && *home ? NULL : getpwuid(getuid());

	if (user)
		home = user->pw_dir;
	return home && *home ? home : NULL;
}

bool xdg_path(enum xdg_home home, const char *name, struct buf *out)
{
	const char *base = getenv(homes[home].env), *user = xdg_user_home();

	if (base && base[0] == '/') {
		buf_printf(out, "%s/" PROGRAM "/%s", base, name);
		return true;
	}
	if (!user || user[0] != '/')
		return false;
	buf_printf(out, "%s/%s/" PROGRAM "/%s", user, homes[home].below, name);
	return true;
}

enum status xdg_read(const char *path, struct buf *out, struct error *e)
{
	struct stat st;
	char chunk[8192];
	ssize_t n = 0;
	size_t before = out->n;
	/* a named pipe must not be waited for */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int code;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return error_set(e, STATUS_NO_INPUT, "there is no such file");
	if (fd < 0)
		return error_set(e, STATUS_IO, "cannot be read: %s", strerror(errno));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > XDG_BYTES_MAX) {
		close(fd);
		return error_set(e, STATUS_DATA, "is no regular file of at most %d bytes", (int)XDG_BYTES_MAX);
	}
	while (out->n - before <= XDG_BYTES_MAX && (n = read(fd, chunk, sizeof chunk)) > 0)
		buf_bytes(out, chunk, (size_t)n);
	code = errno;
	close(fd);
	if (n >= 0)
		return STATUS_OK;
	buf_cut(out, before);
	return error_set(e, STATUS_IO, "cannot be read: %s", strerror(code));
}

/* Makes the directories above the file; 0 or what errno says. */
static int make_parents(const char *path)
{
	struct buf part = {0};
	struct stat st;
	int code = 0;

	for (const char *slash = strchr(path + 1, '/'); slash && code == 0; slash = strchr(slash + 1, '/')) {
		buf_cut(&part, 0);
		buf_bytes(&part, path, (size_t)(slash - path));
		/* what is there may stand where nothing may be made */
		if (mkdir(part.p, 0700) != 0 && !(stat(part.p, &st) == 0 && S_ISDIR(st.st_mode)))
			code = errno;
	}
	buf_free(&part);
	return code;
}

static bool write_all(int fd, struct str bytes)
{
	while (bytes.n > 0) {
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes = (struct str){bytes.p + n, bytes.n - (size_t)n};
	}
	return true;
}

enum status xdg_write(const char *path, struct str bytes, struct error *e)
{
	struct buf name = {0};
	int fd, code = make_parents(path);
	bool done;

	if (code != 0)
		return error_set(e, STATUS_IO, "its directory cannot be made: %s", strerror(code));
	buf_printf(&name, "%s.XXXXXX", path);
	fd = mkstemp(name.p);
	done = fd >= 0 && write_all(fd, bytes) && fsync(fd) == 0;
	code = errno;
	if (fd >= 0)
		close(fd);
	if (done && rename(name.p, path) != 0) {
		done = false;
		code = errno;
	}
	if (!done && fd >= 0)
		unlink(name.p);
	buf_free(&name);
	return done ? STATUS_OK : error_set(e, STATUS_IO, "cannot be written: %s", strerror(code));
}
