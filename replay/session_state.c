#include "replay/session_state.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/fnv.h"
#include "engine/base/json.h"
#include "replay/xdg.h"

enum { STATE_VERSION = 1 };

/* ---- the session file ---- */

/* Hash of n bytes at `at`; false when they are not there. */
static bool hash_at(int fd, uint64_t at, uint64_t n, uint64_t *out)
{
	char *bytes = mem_alloc(SESSION_STATE_EDGE);
	uint64_t have = 0;
	ssize_t got = 1;

	while (have < n && got > 0) {
		got = pread(fd, bytes + have, (size_t)(n - have), (off_t)(at + have));
		have += got > 0 ? (uint64_t)got : 0;
	}
	*out = fnv_bytes(FNV_START, bytes, (size_t)have);
	free(bytes);
	return have == n;
}

static uint64_t edge(uint64_t size) { return size < SESSION_STATE_EDGE ? size : SESSION_STATE_EDGE; }

/* The two hashes of the first `size` bytes. */
static bool hash_edges(int fd, uint64_t size, struct session_content *c)
{
	return hash_at(fd, 0, edge(size), &c->head) && hash_at(fd, size - edge(size), edge(size), &c->tail);
}

/* A regular file that can be read; its descriptor, or -1. */
static int open_session(struct session_state *s, const char *file)
{
	struct stat st;
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	s->device = (uint64_t)st.st_dev;
	s->inode = (uint64_t)st.st_ino;
	s->content.size = (uint64_t)st.st_size;
	s->content.time = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return fd;
}

static bool find_path(struct session_state *s)
{
	uint64_t hash = fnv_u64(fnv_u64(fnv_text(FNV_START, buf_view(&s->id)), s->device), s->inode);
	char hex[17], name[48];

	fnv_hex(hex, hash);
	snprintf(name, sizeof name, "sessions/%s.json", hex);
	return xdg_path(XDG_STATE, name, &s->path);
}

/* ---- what is remembered ---- */

static bool number_of(const cJSON *file, const char *name, int base, uint64_t *out)
{
	struct str text = json_str(json_get(file, name));
	char digits[24], *end;

	if (text.n == 0 || text.n >= sizeof digits)
		return false;
	memcpy(digits, text.p, text.n);
	digits[text.n] = '\0';
	*out = strtoull(digits, &end, base);
	return *end == '\0';
}

/* Is the file that is there now the one the memory is of, or that one grown? */
static bool is_same(const struct session_state *s, const cJSON *file, int fd)
{
	struct session_content was, now;
	uint64_t time;

	if (!number_of(file, "size", 10, &was.size) || !number_of(file, "time", 10, &time) ||
	    !number_of(file, "head", 16, &was.head) || !number_of(file, "tail", 16, &was.tail))
		return false;
	was.time = (int64_t)time;
	if (was.size > s->content.size || (was.size == s->content.size && was.time != s->content.time))
		return false;
	return hash_edges(fd, was.size, &now) && now.head == was.head && now.tail == was.tail;
}

static enum status void_memory(const struct session_state *s, struct error *e, const char *why)
{
	if (e)
		snprintf(e->file, sizeof e->file, "%s", s->path.p);
	return error_set(e, STATUS_DATA, "%s", why);
}

static enum status take_members(struct session_state *s, struct str text, int fd, struct error *e)
{
	struct arena arena = {0};
	struct buf json = {0};
	enum status st = STATUS_OK;
	double version = 0;
	const cJSON *tree = json_tree(&arena, text, NULL, NULL);

	if (!cJSON_IsObject(tree) || !json_num(json_get(tree, "version"), &version))
		st = void_memory(s, e, "what was remembered of this session is damaged");
	else if (version != STATE_VERSION)
		st = void_memory(s, e, "what was remembered of this session is of another version");
	else if (!str_eq(json_str(json_get(tree, "session")), buf_view(&s->id)) ||
		 !is_same(s, json_get(tree, "file"), fd))
		st = void_memory(s, e, "what was remembered was of another content of this file");
	for (const cJSON *m = tree && st == STATUS_OK ? tree->child : NULL; m; m = m->next) {
		if (!m->string || strcmp(m->string, "version") == 0 || strcmp(m->string, "session") == 0 ||
		    strcmp(m->string, "file") == 0)
			continue;
		buf_cut(&json, 0);
		json_put(&json, m);
		session_state_set(s, m->string, buf_view(&json));
	}
	s->changed = false;
	buf_free(&json);
	arena_free(&arena);
	return st;
}

enum status session_state_open(struct session_state *s, const char *file, struct str id, struct error *e)
{
	struct buf text = {0};
	enum status st;
	int fd;

	*s = (struct session_state){0};
	fd = open_session(s, file);
	if (fd < 0)
		return STATUS_OK;
	buf_str(&s->id, id);
	if (!hash_edges(fd, s->content.size, &s->content) || !find_path(s)) {
		buf_cut(&s->path, 0);
		close(fd);
		return STATUS_OK;
	}
	st = xdg_read(s->path.p, &text, e);
	if (st == STATUS_OK)
		st = take_members(s, buf_view(&text), fd, e);
	else if (e && st != STATUS_NO_INPUT)
		snprintf(e->file, sizeof e->file, "%s", s->path.p);
	buf_free(&text);
	close(fd);
	return st == STATUS_NO_INPUT ? STATUS_OK : st;
}

static struct session_member *find(const struct session_state *s, const char *name)
{
	for (size_t i = 0; i < s->members.n; i++)
		if (strcmp(s->members.v[i].name, name) == 0)
			return &s->members.v[i];
	return NULL;
}

struct str session_state_get(const struct session_state *s, const char *name)
{
	const struct session_member *m = find(s, name);

	return m ? buf_view(&m->json) : STR("");
}

void session_state_set(struct session_state *s, const char *name, struct str json)
{
	struct session_member *m = find(s, name);
	size_t n = strlen(name) + 1;

	if (m ? str_eq(buf_view(&m->json), json) : json.n == 0)
		return;
	if (!m) {
		vec_push(&s->members, (struct session_member){.name = memcpy(mem_alloc(n), name, n)});
		m = &s->members.v[s->members.n - 1];
	}
	buf_cut(&m->json, 0);
	buf_str(&m->json, json);
	s->changed = true;
}

static void put_file(const struct session_state *s, struct buf *b)
{
	char head[17], tail[17];

	fnv_hex(head, s->content.head);
	fnv_hex(tail, s->content.tail);
	/* as texts: a double does not hold them all */
	buf_printf(b,
		   "{\"device\":\"%" PRIu64 "\",\"inode\":\"%" PRIu64 "\",\"size\":\"%" PRIu64 "\",\"time\":\"%" PRId64
		   "\",\"head\":\"%s\",\"tail\":\"%s\"}",
		   s->device, s->inode, s->content.size, s->content.time, head, tail);
}

enum status session_state_save(struct session_state *s, struct error *e)
{
	struct buf b = {0};
	enum status st;

	if (!s->changed || s->path.n == 0)
		return STATUS_OK;
	buf_printf(&b, "{\"version\":%d,\"session\":", (int)STATE_VERSION);
	json_put_str(&b, buf_view(&s->id));
	buf_text(&b, ",\"file\":");
	put_file(s, &b);
	for (size_t i = 0; i < s->members.n; i++) {
		if (s->members.v[i].json.n == 0)
			continue;
		buf_char(&b, ',');
		json_put_str(&b, str_of(s->members.v[i].name));
		buf_char(&b, ':');
		buf_str(&b, buf_view(&s->members.v[i].json));
	}
	buf_text(&b, "}\n");
	st = xdg_write(s->path.p, buf_view(&b), e);
	if (st != STATUS_OK && e)
		snprintf(e->file, sizeof e->file, "%s", s->path.p);
	s->changed = st != STATUS_OK;
	buf_free(&b);
	return st;
}

void session_state_free(struct session_state *s)
{
	for (size_t i = 0; i < s->members.n; i++) {
		free(s->members.v[i].name);
		buf_free(&s->members.v[i].json);
	}
	vec_free(&s->members);
	buf_free(&s->path);
	buf_free(&s->id);
	*s = (struct session_state){0};
}
