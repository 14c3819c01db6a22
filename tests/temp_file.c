#include "tests/temp_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/json.h"

void temp_file_write(struct temp_file *f, struct str bytes)
{
	const char *dir = getenv("TMPDIR");
	ssize_t wrote;
	size_t at = 0;
	int fd;

	snprintf(f->path, sizeof f->path, "%s/acpdbg-test-XXXXXX", dir && *dir ? dir : "/tmp");
	fd = mkstemp(f->path);
	assert_true(fd >= 0);
	while (at < bytes.n) {
		wrote = write(fd, bytes.p + at, bytes.n - at);
		assert_true(wrote > 0);
		at += (size_t)wrote;
	}
	close(fd);
}

void temp_file_remove(struct temp_file *f) { unlink(f->path); }

static void put_string(struct buf *b, struct str s)
{
	size_t i;

	for (i = 0; i < s.n; i++) {
		bool zero = (unsigned char)s.p[i] == 0xC0 && i + 1 < s.n && (unsigned char)s.p[i + 1] == 0x80;

		buf_char(b, zero ? '\0' : s.p[i]);
		i += zero;
	}
}

static void put_hex(struct buf *b, struct str hex)
{
	size_t i;

	for (i = 0; i + 1 < hex.n; i += 2) {
		char digits[3] = {hex.p[i], hex.p[i + 1], 0};

		buf_char(b, (char)strtoul(digits, NULL, 16));
	}
}

static void put_piece(struct buf *b, const cJSON *piece)
{
	double times = 0;
	size_t i;

	if (cJSON_IsString(piece))
		put_string(b, json_str(piece));
	else if (json_num(json_get(piece, "times"), &times))
		for (i = 0; i < (size_t)times; i++)
			put_string(b, json_str(json_get(piece, "repeat")));
	else
		put_hex(b, json_str(json_get(piece, "hex")));
}

void temp_file_bytes(struct buf *b, const cJSON *described)
{
	const cJSON *piece;

	if (!cJSON_IsArray(described)) {
		put_piece(b, described);
		return;
	}
	cJSON_ArrayForEach (piece, described)
		put_piece(b, piece);
}
