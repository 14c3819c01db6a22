#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <math.h>

#include "engine/base/json.h"
#include "replay/frame_request.h"
#include "replay/view/view.h"
#include "tests/replayed.h"
#include "tests/view_screens.h"

static void print_other(const char *view, const struct view_context *c, struct buf *b)
{
	struct line l = {.ascii = c->ascii};
	int n = strcmp(view, "strip") == 0 ? STRIP_LINES : 1;
	for (int i = 0; i < n; i++) {
		if (n > 1)
			strip_line(c, i, &l);
		else
			status_line(c, &l);
		line_write(&l, b);
		buf_char(b, '\n');
	}
	line_free(&l);
}

/* The screen with the recording's path written as FILE. */
static void print_screen(const cJSON *one, const char *view, const struct view_context *c, struct buf *out)
{
	const struct view_ops *v = view_named(str_of(view));
	struct str path = str_of(c->run->recording->source.path);
	struct buf b = {0};
	if (v)
		view_print(v, c, &b);
	else if (strcmp(view, "strip") == 0 || strcmp(view, "top") == 0)
		print_other(view, c, &b);
	else
		case_fail(one, "no view %s", view);
	struct str all = buf_view(&b);
	for (size_t at = 0; at < all.n;) {
		size_t found = str_find(all, path, at);
		size_t end = found < all.n ? found : all.n;
		buf_str(out, str_cut(all, at, end));
		if (end < all.n)
			buf_text(out, "FILE");
		at = end < all.n ? end + path.n : end;
	}
	buf_free(&b);
}

/* A star at either end of `want` stands for anything. */
static bool matches(struct str want, struct str got)
{
	bool open_start = want.n > 0 && want.p[0] == '*', open_end = want.n > 1 && want.p[want.n - 1] == '*';
	struct str core = str_cut(want, open_start, want.n - open_end);
	if (open_start && open_end)
		return str_find(got, core, 0) != SIZE_MAX;
	if (open_start)
		return got.n >= core.n && str_eq(str_cut(got, got.n - core.n, got.n), core);
	return open_end ? str_starts(got, core) : str_eq(got, core);
}

static void compare(const cJSON *one, const char *what, const cJSON *screen, struct str got)
{
	const cJSON *line;
	double head = INFINITY;
	size_t at = 0, n = 0;
	json_num(json_get(screen, "head"), &head);
	cJSON_ArrayForEach (line, json_get(screen, "lines")) {
		size_t end = str_find(got, STR("\n"), at);
		if (end == SIZE_MAX)
			case_fail(one, "%s: only %zu lines", what, n);
		if (!matches(json_str(line), str_cut(got, at, end))) {
			print_error("%.*s\n", (int)got.n, got.p);
			print_error("wanted |%s|\n   got |%.*s|\n", json_str(line).p, (int)(end - at), got.p + at);
			case_fail(one, "%s: line %zu", what, n);
		}
		at = end + 1;
		n++;
	}
	if (at < got.n && (double)n < head)
		case_fail(one, "%s: more than %zu lines", what, n);
}

static void run_screen(const cJSON *one, struct replayed *s, struct frame *f, const cJSON *screen)
{
	struct position p = {0};
	struct error e = {0};
	const char *view = json_str(json_get(screen, "view")).p, *at = json_str(json_get(screen, "at")).p;
	struct view_context c = {.run = &s->run, .frame = f, .ascii = cJSON_IsTrue(json_get(screen, "ascii"))};
	double width = 0, open = -1;
	char what[128];
	struct buf got = {0};
	json_num(json_get(screen, "width"), &width);
	json_num(json_get(screen, "open"), &open);
	c.width = (int)width;
	snprintf(what, sizeof what, "%s at %s, %d columns", view, at, c.width);
	if (position_parse(&s->run, str_of(at), &p, &e) != STATUS_OK || frame_open(f, &s->run, p, &e) != STATUS_OK)
		case_fail(one, "%s: %s", what, e.message);
	if (open >= 0) {
		c.selected = view_named(str_of(view))->key(&c, (size_t)open);
		c.unfolded = true;
	}
	print_screen(one, view, &c, &got);
	compare(one, what, screen, buf_view(&got));
	buf_free(&got);
}

static void run_case(const cJSON *one, void *ctx)
{
	struct replayed s;
	struct frame f = {0};
	const cJSON *screen;
	(void)ctx;
	replayed_open_case(&s, one);
	replayed_start_with(&s, json_str(json_get(one, "profile")).p, json_str(json_get(one, "policy")));
	s.run.want_requests = request_lacks(&s.run) == REQUEST_THERE;
	replayed_finish(&s);
	if (cJSON_GetArraySize(json_get(one, "screens")) == 0)
		case_fail(one, "no screens");
	cJSON_ArrayForEach (screen, json_get(one, "screens"))
		run_screen(one, &s, &f, screen);
	frame_close(&f);
	replayed_close(&s);
}

void view_screens_file(const char *path) { case_file_each(path, run_case, NULL); }
