#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "replay/sidecar.h"
#include "tests/case_file.h"
#include "tests/temp_file.h"

/* ---- a directory with the files of a case ---- */

struct folder {
	char path[256];
	VEC(char *) made; /* in order of making */
	struct arena arena;
};

static void folder_open(struct folder *f)
{
	const char *dir = getenv("TMPDIR");
	*f = (struct folder){0};
	snprintf(f->path, sizeof f->path, "%s/acpdbg-test-XXXXXX", dir && *dir ? dir : "/tmp");
	assert_non_null(mkdtemp(f->path));
}

static void folder_close(struct folder *f)
{
	for (size_t i = f->made.n; i-- > 0;)
		assert_int_equal(remove(f->made.v[i]), 0);
	assert_int_equal(rmdir(f->path), 0);
	vec_free(&f->made);
	arena_free(&f->arena);
}

static char *folder_path(struct folder *f, const char *name)
{
	struct buf b = {0};
	buf_printf(&b, "%s/%s", f->path, name);
	char *path = arena_copy(&f->arena, b.p, b.n);
	buf_free(&b);
	return path;
}

/* The text with $DIR replaced. */
static void put_text(const struct folder *f, struct str s, struct buf *b)
{
	struct str word = STR("$DIR");
	for (size_t at = 0, next; at < s.n; at = next) {
		next = str_find(s, word, at);
		buf_str(b, str_cut(s, at, next));
		if (next == SIZE_MAX)
			return;
		buf_text(b, f->path);
		next += word.n;
	}
}

static void write_bytes(struct folder *f, const char *path, const cJSON *content)
{
	struct buf raw = {0}, bytes = {0};
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	if (cJSON_IsObject(content))
		json_put(&raw, content);
	else
		temp_file_bytes(&raw, content);
	put_text(f, buf_view(&raw), &bytes);
	assert_int_equal(fwrite(bytes.p ? bytes.p : "", 1, bytes.n, file), bytes.n);
	assert_int_equal(fclose(file), 0);
	buf_free(&raw);
	buf_free(&bytes);
}

static void make_file(struct folder *f, const cJSON *file)
{
	char *path = folder_path(f, file->string), *slash = strrchr(file->string, '/');
	if (slash != NULL) {
		char *directory = arena_copy(&f->arena, path, strlen(path) - strlen(slash));
		if (mkdir(directory, 0700) == 0)
			vec_push(&f->made, directory);
	}
	if (json_get(file, "dir"))
		assert_int_equal(mkdir(path, 0700), 0);
	else if (json_get(file, "fifo"))
		assert_int_equal(mkfifo(path, 0600), 0);
	else if (json_get(file, "link"))
		assert_int_equal(symlink(json_str(json_get(file, "link")).p, path), 0);
	else
		write_bytes(f, path, file);
	vec_push(&f->made, path);
}

static void folder_make(struct folder *f, const cJSON *files)
{
	const cJSON *file;
	cJSON_ArrayForEach (file, files)
		make_file(f, file);
}

/* ---- what a case wants ---- */

static void expect_number(const cJSON *one, const cJSON *want, const char *name, double got)
{
	double x;
	if (json_num(json_get(want, name), &x) && x != got)
		case_fail(one, "%s is %.0f, want %.0f", name, got, x);
}

static void expect_found(const cJSON *one, struct folder *f, const struct sidecar *s)
{
	static const char *const sources[] = {"none", "given", "beside", "by-id"};
	static const char *const shapes[] = {"bare", "envelope", "proxy"};
	const cJSON *want = json_get(one, "want");
	case_expect_text(one, "source", str_of(sources[s->file.source]), json_str(json_get(want, "source")));
	if (s->file.source == SIDECAR_NONE)
		return;
	case_expect_text(one, "path", str_of(s->file.path), str_of(folder_path(f, json_str(json_get(want, "path")).p)));
	case_expect_text(one, "shape", str_of(shapes[s->file.shape]), json_str(json_get(want, "shape")));
	expect_number(one, want, "blocks", (double)s->file.state.blocks.n);
	expect_number(one, want, "parents", s->file.parents);
	expect_number(one, want, "version", s->file.version);
	expect_number(one, want, "savedAt", s->file.saved_at);
}

static void expect_notes(const cJSON *one, const struct sidecar *s)
{
	const cJSON *note;
	size_t i = 0;
	cJSON_ArrayForEach (note, json_get(one, "notes")) {
		if (i == s->notes.n)
			case_fail(one, "there is no note with: %s", note->valuestring);
		if (str_find(s->notes.v[i], json_str(note), 0) == SIZE_MAX)
			case_expect_text(one, "note", s->notes.v[i], json_str(note));
		i++;
	}
	case_expect_count(one, "notes", s->notes.n, i);
	for (i = 0; i < s->notes.n; i++)
		for (size_t k = 0; k < s->notes.v[i].n; k++)
			assert_true((unsigned char)s->notes.v[i].p[k] >= 0x20);
}

static void expect_given(const cJSON *one, struct folder *f, struct recording *r, const cJSON *given)
{
	struct sidecar s;
	struct error e = {0};
	struct str file = json_str(json_get(given, "file")), status = json_str(json_get(given, "status"));
	const char *path = folder_path(f, file.p ? file.p : "s.jsonl.acp.json");
	enum status st = sidecar_find(&s, r, path, &e), want = str_eq(status, STR("data"))       ? STATUS_DATA
							       : str_eq(status, STR("no-input")) ? STATUS_NO_INPUT
												 : STATUS_OK;
	if (st != want)
		case_fail(one, "given: status %d: %s", (int)st, e.message);
	if (st == STATUS_OK) {
		expect_found(one, f, &s);
	} else {
		case_expect_text(one, "given: file", str_of(e.file), str_of(path));
		if (!strstr(e.message, json_str(json_get(given, "message")).p))
			case_fail(one, "given: message: %s", e.message);
		expect_number(one, given, "line", (double)e.line);
	}
	sidecar_free(&s);
}

static void check_case(const cJSON *one, void *ctx)
{
	struct folder f;
	struct recording r;
	struct sidecar s;
	struct error e = {0};
	struct str session = json_str(json_get(one, "session"));
	const cJSON *given = json_get(one, "given");
	(void)ctx;
	folder_open(&f);
	folder_make(&f, json_get(one, "files"));
	const char *path = folder_path(&f, session.p ? session.p : "s.jsonl");
	if (recording_load(&r, path, NULL, &e) != STATUS_OK)
		case_fail(one, "session: %s", e.message);
	if (given)
		expect_given(one, &f, &r, given);
	if (!json_get(given, "file")) {
		if (sidecar_find(&s, &r, NULL, &e) != STATUS_OK)
			case_fail(one, "found files are never fatal: %s", e.message);
		expect_found(one, &f, &s);
		expect_notes(one, &s);
		sidecar_free(&s);
	}
	recording_free(&r);
	folder_close(&f);
}

static void test_cases(void **unused)
{
	(void)unused;
	case_file_each("tests/cases/sidecar.jsonl", check_case, NULL);
}

/* ---- large ones ---- */

/* Writes the sidecar of a session, finds it, and hands it to `look`. */
static void with_sidecar(struct buf *bytes, void (*look)(const struct sidecar *s, const struct recording *r))
{
	static const char session[] =
		"{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"x\",\"cwd\":\"/\"}\n";
	struct folder f;
	struct recording r;
	struct sidecar s;
	folder_open(&f);
	char *path = folder_path(&f, "s.jsonl"), *beside = folder_path(&f, "s.jsonl.acp.json");
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	fputs(session, file);
	assert_int_equal(fclose(file), 0);
	vec_push(&f.made, path);
	file = fopen(beside, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes->p, 1, bytes->n, file), bytes->n);
	assert_int_equal(fclose(file), 0);
	vec_push(&f.made, beside);
	assert_int_equal(recording_load(&r, path, NULL, NULL), STATUS_OK);
	assert_int_equal(sidecar_find(&s, &r, NULL, NULL), STATUS_OK);
	look(&s, &r);
	sidecar_free(&s);
	recording_free(&r);
	folder_close(&f);
	buf_free(bytes);
}

enum { LARGE = 50 << 20 };

static void look_summary(const struct sidecar *s, const struct recording *r)
{
	(void)r;
	assert_int_equal(s->notes.n, 0);
	assert_int_equal(s->file.state.blocks.n, 1);
	assert_int_equal(s->file.state.blocks.v[0].summary_size.units, LARGE);
}

static void test_large_summary(void **unused)
{
	struct buf b = {0};
	(void)unused;
	buf_text(&b, "{\"blocks\":[{\"blockId\":\"b1\",\"summary\":\"");
	for (size_t i = 0; i < LARGE / 16; i++)
		buf_text(&b, "[,{:sixteenunits");
	buf_text(&b, "\"}],\"nextBlockId\":2}");
	with_sidecar(&b, look_summary);
}

static void look_too_many(const struct sidecar *s, const struct recording *r)
{
	(void)r;
	assert_int_equal(s->file.source, SIDECAR_NONE);
	assert_int_equal(s->notes.n, 1);
	assert_true(str_find(s->notes.v[0], STR("4194304 values"), 0) != SIZE_MAX);
}

static void test_large_nonsense(void **unused)
{
	struct buf b = {0};
	(void)unused;
	buf_text(&b, "{\"blocks\":[");
	for (size_t i = 0; i < LARGE / 3; i++)
		buf_text(&b, "{},");
	buf_text(&b, "{}]}");
	with_sidecar(&b, look_too_many);
}

enum { MANY = 200000 };

static void look_refs(const struct sidecar *s, const struct recording *r)
{
	assert_int_equal(s->notes.n, 0);
	assert_int_equal(s->file.state.raw_order.n, MANY);
	uint32_t name = names_find(&r->names, STR("id-123456"));
	assert_true(name < s->file.state.info.n);
	char text[REF_TEXT_MAX];
	struct str ref = state_ref_text(&s->file.state, s->file.state.info.v[name].ref, text);
	assert_true(str_eq(ref, STR("ref 123456")));
}

/* More refs than there can be, none of them canonical. */
static void test_many_refs(void **unused)
{
	struct buf b = {0};
	(void)unused;
	buf_text(&b, "{\"blocks\":[],\"messageRefs\":{\"byRaw\":{");
	for (int i = 0; i < MANY; i++)
		buf_printf(&b, "%s\"id-%d\":\"ref %d\"", i ? "," : "", i, i);
	buf_text(&b, "}}}");
	with_sidecar(&b, look_refs);
}

/* ---- as text ---- */

static void expect_print(const struct sidecar *s, const char *want)
{
	struct buf b = {0};
	sidecar_print(s, &b);
	assert_string_equal(b.p, want);
	buf_free(&b);
}

static void test_print(void **unused)
{
	struct sidecar s = {.file = {.source = SIDECAR_NONE}};
	(void)unused;
	expect_print(&s, "sidecar       none; the replay itself is the state\n");
	vec_push(&s.notes, STR("p: is not there"));
	s.file = (struct sidecar_file){.source = SIDECAR_BY_ID,
				       .shape = SIDECAR_ENVELOPE,
				       .parents = 2,
				       .path = "a\x1b[1mb.acp.json",
				       .version = 1};
	expect_print(
		&s, "sidecar       a\xE2\x90\x9B[1mb.acp.json (by the session's id, of parent 2; a persisted envelope, "
		    "version 1)\n  p: is not there\n");
	vec_free(&s.notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),          cmocka_unit_test(test_large_summary),
		cmocka_unit_test(test_large_nonsense), cmocka_unit_test(test_many_refs),
		cmocka_unit_test(test_print),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
