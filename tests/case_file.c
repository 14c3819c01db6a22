#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/buf.h"
#include "engine/base/json.h"
#include "tests/case_file.h"

static const char *case_name(const cJSON *one)
{
	struct str name = json_str(json_get(one, "name"));
	return name.p ? name.p : "?";
}

void case_fail(const cJSON *one, const char *format, ...)
{
	char reason[256];
	va_list args;
	va_start(args, format);
	vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	print_error("case %s: %s\n", case_name(one), reason);
	fail();
	abort(); /* fail() jumps out; the compiler cannot know */
}

void case_expect_text(const cJSON *one, const char *what, struct str got, struct str want)
{
	if (str_eq(got, want))
		return;
	/* as JSON strings: raw control bytes would break the report; one call a text, as cmocka cuts each at 1 KiB */
	struct buf line = {0};
	json_put_str(&line, got);
	print_error("case %s: %s\n  got  ", case_name(one), what);
	print_error("%s", line.p);
	buf_cut(&line, 0);
	json_put_str(&line, want);
	print_error("\n  want ");
	print_error("%s", line.p);
	print_error("\n");
	buf_free(&line);
	case_fail(one, "%s differs", what);
}

void case_expect_count(const cJSON *one, const char *what, size_t got, size_t want)
{
	if (got != want)
		case_fail(one, "%s is %zu, want %zu", what, got, want);
}

static void run_line(struct str line, const char *path, size_t number, void (*fn)(const cJSON *, void *), void *ctx)
{
	struct arena arena = {0};
	cJSON *one = json_tree(&arena, line, NULL, NULL);
	if (json_str(json_get(one, "name")).n == 0) {
		print_error("%s:%zu: not a JSON object with a name\n", path, number);
		fail();
	}
	fn(one, ctx);
	arena_free(&arena);
}

void case_file_each(const char *path, void (*fn)(const cJSON *one, void *ctx), void *ctx)
{
	FILE *file = fopen(path, "r");
	if (!file) {
		print_error("%s: %s\n", path, strerror(errno));
		fail();
		return;
	}
	char *line = NULL;
	size_t cap = 0, number = 0, cases = 0;
	ssize_t n;
	while ((n = getline(&line, &cap, file)) >= 0) {
		struct str s = text_trim((struct str){line, (size_t)n});
		number++;
		if (s.n == 0 || s.p[0] == '#')
			continue;
		run_line(s, path, number, fn, ctx);
		cases++;
	}
	free(line);
	fclose(file);
	if (cases == 0) {
		print_error("%s: no cases\n", path);
		fail();
	}
}

/* Reads `<c*N>` at s.p[at]: its length in bytes, with *count set, or 0. */
static size_t repeat_at(struct str s, size_t at, size_t *count)
{
	if (s.n - at < 5 || s.p[at] != '<' || s.p[at + 2] != '*')
		return 0;
	size_t p = at + 3;
	*count = 0;
	while (p < s.n && s.p[p] >= '0' && s.p[p] <= '9' && *count < 10000000)
		*count = *count * 10 + (size_t)(s.p[p++] - '0');
	return p > at + 3 && p < s.n && s.p[p] == '>' ? p + 1 - at : 0;
}

struct str case_expand(struct arena *a, struct str text)
{
	struct buf b = {0};
	for (size_t at = 0; at < text.n;) {
		size_t count, n = repeat_at(text, at, &count);
		for (size_t i = 0; n > 0 && i < count; i++)
			buf_char(&b, text.p[at + 1]);
		if (n == 0)
			buf_char(&b, text.p[at]);
		at += n > 0 ? n : 1;
	}
	struct str out = {arena_copy(a, b.p ? b.p : "", b.n), b.n};
	buf_free(&b);
	return out;
}
