#include "replay/sidecar.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "replay/sidecar_file.h"
#include "replay/view/text.h"

/* A note about a file: "text (PATH)": where there is little room, what is odd is in sight. */
static void note(struct sidecar *s, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void note(struct sidecar *s, const char *path, const char *format, ...)
{
	char text[600];
	struct buf b = {0};
	va_list args;
	if (s->notes.n >= SIDECAR_NOTES_MAX)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	text_put_safe(&b, str_of(text), false);
	buf_text(&b, " (");
	text_put_safe(&b, str_of(path), false);
	buf_char(&b, ')');
	vec_push(&s->notes, (struct str){arena_copy(&s->arena, b.p, b.n), b.n});
	buf_free(&b);
}

/* ---- paths ---- */

/* Bytes up to and with the last slash; empty when there is none. */
static struct str directory_of(struct str path)
{
	while (path.n > 0 && path.p[path.n - 1] != '/')
		path.n--;
	return path;
}

/* What follows the last slash, or the last backslash of a path without slashes (it may come from anywhere). */
static struct str base_of(struct str path)
{
	char separator = memchr(path.p, '/', path.n) ? '/' : '\\';
	size_t at = path.n;
	while (at > 0 && path.p[at - 1] != separator)
		at--;
	return str_cut(path, at, path.n);
}

static const char *joined(struct arena *a, struct str x, struct str y, struct str z)
{
	struct buf b = {0};
	buf_str(&b, x);
	buf_str(&b, y);
	buf_str(&b, z);
	const char *path = arena_copy(a, b.p ? b.p : "", b.n);
	buf_free(&b);
	return path;
}

#define SUFFIX ".acp.json"

static const char *beside(struct arena *a, struct str path)
{
	return joined(a, path, STR(SUFFIX), (struct str){NULL, 0});
}

/* An id that can be the name of a file. */
static bool names_a_file(struct str id)
{
	enum { NAME_MAX_BYTES = 240 };
	return id.n > 0 && id.n <= NAME_MAX_BYTES && !memchr(id.p, '/', id.n);
}

/* ---- one session ---- */

/* The search: what it works on, and where it is. */
struct search {
	struct sidecar *s;
	struct recording *r;
	struct arena a;
	struct str path;              /* session file; ends with a NUL */
	struct session_header header; /* its */
	unsigned parents;
	struct stat seen[SIDECAR_PARENTS_MAX + 1]; /* session files so far, those that are there */
	size_t seen_n;
};

/* Takes the file if there is one: true when its state was loaded. */
static bool try_file(struct search *w, const char *path, enum sidecar_source source, struct sidecar_file *out)
{
	struct error e = {0};
	struct stat about;
	if (stat(path, &about) != 0)
		return false;
	if (!S_ISREG(about.st_mode)) {
		note(w->s, path, "the stored state is no regular file, not read");
		w->s->unreadable = true;
		return false;
	}
	if (sidecar_read(w->s, w->r, path, out, &e) != STATUS_OK) {
		if (e.line > 0)
			note(w->s, path, "the stored state cannot be used: line %llu, byte %llu: %s",
			     (unsigned long long)e.line, (unsigned long long)e.byte, e.message);
		else
			note(w->s, path, "the stored state cannot be used: %s", e.message);
		w->s->unreadable = true;
		return false;
	}
	out->source = source;
	out->parents = w->parents;
	return true;
}

static bool try_session(struct search *w, struct sidecar_file *out)
{
	if (try_file(w, beside(&w->a, w->path), SIDECAR_BESIDE, out))
		return true;
	return names_a_file(w->header.id) &&
	       try_file(w, joined(&w->a, directory_of(w->path), w->header.id, STR(SUFFIX)), SIDECAR_BY_ID, out);
}

/* ---- the chain of forks (pi.md 2.1.4, pi-rulings.md 22) ---- */

static bool is_there(struct search *w, const char *path)
{
	return sidecar_is_file(path) || sidecar_is_file(beside(&w->a, str_of(path)));
}

/* Path of the parent; NULL when neither it nor its sidecar is to be found. */
static const char *parent_path(struct search *w)
{
	struct str parent = w->header.parent, base = base_of(parent), directory = directory_of(w->path);
	bool rooted = parent.p[0] == '/';
	const char *named = joined(&w->a, rooted ? STR("") : directory, parent, STR(""));
	if (is_there(w, named))
		return named;
	const char *here = joined(&w->a, directory, base, STR(""));
	if (base.n > 0 && is_there(w, here)) {
		note(w->s, parent.p, "the session this one was forked from is not there; %.*s beside it is taken",
		     (int)(base.n < 200 ? base.n : 200), base.p);
		return here;
	}
	note(w->s, parent.p, "the session this one was forked from is not there");
	return NULL;
}

/* False when this session file was met before. */
static bool meet(struct search *w)
{
	struct stat about;
	if (stat(w->path.p, &about) != 0)
		return true;
	for (size_t i = 0; i < w->seen_n; i++) {
		if (w->seen[i].st_dev == about.st_dev && w->seen[i].st_ino == about.st_ino) {
			note(w->s, w->path.p, "the chain of parents comes back to this session");
			return false;
		}
	}
	w->seen[w->seen_n++] = about;
	return true;
}

/* Steps to the parent; false at the end of the chain. */
static bool step_up(struct search *w)
{
	if (w->header.parent.n == 0)
		return false;
	if (w->parents == SIDECAR_PARENTS_MAX) {
		note(w->s, w->path.p, "this session has a parent, too, but %d are enough", SIDECAR_PARENTS_MAX);
		return false;
	}
	const char *path = parent_path(w);
	if (path == NULL)
		return false;
	w->path = str_of(path);
	w->parents++;
	w->header = session_header_read(path, &w->a);
	return meet(w);
}

/* The nearest state with blocks on the chain of forks, else the session's own, if any. */
static void search(struct search *w)
{
	struct sidecar *s = w->s;
	struct sidecar_file file;
	bool own = try_session(w, &s->file);
	if (!own)
		s->file = (struct sidecar_file){.source = SIDECAR_NONE};
	while (!(own && s->file.state.blocks.n > 0) && step_up(w)) {
		if (!try_session(w, &file))
			continue;
		if (file.state.blocks.n == 0) {
			state_free(&file.state);
			continue;
		}
		if (own) {
			note(s, s->file.path,
			     "the stored state has no blocks; as in the host, the state of a parent is taken");
			state_free(&s->file.state);
		}
		s->file = file;
		return;
	}
}

/* ---- what is odd about it ---- */

/* The temporary file of a save that was not finished (pi.md 2.1.2). */
static void note_leftover(struct search *w)
{
	struct str path = w->path, directory = directory_of(path), base = base_of(path);
	const char *file = joined(&w->a, directory, STR(".acp-tmp-"), base);
	if (!sidecar_is_file(file))
		file = beside(&w->a, str_of(file));
	if (sidecar_is_file(file))
		note(w->s, file, "a file is left over from a save that was not finished");
}

static void note_contradictions(struct sidecar *s)
{
	const struct state *state = &s->file.state;
	uint32_t highest = 0;
	if (s->file.source == SIDECAR_NONE)
		return;
	for (size_t i = 0; i < state->blocks.n; i++)
		highest = state->blocks.v[i].number > highest ? state->blocks.v[i].number : highest;
	if (state->blocks.n > 0 && !(state->now.next_block > highest))
		note(s, s->file.path, "the stored state has block b%u, but its next one would be b%.0f",
		     (unsigned)highest, state->now.next_block);
}

enum status sidecar_find(struct sidecar *s, struct recording *r, const char *given, struct error *e)
{
	*s = (struct sidecar){.file = {.source = SIDECAR_NONE}};
	if (given != NULL) {
		enum status st = sidecar_read(s, r, given, &s->file, e);
		if (st != STATUS_OK) {
			s->file = (struct sidecar_file){.source = SIDECAR_NONE};
			return st;
		}
		s->file.source = SIDECAR_GIVEN;
	} else if (strcmp(r->source.path, "-") != 0) {
		struct search w = {.s = s, .r = r, .path = str_of(r->source.path)};
		w.header = session_header_read(w.path.p, &w.a);
		if (r->id.n > 0)
			w.header.id = r->id;
		(void)meet(&w);
		note_leftover(&w);
		search(&w);
		arena_free(&w.a);
	}
	note_contradictions(s);
	return STATUS_OK;
}

bool sidecar_worth_a_line(const struct sidecar *s)
{
	return s->notes.n > 0 && (s->file.source != SIDECAR_NONE || s->unreadable);
}

void sidecar_free(struct sidecar *s)
{
	if (s->file.source != SIDECAR_NONE)
		state_free(&s->file.state);
	vec_free(&s->notes);
	arena_free(&s->arena);
	*s = (struct sidecar){.file = {.source = SIDECAR_NONE}};
}

/* ---- as text ---- */

static void put_source(const struct sidecar_file *f, struct buf *b)
{
	static const char *const places[] = {
		[SIDECAR_NONE] = "",
		[SIDECAR_GIVEN] = "given",
		[SIDECAR_BESIDE] = "beside the session file",
		[SIDECAR_BY_ID] = "by the session's id",
	};
	static const char *const shapes[] = {
		[SIDECAR_BARE] = "a kernel state",
		[SIDECAR_ENVELOPE] = "a persisted envelope",
		[SIDECAR_PROXY] = "a proxy's session",
	};
	buf_printf(b, " (%s", places[f->source]);
	if (f->parents > 0)
		buf_printf(b, ", of parent %u", f->parents);
	buf_printf(b, "; %s", shapes[f->shape]);
	if (!isnan(f->version))
		buf_printf(b, ", version %.0f", f->version);
	buf_text(b, ")");
}

void sidecar_print(const struct sidecar *s, struct buf *b)
{
	buf_printf(b, "%-14s", "sidecar");
	if (s->file.source == SIDECAR_NONE) {
		buf_text(b, "none; the replay itself is the state\n");
	} else {
		text_put_safe(b, str_of(s->file.path), false);
		put_source(&s->file, b);
		buf_char(b, '\n');
	}
	for (size_t i = 0; i < s->notes.n; i++) {
		buf_text(b, "  ");
		buf_str(b, s->notes.v[i]);
		buf_char(b, '\n');
	}
}
