/*
 * Every number of every pane at every turn is the member of the trace, or the explanation, that it stands for. Who
 * judges is tests/oracle/figures.mjs: it gets traces, explanations and panes, and knows for every number on a line
 * which one it claims to be; a number that no rule claims is a fault.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "replay/checks.h"
#include "replay/frame_request.h"
#include "replay/report/trace.h"
#include "replay/view/text.h"
#include "replay/view/view.h"
#include "tests/explained.h"
#include "tests/generate.h"
#include "tests/generate_dsh.h"
#include "tests/generate_pi.h"
#include "tests/replayed.h"

enum { COLUMNS = 400 };

/* ---- what the oracle gets ---- */

/* The line with one character for each column: the second one of a wide character is a DEL. */
static void put_line(const struct line *l, struct buf *b)
{
	struct text_cursor cursor = text_start(buf_view(&l->bytes), l->ascii);
	struct text_cell cell;
	struct buf flat = {0};
	while (text_next(&cursor, &cell)) {
		uint32_t code;
		size_t n = text_decode((struct str){cell.bytes, cell.n}, 0, &code);
		if (code < 0x10000)
			buf_bytes(&flat, cell.bytes, n);
		else
			buf_char(&flat, '?');
		for (int i = 1; i < cell.columns; i++)
			buf_char(&flat, 0x7F);
	}
	json_put_str(b, buf_view(&flat));
	buf_free(&flat);
}

static void put_pane(const struct view_ops *v, const struct view_context *c, struct buf *b)
{
	struct line l = {0};
	size_t n = v->count(c);
	buf_printf(b, "%s\"%s\":{\"caption\":", v == views[0] ? "" : ",", v->name);
	if (v->caption) {
		v->caption(c, &l);
		put_line(&l, b);
	} else {
		buf_text(b, "null");
	}
	buf_text(b, ",\"lines\":[");
	for (size_t i = 0; i < n; i++) {
		buf_text(b, i > 0 ? "," : "");
		v->line(c, i, &l);
		put_line(&l, b);
	}
	buf_text(b, "]}");
	line_free(&l);
}

static void put_turn(struct run *r, struct frame *f, struct buf *b)
{
	struct view_context c = {.run = r, .frame = f, .width = COLUMNS};
	buf_printf(b, "{\"turn\":%u,\"explained\":", f->at.turn);
	explained_turn(f, b);
	buf_text(b, ",\"panes\":{");
	for (size_t i = 0; views[i] != NULL; i++)
		put_pane(views[i], &c, b);
	buf_text(b, "}}\n");
}

/* ---- a session ---- */

static void on_turn(void *trace, struct run *r, uint32_t n, const struct moment *m) { trace_turn(trace, r, n, m); }
static void on_compress(void *trace, struct run *r, const struct compress_event *e) { trace_compress(trace, r, e); }

static void send(FILE *oracle, struct buf *b)
{
	assert_int_equal(fwrite(b->p, 1, b->n, oracle), b->n);
	buf_cut(b, 0);
}

/* Every turn of a session, under its host's profile or another. */
static void judge(FILE *oracle, const char *name, const char *profile, struct str text)
{
	struct replayed s;
	struct checks checks;
	struct trace trace = {0};
	struct frame f = {0};
	struct error e = {0};
	struct buf b = {0};
	replayed_open(&s, text);
	replayed_start(&s, profile);
	s.run.want_requests = request_figures(&s.run);
	s.run.observer = (struct run_observer){on_turn, on_compress, &trace};
	replayed_finish(&s);
	trace_end(&trace, &s.run);
	assert_int_equal(checks_find(&checks, &s.recording, NULL, &e), STATUS_OK);
	while (checks_step(&checks, &s.run, false))
		;
	buf_text(&b, "{\"session\":");
	json_put_str(&b, str_of(name));
	buf_text(&b, "}\n");
	buf_str(&b, buf_view(&trace.out));
	for (uint32_t turn = 1; turn <= s.run.timeline.turns.n; turn++) {
		assert_int_equal(frame_open(&f, &s.run, (struct position){.turn = turn, .node = NODE_RENDER}, &e),
				 STATUS_OK);
		f.checks = &checks;
		if (turn == 1) {
			buf_text(&b, "{\"run\":");
			explained_run(&s.run, &f, &b);
			buf_text(&b, "}\n");
		}
		put_turn(&s.run, &f, &b);
		send(oracle, &b);
	}
	send(oracle, &b);
	frame_close(&f);
	trace_free(&trace);
	checks_free(&checks);
	replayed_close(&s);
	buf_free(&b);
}

/* ---- sessions ---- */

static FILE *start(void)
{
	FILE *oracle = popen("node tests/oracle/figures.mjs", "w");
	assert_non_null(oracle);
	return oracle;
}

static void finish(FILE *oracle) { assert_int_equal(pclose(oracle), 0); }

static void read_file(const char *path, struct buf *b)
{
	char bytes[4096];
	size_t n;
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
		buf_bytes(b, bytes, n);
	fclose(f);
}

static void samples(void **state)
{
	DIR *dir = opendir("sample-sessions");
	FILE *oracle = start();
	size_t sessions = 0;
	(void)state;
	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		struct str name = str_of(entry->d_name);
		struct buf path = {0}, text = {0};
		if (str_find(name, STR(".jsonl"), 0) == SIZE_MAX || str_find(name, STR(".acp."), 0) != SIZE_MAX)
			continue;
		buf_printf(&path, "sample-sessions/%s", entry->d_name);
		read_file(path.p, &text);
		judge(oracle, entry->d_name, NULL, buf_view(&text));
		/* the one that measures a density */
		if (str_starts(name, STR("pi-")))
			judge(oracle, entry->d_name, "P155", buf_view(&text));
		sessions++;
		buf_free(&path);
		buf_free(&text);
	}
	closedir(dir);
	finish(oracle);
	assert_true(sessions >= 15);
}

enum { RECORDINGS = 9, PI_FILES = 30, DSH_LOGS = 20 }; /* of each shape; 113 in all */

static void generated(void **state)
{
	FILE *oracle = start();
	struct buf text = {0};
	char name[64];
	(void)state;
	for (int shape = 0; shape < GENERATE_SHAPES; shape++)
		for (uint64_t seed = 1; seed <= RECORDINGS; seed++) {
			struct generate_options o = {.shape = (enum generate_shape)shape, .seed = seed, .turns = 12};
			o.turns = shape == GENERATE_TYPES ? GENERATE_TYPES_TURNS : o.turns;
			o.damaged = seed % 3 == 0;
			snprintf(name, sizeof name, "%s %d", generate_shape_name(o.shape), (int)seed);
			generate_recording(&o, &text);
			judge(oracle, name, NULL, buf_view(&text));
			buf_cut(&text, 0);
		}
	for (uint64_t seed = 1; seed <= PI_FILES; seed++) {
		snprintf(name, sizeof name, "pi %d", (int)seed);
		generate_pi(seed, 12, &text);
		judge(oracle, name, seed % 3 == 0 ? "P155" : NULL, buf_view(&text));
		buf_cut(&text, 0);
	}
	for (uint64_t seed = 1; seed <= DSH_LOGS; seed++) {
		snprintf(name, sizeof name, "dsh %d", (int)seed);
		generate_dsh(seed, 60, &text);
		judge(oracle, name, NULL, buf_view(&text));
		buf_cut(&text, 0);
	}
	buf_free(&text);
	finish(oracle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(samples), cmocka_unit_test(generated)};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
