/* Views of DSH sessions: screens worked out by hand, and what must hold for every line of every view. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "replay/view/text.h"
#include "replay/view/view.h"
#include "tests/replayed.h"
#include "tests/view_screens.h"

static void screens(void **state)
{
	(void)state;
	view_screens_file("tests/cases/views_dsh.jsonl");
}

/* ---- what holds for every line ---- */

static void check_line(const struct line *l, const struct view_context *c, const char *what)
{
	int width = 0;
	for (size_t i = 0; i < l->segments.n; i++) {
		struct str text = line_text(l, &l->segments.v[i]);
		for (size_t k = 0; k < text.n; k++) {
			assert_true((unsigned char)text.p[k] >= 0x20 && text.p[k] != 0x7F);
			assert_true(!c->ascii || (unsigned char)text.p[k] < 0x80);
		}
		width += text_width(text, c->ascii);
	}
	if (width > c->width) {
		print_error("%s: %d columns in a window of %d\n", what, width, c->width);
		fail();
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Lines fit, keys are unique, and what has a key can be opened. */
static void check_view(const struct view_ops *v, struct view_context *c)
{
	struct line l = {.ascii = c->ascii};
	size_t n = v->count(c);
	VEC(uint64_t) keys = {0};
	if (v->caption) {
		v->caption(c, &l);
		check_line(&l, c, v->name);
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t key = v->key(c, i);
		v->line(c, i, &l);
		check_line(&l, c, v->name);
		if (key == 0)
			continue;
		vec_push(&keys, key);
		size_t lines = v->detail_count ? v->detail_count(c, key) : 0;
		assert_true(lines > 0 || v->detail_count == NULL);
		for (size_t k = 0; k < lines; k++) {
			v->detail_line(c, key, k, &l);
			check_line(&l, c, "detail");
		}
	}
	if (keys.n > 1)
		qsort(keys.v, keys.n, sizeof *keys.v, by_value);
	for (size_t i = 1; i < keys.n; i++)
		assert_true(keys.v[i - 1] != keys.v[i]);
	vec_free(&keys);
	line_free(&l);
}

static void check_run(struct run *r, int first_width)
{
	struct frame f = {0};
	struct error e = {0};
	int width = first_width;
	for (uint32_t turn = 0; turn <= r->timeline.turns.n; turn++) {
		uint32_t after = position_records_after(r, turn);
		for (uint32_t k = 0; k <= after; k++) {
			struct position p = {.turn = turn, .node = NODE_RENDER, .records = k};
			assert_int_equal(frame_open(&f, r, p, &e), STATUS_OK);
			struct view_context c = {.run = r, .frame = &f, .ascii = width % 2, .width = width};
			for (size_t i = 0; views[i]; i++)
				check_view(views[i], &c);
			width = width % 130 + 7;
		}
	}
	frame_close(&f);
}

static void check_case(const cJSON *one, void *ctx)
{
	static const char *const policies[][2] = {{"F1", ""}, {"B0", ""}, {"F1", "whatif=on"}, {"F1", "sources=v4"}};
	(void)ctx;
	for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
		struct replayed s;
		replayed_open_case(&s, one);
		replayed_start_with(&s, policies[i][0], str_of(policies[i][1]));
		replayed_finish(&s);
		check_run(&s.run, 1 + 20 * (int)i);
		replayed_close(&s);
	}
}

static void every_line_fits_and_opens(void **state)
{
	(void)state;
	case_file_each("tests/cases/views_dsh.jsonl", check_case, NULL);
}

/* Logs that break the rules of the format in every way the reader's cases know. */
static void check_odd(const cJSON *one, void *ctx)
{
	struct replayed s;
	struct str file = json_str(json_get(one, "file"));
	(void)ctx;
	if (file.n == 0)
		return;
	replayed_open(&s, file);
	if (str_eq(s.recording.host, STR("dsh"))) {
		replayed_start(&s, "F1");
		replayed_finish(&s);
		check_run(&s.run, 20);
	}
	replayed_close(&s);
}

static void odd_logs_are_shown(void **state)
{
	(void)state;
	case_file_each("tests/cases/recording_dsh.jsonl", check_odd, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(every_line_fits_and_opens),
		cmocka_unit_test(odd_logs_are_shown),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
