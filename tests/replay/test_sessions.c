/* sessions: fake homes on disk, with places, environment and clock given (interface.md, `acpdbg`, `acpdbg last`). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "replay/readers/reader.h"
#include "replay/view/picker.h"
#include "tests/case_file.h"
#include "tests/home.h"
#include "tests/temp_file.h"

/* Names of all sessions in order, own ones with a star: "*a b c". */
static void assert_names(struct home *h, const char *want)
{
	struct buf b = {0};

	for (size_t i = 0; i < h->sessions.list.n; i++) {
		const struct session *one = session_at(&h->sessions, i);

		assert_int_equal(one->own, i < h->sessions.own);
		buf_printf(&b, "%s%s%.*s", i > 0 ? " " : "", one->own ? "*" : "", (int)one->name.n, one->name.p);
	}
	buf_text(&b, "");
	if (!str_eq(buf_view(&b), str_of(want)))
		fail_msg("got \"%s\", want \"%s\"", b.p ? b.p : "", want);
	buf_free(&b);
}

static const struct sessions_root *root_of(struct home *h, size_t place) { return &h->sessions.roots[place]; }

/* ---- where hosts keep sessions ---- */

static void finds_every_host(void **state)
{
	static const char *const hosts[] = {"Pi", "OMP", "OMP", "DSH", "Claude Code", "Claude Code", "Codex"};
	struct home h;

	(void)state;
	home_open(&h);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a--/1.jsonl", "/w/a", "pi", 1);
	home_put_pi(&h, "~/.omp/agent/sessions/--w-a--/2.jsonl", "/w/a", "omp", 2);
	home_put_pi(&h, "~/.local/share/omp/sessions/-a/3.jsonl", "/w/a", "omp-xdg", 3);
	home_put_text(&h, "~/.dsh/sessions/--w-a--/session-4/session.v3.jsonl",
		      "{\"type\":\"session\",\"version\":3,\"id\":\"d\",\"createdAt\":1,\"cwd\":\"/w/a\"}\n", 4);
	home_put_claude(&h, "~/.claude/projects/-w-a/5.jsonl", "/w/a", "claude", 5);
	home_put_claude(&h, "~/.config/claude/projects/-w-a/6.jsonl", "/w/a", "claude-xdg", 6);
	home_put_codex(&h, "~/.codex/sessions/2026/09/21/rollout-7.jsonl", "/w/a", "codex", 7);
	home_scan(&h);
	assert_names(&h, "pi omp omp-xdg session-4 claude claude-xdg codex");
	for (size_t i = 0; i < 7; i++)
		assert_string_equal(session_place(&h.sessions, &h.sessions.list.v[i])->host, hosts[i]);
	assert_int_equal(h.sessions.notes.n, 0);
	assert_int_equal(session_at(&h.sessions, 0)->state, SESSION_READABLE);
	home_close(&h);
}

static void environment_moves_places(void **state)
{
	struct home h;

	(void)state;
	home_open(&h);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a--/1.jsonl", "/w/a", "default-pi", 1);
	home_put_pi(&h, "~/my/sessions/--w-a--/1.jsonl", "/w/a", "pi", 2);
	home_put_claude(&h, "~/.claude/projects/-w-a/1.jsonl", "/w/a", "default-claude", 3);
	home_put_claude(&h, "~/.config/claude/projects/-w-a/1.jsonl", "/w/a", "xdg-claude", 4);
	home_put_claude(&h, "~/cc/projects/-w-a/1.jsonl", "/w/a", "claude", 5);
	home_put_codex(&h, "~/.codex/sessions/2026/01/01/rollout-1.jsonl", "/w/a", "default-codex", 6);
	home_put_codex(&h, "~/cx/sessions/2026/01/01/rollout-1.jsonl", "/w/a", "codex", 7);
	home_put_pi(&h, "~/data/omp/sessions/-x/1.jsonl", "/w/a", "omp", 8);
	h.variables[0][0] = "PI_CODING_AGENT_DIR";
	h.variables[0][1] = "~/my/";
	h.variables[1][0] = "CLAUDE_CONFIG_DIR";
	h.variables[1][1] = home_path(&h, "~/cc");
	h.variables[2][0] = "CODEX_HOME";
	h.variables[2][1] = home_path(&h, "~/cx//");
	h.variables[3][0] = "XDG_DATA_HOME";
	h.variables[3][1] = home_path(&h, "~/data");
	home_scan(&h);
	assert_names(&h, "pi claude codex omp");
	assert_int_equal(root_of(&h, 5)->state, SESSIONS_ROOT_UNUSED);

	/* empty is unset; a relative XDG directory is ignored */
	h.variables[0][1] = h.variables[1][1] = h.variables[2][1] = "";
	h.variables[3][1] = "data";
	home_scan(&h);
	assert_string_equal(root_of(&h, 2)->path, home_path(&h, "~/.local/share/omp/sessions"));
	assert_names(&h, "default-pi default-claude xdg-claude default-codex");
	home_close(&h);
}

static void no_home(void **state)
{
	struct home h;
	struct picker p;
	struct buf b = {0};

	(void)state;
	home_open(&h);
	h.places.home = NULL;
	h.places.cwd = NULL;
	home_scan(&h);
	assert_int_equal(h.sessions.list.n, 0);
	for (size_t i = 0; i < sessions_known_count; i++) {
		assert_int_equal(root_of(&h, i)->state, SESSIONS_ROOT_NO_HOME);
		assert_null(root_of(&h, i)->path);
	}
	assert_true(sessions_newest(&h.sessions, NULL) == SIZE_MAX);
	picker_init(&p, &h.sessions, HOME_NOW, 0);
	picker_print(&p, 0, true, &b);
	assert_non_null(strstr(b.p, "~/.pi/agent/sessions: no home directory is known\n"));
	assert_true(picker_find(&p, 1) == SIZE_MAX);
	picker_free(&p);

	/* what has a variable of its own is found all the same */
	home_put_codex(&h, "~/cx/sessions/rollout-1.jsonl", "/w/p", "codex", 1);
	h.variables[0][0] = "CODEX_HOME";
	h.variables[0][1] = home_path(&h, "~/cx");
	home_scan(&h);
	assert_names(&h, "codex");
	buf_free(&b);
	home_close(&h);
}

static void this_process(void **state)
{
	struct arena a = {0};
	struct sessions_places places = sessions_places_here(&a);
	char cwd[4096];
	char *home = getenv("HOME"), *kept = home ? strdup(home) : NULL;

	(void)state;
	assert_string_equal(places.cwd, getcwd(cwd, sizeof cwd));
	setenv("HOME", "/some/home", 1);
	places = sessions_places_here(&a);
	assert_string_equal(places.home, "/some/home");
	assert_string_equal(places.get(places.ctx, "HOME"), "/some/home");
	unsetenv("HOME");
	places = sessions_places_here(&a); /* the user data base, or nothing */
	assert_true(places.home == NULL || places.home[0] == '/');
	if (kept != NULL)
		setenv("HOME", kept, 1);
	free(kept);
	arena_free(&a);
}

/* ---- what counts as a session ---- */

static void takes_sessions_only(void **state)
{
	struct home h;

	(void)state;
	home_open(&h);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a--/s.jsonl", "/w/a", "s", 1);
	home_put_pi(&h, "~/.pi/agent/sessions/flat.jsonl", "/w/a", "flat", 2);
	home_put_text(&h, "~/.pi/agent/sessions/--w-a--/s.jsonl.acp.json", "{}", 1);
	home_put_text(&h, "~/.pi/agent/sessions/--w-a--/notes.txt", "x", 1);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a--/s/deep.jsonl", "/w/a", "deep", 1);
	home_put_pi(&h, "~/.pi/agent/sessions/.hidden/s.jsonl", "/w/a", "hidden", 1);
	home_directories(home_path(&h, "~/.pi/agent/sessions/--w-a--/directory.jsonl/"));
	assert_int_equal(mkfifo(home_path(&h, "~/.pi/agent/sessions/--w-a--/pipe.jsonl"), 0600), 0);
	assert_int_equal(symlink("nowhere", home_path(&h, "~/.pi/agent/sessions/--w-a--/dangling.jsonl")), 0);
	home_put_claude(&h, "~/.claude/projects/-w-a/c.jsonl", "/w/a", "c", 3);
	home_put_claude(&h, "~/.claude/projects/-w-a/agent-1.jsonl", "/w/a", "agent", 1);
	home_put_claude(&h, "~/.claude/projects/flat.jsonl", "/w/a", "flat", 1);
	home_put_claude(&h, "~/.claude/projects/-w-a/c/subagents/x.jsonl", "/w/a", "sub", 1);
	home_put_codex(&h, "~/.codex/sessions/2026/01/02/rollout-1.jsonl", "/w/a", "x", 4);
	home_put_codex(&h, "~/.codex/sessions/2026/01/02/other-1.jsonl", "/w/a", "other", 1);
	home_put_codex(&h, "~/.codex/sessions/2026/01/02/03/rollout-1.jsonl", "/w/a", "deeper", 1);
	home_scan(&h);
	assert_names(&h, "s flat c x");
	assert_int_equal(h.sessions.notes.n, 0);
	home_close(&h);
}

/* dsh.md 1.7: the highest generation wins, older files are backups. */
static void newest_generation(void **state)
{
	struct home h;

	(void)state;
	home_open(&h);
	home_put_text(&h, "~/.dsh/sessions/--w-a--/session-1/session.v10.jsonl.zstd", "\x28\xB5\x2F\xFDxx", 30);
	home_put_text(&h, "~/.dsh/sessions/--w-a--/session-1/session.v3.jsonl", "{}", 10);
	home_put_text(&h, "~/.dsh/sessions/--w-a--/session-1/session.jsonl.zstd", "\x28\xB5\x2F\xFDxx", 20);
	home_put_text(&h, "~/.dsh/sessions/_no-cwd/session-2/session.jsonl", "{}", 40);
	home_put_text(&h, "~/.dsh/sessions/_no-cwd/session-2/session.lock", "", 1);
	home_scan(&h);
	assert_names(&h, "session-1 session-2");
	assert_non_null(strstr(h.sessions.list.v[0].path, "/session.v10.jsonl.zstd"));
	home_close(&h);
}

static void links_lead_nowhere_twice(void **state)
{
	struct home h;

	(void)state;
	home_open(&h);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a--/b.jsonl", "/w/a", "once", 1);
	assert_int_equal(symlink("b.jsonl", home_path(&h, "~/.pi/agent/sessions/--w-a--/z-latest.jsonl")), 0);
	assert_int_equal(link(home_path(&h, "~/.pi/agent/sessions/--w-a--/b.jsonl"),
			      home_path(&h, "~/.pi/agent/sessions/--w-a--/y.jsonl")),
			 0);
	assert_int_equal(symlink("..", home_path(&h, "~/.pi/agent/sessions/up")), 0);
	assert_int_equal(symlink(".", home_path(&h, "~/.pi/agent/sessions/same")), 0);
	assert_int_equal(symlink("--w-a--", home_path(&h, "~/.pi/agent/sessions/alias")), 0);
	assert_int_equal(symlink("loop", home_path(&h, "~/.pi/agent/sessions/loop")), 0);
	home_directories(home_path(&h, "~/.omp/agent/"));
	assert_int_equal(symlink("../../.pi/agent/sessions", home_path(&h, "~/.omp/agent/sessions")), 0);
	/* links to elsewhere are followed */
	home_put_pi(&h, "~/elsewhere/o.jsonl", "/w/o", "other", 2);
	assert_int_equal(symlink("../../../elsewhere", home_path(&h, "~/.pi/agent/sessions/linked")), 0);
	home_scan(&h);
	assert_names(&h, "once other");
	assert_int_equal(root_of(&h, 1)->state, SESSIONS_ROOT_SAME);
	/* the loop is named, and nothing else */
	assert_int_equal(h.sessions.notes.n, 1);
	assert_non_null(strstr(h.sessions.notes.v[0].path, "/sessions/loop"));
	home_close(&h);
}

/* Scans as a user who may not read everything. */
static void scan_as_nobody(struct home *h)
{
	bool root = geteuid() == 0;

	if (root)
		assert_int_equal(seteuid(65534), 0);
	home_scan(h);
	for (size_t i = 0; i < h->sessions.list.n; i++)
		session_at(&h->sessions, i);
	if (root)
		assert_int_equal(seteuid(0), 0);
}

static void unreadable_is_noted(void **state)
{
	struct home h;
	struct picker p;
	struct buf b = {0};
	char deep[5000];

	(void)state;
	home_open(&h);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a--/s.jsonl", "/w/a", "s", 1);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-b--/s.jsonl", "/w/b", "unseen", 1);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-c--/s.jsonl", "/w/c", "unseen", 1);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-d--/closed.jsonl", "/w/d", "unseen", 2);
	home_put_claude(&h, "~/.claude/projects/-w-a/1.jsonl", "/w/a", "unseen", 1);
	assert_int_equal(chmod(home_path(&h, "~/.pi/agent/sessions/--w-b--"), 0), 0);
	assert_int_equal(chmod(home_path(&h, "~/.pi/agent/sessions/--w-c--"), 0444), 0); /* listed, not entered */
	assert_int_equal(chmod(home_path(&h, "~/.pi/agent/sessions/--w-d--/closed.jsonl"), 0), 0);
	assert_int_equal(chmod(home_path(&h, "~/.claude/projects"), 0), 0);
	memset(deep, 'x', sizeof deep - 1);
	deep[0] = '/';
	deep[sizeof deep - 1] = '\0';
	h.variables[0][0] = "CODEX_HOME";
	h.variables[0][1] = deep;
	scan_as_nobody(&h);
	assert_names(&h, "s closed.jsonl");
	assert_int_equal(h.sessions.list.v[1].state, SESSION_CANNOT_OPEN);
	assert_string_equal(h.sessions.list.v[1].what, strerror(EACCES));
	assert_int_equal(h.sessions.notes.n, 4);
	assert_int_equal(root_of(&h, 4)->state, SESSIONS_ROOT_REFUSED);
	assert_int_equal(root_of(&h, 6)->state, SESSIONS_ROOT_REFUSED);
	picker_init(&p, &h.sessions, HOME_NOW, 0);
	picker_print(&p, 0, true, &b);
	assert_non_null(strstr(b.p, "~/.pi/agent/sessions/--w-b--: "));
	assert_non_null(strstr(b.p, "~/.pi/agent/sessions/--w-c--: "));
	assert_non_null(strstr(b.p, "~/.claude/projects: "));
	assert_non_null(strstr(b.p, strerror(ENAMETOOLONG)));
	assert_non_null(strstr(b.p, "[cannot be opened] closed.jsonl"));
	picker_free(&p);
	buf_free(&b);
	chmod(home_path(&h, "~/.pi/agent/sessions/--w-b--"), 0755);
	chmod(home_path(&h, "~/.pi/agent/sessions/--w-c--"), 0755);
	chmod(home_path(&h, "~/.claude/projects"), 0755);
	home_close(&h);
}

/* ---- order ---- */

static void own_first_then_newest(void **state)
{
	struct home h;

	(void)state;
	home_open(&h);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-p--/old.jsonl", "/w/p", "own-old", 9000);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-p--/new.jsonl", "/w/p/", "own-new", 100);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-q--/new.jsonl", "/w/q", "other-newest", 1);
	home_put_codex(&h, "~/.codex/sessions/2026/01/01/rollout-1.jsonl", "/w/p", "own-codex", 500);
	home_put_codex(&h, "~/.codex/sessions/2026/01/01/rollout-2.jsonl", "/w/pp", "other-codex", 2);
	home_put_claude(&h, "~/.claude/projects/-w-p/1.jsonl", "/w/p", "own-claude", 700);
	home_put_pi(&h, "~/.omp/agent/sessions/-p/1.jsonl", "/w/p", "own-omp", 800);
	home_put_text(&h, "~/.dsh/sessions/--w-p--/own-dsh/session.jsonl.zstd", "\x28\xB5\x2F\xFDxx", 900);
	/* the same time: by path */
	home_put_pi(&h, "~/.pi/agent/sessions/--w-q--/b.jsonl", "/w/q", "b", 50);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-q--/a.jsonl", "/w/q", "a", 50);
	home_scan(&h);
	/* only where the name of the directory leaves it open, or has to be confirmed */
	assert_int_equal(h.sessions.heads_read, 7);
	assert_names(&h, "*own-new *own-codex *own-claude *own-omp *own-dsh *own-old other-newest other-codex a b");
	/* seen from a directory without sessions, and from none */
	h.places.cwd = "/w";
	home_scan(&h);
	assert_int_equal(h.sessions.own, 0);
	assert_names(&h, "other-newest other-codex a b own-new own-codex own-claude own-omp own-dsh own-old");
	h.places.cwd = NULL;
	home_scan(&h);
	assert_int_equal(h.sessions.own, 0);
	home_close(&h);
}

/* pi.md 1.1.2: the mapping is lossy; the true directory is in the header. */
static void header_decides(void **state)
{
	struct home h;

	(void)state;
	home_open(&h);
	h.places.cwd = "/w/a-b/";
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a-b--/1.jsonl", "/w/a/b", "slash", 1);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a-b--/2.jsonl", "/w/a-b", "dash", 2);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a-b--/3.jsonl", "", "silent", 3);
	home_put_claude(&h, "~/.claude/projects/-w-a-b/1.jsonl", "/w/a.b", "dot", 4);
	home_put_claude(&h, "~/.claude/projects/-w-a-b/2.jsonl", "/w/a-b", "claude", 5);
	home_put_pi(&h, "~/.pi/agent/sessions/flat.jsonl", "/w/a-b", "flat", 6);
	home_scan(&h);
	assert_names(&h, "*dash *silent *claude *flat slash dot");
	home_close(&h);
}

static void nanoseconds_order(void **state)
{
	struct home h;
	struct timespec times[2] = {{.tv_sec = 1000, .tv_nsec = 5}, {.tv_sec = 1000, .tv_nsec = 5}};

	(void)state;
	home_open(&h);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a--/a.jsonl", "/w/a", "a", HOME_NOW - 1000);
	assert_int_equal(
		utimensat(AT_FDCWD, home_put_pi(&h, "~/.pi/agent/sessions/--w-a--/b.jsonl", "/w/a", "b", 0), times, 0),
		0);
	home_scan(&h);
	assert_names(&h, "b a");
	home_close(&h);
}

static const struct {
	const char *cwd, *directory;
	enum sessions_match (*match)(struct str, struct str);
	enum sessions_match want;
} directories[] = {
	/* pi.md 1.1.2 and its examples */
	{"/home/dog/projects/paper", "--home-dog-projects-paper--", sessions_match_pi, SESSIONS_HERE},
	{"C:\\Users\\me", "--C--Users-me--", sessions_match_pi, SESSIONS_HERE},
	{"/home/dog", "--home-dog-projects-paper--", sessions_match_pi, SESSIONS_ELSEWHERE},
	{"/", "----", sessions_match_pi, SESSIONS_HERE},
	{"/工作/x.y", "--工作-x.y--", sessions_match_pi, SESSIONS_HERE},
	{"//x", "---x--", sessions_match_pi, SESSIONS_HERE},
	/* omp: as Pi, or of its own making */
	{"/w/p", "--w-p--", sessions_match_omp, SESSIONS_HERE},
	{"/w/p", "-p", sessions_match_omp, SESSIONS_UNSURE},
	/* dsh.md 1.7: runs become one dash, leading dashes go, empty is root */
	{"/home//dog", "--home-dog--", sessions_match_dsh, SESSIONS_HERE},
	{"/", "--root--", sessions_match_dsh, SESSIONS_HERE},
	{"/-x", "--x--", sessions_match_dsh, SESSIONS_HERE},
	{"/w/p", "_no-cwd", sessions_match_dsh, SESSIONS_ELSEWHERE},
	{"/w/my dir", "--w-my~0020dir--", sessions_match_dsh, SESSIONS_UNSURE},
	/* Claude Code: every UTF-16 unit that is no letter or digit */
	{"/home/dog/my.project_1", "-home-dog-my-project-1", sessions_match_claude, SESSIONS_HERE},
	{"/w/\u538B\u7F29", "-w---", sessions_match_claude, SESSIONS_HERE},
	{"/w/\U0001F600", "-w---", sessions_match_claude, SESSIONS_HERE},
	{"/w/p", "-w-q", sessions_match_claude, SESSIONS_ELSEWHERE},
};

static void names_directories(void **state)
{
	char path[300], slug[300];

	(void)state;
	for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
		if (directories[i].match(str_of(directories[i].directory), str_of(directories[i].cwd)) !=
		    directories[i].want)
			fail_msg("%s for %s", directories[i].directory, directories[i].cwd);
	/* longer than Claude Code and DSH leave as they are: the name does not tell */
	memset(path, 'x', sizeof path);
	path[0] = '/';
	assert_int_equal(sessions_match_claude(STR("-xx"), (struct str){path, 200}), SESSIONS_ELSEWHERE);
	assert_int_equal(sessions_match_claude(STR("-xx"), (struct str){path, 201}), SESSIONS_UNSURE);
	assert_int_equal(sessions_match_dsh(STR("--xx--"), (struct str){path, 252}), SESSIONS_ELSEWHERE);
	assert_int_equal(sessions_match_dsh(STR("--xx--"), (struct str){path, 253}), SESSIONS_UNSURE);
	memset(slug, '-', sizeof slug);
	assert_int_equal(sessions_match_claude((struct str){slug, 3}, STR("/./")), SESSIONS_HERE);
}

static void patterns(void **state)
{
	(void)state;
	assert_true(sessions_pattern("*.jsonl", "a.jsonl"));
	assert_true(sessions_pattern("*.jsonl", ".jsonl"));
	assert_false(sessions_pattern("*.jsonl", "a.jsonl.acp.json"));
	assert_false(sessions_pattern("*.jsonl", "ajsonl"));
	assert_true(sessions_pattern("rollout-*.jsonl", "rollout-x.jsonl.jsonl"));
	assert_false(sessions_pattern("rollout-*.jsonl", "rollout.jsonl"));
	assert_true(sessions_pattern(" a  b*c*d ", "bXcYcZd"));
	assert_true(sessions_pattern("a b", "b"));
	assert_false(sessions_pattern("a b", "a b"));
	assert_false(sessions_pattern("", "a"));
	assert_false(sessions_pattern(NULL, "a"));
	assert_true(sessions_pattern("*a*a*a*", "\xFF"
						"aa\n"
						"a"));
}

/* ---- what a file says ---- */

static void expect_head(const cJSON *one, const struct session_head *head)
{
	struct str format = json_str(json_get(one, "format"));

	case_expect_text(one, "title", head->name, json_str(json_get(one, "title")));
	case_expect_text(one, "cwd", head->cwd, json_str(json_get(one, "cwd")));
	if (format.p != NULL && reader_find(format.p) != NULL)
		case_expect_text(one, "reader", head->reader ? str_of(head->reader->name) : STR("none"), format);
	else
		case_expect_text(one, "looks", str_of(head->looks), json_str(json_get(one, "looks")));
	case_expect_count(one, "undecided", head->undecided, 0);
}

static void put_lines(const cJSON *one, struct buf *b)
{
	const cJSON *line;

	cJSON_ArrayForEach (line, json_get(one, "lines")) {
		if (cJSON_IsString(line))
			buf_str(b, json_str(line));
		else
			json_put(b, line);
		buf_char(b, '\n');
	}
}

static void pack(struct buf *b, struct str bytes)
{
	size_t room = ZSTD_compressBound(bytes.n), n;
	char *packed = malloc(room);

	assert_non_null(packed);
	n = ZSTD_compress(packed, room, bytes.p, bytes.n, 3);
	assert_false(ZSTD_isError(n));
	buf_bytes(b, packed, n);
	free(packed);
}

/* The same packed: a frame of its own for the first line, as the DSH host writes it, and all in one (dsh.md 1.7). */
static void run_packed(const cJSON *one, struct session_head_reader *reader, struct str lines)
{
	size_t first = str_find(lines, STR("\n"), 0) + 1;

	for (int frames = 1; frames < 3; frames++) {
		struct session_head head;
		struct temp_file file;
		struct arena a = {0};
		struct buf b = {0};

		if (frames == 2)
			pack(&b, str_cut(lines, 0, first));
		pack(&b, str_cut(lines, frames == 2 ? first : 0, lines.n));
		temp_file_write(&file, buf_view(&b));
		assert_int_equal(session_head_read(reader, file.path, &a, &head), 0);
		expect_head(one, &head);
		temp_file_remove(&file);
		buf_free(&b);
		arena_free(&a);
	}
}

static void run_head_case(const cJSON *one, void *ctx)
{
	struct session_head_reader reader = {0};
	struct session_head head;
	struct arena a = {0};
	struct buf b = {0};

	(void)ctx;
	put_lines(one, &b);
	session_head_of(&reader, b.p, b.n, false, &a, &head);
	expect_head(one, &head);
	/* the last line without its line feed is a line like any other, unless the head was cut there */
	session_head_of(&reader, b.p, b.n - 1, false, &a, &head);
	expect_head(one, &head);
	run_packed(one, &reader, buf_view(&b));
	session_head_free(&reader);
	arena_free(&a);
	buf_free(&b);
}

static void heads(void **state)
{
	(void)state;
	case_file_each("tests/cases/sessions_heads.jsonl", run_head_case, NULL);
}

/* A packed file of which nothing can be unpacked, and one that goes on behind what is read. */
static void packed_heads(void **state)
{
	struct session_head_reader reader = {0};
	struct session_head head;
	struct temp_file file;
	struct arena a = {0};
	struct buf lines = {0}, packed = {0};

	(void)state;
	temp_file_write(&file, STR("\x28\xB5\x2F\xFDxx"));
	assert_int_equal(session_head_read(&reader, file.path, &a, &head), 0);
	assert_true(head.undecided);
	assert_int_equal(head.cwd.n, 0);
	temp_file_remove(&file);
	buf_text(&lines, "{\"type\":\"session\",\"version\":0,\"id\":\"s\",\"createdAt\":1,\"cwd\":\"/w/p\","
			 "\"delegationDepth\":0}\n");
	for (int seq = 0; lines.n < 10 * SESSIONS_HEAD_BYTES; seq++)
		buf_printf(&lines, "{\"type\":\"step/start\",\"seq\":%d,\"time\":1,\"data\":{\"turn\":1,\"step\":1}}\n",
			   seq);
	pack(&packed, buf_view(&lines));
	for (size_t n = packed.n; n > packed.n / 2; n -= packed.n / 8) {
		temp_file_write(&file, str_cut(buf_view(&packed), 0, n));
		assert_int_equal(session_head_read(&reader, file.path, &a, &head), 0);
		assert_true(str_eq(head.cwd, STR("/w/p")));
		assert_non_null(head.reader);
		assert_string_equal(head.reader->name, "dsh");
		temp_file_remove(&file);
	}
	session_head_free(&reader);
	arena_free(&a);
	buf_free(&lines);
	buf_free(&packed);
}

static uint32_t random_next(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* Damaged heads never do more harm than to have no name. */
static void run_damaged(const cJSON *one, void *ctx)
{
	static const char bytes[] = "{}[]\",:\\<>/ \n\0\xFF\xED"
				    "au0";
	struct session_head_reader reader = {0};
	struct session_head head;
	uint32_t *x = ctx;
	struct buf good = {0};

	put_lines(one, &good);
	for (int round = 0; round < 200; round++) {
		struct arena a = {0};
		size_t n = 1 + random_next(x) % good.n;
		char *copy = malloc(n); /* its own block, so that reading past the end is seen */

		memcpy(copy, good.p, n);
		for (int k = 0; k < 4; k++)
			copy[random_next(x) % n] = bytes[random_next(x) % (sizeof bytes - 1)];
		session_head_of(&reader, copy, n, random_next(x) % 2, &a, &head);
		assert_true(head.name.n < SESSIONS_NAME_BYTES + 8);
		assert_true(head.cwd.n <= SESSIONS_CWD_BYTES);
		free(copy);
		arena_free(&a);
	}
	session_head_free(&reader);
	buf_free(&good);
}

static void damaged_heads(void **state)
{
	uint32_t x = 20260921;

	(void)state;
	case_file_each("tests/cases/sessions_heads.jsonl", run_damaged, &x);
}

/* A Codex file whose first line has instructions of n bytes in front of, or after, its directory. */
static const char *put_long_meta(struct home *h, const char *path, size_t n, bool in_front, int64_t ago)
{
	struct buf b = {0};
	const char *full;

	buf_text(&b, "{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{");
	if (!in_front)
		buf_text(&b, "\"cwd\":\"/w/\\u0070\",");
	buf_text(&b, "\"text\":\"\\\"cwd\\\":\\\"/wrong\\\" ");
	for (size_t i = 0; i < n; i++)
		buf_char(&b, 'x');
	buf_printf(&b, "\"%s}}\n", in_front ? ",\"cwd\":\"/w/p\"" : "");
	full = home_put(h, path, buf_view(&b), ago);
	buf_free(&b);
	return full;
}

static void reads_64_kib_only(void **state)
{
	struct home h;
	struct buf b = {0};

	(void)state;
	home_open(&h);
	put_long_meta(&h, "~/.codex/sessions/2026/01/01/rollout-1.jsonl", 100000, false,
		      1);                                                                   /* cut, told all the same */
	put_long_meta(&h, "~/.codex/sessions/2026/01/01/rollout-2.jsonl", 100000, true, 2); /* beyond what is read */
	put_long_meta(&h, "~/.codex/sessions/2026/01/01/rollout-3.jsonl", 60000, true, 3);
	home_scan(&h);
	assert_names(&h, "*rollout-1.jsonl *rollout-3.jsonl rollout-2.jsonl");

	/* a name in the last whole line of the first 64 KiB, and one that begins there but is cut */
	buf_text(&b, "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"t\",\"cwd\":\"/w/z\"}\n");
	buf_text(&b, "{\"type\":\"custom\",\"id\":\"1\",\"parentId\":null,\"data\":\"");
	while (b.n < SESSIONS_HEAD_BYTES - 60)
		buf_char(&b, 'y');
	buf_text(&b, "\"}\n{\"type\":\"session_info\",\"name\":\"inside\"}\n");
	assert_true(b.n < SESSIONS_HEAD_BYTES);
	buf_text(&b, "{\"type\":\"session_info\",\"name\":\"outside\"}\n");
	assert_true(b.n > SESSIONS_HEAD_BYTES);
	home_put(&h, "~/.pi/agent/sessions/--w-z--/1.jsonl", buf_view(&b), 0);
	home_scan(&h);
	assert_names(&h, "*rollout-1.jsonl *rollout-3.jsonl inside rollout-2.jsonl");
	buf_free(&b);
	home_close(&h);
}

static void directory_in_a_cut_line(void **state)
{
	static const struct {
		const char *line, *want;
	} lines[] = {
		{"{\"payload\":{\"cwd\":\"/w/a\\\"b\\\\\",\"x\":\"", "/w/a\"b\\"},
		{"{\"payload\":{\"text\":\"\\\"cwd\\\":\\\"/no\\\"\",\"cwd\":\"/yes\"", "/yes"},
		{"{\"payload\":{\"cwd\":\"/w/unfinished", ""},
		{"{\"payload\":{\"cwd\":\"/w/unfinished\\", ""},
		{"{\"payload\":{\"cwd\":\"bad \\q escape\"", ""},
		{"{\"payload\":{\"cwd\":7,\"", ""},
	};
	struct session_head_reader reader = {0};
	struct session_head head;
	struct arena a = {0};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		size_t n = strlen(lines[i].line);

		session_head_of(&reader, arena_copy(&a, lines[i].line, n), n, true, &a, &head);
		assert_true(str_eq(head.cwd, str_of(lines[i].want)));
		assert_true(head.undecided);
	}
	session_head_free(&reader);
	arena_free(&a);
}

static void says_what_cannot_be_opened(void **state)
{
	static const enum session_state want[] = {SESSION_READABLE, SESSION_NO_READER,   SESSION_UNKNOWN,
						  SESSION_EMPTY,    SESSION_CANNOT_OPEN, SESSION_CANNOT_OPEN,
						  SESSION_READABLE};
	struct home h;
	struct str name;

	(void)state;
	home_open(&h);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a--/0.jsonl", "/w/a", "0", 0);
	home_put_text(&h, "~/.pi/agent/sessions/--w-a--/1.jsonl", "{\"blocks\":[],\"messageRefs\":{}}\n", 1);
	home_put_text(&h, "~/.pi/agent/sessions/--w-a--/2.jsonl", "hello\n", 2);
	home_put_text(&h, "~/.pi/agent/sessions/--w-a--/3.jsonl", "", 3);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a--/4.jsonl", "/w/a", "4", 4);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a--/5.jsonl", "/w/a", "5", 5);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-a--/6.jsonl", "/w/a",
		    "a text that is longer than a name may be: "
		    "0123456789012345678901234567890123456789012345678901234567890123"
		    "45678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901"
		    "23456"
		    "78"
		    "90123456789012345678901234567890123456789012345678901234567890123456789",
		    6);
	home_scan(&h);
	/* gone, and no file any more, since they were listed */
	assert_int_equal(unlink(h.sessions.list.v[4].path), 0);
	assert_int_equal(unlink(h.sessions.list.v[5].path), 0);
	assert_int_equal(mkfifo(h.sessions.list.v[5].path, 0600), 0);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(session_at(&h.sessions, i)->state, want[i]);
	assert_non_null(strstr(h.sessions.list.v[1].what, "kernel state"));
	name = h.sessions.list.v[6].name;
	assert_int_equal(name.n, SESSIONS_NAME_BYTES);
	assert_true(str_starts(name, STR("a text that is longer")));
	home_close(&h);
}

static void newest(void **state)
{
	struct home h;
	size_t passed = 99, i;

	(void)state;
	home_open(&h);
	home_scan(&h);
	assert_true(sessions_newest(&h.sessions, &passed) == SIZE_MAX);
	assert_int_equal(passed, 0);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-p--/own.jsonl", "/w/p", "own", 100);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-q--/other.jsonl", "/w/q", "other", 50);
	home_put_text(&h, "~/.pi/agent/sessions/--w-q--/empty.jsonl", "", 40);
	home_put_text(&h, "~/.pi/agent/sessions/--w-q--/strange.jsonl", "hello\n", 30);
	home_put_text(&h, "~/.pi/agent/sessions/--w-q--/state.jsonl", "{\"blocks\":[],\"messageRefs\":{}}\n", 20);
	home_scan(&h);
	i = sessions_newest(&h.sessions, &passed);
	assert_true(i < h.sessions.list.n);
	assert_non_null(strstr(h.sessions.list.v[i].path, "/other.jsonl"));
	assert_int_equal(passed, 3);
	home_close(&h);
}

/* ---- many ---- */

static void ten_thousand(void **state)
{
	enum { DIRECTORIES = 400, FILES = 25, SHOWN = 50 };
	struct home h;
	struct picker p;
	struct line line = {0};
	char path[128];

	(void)state;
	home_open(&h);
	for (int d = 0; d < DIRECTORIES; d++)
		for (int f = 0; f < FILES; f++) {
			int host = d % 4; /* OMP and Codex tell their directory in the files only */

			snprintf(path, sizeof path,
				 host == 0   ? "~/.pi/agent/sessions/--w-%d--/%d.jsonl"
				 : host == 1 ? "~/.claude/projects/-w-%d/%d.jsonl"
				 : host == 2 ? "~/.codex/sessions/2026/01/%d/rollout-%d.jsonl"
					     : "~/.omp/agent/sessions/-%d/%d.jsonl",
				 d, f);
			home_put_pi(&h, path, d == 2 ? "/w/p" : "/w/q", "text", d * FILES + f);
		}
	/* a directory's name is confirmed, however many files were asked before */
	home_put_pi(&h, "~/.pi/agent/sessions/--w-p--/old.jsonl", "/w/p", "own", 90000);
	home_put_pi(&h, "~/.pi/agent/sessions/--w-p--/old-2.jsonl", "/w-p", "other", 90000);
	home_scan(&h);
	assert_int_equal(h.sessions.list.n, DIRECTORIES * FILES + 2);
	assert_int_equal(h.sessions.own, FILES + 1); /* the newest Codex directory, and the old one */
	assert_int_equal(h.sessions.heads_read, SESSIONS_HEADS_MAX + 2);
	assert_false(h.sessions.full);
	picker_init(&p, &h.sessions, HOME_NOW, 0);
	for (size_t i = 0; i < SHOWN; i++)
		picker_line(&p, i, 80, &line);
	assert_true(h.sessions.heads_read <= SESSIONS_HEADS_MAX + 2 + SHOWN);
	picker_free(&p);
	line_free(&line);
	home_close(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_every_host),
		cmocka_unit_test(environment_moves_places),
		cmocka_unit_test(no_home),
		cmocka_unit_test(this_process),
		cmocka_unit_test(takes_sessions_only),
		cmocka_unit_test(newest_generation),
		cmocka_unit_test(links_lead_nowhere_twice),
		cmocka_unit_test(unreadable_is_noted),
		cmocka_unit_test(own_first_then_newest),
		cmocka_unit_test(header_decides),
		cmocka_unit_test(nanoseconds_order),
		cmocka_unit_test(names_directories),
		cmocka_unit_test(patterns),
		cmocka_unit_test(heads),
		cmocka_unit_test(packed_heads),
		cmocka_unit_test(damaged_heads),
		cmocka_unit_test(reads_64_kib_only),
		cmocka_unit_test(directory_in_a_cut_line),
		cmocka_unit_test(says_what_cannot_be_opened),
		cmocka_unit_test(newest),
		cmocka_unit_test(ten_thousand),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
