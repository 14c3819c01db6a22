#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/home.h"

static const char *get(void *ctx, const char *name)
{
	const struct home *h = ctx;

	for (size_t i = 0; i < HOME_VARIABLES; i++)
		if (h->variables[i][0] != NULL && strcmp(h->variables[i][0], name) == 0)
			return h->variables[i][1];
	return NULL;
}

void home_open(struct home *h)
{
	setenv("TZ", "UTC0", 1);
	*h = (struct home){.path = P_tmpdir "/test-home-XXXXXX"};
	assert_non_null(mkdtemp(h->path));
	assert_int_equal(chmod(h->path, 0755), 0); /* for the test that looks as somebody else */
	h->places = (struct sessions_places){
		.v = sessions_known, .n = sessions_known_count, .home = h->path, .cwd = "/w/p", .get = get, .ctx = h};
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at)
{
	(void)about;
	(void)kind;
	(void)at;
	return remove(path);
}

void home_close(struct home *h)
{
	sessions_free(&h->sessions);
	arena_free(&h->arena);
	assert_int_equal(nftw(h->path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

const char *home_path(struct home *h, const char *path)
{
	struct buf b = {0};
	const char *all;

	buf_printf(&b, "%s%s", path[0] == '~' ? h->path : "", path[0] == '~' ? path + 1 : path);
	all = arena_copy(&h->arena, b.p, b.n);
	buf_free(&b);
	return all;
}

void home_directories(const char *path)
{
	char part[512];

	for (size_t i = 1; path[i] != '\0'; i++) {
		if (path[i] != '/')
			continue;
		assert_true(i < sizeof part);
		memcpy(part, path, i);
		part[i] = '\0';
		mkdir(part, 0755);
	}
}

const char *home_put(struct home *h, const char *path, struct str bytes, int64_t ago)
{
	const char *full = home_path(h, path);
	struct timespec times[2] = {{.tv_sec = (time_t)(HOME_NOW - ago)}, {.tv_sec = (time_t)(HOME_NOW - ago)}};
	FILE *file;

	home_directories(full);
	file = fopen(full, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes.p, 1, bytes.n, file), bytes.n);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(utimensat(AT_FDCWD, full, times, 0), 0);
	return full;
}

const char *home_put_text(struct home *h, const char *path, const char *text, int64_t ago)
{
	return home_put(h, path, str_of(text), ago);
}

const char *home_put_pi(struct home *h, const char *path, const char *cwd, const char *text, int64_t ago)
{
	struct buf b = {0};
	const char *full;

	buf_printf(&b, "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"t\",\"cwd\":\"%s\"}\n", cwd);
	buf_printf(&b,
		   "{\"type\":\"message\",\"id\":\"1\",\"parentId\":null,\"message\":{\"role\":\"user\",\"content\":");
	json_put_str(&b, str_of(text));
	buf_text(&b, "}}\n");
	full = home_put(h, path, buf_view(&b), ago);
	buf_free(&b);
	return full;
}

void home_put_codex(struct home *h, const char *path, const char *cwd, const char *text, int64_t ago)
{
	struct buf b = {0};

	buf_printf(&b, "{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{\"id\":\"c\",\"cwd\":\"%s\"}}\n",
		   cwd);
	buf_printf(&b,
		   "{\"timestamp\":\"t\",\"type\":\"event_msg\",\"payload\":{\"type\":\"user_message\",\"message\":\"%"
		   "s\"}}\n",
		   text);
	home_put(h, path, buf_view(&b), ago);
	buf_free(&b);
}

void home_put_claude(struct home *h, const char *path, const char *cwd, const char *text, int64_t ago)
{
	struct buf b = {0};

	buf_printf(&b,
		   "{\"type\":\"user\",\"uuid\":\"1\",\"parentUuid\":null,\"sessionId\":\"s\",\"cwd\":\"%s\","
		   "\"message\":{\"role\":\"user\",\"content\":\"%s\"}}\n",
		   cwd, text);
	home_put(h, path, buf_view(&b), ago);
	buf_free(&b);
}

void home_scan(struct home *h)
{
	sessions_free(&h->sessions);
	sessions_scan(&h->sessions, &h->places);
	sessions_sort(&h->sessions);
}
