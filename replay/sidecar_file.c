#include "replay/sidecar_file.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

enum { WRAPS_MAX = 4 }; /* objects around a state that are looked into */

bool sidecar_is_file(const char *path)
{
	struct stat about;
	return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static enum status read_all(const char *path, struct arena *a, struct str *bytes, struct error *e)
{
	struct source source;
	enum status st = source_open_as(&source, path, "a stored state", e);
	if (st != STATUS_OK)
		return st;
	if (source.size > SIDECAR_BYTES_MAX) {
		st = error_set(e, STATUS_DATA, "is larger than %d MiB", SIDECAR_BYTES_MAX >> 20);
	} else {
		struct str s = source_read(&source, 0, source.size, a);
		/* what came through a pipe belongs to the source */
		*bytes = source.fd < 0 ? (struct str){arena_copy(a, s.p, s.n), s.n} : s;
	}
	source_close(&source);
	return st;
}

/* ---- the state inside the file ---- */

/* Says where the text stops being JSON. */
static enum status syntax_error(struct str text, size_t at, const char *problem, struct error *e)
{
	if (e != NULL) {
		e->line = 1;
		for (size_t i = 0; i < at && i < text.n; i++)
			e->line += text.p[i] == '\n';
		e->byte = at;
	}
	return error_set(e, STATUS_DATA, "holds no kernel state: %s", problem);
}

static double number_member(const char *s, const struct json_scan *scan, const char *name)
{
	const struct json_span *v = json_member(s, scan, name);
	struct arena a = {0};
	double x = NAN;
	if (v != NULL && v->kind == JSON_NUMBER)
		(void)json_num(json_tree(&a, (struct str){s + v->at, v->n}, NULL, NULL), &x);
	arena_free(&a);
	return x;
}

static const struct json_span *member_of(struct str s, const struct json_scan *scan, const char *name,
					 enum json_kind kind)
{
	const struct json_span *v = json_member(s.p, scan, name);
	return v != NULL && v->kind == kind ? v : NULL;
}

/* An object that is no state: the one inside it that may be. */
static bool look_inside(struct sidecar_file *out, struct str *text, const struct json_scan *scan, bool outermost)
{
	const struct json_span *inner = member_of(*text, scan, "payload", JSON_OBJECT);
	enum sidecar_shape shape = SIDECAR_ENVELOPE;
	if (inner == NULL) {
		inner = member_of(*text, scan, "state", JSON_OBJECT);
		shape = SIDECAR_PROXY;
	}
	if (inner == NULL)
		return false;
	if (outermost) {
		out->shape = shape;
		out->version = number_member(text->p, scan, "version");
		out->saved_at = number_member(text->p, scan, "savedAt");
	}
	*text = (struct str){text->p + inner->at, inner->n};
	return true;
}

/* One object: STATUS_OK = it is the state, or the text is now the object inside it and *again is set. */
static enum status unwrap_once(struct sidecar_file *out, struct str *text, struct json_scan *scan, bool outermost,
			       bool *again, struct error *e)
{
	enum json_status json = json_scan(text->p, text->n, scan);
	*again = false;
	if (json != JSON_OK)
		return syntax_error(*text, scan->at, json == JSON_TOO_DEEP ? "nested too deep" : scan->problem, e);
	if (scan->value.kind != JSON_OBJECT)
		return error_set(e, STATUS_DATA, "holds no kernel state: is JSON, but no object");
	if (member_of(*text, scan, "blocks", JSON_ARRAY))
		return STATUS_OK;
	*again = look_inside(out, text, scan, outermost);
	if (*again)
		return STATUS_OK;
	if (member_of(*text, scan, "prune", JSON_OBJECT))
		return error_set(e, STATUS_DATA, "is the state of opencode-acp, whose blocks have another shape");
	return error_set(e, STATUS_DATA, "holds no kernel state: there is no list `blocks`");
}

/* Narrows the text to the state in it: the object with a list `blocks` (pi.md 2.1.3). */
static enum status unwrap(struct sidecar_file *out, struct str *text, struct error *e)
{
	struct json_scan scan = {0};
	bool again = true;
	enum status st = STATUS_OK;
	for (int depth = 0; st == STATUS_OK && again; depth++) {
		if (depth == WRAPS_MAX)
			st = error_set(e, STATUS_DATA, "holds no kernel state: there is no list `blocks`");
		else
			st = unwrap_once(out, text, &scan, depth == 0, &again, e);
	}
	json_scan_free(&scan);
	return st;
}

/* An upper bound, of a text that was scanned: every value but the outermost is behind a comma or a bracket. */
static bool too_many_values(struct str text)
{
	size_t values = 1;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '"')
			for (i++; text.p[i] != '"'; i++)
				i += text.p[i] == '\\';
		else
			values += text.p[i] == ',' || text.p[i] == '[' || text.p[i] == '{';
	}
	return values > SIDECAR_VALUES_MAX;
}

static enum status load(struct sidecar *s, struct recording *r, struct str text, struct state *state,
			struct arena *scratch, struct error *e)
{
	if (too_many_values(text))
		return error_set(e, STATUS_DATA, "holds more than %d values", SIDECAR_VALUES_MAX);
	s->config = config_default(0);
	state_init(state, &r->names, (struct texts){0}, &s->config);
	enum status st = state_load(state, json_tree(scratch, text, NULL, NULL), e);
	if (st != STATUS_OK)
		state_free(state);
	return st;
}

enum status sidecar_read(struct sidecar *s, struct recording *r, const char *path, struct sidecar_file *out,
			 struct error *e)
{
	struct arena scratch = {0};
	struct str text = {NULL, 0};
	*out = (struct sidecar_file){.shape = SIDECAR_BARE, .version = NAN, .saved_at = NAN};
	enum status st = read_all(path, &scratch, &text, e);
	if (st == STATUS_OK)
		st = unwrap(out, &text, e);
	if (st == STATUS_OK)
		st = load(s, r, text, &out->state, &scratch, e);
	if (st == STATUS_OK)
		out->path = arena_copy(&s->arena, path, strlen(path));
	arena_free(&scratch);
	return st;
}

/* ---- headers of session files ---- */

static struct str string_member(struct str s, const struct json_scan *scan, const char *name, struct arena *a)
{
	const struct json_span *v = member_of(s, scan, name, JSON_STRING);
	if (v == NULL)
		return (struct str){NULL, 0};
	struct str text = json_decode(a, s.p, *v);
	return (struct str){arena_copy(a, text.p, text.n), text.n};
}

struct session_header session_header_read(const char *path, struct arena *a)
{
	struct session_header h = {0};
	struct source source;
	struct json_scan scan = {0};
	if (!sidecar_is_file(path) || source_open(&source, path, NULL) != STATUS_OK)
		return h;
	struct str line = source_read(&source, 0, SIDECAR_HEADER_BYTES, a);
	size_t end = str_find(line, STR("\n"), 0);
	line = str_cut(line, str_starts(line, STR("\xEF\xBB\xBF")) ? 3 : 0, end);
	if (json_scan(line.p, line.n, &scan) == JSON_OK && scan.value.kind == JSON_OBJECT) {
		h.id = string_member(line, &scan, "id", a);
		h.parent = string_member(line, &scan, "parentSession", a);
		if (h.parent.n == 0)
			h.parent = string_member(line, &scan, "branchedFrom", a); /* version 1 */
	}
	json_scan_free(&scan);
	source_close(&source);
	return h;
}
