/* Recorded requests (--requests DIR) beside ours: forms, which turn, where they differ, what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay/request_dump.h"
#include "replay/requests.h"
#include "tests/generate_pi.h"
#include "tests/replayed.h"

static void open_at(struct replayed *s, struct frame *f, uint32_t turn)
{
	struct position p = {.turn = turn, .node = NODE_RENDER};
	assert_int_equal(frame_open(f, &s->run, p, NULL), STATUS_OK);
}

/* A directory of its own with dumps. */
struct dumps {
	char path[300];
	struct replayed session;
	struct requests found;
};

static void put_file(const struct dumps *d, const char *name, struct str bytes)
{
	char path[400];
	snprintf(path, sizeof path, "%s/%s", d->path, name);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
	assert_int_equal(fclose(f), 0);
}

static void dumps_open(struct dumps *d)
{
	const char *dir = getenv("TMPDIR");
	struct buf text = {0};
	snprintf(d->path, sizeof d->path, "%s/acpdbg-test-XXXXXX", dir && *dir ? dir : "/tmp");
	assert_non_null(mkdtemp(d->path));
	generate_pi(7, 9, &text);
	replayed_open(&d->session, buf_view(&text));
	replayed_start(&d->session, "P342");
	replayed_finish(&d->session);
	buf_free(&text);
}

static void dumps_close(struct dumps *d)
{
	DIR *open = opendir(d->path);
	const struct dirent *entry;
	char path[600];
	while ((entry = readdir(open)) != NULL) {
		snprintf(path, sizeof path, "%s/%s", d->path, entry->d_name);
		if (entry->d_name[0] != '.')
			assert_int_equal(remove(path), 0);
	}
	closedir(open);
	assert_int_equal(rmdir(d->path), 0);
	requests_free(&d->found);
	replayed_close(&d->session);
}

static void compare_all(struct dumps *d)
{
	requests_free(&d->found);
	assert_int_equal(requests_find(&d->found, d->path, NULL), STATUS_OK);
	while (requests_step(&d->found, &d->session.run))
		;
}

/* Our own request of a turn, as `replay --request` prints it. */
static void write_request(struct dumps *d, uint32_t turn, struct buf *b)
{
	struct frame f = {0};
	open_at(&d->session, &f, turn);
	frame_request_write(frame_request(&f), b);
	frame_close(&f);
}

/* The forms of request_dump.h that say the same: lines, a list, objects around it, other members and their order. */
static void put_form(struct dumps *d, uint32_t turn, int form)
{
	static const char *const before[] = {"", "[", "{\"systemPrompt\":\"s\",\"messages\":[",
					     "{\"a\":1,\"context\":{\"messages\":["};
	static const char *const after[] = {"\n", "]", "],\"tools\":[]}", "]}}"};
	struct buf own = {0}, out = {0};
	char name[32];
	write_request(d, turn, &own);
	buf_text(&out, before[form]);
	for (size_t i = 0; i < own.n; i++) {
		bool end = own.p[i] == '\n';
		if (form > 0 && (i == 0 || own.p[i - 1] == '\n')) {
			buf_text(&out, "{\"timestamp\": 5,");
			continue; /* the bracket */
		}
		buf_char(&out, end && form > 0 ? ',' : own.p[i]);
	}
	buf_text(&out, after[form]);
	snprintf(name, sizeof name, "request-%03u.json", (unsigned)turn);
	put_file(d, name, buf_view(&out));
	buf_free(&own);
	buf_free(&out);
}

static void dumps_of_every_form(void **state)
{
	struct dumps d = {0};
	(void)state;
	dumps_open(&d);
	uint32_t n = (uint32_t)d.session.run.timeline.turns.n;
	assert_true(n >= 4);
	for (uint32_t turn = 1; turn <= n; turn++)
		put_form(&d, turn, (int)(turn % 4));
	compare_all(&d);
	assert_true(d.found.by_number);
	assert_int_equal(d.found.of_outcome[DUMP_EQUAL], n);
	assert_false(requests_differ(&d.found));
	for (uint32_t turn = 1; turn <= n; turn++)
		assert_int_equal(requests_of_turn(&d.found, turn)->turn, turn);
	dumps_close(&d);
}

/* One byte is another one: found in that message, at that byte, and nowhere else. */
static void dump_with_another_byte(void **state)
{
	struct dumps d = {0};
	struct buf own = {0};
	(void)state;
	dumps_open(&d);
	uint32_t turn = 5;
	put_form(&d, 1, 0);
	write_request(&d, turn, &own);
	size_t second = str_find(buf_view(&own), STR("\n"), 0) + 1,
	       at = str_find(buf_view(&own), STR("\"role\""), second);
	own.p[at + 8] = 'X'; /* the first letter of the role's value */
	put_file(&d, "request-005.json", buf_view(&own));
	compare_all(&d);
	const struct request_dump *dump = requests_of_turn(&d.found, turn);
	assert_int_equal(dump->outcome, DUMP_DIFFERS);
	assert_int_equal(dump->message, 2);
	assert_int_equal(dump->byte, at + 8 - second);
	assert_int_equal(dump->theirs, dump->ours);
	assert_true(str_starts(dump->their_part, STR("{\"role\":\"X")));
	assert_true(requests_differ(&d.found));
	assert_null(requests_of_turn(&d.found, 2));
	buf_free(&own);
	dumps_close(&d);
}

/* Numbers that are no turns: the order of the names counts; one dump too many has no turn. */
static void dumps_by_order(void **state)
{
	struct dumps d = {0};
	(void)state;
	dumps_open(&d);
	uint32_t n = (uint32_t)d.session.run.timeline.turns.n;
	for (uint32_t i = 0; i <= n; i++) {
		struct buf own = {0};
		char name[32];
		write_request(&d, i < n ? i + 1 : n, &own);
		snprintf(name, sizeof name, "r%04u.jsonl", (unsigned)(1000 + i));
		put_file(&d, name, buf_view(&own));
		buf_free(&own);
	}
	put_file(&d, "notes.txt", STR("no dump"));
	compare_all(&d);
	assert_false(d.found.by_number);
	assert_int_equal(d.found.dumps.n, n + 1);
	assert_int_equal(d.found.of_outcome[DUMP_EQUAL], n);
	assert_int_equal(d.found.of_outcome[DUMP_NO_TURN], 1);
	dumps_close(&d);
}

static void dumps_that_are_none(void **state)
{
	static const char *const texts[] = {
		"no JSON",
		"{\"messages\":5}",
		"[5]",
		"[{\"content\":\"no role\"}]",
		"{\"role\":\"user\"",
		"\xFF\xFE{}",
		"{\"messages\":[{\"role\":\"user\"}]}\n{\"messages\":[{\"role\":\"user\"}]}\n"};
	struct dumps d = {0};
	struct buf deep = {0};
	(void)state;
	dumps_open(&d);
	size_t n = sizeof texts / sizeof *texts;
	for (size_t i = 0; i < n; i++) {
		char name[32];
		snprintf(name, sizeof name, "bad-%c.json", (char)('a' + i));
		put_file(&d, name, str_of(texts[i]));
	}
	for (int i = 0; i < 100000; i++)
		buf_char(&deep, '[');
	put_file(&d, "deep.json", buf_view(&deep));
	put_file(&d, "a.json", STR("")); /* a request without messages, which that of turn 1 is not */
	compare_all(&d);
	assert_int_equal(d.found.of_outcome[DUMP_DIFFERS], 1);
	assert_int_equal(requests_of_turn(&d.found, 1)->message, 1);
	assert_null(requests_of_turn(&d.found, 1)->their_part.p);
	assert_int_equal(d.found.of_outcome[DUMP_UNREADABLE], n + 1);
	assert_true(requests_differ(&d.found));
	buf_free(&deep);
	dumps_close(&d);
}

static void directories_that_are_none(void **state)
{
	struct dumps d = {0};
	struct requests q;
	char path[400];
	(void)state;
	dumps_open(&d);
	assert_int_equal(requests_find(&q, d.path, NULL), STATUS_DATA); /* empty */
	put_file(&d, "a.json", STR("{}"));
	snprintf(path, sizeof path, "%s/a.json", d.path);
	assert_int_equal(requests_find(&q, path, NULL), STATUS_DATA);
	snprintf(path, sizeof path, "%s/none", d.path);
	assert_int_equal(requests_find(&q, path, NULL), STATUS_NO_INPUT);
	dumps_close(&d);
}

/* What other makers' APIs are sent of the same messages is flattened to the same lines. */
static void flattened(const cJSON *one, void *ctx)
{
	const cJSON *form, *want;
	struct arena a = {0};
	(void)ctx;
	cJSON_ArrayForEach (form, json_get(one, "forms")) {
		struct dump_lines lines = {0};
		struct buf file = {0};
		size_t i = 0;
		json_put(&file, form);
		if (request_dump_read(buf_view(&file), &a, &lines) != NULL || !lines.flat)
			case_fail(one, "not read, or not flattened");
		cJSON_ArrayForEach (want, json_get(one, "parts")) {
			struct buf part = {0};
			json_put(&part, want);
			if (i >= lines.list.n)
				case_fail(one, "only %zu parts", i);
			case_expect_text(one, "part", lines.list.v[i++], buf_view(&part));
			buf_free(&part);
		}
		case_expect_count(one, "parts", lines.list.n, i);
		dump_lines_free(&lines);
		buf_free(&file);
	}
	struct dump_lines ours = {.flat = true};
	cJSON_ArrayForEach (form, json_get(one, "ours")) {
		struct buf message = {0};
		json_put(&message, form);
		request_dump_add((struct str){arena_copy(&a, message.p, message.n), message.n}, &a, &ours);
		buf_free(&message);
	}
	case_expect_count(one, "parts of ours", ours.list.n, (size_t)cJSON_GetArraySize(json_get(one, "parts")));
	for (size_t i = 0; i < ours.list.n; i++) {
		struct buf part = {0};
		json_put(&part, cJSON_GetArrayItem(json_get(one, "parts"), (int)i));
		case_expect_text(one, "part of ours", ours.list.v[i], buf_view(&part));
		buf_free(&part);
	}
	dump_lines_free(&ours);
	arena_free(&a);
}

static void forms_of_other_makers(void **state)
{
	(void)state;
	case_file_each("tests/cases/request_dumps.jsonl", flattened, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dumps_of_every_form),
		cmocka_unit_test(dump_with_another_byte),
		cmocka_unit_test(dumps_by_order),
		cmocka_unit_test(dumps_that_are_none),
		cmocka_unit_test(directories_that_are_none),
		cmocka_unit_test(forms_of_other_makers),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
