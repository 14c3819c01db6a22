#include "replay/sessions_head.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/readers/reader.h"
#include "replay/unpack.h"

/* ---- values ---- */

/* A JSON value of the file; its text starts at span.at. */
struct value {
	const char *s;
	struct json_span span;
};

static bool is(struct value v, enum json_kind kind) { return v.span.n > 0 && v.span.kind == kind; }

static struct value member_of(const char *s, const struct json_scan *scan, const char *name)
{
	const struct json_span *m = json_member(s, scan, name);

	return m != NULL ? (struct value){s, *m} : (struct value){0};
}

/* The value at the end of a path of members; the row is scanned in h->row. */
static struct value follow(struct session_head_reader *h, const char *row, const char *const path[3])
{
	struct value v = member_of(row, &h->row, path[0]);

	for (int i = 1; i < 3 && path[i] != NULL; i++) {
		const char *s = v.s;

		if (!is(v, JSON_OBJECT) || json_scan(s + v.span.at, v.span.n, &h->inner) != JSON_OK)
			return (struct value){0};
		v = member_of(s + v.span.at, &h->inner, path[i]);
	}
	return v;
}

static struct str string_of(struct session_head_reader *h, struct value v)
{
	return is(v, JSON_STRING) ? json_decode(&h->scratch, v.s, v.span) : (struct str){0};
}

/* ---- names ---- */

/* Bytes of the element `<name ..>..</name>` that the text starts with; 0 = it starts otherwise. */
static size_t element_length(struct str t)
{
	char close[40] = "</";
	size_t n = 1, end;

	while (n < t.n && n < sizeof close - 3 &&
	       ((t.p[n] >= 'a' && t.p[n] <= 'z') || (t.p[n] >= 'A' && t.p[n] <= 'Z') || t.p[n] == '_' || t.p[n] == '-'))
		n++;
	if (t.n < 3 || t.p[0] != '<' || n == 1 || n == t.n || (t.p[n] != '>' && t.p[n] != ' '))
		return 0;
	memcpy(close + 2, t.p + 1, n - 1);
	close[n + 1] = '>';
	end = str_find(t, (struct str){close, n + 2}, n);
	return end == SIZE_MAX ? 0 : end + n + 2;
}

/*
 * A text as a name: without the elements in front (hosts put the time, the environment and commands there), one line,
 * bounded. Absent when nothing is left.
 */
static struct str name_of(struct arena *a, struct str text)
{
	struct buf b = {0};
	char bytes[4];
	uint32_t code;
	bool space = false;
	size_t skip;

	for (text = text_trim(text); (skip = element_length(text)) > 0;)
		text = text_trim(str_cut(text, skip, text.n));
	for (size_t at = 0, n; b.n < SESSIONS_NAME_BYTES && (n = text_decode(text, at, &code)) > 0; at += n) {
		if (text_is_space(code)) {
			space = b.n > 0;
			continue;
		}
		if (space)
			buf_char(&b, ' ');
		space = false;
		buf_bytes(&b, bytes, text_encode(bytes, code));
	}
	struct str name = b.n > 0 ? (struct str){arena_copy(a, b.p, b.n), b.n} : (struct str){0};

	buf_free(&b);
	return name;
}

/* A text, or the first block of text in a list. */
static struct str name_of_content(struct session_head_reader *h, struct value v, struct arena *a)
{
	static const char *const kind[3] = {"type"}, *const text[3] = {"text"};
	struct str name = name_of(a, string_of(h, v));
	const char *s;

	if (!is(v, JSON_ARRAY) || json_scan(v.s + v.span.at, v.span.n, &h->list) != JSON_OK)
		return name;
	s = v.s + v.span.at;
	for (size_t i = 0; i < h->list.items.n && name.n == 0; i++) {
		struct json_span item = h->list.items.v[i];
		struct str type;

		if (item.kind != JSON_OBJECT || json_scan(s + item.at, item.n, &h->row) != JSON_OK)
			continue;
		type = string_of(h, follow(h, s + item.at, kind));
		if (str_eq(type, STR("text")) || str_eq(type, STR("input_text")))
			name = name_of(a, string_of(h, follow(h, s + item.at, text)));
	}
	return name;
}

/* ---- rows ---- */

/* What a row may tell; in the order in which names are preferred. */
enum fact { FACT_GIVEN, FACT_TEXT, FACT_SUMMARY, FACT_COUNT, FACT_CWD = FACT_COUNT };

/* formats.md 1, 5, 7, 8. */
static const struct rule {
	const char *type; /* of the row; NULL = any */
	const char *path[3];
	const char *when[3]; /* a member that must be this string */
	const char *is;
	enum fact fact;
	bool or_absent; /* .. or not be there */
	bool latest;    /* a later row wins */
} rules[] = {
	{.fact = FACT_CWD, .path = {"cwd"}},
	{.type = "session_meta", .fact = FACT_CWD, .path = {"payload", "cwd"}},
	{.type = "turn_context", .fact = FACT_CWD, .path = {"payload", "cwd"}},
	{.type = "session_info", .fact = FACT_GIVEN, .path = {"name"}, .latest = true},
	{.type = "custom-title", .fact = FACT_GIVEN, .path = {"customTitle"}, .latest = true},
	{.type = "message",
	 .fact = FACT_TEXT,
	 .path = {"message", "content"},
	 .when = {"message", "role"},
	 .is = "user"},
	{.type = "user", .fact = FACT_TEXT, .path = {"message", "content"}},
	{.type = "user/message",
	 .fact = FACT_TEXT,
	 .path = {"data", "content"},
	 .when = {"data", "source", "kind"},
	 .is = "user",
	 .or_absent = true},
	{.type = "event_msg",
	 .fact = FACT_TEXT,
	 .path = {"payload", "message"},
	 .when = {"payload", "type"},
	 .is = "user_message"},
	{.type = "summary", .fact = FACT_SUMMARY, .path = {"summary"}},
};

struct facts {
	struct str name[FACT_COUNT];
	struct str cwd;
};

/* Rows that stand in a user's place, but were not written by one (formats.md 7). */
static bool is_marked(const char *row, const struct json_scan *scan)
{
	static const char *const marks[] = {"isMeta", "isSidechain", "isCompactSummary"};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (is(member_of(row, scan, marks[i]), JSON_TRUE))
			return true;
	return false;
}

static bool applies(struct session_head_reader *h, const struct rule *r, const char *row, struct str type)
{
	struct value v;

	if (r->type != NULL && !str_eq(type, str_of(r->type)))
		return false;
	if (r->fact == FACT_TEXT && is_marked(row, &h->row))
		return false;
	if (r->when[0] == NULL)
		return true;
	v = follow(h, row, r->when);
	return v.span.n == 0 ? r->or_absent : str_eq(string_of(h, v), str_of(r->is));
}

static void take_cwd(struct str cwd, struct arena *a, struct facts *f)
{
	if (f->cwd.n == 0 && cwd.n > 0 && cwd.n <= SESSIONS_CWD_BYTES)
		f->cwd = (struct str){arena_copy(a, cwd.p, cwd.n), cwd.n};
}

static void take_row(struct session_head_reader *h, struct str row, bool only_cwd, struct arena *a, struct facts *f)
{
	struct str type;

	if (json_scan(row.p, row.n, &h->row) != JSON_OK || h->row.value.kind != JSON_OBJECT)
		return;
	type = string_of(h, member_of(row.p, &h->row, "type"));
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		const struct rule *r = &rules[i];
		struct str name;

		if (r->fact == FACT_CWD ? f->cwd.n > 0 : only_cwd || (f->name[r->fact].n > 0 && !r->latest))
			continue;
		if (!applies(h, r, row.p, type))
			continue;
		if (r->fact == FACT_CWD) {
			take_cwd(string_of(h, follow(h, row.p, r->path)), a, f);
			continue;
		}
		name = name_of_content(h, follow(h, row.p, r->path), a);
		if (name.n > 0)
			f->name[r->fact] = name;
		return; /* one rule a type has a name, and h->row is gone */
	}
}

/*
 * The working directory in a line that is cut (Codex puts whole instructions into its first one). Inside a string the
 * quote before the colon would be escaped, so this is a member's name; which object it is in is not known.
 */
static void take_cut_row(struct session_head_reader *h, struct str row, struct arena *a, struct facts *f)
{
	size_t at = str_find(row, STR("\"cwd\":\""), 0), end;

	if (at == SIZE_MAX)
		return;
	at += strlen("\"cwd\":");
	for (end = at + 1; end < row.n && row.p[end] != '"'; end++)
		end += row.p[end] == '\\';
	if (end >= row.n || json_scan(row.p + at, end + 1 - at, &h->inner) != JSON_OK)
		return;
	take_cwd(string_of(h, (struct value){row.p + at, h->inner.value}), a, f);
}

static void take_lines(struct session_head_reader *h, const struct source *source, bool cut, bool only_cwd,
		       struct arena *a, struct facts *f)
{
	struct line_walker walker;
	struct source_line line;

	line_walker_init(&walker, source);
	while (!(only_cwd && f->cwd.n > 0) && line_walker_next(&walker, &line)) {
		struct str row = {line.p, line.n};

		if (line.number == 1 && str_starts(row, STR("\xEF\xBB\xBF")))
			row = str_cut(row, 3, row.n);
		if (!(line.torn && cut))
			take_row(h, row, only_cwd, a, f);
		else if (f->cwd.n == 0)
			take_cut_row(h, row, a, f);
		arena_free(&h->scratch);
	}
	line_walker_free(&walker);
}

/* ---- format ---- */

static void find_format(struct session_head_reader *h, const struct source *source, bool cut, struct session_head *out)
{
	struct sniff s;
	int sure = 0;

	out->empty = source->size == 0;
	if (out->empty)
		return;
	sniff_source(&s, source, &h->scratch);
	arena_free(&h->scratch);
	for (size_t i = 0; readers[i] != NULL && !s.pretty; i++) {
		int x = readers[i]->sniff(&s);

		if (x > sure) {
			sure = x;
			out->reader = readers[i];
		}
	}
	if (out->reader != NULL)
		return;
	out->looks = sniff_known(&s);
	out->undecided = unpack_is_zstd((struct str){source->bytes, source->size}) ||
			 (cut && !s.first.there && out->looks == NULL);
}

/* ---- the whole ---- */

void session_head_of(struct session_head_reader *h, char *bytes, size_t n, bool cut, struct arena *a,
		     struct session_head *out)
{
	struct source source = {.fd = -1, .bytes = bytes, .size = n};
	struct facts f = {0};

	*out = (struct session_head){0};
	find_format(h, &source, cut, out);
	take_lines(h, &source, cut, false, a, &f);
	out->cwd = f.cwd;
	for (size_t i = 0; i < FACT_COUNT && out->name.n == 0; i++)
		out->name = f.name[i];
}

/* What the first n bytes hold when they are packed; else, or where nothing of it can be unpacked, they themselves. */
static char *look_inside(struct session_head_reader *h, size_t *n, bool *cut)
{
	size_t inside;

	if (!unpack_is_zstd((struct str){h->bytes, *n}))
		return h->bytes;
	if (h->unpacked == NULL)
		h->unpacked = mem_alloc(SESSIONS_HEAD_BYTES);
	inside = unpack_head((struct str){h->bytes, *n}, h->unpacked, SESSIONS_HEAD_BYTES);
	if (inside == 0)
		return h->bytes;
	*cut = *cut || inside == SESSIONS_HEAD_BYTES;
	*n = inside;
	return h->unpacked;
}

/* Reads up to SESSIONS_HEAD_BYTES, *bytes; 0 or an errno. */
static int read_head(struct session_head_reader *h, const char *path, char **bytes, size_t *n, bool *cut)
{
	/* not blocking: what was a file when it was listed may be a pipe now */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), problem = 0;
	struct stat about;
	ssize_t got = 1;

	*n = 0;
	if (fd < 0)
		return errno;
	if (fstat(fd, &about) != 0)
		problem = errno;
	else if (!S_ISREG(about.st_mode))
		problem = EINVAL;
	if (h->bytes == NULL)
		h->bytes = mem_alloc(SESSIONS_HEAD_BYTES);
	while (problem == 0 && got > 0 && *n < SESSIONS_HEAD_BYTES) {
		got = read(fd, h->bytes + *n, SESSIONS_HEAD_BYTES - *n);
		if (got > 0)
			*n += (size_t)got;
		else if (got < 0 && errno != EINTR)
			problem = errno;
		else if (got < 0)
			got = 1;
	}
	*cut = *n == SESSIONS_HEAD_BYTES && about.st_size > SESSIONS_HEAD_BYTES;
	close(fd);
	*bytes = problem == 0 ? look_inside(h, n, cut) : h->bytes;
	return problem;
}

int session_head_read(struct session_head_reader *h, const char *path, struct arena *a, struct session_head *out)
{
	size_t n;
	char *bytes = NULL;
	bool cut = false;
	int problem = read_head(h, path, &bytes, &n, &cut);

	*out = (struct session_head){0};
	if (problem == 0)
		session_head_of(h, bytes, n, cut, a, out);
	return problem;
}

int session_head_cwd(struct session_head_reader *h, const char *path, struct arena *a, struct str *cwd)
{
	struct source source = {.fd = -1};
	struct facts f = {0};
	bool cut = false;
	char *bytes = NULL;
	int problem = read_head(h, path, &bytes, &source.size, &cut);

	if (problem == 0) {
		source.bytes = bytes;
		take_lines(h, &source, cut, true, a, &f);
	}
	*cwd = f.cwd;
	return problem;
}

void session_head_free(struct session_head_reader *h)
{
	free(h->bytes);
	free(h->unpacked);
	json_scan_free(&h->row);
	json_scan_free(&h->list);
	json_scan_free(&h->inner);
	arena_free(&h->scratch);
	*h = (struct session_head_reader){0};
}
