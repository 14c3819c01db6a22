#include "replay/sessions.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "engine/base/names.h"
#include "replay/readers/reader.h"

/* Is it the first time this file or directory is met? */
static bool is_new(struct names *known, uint64_t device, uint64_t inode)
{
	uint64_t id[2] = {device, inode};
	struct str key = {(const char *)id, sizeof id};

	if (names_find(known, key) != UINT32_MAX)
		return false;
	names_add(known, key);
	return true;
}

/* ---- scan ---- */

struct directory {
	const char *path;
	uint8_t depth; /* files in it are so many names below the root */
	uint8_t match;
};

struct scan {
	struct sessions *s;
	uint32_t place_index;
	const struct sessions_place *place;
	VEC(struct directory) directories; /* of the place: those listed, then those to be listed */
	struct names known; /* device and inode of every directory taken, so that links lead nowhere twice */
	size_t seen;
};

static void note(struct sessions *s, const char *path, int problem)
{
	const char *why = strerror(problem);

	if (s->notes.n == SESSIONS_NOTES_MAX) {
		s->more_notes++;
		return;
	}
	vec_push(&s->notes, (struct sessions_note){.path = arena_copy(&s->arena, path, strlen(path)),
						   .why = arena_copy(&s->arena, why, strlen(why))});
}

static const char *join(struct arena *a, const char *directory, const char *name)
{
	struct buf b = {0};
	const char *path;

	buf_text(&b, directory);
	buf_char(&b, '/');
	buf_text(&b, name);
	path = arena_copy(a, b.p, b.n);
	buf_free(&b);
	return path;
}

static bool is_later(const struct session *a, const struct session *b)
{
	return a->time != b->time ? a->time > b->time : a->nanos > b->nanos;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* N of session.vN.*, else 0. */
static unsigned long generation_of(const char *path)
{
	const char *name = base_name(path);

	return strncmp(name, "session.v", 9) == 0 ? strtoul(name + 9, NULL, 10) : 0;
}

/* The session of its directory so far is `old`: does another generation of it take its place? */
static bool supersedes(const struct session *one, const struct session *old)
{
	unsigned long a = generation_of(one->path), b = generation_of(old->path);

	return a != b ? a > b : is_later(one, old);
}

static void add_file(struct scan *c, const struct directory *in, const char *name, const struct stat *about,
		     size_t first)
{
	struct sessions *s = c->s;
	struct session one = {.path = join(&s->arena, in->path, name),
			      .size = about->st_size > 0 ? (uint64_t)about->st_size : 0,
			      .time = (int64_t)about->st_mtim.tv_sec,
			      .nanos = (uint32_t)about->st_mtim.tv_nsec,
			      .place = c->place_index,
			      .device = (uint64_t)about->st_dev,
			      .inode = (uint64_t)about->st_ino,
			      .match = in->match};

	if (!c->place->generations || s->list.n == first)
		vec_push(&s->list, one);
	else if (supersedes(&one, &s->list.v[first]))
		s->list.v[first] = one;
}

static void add_directory(struct scan *c, const struct directory *in, const char *name)
{
	struct sessions *s = c->s;
	struct directory d = {
		.path = join(&s->arena, in->path, name), .depth = (uint8_t)(in->depth + 1), .match = in->match};

	if (in->depth == 1 && c->place->match != NULL && s->places.cwd != NULL)
		d.match = (uint8_t)c->place->match(str_of(name), str_of(s->places.cwd));
	vec_push(&c->directories, d);
}

/* One name of a directory. False when the directory is not to be read on. */
static bool take_name(struct scan *c, DIR *open, const struct directory *in, const char *name, size_t first)
{
	const struct sessions_place *p = c->place;
	bool file = in->depth >= p->least && sessions_pattern(p->files, name) && !sessions_pattern(p->except, name);
	bool below = in->depth < p->most;
	struct stat about;

	if (name[0] == '.' || (!file && !below))
		return true;
	if (fstatat(dirfd(open), name, &about, 0) != 0) {
		int problem = errno;
		bool all = problem == EACCES; /* it may be listed, but not entered */

		if (all)
			note(c->s, in->path, problem);
		else if (problem != ENOENT)
			note(c->s, join(&c->s->arena, in->path, name), problem);
		return !all;
	}
	if (S_ISDIR(about.st_mode) && below)
		add_directory(c, in, name);
	else if (S_ISREG(about.st_mode) && file)
		add_file(c, in, name, &about, first);
	return true;
}

static void list_names(struct scan *c, DIR *open, const struct directory *in)
{
	size_t first = c->s->list.n;
	const struct dirent *entry;

	errno = 0;
	while (!c->s->full && (entry = readdir(open)) != NULL) {
		c->s->full = ++c->seen > SESSIONS_SEEN_MAX;
		if (c->s->full || !take_name(c, open, in, entry->d_name, first))
			return;
		errno = 0;
	}
	if (errno != 0)
		note(c->s, in->path, errno);
}

/* Lists one directory; what came of it matters for the root only. */
static enum sessions_root_state list_directory(struct scan *c, struct directory in)
{
	DIR *open = opendir(in.path);
	struct stat about;
	enum sessions_root_state state = SESSIONS_ROOT_LISTED;

	if (open == NULL) {
		if (errno == ENOENT || errno == ENOTDIR)
			return SESSIONS_ROOT_MISSING;
		note(c->s, in.path, errno);
		return SESSIONS_ROOT_REFUSED;
	}
	if (fstat(dirfd(open), &about) != 0 || !is_new(&c->known, (uint64_t)about.st_dev, (uint64_t)about.st_ino))
		state = SESSIONS_ROOT_SAME;
	else
		list_names(c, open, &in);
	closedir(open);
	return state;
}

static void scan_place(struct scan *c, struct sessions_root *root)
{
	root->path = sessions_root_path(&c->s->places, c->place, &c->s->arena, &root->state);
	if (root->path == NULL)
		return;
	c->directories.n = 0;
	vec_push(&c->directories, (struct directory){.path = root->path, .depth = 1, .match = SESSIONS_UNSURE});
	root->state = list_directory(c, c->directories.v[0]);
	for (size_t i = 1; i < c->directories.n && !c->s->full; i++)
		list_directory(c, c->directories.v[i]);
}

static struct str without_slashes(struct str path)
{
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	return path;
}

void sessions_scan(struct sessions *s, const struct sessions_places *places)
{
	struct scan c = {.s = s};

	*s = (struct sessions){.places = *places};
	if (places->home != NULL)
		s->places.home = arena_copy(&s->arena, places->home, strlen(places->home));
	if (places->cwd != NULL) {
		struct str cwd = without_slashes(str_of(places->cwd));

		s->places.cwd = arena_copy(&s->arena, cwd.p, cwd.n);
	}
	s->roots = arena_zero(&s->arena, places->n, sizeof *s->roots);
	names_init(&c.known);
	for (size_t i = 0; i < places->n; i++) {
		c.place_index = (uint32_t)i;
		c.place = &places->v[i];
		scan_place(&c, &s->roots[i]);
	}
	names_free(&c.known);
	vec_free(&c.directories);
}

/* ---- order ---- */

static int by_time(const void *left, const void *right)
{
	const struct session *a = left, *b = right;

	if (a->time != b->time || a->nanos != b->nanos)
		return is_later(a, b) ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* heads: files read so far, by match. */
static bool is_own(struct sessions *s, struct session *one, size_t heads[SESSIONS_HERE + 1])
{
	if (s->places.cwd == NULL || one->match == SESSIONS_ELSEWHERE)
		return false;
	if (!one->cwd_known && heads[one->match] < SESSIONS_HEADS_MAX && one->size > 0) {
		heads[one->match]++;
		s->heads_read++;
		session_head_cwd(&s->head, one->path, &s->arena, &one->cwd);
		one->cwd_known = true;
	}
	return one->cwd.n > 0 ? str_eq(without_slashes(one->cwd), str_of(s->places.cwd)) : one->match == SESSIONS_HERE;
}

/* Drops what is there twice, by links. */
static void drop_doubles(struct sessions *s)
{
	struct names known;
	size_t n = 0;

	names_init(&known);
	for (size_t i = 0; i < s->list.n; i++)
		if (is_new(&known, s->list.v[i].device, s->list.v[i].inode))
			s->list.v[n++] = s->list.v[i];
	s->list.n = n;
	names_free(&known);
}

void sessions_sort(struct sessions *s)
{
	size_t n, own = 0, others, heads[SESSIONS_HERE + 1] = {0};
	struct session *sorted;

	if (s->list.n > 0)
		qsort(s->list.v, s->list.n, sizeof *s->list.v, by_time);
	drop_doubles(s);
	n = s->list.n;
	for (size_t i = 0; i < n; i++) {
		s->list.v[i].own = is_own(s, &s->list.v[i], heads);
		own += s->list.v[i].own;
	}
	sorted = mem_resize(NULL, n + 1, sizeof *sorted);
	s->own = own;
	s->by_time.n = 0;
	others = own;
	own = 0;
	for (size_t i = 0; i < n; i++) {
		size_t to = s->list.v[i].own ? own++ : others++;

		sorted[to] = s->list.v[i];
		vec_push(&s->by_time, (uint32_t)to);
	}
	if (n > 0)
		memcpy(s->list.v, sorted, n * sizeof *sorted);
	free(sorted);
}

/* ---- one session ---- */

/* The name of the file; where all files are called the same, of the directory it is in. */
static struct str name_on_disk(const struct sessions *s, const struct session *one)
{
	const char *name = base_name(one->path), *start;

	if (!session_place(s, one)->generations || name - one->path < 2)
		return str_of(name);
	for (start = name - 1; start > one->path && start[-1] != '/'; start--)
		;
	return (struct str){start, (size_t)(name - 1 - start)};
}

static enum session_state state_of(const struct session_head *head, const char *format)
{
	if (head->empty)
		return SESSION_EMPTY;
	if (head->reader != NULL)
		return SESSION_READABLE;
	if (head->undecided)
		return reader_find(format) != NULL ? SESSION_READABLE : SESSION_NO_READER;
	return head->looks != NULL ? SESSION_NO_READER : SESSION_UNKNOWN;
}

const struct session *session_at(struct sessions *s, size_t i)
{
	struct session *one = &s->list.v[i];
	struct session_head head = {.empty = true};
	int problem = 0;

	if (one->state != SESSION_NOT_LOOKED)
		return one;
	if (one->size > 0) {
		s->heads_read++;
		problem = session_head_read(&s->head, one->path, &s->arena, &head);
	}
	one->name = head.name.n > 0 ? head.name : name_on_disk(s, one);
	if (head.cwd.n > 0)
		one->cwd = head.cwd;
	one->cwd_known = true;
	one->what = head.looks;
	one->state = (uint8_t)state_of(&head, session_place(s, one)->format);
	if (problem != 0) {
		const char *why = strerror(problem);

		one->state = SESSION_CANNOT_OPEN;
		one->what = arena_copy(&s->arena, why, strlen(why));
	}
	return one;
}

size_t sessions_newest(struct sessions *s, size_t *passed)
{
	size_t i, heads = 0, found = SIZE_MAX;

	for (i = 0; i < s->by_time.n && heads < SESSIONS_HEADS_MAX; i++) {
		const struct session *one = &s->list.v[s->by_time.v[i]];

		/* what lies where a host without reader keeps its files is not worth opening */
		if (reader_find(session_place(s, one)->format) == NULL)
			continue;
		heads++;
		if (session_at(s, s->by_time.v[i])->state == SESSION_READABLE) {
			found = s->by_time.v[i];
			break;
		}
	}
	if (passed != NULL)
		*passed = i;
	return found;
}

void sessions_free(struct sessions *s)
{
	session_head_free(&s->head);
	vec_free(&s->list);
	vec_free(&s->by_time);
	vec_free(&s->notes);
	arena_free(&s->arena);
	*s = (struct sessions){0};
}
